// The codec's options: bound and mode.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <vector>

#include "models/reference/codec.h"
#include "sim/base/options.h"
#include "sim/harness/packet.h"
#include "testbenches/kit/packet_pins.h"

namespace gw::testbenches {

const std::vector<sim::Option>& codec_options();
/// Throws UsageError.
reference::CodecConfig codec_config(const sim::OptionSet& options);
/// As it goes with a packet (CodecPorts::kPinsOfPacket), and back.
sim::PacketConfig packet_config(const reference::CodecConfig& config);
reference::CodecConfig codec_config(const sim::PacketConfig& config);
/// Adds `bound` and `mode` of a run: pins `first` and the next.
void describe_codec(const reference::CodecConfig& config, const PacketPins& pins, size_t first,
                    nlohmann::json& report);
/// Bound and mode are a packet's own.
const PinFacts& codec_pins();

}  // namespace gw::testbenches
