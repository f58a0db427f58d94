// Where devices are registered: a new device adds one line to GW_DEVICES, and its folder to
// CMakeLists.txt beside this file.
#pragma once

#include <memory>

#include "sim/run/device.h"

#define GW_DEVICES(X) \
  X(compressor)       \
  X(decompressor)     \
  X(parser)           \
  X(aggregator)       \
  X(optimizer)        \
  X(switch)

namespace gw::testbenches {

#define GW_DECLARE(name) std::unique_ptr<sim::Device> make_##name();
GW_DEVICES(GW_DECLARE)
#undef GW_DECLARE

}  // namespace gw::testbenches
