// The device `aggregator`: gradient frames in, the same with the sums so far
// (docs/devices/aggregator.md).
#include "testbenches/switch/frame_device.h"
#include "testbenches/switch/switch_devices.h"

namespace gw::testbenches {
namespace {

class AggregatorDevice final : public FrameDevice<systemc::Aggregator> {
 public:
  AggregatorDevice()
      : FrameDevice({.name = "aggregator",
                     .summary = "gradient aggregation: sums over workers, by sequence number "
                                "(IEICE'21, 3.3)",
                     .top = "gw_aggregator",
                     .file_list = "rtl/switch/gw_aggregator.f",
                     .pins = {{"workers_i", 5}, {"group_i", 16}, {"depth_i", 11}},
                     .inside = {"tvalid", "tready", "tlast"}},
                    {.aggregation = true}) {}

 protected:
  std::unique_ptr<FrameModel<systemc::Aggregator>> model(const sim::RunSpec& spec) const override {
    return std::make_unique<FrameModel<systemc::Aggregator>>(
        aggregation_config(network_spec(spec.options)));
  }
  PinValues pins(const sim::RunSpec& spec) const override {
    return aggregator_pins(network_spec(spec.options));
  }
};

}  // namespace

std::unique_ptr<sim::Device> make_aggregator() { return std::make_unique<AggregatorDevice>(); }

}  // namespace gw::testbenches
