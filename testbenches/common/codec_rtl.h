// The RTL opinion of a codec device: a verilated top with the ports of docs/devices, as an engine
// of sim/lockstep.h.
#pragma once

#include <verilated.h>

#include <cstring>
#include <memory>

#include "models/axis/beat.h"
#include "models/reference/codec.h"
#include "testbenches/common/wave_file.h"

namespace gw::testbenches {

/// V: the verilated class. A traced one (kTraced) can write a waveform.
template <class V, bool kTraced>
class CodecRtl {
 public:
  CodecRtl(const char* name, const reference::CodecConfig& config, uint64_t seed)
      : context_(std::make_unique<VerilatedContext>()) {
    // Undefined values of the traced build are random, but the same ones for the same seed.
    context_->randReset(kTraced ? 2 : 0);
    context_->randSeed(static_cast<int>(seed & 0x7FFFFFFF) | 1);
    if constexpr (kTraced) context_->traceEverOn(true);
    top_ = std::make_unique<V>(context_.get(), name);
    top_->aclk = 0;
    top_->aresetn = 0;
    top_->bound_i = static_cast<uint8_t>(config.bound_exponent);
    top_->bounded_i = config.mode == reference::Mode::kBounded ? 1 : 0;
    top_->s_axis_tvalid = 0;
    top_->m_axis_tready = 0;
    top_->eval();
  }

  ~CodecRtl() { top_->final(); }

  void attach(WaveFile& waves) requires kTraced {
    waves_ = &waves;
    top_->trace(&waves.tracer(), 99);
  }

  void reset() {
    top_->aresetn = 0;
    top_->s_axis_tvalid = 0;
    edge();
  }

  bool s_ready() const { return top_->s_axis_tready != 0; }
  const Beat* m_beat() const { return top_->m_axis_tvalid != 0 ? &out_ : nullptr; }
  uint64_t sideband() const { return top_->error_count_o; }

  void clock(const Beat* s, bool m_ready) {
    top_->aresetn = 1;
    top_->s_axis_tvalid = s != nullptr;
    if (s != nullptr) {
      std::memcpy(&top_->s_axis_tdata[0], s->data.data(), kBeatBytes);
      top_->s_axis_tkeep = s->keep;
      top_->s_axis_tlast = s->last;
      top_->s_axis_tuser = s->user;
    }
    top_->m_axis_tready = m_ready;
    edge();
  }

 private:
  void edge() {
    if constexpr (kTraced) {
      if (waves_ != nullptr) {
        // Inputs change at the falling edge, so that a person sees what the rising edge samples.
        top_->aclk = 0;
        top_->eval();
        waves_->dump(cycle_, 0);
        top_->aclk = 1;
        top_->eval();
        waves_->dump(cycle_, 1);
        ++cycle_;
        read_output();
        return;
      }
    }
    // Nothing happens at the falling edge. Where Verilator's memory of the clock's last value can
    // be reached, it is told that the clock was low, which saves an evaluation a cycle; elsewhere
    // the clock does fall.
    top_->aclk = 1;
    top_->eval();
    if constexpr (requires(V & v) { v.rootp->__Vtrigrprev__TOP__aclk; }) {
      top_->rootp->__Vtrigrprev__TOP__aclk = 0;
    } else {
      top_->aclk = 0;
      top_->eval();
    }
    read_output();
  }

  void read_output() {
    if (top_->m_axis_tvalid == 0) return;
    std::memcpy(out_.data.data(), &top_->m_axis_tdata[0], kBeatBytes);
    out_.keep = top_->m_axis_tkeep;
    out_.last = top_->m_axis_tlast;
    out_.user = top_->m_axis_tuser;
  }

  std::unique_ptr<VerilatedContext> context_;
  std::unique_ptr<V> top_;
  Beat out_;
  WaveFile* waves_ = nullptr;
  int64_t cycle_ = -sim::kResetCycles;
};

}  // namespace gw::testbenches
