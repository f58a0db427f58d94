// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>

#include "sim/base/error.h"
#include "sim/report/text.h"
#include "sim/run/data_folder.h"
#include "sim/run/run.h"
#include "tools/gradwire/commands.h"

namespace gw::tools {

std::string shell_command(const std::string& program, const std::vector<std::string>& arguments) {
  std::vector<std::string> words = {program};
  words.insert(words.end(), arguments.begin(), arguments.end());
  return sim::report::shell_command(words);
}

void require_known_command(const CLI::App& app, const std::vector<std::string>& arguments) {
  if (arguments.empty() || arguments.front().starts_with("-")) return;
  std::string names;
  for (const CLI::App* command : app.get_subcommands({})) {
    if (command->get_name() == arguments.front()) return;
    names += fmt::format("{}{}", names.empty() ? "" : ", ", command->get_name());
  }
  throw sim::UsageError(
      fmt::format("unknown command '{}'; there are {}", arguments.front(), names));
}

std::shared_ptr<const sim::RandomTable> read_random_table(const std::string& where,
                                                          const sim::Device& device) {
  const bool shipped = where.find('#') == std::string::npos;
  return sim::RandomTable::read(
      shipped ? (sim::data_folder() / "plans" / "random.toml").string() + "#" + where : where,
      sim::random_kind(device), registry().random_kinds());
}

std::string one_line(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

std::string trace_folder() {
  if (const char* folder = std::getenv("GRADWIRE_TRACES")) return folder;
  if (std::filesystem::exists("traces/manifest.json")) return "traces";
  return (sim::data_folder() / "traces").string();
}

namespace {

namespace fs = std::filesystem;

/// The path, if it is a file (no folder: one may be called as a plan is) or empty; else the first
/// of `others()` that is one, or the path.
template <class Others>
std::string first_file(const std::string& path, Others others) {
  std::error_code error;
  if (path.empty() || (fs::exists(path, error) && !fs::is_directory(path, error))) return path;
  for (const fs::path& other : others()) {
    if (fs::is_regular_file(other, error)) return other.string();
  }
  return path;
}

}  // namespace

std::string shipped_file(const std::string& path) {
  return first_file(path, [&] { return std::array<fs::path, 1>{sim::data_folder() / path}; });
}

std::string shipped_trace(const std::string& path) {
  return first_file(path, [&] {
    const fs::path traces = trace_folder();
    return std::array{traces / path, traces / (path + ".pcap"), traces / (path + ".pcapng"),
                      sim::data_folder() / path};
  });
}

std::string shipped_plan(const std::string& path) {
  return first_file(path, [&] {
    const fs::path plans = sim::data_folder() / "plans";
    return std::array{plans / path, plans / (path + ".toml"), sim::data_folder() / path};
  });
}

}  // namespace gw::tools
