// The device `optimizer`: gradient frames in, parameter frames out (docs/devices/optimizer.md).
#include "testbenches/switch/frame_device.h"
#include "testbenches/switch/switch_devices.h"

namespace gw::testbenches {
namespace {

class OptimizerDevice final : public FrameDevice<systemc::Optimizer> {
 public:
  OptimizerDevice()
      : FrameDevice({.name = "optimizer",
                     .summary = "parameter optimization: SGD, Adagrad, Adam, SMORMS3 on 1 to 64 "
                                "PEs (IEICE'21, 5.3)",
                     .top = "gw_optimizer",
                     .file_list = "rtl/switch/gw_optimizer.f",
                     .host_writes = true,
                     .inside = {"tvalid", "tready", "tlast"}},
                    {.optimization = true}) {}

 protected:
  std::unique_ptr<FrameModel<systemc::Optimizer>> model(const sim::RunSpec& spec) const override {
    // The parameters are the host's to write.
    return std::make_unique<FrameModel<systemc::Optimizer>>(
        optimizer_config(network_spec(spec.options)), std::span<const uint32_t>{});
  }
};

}  // namespace

std::unique_ptr<sim::Device> make_optimizer() { return std::make_unique<OptimizerDevice>(); }

}  // namespace gw::testbenches
