// The AXI4-Stream beat that every layer exchanges: harness, models, RTL adapters.
//
// Shape: 256-bit tdata as eight 32-bit lanes, lane i = tdata[32i+31:32i] = bytes 4i..4i+3 in stream
// order (little-endian floats); tkeep one bit a byte; tuser set on the tlast beat of a bad packet.
// Between the blocks of the switch, tuser is 192 bits wide and says what the frame is: `meta`
// (docs/devices/parser.md), the same in every beat of a frame; elsewhere it is zero.
// This header knows nobody, so that the layers which share it stay independent of each other.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

namespace gw {

inline constexpr int kLanes = 8;       // binary32 values per beat
inline constexpr int kBeatBytes = 32;  // bytes per beat
inline constexpr uint32_t kKeepAll = 0xFFFFFFFFu;

/// One transfer on a 256-bit AXI4-Stream.
struct alignas(32) Beat {
  std::array<uint32_t, kLanes> data{};
  uint32_t keep = kKeepAll;
  uint8_t last = 0;  // 0 or 1
  uint8_t user = 0;  // 0 or 1, meaningful with last: the packet is in error
  std::array<uint32_t, 6> meta{};

  friend bool operator==(const Beat&, const Beat&) = default;
};

/// tkeep of a beat whose first `bytes` bytes (0..32) are valid.
constexpr uint32_t keep_of_bytes(int bytes) { return Beat::keep_of(bytes); }

/// Number of valid bytes in a contiguous tkeep.
constexpr int bytes_of_keep(uint64_t keep) { return std::popcount(keep); }

}  // namespace gw
