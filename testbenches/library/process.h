// Programs that are run: a list of arguments each, never a shell.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace gw::testbenches {

struct Command {
  std::string program;  ///< with its path
  std::vector<std::string> arguments;
  std::string folder = ".";
};

struct Finished {
  int status = -1;
  std::string words;  ///< stdout and stderr
};

/// The program of that name in PATH; "": there is none. A name with a slash is looked up as it is.
std::string find_program(const std::string& name);

/// Runs them side by side and waits for all; `waiting` is called every 50 ms. On Ctrl-C and SIGTERM
/// (sim/base/interrupt.h) they and all that they have begun are ended, and a UserError says so.
std::vector<Finished> run_programs(const std::vector<Command>& commands,
                                   const std::function<void()>& waiting = {});

}  // namespace gw::testbenches
