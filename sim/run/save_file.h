// GTKWave save files, made from a device's ports and its list of inside signals.
#pragma once

#include <string>

#include "sim/run/device.h"

namespace gw::sim {

/// Without its [dumpfile] line.
std::string save_file(const Device::Facts& facts);

/// `what.fst` gets `what.gtkw` beside it. Throws InputError.
void write_save_file(const Device::Facts& facts, const std::string& wave);

}  // namespace gw::sim
