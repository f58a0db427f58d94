// The report as one HTML file: nothing is loaded from outside, plots are inline SVG, light and
// dark.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "sim/report/present.h"

namespace gw::sim {

/// Renders the document of `run`, with what the device adds to it. Plots are drawn by gnuplot,
/// found in PATH; where that fails the same figures are printed as tables, with one sentence that
/// says what is missing.
std::string render_html(const nlohmann::json& report, report::Present present);

namespace report {
/// The style sheet of every page of ours: light and dark, colours as variables.
std::string page_style();
}  // namespace report

}  // namespace gw::sim
