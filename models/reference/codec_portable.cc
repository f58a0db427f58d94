// The codec in plain C++ with few branches, for CPUs without the vector extensions: per group one
// loop over the lanes that compilers vectorise, and one that moves the bytes.
#include <bit>
#include <cstring>

#include "models/reference/codec_kernels.h"

namespace gw::reference::internal {
namespace {

uint32_t load32(const uint8_t* from) {
  uint32_t word;
  std::memcpy(&word, from, sizeof word);
  return word;
}

size_t portable_encode(const uint8_t* values, size_t groups, CodecConfig config, uint8_t* out) {
  const Parameters p = parameters(config);
  const auto byte_scale = std::bit_cast<uint32_t>(p.byte_scale);
  const uint32_t half_or_byte_scale = byte_scale ^ std::bit_cast<uint32_t>(p.half_scale);
  uint8_t* to = out;
  for (size_t g = 0; g < groups; ++g, values += 4 * kGroupValues) {
    std::array<uint32_t, kGroupValues> tag;
    std::array<uint32_t, kGroupValues> lane;  // the payload, top-aligned
    for (size_t i = 0; i < kGroupValues; ++i) {
      const uint32_t bits = load32(values + 4 * i);
      const uint32_t magnitude = bits & 0x7FFFFFFF;
      // Masks instead of conditions: compilers vectorise this.
      const uint32_t from_byte = -uint32_t{magnitude >= p.byte_from};
      const uint32_t from_half = -uint32_t{magnitude >= p.half_from};
      const uint32_t from_raw = -uint32_t{magnitude >= p.raw_from};
      const float scale = std::bit_cast<float>(byte_scale ^ (from_half & half_or_byte_scale));
      const float scaled = std::bit_cast<float>(magnitude & from_byte & ~from_raw) * scale;
      const auto fraction = static_cast<uint32_t>(static_cast<int32_t>(scaled));
      tag[i] = -(from_byte + from_half + from_raw);
      lane[i] = fraction | (bits & (0x80000000u | from_raw));
    }
    uint32_t tags = 0;
    uint8_t* payload = to + kTagBytes;
    for (size_t i = 0; i < kGroupValues; ++i) {
      const int bytes = kPayloadBytes[tag[i]];
      const auto word = static_cast<uint32_t>(uint64_t{lane[i]} >> (32 - 8 * bytes));
      std::memcpy(payload, &word, sizeof word);
      payload += bytes;
      tags |= tag[i] << (2 * i);
    }
    const auto tags16 = static_cast<uint16_t>(tags);
    std::memcpy(to, &tags16, sizeof tags16);
    to = payload;
  }
  return static_cast<size_t>(to - out);
}

Consumed portable_decode(const uint8_t* in, size_t size, size_t readable, CodecConfig config,
                         uint8_t* out, size_t max_groups) {
  const Parameters p = parameters(config);
  Consumed done;
  while (done.groups < max_groups && done.bytes + kReach <= readable) {
    const uint8_t* from = in + done.bytes;
    const size_t low_tags = from[0];
    const size_t high_tags = from[1];
    const size_t bytes = kTagBytes + size_t{kQuadBytes[low_tags]} + kQuadBytes[high_tags];
    if (done.bytes + bytes > size) break;

    const size_t tags = low_tags | high_tags << 8;
    std::array<uint32_t, kGroupValues> lane;
    const uint8_t* payload = from + kTagBytes;
    for (size_t i = 0; i < kGroupValues; ++i) {
      const int length = kPayloadBytes[tags >> (2 * i) & 3];
      lane[i] = static_cast<uint32_t>(uint64_t{load32(payload)} << (32 - 8 * length));
      payload += length;
    }
    for (size_t i = 0; i < kGroupValues; ++i) {
      const size_t tag = tags >> (2 * i) & 3;
      const auto fraction = static_cast<float>(static_cast<int32_t>(lane[i] & 0x7FFFFFFF));
      lane[i] = std::bit_cast<uint32_t>(fraction * p.scale[tag]) | (lane[i] & p.keep[tag]);
    }
    std::memcpy(out + done.groups * sizeof lane, lane.data(), sizeof lane);
    done.bytes += bytes;
    ++done.groups;
  }
  return done;
}

}  // namespace

const Kernels kPortableKernels = {portable_encode, portable_decode};

}  // namespace gw::reference::internal
