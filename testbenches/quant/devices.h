// Registers the quantiser `mx`.
#pragma once

#include "sim/run/device.h"

namespace gw::testbenches {

void add_quant_devices(sim::Registry& registry);

}  // namespace gw::testbenches
