// The register blocks of parser, aggregator and optimizer, and the host software that drives them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "models/systemc/hosted.h"
#include "sim/run/device.h"
#include "testbenches/kit/hosted.h"
#include "testbenches/switch/options.h"
#include "testbenches/switch/ports.h"
#include "testbenches/switch/state.h"

namespace gw::testbenches {

using HostedParserPorts = HostedPorts<FramePorts, 12>;
using HostedAggregatorPorts = HostedPorts<FramePorts, 12>;
using HostedOptimizerPorts = HostedPorts<FramePorts, 28>;
using HostedSwitchPorts = HostedPorts<SwitchPorts, 28>;

/// The map of gw_NAME_axil made of these blocks.
systemc::RegisterMap frame_registers(const reference::Blocks& blocks, const NetworkSpec& net);

/// A learning rate from an iteration on, by the number that the frames give it.
struct RateChange {
  uint32_t iteration;
  float lr;
};

/// What a run does with an optimizer's registers, beyond writing them once.
struct HostPlan {
  std::vector<RateChange> schedule;  ///< rising
  std::string save_to, load_from;    ///< files; empty: none
  std::optional<OptimizerState> loaded;
};

/// `--lr-at`, `--save-state`, `--load-state`, of devices with an optimizer.
std::vector<sim::Option> host_plan_options();
/// Nothing, if the options do not know of it. Reads the state. Throws UserError.
HostPlan host_plan(const sim::OptionSet& options);

/// Writes what the device needs before its first frame, cells of those sequence numbers that are to
/// come; of the optimizer also what the plan says. `pace`: of the device's ports.
MakeHost<gw::Beat> frame_host(const reference::Blocks& blocks, const NetworkSpec& net,
                              const HostPlan& plan, uint64_t seed, std::optional<sim::Pace> pace,
                              sim::LookAhead& frames);

}  // namespace gw::testbenches
