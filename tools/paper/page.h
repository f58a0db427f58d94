// The page of `gradwire paper --html`: a table a paper and its figures, in one file that loads
// nothing.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace gw::paper {

/// Takes the document of score() with its "figures". Plots are gnuplot's; without it their figures
/// are printed as tables.
std::string paper_page(const nlohmann::json& document);

}  // namespace gw::paper
