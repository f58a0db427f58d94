// The gradient codec of one group: eight floats in, 2 to 34 bytes out,
// and back (spec/codec.md 1, 2).
//
// Eight lanes at a time in GCC vector types, so that one source serves every CPU: the compiler maps
// a line to one AVX-512 instruction or to a loop. Written for the cycle models alone, apart from
// models/reference, because the harness wants independent opinions.
//
// Both directions rest on one view of a payload: HALF and BYTE are sign and magnitude in fixed
// point below the ceiling of their class, 15 or 7 fraction bits long. With BYTE's seven bits held
// in the upper byte of the same 16-bit word, the two classes differ only in where the ceiling is.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>

#include "models/axis/beat.h"

static_assert(std::endian::native == std::endian::little, "streams are little-endian byte strings");

// Vectors are handed over between inline functions only; their calling
// convention is nobody's concern.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpsabi"

namespace gw::systemc {

/// The register that selects the codec (pins bound_i and bounded_i).
struct CodecConfig {
  uint8_t bound = 10;   // k of the error bound 2^-k, 1..14
  bool bounded = true;  // mode `bounded`, else mode `paper`

  friend bool operator==(const CodecConfig&, const CodecConfig&) = default;
};

inline constexpr int kMinBound = 1;
inline constexpr int kMaxBound = 14;
inline constexpr int kMaxPins = 15;  // and the least is 0: no bounds, but the pins can show them
inline constexpr int kTagBytes = 2;
inline constexpr int kMaxGroupBytes = kTagBytes + kLanes * 4;

using Words = uint32_t __attribute__((vector_size(32)));      // one word a lane
using Integers = int32_t __attribute__((vector_size(32)));    // the same, signed; also lane masks
using Floats = float __attribute__((vector_size(32)));        // the same, as numbers
using HalfWords = uint32_t __attribute__((vector_size(16)));  // the words of four lanes
using HalfBytes = uint8_t __attribute__((vector_size(16)));   // the bytes of four lanes

/// Four lanes' part of a group: where each byte goes, by the four lanes' tags (8 bits).
struct HalfGroupTable {
  std::array<std::array<uint8_t, 16>, 256> pack;    // payload byte -> byte of the lanes' words
  std::array<std::array<uint8_t, 16>, 256> unpack;  // byte of the lanes' words -> payload byte
  std::array<uint8_t, 256> bytes;                   // payload bytes
};
extern const HalfGroupTable kHalfGroup;

/// Encoded length in bytes, 2..34, of a group with these tags.
inline int group_bytes(uint32_t tags) {
  return kTagBytes + kHalfGroup.bytes[tags & 0xFF] + kHalfGroup.bytes[tags >> 8];
}

class GroupCodec {
 public:
  explicit GroupCodec(CodecConfig config = {}) { configure(config); }

  /// Aborts if the bound is not in 0..15: whoever takes it from a user refuses it before.
  void configure(CodecConfig config);
  const CodecConfig& config() const { return config_; }

  /// Encodes the lanes to `group`, which has room for kMaxGroupBytes; returns the length. What lies
  /// after the length is scratch and may be overwritten.
  int encode(const Words& lanes, uint8_t* group) const;

  /// Decodes a group whose tag word is `tags`. Reads, but does not use, bytes
  /// of `group` up to kMaxGroupBytes.
  void decode(const uint8_t* group, uint32_t tags, std::array<uint32_t, kLanes>& lanes) const;

  /// What decode() gives back of encode(`lanes`), without the bytes in between.
  Words received(const Words& lanes) const;

 private:
  struct Classified {
    Integers above_zero, above_byte, above_half;  // lane masks
    Words fixed;  // sign and magnitude below the class's ceiling, of BYTE and HALF
  };
  Classified classify(const Words& lanes) const;
  /// The numbers that sign and magnitude stand for.
  Words value_of(const Words& fixed, const Words& is_byte) const;
  static HalfBytes shuffle(const HalfBytes& bytes, const std::array<uint8_t, 16>& select);

