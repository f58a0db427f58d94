// What left a device, as packets of a capture.
#pragma once

#include <string>

#include "sim/feeds/gradients.h"
#include "sim/stimulus.h"
#include "sim/feeds/frames.h"

namespace gw::sim {

/// Writes the first `delivered` packets of `output` to a pcap file, each in the headers of the
/// packet that it came from; packets of a synthetic stimulus travel as UDP. Throws InputError.
void write_packets(const std::string& path, const GradientSource& source, const BeatStream& output,
                   uint64_t delivered);

/// The same of frames, at the time that each has. `trace_path`: where they came from, which is not
/// written over.
void write_frames(const std::string& path, const std::string& trace_path,
                  const std::vector<Frame>& frames);

}  // namespace gw::sim
