// The device `aggregator`: gradient frames in, the same with the sums so far
// (docs/devices/aggregator.md).
// SPDX-License-Identifier: Apache-2.0
#include "models/systemc/hosted_cores.h"
#include "testbenches/switch/frame_device.h"
#include "testbenches/switch/switch_devices.h"

namespace gw::testbenches {
namespace {

constexpr reference::Blocks kAggregator = {.aggregation = true};

template <class M>
class AggregatorDevice final : public FrameDevice<M> {
 public:
  AggregatorDevice()
      : FrameDevice<M>({.name = "aggregator",
                        .summary = "gradient aggregation: sums over workers, by sequence number "
                                   "(IEICE'21, 3.3)",
                        .top = "gw_aggregator",
                        .file_list = "rtl/switch/gw_aggregator.f",
                        .inside = {"tvalid", "tready", "tlast"}},
                       kAggregator) {}

 protected:
  std::unique_ptr<M> model(const sim::RunSpec& spec) const override {
    const NetworkSpec net = network_spec(spec.options);
    if constexpr (FrameDevice<M>::kHosted) {
      return std::make_unique<M>(frame_registers(kAggregator, net), aggregation_config(net));
    } else {
      return std::make_unique<M>(aggregation_config(net));
    }
  }
};

}  // namespace

std::unique_ptr<sim::Device> make_aggregator() {
  return std::make_unique<HostableDevice>(
      std::make_unique<AggregatorDevice<FrameModel<systemc::Aggregator>>>(),
      std::make_unique<
          AggregatorDevice<HostedModel<HostedAggregatorPorts, systemc::HostedAggregator>>>());
}

}  // namespace gw::testbenches
