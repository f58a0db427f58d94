// What compressor and decompressor share as devices of the simulation: one input, one output, 256
// bits, the codec's configuration pins. A device adds its traits: classes of the engines, stimulus,
// words.
#pragma once

#include "testbenches/common/stream_engines.h"  // verilated.h before SystemC
//
#include <memory>
#include <string>
#include <vector>

#include "models/reference/codec.h"
#include "sim/device.h"
#include "testbenches/common/codec_words.h"

namespace gw::testbenches {

/// The SystemC model's kernel-free core as an engine.
template <class Core>
class CodecModel {
 public:
  explicit CodecModel(const sim::RunSpec& spec) {
    core_.configure({.bound = static_cast<uint8_t>(spec.codec.bound_exponent),
                     .bounded = spec.codec.mode == reference::Mode::kBounded});
  }
  void reset() { core_.reset(); }
  bool s_ready() const { return core_.s_ready(); }
  const Beat* m_beat() const { return core_.m_beat(); }
  uint64_t sideband() const { return core_.error_count(); }
  void clock(const Beat* s, bool m_ready) { core_.clock(s, m_ready); }
  Core& core() { return core_; }

 private:
  Core core_;
};

struct CodecPins {
  static void configure(auto& top, const sim::RunSpec& spec) {
    top.bound_i = static_cast<uint8_t>(spec.codec.bound_exponent);
    top.bounded_i = spec.codec.mode == reference::Mode::kBounded ? 1 : 0;
  }
  static void prepare(auto&, const sim::RunSpec&) {}
};

template <class Traits>
class CodecDevice final : public sim::StreamDevice {
  using Rtl = StreamRtl<typename Traits::VerilatedFast, false, CodecPins>;
  using TracedRtl = StreamRtl<typename Traits::VerilatedTraced, true, CodecPins>;
  using Model = CodecModel<typename Traits::ModelCore>;

 public:
  std::string name() const override { return Traits::kName; }
  std::string summary() const override { return Traits::kSummary; }
  sim::Input input() const override { return sim::Input::kGradients; }
  double clock_mhz() const override { return 100; }
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
    return run_stream<Rtl, TracedRtl, Model>(Traits::kTop, stimulus, spec, kernel);
  }
  sim::Speed bench(sim::BenchSubject subject, const sim::Stimulus& stimulus,
                   const sim::RunSpec& spec, sim::Kernel& kernel) const override {
    return bench_stream<Rtl, Model>(Traits::kTop, subject, stimulus, spec, kernel);
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
};

}  // namespace gw::testbenches
