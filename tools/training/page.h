// The page of `gradwire train --html`: tables and plots in one file that loads nothing.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace gw::training {

/// Of the document of run_session(), with or without "preset". Plots are gnuplot's; without it
/// their figures are printed as tables.
std::string training_page(const nlohmann::json& document);

}  // namespace gw::training
