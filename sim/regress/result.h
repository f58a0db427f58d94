// What became of a case: its verdict, its figures, and of a failure the words.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/regress/case.h"

namespace gw::regress {

enum class Verdict : uint8_t { kPass, kFail, kCrashed, kTimeout, kNotRun, kKnown, kWaived };
inline constexpr std::array<std::string_view, 7> kVerdictNames = {
    "pass", "fail", "crashed", "timeout", "not run", "known", "waived"};
inline constexpr size_t kVerdicts = kVerdictNames.size();

constexpr std::string_view name_of(Verdict verdict) {
  return kVerdictNames[static_cast<size_t>(verdict)];
}
std::optional<Verdict> verdict_of(std::string_view name);
/// A result with which the run as a whole may pass.
constexpr bool passes(Verdict v) {
  return v == Verdict::kPass || v == Verdict::kKnown || v == Verdict::kWaived;
}

struct Result {
  Verdict verdict = Verdict::kNotRun;
  double seconds = 0;        ///< wall time of the case
  double build_seconds = 0;  ///< of them, until its RTL was there
  std::string host;
  std::string began;                                  ///< UTC, 2026-11-22T13:00:00Z
  int attempts = 1;                                   ///< more: workers died in it before
  nlohmann::json figures = nlohmann::json::object();  ///< of the report, those that are compared
  double cycles_per_s = 0;
  std::string headline;            ///< of what went wrong: one line
  std::vector<std::string> lines;  ///< and all about it
  std::string bucket;              ///< failures of one cause share it (sim/run/bucket.h)
  bool diverged = false;           ///< there is a cycle that can be looked at: a capsule's failure
  /// Files that its RTL opened, which no list names, and what was in them.
  std::map<std::string, std::string> reads;
};
/// In a report: those files.
inline constexpr const char* kReads = "reads";
/// What stands for a file's contents there; empty: it is none.
std::string contents_of(const std::filesystem::path& path);
/// What it read is as it was.
bool is_current(const Result& result);

nlohmann::json to_json(const Result& result);
Result result_of(nlohmann::json&& document);

/// A case and what became of it: a file of `cases/`.
struct Entry {
  Case what;
  Result result;
};
std::string entry_text(const Entry& entry);
/// Nothing if the file is not there or not whole.
std::optional<Entry> read_entry(const std::filesystem::path& path);

/// The result of a run that gave a report.
Result judge(const Case& c, const nlohmann::json& report);
/// The bucket of a failure that a run's own report does not name: device, RTL, what was checked.
std::string bucket_of(const Case& c, const std::string& check, const std::string& detail = "");
/// The result of one that gave none: what it said.
Result refused(const std::string& sentence);

/// Now, as `Result::began`.
std::string timestamp();
std::string host_name();

}  // namespace gw::regress
