// Encoded bytes in words, for the divergence report.
#pragma once

#include <string>

#include "sim/stimulus.h"

namespace gw::testbenches {

/// The groups of the packet that begin in this beat: their number, first byte, tags (Z B H R, lane
/// 0 first), size.
std::string describe_encoded(const sim::BeatStream& stream, size_t index);

/// The floats of this beat; lanes that tkeep excludes as "-".
std::string describe_floats(const sim::BeatStream& stream, size_t index);

}  // namespace gw::testbenches
