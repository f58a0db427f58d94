// What the devices of the optimizer switch are fed with: frames of a capture, or synthesised ones.
//
// No public capture of ExpEther exists; frames are made from captured gradients in the layout of
// models/reference/expether/frame.h, by seed, with as much loss, duplication, reordering and
// foreign traffic as asked for.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "sim/feeds/frames.h"
#include "sim/feeds/gradients.h"
#include "sim/run/device.h"
#include "testbenches/switch/options.h"

namespace gw::testbenches {

/// The names of the synthetic stimuli of frames and what each is for.
const std::vector<sim::SynthKind>& frame_synth_kinds();

/// The named kind, of at most `limit` frames behind the warm-up (0: what the options make, or
/// 1,024). Host and stations are numbered so that a station's number modulo 4 is its port; worker w
/// is on port 1 + w % 3, the host on port 0. Times are whole nanoseconds, rounded down, of
/// frames that are as close as 10GbE allows. Of `workers`, unless `limit` cut it, trace["faults"]
/// counts lost, duplicated, reordered (swaps), malformed and foreign frames. `incomplete` says so
/// when the capture of gradients ended early. Throws UsageError for an unknown name.
///
/// Frames are made as they are asked for. What is held are those that another port has still to
/// catch up with in time: a few, of `anything` as many as its ports drift apart by (some
/// thousands after millions); and of `workers` an iteration, for what is late or out of order may
/// be anywhere in it: workers x sequences frames. Captured gradients are read again from the
/// beginning when they are used up; those of a pipe are kept.
std::unique_ptr<sim::Frames> open_synthetic_frames(const std::string& name, uint64_t seed,
                                                   uint64_t limit, const TrafficOptions& options);

/// The same, all at once.
sim::FrameList synthesise_frames(const std::string& name, uint64_t seed, uint64_t limit,
                                 const TrafficOptions& options);

/// What the spec names, as packets of a run (sim::FrameSource). Throws UserError.
std::unique_ptr<sim::FrameSource> open_frames(const sim::RunSpec& spec, bool by_port);

}  // namespace gw::testbenches
