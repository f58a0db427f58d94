// What parser, aggregator and optimizer share as devices of the simulation: frames in, frames out,
// 256 bits, tuser that says what a frame is.
#pragma once

#include "testbenches/common/stream_engines.h"  // verilated.h before SystemC
//
#include <fmt/format.h>

#include <string>
#include <vector>

#include "sim/run/device.h"
#include "testbenches/common/frame_reference.h"

namespace gw::testbenches {

inline constexpr double kSwitchClockMhz = 200;

class FrameDevice : public sim::StreamDevice {
 public:
  explicit FrameDevice(Blocks blocks) : blocks_(blocks) {}

  sim::Input input() const override { return sim::Input::kFrames; }
  double clock_mhz() const override { return kSwitchClockMhz; }
  bool burst_is_input() const override { return false; }

  sim::Stimulus stimulus(const std::vector<sim::GradientPacket>&,
                         const sim::RunSpec&) const override {
    throw std::logic_error(fmt::format("{} is fed with frames, not with gradients", name()));
  }
  sim::Stimulus stimulus_from_bytes(const std::vector<std::vector<uint8_t>>& packets,
                                    const sim::RunSpec& spec) const override {
    check(spec);
    return frame_stimulus(blocks_, packets, spec);
  }
  std::string describe_input(const sim::Stimulus& stimulus, size_t beat) const override {
    return describe_frame(stimulus.input, beat);
  }
  std::string describe_output(const sim::Stimulus& stimulus, size_t beat) const override {
    return describe_frame(stimulus.expected, beat);
  }
  std::vector<std::string> statistic_names() const override {
    return FrameReference::statistic_names(blocks_);
  }

 private:
  Blocks blocks_;
};

/// A SystemC core as an engine; configured from the spec by Configure, once.
template <class Core, class Configure>
class FrameModel {
 public:
  explicit FrameModel(const sim::RunSpec& spec) { Configure::configure(core_, spec); }
  void reset() { core_.reset(); }
  void prepare() {
    if constexpr (requires(Core & c) { c.prepare(); }) {
      core_.prepare();
    } else {
      core_.clock(nullptr, false);
    }
  }
  bool s_ready() const { return core_.s_ready(); }
  const Beat* m_beat() const { return core_.m_beat(); }
  uint64_t sideband() const { return 0; }
  std::span<const uint32_t> statistics() const { return core_.statistics(); }
  void clock(const Beat* s, bool m_ready) { core_.clock(s, m_ready); }

 private:
  Core core_;
};

}  // namespace gw::testbenches
