// What the beats of a run are held against.
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace gw::sim {

/// That the RTL stops by itself ($fatal, GW_ASSERT) and that the device hangs fail every run.
struct Checks {
  bool model = true;      ///< the second engine, in every cycle: lockstep
  bool reference = true;  ///< every beat, event, answer and counter against the oracle's
  bool protocol = true;   ///< the rules of AXI4-Stream and AXI4-Lite, as Arm has them
  bool profile = true;    ///< this house's stricter ones: sim/harness/rules.h
};

}  // namespace gw::sim
