// What parser, aggregator and optimizer share as devices: frames in, frames out, one stream, a
// chain of blocks.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "testbenches/engine/runner.h"
#include "testbenches/switch/models.h"
#include "testbenches/switch/oracle.h"
#include "testbenches/switch/traffic.h"
#include "testbenches/switch/wiring.h"

namespace gw::testbenches {

inline constexpr double kSwitchClockMhz = 200;

template <class Core>
class FrameDevice : public DeviceOf<FramePorts, FrameModel<Core>> {
 public:
  using Facts = sim::Device::Facts;

  void check(const sim::RunSpec& spec) const override {
    network_spec(spec.options);
    traffic_spec(spec.options);
  }
  std::unique_ptr<sim::Source> source(const sim::RunSpec& spec) const override {
    return open_frames(spec, /*by_port=*/false);
  }
  std::unique_ptr<sim::PacketWriter> writer(const std::string& path, const sim::Source& source,
                                            const sim::RunSpec&) const override {
    return stream_writer(path, source);
  }

 protected:
  FrameDevice(Facts facts, const reference::Blocks& blocks)
      : DeviceOf<FramePorts, FrameModel<Core>>(complete(std::move(facts), blocks)),
        blocks_(blocks) {}

  std::unique_ptr<sim::Oracle<Beat>> oracle(const sim::RunSpec& spec) const override {
    return std::make_unique<FrameOracle>(blocks_, network_spec(spec.options), spec.seed);
  }
  sim::Boot boot(const sim::RunSpec& spec) const override {
    return boot_of(blocks_, network_spec(spec.options), spec.seed);
  }
  Parameters parameters(const sim::RunSpec& spec) const override {
    return rtl_parameters(blocks_, network_spec(spec.options));
  }
  std::string describe(bool, size_t, const sim::Packet<Beat>& packet, size_t beat) const override {
    return describe_frame(packet, beat);
  }

 private:
  static Facts complete(Facts facts, const reference::Blocks& blocks) {
    facts.clock_mhz = kSwitchClockMhz;
    facts.frames = true;
    facts.line_rate = sim::LineRate::kWire;
    facts.statistics = statistic_names(blocks);
    facts.options = network_options(blocks);
    facts.stimuli = frame_synth_kinds();
    return facts;
  }

  reference::Blocks blocks_;
};

}  // namespace gw::testbenches
