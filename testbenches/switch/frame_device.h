// What parser, aggregator and optimizer share as devices: frames in, frames out, one stream, a
// chain of blocks; with pins and writes of their own for a host, or with registers.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "testbenches/engine/hosted.h"
#include "testbenches/engine/runner.h"
#include "testbenches/switch/models.h"
#include "testbenches/switch/oracle.h"
#include "testbenches/switch/registers.h"
#include "testbenches/switch/traffic.h"
#include "testbenches/switch/wiring.h"

namespace gw::testbenches {

inline constexpr double kSwitchClockMhz = 200;

/// M: its model as an engine, with the ports that the device has.
template <class M>
class FrameDevice : public DeviceOf<typename M::Ports, M> {
 public:
  using Facts = sim::Device::Facts;
  static constexpr bool kHosted = sim::kControlsOf<typename M::Ports> != 0;

  void check(const sim::RunSpec& spec) const override {
    network_spec(spec.options);
    traffic_spec(spec.options);
    if constexpr (kHosted) host_plan(spec.options);
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
      : DeviceOf<typename M::Ports, M>(complete(std::move(facts), blocks)), blocks_(blocks) {}

  std::unique_ptr<sim::Oracle<Beat>> oracle(const sim::RunSpec& spec) const override {
    const NetworkSpec net = network_spec(spec.options);
    if constexpr (kHosted) {
      const HostPlan plan = host_plan(spec.options);
      return std::make_unique<HostedOracle<FrameOracle>>(frame_registers(blocks_, net), blocks_,
                                                         net, spec.seed,
                                                         plan.loaded ? plan.loaded->iterations : 0);
    } else {
      return std::make_unique<FrameOracle>(blocks_, net, spec.seed);
    }
  }
  std::unique_ptr<Host<Beat>> host(const sim::RunSpec& spec) const override {
    if constexpr (!kHosted) return nullptr;
    return frame_host(blocks_, network_spec(spec.options), host_plan(spec.options), spec.seed);
  }
  sim::Boot boot(const sim::RunSpec& spec) const override {
    sim::Boot boot = boot_of(blocks_, network_spec(spec.options), spec.seed);
    if constexpr (kHosted) boot.writes.clear();
    return boot;
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
    facts.options.push_back(host_option());
    if (blocks.optimization) {
      for (sim::Option& option : host_plan_options()) facts.options.push_back(std::move(option));
    }
    facts.stimuli = frame_synth_kinds();
    return kHosted ? hosted_facts(std::move(facts)) : facts;
  }

  reference::Blocks blocks_;
};

}  // namespace gw::testbenches
