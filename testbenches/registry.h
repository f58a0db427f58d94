// The devices there are: a new one adds its line to registry.cc.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sim/run/device.h"

namespace gw::testbenches {

const sim::Registry& registry();

}  // namespace gw::testbenches
