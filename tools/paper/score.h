// Runs rows and says of each what came out: one JSON document, the tables at the terminal that are
// made of it, and the exit code.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tools/paper/row.h"

namespace gw::paper {

struct Scoring {
  bool quick = false;                                 ///< leaves out rows that take minutes
  bool data = false;                                  ///< the MNIST files are there
  std::function<void(const std::string&)> note = {};  ///< gets a line a step; may be empty
  std::function<bool()> goes_on = {};                 ///< asked before each row; may be empty
};

/// {"paper": [{"paper", "item", "title", "where", "what", "paper_value", "unit", "ours", "class",
///             "difference", "relative_percent", "command", "verdict", "why", "shown": {...}}],
///  "papers": [{"name", "title"}], "verdicts": {verdict: rows}, "left_out": [command ...],
///  "interrupted"}.
///
/// paper_value and ours are numbers where they are ones, else texts or null; difference is ours
/// less the paper's, in the row's unit. Rows are measured in their order, each command once.
nlohmann::json score(const std::vector<Row>& rows, Documents& documents, const Scoring& scoring);

/// How a row's verdict reads, "waits for the cluster"; and what is said under the row.
std::string said_verdict(const nlohmann::json& row);
std::vector<std::string> remarks(const nlohmann::json& row);

/// The tables, paper after paper, with the commands that make ours.
std::string paper_text(const nlohmann::json& document);

/// 1 if an exact row differs, or could not be measured, or if the run was interrupted.
int exit_code(const nlohmann::json& document);

}  // namespace gw::paper
