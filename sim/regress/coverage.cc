// SPDX-License-Identifier: Apache-2.0
#include "sim/regress/coverage.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include "sim/coverage/summary.h"
#include "sim/regress/worker.h"
#include "sim/report/json.h"

namespace gw::regress {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

fs::path points_of_case(const Folder& folder, const Case& c) {
  return folder.path() / kCoverageFolder / (c.hash + ".json");
}

bool counts(const Case& c) {
  return std::ranges::any_of(c.words, [](const std::string& word) {
    return word == "--coverage" || word.starts_with("--coverage=");
  });
}

}  // namespace

bool has_points(const Folder& folder, const Case& c) {
  std::error_code ignored;
  return !counts(c) || fs::exists(points_of_case(folder, c), ignored);
}

void fail_without_points(const Folder& folder, std::vector<Entry>& entries) {
  for (Entry& entry : entries) {
    Result& result = entry.result;
    if (result.verdict != Verdict::kPass || has_points(folder, entry.what)) continue;
    result.verdict = Verdict::kFail;
    result.headline = fmt::format("it passed, but '{}', what it has reached, is not there",
                                  points_of_case(folder, entry.what).string());
    result.lines = {result.headline};
    result.bucket = bucket_of(entry.what, "coverage", "its file is not there");
  }
}

json merge_coverage(const Folder& folder, const std::vector<Entry>& entries) {
  sim::coverage::Points points;
  for (const Entry& entry : entries) {
    if (entry.result.verdict == Verdict::kNotRun) continue;
    const fs::path file = points_of_case(folder, entry.what);
    if (fs::exists(file)) points.add(sim::coverage::Points::read(file.string()));
  }
  if (points.empty()) return nullptr;
  const auto write = [&](const char* name, const std::string& text) {
    sim::write_report_file((folder.path() / kCoverageFolder / name).string(), text,
                           sim::coverage::kFileOfPoints);
  };
  write("merged.json", points.to_json().dump() + "\n");
  write("merged.info", sim::coverage::lcov_text(points));
  json report = sim::coverage::summary(points);
  write("report.json", sim::json_text(report));
  return report;
}

void take_coverage(const Folder& from, const Case& c, const Folder& to) {
  const fs::path file = points_of_case(from, c);
  if (!fs::exists(file)) return;
  fs::create_directories(to.path() / kCoverageFolder);
  fs::copy_file(file, points_of_case(to, c), fs::copy_options::overwrite_existing);
}

json coverage_shares(const json& report) {
  json shares = json::object();
  for (const char* kind : {"functional", "line", "branch", "user", "toggle"}) {
    if (!report.contains(kind)) continue;
    for (const char* key : {"covered", "possible", "waived", "percent"}) {
      shares[kind][key] = report[kind][key];
    }
  }
  return shares;
}

std::string coverage_lines(const json& report) {
  std::string text;
  const json shares = coverage_shares(report);
  for (const auto& [kind, share] : shares.items()) {
    text +=
        fmt::format("  {:<12} {:>8} of {:>8}  {:>6.2f} %\n", kind, share["covered"].get<uint64_t>(),
                    share["possible"].get<uint64_t>(), share["percent"].get<double>());
  }
  return text;
}

}  // namespace gw::regress
