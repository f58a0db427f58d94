// Constrained-random frames of a host, and of the wire between two NICs.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "models/reference/nic/nic.h"
#include "sim/feeds/frames.h"
#include "sim/feeds/random_table.h"
#include "testbenches/kit/packet_pins.h"

namespace gw::testbenches {

/// What a table may say of frames of a host (nic_tx, nic), of the wire (nic_rx).
const sim::RandomKind& random_hosts();
const sim::RandomKind& random_wire();

/// `stimulus.packets` frames (0: 1,024) by `stimulus.random`, marked as `config` says. `pins`:
/// nic_tx's with each. `wire`: as they leave nic_tx, some of them damaged behind it.
std::unique_ptr<sim::Frames> open_random_hosts(const sim::StimulusSpec& stimulus, uint64_t seed,
                                               const reference::nic::NicConfig& config,
                                               PacketPins pins, bool wire);

}  // namespace gw::testbenches
