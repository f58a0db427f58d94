// The options of the NIC's devices.
#pragma once

#include <vector>

#include "models/reference/nic/nic.h"
#include "sim/run/device.h"

namespace gw::testbenches {

/// What is packed, and how: mark, grid, and the codec's bound and mode.
std::vector<sim::Option> nic_options();
/// Of synthetic stimuli.
sim::Option frame_bytes_option();

/// Throws UsageError.
reference::nic::NicConfig nic_config(const sim::OptionSet& options);
/// --frame-bytes. Throws UsageError.
size_t frame_bytes(const sim::OptionSet& options);

}  // namespace gw::testbenches
