// Progress for people: on standard error, a line that is redrawn on a terminal.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace gw::tools {

class Progress {
 public:
  explicit Progress(bool quiet);
  ~Progress() { done(); }
  /// Takes a line about what is being done.
  std::function<void(const std::string&)> note() const;
  /// Takes cycles and packets so far, and packets to come in all; empty where nobody looks.
  std::function<void(uint64_t cycles, uint64_t packets, uint64_t expected)> meter() const;
  /// Clears the line.
  void done();

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace gw::tools
