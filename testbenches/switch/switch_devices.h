// The devices of the optimizer switch: `parser`, `aggregator`, `optimizer`, `switch`.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "sim/run/device.h"

namespace gw::testbenches {

void add_switch_devices(sim::Registry& registry);

std::unique_ptr<sim::Device> make_parser();
std::unique_ptr<sim::Device> make_aggregator();
std::unique_ptr<sim::Device> make_optimizer();
std::unique_ptr<sim::Device> make_switch();

}  // namespace gw::testbenches
