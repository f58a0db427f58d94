// gradwire replay: is the bug of a capsule still there?
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "sim/base/error.h"
#include "sim/run/run.h"
#include "tools/gradwire/capsule.h"
#include "tools/gradwire/commands.h"
#include "tools/gradwire/run.h"

namespace gw::tools {
namespace {

/// Options that look at a run and do not change what it does.
constexpr std::string_view kLooks[] = {
    "--wave",        "--wave-from",   "--wave-to",     "--json",         "--html",
    "--pcap-out",    "--quiet",       "--pcap-in-out", "--cache",        "--shrink",
    "--quick-build", "--capsule-out", "--coverage",    "--coverage-out", "--sv-bench"};

/// Options that leave checks out.
constexpr std::string_view kLooksLess[] = {"--no-assert", "--check", "--engine"};

/// The run is told to be another than the capsule's: other RTL, other settings.
bool is_changed(const std::vector<std::string>& more) {
  return std::ranges::any_of(more, [](const std::string& word) {
    const std::string_view name = std::string_view(word).substr(0, word.find('='));
    return name.starts_with("-") && std::ranges::count(kLooks, name) == 0;
  });
}

/// Why a run that passes says nothing about the capsule's bug; empty: it does.
std::string why_unknown(const sim::capsule::Capsule& capsule, const nlohmann::json& report,
                        const std::vector<std::string>& more) {
  for (const nlohmann::json& file : report.value("rtl_reads", nlohmann::json::array())) {
    const std::string name = file.at("name");
    const auto then = capsule.reads.find(name);
    const bool was_missing = then != capsule.reads.end() && then->second.empty();
    if (file.at("path").is_null() && !was_missing) {
      return fmt::format("the RTL reads '{}', which is not there", name);
    }
  }
  if (capsule.flaky) {
    return "it never failed the same way three times (flaky.txt), and this time it passes";
  }
  for (const std::string& word : more) {
    const std::string name = word.substr(0, word.find('='));
    if (std::ranges::count(kLooksLess, name) != 0) return name + " may look at less";
  }
  if (is_changed(more)) return "";
  if (report.contains("start_values")) {
    return "this version of Verilator draws start values in an order of its own";
  }
  if (is_as_packed(capsule)) {
    return "program and RTL are those that failed, so something else was different: a file, a "
           "variable of the environment, the time";
  }
  return "";
}

int replay(const std::string& path, const std::vector<std::string>& more,
           const std::string& command) {
  const sim::capsule::Capsule& capsule = capsule_named(path);
  std::vector<std::string> words = {capsule.device, "--capsule", path};
  words.insert(words.end(), more.begin(), more.end());
  const nlohmann::json report = execute_run(words, command);
  if (report.contains("interrupted")) return sim::kCheckFailed;
  const std::string bucket = report.value("bucket", "");
  if (report.value("pass", false)) {
    if (const std::string why = why_unknown(capsule, report, more); !why.empty()) {
      fmt::print("it passes, but not as it failed: {}\n  the capsule's was: {}\n", why,
                 capsule.bucket);
      return sim::kNotRepeated;
    }
    fmt::print("the bug is gone: {}\n", capsule.bucket);
  } else if (bucket == capsule.bucket || !more.empty()) {
    fmt::print("{}: {}\n", bucket == capsule.bucket ? "the bug is there" : "it fails", bucket);
  } else {
    fmt::print("it fails in another way: {}\n  the capsule's was: {}\n", bucket, capsule.bucket);
  }
  return sim::exit_code(report);
}

}  // namespace

void add_replay(CLI::App& app, Invocation& invocation) {
  CLI::App* command = app.add_subcommand(
      "replay",
      "the failure of a capsule: exit code 1 while it is there, 0 when it is gone, "
      "5 if it passes but cannot run as it did");
  auto path = std::make_shared<std::string>();
  command->add_option("CAPSULE", *path, "its folder or zip file (docs/capsules.md)")->required();
  command->footer(
      "Further options are those of gradwire run, --rtl my.f --top NAME, --wave FILE, ..., and\n"
      "count more than the capsule's.");
  command->allow_extras();
  command->callback([path, command, &invocation] {
    invocation.action = [path, command, words = invocation.command] {
      return replay(*path, command->remaining(), words);
    };
  });
}

}  // namespace gw::tools
