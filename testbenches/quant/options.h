// The options of the microscaling quantiser: format, residuals, rows of its memory.
#pragma once

#include <cstdint>
#include <vector>

#include "models/reference/quant/quantiser.h"
#include "sim/harness/packet.h"
#include "sim/run/options.h"

namespace gw::testbenches {

struct MxSettings {
  bool fp4 = false;       ///< MXFP4, else MXFP8
  bool residual = false;  ///< asked for; a device of no rows has none
  uint32_t rows = 0;      ///< 0, or 8 to 2^18
};

const std::vector<sim::Option>& mx_options();
/// Throws UsageError.
MxSettings mx_settings(const sim::OptionSet& options);
/// As it goes with a packet (MxPorts::kPinsOfPacket).
sim::PacketConfig packet_config(const MxSettings& settings);
/// What the reference makes of a packet's configuration.
reference::quant::Config mx_config(const sim::PacketConfig& config, uint32_t rows);

}  // namespace gw::testbenches
