// The streams of nic_tx, nic_rx and nic (docs/devices).
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
struct NicTxPorts : NicStreams {};
struct NicRxPorts : NicStreams {};

}  // namespace gw::testbenches
