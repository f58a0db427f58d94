// What left a device, as packets of a capture.
#pragma once

#include <string>

#include "sim/gradients.h"
#include "sim/stimulus.h"

namespace gw::sim {

/// Writes the first `delivered` packets of `output` to a pcap file, each in the headers of the
/// packet that it came from; packets of a synthetic stimulus travel as UDP. Throws InputError.
void write_packets(const std::string& path, const GradientSource& source, const BeatStream& output,
                   uint64_t delivered);

}  // namespace gw::sim
