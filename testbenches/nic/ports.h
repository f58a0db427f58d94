// The streams of nic_tx, nic_rx and nic (docs/devices).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include "models/axis/beat.h"
#include "sim/harness/port.h"

namespace gw::testbenches {

/// Both directions have a stream each way. A frame that came with a last beat without a byte leaves
/// with one, if it leaves as it came; and one that nic_rx could not reconstruct ends in error
/// behind its last whole group, perhaps with such a beat.
struct NicStreams {
  using Beat = gw::Beat;
  static constexpr std::array<sim::Port, 1> kInputs = {{{.name = "s_axis", .bundle = "s_axis"}}};
  static constexpr std::array<sim::Port, 1> kOutputs = {
      {{.name = "m_axis", .bundle = "m_axis", .empty_last = true}}};
  static constexpr uint64_t kEvents = 0;
  static constexpr uint64_t kSettles = 0;  // never without input while there is any
};
struct NicTxPorts : NicStreams {
  static constexpr std::array<sim::Pin, 11> kPinsOfPacket = {{{"mark_i", 8},
                                                              {"mark_mask_i", 8},
                                                              {"grid_i", 1},
                                                              {"bound_i", 4},
                                                              {"bounded_i", 1},
                                                              {"protocol_tcp_i", 8},
                                                              {"protocol_udp_i", 8},
                                                              {"forget_i", 1},
                                                              {"forget_key_i", 32},
                                                              {"forget_key_i", 32, 32},
                                                              {"forget_key_i", 32, 64}}};
};
struct NicRxPorts : NicStreams {
  static constexpr std::array<sim::Pin, 2> kPinsOfPacket = {
      {{"protocol_tcp_i", 8}, {"protocol_udp_i", 8}}};
  static constexpr std::array<sim::Pin, 2> kPinsOfProbe = {
      {{"forget_o", 1}, {"forget_key_o", 96, 0, "forget_o"}}};
  static constexpr uint64_t kEvents = 1;  // forget_o
};
/// Both: a frame's configuration is nic_tx's, nic_rx has the same with each.
struct NicPorts : NicStreams {
  static constexpr auto kPinsOfPacket = NicTxPorts::kPinsOfPacket;
};

}  // namespace gw::testbenches
