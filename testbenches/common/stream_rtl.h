// The RTL opinion of a device with one stream in and one out: a verilated top with the ports of
// docs/devices, as an engine of sim/lockstep.h.
#pragma once

#include <verilated.h>

#include <array>
#include <cstring>
#include <memory>
#include <span>

#include "models/axis/beat.h"
#include "sim/device.h"
#include "testbenches/common/falling_edge.h"
#include "testbenches/common/wave_file.h"

namespace gw::testbenches {

/// Words of an output port; none if the top has no such port.
template <size_t kWords>
std::span<const uint32_t> words_of(const VlWide<kWords>& port) {
  return {&port[0], kWords};
}

/// V: the verilated class. A traced one (kTraced) can write a waveform. Pins says what the device
/// has beyond its streams:
///
///   static void configure(auto& top, const sim::RunSpec&);     pins that do not change in a run
///   static void prepare(auto& rtl, const sim::RunSpec&);       clock edges from reset to cycle 0
template <class V, bool kTraced, class Pins>
class StreamRtl {
 public:
  StreamRtl(const char* name, const sim::RunSpec& spec)
      : spec_(spec), context_(std::make_unique<VerilatedContext>()) {
    // Undefined values of the traced build are random, but the same ones for the same seed.
    context_->randReset(kTraced ? 2 : 0);
    context_->randSeed(static_cast<int>(spec.seed & 0x7FFFFFFF) | 1);
    if constexpr (kTraced) context_->traceEverOn(true);
    top_ = std::make_unique<V>(context_.get(), name);
    top_->aclk = 0;
    top_->aresetn = 0;
    Pins::configure(*top_, spec);
    top_->s_axis_tvalid = 0;
    top_->m_axis_tready = 0;
    top_->eval();
  }

  ~StreamRtl() { top_->final(); }

  void attach(WaveFile& waves) requires kTraced {
    waves_ = &waves;
    harness_ = waves.trace(*top_);
  }

  void reset() {
    top_->aresetn = 0;
    top_->s_axis_tvalid = 0;
    edge();
  }

  V& top() { return *top_; }

  /// Out of reset, to cycle 0. What happens on the way is not in the waveform but for its last
  /// edge.
  void prepare() {
    preparing_ = true;
    Pins::prepare(*this, spec_);
    preparing_ = false;
    clock(nullptr, false);
  }

  /// A rising edge at which nothing is offered or taken.
  void idle() { clock(nullptr, false); }

  bool s_ready() const { return top_->s_axis_tready != 0; }
  const Beat* m_beat() const { return top_->m_axis_tvalid != 0 ? &out_ : nullptr; }
  uint64_t sideband() const {
    if constexpr (requires(V & v) { v.error_count_o; }) {
      return top_->error_count_o;
    } else {
      return 0;
    }
  }
  std::span<const uint32_t> statistics() const {
    if constexpr (requires(V & v) { v.stat_o; }) {
      return words_of(top_->stat_o);
    } else {
      return {};
    }
  }

  void clock(const Beat* s, bool m_ready) {
    top_->aresetn = 1;
    top_->s_axis_tvalid = s != nullptr;
    if (s != nullptr) {
      std::memcpy(&top_->s_axis_tdata[0], s->data.data(), kBeatBytes);
      top_->s_axis_tkeep = s->keep;
      top_->s_axis_tlast = s->last;
      // Between the switch's blocks tuser is the port that a frame came in by.
      if constexpr (kFrames) {
        top_->s_axis_tuser = s->meta[4] >> 20 & 3;
      } else {
        top_->s_axis_tuser = s->user;
      }
    }
    top_->m_axis_tready = m_ready;
    edge();
  }

 private:
  static constexpr bool kFrames = requires(V & v) { v.stat_o; };

  void edge() {
    if constexpr (kTraced) {
      if (waves_ != nullptr && !preparing_) {
        // Inputs change at the falling edge, so that a person sees what the rising edge samples.
        top_->aclk = 0;
        top_->eval();
        waves_->dump(cycle_, 0);
        top_->aclk = 1;
        top_->eval();
        waves_->dump(cycle_, 1);
        falling_edge(*top_);
        ++cycle_;
        read_output();
        return;
      }
    }
    top_->aclk = 1;
    top_->eval();
    falling_edge(*top_);
    read_output();
  }

  void read_output() {
    if (top_->m_axis_tvalid == 0) return;
    std::memcpy(out_.data.data(), &top_->m_axis_tdata[0], kBeatBytes);
    out_.keep = top_->m_axis_tkeep;
    out_.last = top_->m_axis_tlast;
    if constexpr (kFrames) {
      std::memcpy(out_.meta.data(), &top_->m_axis_tuser[0], sizeof out_.meta);
    } else {
      out_.user = top_->m_axis_tuser;
    }
  }

  sim::RunSpec spec_;
  std::unique_ptr<VerilatedContext> context_;
  std::unique_ptr<V> top_;
  std::shared_ptr<void> harness_;  // of the waveform, in the same context
  Beat out_;
  WaveFile* waves_ = nullptr;
  bool preparing_ = false;
  int64_t cycle_ = -sim::kResetCycles;
};

}  // namespace gw::testbenches
