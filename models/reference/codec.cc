// SPDX-License-Identifier: Apache-2.0
#include "models/reference/codec.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "models/reference/codec_kernels.h"

namespace gw::reference {
namespace {

void check(CodecConfig config) {
  if (config.bound_exponent < kMinBoundExponent || config.bound_exponent > kMaxBoundExponent) {
    std::fprintf(stderr, "gw::reference: codec called with bound exponent %d, outside %d..%d\n",
                 config.bound_exponent, kMinBoundExponent, kMaxBoundExponent);
    std::abort();
  }
}

}  // namespace

// ---------------------------------------------------------------------------------------------
// Configuration

std::string_view mode_name(Mode mode) { return mode == Mode::kPaper ? "paper" : "bounded"; }

std::optional<Mode> parse_mode(std::string_view name) {
  if (name == "paper") return Mode::kPaper;
  if (name == "bounded") return Mode::kBounded;
  return std::nullopt;
}

CodecConfigResult CodecConfig::make(int bound_exponent, Mode mode) {
  if (bound_exponent < kMinBoundExponent || bound_exponent > kMaxBoundExponent) {
    return {std::nullopt, "The error bound 2^-" + std::to_string(bound_exponent) +
                              " is not supported: the bound exponent must be from " +
                              std::to_string(kMinBoundExponent) + " to " +
                              std::to_string(kMaxBoundExponent) + "."};
  }
  return {CodecConfig{bound_exponent, mode}, {}};
}

double CodecConfig::bound() const { return std::ldexp(1.0, -bound_exponent); }

// ---------------------------------------------------------------------------------------------
// Values

EncodedValue encode_value(uint32_t bits, CodecConfig config) {
  const uint32_t s = bits >> 31;
  const int e = static_cast<int>(bits >> 23 & 0xFF);
  const uint32_t m = bits & 0x7FFFFF;

  const int B = config.byte_from();
  const int T = config.half_from();

  if (e >= 127) return {Tag::kRaw, bits};
  if (e >= T) {
    const uint32_t sh = (0x800000 | m) >> (127 - e);
    return {Tag::kHalf, s << 15 | (sh >> 8 & 0x7FFF)};
  }
  if (e >= B) {
    const int shift = config.mode == Mode::kBounded ? T - e : 127 - e;
    const uint32_t sh = (0x800000 | m) >> shift;
    return {Tag::kByte, s << 7 | (sh >> 16 & 0x7F)};
  }
  return {Tag::kZero, 0};
}

uint32_t decode_value(EncodedValue value, CodecConfig config) {
  if (value.tag == Tag::kRaw) return value.payload;
  if (value.tag == Tag::kZero) return 0;

  const int width = value.tag == Tag::kByte ? 7 : 15;  // of the magnitude
  const bool from_T = value.tag == Tag::kByte && config.mode == Mode::kBounded;
  const int top = from_T ? config.half_from() : 127;

  const uint32_t s = value.payload >> width & 1;
  const uint32_t magnitude = value.payload & ((1u << width) - 1);
  if (magnitude == 0) return s << 31;

  const int n = std::countl_zero(magnitude) - (32 - width) + 1;  // first one, from the MSB, 1-based
  const auto e = static_cast<uint32_t>(top - n);
  const uint32_t m =
      magnitude << (23 - width + n) & 0x7FFFFF;  // leading one dropped, left-justified
  return s << 31 | e << 23 | m;
}

// ---------------------------------------------------------------------------------------------
// Groups

int encoded_group_bytes(uint16_t tags) {
  // Payloads of 0, 1, 2 and 4 bytes: what a tag's bits say as a number, and one more for RAW.
  const unsigned low = tags & 0x5555u, high = tags >> 1 & 0x5555u;
  return kTagBytes + std::popcount(low) + 2 * std::popcount(high) + std::popcount(low & high);
}

namespace {

/// Writes the group and returns its size.
size_t write_group(std::span<const uint32_t, kGroupValues> values, CodecConfig config,
                   uint8_t* out) {
  uint32_t tags = 0;
  size_t size = kTagBytes;
  for (size_t lane = 0; lane < kGroupValues; ++lane) {
    const EncodedValue value = encode_value(values[lane], config);
    tags |= static_cast<uint32_t>(value.tag) << (2 * lane);
    for (int i = 0; i < payload_bytes(value.tag); ++i) {
      out[size++] = static_cast<uint8_t>(value.payload >> (8 * i));
    }
  }
  out[0] = static_cast<uint8_t>(tags);
  out[1] = static_cast<uint8_t>(tags >> 8);
  return size;
}

}  // namespace

EncodedGroup encode_group(std::span<const uint32_t, kGroupValues> values, CodecConfig config) {
  EncodedGroup group;
  group.size = write_group(values, config, group.bytes.data());
  return group;
}

std::optional<std::array<uint32_t, kGroupValues>> decode_group(std::span<const uint8_t> bytes,
                                                               CodecConfig config) {
  if (bytes.size() < kTagBytes) return std::nullopt;
  const auto tags = static_cast<uint16_t>(bytes[0] | bytes[1] << 8);
  if (bytes.size() < static_cast<size_t>(encoded_group_bytes(tags))) return std::nullopt;

  std::array<uint32_t, kGroupValues> values{};
  size_t at = kTagBytes;
  for (size_t lane = 0; lane < kGroupValues; ++lane) {
    EncodedValue value{static_cast<Tag>(tags >> (2 * lane) & 3), 0};
    for (int i = 0; i < payload_bytes(value.tag); ++i) {
      value.payload |= static_cast<uint32_t>(bytes[at++]) << (8 * i);
    }
    values[lane] = decode_value(value, config);
  }
  return values;
}

// ---------------------------------------------------------------------------------------------
// Implementations

namespace internal {
namespace {

size_t scalar_encode(const uint8_t* values, size_t groups, CodecConfig config, uint8_t* out) {
  size_t size = 0;
  for (size_t g = 0; g < groups; ++g) {
    std::array<uint32_t, kGroupValues> lanes;
    std::memcpy(lanes.data(), values + g * sizeof lanes, sizeof lanes);
    size += write_group(lanes, config, out + size);
  }
  return size;
}

Consumed scalar_decode(const uint8_t* in, size_t size, size_t, CodecConfig config, uint8_t* out,
                       size_t max_groups) {
  Consumed done;
  while (done.groups < max_groups) {
    const auto group = decode_group({in + done.bytes, size - done.bytes}, config);
    if (!group) break;
    std::memcpy(out + done.groups * sizeof *group, group->data(), sizeof *group);
    done.bytes += static_cast<size_t>(
        encoded_group_bytes(static_cast<uint16_t>(in[done.bytes] | in[done.bytes + 1] << 8)));
    ++done.groups;
  }
  return done;
}

constexpr Kernels kScalarKernels = {scalar_encode, scalar_decode};

std::vector<Implementation> detect_implementations() {
  std::vector<Implementation> list = {{"scalar", &kScalarKernels}, {"portable", &kPortableKernels}};
#if defined(__x86_64__)
  if (cpu_has_avx2()) list.push_back({"avx2", &kAvx2Kernels});
  if (cpu_has_avx512()) list.push_back({"avx512", &kAvx512Kernels});
#endif
  return list;
}

}  // namespace
}  // namespace internal

std::span<const Implementation> implementations() {
  static const std::vector<Implementation> list = internal::detect_implementations();
  return list;
}

const Implementation& best_implementation() { return implementations().back(); }

const Implementation* find_implementation(std::string_view name) {
  for (const Implementation& implementation : implementations()) {
    if (implementation.name == name) return &implementation;
  }
  return nullptr;
}

// ---------------------------------------------------------------------------------------------
// Streams

namespace {

constexpr size_t kValueBytes = 4;
constexpr size_t kGroupInputBytes = kGroupValues * kValueBytes;
constexpr size_t kChunkGroups = 512;  // of the functions that grow a vector: 16 KiB of values

template <typename T>
const uint8_t* bytes_of(std::span<const T> values) {
  return reinterpret_cast<const uint8_t*>(values.data());
}

size_t encode_bytes(const uint8_t* values, size_t count, CodecConfig config, uint8_t* out,
                    const Implementation& implementation) {
  const size_t whole = count / kGroupValues;
  const size_t rest = count % kGroupValues;
  size_t size = implementation.kernels->encode(values, whole, config, out);
  if (rest != 0) {
    std::array<uint8_t, kGroupInputBytes> last{};  // missing lanes are zeros, hence ZERO
    std::memcpy(last.data(), values + whole * kGroupInputBytes, rest * kValueBytes);
    size += implementation.kernels->encode(last.data(), 1, config, out + size);
  }
  return size;
}

template <typename T>
size_t encode_into_span(std::span<const T> values, CodecConfig config, std::span<uint8_t> out,
                        const Implementation& implementation) {
  check(config);
  if (out.size() < max_encoded_size(values.size())) {
    std::fprintf(stderr, "gw::reference: encode_into needs %zu bytes of output, got %zu\n",
                 max_encoded_size(values.size()), out.size());
    std::abort();
  }
  return encode_bytes(bytes_of(values), values.size(), config, out.data(), implementation);
}

template <typename T>
void encode_append(std::span<const T> values, CodecConfig config, std::vector<uint8_t>& out,
                   const Implementation& implementation) {
  check(config);
  std::array<uint8_t, kChunkGroups * kMaxGroupBytes> chunk;
  while (!values.empty()) {
    const auto part = values.first(std::min(values.size(), kChunkGroups * kGroupValues));
    const size_t size =
        encode_bytes(bytes_of(part), part.size(), config, chunk.data(), implementation);
    out.insert(out.end(), chunk.begin(), chunk.begin() + static_cast<std::ptrdiff_t>(size));
    values = values.subspan(part.size());
  }
}

StreamError truncation(std::span<const uint8_t> stream, size_t offset) {
  const size_t left = stream.size() - offset;
  const auto count = [](size_t n) { return std::to_string(n) + (n == 1 ? " byte" : " bytes"); };
  std::string sentence = "The stream ends inside the group at offset " + std::to_string(offset) +
                         ": " + count(left) + (left == 1 ? " is" : " are") + " left of its ";
  if (left < kTagBytes) return {offset, sentence + count(kTagBytes) + " of tags."};
  const auto tags = static_cast<uint16_t>(stream[offset] | stream[offset + 1] << 8);
  return {offset, sentence + count(static_cast<size_t>(encoded_group_bytes(tags))) + "."};
}

DecodeProgress decode_bytes(std::span<const uint8_t> stream, CodecConfig config, uint8_t* out,
                            size_t max_groups, const Implementation& implementation) {
  using internal::kReach;
  const auto decode_kernel = implementation.kernels->decode;
  internal::Consumed done =
      decode_kernel(stream.data(), stream.size(), stream.size(), config, out, max_groups);

  // A kernel stops where it could read beyond the input; the rest is decoded from a padded copy.
  const size_t left = stream.size() - done.bytes;
  if (left != 0 && left < kReach && done.groups < max_groups) {
    std::array<uint8_t, 2 * kReach> padded{};
    std::memcpy(padded.data(), stream.data() + done.bytes, left);
    const internal::Consumed more =
        decode_kernel(padded.data(), left, padded.size(), config,
                      out + done.groups * kGroupInputBytes, max_groups - done.groups);
    done.bytes += more.bytes;
    done.groups += more.groups;
  }

  DecodeProgress progress{done.groups * kGroupValues, done.bytes, std::nullopt};
  if (done.bytes != stream.size() && done.groups != max_groups) {
    progress.error = truncation(stream, done.bytes);
  }
  return progress;
}

}  // namespace

void encode(std::span<const uint32_t> values, CodecConfig config, std::vector<uint8_t>& out,
            const Implementation& implementation) {
  encode_append(values, config, out, implementation);
}

void encode(std::span<const float> values, CodecConfig config, std::vector<uint8_t>& out,
            const Implementation& implementation) {
  encode_append(values, config, out, implementation);
}

size_t encode_into(std::span<const uint32_t> values, CodecConfig config, std::span<uint8_t> out,
                   const Implementation& implementation) {
  return encode_into_span(values, config, out, implementation);
}

size_t encode_into(std::span<const float> values, CodecConfig config, std::span<uint8_t> out,
                   const Implementation& implementation) {
  return encode_into_span(values, config, out, implementation);
}

DecodeProgress decode_into(std::span<const uint8_t> stream, CodecConfig config,
                           std::span<uint32_t> out, const Implementation& implementation) {
  check(config);
  return decode_bytes(stream, config, reinterpret_cast<uint8_t*>(out.data()),
                      out.size() / kGroupValues, implementation);
}

DecodeProgress decode_into(std::span<const uint8_t> stream, CodecConfig config,
                           std::span<float> out, const Implementation& implementation) {
  check(config);
  return decode_bytes(stream, config, reinterpret_cast<uint8_t*>(out.data()),
                      out.size() / kGroupValues, implementation);
}

DecodeResult decode(std::span<const uint8_t> stream, CodecConfig config,
                    const Implementation& implementation) {
  check(config);
  DecodeResult result;
  std::array<uint32_t, kChunkGroups * kGroupValues> chunk;
  while (result.consumed < stream.size() && !result.error) {
    DecodeProgress progress =
        decode_into(stream.subspan(result.consumed), config, chunk, implementation);
    result.values.insert(result.values.end(), chunk.begin(),
                         chunk.begin() + static_cast<std::ptrdiff_t>(progress.values));
    result.consumed += progress.consumed;
    if (progress.error) result.error = truncation(stream, result.consumed);
  }
  return result;
}

}  // namespace gw::reference
