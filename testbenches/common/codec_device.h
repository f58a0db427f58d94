// What compressor and decompressor share as devices of the simulation: one input, one output, 256
// bits, the codec's configuration pins. A device adds its traits: classes of the engines, stimulus,
// words.
#pragma once

#include "testbenches/common/codec_rtl.h"  // verilated.h before SystemC
//
#include <fmt/format.h>

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "models/reference/codec.h"
#include "sim/device.h"
#include "sim/error.h"
#include "sim/kernel.h"
#include "sim/lockstep.h"
#include "testbenches/common/codec_words.h"

namespace gw::testbenches {

/// The SystemC model's kernel-free core as an engine.
template <class Core>
class CodecModel {
 public:
  explicit CodecModel(const reference::CodecConfig& config) {
    core_.configure({.bound = static_cast<uint8_t>(config.bound_exponent),
                     .bounded = config.mode == reference::Mode::kBounded});
  }
  void reset() { core_.reset(); }
  bool s_ready() const { return core_.s_ready(); }
  const Beat* m_beat() const { return core_.m_beat(); }
  uint64_t sideband() const { return core_.error_count(); }
  void clock(const Beat* s, bool m_ready) { core_.clock(s, m_ready); }

 private:
  Core core_;
};

/// Writes what only the harness knows into the waveform, cycle by cycle.
class WaveObserver {
 public:
  WaveObserver(HarnessSignals& signals, const sim::Stimulus& stimulus)
      : signals_(signals), stimulus_(stimulus) {}

  void operator()(const sim::CycleView& view) {
    signals_.cycle = view.cycle;
    signals_.source_stall = view.s_beat == nullptr;
    signals_.sink_stall = !view.m_ready;
    signals_.input_packet = packet(stimulus_.input, view.input_beats);
    signals_.output_packet = packet(stimulus_.expected, view.output_beats);
    for (int i = 0; i < kLanes; ++i) {
      if (view.s_beat != nullptr)
        signals_.input_lane[i] = std::bit_cast<float>(view.s_beat->data[i]);
      if (view.m_beat != nullptr)
        signals_.output_lane[i] = std::bit_cast<float>(view.m_beat->data[i]);
    }
  }

 private:
  static uint32_t packet(const sim::BeatStream& stream, uint64_t beat) {
    return static_cast<uint32_t>(stream.packet_of(beat));
  }

  HarnessSignals& signals_;
  const sim::Stimulus& stimulus_;
};

/// Passes the stimulus through one engine with nothing else in the loop, and proves by a checksum
/// that it worked.
template <class Engine>
sim::Speed bare_pass(Engine& engine, const sim::Stimulus& stimulus, const char* name) {
  const auto add = [](std::array<uint64_t, kLanes>& sum, const Beat& beat) {
    for (int i = 0; i < kLanes; ++i) sum[i] += beat.data[i];
    sum[0] += beat.keep;
  };
  std::array<uint64_t, kLanes> expected{}, seen{};
  for (const Beat& beat : stimulus.expected.beats) add(expected, beat);

  engine.reset();
  engine.clock(nullptr, true);
  const Beat* const input = stimulus.input.beats.data();
  const uint64_t inputs = stimulus.input.beats.size(), outputs = stimulus.expected.beats.size();
  const uint64_t limit = 4 * (inputs + outputs) + 1000;
  uint64_t in = 0, out = 0, cycles = 0;
  const auto begin = std::chrono::steady_clock::now();
  for (; out < outputs && cycles < limit; ++cycles) {
    const Beat* const s = in < inputs ? input + in : nullptr;
    in += s != nullptr && engine.s_ready();
    if (const Beat* const m = engine.m_beat()) {
      add(seen, *m);
      ++out;
    }
    engine.clock(s, true);
  }
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
  if (out != outputs || in != inputs || seen != expected) {
    throw std::logic_error(
        fmt::format("{} alone delivered {} of {} beats, or wrong ones", name, out, outputs));
  }
  return {.cycles = cycles, .seconds = seconds.count()};
}

template <class Traits>
class CodecDevice final : public sim::Device {
  using Rtl = CodecRtl<typename Traits::VerilatedFast, false>;
  using TracedRtl = CodecRtl<typename Traits::VerilatedTraced, true>;
  using Model = CodecModel<typename Traits::ModelCore>;

 public:
  std::string name() const override { return Traits::kName; }
  std::string summary() const override { return Traits::kSummary; }
  bool burst_is_input() const override { return Traits::kBurstIsInput; }

  sim::Stimulus stimulus(const std::vector<sim::GradientPacket>& packets,
                         const sim::RunSpec& spec) const override {
    sim::Stimulus stimulus;
    for (const sim::GradientPacket& packet : packets) {
      Traits::add_gradients(stimulus, packet.values, spec.codec);
      stimulus.trace_number.push_back(packet.trace_number);
    }
    return stimulus;
  }

