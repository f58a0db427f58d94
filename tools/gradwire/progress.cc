// SPDX-License-Identifier: Apache-2.0
#include "tools/gradwire/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>

namespace gw::tools {

struct Progress::State {
  bool quiet = false, terminal = false, drawn = false;
  std::chrono::steady_clock::time_point begin = std::chrono::steady_clock::now(), last = begin;

  void clear() {
    if (drawn) fmt::print(stderr, "\r\033[K");
    drawn = false;
  }
};

Progress::Progress(bool quiet) : state_(std::make_shared<State>()) {
  state_->quiet = quiet;
  state_->terminal = isatty(STDERR_FILENO) != 0;
}

std::function<void(const std::string&)> Progress::note() const {
  if (state_->quiet) return {};
  return [state = state_](const std::string& text) {
    state->clear();
    fmt::print(stderr, "# {}\n", text);
  };
}

std::function<void(uint64_t, uint64_t, uint64_t)> Progress::meter() const {
  if (state_->quiet || !state_->terminal) return {};
  return [state = state_](uint64_t cycles, uint64_t packets, uint64_t expected) {
    const auto now = std::chrono::steady_clock::now();
    if (now - state->last < std::chrono::milliseconds(500)) return;
    state->last = now;
    const double seconds = std::chrono::duration<double>(now - state->begin).count();
    const bool known = expected > packets && packets != 0;
    fmt::print(stderr, "\r\033[K# {:.1f} M cycles, {:.2f} M cycles/s, {} packets out{}",
               static_cast<double>(cycles) * 1e-6, static_cast<double>(cycles) * 1e-6 / seconds,
               packets,
               known ? fmt::format(" of {}, {:.0f} s left", expected,
                                   seconds * static_cast<double>(expected - packets) /
                                       static_cast<double>(packets))
                     : "");
    std::fflush(stderr);
    state->drawn = true;
  };
}

void Progress::done() { state_->clear(); }

}  // namespace gw::tools
