// Hears of every clock edge of a run: what the harness drives, what engine A shows before the edge.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include "sim/harness/engine.h"

namespace gw::sim {

template <class Ports>
class Observer {
 public:
  using Shown = std::array<const typename Ports::Beat*, kOutputsOf<Ports>>;
  virtual ~Observer() = default;
  /// An edge in reset; before the first one an engine shows nothing that counts.
  virtual void reset(bool first, const Probe<Ports>& probe) = 0;
  virtual void boot(const Boot& boot) = 0;
  virtual void configure(const PacketConfig& config) = 0;
  /// A control port, in front of the `cycle` that it belongs to.
  virtual void control(size_t /*port*/, const AxiLiteRequest&, const AxiLiteReply&) {}
  virtual void cycle(const Offered<Ports>& offered, uint32_t m_ready, uint32_t s_ready,
                     const Shown& shown, const Probe<Ports>& probe) = 0;
};

}  // namespace gw::sim
