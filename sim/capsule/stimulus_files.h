// A stimulus as files that a person can read: input.pcap, the packets' bytes; packets.txt, what a
// capture cannot say of them; stalls.txt, when each side of each port hesitates.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>

#include "sim/feeds/stimulus.h"
#include "sim/run/device.h"

namespace gw::sim::capsule {

/// Into the folder. Throws InputError.
void write_stimulus(const Stimulus& stimulus, const Device::Facts& facts,
                    const std::filesystem::path& folder);
/// Out of it. Throws InputError: FILE:LINE and what is wrong.
Stimulus read_stimulus(const Device::Facts& facts, const std::filesystem::path& folder);

}  // namespace gw::sim::capsule
