// A MAC at a line rate: when a beat has arrived, how long a packet holds the wire.
#pragma once

#include <cmath>
#include <cstdint>

namespace gw::sim {

/// Bytes a frame costs on the wire beyond its own without FCS: preamble 8, FCS 4, gap 12.
inline constexpr uint64_t kWireOverheadBytes = 24;
inline constexpr uint64_t kPreambleBytes = 8;
/// 10GbE.
inline constexpr double kLineRateGbps = 10;

struct Pace {
  double clock_mhz = 200;
  double gbps = kLineRateGbps;

  double byte_ns() const { return 8 / gbps; }
  /// The first cycle in which the MAC can offer a beat: its last byte, byte `end` of a frame whose
  /// preamble begins at time_ns, has arrived; cycle 0 if that was before it.
  uint64_t arrival(int64_t time_ns, uint64_t end) const {
    const double ns =
        static_cast<double>(time_ns) + static_cast<double>(kPreambleBytes + end) * byte_ns();
    return ns <= 0 ? 0 : static_cast<uint64_t>(std::ceil(ns * (clock_mhz * 1e-3)));
  }
  /// Cycles for which a frame of so many bytes, without FCS, holds the wire.
  double cycles(uint64_t bytes) const {
    return byte_ns() * clock_mhz * 1e-3 * static_cast<double>(bytes + kWireOverheadBytes);
  }
};

}  // namespace gw::sim
