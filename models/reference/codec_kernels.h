// Internal to the reference codec: the contract between the stream functions of codec.cc and the
// implementations that do the work, and the tables these share.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "models/reference/codec.h"

namespace gw::reference::internal {

static_assert(std::endian::native == std::endian::little, "streams are read as native words");

/// How far past the first byte of a group a decode kernel may read, whatever the group's size.
inline constexpr size_t kReach = 130;

struct Consumed {
  size_t bytes = 0;
  size_t groups = 0;
};

struct Kernels {
  /// Encodes `groups` whole groups of values; returns the bytes written. May write (scratch) up to
  /// kMaxGroupBytes past the start of every group, nothing beyond.
  size_t (*encode)(const uint8_t* values, size_t groups, CodecConfig config, uint8_t* out);

  /// Decodes groups until the next is not complete within `size` bytes, `max_groups` are done, or
  /// fewer than kReach bytes are readable from its start. `readable` >= `size` bytes may be read;
  /// what is beyond `size` has no influence. Writes exactly 32 bytes per group.
  Consumed (*decode)(const uint8_t* in, size_t size, size_t readable, CodecConfig config,
                     uint8_t* out, size_t max_groups);
};

extern const Kernels kPortableKernels;
#if defined(__x86_64__)
extern const Kernels kAvx2Kernels;
extern const Kernels kAvx512Kernels;
bool cpu_has_avx2();
bool cpu_has_avx512();
#endif

// The fast implementations hold a payload in the top bytes of its 32-bit lane. There it is a sign
// in bit 31 and, below it, the binary fraction |f| / 2^(top - 127) cut off after 7 or 15 bits, with
// the class's `top` of the codec page. So a BYTE or HALF lane is |f| times a power of two,
// converted to an integer towards zero, and the way back is the exact conversion and the inverse
// power of two. The lanes of the other classes are kept out of that arithmetic: no overflow, no
// slow subnormals.

struct Parameters {
  uint32_t byte_from;  // |f| as bits at which BYTE, HALF and RAW begin
  uint32_t half_from;
  uint32_t raw_from;
  float byte_scale;  // 2^31 / 2^(top - 127), from |f| to lane
  float half_scale;
  std::array<float, 4> scale;    // by tag: from lane to |f|; none for ZERO and RAW
  std::array<uint32_t, 4> keep;  // by tag: lane bits that go to the value as they are
};

constexpr float power_of_two(int exponent) {
  return std::bit_cast<float>(static_cast<uint32_t>(exponent + 127) << 23);
}

constexpr Parameters parameters(CodecConfig config) {
  const int byte_top = config.mode == Mode::kBounded ? config.half_from() : 127;
  const int half_top = 127;
  Parameters p{};
  p.byte_from = static_cast<uint32_t>(config.byte_from()) << 23;
  p.half_from = static_cast<uint32_t>(config.half_from()) << 23;
  p.raw_from = 127u << 23;
  p.byte_scale = power_of_two(31 - (byte_top - 127));
  p.half_scale = power_of_two(31 - (half_top - 127));
  p.scale = {0.0f, 1 / p.byte_scale, 1 / p.half_scale, 0.0f};
  p.keep = {0, 0x80000000u, 0x80000000u, 0xFFFFFFFFu};
  return p;
}

/// Payload bytes of four lanes, by their eight tag bits.
inline constexpr std::array<uint8_t, 256> kQuadBytes = [] {
  std::array<uint8_t, 256> bytes{};
  for (size_t tags = 0; tags < 256; ++tags) {
    for (int lane = 0; lane < 4; ++lane) {
      bytes[tags] = static_cast<uint8_t>(bytes[tags] + kPayloadBytes[tags >> (2 * lane) & 3]);
    }
  }
  return bytes;
}();

/// Byte shuffles (pshufb controls; 0x80 gives a zero byte), by the eight tag bits of four lanes.
struct alignas(64) ShuffleTable {
  std::array<std::array<uint8_t, 16>, 256> control;
};

/// Lanes with top-aligned payloads -> the payloads one after the other.
inline constexpr ShuffleTable kPack = [] {
  ShuffleTable table{};
  for (size_t tags = 0; tags < 256; ++tags) {
    auto& control = table.control[tags];
    control.fill(0x80);
    size_t to = 0;
    for (int lane = 0; lane < 4; ++lane) {
      const int bytes = kPayloadBytes[tags >> (2 * lane) & 3];
      for (int i = 4 - bytes; i < 4; ++i) control[to++] = static_cast<uint8_t>(4 * lane + i);
    }
  }
  return table;
}();

/// The payloads one after the other -> lanes with top-aligned payloads.
inline constexpr ShuffleTable kUnpack = [] {
  ShuffleTable table{};
  for (size_t tags = 0; tags < 256; ++tags) {
    auto& control = table.control[tags];
    control.fill(0x80);
    uint8_t from = 0;
    for (size_t lane = 0; lane < 4; ++lane) {
      const size_t bytes = static_cast<size_t>(kPayloadBytes[tags >> (2 * lane) & 3]);
      for (size_t i = 4 - bytes; i < 4; ++i) control[4 * lane + i] = from++;
    }
  }
  return table;
}();

}  // namespace gw::reference::internal
