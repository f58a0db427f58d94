// Beats of a NIC's frames in words, for the divergence report.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "sim/harness/packet.h"

namespace gw::testbenches {

/// What begins in this beat of the frame: headers, payload, a packed frame's shim and stream.
std::string describe_nic_frame(const sim::Packet<Beat>& packet, size_t beat);

}  // namespace gw::testbenches
