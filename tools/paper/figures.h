// The papers' figures redrawn, as series of a document: who draws them needs nothing else.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>

#include "tools/paper/papers.h"
#include "tools/paper/row.h"

namespace gw::paper {

/// Draws what rows the document of score() has:
///
///   [{"paper", "item", "title", "caption", "kind": "dots", "unit", "log",
///     "dots": [{"name", "paper", "ours"}]},
///    {..., "kind": "lines", "x", "y", "log_x", "log_y", "x_base",
///     "lines": [{"name", "of": "paper" or "ours", "style": "points", "line" or "both",
///                "points": [[x, y] ...]}]}]
///
/// A figure without a point is left out. May make documents that take no time (codec stats).
nlohmann::json figures(const nlohmann::json& document, Documents& documents,
                       const Options& options);

}  // namespace gw::paper
