// Capsules on the command line: what a run takes from one, and what goes into one.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "sim/capsule/capsule.h"
#include "sim/capsule/maker.h"

namespace gw::tools {

/// A capsule that a command line names; it is read once. Throws UserError.
const sim::capsule::Capsule& capsule_named(const std::string& path);

/// The words of a run, those of the capsule that it names with --capsule in front of them: what is
/// said beside it counts more.
std::vector<std::string> with_capsule(std::vector<std::string> words);

/// "60 s", or off, which is 0. Throws UsageError.
double parse_shrink(const std::string& text);

/// Program and RTL are those that failed.
bool is_as_packed(const sim::capsule::Capsule& capsule);

/// Puts what the run reads beside its stimulus into the order: the user's RTL as far as the run
/// that `report` is of read it, options' files.
void add_files(sim::capsule::Order& order, const nlohmann::json& report);

}  // namespace gw::tools
