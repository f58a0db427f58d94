// SPDX-License-Identifier: Apache-2.0
#include "sim/regress/baseline.h"

#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "sim/base/error.h"
#include "sim/base/file_bytes.h"
#include "sim/regress/folder.h"
#include "sim/report/json.h"

namespace gw::regress {
namespace {

using nlohmann::json;

/// Rounding is no change, neither of a value nor, in percent, of its change.
constexpr double kSame = 1e-9;

/// The held figures of a result, with those of sections one by one.
void each_held(const json& figures,
               const std::function<void(const Held&, const std::string&, double)>& take) {
  for (const Held& held : held_figures()) {
    std::string path = held.figure;
    if (!path.ends_with('.')) {
      const json* const value = figure_of(figures, path);
      if (value != nullptr && value->is_number()) take(held, path, value->get<double>());
      continue;
    }
    path.pop_back();
    const json* const section = figure_of(figures, path);
    if (section == nullptr || !section->is_object()) continue;
    for (const auto& [name, value] : section->items()) {
      if (value.is_number()) take(held, path + "." + name, value.get<double>());
    }
  }
}

/// What the figures were made with, if they depend on it.
std::string tool_of(const json& figures) {
  const json* const tool = figure_of(figures, "area.tool");
  return tool != nullptr && tool->is_string() ? tool->get<std::string>() : "";
}

}  // namespace

const std::vector<Held>& held_figures() {
  // docs/regress.md has the same table.
  static const std::vector<Held> kHeld = {{"cycles", false, 0},
                                          {"cycles_per_burst", false, 0},
                                          {"latency_cycles.mean", false, 0},
                                          {"latency_cycles.max", false, 0},
                                          {"compression.ratio", true, 0},
                                          {"line_rate_percent.", true, 0},
                                          {"area.LUT", false, 2},
                                          {"area.FF", false, 2},
                                          {"area.DSP", false, 2},
                                          {"area.path_ns", false, 3},
                                          {"speed.lockstep_to_rtl", true, 10}};
  return kHeld;
}

std::string Change::text() const {
  return fmt::format("{} {} -> {} ({:+.3g} %, {})", figure, was, is, percent,
                     worse ? fmt::format("allowed {:g} %", allowed) : "better");
}

Baseline Baseline::read(const std::string& path) {
  Baseline baseline;
  if (!std::filesystem::exists(path)) return baseline;
  const std::string text = sim::bytes_of_file(path, "the baseline");
  try {
    const json document = json::parse(text);
    for (const auto& [name, by_tool] : document.at("cases").items()) {
      for (const json& one : by_tool) {
        Figures& figures = baseline.cases_[name][one.value("tool", "")];
        figures.comparable = one.at("of");
        figures.values = one.at("figures").get<std::map<std::string, double>>();
      }
    }
  } catch (const json::exception&) {
    throw sim::InputError(fmt::format("'{}' is no baseline", path));
  }
  return baseline;
}

void Baseline::write(const std::string& path, const std::string& plan) const {
  json document = {{"plan", plan}, {"cases", json::object()}};
  for (const auto& [name, by_tool] : cases_) {
    json& list = document["cases"][name] = json::array();
    for (const auto& [tool, figures] : by_tool) {
      json one = {{"of", figures.comparable}, {"figures", figures.values}};
      if (!tool.empty()) one["tool"] = tool;
      list.push_back(std::move(one));
    }
  }
  std::error_code error;
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  if (!folder.empty()) std::filesystem::create_directories(folder, error);
  sim::write_report_file(path, document.dump(1) + "\n", "baseline");
}

std::vector<std::string> Baseline::names() const {
  std::vector<std::string> names;
  for (const auto& [name, ignored] : cases_) names.push_back(name);
  return names;
}

std::optional<std::vector<Change>> Baseline::compare(const Entry& entry) const {
  const auto by_tool = cases_.find(entry.what.name);
  if (by_tool == cases_.end()) return std::nullopt;
  const auto at = by_tool->second.find(tool_of(entry.result.figures));
  if (at == by_tool->second.end() || at->second.comparable != entry.what.comparable) {
    return std::nullopt;
  }
  std::vector<Change> changes;
  each_held(entry.result.figures, [&](const Held& held, const std::string& figure, double is) {
    const auto known = at->second.values.find(figure);
    if (known == at->second.values.end()) return;
    const double was = known->second;
    if (std::abs(is - was) <= kSame * std::max(std::abs(is), std::abs(was))) return;
    const bool worse = held.more_is_better ? is < was : is > was;
    const double percent = was != 0 ? (is - was) / std::abs(was) * 100 : 100;
    if (worse && std::abs(percent) <= held.percent + kSame) return;
    changes.push_back({entry.what.name, figure, was, is, worse, percent, held.percent});
  });
  return changes;
}

void Baseline::accept(const Entry& entry) {
  Figures& figures = cases_[entry.what.name][tool_of(entry.result.figures)];
  figures = {.comparable = entry.what.comparable, .values = {}};
  each_held(entry.result.figures, [&](const Held&, const std::string& figure, double is) {
    figures.values[figure] = is;
  });
}

void apply(const std::vector<Change>& changes, Result& result) {
  for (const Change& change : changes) {
    if (!change.worse) continue;
    result.verdict = Verdict::kFail;
    const std::string text = "worse than the baseline: " + change.text();
    if (result.headline.empty()) result.headline = text;
    result.lines.push_back(text);
  }
}

}  // namespace gw::regress
