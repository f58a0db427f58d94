// The AXI4-Stream beat that every layer exchanges: harness, models, compiled RTL.
//
// Shape: tdata of 256 bits (or 64, 128, 512) as eight (two, four, sixteen) 32-bit lanes, lane i =
// tdata[32i+31:32i] = bytes 4i..4i+3 in stream order (little-endian floats); tkeep one bit a byte;
// tuser set on the tlast beat of a bad packet. A tuser of more bits than one is in `meta`, bit 0
// first: between the blocks of the switch 192 bits that say what the frame is
// (docs/devices/parser.md), the same in every beat of a frame; into the quantisers 53
// (docs/devices/mx.md). Elsewhere it is zero. This header knows nobody, so that the layers which
// share it stay independent of each other.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <type_traits>

namespace gw {

inline constexpr int kLanes = 8;       // binary32 values per beat
inline constexpr int kBeatBytes = 32;  // bytes per beat
inline constexpr uint32_t kKeepAll = 0xFFFFFFFFu;

/// One transfer on an AXI4-Stream of kWidth lanes of 32 bits.
template <int kWidth>
struct alignas(32) BasicBeat {
  static_assert(kWidth == 2 || kWidth == 4 || kWidth == 8 || kWidth == 16);
  using Keep = std::conditional_t<kWidth == 16, uint64_t, uint32_t>;  // bit i: byte i
  static constexpr int kBytes = 4 * kWidth;
  static constexpr Keep kWhole = static_cast<Keep>(~uint64_t{0} >> (64 - kBytes));

  std::array<uint32_t, kWidth> data{};
  Keep keep = kWhole;
  uint16_t last = 0;  // 0 or 1; so wide that no byte of a beat lies idle
  uint16_t user = 0;  // 0 or 1, meaningful with last: the packet is in error
  std::array<uint32_t, 6> meta{};

  /// A tuser of 2 to 64 bits as one word.
  constexpr uint64_t user_word() const { return meta[0] | uint64_t{meta[1]} << 32; }
  constexpr void set_user_word(uint64_t word) {
    meta[0] = static_cast<uint32_t>(word);
    meta[1] = static_cast<uint32_t>(word >> 32);
  }

  /// tkeep of a beat whose first `bytes` bytes (0..kBytes) are valid.
  static constexpr Keep keep_of(int bytes) {
    return bytes >= kBytes ? kWhole : (Keep{1} << bytes) - 1;
  }

  friend bool operator==(const BasicBeat&, const BasicBeat&) = default;
};

/// The 256-bit beat of all devices but those for 100GbE.
using Beat = BasicBeat<kLanes>;

/// tkeep of a beat of 256 bits whose first `bytes` bytes (0..32) are valid.
constexpr uint32_t keep_of_bytes(int bytes) { return Beat::keep_of(bytes); }

/// Number of valid bytes in a contiguous tkeep.
constexpr int bytes_of_keep(uint64_t keep) { return std::popcount(keep); }

/// Bytes of a beat that count, as the devices look at them, whatever tkeep is: all before the
/// tlast beat; of that one those below the lowest zero.
template <int kWidth>
constexpr int valid_bytes(const BasicBeat<kWidth>& beat) {
  return beat.last == 0 ? BasicBeat<kWidth>::kBytes : std::countr_one(beat.keep);
}

}  // namespace gw
