// The gradient codec of INCEPTIONN (MICRO'18, Algorithms 2 and 3): values, groups and streams.
//
// Use encode() and decode() on streams; they pick the fastest implementation this CPU can run. Use
// the value and group functions where one wants to see what happens; they are the scalar definition
// that every implementation, and all hardware, is scored against. spec: section 1 and 2 of the
// codec page.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gw::reference {

// ---------------------------------------------------------------------------------------------
// Configuration

/// How BYTE payloads are scaled. kPaper is Algorithm 2 to the bit, whose error exceeds the bound
/// from k = 8 on; kBounded has the same sizes and always keeps the bound.
enum class Mode { kPaper, kBounded };

std::string_view mode_name(Mode mode);                  // "paper" or "bounded"
std::optional<Mode> parse_mode(std::string_view name);  // the reverse; empty for other words

inline constexpr int kMinBoundExponent = 1;
inline constexpr int kMaxBoundExponent = 14;

struct CodecConfigResult;

/// The error bound is 2^-bound_exponent. Build it with make(); codec functions abort on a bound
/// exponent outside 1..14, because that is a bug of the caller and not an input error.
struct CodecConfig {
  int bound_exponent = 10;
  Mode mode = Mode::kBounded;

  static CodecConfigResult make(int bound_exponent, Mode mode);

  /// The bound as a biased exponent: values below it are ZERO.
  constexpr int byte_from() const { return 127 - bound_exponent; }
  /// The biased exponent T that splits the compressible range in BYTE and HALF.
  constexpr int half_from() const { return byte_from() + (127 - byte_from() + 1) / 2; }
  /// The bound itself, 2^-k.
  double bound() const;

  friend bool operator==(const CodecConfig&, const CodecConfig&) = default;
};

/// Either a configuration or a sentence that says why not.
struct CodecConfigResult {
  std::optional<CodecConfig> config;
  std::string error;
};

// ---------------------------------------------------------------------------------------------
// Values

enum class Tag : uint8_t { kZero = 0, kByte = 1, kHalf = 2, kRaw = 3 };

inline constexpr std::array<int, 4> kPayloadBytes = {0, 1, 2, 4};  // by tag

constexpr int payload_bytes(Tag tag) { return kPayloadBytes[static_cast<size_t>(tag)]; }

struct EncodedValue {
  Tag tag = Tag::kZero;
  uint32_t payload = 0;  // in the low payload_bytes(tag) bytes

  friend bool operator==(const EncodedValue&, const EncodedValue&) = default;
};

EncodedValue encode_value(uint32_t bits, CodecConfig config);
uint32_t decode_value(EncodedValue value, CodecConfig config);

// ---------------------------------------------------------------------------------------------
// Groups

inline constexpr int kGroupValues = 8;
inline constexpr int kTagBytes = 2;
inline constexpr int kMaxGroupBytes = kTagBytes + 4 * kGroupValues;

/// An encoded group: bytes[0 .. size).
struct EncodedGroup {
  std::array<uint8_t, kMaxGroupBytes> bytes{};
  size_t size = 0;
};

/// Bytes of the group, tags included, that begins with these 16 tag bits: 2 to 34.
int encoded_group_bytes(uint16_t tags);

EncodedGroup encode_group(std::span<const uint32_t, kGroupValues> values, CodecConfig config);

/// Decodes the group at the start of `bytes`; empty if that ends before the group does.
std::optional<std::array<uint32_t, kGroupValues>> decode_group(std::span<const uint8_t> bytes,
                                                               CodecConfig config);

// ---------------------------------------------------------------------------------------------
// Implementations: all give the same bytes and values, they differ in speed

namespace internal {
struct Kernels;
}

struct Implementation {
  std::string_view name;  // "scalar", "portable", "avx2", "avx512"
  const internal::Kernels* kernels;
};

/// What this CPU can run, from the plainest to the fastest.
std::span<const Implementation> implementations();
const Implementation& best_implementation();
/// The one of that name; null if unknown or beyond this CPU.
const Implementation* find_implementation(std::string_view name);

// ---------------------------------------------------------------------------------------------
// Streams

/// Groups that `values` values fill; the lanes missing from the last are encoded as ZERO.
constexpr size_t groups_of_values(size_t values) {
  return values / kGroupValues + (values % kGroupValues != 0 ? 1 : 0);
}
constexpr size_t max_encoded_size(size_t values) {
  return groups_of_values(values) * kMaxGroupBytes;
}

/// Appends the encoded stream to `out`.
void encode(std::span<const uint32_t> values, CodecConfig config, std::vector<uint8_t>& out,
            const Implementation& implementation = best_implementation());
void encode(std::span<const float> values, CodecConfig config, std::vector<uint8_t>& out,
            const Implementation& implementation = best_implementation());

/// Encodes into memory of at least max_encoded_size(values.size()) bytes and returns the bytes
/// used.
size_t encode_into(std::span<const uint32_t> values, CodecConfig config, std::span<uint8_t> out,
                   const Implementation& implementation = best_implementation());
size_t encode_into(std::span<const float> values, CodecConfig config, std::span<uint8_t> out,
                   const Implementation& implementation = best_implementation());

/// What is wrong with a stream, and where the group that is cut off begins.
struct StreamError {
  size_t offset = 0;
  std::string sentence;

  friend bool operator==(const StreamError&, const StreamError&) = default;
};

struct DecodeResult {
  std::vector<uint32_t> values;      // of all whole groups, also when there is an error
  size_t consumed = 0;               // bytes of these groups
  std::optional<StreamError> error;  // the stream does not end where a group ends
};

/// Decodes a whole stream. The stream does not carry the number of values: the framer trims.
DecodeResult decode(std::span<const uint8_t> stream, CodecConfig config,
                    const Implementation& implementation = best_implementation());

struct DecodeProgress {
  size_t values = 0;  // written, a multiple of eight
  size_t consumed = 0;
  std::optional<StreamError> error;
};

/// Decodes whole groups until the stream ends or `out` has no room for another group (no error).
DecodeProgress decode_into(std::span<const uint8_t> stream, CodecConfig config,
                           std::span<uint32_t> out,
                           const Implementation& implementation = best_implementation());
DecodeProgress decode_into(std::span<const uint8_t> stream, CodecConfig config,
                           std::span<float> out,
                           const Implementation& implementation = best_implementation());

}  // namespace gw::reference
