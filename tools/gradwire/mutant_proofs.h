// Proofs that a mutant cannot be noticed: by the netlist's wires alone, by Yosys in one cycle, by
// ABC from reset on.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "sim/run/device.h"

namespace gw::tools {

/// How long a proof may take, of a processor's time, and how many run side by side.
struct ProofLimits {
  int seconds = 20;
  size_t jobs = 1;
};

/// Which of them change nothing that any output of the netlist is made of, in whatever cycle. The
/// netlist is followed back from its outputs, bit by bit, through registers and through memories by
/// columns; this takes seconds for all of them.
std::vector<bool> reach_no_output(const sim::MutantList& list);

/// Which of them do in every state and with every input what the netlist does: registers and
/// memories get the same values, outputs show the same. `tried` is told how many are done.
std::vector<bool> same_in_every_state(const sim::MutantList& list,
                                      const std::vector<const sim::Mutant*>& mutants,
                                      const std::string& top, const ProofLimits& limits,
                                      const std::function<void(size_t)>& tried);

/// Which of them, whatever comes in from registers of zero on (reset is an input like others),
/// always show the same outputs, write the same into the same places of memories and read the same
/// ones: a register may hold something else as long as it is not seen. `tried` as above.
std::vector<bool> same_as_seen(const sim::MutantList& list,
                               const std::vector<const sim::Mutant*>& mutants,
                               const std::string& top, const ProofLimits& limits,
                               const std::function<void(size_t)>& tried);

}  // namespace gw::tools
