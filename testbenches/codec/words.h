// Beats of the codec in words, for the divergence report.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "sim/harness/packet.h"

namespace gw::testbenches {

/// The groups of the packet that begin in this beat: their number, first byte, tags (Z B H R, lane
/// 0 first), size.
std::string describe_encoded(const sim::Packet<Beat>& packet, size_t beat);

/// The floats of this beat; lanes that tkeep excludes as "-".
std::string describe_floats(const sim::Packet<Beat>& packet, size_t beat);

}  // namespace gw::testbenches
