// A kernel-free core of models/systemc as an engine of the harness (sim/harness/engine.h).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "sim/harness/engine.h"

namespace gw::testbenches {

/// Resets and clocks a core with one stream in and one out. Derive from it, and add what
/// the device's ports ask for beside: probe, statistics, configure, boot, control.
template <class P, class Core>
class CoreEngine {
 public:
  using Ports = P;

  /// Hands its arguments to the core.
  template <class... Config>
  explicit CoreEngine(const Config&... config) : core_(config...) {}

  void reset() { core_.reset(); }
  uint32_t s_ready() const { return core_.s_ready() ? 1 : 0; }
  const typename P::Beat* m_beat(size_t) const { return core_.m_beat(); }
  void clock(const sim::Offered<P>& offered, uint32_t m_ready) {
    core_.clock(offered[0], m_ready != 0);
  }

 protected:
  Core core_;
};

}  // namespace gw::testbenches