  sim::Stimulus stimulus_from_bytes(const std::vector<std::vector<uint8_t>>& packets,
                                    const sim::RunSpec& spec) const override {
    sim::Stimulus stimulus;
    for (const std::vector<uint8_t>& packet : packets) {
      Traits::add_bytes(stimulus, packet, spec.codec);
      stimulus.trace_number.push_back(0);
    }
    return stimulus;
  }

  sim::Outcome run(const sim::Stimulus& stimulus, const sim::RunSpec& spec,
                   sim::Kernel& kernel) const override {
    sim::NoEngine none;
    Model model(spec.codec);
    if (spec.wave) {
      if (!spec.rtl)
        throw sim::UsageError("--wave shows the RTL's signals and needs the engine rtl");
      // Opened before anything runs, closed however the run ends.
      WaveFile waves(*spec.wave, spec.clock_mhz);
      TracedRtl rtl(Traits::kTop, spec.codec, spec.seed);
      rtl.attach(waves);
      waves.open();
      WaveObserver observer(waves.harness(), stimulus);
      sim::Outcome outcome =
          spec.model
              ? finish<WaveObserver>(rtl, model, stimulus, spec, kernel, "rtl", "model", &observer)
              : finish<WaveObserver>(rtl, none, stimulus, spec, kernel, "rtl", "", &observer);
      try {
        waves.close();
      } catch (const sim::InputError& error) {
        outcome.wave_error = error.what();  // a full disk costs the waveform, not the report
      }
      return outcome;
    }
    if (!spec.rtl) return finish<void>(model, none, stimulus, spec, kernel, "model", "");
    Rtl rtl(Traits::kTop, spec.codec, spec.seed);
    if (!spec.model) return finish<void>(rtl, none, stimulus, spec, kernel, "rtl", "");
    return finish<void>(rtl, model, stimulus, spec, kernel, "rtl", "model");
  }

  sim::Speed bench(sim::BenchSubject subject, const sim::Stimulus& stimulus,
                   const sim::RunSpec& spec, sim::Kernel& kernel) const override {
    Rtl rtl(Traits::kTop, spec.codec, spec.seed);
    Model model(spec.codec);
    switch (subject) {
      case sim::BenchSubject::kRtl:
        return bare_pass(rtl, stimulus, "rtl");
      case sim::BenchSubject::kModel:
        return bare_pass(model, stimulus, "model");
      case sim::BenchSubject::kLockstep:
        break;
    }
    sim::Lockstep<Rtl, Model> run(rtl, model, stimulus, spec.stall, spec.seed, "rtl", "model");
    run.reset();
    const auto begin = std::chrono::steady_clock::now();
    kernel.run(run, spec.clock_mhz);
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
    if (!run.passed())
      throw std::logic_error(name() + " in lockstep did not pass while it was timed");
    return {.cycles = run.counters().cycles, .seconds = seconds.count()};
  }

  std::string describe_input(const sim::Stimulus& stimulus, size_t beat) const override {
    return Traits::kBurstIsInput ? describe_floats(stimulus.input, beat)
                                 : describe_encoded(stimulus.input, beat);
  }
  std::string describe_output(const sim::Stimulus& stimulus, size_t beat) const override {
    return Traits::kBurstIsInput ? describe_encoded(stimulus.expected, beat)
                                 : describe_floats(stimulus.expected, beat);
  }
  std::string save_file() const override { return Traits::kSaveFile; }

 private:
  template <class Observer, class A, class B>
  static sim::Outcome finish(A& a, B& b, const sim::Stimulus& stimulus, const sim::RunSpec& spec,
                             sim::Kernel& kernel, const char* name_a, const char* name_b,
                             Observer* observer = nullptr) {
    sim::Lockstep<A, B, Observer> run(a, b, stimulus, spec.stall, spec.seed, name_a, name_b,
                                      lockstep_observer(observer));
    run.reset();
    sim::Outcome outcome;
    const auto begin = std::chrono::steady_clock::now();
    outcome.interrupted =
        !kernel.run(run, spec.clock_mhz, std::is_void_v<Observer> ? sim::kQuantum : 1);
    outcome.wall_seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    outcome.passed = run.passed();
    outcome.counters = run.counters();
    outcome.failure = run.failure();
    outcome.accept_cycles = run.accept_cycles();
    outcome.offer_cycles = run.offer_cycles();
    return outcome;
  }
  static char* lockstep_observer(void*) { return nullptr; }
  static WaveObserver* lockstep_observer(WaveObserver* observer) { return observer; }
};

}  // namespace gw::testbenches
