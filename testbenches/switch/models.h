// The SystemC models of the optimizer switch, kernel-free cores, as engines of the harness.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "models/systemc/aggregator.h"
#include "models/systemc/hosted_cores.h"
#include "models/systemc/optimizer.h"
#include "models/systemc/parser.h"
#include "models/systemc/switch.h"
#include "sim/harness/engine.h"
#include "testbenches/kit/core_engine.h"
#include "testbenches/switch/options.h"
#include "testbenches/switch/ports.h"
#include "testbenches/switch/registers.h"
#include "testbenches/switch/timing.h"

namespace gw::testbenches {

inline systemc::AggregationConfig aggregation_config(const NetworkSpec& net) {
  return {.workers = static_cast<uint32_t>(net.workers),
          .group = net.group,
          .depth = static_cast<uint32_t>(net.depth),
          .depth_log2 = kNetworkDepthLog2,
          .add_latency = kAddLatency,
          .flush_subnormal = net.subnormal == reference::fp::Subnormal::kFlush};
}

inline systemc::OptimizerConfig optimizer_config(const NetworkSpec& net) {
  const ArrayTiming timing =
      array_timing(static_cast<size_t>(net.algorithm), net.eps_outside(), net.iterative, net.fast);
  return {.algorithm = static_cast<systemc::Algorithm>(net.algorithm),
          .pes = static_cast<uint32_t>(net.pes),
          .latency = timing.latency,
          .interval = timing.interval,
          .flush_subnormal = net.subnormal == reference::fp::Subnormal::kFlush,
          .eps_outside = net.eps_outside(),
          .depth_log2 = kNetworkDepthLog2,
          .lr = net.hyper.lr,
          .eps = net.hyper.eps,
          .beta1 = net.hyper.beta1,
          .beta2 = net.hyper.beta2};
}

/// A pin of the aggregator, by name (aggregator_pins).
inline void set_pin(systemc::Aggregation& aggregation, std::string_view pin, uint64_t value) {
  systemc::AggregationConfig config = aggregation.config();
  (pin == "workers_i" ? config.workers
   : pin == "group_i" ? config.group
                      : config.depth) = static_cast<uint32_t>(value);
  aggregation.set_pins(config);
}

/// A core with one stream.
template <class Core>
class FrameModel : public CoreEngine<FramePorts, Core> {
 public:
  template <class... Config>
  explicit FrameModel(const Config&... config) {
    if constexpr (sizeof...(Config) != 0) core_.configure(config...);
  }
  /// The host's writes take no time here; nor does the clearing of slots but for its last edge.
  void boot(const sim::Boot& boot) {
    if constexpr (requires { core_.write(uint32_t{}, uint32_t{}); }) {
      for (const sim::Boot::Write& write : boot.writes) core_.write(write.address, write.data);
    }
    if constexpr (requires { core_.prepare(); }) {
      core_.prepare();
    } else {
      core_.clock(nullptr, false);
    }
  }
  uint64_t probe() const { return 0; }
  std::span<const uint32_t> statistics() const { return core_.statistics(); }
  Core& core() { return core_; }
  void set(std::string_view pin, uint64_t value) {
    if constexpr (requires { core_.aggregation(); }) set_pin(core_.aggregation(), pin, value);
  }

 private:
  using CoreEngine<FramePorts, Core>::core_;
};

/// Four ports side by side.
template <class P, class Core>
class PortsModel {
 public:
  using Ports = P;

  template <class... Config>
  explicit PortsModel(const Config&... config) : core_(config...) {}
  void reset() { core_.reset(); }
  uint32_t s_ready() const {
    uint32_t ready = 0;
    for (int p = 0; p < Core::kPorts; ++p) {
      ready |= static_cast<uint32_t>(core_.s_ready(p)) << p;
    }
    return ready;
  }
  const Beat* m_beat(size_t port) const { return core_.m_beat(static_cast<int>(port)); }
  uint64_t probe() const { return core_.events(); }
  void clock(const sim::Offered<Ports>& offered, uint32_t m_ready) {
    core_.clock(offered, m_ready);
  }

 protected:
  Core core_;
};

class SwitchModel : public PortsModel<SwitchPorts, systemc::Switch> {
 public:
  explicit SwitchModel(const NetworkSpec& net) {
    core_.configure(aggregation_config(net), optimizer_config(net), {});
  }
  void boot(const sim::Boot& boot) {
    for (const sim::Boot::Write& write : boot.writes) core_.write(write.address, write.data);
    core_.prepare();
  }
  std::span<const uint32_t> statistics() const { return core_.statistics(); }
  void set(std::string_view pin, uint64_t value) { set_pin(core_.aggregation(), pin, value); }
};

/// Behind its registers.
class HostedSwitchModel : public PortsModel<HostedSwitchPorts, systemc::HostedSwitch> {
 public:
  using PortsModel::PortsModel;
  void boot(const sim::Boot&) {
    core_.core().skip_clearing();
    core_.clock({}, 0);
  }
  const AxiLiteReply& control(size_t) const { return core_.reply(); }
  void drive(size_t, const AxiLiteRequest& request) { core_.drive(request); }
};

}  // namespace gw::testbenches
