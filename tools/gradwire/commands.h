// The commands of gradwire: each adds its options to the parser and, when it was chosen, the action
// to run.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "testbenches/registry.h"

namespace gw::tools {

using testbenches::registry;

struct Invocation {
  std::string command;                      // as typed, for reports
  std::string program = {};                 // the first word of it
  std::vector<std::string> typed = {};      // the others
  std::vector<std::string> arguments = {};  // the words of it, a configuration file's among them
  std::function<int()> action = [] {
    return 0;
  };  // set by the chosen command; returns the exit code
  /// Gets the document of train, sweep and codec stats in the place of tables and files; may be
  /// empty.
  std::function<void(const nlohmann::json&)> takes = {};
};

void add_list(CLI::App& app, Invocation& invocation);
void add_run(CLI::App& app, Invocation& invocation);
void add_bench(CLI::App& app, Invocation& invocation);
void add_sweep(CLI::App& app, Invocation& invocation);
void add_train(CLI::App& app, Invocation& invocation);
void add_coverage(CLI::App& app, Invocation& invocation);
void add_trace(CLI::App& app, Invocation& invocation);
void add_codec(CLI::App& app, Invocation& invocation);
void add_fp(CLI::App& app, Invocation& invocation);
void add_live(CLI::App& app, Invocation& invocation);
void add_manual(CLI::App& app, Invocation& invocation);
void add_mutate(CLI::App& app, Invocation& invocation);
void add_paper(CLI::App& app, Invocation& invocation);
void add_regress(CLI::App& app, Invocation& invocation);
void add_replay(CLI::App& app, Invocation& invocation);

/// The command line as a shell would read it again.
std::string shell_command(const std::string& program, const std::vector<std::string>& arguments);

/// Throws UsageError that names the commands there are, if the first word is none of them.
void require_known_command(const CLI::App& app, const std::vector<std::string>& arguments);

/// The table [random.NAME] that `where` names, FILE.toml#NAME or NAME alone of those that come with
/// the program, as the device reads it. Throws UserError.
std::shared_ptr<const sim::RandomTable> read_random_table(const std::string& where,
                                                          const sim::Device& device);

/// The document of a command: the words after `gradwire` of run, sweep, train or codec stats, which
/// `--json -` would print. What is being done is said on standard error unless `quiet`. Throws
/// UserError, of a run that fails its headline.
nlohmann::json document_of(const std::vector<std::string>& words, bool quiet);

/// Line breaks folded to blanks: an error is one sentence on one line.
std::string one_line(std::string text);

/// Where the captures of this installation lie: $GRADWIRE_TRACES, ./traces, or those that came with
/// the program.
std::string trace_folder();
/// The path as it is if there is such a file, or if there is none at all; else one that comes with
/// the program: RTL and lists by their path in its folder, captures and plans also by their name.
std::string shipped_file(const std::string& path);
std::string shipped_trace(const std::string& path);
std::string shipped_plan(const std::string& path);

}  // namespace gw::tools
