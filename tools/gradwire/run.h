// One run as a command line asks for it: what `gradwire run` does once, a regression's worker does
// again and again in one process.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "sim/run/run.h"

namespace gw::tools {

struct RunRequest {
  const sim::Device* device = nullptr;
  sim::RunOptions run;
};

/// The words after `gradwire run`; `command`: as the report shall show it. Nothing is opened.
/// Throws UsageError for words that make no run.
RunRequest parse_run(const std::vector<std::string>& words, const std::string& command);

/// So many mutants can be told apart by their pin.
inline constexpr int64_t kMutantsAtMost = 65535;
/// Does what `gradwire run` does with these words, and returns its report. Throws UserError.
nlohmann::json execute_run(const std::vector<std::string>& words, const std::string& command);

/// An option of `run`, the common ones and the device's.
struct RunOption {
  std::string name;      ///< without the dashes
  bool flag = false;     ///< takes no value
  bool list = false;     ///< takes several words ...
  bool repeats = false;  ///< ... each with the option's name before it
  bool reads = false;    ///< names a file that the run reads
  bool writes = false;   ///< names what it writes
};
std::vector<RunOption> run_options(const sim::Device& device);

}  // namespace gw::tools
