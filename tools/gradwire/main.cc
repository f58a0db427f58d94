// gradwire: the command line. It parses, calls the library and prints; each command is a function
// of its own.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <filesystem>

#include "sim/base/error.h"
#include "sim/base/large_pages.h"
#include "sim/base/tool_words.h"
#include "sim/base/version.h"
#include "sim/harness/kernel.h"
#include "tools/gradwire/capsule.h"
#include "tools/gradwire/commands.h"
#include "tools/gradwire/config_file.h"
#include "tools/gradwire/device_options.h"
#include "tools/gradwire/help.h"

namespace {
constexpr const char* kOutputLost = "cannot write to standard output";

/// CLI11 takes -1, and what is beyond 64 bits, for the largest number that there is.
void check_counts(CLI::App& app) {
  const auto complaint = [](const std::string& text) {
    uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc() && end == text.data() + text.size()
               ? ""
               : fmt::format("'{}' is no whole number from 0 up", text);
  };
  for (CLI::Option* const option : app.get_options()) {
    if (option->get_type_name() == "UINT") option->check(complaint, "");
  }
  for (CLI::App* const command : app.get_subcommands({})) check_counts(*command);
}
}  // namespace

int main(int argc, char** argv) {
  using namespace gw;
  // Line by line, whatever it is: in a log of both, what stderr says stands where it was said.
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  sim::use_large_pages();
  CLI::App app{
      "gradwire: cycle-accurate simulation of hardware that works on gradients in the network"};
  app.name("gradwire");
  app.formatter(std::make_shared<tools::HelpFormatter>());
  // The first line is the version alone, as scripts want it.
  std::string version = sim::kVersion;
  for (const auto& [name, what] : sim::build_tools())
    version += fmt::format("\n{:<14} {}", name, what);
  app.set_version_flag("--version", version);
  app.require_subcommand(1);
  app.option_defaults()->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
  app.footer(
      "Exit codes: 0 pass, 1 a check failed, 2 wrong usage, 3 bad input file, 4 internal fault.");

  std::vector<std::string> arguments(argv + 1, argv + argc);
  tools::Invocation invocation{
      .command = tools::shell_command(argv[0], arguments), .program = argv[0], .typed = arguments};
  try {
    arguments = tools::join_netlist(tools::expand_config_file(std::move(arguments)));
    if (!arguments.empty() && arguments.front() == "run") {
      arguments = tools::with_capsule(std::move(arguments));
    }
    invocation.arguments = arguments;
    tools::add_list(app, invocation);
    tools::add_run(app, invocation);
    tools::add_bench(app, invocation);
    tools::add_sweep(app, invocation);
    tools::add_train(app, invocation);
    tools::add_paper(app, invocation);
    tools::add_coverage(app, invocation);
    tools::add_trace(app, invocation);
    tools::add_codec(app, invocation);
    tools::add_fp(app, invocation);
    tools::add_live(app, invocation);
    tools::add_regress(app, invocation);
    tools::add_mutate(app, invocation);
    tools::add_replay(app, invocation);
    tools::add_manual(app, invocation);
    tools::require_known_command(app, arguments);
    check_counts(app);
    tools::name_values(app);
    std::reverse(arguments.begin(), arguments.end());  // as CLI11 wants them
    app.parse(std::move(arguments));
    sim::catch_interrupts();
    const int code = invocation.action();
    // What was printed is a result too.
    if (std::fflush(stdout) != 0) throw sim::InputError(kOutputLost);
    return code;
  } catch (const CLI::Success& request) {  // --help, --version
    return app.exit(request);
  } catch (const CLI::ParseError& error) {
    fmt::print(stderr, "gradwire: {} (gradwire --help lists the options)\n",
               tools::one_line(error.what()));
    return sim::kUsage;
  } catch (const sim::UserError& error) {
    fmt::print(stderr, "gradwire: {}\n", sim::ToolWords(error.what()).text());
    return error.code();
  } catch (const std::filesystem::filesystem_error& error) {
    // Whatever a name is too long, too deep or forbidden for: it came from outside.
    fmt::print(stderr, "gradwire: '{}': {}\n", tools::one_line(error.path1().string()),
               error.code().message());
    return sim::kBadInput;
  } catch (const std::exception& error) {
    if (std::ferror(stdout) != 0) {  // fmt's, of a full disk
      fmt::print(stderr, "gradwire: {}\n", kOutputLost);
      return sim::kBadInput;
    }
    fmt::print(stderr, "gradwire: internal fault: {}\n", tools::one_line(error.what()));
    return sim::kInternal;
  }
}
