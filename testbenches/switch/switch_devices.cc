// SPDX-License-Identifier: Apache-2.0
#include "testbenches/switch/switch_devices.h"

namespace gw::testbenches {

void add_switch_devices(sim::Registry& registry) {
  registry.add(make_parser());
  registry.add(make_aggregator());
  registry.add(make_optimizer());
  registry.add(make_switch());
}

}  // namespace gw::testbenches
