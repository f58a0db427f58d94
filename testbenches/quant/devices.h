// Registers the quantisers and their decoder.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sim/run/device.h"

namespace gw::testbenches {

void add_quant_devices(sim::Registry& registry);
/// The decoder alone, which is one of them.
void add_dequantizer(sim::Registry& registry);

}  // namespace gw::testbenches
