#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "sim/base/error.h"
#include "sim/report/text.h"
#include "sim/run/data_folder.h"
#include "tools/gradwire/commands.h"

namespace gw::tools {

std::string shell_command(const std::string& program, const std::vector<std::string>& arguments) {
  std::string command = sim::report::shell_word(program);
  for (const std::string& argument : arguments) command += " " + sim::report::shell_word(argument);
  return command;
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
      *device.facts().random, registry().random_kinds());
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

}  // namespace gw::tools
