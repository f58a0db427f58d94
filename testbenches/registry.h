// The devices there are: a new one adds its line to registry.cc.
#pragma once

#include "sim/run/device.h"

namespace gw::testbenches {

const sim::Registry& registry();

}  // namespace gw::testbenches
