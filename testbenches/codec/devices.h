// The codec's devices: `compressor`, `decompressor`, and `codec_loop`, both in a chain.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sim/run/device.h"

namespace gw::testbenches {

void add_codec_devices(sim::Registry& registry);

}  // namespace gw::testbenches
