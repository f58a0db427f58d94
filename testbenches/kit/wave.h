// A waveform file of compiled RTL: FST as Verilator writes it, or VCD converted from that when it
// is closed.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "sim/run/device.h"

namespace gw::testbenches {

class Wave {
 public:
  /// Tries the file, so that a folder that cannot be written is known before the run. Throws
  /// InputError, or UsageError for a name that ends neither in .fst nor in .vcd.
  explicit Wave(const sim::WaveSpec& spec);

  template <class Engine>
  void begin(Engine& engine, const sim::WaveSpec& spec, double clock_mhz) {
    opened(engine.trace(fst_path_, spec.from, spec.to, sim::period_ps(clock_mhz)));
  }
  /// Closes the file; empty, or why it is not whole.
  template <class Engine>
  std::string end(Engine& engine) {
    const std::string why = engine.finish();
    return why.empty() ? converted() : cannot_write(fst_path_, why);
  }

 private:
  void opened(int error) const;
  std::string converted() const;
  static std::string cannot_write(const std::string& path, const std::string& why);

  std::string path_, fst_path_;
};

}  // namespace gw::testbenches
