// One build of the switch's RTL. The build lists them (GRADWIRE_SWITCHES).
#pragma once

#include "testbenches/common/stream_rtl.h"  // verilated.h before SystemC
//
#include <chrono>
#include <memory>

#include "models/systemc/switch.h"
#include "sim/device.h"
#include "sim/error.h"
#include "sim/kernel.h"
#include "sim/switch_lockstep.h"
#include "testbenches/common/falling_edge.h"
#include "testbenches/common/network_pins.h"
#include "testbenches/optimizer/timing.h"

namespace gw::testbenches {

std::unique_ptr<sim::SwitchReference> make_switch_reference(const sim::RunSpec& spec);

/// The verilated switch as an engine of sim/switch_lockstep.h.
template <class V, bool kTraced>
class SwitchRtl {
 public:
  SwitchRtl(const char* name, const sim::RunSpec& spec)
      : spec_(spec), context_(std::make_unique<VerilatedContext>()) {
    context_->randReset(kTraced ? 2 : 0);
    context_->randSeed(static_cast<int>(spec.seed & 0x7FFFFFFF) | 1);
    if constexpr (kTraced) context_->traceEverOn(true);
    top_ = std::make_unique<V>(context_.get(), name);
    top_->aclk = 0;
    top_->aresetn = 0;
    set_aggregator_pins(*top_, spec);
    top_->cfg_valid_i = 0;
    top_->s_axis_tvalid = 0;
    top_->m_axis_tready = 0;
    top_->eval();
  }
  ~SwitchRtl() { top_->final(); }

  V& top() { return *top_; }
  void attach(WaveFile& waves) requires kTraced {
    waves_ = &waves;
    harness_ = waves.trace(*top_);
  }

  void reset() {
    top_->aresetn = 0;
    top_->s_axis_tvalid = 0;
    edge();
  }
  /// The host's writes and the clearing of the slots, whichever takes longer.
  void prepare() {
    preparing_ = true;
    edges_ = 0;
    load_optimizer(*this, spec_);
    while (edges_ + 1 < sim::kNetworkDepth) idle();
    preparing_ = false;
    idle();
  }
  void idle() { clock({}, 0); }

  bool s_ready(int port) const { return (top_->s_axis_tready >> port & 1) != 0; }
  const Beat* m_beat(int port) const {
    return (top_->m_axis_tvalid >> port & 1) != 0 ? &out_[static_cast<size_t>(port)] : nullptr;
  }
  uint32_t events() const { return top_->event_o; }
  std::span<const uint32_t> statistics() const { return words_of(top_->stat_o); }

  void clock(const std::array<const Beat*, sim::kPorts>& s, unsigned m_ready) {
    top_->aresetn = 1;
    unsigned valid = 0, last = 0, user = 0;
    for (size_t p = 0; p < sim::kPorts; ++p) {
      if (s[p] == nullptr) continue;
      valid |= 1u << p;
      last |= static_cast<unsigned>(s[p]->last) << p;
      user |= static_cast<unsigned>(s[p]->user) << p;
      std::memcpy(&top_->s_axis_tdata[8 * p], s[p]->data.data(), kBeatBytes);
      top_->s_axis_tkeep[p] = s[p]->keep;
    }
    top_->s_axis_tvalid = static_cast<uint8_t>(valid);
    top_->s_axis_tlast = static_cast<uint8_t>(last);
    top_->s_axis_tuser = static_cast<uint8_t>(user);
    top_->m_axis_tready = static_cast<uint8_t>(m_ready);
    edge();
  }

 private:
  void edge() {
    ++edges_;
    if constexpr (kTraced) {
      if (waves_ != nullptr && !preparing_) {
        top_->aclk = 0;
        top_->eval();
        waves_->dump(cycle_, 0);
        top_->aclk = 1;
        top_->eval();
        waves_->dump(cycle_, 1);
        falling_edge(*top_);
        ++cycle_;
        return read_outputs();
      }
    }
    top_->aclk = 1;
    top_->eval();
    falling_edge(*top_);
    read_outputs();
  }

  void read_outputs() {
    for (size_t p = 0; p < sim::kPorts; ++p) {
      if ((top_->m_axis_tvalid >> p & 1) == 0) continue;
      std::memcpy(out_[p].data.data(), &top_->m_axis_tdata[8 * p], kBeatBytes);
      out_[p].keep = top_->m_axis_tkeep[p];
      out_[p].last = top_->m_axis_tlast >> p & 1;
    }
  }

  sim::RunSpec spec_;
  std::unique_ptr<VerilatedContext> context_;
  std::unique_ptr<V> top_;
  std::shared_ptr<void> harness_;  // of the waveform, in the same context
  std::array<Beat, sim::kPorts> out_;
  WaveFile* waves_ = nullptr;
  bool preparing_ = false;
  uint64_t edges_ = 0;
  int64_t cycle_ = -sim::kResetCycles;
};

/// The SystemC model's core as an engine.
class SwitchModel {
 public:
  explicit SwitchModel(const sim::RunSpec& spec) {
    core_.configure(aggregation_config(spec), optimizer_config(spec),
                    sim::initial_parameters(spec.network, spec.seed));
  }
  void reset() { core_.reset(); }
  void prepare() { core_.prepare(); }
  bool s_ready(int port) const { return core_.s_ready(port); }
  const Beat* m_beat(int port) const { return core_.m_beat(port); }
  uint32_t events() const { return core_.events(); }
  std::span<const uint32_t> statistics() const { return core_.statistics(); }
  void clock(const std::array<const Beat*, sim::kPorts>& s, unsigned m_ready) {
    core_.clock(s, m_ready);
  }

