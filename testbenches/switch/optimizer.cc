// The device `optimizer`: gradient frames in, parameter frames out (docs/devices/optimizer.md).
// SPDX-License-Identifier: Apache-2.0
#include "models/systemc/hosted_cores.h"
#include "testbenches/switch/frame_device.h"
#include "testbenches/switch/switch_devices.h"

namespace gw::testbenches {
namespace {

constexpr reference::Blocks kOptimizer = {.optimization = true};

template <class M>
class OptimizerDevice final : public FrameDevice<M> {
 public:
  OptimizerDevice()
      : FrameDevice<M>({.name = "optimizer",
                        .summary = "parameter optimization: SGD, Adagrad, Adam, SMORMS3 on 1 to "
                                   "64 PEs (IEICE'21, 5.3)",
                        .top = "gw_optimizer",
                        .file_list = "rtl/switch/gw_optimizer.f",
                        .host_writes = true,
                        .inside = {"tvalid", "tready", "tlast"}},
                       kOptimizer) {}

 protected:
  std::unique_ptr<M> model(const sim::RunSpec& spec) const override {
    const NetworkSpec net = network_spec(spec.options);
    // The parameters are the host's to write.
    if constexpr (FrameDevice<M>::kHosted) {
      return std::make_unique<M>(frame_registers(kOptimizer, net), optimizer_config(net));
    } else {
      return std::make_unique<M>(optimizer_config(net), std::span<const uint32_t>{});
    }
  }
};

}  // namespace

std::unique_ptr<sim::Device> make_optimizer() {
  return std::make_unique<HostableDevice>(
      std::make_unique<OptimizerDevice<FrameModel<systemc::Optimizer>>>(),
      std::make_unique<
          OptimizerDevice<HostedModel<HostedOptimizerPorts, systemc::HostedOptimizer>>>());
}

}  // namespace gw::testbenches
