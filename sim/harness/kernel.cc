// SPDX-License-Identifier: Apache-2.0
#include "sim/harness/kernel.h"

#include <exception>
#include <systemc>

#include "sim/base/error.h"

// The SystemC library refers to it; programs of this project have a main of their own.
int sc_main(int, char*[]) { return 0; }

namespace gw::sim {
struct Kernel::Process : sc_core::sc_module {
  explicit Process(const sc_core::sc_module_name& name) : sc_module(name) {
    SC_HAS_PROCESS(Process);
    SC_METHOD(quantum);
    sensitive << begin;
    dont_initialize();
  }

  void quantum() {
    // An exception must not pass through the kernel's C frames; it is carried round them.
    try {
      if (run->advance(cycles) && !interrupted())
        next_trigger(period * static_cast<double>(cycles));
    } catch (...) {
      error = std::current_exception();
    }
  }

  sc_core::sc_event begin;
  Steppable* run = nullptr;
  uint64_t cycles = kQuantum;
  sc_core::sc_time period;
  std::exception_ptr error;
};

Kernel& Kernel::instance() {
  static Kernel kernel;
  return kernel;
}

Kernel::Kernel() {
  sc_core::sc_report_handler::set_actions("/IEEE_Std_1666/deprecated", sc_core::SC_DO_NOTHING);
  process_ = new Process("harness");
}

Kernel::~Kernel() =
    default;  // the kernel's own static objects may be gone by now: the process stays

bool Kernel::run(Steppable& run, double clock_mhz, uint64_t quantum) {
  process_->run = &run;
  process_->cycles = quantum;
  process_->period = sc_core::sc_time(1e6 / clock_mhz, sc_core::SC_PS);
  process_->error = nullptr;
  process_->begin.notify(sc_core::SC_ZERO_TIME);
  sc_core::sc_start();  // returns when no process has anything left to do
  if (process_->error) std::rethrow_exception(process_->error);
  return !interrupted();
}

}  // namespace gw::sim
