// What a plan expects of a case's report beside that it passes: `cycles_per_burst = "<= 1.001"`.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace gw::regress {

struct Expectation {
  std::string figure;  ///< a key of the report; of its sections with dots: latency_cycles.max
  std::string wanted;  ///< "<= 1.001", "pipelined", "true"

  /// Throws UsageError if `wanted` is no such thing.
  void check() const;
  /// Empty if the report fulfils it; else in words why not.
  std::string broken_by(const nlohmann::json& report) const;
};

/// The value at a path of keys with dots between them; null if there is none.
const nlohmann::json* figure_of(const nlohmann::json& report, const std::string& path);

}  // namespace gw::regress
