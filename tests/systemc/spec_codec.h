// A transcription of spec/codec.md for the tests: one value and one group at a time, no tricks. It
// shares nothing with the models but the types, so that agreement means something.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "models/systemc/group_codec.h"

namespace gw::systemc::spec {

enum Tag { kZero = 0, kByte = 1, kHalf = 2, kRaw = 3 };

inline constexpr std::array<int, 4> kPayloadBytes = {0, 1, 2, 4};

struct Value {
  Tag tag;
  uint32_t payload;
};

inline int threshold(int k) {  // T
  const int B = 127 - k;
  return B + (k + 1) / 2;  // ceil((127 - B) / 2)
}

inline Value encode(uint32_t f, CodecConfig config) {
  const uint32_t s = f >> 31;
  const int e = (f >> 23) & 0xFF;
  const uint32_t m = f & 0x7FFFFF;
  const int B = 127 - config.bound;
  const int T = threshold(config.bound);
  if (e >= 127) return {kRaw, f};
  if (e < B) return {kZero, 0};
  if (e >= T) {
    const uint32_t sh = (0x800000 | m) >> (127 - e);
    return {kHalf, s << 15 | ((sh >> 8) & 0x7FFF)};
  }
  const uint32_t sh = (0x800000 | m) >> ((config.bounded ? T : 127) - e);
  return {kByte, s << 7 | ((sh >> 16) & 0x7F)};
}

inline uint32_t decode(Value v, CodecConfig config) {
  if (v.tag == kRaw) return v.payload;
  if (v.tag == kZero) return 0;
  const int width = v.tag == kHalf ? 15 : 7;
  const int top = v.tag == kByte && config.bounded ? threshold(config.bound) : 127;
  const uint32_t sign = v.payload >> width << 31;
  for (int n = 1; n <= width; ++n) {  // n-th bit from the MSB of the magnitude
    const int bit = width - n;
    if ((v.payload >> bit & 1) == 0) continue;
    const uint32_t rest = v.payload & ((1u << bit) - 1);
    return sign | static_cast<uint32_t>(top - n) << 23 | rest << (23 - bit);
  }
  return sign;
}

using Lanes = std::array<uint32_t, kLanes>;

inline std::vector<uint8_t> encode_group(const Lanes& lanes, CodecConfig config) {
  std::vector<uint8_t> bytes(2);
  for (int i = 0; i < kLanes; ++i) {
    const Value v = encode(lanes[i], config);
    bytes[i / 4] |= static_cast<uint8_t>(v.tag << (2 * (i % 4)));
    for (int b = 0; b < kPayloadBytes[v.tag]; ++b) bytes.push_back(v.payload >> (8 * b) & 0xFF);
  }
  return bytes;
}

inline int group_length(uint8_t tags_low, uint8_t tags_high) {
  int length = 2;
  for (int i = 0; i < 4; ++i) {
    length += kPayloadBytes[tags_low >> (2 * i) & 3] + kPayloadBytes[tags_high >> (2 * i) & 3];
  }
  return length;
}

inline Lanes decode_group(const uint8_t* bytes, CodecConfig config) {
  Lanes lanes{};
  int at = 2;
  for (int i = 0; i < kLanes; ++i) {
    const Tag tag = static_cast<Tag>(bytes[i / 4] >> (2 * (i % 4)) & 3);
    uint32_t payload = 0;
    for (int b = 0; b < kPayloadBytes[tag]; ++b) payload |= uint32_t{bytes[at++]} << (8 * b);
    lanes[i] = decode({tag, payload}, config);
  }
  return lanes;
}

}  // namespace gw::systemc::spec
