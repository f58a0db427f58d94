// The NIC's devices: `nic_tx` (host to wire), `nic_rx` (wire to host), and `nic`, both with a link
// between them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sim/run/device.h"

namespace gw::testbenches {

void add_nic_devices(sim::Registry& registry);

}  // namespace gw::testbenches
