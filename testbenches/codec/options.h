// The codec's options: bound and mode.
#pragma once

#include <vector>

#include "models/reference/codec.h"
#include "sim/harness/packet.h"
#include "sim/run/options.h"

namespace gw::testbenches {

const std::vector<sim::Option>& codec_options();
/// Throws UsageError.
reference::CodecConfig codec_config(const sim::OptionSet& options);
/// As it goes with a packet (CodecPorts::kPinsOfPacket).
sim::PacketConfig packet_config(const reference::CodecConfig& config);

}  // namespace gw::testbenches
