// Documents of commands for those that stand on several of them.
// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "sim/base/error.h"
#include "sim/report/json.h"
#include "tools/gradwire/commands.h"
#include "tools/gradwire/run.h"

namespace gw::tools {
namespace {

nlohmann::json report_of(std::vector<std::string> words, const std::string& command) {
  words.erase(words.begin());
  words.emplace_back("--quiet");
  nlohmann::json report = execute_run(words, command);
  if (!report.value("pass", false)) {
    const std::string headline = sim::headline(report);
    throw sim::UserError(sim::kCheckFailed, headline.empty() ? command + " failed" : headline);
  }
  return report;
}

}  // namespace

nlohmann::json document_of(const std::vector<std::string>& words, bool quiet) {
  const std::string command = shell_command("gradwire", words);
  if (words.front() == "run") return report_of(words, command);
  nlohmann::json document;
  Invocation invocation{
      .command = command, .program = "gradwire", .typed = words, .arguments = words};
  invocation.takes = [&document](const nlohmann::json& made) { document = made; };
  CLI::App app;
  app.option_defaults()->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
  app.require_subcommand(1);
  add_sweep(app, invocation);
  add_train(app, invocation);
  add_codec(app, invocation);
  std::vector<std::string> arguments(words.rbegin(), words.rend());  // as CLI11 wants them
  if (quiet && words.front() != "codec") arguments.insert(arguments.begin(), "--quiet");
  try {
    app.parse(std::move(arguments));
  } catch (const CLI::ParseError& error) {
    throw sim::UsageError(one_line(error.what()));
  }
  invocation.action();
  return document;
}

}  // namespace gw::tools
