// How a capsule is made of a run that failed: repeated three times, shrunk, looked at, packed.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "sim/run/run.h"

namespace gw::sim::capsule {

struct Order {
  const Device* device = nullptr;
  RunOptions run;                ///< that failed
  nlohmann::json failure;        ///< as its report has it
  std::filesystem::path folder;  ///< of the capsule; the zip file is beside it, of its name
  double shrink_seconds = 60;    ///< at most; 0: not at all
  /// What goes in beside: the contents of files by their name within; and, by option, those that
  /// the run reads.
  std::map<std::string, std::string> contents = {};
  std::map<std::string, std::string> files = {};
  /// Those that the RTL opened, by its name for them; empty: there was none.
  std::map<std::string, std::string> reads = {};
  std::map<std::string, std::string> facts = {};  ///< for command.txt
  std::function<void(const std::string&)> note = {};
};

struct Made {
  bool flaky = false;
  bool complete = true;  ///< shrinking ended because nothing more goes
  size_t packets = 0, was_packets = 0;
  uint64_t runs = 0;
  double seconds = 0;
  std::string text() const;  ///< one line
};

/// Throws UserError: the folder is another's, or cannot be written; Ctrl-C before there was
/// anything to keep.
Made make_capsule(const Order& order);

}  // namespace gw::sim::capsule
