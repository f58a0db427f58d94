// The streams of the quantisers (docs/devices/mx.md) and of their decoder.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include "models/axis/beat.h"
#include "sim/harness/port.h"

namespace gw::testbenches {

/// Fields of a chunk's tuser: Beat::user_word().
struct ChunkUser {
  static constexpr int kBits = 53;
  static constexpr int kCountBit = 32, kErrorBit = 52;
  static constexpr uint32_t kRowMask = 0xFF'FFFF, kCountMask = 0xF'FFFF;

  static constexpr uint64_t word(uint32_t row, uint32_t n) {
    return (row & kRowMask) | uint64_t{n & kCountMask} << kCountBit;
  }
  /// Of a first beat.
  static constexpr uint32_t row(const Beat& beat) { return beat.meta[0] & kRowMask; }
  static constexpr uint32_t count(const Beat& beat) { return beat.meta[1] & kCountMask; }
  /// Of a last one.
  static constexpr bool error(const Beat& beat) { return (beat.user_word() >> kErrorBit & 1) != 0; }
};

/// What all quantisers have: chunks in, packets out.
struct ChunkPorts {
  using Beat = gw::Beat;
  static constexpr std::array<sim::Port, 1> kInputs = {{{.name = "s_axis",
                                                         .bundle = "s_axis",
                                                         .user_bits = ChunkUser::kBits,
                                                         .error_bit = ChunkUser::kErrorBit}}};
  static constexpr std::array<sim::Port, 1> kOutputs = {{{.name = "m_axis", .bundle = "m_axis"}}};
  static constexpr uint64_t kEvents = 0;
  static constexpr uint64_t kSettles = 0;  // never without input while there is any
  /// raw_count_o, error_count_o.
  static constexpr size_t kCountersInProbe = 2;
};

struct MxPorts : ChunkPorts {
  static constexpr std::array<sim::Pin, 3> kPinsOfPacket = {
      {{"format_i", 2}, {"scale_i", 1}, {"residual_i", 1}}};
};

struct ThresholdPorts : ChunkPorts {
  static constexpr std::array<sim::Pin, 4> kPinsOfPacket = {
      {{"method_i", 2}, {"coding_i", 1}, {"threshold_i", 32}, {"residual_i", 1}}};
};

struct OneBitPorts : ChunkPorts {
  static constexpr std::array<sim::Pin, 1> kPinsOfPacket = {{{"residual_i", 1}}};
};

struct AdaptivePorts : ChunkPorts {
  static constexpr std::array<sim::Pin, 3> kPinsOfPacket = {
      {{"p_i", 4}, {"coding_i", 1}, {"residual_i", 1}}};
};

/// Packets in, floats out.
struct DequantizerPorts {
  using Beat = gw::Beat;
  static constexpr std::array<sim::Port, 1> kInputs = {{{.name = "s_axis", .bundle = "s_axis"}}};
  static constexpr std::array<sim::Port, 1> kOutputs = {{{.name = "m_axis", .bundle = "m_axis"}}};
  static constexpr uint64_t kEvents = 0;
  static constexpr uint64_t kSettles = 0;
  /// malformed_count_o, reason by reason, and error_count_o.
  static constexpr size_t kCountersInProbe = 10;
  static constexpr std::array<sim::Pin, 1> kPinsOfPacket = {{{"limit_i", 20}}};
};

}  // namespace gw::testbenches
