// A capture as the NIC of one host gets it: what that host sent, with a SYN before each stream that
// began earlier than the capture.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "models/reference/nic/nic.h"
#include "sim/feeds/frames.h"
#include "sim/run/device.h"

namespace gw::testbenches {

/// --host
sim::Option captured_host_option();
/// Throws UsageError if it is set to no address.
void check_host(const sim::OptionSet& options);

/// Frames of the spec's capture. `sends`: through nic_tx. Then they are those of the host that
/// --host names, or else of the one that sends the most marked bytes (of all, where none does); and
/// where floats begin with their stream (config.grid), a SYN is made for each marked stream whose
/// own is not in the capture: its first segment is taken to begin with a whole float. Else --host
/// alone chooses. The report says what was done.
std::unique_ptr<sim::Frames> open_host_capture(const sim::RunSpec& spec,
                                               const reference::nic::NicConfig& config, bool sends);

}  // namespace gw::testbenches
