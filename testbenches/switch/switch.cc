// The device `switch`: four ports, aggregation and optimizer in the path (docs/devices/switch.md).
// SPDX-License-Identifier: Apache-2.0
#include "testbenches/switch/frame_device.h"
#include "testbenches/switch/switch_devices.h"

namespace gw::testbenches {
namespace {

constexpr reference::Blocks kBlocks = {.aggregation = true, .optimization = true, .lookup = true};

template <class M>
class SwitchDevice final : public FrameDevice<M> {
 public:
  SwitchDevice()
      : FrameDevice<M>(
            {.name = "switch",
             .summary = "four-port 10GbE switch with aggregation and optimizer in the "
                        "path (IEICE'21, 5.1)",
             .top = "gw_switch",
             .file_list = "rtl/switch/gw_switch.f",
             .host_writes = true,
             .probe = {{"event_o", 19}},
             .inside = {"u_core.active", "u_core.port[1:0]", "u_core.serve", "u_core.parsed_valid",
                        "u_core.parsed_ready", "u_core.summed_valid", "u_core.summed_ready",
                        "u_core.out_valid", "u_core.mask[3:0]"}},
            kBlocks) {}

 protected:
  std::unique_ptr<M> model(const sim::RunSpec& spec) const override {
    const NetworkSpec net = network_spec(spec.options);
    if constexpr (FrameDevice<M>::kHosted) {
      return std::make_unique<M>(frame_registers(kBlocks, net), aggregation_config(net),
                                 optimizer_config(net));
    } else {
      return std::make_unique<M>(net);
    }
  }
};

}  // namespace

std::unique_ptr<sim::Device> make_switch() {
  return std::make_unique<HostableDevice>(std::make_unique<SwitchDevice<SwitchModel>>(),
                                          std::make_unique<SwitchDevice<HostedSwitchModel>>());
}

}  // namespace gw::testbenches
