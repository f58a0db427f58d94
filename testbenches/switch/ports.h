// The ports of parser, aggregator, optimizer and switch (docs/devices).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "models/axis/beat.h"
#include "sim/harness/port.h"
#include "testbenches/kit/wires.h"

namespace gw::testbenches {

/// One stream in, with the port that a frame came in by; one out, with what the frame is.
struct FramePorts {
  using Beat = gw::Beat;
  static constexpr std::array<sim::Port, 1> kInputs = {
      {{.name = "s_axis", .bundle = "s_axis", .user_bits = 2}}};
  static constexpr std::array<sim::Port, 1> kOutputs = {
      {{.name = "m_axis", .bundle = "m_axis", .user_bits = 192}}};
  static constexpr uint64_t kEvents = 0;
  static constexpr uint64_t kSettles = 0;  // without a pace there is no silence to skip
};
using ParserPorts = FramePorts;
using AggregatorPorts = FramePorts;
using OptimizerPorts = FramePorts;

/// Four 10GbE MACs.
struct SwitchPorts {
  using Beat = gw::Beat;
  static constexpr size_t kPorts = 4;
  static constexpr auto kInputs = sim::flat_ports<kPorts>(
      {"s_axis0", "s_axis1", "s_axis2", "s_axis3"}, "s_axis", /*user_bits=*/1, kTenGbe);
  static constexpr auto kOutputs = sim::flat_ports<kPorts>(
      {"m_axis0", "m_axis1", "m_axis2", "m_axis3"}, "m_axis", /*user_bits=*/0, kTenGbe);
  static constexpr uint64_t kEvents = 0x7'FFFF;  // event_o
  /// Behind the last event nothing of a frame is left but what lies between arbiter and output
  /// queues: the rest of a jumbo frame (283 beats) and what parser, aggregation and optimization
  /// hold (64, 32, 256), each beat delayed at most eight cycles by the interlock of one sequence
  /// number's frames of three beats (8/3), and the array's latency (194) and Adam's registers (24).
  /// Frames that are computed on and then filtered take longer: SwitchOracle::busy().
  static constexpr uint64_t kSettles = 2048;
};

/// event_o.
namespace event {
inline constexpr uint64_t kServed = 1;
constexpr size_t served_port(uint64_t events) { return events >> 1 & 3; }
constexpr bool rx_committed(uint64_t events, size_t port) {
  return (events >> (3 + port) & 1) != 0;
}
constexpr bool rx_dropped(uint64_t events, size_t port) { return (events >> (7 + port) & 1) != 0; }
constexpr bool tx_committed(uint64_t events, size_t port) {
  return (events >> (11 + port) & 1) != 0;
}
constexpr bool tx_dropped(uint64_t events, size_t port) { return (events >> (15 + port) & 1) != 0; }
}  // namespace event

}  // namespace gw::testbenches
