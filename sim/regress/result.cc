// SPDX-License-Identifier: Apache-2.0
#include "sim/regress/result.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <ctime>
#include <fstream>
#include <iterator>

#include "sim/base/file_bytes.h"
#include "sim/regress/digest.h"
#include "sim/report/json.h"

namespace gw::regress {
namespace {

using nlohmann::json;

/// Of a report (cosim.md, section 3): what is the same whenever the case is run.
constexpr const char* kFigures[] = {
    "cycles",          "beats_in",       "beats_out", "cycles_per_burst",  "wire_gbps",
    "throughput_gbps", "latency_cycles", "speed",     "line_rate_percent", "area"};

}  // namespace

std::optional<Verdict> verdict_of(std::string_view name) {
  const auto at = std::ranges::find(kVerdictNames, name);
  if (at == kVerdictNames.end()) return std::nullopt;
  return static_cast<Verdict>(at - kVerdictNames.begin());
}

std::string contents_of(const std::filesystem::path& path) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return "";
  const std::optional<std::string> bytes = sim::bytes_if_readable(path);
  return bytes ? Digest().add(*bytes).hex() : "";
}

bool is_current(const Result& result) {
  return std::ranges::all_of(
      result.reads, [](const auto& file) { return contents_of(file.first) == file.second; });
}

json to_json(const Result& result) {
  json document = {{"verdict", name_of(result.verdict)},
                   {"seconds", result.seconds},
                   {"host", result.host},
                   {"began", result.began},
                   {"attempts", result.attempts},
                   {"figures", result.figures}};
  if (result.build_seconds > 0) document["build_seconds"] = result.build_seconds;
  if (result.cycles_per_s > 0) document["cycles_per_s"] = result.cycles_per_s;
  if (!result.headline.empty()) {
    document["failure"] = {{"headline", result.headline}, {"lines", result.lines}};
  }
  if (!result.bucket.empty()) document["bucket"] = result.bucket;
  if (result.diverged) document["diverged"] = true;
  if (!result.reads.empty()) document[kReads] = result.reads;
  return document;
}

Result result_of(json&& document) {
  const auto verdict = verdict_of(document.at("verdict").get<std::string>());
  if (!verdict) throw std::runtime_error("there is no such verdict");
  Result result{.verdict = *verdict,
                .seconds = document.at("seconds"),
                .build_seconds = document.value("build_seconds", 0.0),
                .host = document.value("host", ""),
                .began = document.value("began", ""),
                .attempts = document.value("attempts", 1),
                .figures = std::move(document.at("figures")),
                .cycles_per_s = document.value("cycles_per_s", 0.0),
                .headline = {},
                .lines = {},
                .bucket = document.value("bucket", ""),
                .diverged = document.value("diverged", false),
                .reads = document.value(kReads, std::map<std::string, std::string>())};
  if (const auto failure = document.find("failure"); failure != document.end()) {
    result.headline = failure->at("headline");
    result.lines = failure->at("lines").get<std::vector<std::string>>();
  }
  return result;
}

std::string entry_text(const Entry& entry) {
  const json document = {{"case", to_json(entry.what)}, {"result", to_json(entry.result)}};
  return document.dump(-1, ' ', false, json::error_handler_t::replace) + "\n";
}

std::optional<Entry> read_entry(const std::filesystem::path& path) {
  const std::optional<std::string> text = sim::bytes_if_readable(path);
  if (!text) return std::nullopt;
  try {
    json document = json::parse(*text);
    return Entry{case_of(document.at("case")), result_of(std::move(document.at("result")))};
  } catch (const std::exception&) {
    return std::nullopt;
  }
}

Result judge(const Case& c, const json& report) {
  Result result;
  for (const char* key : kFigures) {
    if (report.contains(key)) result.figures[key] = report[key];
  }
  for (const std::string name : report.value("compared", json::array())) {
    const json::json_pointer pointer(name);
    if (report.contains(pointer)) result.figures[pointer] = report[pointer];
  }
  if (const json* const build = figure_of(report, "sim.build_s")) result.build_seconds = *build;
  if (const json* const speed = figure_of(report, "sim.cycles_per_s")) result.cycles_per_s = *speed;
  result.reads = report.value(kReads, std::map<std::string, std::string>());
  result.verdict = Verdict::kPass;
  const auto fails = [&result](const std::string& headline) {
    result.verdict = Verdict::kFail;
    if (result.headline.empty()) result.headline = headline;
    result.lines.push_back(headline);
  };
  if (const auto failure = report.find("failure"); failure != report.end()) {
    fails(sim::headline(report));
    result.diverged = true;
    for (const json& line : failure->value("lines", json::array())) result.lines.push_back(line);
    if (failure->contains("reproduce")) result.lines.push_back((*failure)["reproduce"]);
  } else if (!report.value("pass", false)) {
    fails(sim::headline(report));
  }
  result.bucket = report.value("bucket", "");
  for (const Expectation& expectation : c.expect) {
    const std::string why = expectation.broken_by(report);
    if (why.empty()) continue;
    fails(why);
    if (result.bucket.empty()) result.bucket = bucket_of(c, "expectation", expectation.figure);
  }
  if (result.verdict == Verdict::kFail && result.bucket.empty())
    result.bucket = bucket_of(c, "pass");
  return result;
}

std::string bucket_of(const Case& c, const std::string& check, const std::string& detail) {
  const auto top = std::ranges::find(c.words, "--top");
  const bool own = top == c.words.end() || top + 1 == c.words.end();
  return fmt::format("{}, {}, {}{}{}", c.device, own ? "own RTL" : *(top + 1), check,
                     detail.empty() ? "" : ", ", detail);
}

Result refused(const std::string& sentence) {
  Result result;
  result.verdict = Verdict::kFail;
  result.headline = sentence;
  result.lines = {sentence};
  return result;
}

std::string timestamp() {
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
}

std::string host_name() {
  char name[256] = {};
  if (::gethostname(name, sizeof name - 1) != 0) return "unknown";
  return name;
}

}  // namespace gw::regress
