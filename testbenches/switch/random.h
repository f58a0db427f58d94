// Constrained-random frames for the devices of the optimizer switch.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "sim/feeds/frames.h"
#include "sim/feeds/random_table.h"
#include "testbenches/switch/options.h"

namespace gw::testbenches {

/// What a table may say of frames in one stream (parser, aggregator, optimizer), at four MACs.
const sim::RandomKind& random_expether();
const sim::RandomKind& random_switch();

/// An exchange of `options.workers` workers and `options.sequences` sequence numbers that goes on
/// and on, with all that `stimulus.random` mixes in and makes of it: `stimulus.packets` frames (0:
/// 1,024) behind those by which stations introduce themselves, numbered and placed as those of
/// traffic.h. `macs`: each port has a wire, gaps are times on it, of cycles of `clock_mhz`.
std::unique_ptr<sim::Frames> open_random_frames(const sim::StimulusSpec& stimulus, uint64_t seed,
                                                const TrafficOptions& options, bool macs,
                                                double clock_mhz);

}  // namespace gw::testbenches
