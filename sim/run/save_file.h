// GTKWave save files, made from a device's ports and its list of inside signals.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "sim/run/device.h"

namespace gw::sim {

/// Where it opens: nowhere in particular, or with its marker at a time.
struct SaveFileView {
  uint64_t begin_ps = 0;
  std::optional<uint64_t> cursor_ps = {};
  std::optional<uint64_t> moved_ps = {};  ///< of a hang: when something moved last, marker A
  bool model = false;  ///< what the engine beside the RTL offers is in the waveform, too
};

/// How GTKWave shows a run's waveform: the marker is in the cycle of the failure, if there is one.
SaveFileView view_of(const RunSpec& spec, const Failure& failure);

/// The device's facts as they are in the spec's waveform: RTL of one's own has its own top. Another
/// top than the project's, and a netlist, do not have the signals inside that the project's RTL
/// has.
Device::Facts facts_in_wave(Device::Facts facts, const RunSpec& spec);

/// Without its [dumpfile] line.
std::string save_file(const Device::Facts& facts, const SaveFileView& view = {});

/// The time in a waveform at which a cycle's inputs are there: half a period before its edge.
uint64_t wave_time_ps(int64_t cycle, double clock_mhz);

/// `what.fst` gets `what.gtkw` beside it. Throws InputError.
void write_save_file(const Device::Facts& facts, const std::string& wave, const SaveFileView& view);

}  // namespace gw::sim
