// What points amount to: per table, per module, per instance; what was not reached, by name; what
// is wrong with waivers. One JSON document, of which report and terminal show what they need.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "sim/coverage/points.h"
#include "sim/coverage/waivers.h"

namespace gw::sim::coverage {

/// `functional`, if there are tables: covered, possible, waived, percent, tables [{device, table,
/// meaning, covered, possible, waived, impossible [{reason, cells}], unreached [{name, cells}]}].
/// `line`, `branch`, `user`, of RTL, summed over the instances of a module: covered,
/// possible, waived, percent, modules [{file, ..., unreached [name]}], instances [{instance, ...}].
/// `toggle`, bits that rose and fell: the same, with a module a top, whose `unreached` says what a
/// bit has not done; absent and memories [{name, bits}], which are not among the possible.
/// `runs`. `failures`: waivers that expired, or whose point was reached, and cells that were
/// reached although they cannot be; each a sentence.
nlohmann::json summary(const Points& points, const std::vector<Waiver>& waivers = {},
                       const Day& today = Day::today());

/// Tables, modules, and `unreached` names a table (0: all); with `instances`, those of RTL too.
std::string summary_text(const nlohmann::json& summary, size_t unreached, bool instances);

}  // namespace gw::sim::coverage
