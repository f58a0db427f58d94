// A waveform file of a traced engine: FST as Verilator writes it, or VCD converted from that when
// it is closed. The harness's own signals are a second verilated model in the same file, with
// documented calls only; what the file leans on besides is in cmake/VerilatorInternals.cmake.
#pragma once

// verilated.h has to come before SystemC, see ARCHITECTURE.md.
#include <verilated.h>
#include <verilated_fst_c.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <string>

#include "models/axis/beat.h"
#include "sim/device.h"

namespace gw::testbenches {

/// What the harness knows in a cycle and the RTL does not: written into the waveform beside the
/// RTL's signals.
struct HarnessSignals {
  uint64_t cycle = 0;
  uint32_t input_packet = 0;   // number of the packet at s_axis, counted from 0
  uint32_t output_packet = 0;  // number of the packet at m_axis
  uint8_t source_stall = 0, sink_stall = 0;
  std::array<double, kLanes> input_lane{}, output_lane{};  // tdata's lanes read as binary32
};

struct HarnessModel;

class WaveFile {
 public:
  /// Opens path (.fst or .vcd) at once, so that a folder that cannot be written is known before the
  /// run. Throws InputError.
  WaveFile(const sim::WaveSpec& spec, double clock_mhz);
  ~WaveFile();

  /// Adds the signals of a traced engine, and beside them the harness's: a model in the engine's
  /// context, because Verilator traces a context at a time. The caller keeps what is returned until
  /// its context goes. Once, before open().
  template <class V>
  [[nodiscard]] std::shared_ptr<void> trace(V& top) {
    std::shared_ptr<void> kept = add_harness(top.contextp());
    top.trace(&fst_, 99);
    trace_harness();
    return kept;
  }
  HarnessSignals& harness() { return harness_; }
  /// Writes the header: all signals are declared by now.
  void open();

  /// Dumps if the cycle (negative in reset) lies in the window; half = 0 at the falling edge, 1 at
  /// the rising edge that ends the cycle.
  void dump(int64_t cycle, int half) {
    if (std::max<int64_t>(cycle, 0) < spec_.from || cycle > spec_.to) return;
    show_harness();
    fst_.dump(time_of(cycle, half));
    last_time_ = time_of(cycle, half);
  }

  /// Finishes the file; throws InputError if not all of it could be written. Safe to call twice.
  void close();

 private:
  uint64_t time_of(int64_t cycle, int half) const {
    return static_cast<uint64_t>(cycle + sim::kResetCycles) * period_ps_ +
           (half == 0 ? period_ps_ / 2 : period_ps_);
  }

  std::shared_ptr<void> add_harness(VerilatedContext* context);
  void trace_harness();
  /// Puts harness_ on the ports of gw_harness_signals.sv.
  void show_harness();

  sim::WaveSpec spec_;
  std::string fst_path_;
  uint64_t period_ps_;
  uint64_t last_time_ = 0;
  bool open_ = false;
  HarnessSignals harness_;
  HarnessModel* model_ = nullptr;  // of the engine
  VerilatedFstC fst_;
};

}  // namespace gw::testbenches
