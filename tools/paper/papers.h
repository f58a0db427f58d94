// The five papers: every number and claim that ours stands beside.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tools/paper/row.h"

namespace gw::paper {

/// What commands of rows are made with.
struct Options {
  std::string data = {};                  ///< folder of the MNIST files; empty: there is none
  std::optional<size_t> iterations = {};  ///< of training runs; else each preset's own
  std::optional<size_t> seeds = {};       ///< likewise
};

struct Paper {
  std::string name;
  std::string title;
};
const std::vector<Paper>& papers();

/// All rows, paper after paper, those of an item together.
std::vector<Row> rows(const Options& options);

/// The rows of a paper and item; empty words leave all. Throws sim::UsageError that names near ones
/// if there is no such paper or item.
std::vector<Row> selected(const std::vector<Row>& all, const std::string& paper,
                          const std::string& item);

/// The commands of rows that other parts ask for, too.
std::vector<std::string> stats_command(const std::string& trace, int bound);
std::vector<std::string> sweep_command();
std::vector<std::string> truncation_command(const Options& options);
std::vector<std::string> preset_command(const std::string& preset, const Options& options);

}  // namespace gw::paper
