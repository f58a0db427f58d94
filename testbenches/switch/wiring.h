// How the blocks of the optimizer switch are wired to a run: what the RTL is built with, what the
// host does before cycle 0, pins.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "sim/harness/engine.h"
#include "sim/run/device.h"
#include "testbenches/switch/options.h"

namespace gw::testbenches {

using Parameters = std::vector<std::pair<std::string, std::string>>;
using PinValues = std::vector<std::pair<std::string, uint64_t>>;

/// Parameters of the RTL as Verilog literals: all of them, but EpsOutside only where it is 1.
Parameters rtl_parameters(const reference::Blocks& blocks, const NetworkSpec& net);

/// The aggregator's pins.
PinValues aggregator_pins(const NetworkSpec& net);

/// What happens before cycle 0: the aggregator clears its slots, the host writes the optimizer's
/// registers and the cells of every parameter.
sim::Boot boot_of(const reference::Blocks& blocks, const NetworkSpec& net, uint64_t seed);

/// Frames as they leave, each with its maker's time in the capture.
std::unique_ptr<sim::PacketWriter> stream_writer(const std::string& path,
                                                 const sim::Source& source);
/// The same, each at the time of its first beat.
std::unique_ptr<sim::PacketWriter> timed_writer(const std::string& path, const sim::Source& source,
                                                double clock_mhz);

}  // namespace gw::testbenches
