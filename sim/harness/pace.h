// A MAC at a line rate: when a beat has arrived, how long a packet holds the wire.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstdint>

#include "sim/harness/port.h"

namespace gw::sim {

struct Pace {
  double clock_mhz = 0;  ///< 0: as fast as the device takes and gives
  Wire wire = {};

  double byte_ns() const { return 8 / wire.gbps; }
  /// The first cycle in which the MAC can offer a beat: its last byte, byte `end` of a frame whose
  /// preamble begins at time_ns, has arrived; cycle 0 if that was before it.
  uint64_t arrival(int64_t time_ns, uint64_t end) const {
    const double ns =
        static_cast<double>(time_ns) + static_cast<double>(wire.before + end) * byte_ns();
    return ns <= 0 ? 0 : static_cast<uint64_t>(std::ceil(ns * (clock_mhz * 1e-3)));
  }
  /// Cycles for which a frame of so many bytes, without FCS, holds the wire.
  double cycles(uint64_t bytes) const {
    return byte_ns() * clock_mhz * 1e-3 * static_cast<double>(wire.bytes(bytes));
  }
};

}  // namespace gw::sim