  CodecConfig config_;
  int32_t byte_exponent_ = 0;  // B: biased exponents from here on are BYTE
  int32_t half_exponent_ = 0;  // T: from here on HALF
  int32_t byte_ceiling_ = 0;   // biased exponent of the number BYTE's fraction bits start below
  float half_step_ = 0;        // weight of the lowest of 15 fraction bits in HALF
  float byte_step_ = 0;        // and in BYTE
};

inline HalfBytes GroupCodec::shuffle(const HalfBytes& bytes,
                                     const std::array<uint8_t, 16>& select) {
  HalfBytes index;
  std::memcpy(&index, select.data(), sizeof index);
#ifdef __clang__  // has no shuffle by a variable
  HalfBytes out;
  for (int i = 0; i < 16; ++i) out[i] = bytes[index[i]];
  return out;
#else
  return __builtin_shuffle(bytes, index);
#endif
}

inline GroupCodec::Classified GroupCodec::classify(const Words& lanes) const {
  // A comparison is 0 or -1 (all ones).
  const Integers exponent = (Integers)((lanes >> 23) & 0xFF);
  const Integers above_zero = exponent >= byte_exponent_;
  const Integers above_byte = exponent >= half_exponent_;
  const Integers above_half = exponent >= 127;

  // Align the magnitude below the class's ceiling. Lanes of other classes shift by nonsense, kept
  // in range only for the language's sake.
  const Integers ceiling = (above_byte & (127 - byte_ceiling_)) + byte_ceiling_;
  const Words shift = (Words)(ceiling - exponent) & 31;
  const Words magnitude = ((lanes & 0x7FFFFF) | 0x800000) >> shift;
  const Words fixed = ((lanes >> 16) & 0x8000) | ((magnitude >> 8) & 0x7FFF);
  return {above_zero, above_byte, above_half, fixed};
}

inline Words GroupCodec::value_of(const Words& fixed, const Words& is_byte) const {
  // A fixed-point magnitude times the weight of its lowest bit is the number, exactly:
  // 15 bits fit a float's significand, and so zero needs no case of its own. (Algorithm
  // 3 finds the leading one.)
  const Floats count = __builtin_convertvector((Integers)(fixed & 0x7FFF), Floats);
  const auto half_step = std::bit_cast<uint32_t>(half_step_);
  const auto byte_step = std::bit_cast<uint32_t>(byte_step_);
  const auto step = (Floats)((is_byte & byte_step) | (~is_byte & half_step));
  return (Words)(count * step) | ((fixed & 0x8000) << 16);
}

inline Words GroupCodec::received(const Words& lanes) const {
  const Classified c = classify(lanes);
  const auto is_raw = (Words)c.above_half;
  const auto is_half = (Words)(c.above_byte & ~c.above_half);
  const auto is_byte = (Words)(c.above_zero & ~c.above_byte);
  return (lanes & is_raw) | value_of(c.fixed & ((is_byte & 0xFF00) | (is_half & 0xFFFF)), is_byte);
}

inline int GroupCodec::encode(const Words& lanes, uint8_t* group) const {
  const auto [above_zero, above_byte, above_half, fixed] = classify(lanes);
  // Three comparisons add up to minus the tag.
  const Words tag = (Words)(-(above_zero + above_byte + above_half));
  const Words payload = (lanes & (Words)above_half) | (fixed & ~(Words)above_half);

  // Gather the tags: lane i's in bits 2i+1:2i.
  const Words spread = tag << Words{0, 2, 4, 6, 8, 10, 12, 14};
  using Quads = uint64_t __attribute__((vector_size(32)));
  const Quads quads = (Quads)spread;
  const uint64_t low = quads[0] | quads[1];   // lanes 0..3: bits 7:0
  const uint64_t high = quads[2] | quads[3];  // lanes 4..7: bits 15:8
  const auto low_tags = static_cast<uint32_t>(low | low >> 32);
  const auto high_tags = static_cast<uint32_t>(high | high >> 32);

  // Concatenate: tags, four lanes, four lanes. Each store's unused end is overwritten by the next.
  const auto low_payload = (HalfBytes)__builtin_shufflevector(payload, payload, 0, 1, 2, 3);
  const auto high_payload = (HalfBytes)__builtin_shufflevector(payload, payload, 4, 5, 6, 7);
  const HalfBytes low_packed = shuffle(low_payload, kHalfGroup.pack[low_tags]);
  const HalfBytes high_packed = shuffle(high_payload, kHalfGroup.pack[high_tags >> 8]);
  const int high_at = kTagBytes + kHalfGroup.bytes[low_tags];
  const auto tags = static_cast<uint16_t>(low_tags | high_tags);
  std::memcpy(group, &tags, kTagBytes);
  std::memcpy(group + kTagBytes, &low_packed, sizeof low_packed);
  std::memcpy(group + high_at, &high_packed, sizeof high_packed);
  return high_at + kHalfGroup.bytes[high_tags >> 8];
}

inline void GroupCodec::decode(const uint8_t* group, uint32_t tags,
                               std::array<uint32_t, kLanes>& lanes) const {
  // Bring each lane's payload home: BYTE to byte 1 of its word, HALF to bytes 1:0, RAW to 3:0.
  HalfBytes low, high;
  std::memcpy(&low, group + kTagBytes, sizeof low);
  std::memcpy(&high, group + kTagBytes + kHalfGroup.bytes[tags & 0xFF], sizeof high);
  const auto low_words = (HalfWords)shuffle(low, kHalfGroup.unpack[tags & 0xFF]);
  const auto high_words = (HalfWords)shuffle(high, kHalfGroup.unpack[tags >> 8]);
  const Words word = __builtin_shufflevector(low_words, high_words, 0, 1, 2, 3, 4, 5, 6, 7);

  // Blank the bytes that the shuffle filled from elsewhere.
  const Words tag = ((Words{} + tags) >> Words{0, 2, 4, 6, 8, 10, 12, 14}) & 3;
  const auto is_byte = (Words)(tag == 1);
  const auto is_half = (Words)(tag == 2);
  const auto is_raw = (Words)(tag == 3);
  const Words fixed = word & ((is_byte & 0xFF00) | (is_half & 0xFFFF));

  // The number is +0 in RAW and ZERO lanes.
  const Words value = (word & is_raw) | value_of(fixed, is_byte);
  std::memcpy(lanes.data(), &value, sizeof value);
}

}  // namespace gw::systemc

#pragma GCC diagnostic pop
