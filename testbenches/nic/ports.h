// The streams of nic_tx, nic_rx and nic (docs/devices).
#pragma once

#include <array>

#include "models/axis/beat.h"
#include "sim/harness/port.h"

namespace gw::testbenches {

/// Both directions have a stream each way. A frame that nic_rx could not reconstruct ends in error
/// behind its last whole group: perhaps with a beat that has no byte.
template <bool kEmptyLast>
struct NicStreams {
  using Beat = gw::Beat;
  static constexpr std::array<sim::Port, 1> kInputs = {{{.name = "s_axis", .bundle = "s_axis"}}};
  static constexpr std::array<sim::Port, 1> kOutputs = {
      {{.name = "m_axis", .bundle = "m_axis", .empty_last = kEmptyLast}}};
  static constexpr uint64_t kEvents = 0;
  static constexpr uint64_t kSettles = 0;  // never without input while there is any
};
using NicTxPorts = NicStreams<false>;
using NicRxPorts = NicStreams<true>;

}  // namespace gw::testbenches
