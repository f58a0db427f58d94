// SPDX-License-Identifier: Apache-2.0
#include "testbenches/registry.h"

#include "testbenches/codec/devices.h"
#include "testbenches/nic/devices.h"
#include "testbenches/quant/devices.h"
#include "testbenches/switch/switch_devices.h"

namespace gw::testbenches {

const sim::Registry& registry() {
  static const sim::Registry kRegistry = [] {
    sim::Registry all;
    add_codec_devices(all);
    add_quant_devices(all);
    add_nic_devices(all);
    add_switch_devices(all);
    return all;
  }();
  return kRegistry;
}

}  // namespace gw::testbenches
