// The report for people at a terminal: one table to read at a glance, the verdict last, where the
// eye is.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>

#include "sim/report/present.h"

namespace gw::sim {

/// How wide a report is where nobody says how wide the terminal is.
inline constexpr std::size_t kReportColumns = 96;

/// Renders the document of `run`, with what the device adds to it. Absent sections are left out,
/// unknown ones are shown as they are.
std::string render_terminal(const nlohmann::json& report, report::Present present, bool colour,
                            std::size_t columns = kReportColumns);

/// Renders the document of `bench`: one object, or an array of them (a column a device). Ratios
/// come first, because absolute figures depend on the machine.
std::string render_bench_terminal(const nlohmann::json& bench, bool colour = false);

}  // namespace gw::sim
