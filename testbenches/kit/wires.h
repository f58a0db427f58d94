// The wires that the devices are meant for, and that their figures are held against.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "sim/harness/port.h"

namespace gw::testbenches {

/// 10GbE, for frames without FCS.
inline constexpr sim::Wire kTenGbe = sim::ethernet(10);

/// The same for payloads: a packet is what a TCP segment carries, its frame has headers of 54 bytes
/// (Ethernet 14, IPv4 20, TCP 20), is padded to 60 and costs 24 more.
inline constexpr sim::Wire kTenGbeSegments = {.gbps = 10, .before = 62, .after = 16, .least = 84};

/// What a frame takes of 10GbE, in tenths of a nanosecond: 8 a byte, exactly.
constexpr int64_t wire_tenths(size_t bytes) {
  return static_cast<int64_t>(kTenGbe.bytes(bytes)) * 8;
}

}  // namespace gw::testbenches
