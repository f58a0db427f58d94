// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "sim/base/error.h"
#include "sim/base/options.h"
#include "sim/coverage/summary.h"
#include "sim/report/json.h"
#include "tools/gradwire/commands.h"

namespace gw::tools {
namespace {

namespace coverage = sim::coverage;

struct CoverageArguments {
  std::vector<std::string> files, goals;
  std::string out, waivers, json, info, unreached = "3";
  bool instances = false;
};

coverage::Points read_all(const std::vector<std::string>& files) {
  coverage::Points points;
  for (const std::string& file : files) points.add(coverage::Points::read(file));
  return points;
}

int merge(const CoverageArguments& a) {
  const coverage::Points points = read_all(a.files);
  sim::write_report_file(a.out, points.to_json().dump() + "\n", coverage::kFileOfPoints);
  return sim::kPass;
}

/// "line=98": a kind of coverage and the least percentage of it.
std::string missed_goal(const std::string& goal, const nlohmann::json& summary) {
  const size_t equals = goal.find('=');
  const std::string kind = goal.substr(0, equals);
  const bool known = kind == "functional" || kind == "line" || kind == "branch" || kind == "user" ||
                     kind == "toggle";
  if (equals == std::string::npos || !known) {
    throw sim::UsageError(fmt::format(
        "--goal '{}' is not functional, line, branch, user or toggle, = and percent", goal));
  }
  const double least =
      sim::parse_number("--goal " + kind, goal.substr(equals + 1), 0, 100, "percent");
  if (!summary.contains(kind)) return fmt::format("{}: nothing was counted", kind);
  const double is = summary[kind]["percent"];
  return is >= least ? "" : fmt::format("{}: {:.2f} % of the goal's {:g} %", kind, is, least);
}

int report(const CoverageArguments& a) {
  const auto unreached =
      static_cast<size_t>(sim::parse_integer("--unreached", a.unreached, 0, INT32_MAX));
  std::vector<coverage::Waiver> waivers;
  if (!a.waivers.empty()) waivers = coverage::read_waivers(a.waivers);
  const coverage::Points points = read_all(a.files);
  nlohmann::json summary = coverage::summary(points, waivers);
  for (const std::string& goal : a.goals) {
    if (const std::string missed = missed_goal(goal, summary); !missed.empty()) {
      summary["failures"].push_back(missed);
    }
  }
  fmt::print("{} run{}\n{}", points.runs(), points.runs() == 1 ? "" : "s",
             coverage::summary_text(summary, unreached, a.instances));
  if (!a.json.empty()) sim::write_report_file(a.json, sim::json_text(summary));
  if (!a.info.empty()) sim::write_report_file(a.info, coverage::lcov_text(points));
  return summary["failures"].empty() ? sim::kPass : sim::kCheckFailed;
}

}  // namespace

void add_coverage(CLI::App& app, Invocation& invocation) {
  CLI::App* command = app.add_subcommand(
      "coverage", "what runs have reached: points of several runs added, reports, waivers");
  command->require_subcommand(1);
  auto a = std::make_shared<CoverageArguments>();

  CLI::App* merge_command = command->add_subcommand("merge", "the points of several files in one");
  merge_command->add_option("FILE", a->files, "what gradwire run --coverage-out wrote")->required();
  merge_command->add_option("--out", a->out, "the file that holds them all")->required();
  merge_command->callback([a, &invocation] { invocation.action = [a] { return merge(*a); }; });

  CLI::App* report_command =
      command->add_subcommand("report", "covered and possible, table by table; what is missing");
  report_command->add_option("FILE", a->files, "what gradwire run --coverage-out or merge wrote")
      ->required();
  report_command->add_option("--waivers", a->waivers,
                             "TOML file of points that need not be reached (docs/coverage.md)");
  report_command
      ->add_option("--goal", a->goals, "KIND=PERCENT that must be reached; any number of them")
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  report_command->add_option("--unreached", a->unreached, "names of missing points a table; 0: all")
      ->capture_default_str();
  report_command->add_flag("--instances", a->instances, "RTL also instance by instance");
  report_command->add_option("--json", a->json, "write the report as JSON");
  report_command->add_option("--info", a->info, "write line coverage for genhtml");
  report_command->callback([a, &invocation] { invocation.action = [a] { return report(*a); }; });
}

}  // namespace gw::tools
