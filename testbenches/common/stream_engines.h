// Runs the engines of a device with one stream in and one out: alone, in lockstep, against the
// clock on the wall.
#pragma once

#include "testbenches/common/stream_rtl.h"  // verilated.h before SystemC
//
#include <fmt/format.h>

#include <chrono>
#include <string>

#include "sim/run/device.h"
#include "sim/base/error.h"
#include "sim/harness/kernel.h"
#include "sim/lockstep.h"

namespace gw::testbenches {

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
  sim::prepare(engine);
  const Beat* const input = stimulus.input.beats.data();
  const uint64_t inputs = stimulus.input.beats.size(), outputs = stimulus.expected.beats.size();
  const uint64_t limit = 100 * (inputs + outputs) + 100'000;
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

inline char* lockstep_observer(void*) { return nullptr; }
inline WaveObserver* lockstep_observer(WaveObserver* observer) { return observer; }

template <class Observer, class A, class B>
sim::Outcome finish(A& a, B& b, const sim::Stimulus& stimulus, const sim::RunSpec& spec,
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
  outcome.statistics = sim::statistics_of(a);
  outcome.accept_cycles = run.accept_cycles();
  outcome.offer_cycles = run.offer_cycles();
  return outcome;
}

/// A run as the spec wants it. Model is constructed from the spec, as the RTL is; kTop names the
/// RTL's top in the waveform.
template <class Rtl, class TracedRtl, class Model>
sim::Outcome run_stream(const char* top, const sim::Stimulus& stimulus, const sim::RunSpec& spec,
                        sim::Kernel& kernel) {
  sim::NoEngine none;
  if (spec.wave) {
    if (!spec.rtl) throw sim::UsageError("--wave shows the RTL's signals and needs the engine rtl");
    if constexpr (!std::is_void_v<TracedRtl>) {
      Model model(spec);
      // Opened before anything runs, closed however the run ends.
      WaveFile waves(*spec.wave, spec.clock_mhz);
      TracedRtl rtl(top, spec);
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
    } else {
      throw sim::UsageError("this build of the RTL has no waveforms");
    }
  }
  Model model(spec);
  if (!spec.rtl) return finish<void>(model, none, stimulus, spec, kernel, "model", "");
  Rtl rtl(top, spec);
  if (!spec.model) return finish<void>(rtl, none, stimulus, spec, kernel, "rtl", "");
  return finish<void>(rtl, model, stimulus, spec, kernel, "rtl", "model");
}

template <class Rtl, class Model>
sim::Speed bench_stream(const char* top, sim::BenchSubject subject, const sim::Stimulus& stimulus,
                        const sim::RunSpec& spec, sim::Kernel& kernel) {
  Rtl rtl(top, spec);
  Model model(spec);
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
    throw std::logic_error(std::string(top) + " in lockstep did not pass while it was timed");
  return {.cycles = run.counters().cycles, .seconds = seconds.count()};
}

}  // namespace gw::testbenches
