// Simulated time: the SystemC kernel, with one process that moves every stream.
//
// Scheduling each signal through the kernel costs several times the speed of the simulation, so one
// process advances a run by a quantum of clock cycles and then waits for as long as these take. A
// user's SystemC platform that is elaborated in the same process runs between two quanta.
// Elaboration happens once per process; runs follow one another in simulated time.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "sim/base/interrupt.h"
#include "sim/harness/steppable.h"

namespace gw::sim {

/// Cycles between two visits to the kernel when nobody watches single cycles.
inline constexpr uint64_t kQuantum = 1024;

class Kernel {
 public:
  /// The one kernel of this process; the first call elaborates.
  static Kernel& instance();

  /// Advances the run until it is over or Ctrl-C; returns false if it was interrupted.
  bool run(Steppable& run, double clock_mhz, uint64_t quantum = kQuantum);

  Kernel(const Kernel&) = delete;
  Kernel& operator=(const Kernel&) = delete;

 private:
  Kernel();
  ~Kernel();
  struct Process;
  Process* process_;
};

}  // namespace gw::sim
