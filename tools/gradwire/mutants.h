// Mutants run until something notices them, in processes side by side.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "sim/regress/case.h"
#include "sim/run/device.h"
#include "tools/gradwire/run.h"

namespace gw::tools {

/// What became of one.
struct MutantResult {
  uint32_t number = 0;
  bool killed = false;
  uint64_t cycle = 0;  ///< killed: in this one, counted over all its runs; else how many there were
  std::string by;      ///< its bucket (sim/run/bucket.h), or how the process ended
  std::string run;     ///< the case's name

  nlohmann::json to_json() const;
  static MutantResult of(const nlohmann::json& document);
};

/// The runs of a plan, one after another: each case once, then those with seeds again with others.
class MutantRuns {
 public:
  MutantRuns(const regress::Plan& plan, const std::vector<regress::Point>& points,
             sim::MutantSpec mutants, uint64_t cycles)
      : plan_(plan), points_(points), mutants_(mutants), cycles_(cycles) {}

  /// Until it is killed, the cycles are spent, or nothing new is left to run; 0: each case once.
  MutantResult run(uint32_t number);
  /// The first run, whose RTL is that of all.
  const RunRequest& first() { return request(0, 1); }
  const RunRequest& request(size_t point, uint64_t round);

 private:
  bool one(const RunRequest& request, MutantResult& result) const;

  const regress::Plan& plan_;
  const std::vector<regress::Point>& points_;
  const sim::MutantSpec mutants_;
  const uint64_t cycles_;
  std::map<std::pair<size_t, uint64_t>, RunRequest> requests_;
};

/// Runs them in `jobs` processes of this program and tells of each as it ends; one whose process
/// dies is killed by that. False: interrupted. Throws UserError.
bool run_mutants(MutantRuns& runs, const std::vector<uint32_t>& numbers, size_t jobs,
                 const std::function<void(const MutantResult&)>& ended);

}  // namespace gw::tools