 private:
  systemc::Switch core_;
};

struct SwitchVariant {
  reference::optimizer::Algorithm algorithm;
  int pes;
  bool iterative, fast, waves;
  sim::SwitchOutcome (*run)(const sim::SwitchStimulus&, const sim::RunSpec&, sim::Kernel&, bool);
  sim::Speed (*bench)(sim::BenchSubject, const sim::SwitchStimulus&, const sim::RunSpec&,
                      sim::Kernel&);
  bool is(const sim::NetworkSpec& net) const {
    return algorithm == net.algorithm && pes == net.pes && iterative == net.iterative &&
           fast == net.fast;
  }
};

struct SwitchWaveObserver {
  HarnessSignals& signals;
  void operator()(uint64_t cycle, const std::array<const Beat*, sim::kPorts>& s, unsigned m_ready) {
    signals.cycle = cycle;
    signals.source_stall = s[0] == nullptr && s[1] == nullptr && s[2] == nullptr && s[3] == nullptr;
    signals.sink_stall = m_ready == 0;
  }
};

template <class Observer, class A, class B>
sim::SwitchOutcome finish_switch(
    A& a, B& b, const sim::SwitchStimulus& stimulus, const sim::RunSpec& spec, sim::Kernel& kernel,
    const char* name_a, const char* name_b, bool keep_bytes,
    std::conditional_t<std::is_void_v<Observer>, char, Observer>* observer = nullptr) {
  const std::unique_ptr<sim::SwitchReference> reference = make_switch_reference(spec);
  sim::SwitchLockstep<A, B, Observer> run(a, b, stimulus, *reference, spec.stall, spec.seed,
                                          spec.clock_mhz, name_a, name_b, keep_bytes, observer);
  run.reset();
  const auto begin = std::chrono::steady_clock::now();
  const bool whole = kernel.run(run, spec.clock_mhz, std::is_void_v<Observer> ? sim::kQuantum : 1);
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
  sim::SwitchOutcome outcome = run.outcome();
  outcome.interrupted = !whole;
  outcome.wall_seconds = seconds.count();
  return outcome;
}

template <class V, class TracedV>
sim::SwitchOutcome run_switch_variant(const sim::SwitchStimulus& stimulus, const sim::RunSpec& spec,
                                      sim::Kernel& kernel, bool keep) {
  constexpr const char* kTop = "gw_switch";
  sim::NoSwitchEngine none;
  if (spec.wave) {
    if (!spec.rtl) throw sim::UsageError("--wave shows the RTL's signals and needs the engine rtl");
    if constexpr (!std::is_void_v<TracedV>) {
      SwitchModel model(spec);
      WaveFile waves(*spec.wave, spec.clock_mhz);
      SwitchRtl<TracedV, true> rtl(kTop, spec);
      rtl.attach(waves);
      waves.open();
      SwitchWaveObserver observer{waves.harness()};
      using Observer = SwitchWaveObserver;
      sim::SwitchOutcome outcome = spec.model
                                       ? finish_switch<Observer>(rtl, model, stimulus, spec, kernel,
                                                                 "rtl", "model", keep, &observer)
                                       : finish_switch<Observer>(rtl, none, stimulus, spec, kernel,
                                                                 "rtl", "", keep, &observer);
      try {
        waves.close();
      } catch (const sim::InputError& error) {
        outcome.wave_error = error.what();
      }
      return outcome;
    }
  }
  SwitchRtl<V, false> rtl(kTop, spec);
  if (!spec.model) {
    return finish_switch<void>(rtl, none, stimulus, spec, kernel, "rtl", "", keep);
  }
  SwitchModel model(spec);
  return finish_switch<void>(rtl, model, stimulus, spec, kernel, "rtl", "model", keep);
}

/// Engines alone run under the reference too: it costs little beside the RTL, and a dead engine
/// would not pass.
template <class V>
sim::Speed bench_switch_variant(sim::BenchSubject subject, const sim::SwitchStimulus& stimulus,
                                const sim::RunSpec& spec, sim::Kernel& kernel) {
  sim::NoSwitchEngine none;
  SwitchModel model(spec);
  sim::SwitchOutcome outcome;
  if (subject == sim::BenchSubject::kModel) {
    outcome = finish_switch<void>(model, none, stimulus, spec, kernel, "model", "", false);
  } else {
    SwitchRtl<V, false> rtl("gw_switch", spec);
    outcome = subject == sim::BenchSubject::kRtl
                  ? finish_switch<void>(rtl, none, stimulus, spec, kernel, "rtl", "", false)
                  : finish_switch<void>(rtl, model, stimulus, spec, kernel, "rtl", "model", false);
  }
  if (!outcome.passed) throw std::logic_error("the switch did not pass while it was timed");
  return {.cycles = outcome.cycles, .seconds = outcome.wall_seconds};
}

template <class V, class TracedV>
SwitchVariant switch_variant(int algorithm, int pes, bool iterative, bool fast) {
  return {.algorithm = static_cast<reference::optimizer::Algorithm>(algorithm),
          .pes = pes,
          .iterative = iterative,
          .fast = fast,
          .waves = !std::is_void_v<TracedV>,
          .run = run_switch_variant<V, TracedV>,
          .bench = bench_switch_variant<V>};
}

}  // namespace gw::testbenches
