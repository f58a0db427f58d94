// GTKWave save files, made from a device's ports and its list of inside signals.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "sim/run/device.h"

namespace gw::sim {

/// Where it opens: nowhere in particular, or with its cursor at a time.
struct SaveFileView {
  uint64_t begin_ps = 0;
  std::optional<uint64_t> cursor_ps = {};
  bool model = false;  ///< what the model offers is in the waveform, too
};

/// Without its [dumpfile] line.
std::string save_file(const Device::Facts& facts, const SaveFileView& view = {});

/// The time in a waveform of the edge that ends a cycle.
uint64_t wave_time_ps(int64_t cycle, double clock_mhz);

/// `what.fst` gets `what.gtkw` beside it. Throws InputError.
void write_save_file(const Device::Facts& facts, const std::string& wave, const SaveFileView& view);

}  // namespace gw::sim
