// What parser, aggregator, optimizer and switch share as devices: frames in, frames out, a chain of
// blocks; with pins and writes of their own for a host, or with registers.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "testbenches/kit/hosted.h"
#include "testbenches/kit/runner.h"
#include "testbenches/kit/wires.h"
#include "testbenches/switch/coverage.h"
#include "testbenches/switch/models.h"
#include "testbenches/switch/oracle.h"
#include "testbenches/switch/random.h"
#include "testbenches/switch/registers.h"
#include "testbenches/switch/traffic.h"
#include "testbenches/switch/view.h"
#include "testbenches/switch/wiring.h"

namespace gw::testbenches {

inline constexpr double kSwitchClockMhz = 200;

/// M: its model as an engine, with the ports that the device has.
template <class M>
class FrameDevice : public DeviceOf<typename M::Ports, M> {
 public:
  using Facts = sim::Device::Facts;
  static constexpr bool kHosted = sim::kControlsOf<typename M::Ports> != 0;
  /// Four MACs, not one stream.
  static constexpr bool kPaced = M::Ports::kInputs[0].paced;

  void check(const sim::RunSpec& spec) const override {
    network_spec(spec.options);
    traffic_spec(spec.options);
    if constexpr (kHosted) host_plan(spec.options);
  }
  std::unique_ptr<sim::Source> source(const sim::RunSpec& spec) const override {
    return open_frames(spec, /*by_port=*/kPaced);
  }
  std::unique_ptr<sim::PacketWriter> writer(const std::string& path, const sim::Source& source,
                                            const sim::RunSpec& spec) const override {
    return kPaced ? timed_writer(path, source, spec.clock_mhz) : stream_writer(path, source);
  }

 protected:
  FrameDevice(Facts facts, const reference::Blocks& blocks)
      : DeviceOf<typename M::Ports, M>(complete(std::move(facts), blocks)), blocks_(blocks) {}

  std::unique_ptr<sim::Oracle<Beat>> oracle(const sim::RunSpec& spec) const override {
    const NetworkSpec net = network_spec(spec.options);
    if constexpr (kHosted) {
      const HostPlan plan = host_plan(spec.options);
      const uint64_t behind = plan.loaded ? plan.loaded->iterations : 0;
      const systemc::RegisterMap map = frame_registers(blocks_, net);
      if constexpr (kPaced) {
        return std::make_unique<HostedOracle<SwitchOracle>>(map, net, spec.seed, behind);
      } else {
        return std::make_unique<HostedOracle<FrameOracle>>(map, blocks_, net, spec.seed, behind);
      }
    } else if constexpr (kPaced) {
      return std::make_unique<SwitchOracle>(net, spec.seed);
    } else {
      return std::make_unique<FrameOracle>(blocks_, net, spec.seed);
    }
  }
  std::unique_ptr<sim::coverage::Family<Beat>> coverage(const sim::RunSpec& spec) const override {
    return frame_coverage(blocks_, network_spec(spec.options), kHosted);
  }
  MakeHost<Beat> host(const sim::RunSpec& spec, sim::LookAhead& frames) const override {
    if constexpr (!kHosted) return {};
    std::optional<sim::Pace> pace;
    if (kPaced) pace = sim::Pace{spec.wire_mhz(), M::Ports::kInputs[0].wire};
    return frame_host(blocks_, network_spec(spec.options), host_plan(spec.options), spec.seed, pace,
                      frames);
  }
  sim::Boot boot(const sim::RunSpec& spec) const override {
    sim::Boot boot = boot_of(blocks_, network_spec(spec.options), spec.seed);
    if constexpr (kHosted) boot.writes.clear();
    return boot;
  }
  Parameters parameters(const sim::RunSpec& spec) const override {
    return rtl_parameters(blocks_, network_spec(spec.options));
  }
  /// Other workers, depth and rates; another group, in one run of four, where frames are made for
  /// it. Sums of another group are none of the run's, and dirty fewer slots.
  sim::RunSpec unlike(const sim::RunSpec& spec) const override {
    sim::RunSpec other = spec;
    sim::OptionSet& options = other.options;
    const NetworkSpec net = network_spec(options);
    const auto set = [&options](const char* name, const auto& value) {
      if (options.knows(name)) options.set(name, fmt::format("{}", value));
    };
    if (options.knows("load-state") && !options.word("load-state").empty()) return other;
    if (blocks_.aggregation) {
      set("workers", net.workers > 1 ? net.workers - 1 : 2);
      set("depth", net.depth > 1 ? net.depth / 2 : 2);
      const bool made = spec.stimulus.trace.empty() && spec.stimulus.recorded == nullptr;
      if (made && spec.seed % 4 == 0) set("group", net.group ^ 1);
    }
    set("lr", net.hyper.lr == 0.5 ? 0.25 : 0.5);
    set("eps", net.hyper.eps == 0.5 ? 0.25 : 0.5);
    set("beta1", net.hyper.beta1 == 0.5 ? 0.25 : 0.5);
    set("beta2", net.hyper.beta2 == 0.5 ? 0.25 : 0.5);
    return other;
  }
  PinValues pins(const sim::RunSpec& spec) const override {
    if (kHosted || !blocks_.aggregation) return {};
    return aggregator_pins(network_spec(spec.options));
  }
  std::string describe(bool, size_t, const sim::Packet<Beat>& packet, size_t beat) const override {
    return describe_frame(packet, beat);
  }

 private:
  static Facts complete(Facts facts, const reference::Blocks& blocks) {
    facts.family = "switch";
    facts.clock_mhz = kSwitchClockMhz;
    facts.frames = true;
    facts.line_rate = kPaced ? sim::LineRate::kPorts : sim::LineRate::kWire;
    facts.line = kTenGbe;
    facts.lines = 4;
    facts.present = &present_switch;
    if (blocks.aggregation) facts.pins = {{"workers_i", 5}, {"group_i", 16}, {"depth_i", 11}};
    facts.statistics = statistic_names(blocks);
    facts.options = network_options(blocks);
    facts.options.push_back(host_option());
    if (blocks.optimization) {
      for (sim::Option& option : host_plan_options()) facts.options.push_back(std::move(option));
    }
    facts.stimuli = frame_synth_kinds();
    facts.random = kPaced ? &random_switch() : &random_expether();
    return kHosted ? hosted_facts(std::move(facts)) : facts;
  }

  reference::Blocks blocks_;
};

}  // namespace gw::testbenches
