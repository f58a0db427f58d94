// The device of a ring of allreduce NICs: ring_nic.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sim/run/device.h"

namespace gw::testbenches {

void add_ring_devices(sim::Registry& registry);

}  // namespace gw::testbenches
