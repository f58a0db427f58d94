// The bucket of a failure: what failures of one cause share. Never values, cycles or seeds.
//
//   compressor, own RTL, lockstep, m_axis tdata, rtl and model
//   compressor, my_compressor, protocol, m_axis, rtl: the payload changed while it waited for
//   tready
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "sim/run/device.h"

namespace gw::sim {

/// "own RTL", the user's top, "xilinx netlist", "no RTL".
std::string rtl_of(const RunSpec& spec);

/// Of a divergence: device, RTL, kind of check, port and signal, engines that differ: rule.
std::string bucket_of(const Device& device, const RunSpec& spec, const Failure& failure);

/// Of any other failure: what it consists of.
std::string bucket_text(const std::vector<std::string>& parts);

}  // namespace gw::sim
