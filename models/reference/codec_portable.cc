// The codec in plain C++ with few branches, for CPUs without the vector extensions: over a block of
// groups, one loop over the values that compilers vectorise, and one that moves the bytes.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>
#include <cstring>

#include "models/reference/codec_kernels.h"

namespace gw::reference::internal {
namespace {

constexpr size_t kBlockGroups = 32;
constexpr size_t kBlockValues = kBlockGroups * kGroupValues;

using Words = std::array<uint32_t, kBlockValues>;

uint32_t load32(const uint8_t* from) {
  uint32_t word;
  std::memcpy(&word, from, sizeof word);
  return word;
}

/// Tags and top-aligned payloads of `count` values. Masks instead of conditions, signed comparisons
/// (of magnitudes, never negative) and a count that is not a constant: all for the vectoriser.
void classify(const uint8_t* values, size_t count, const Parameters& p, uint32_t* __restrict tag,
              uint32_t* __restrict lane) {
  const auto byte_from = static_cast<int32_t>(p.byte_from);
  const auto half_from = static_cast<int32_t>(p.half_from);
  const auto raw_from = static_cast<int32_t>(p.raw_from);
  const auto byte_scale = std::bit_cast<uint32_t>(p.byte_scale);
  const uint32_t half_or_byte_scale = byte_scale ^ std::bit_cast<uint32_t>(p.half_scale);
  for (size_t i = 0; i < count; ++i) {
    const uint32_t bits = load32(values + 4 * i);
    const auto magnitude = static_cast<int32_t>(bits & 0x7FFFFFFF);
    const uint32_t from_byte = magnitude >= byte_from ? ~0u : 0u;
    const uint32_t from_half = magnitude >= half_from ? ~0u : 0u;
    const uint32_t from_raw = magnitude >= raw_from ? ~0u : 0u;
    const float scale = std::bit_cast<float>(byte_scale ^ (from_half & half_or_byte_scale));
    const float scaled = std::bit_cast<float>(bits & 0x7FFFFFFF & from_byte & ~from_raw) * scale;
    tag[i] = 0u - (from_byte + from_half + from_raw);
    lane[i] =
        static_cast<uint32_t>(static_cast<int32_t>(scaled)) | (bits & (0x80000000u | from_raw));
  }
}

size_t portable_encode(const uint8_t* values, size_t groups, CodecConfig config, uint8_t* out) {
  const Parameters p = parameters(config);
  Words tag;
  Words lane;
  uint8_t* to = out;
  while (groups != 0) {
    const size_t block = std::min(groups, kBlockGroups);
    classify(values, block * kGroupValues, p, tag.data(), lane.data());
    for (size_t first = 0; first < block * kGroupValues; first += kGroupValues) {
      uint32_t tags = 0;
      uint8_t* payload = to + kTagBytes;
      for (size_t i = 0; i < kGroupValues; ++i) {
        const uint32_t t = tag[first + i];
        const int bytes = kPayloadBytes[t];
        const auto word = static_cast<uint32_t>(uint64_t{lane[first + i]} >> (32 - 8 * bytes));
        std::memcpy(payload, &word, sizeof word);
        payload += bytes;
        tags |= t << (2 * i);
      }
      const auto tags16 = static_cast<uint16_t>(tags);
      std::memcpy(to, &tags16, sizeof tags16);
      to = payload;
    }
    values += block * kGroupValues * sizeof(uint32_t);
    groups -= block;
  }
  return static_cast<size_t>(to - out);
}

/// The values of `count` top-aligned payloads, whose weights and kept bits go by the tag.
void compose(const uint32_t* lane, const float* scale, const uint32_t* keep, size_t count,
             uint8_t* __restrict out) {
  for (size_t i = 0; i < count; ++i) {
    const auto fraction = static_cast<float>(static_cast<int32_t>(lane[i] & 0x7FFFFFFF));
    const uint32_t bits = std::bit_cast<uint32_t>(fraction * scale[i]) | (lane[i] & keep[i]);
    std::memcpy(out + 4 * i, &bits, sizeof bits);
  }
}

Consumed portable_decode(const uint8_t* in, size_t size, size_t readable, CodecConfig config,
                         uint8_t* out, size_t max_groups) {
  const Parameters p = parameters(config);
  Words lane;
  Words keep;
  std::array<float, kBlockValues> scale;
  Consumed done;
  for (bool more = true; more;) {
    size_t count = 0;  // values in the block
    while (true) {
      more = done.groups < max_groups && done.bytes + kReach <= readable;
      if (!more || count == kBlockValues) break;
      const uint8_t* from = in + done.bytes;
      const size_t low_tags = from[0];
      const size_t high_tags = from[1];
      const size_t bytes = kTagBytes + size_t{kQuadBytes[low_tags]} + kQuadBytes[high_tags];
      more = done.bytes + bytes <= size;
      if (!more) break;

      const size_t tags = low_tags | high_tags << 8;
      const uint8_t* payload = from + kTagBytes;
      for (size_t i = 0; i < kGroupValues; ++i) {
        const size_t tag = tags >> (2 * i) & 3;
        const int length = kPayloadBytes[tag];
        lane[count + i] = static_cast<uint32_t>(uint64_t{load32(payload)} << (32 - 8 * length));
        scale[count + i] = p.scale[tag];
        keep[count + i] = p.keep[tag];
        payload += length;
      }
      count += kGroupValues;
      done.bytes += bytes;
      ++done.groups;
    }
    compose(lane.data(), scale.data(), keep.data(), count, out);
    out += count * sizeof(uint32_t);
  }
  return done;
}

}  // namespace

const Kernels kPortableKernels = {portable_encode, portable_decode};

}  // namespace gw::reference::internal
