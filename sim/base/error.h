// Errors that a user causes and can mend: one sentence each, with the exit code that goes with
// them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>
#include <string>

namespace gw::sim {

/// Exit codes of the command line (stable: scripts depend on them).
enum ExitCode : int {
  kPass = 0,
  kCheckFailed = 1,
  kUsage = 2,
  kBadInput = 3,
  kInternal = 4,
  kNotRepeated = 5,  ///< replay: it passes, but did not run as it did when it failed
};

class UserError : public std::runtime_error {
 public:
  UserError(ExitCode code, const std::string& sentence)
      : std::runtime_error(sentence), code_(code) {}
  ExitCode code() const { return code_; }

 private:
  ExitCode code_;
};

/// Wrong option, unknown device: exit code 2.
struct UsageError : UserError {
  explicit UsageError(const std::string& sentence) : UserError(kUsage, sentence) {}
};

/// A file that cannot be read, decoded or written: exit code 3.
struct InputError : UserError {
  explicit InputError(const std::string& sentence) : UserError(kBadInput, sentence) {}
};

}  // namespace gw::sim
