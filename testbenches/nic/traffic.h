// Synthetic frames of a host, and of the wire between two NICs.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "models/reference/nic/nic.h"
#include "sim/feeds/frames.h"

namespace gw::testbenches {

/// Names of the synthetic stimuli, of a host and of the wire, and what each is for.
const std::vector<sim::SynthKind>& host_synth_kinds();
const std::vector<sim::SynthKind>& wire_synth_kinds();

/// `limit` frames (0: 1,024) of the kind, as a host sends them: marked as `config` says.
std::unique_ptr<sim::Frames> open_host_frames(const std::string& kind, uint64_t seed,
                                              uint64_t limit, size_t frame_bytes,
                                              const reference::nic::NicConfig& config);

/// The same behind nic_tx, as far as they leave it; of the kind `wire` some frames are broken on
/// the way.
std::unique_ptr<sim::Frames> open_wire_frames(const std::string& kind, uint64_t seed,
                                              uint64_t limit, size_t frame_bytes,
                                              const reference::nic::NicConfig& config);

/// Frames as nic_tx lets them out, by the reference.
std::unique_ptr<sim::Frames> pack_frames(std::unique_ptr<sim::Frames> frames,
                                         const reference::nic::NicConfig& config);

}  // namespace gw::testbenches
