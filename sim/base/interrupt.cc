// SPDX-License-Identifier: Apache-2.0
#include "sim/base/interrupt.h"

#include <csignal>
#include <ctime>

namespace gw::sim {
namespace {

volatile std::sig_atomic_t g_interrupted = 0;
timespec g_first;  // when

double seconds_since_first() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);  // may be called in a handler
  return static_cast<double>(now.tv_sec - g_first.tv_sec) +
         1e-9 * static_cast<double>(now.tv_nsec - g_first.tv_nsec);
}

}  // namespace

void catch_interrupts() {
  struct sigaction action = {};
  action.sa_handler = [](int signal) {
    if (g_interrupted == 0) {
      clock_gettime(CLOCK_MONOTONIC, &g_first);
      g_interrupted = 1;
    } else if (seconds_since_first() > 0.5) {
      std::signal(signal, SIG_DFL);
      std::raise(signal);
    }
  };
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  // The terminal is closed; who ignores that, as under nohup, goes on.
  struct sigaction before = {};
  sigaction(SIGHUP, nullptr, &before);
  if (before.sa_handler != SIG_IGN) sigaction(SIGHUP, &action, nullptr);
}

bool interrupted() { return g_interrupted != 0; }
void forget_interrupt() { g_interrupted = 0; }

}  // namespace gw::sim
