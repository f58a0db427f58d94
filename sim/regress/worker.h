// A worker: it takes the cases of a shard one after another and writes each one's result. What it
// is about it says in lines, so that whoever started it knows which case it was in when it dies:
//
//   begin HASH      done HASH      busy WHAT (it goes on, its time counts anew)      stop SENTENCE
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>

#include "sim/regress/result.h"

namespace gw::regress {

/// Called while a case makes what its run needs, with what it is about: "building gw_mx: ...".
using Busy = std::function<void(const std::string& what)>;

/// Runs a case and returns its report. Throws UserError for what cannot run. `interrupted` of the
/// report: it was cut off, and is no result.
using Runner =
    std::function<nlohmann::json(const Case& c, const std::string& command, const Busy& busy)>;

struct WorkerOptions {
  std::filesystem::path folder;  ///< of the results
  std::filesystem::path shard;   ///< a list of cases (Folder::write_shard)
  std::string program;           ///< what this program and its RTL are (Order::program)
  std::function<void(const std::string&)> say;  ///< gets the lines
};

/// A run's points of coverage in its report, and the folder that has them, HASH.json a case.
inline constexpr const char* kCoveragePoints = "coverage_points";
inline constexpr const char* kCoverageFolder = "coverage";

/// The exit code of a worker that was told to end in a case, which is not told to have failed.
inline constexpr int kCutOff = 130;

/// The exit code of the process.
int work(const WorkerOptions& options, const Runner& run);

/// Makes this process a worker that ends, with all that it has started, when its parent does.
/// `parent`: who that is; false if it has ended already.
bool follow_parent(int parent);

/// The command that repeats a case alone.
std::string command_of(const std::string& program, const Case& c);

}  // namespace gw::regress
