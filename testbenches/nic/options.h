// The options of the NIC's devices.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "models/reference/nic/nic.h"
#include "sim/run/device.h"
#include "testbenches/kit/packet_pins.h"

namespace gw::testbenches {

/// What is packed, and how: mark, grid, and the codec's bound and mode.
std::vector<sim::Option> nic_options();
/// Of synthetic stimuli.
sim::Option frame_bytes_option();

/// Throws UsageError.
reference::nic::NicConfig nic_config(const sim::OptionSet& options);
/// As they go with a frame (NicTxPorts::kPinsOfPacket, NicRxPorts::kPinsOfPacket), and back.
/// `forget`: the flow that leaves nic_tx's table before the frame is looked up.
sim::PacketConfig nic_tx_words(const reference::nic::NicConfig& config,
                               const std::optional<reference::nic::FlowKey>& forget = {});
reference::nic::NicConfig nic_tx_config(const sim::PacketConfig& words);
std::optional<reference::nic::FlowKey> nic_tx_forgets(const sim::PacketConfig& words);
sim::PacketConfig nic_rx_words(const reference::nic::NicConfig& config);
reference::nic::NicConfig nic_rx_config(const sim::PacketConfig& words);

/// Outputs of nic_rx that say so (NicRxPorts::kPinsOfProbe).
std::array<uint64_t, 2> nic_rx_says(const reference::nic::FlowKey& forget);

/// All pins are a frame's own; those of two NICs but for what they must agree on.
const PinFacts& nic_tx_pins();
const PinFacts& nic_rx_pins();
const PinFacts& nic_pair_pins();

/// --frame-bytes. Throws UsageError.
size_t frame_bytes(const sim::OptionSet& options);

}  // namespace gw::testbenches
