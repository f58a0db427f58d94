// The device `parser`: frames in, the same frames with what they are (docs/devices/parser.md).
// SPDX-License-Identifier: Apache-2.0
#include "models/systemc/hosted_cores.h"
#include "testbenches/switch/frame_device.h"
#include "testbenches/switch/switch_devices.h"

namespace gw::testbenches {
namespace {

template <class M>
class ParserDevice final : public FrameDevice<M> {
 public:
  ParserDevice()
      : FrameDevice<M>({.name = "parser",
                        .summary = "ExpEther packet parser: classifies frames, decodes their "
                                   "headers (IEICE'21, 4.2)",
                        .top = "gw_parser",
                        .file_list = "rtl/switch/gw_parser.f",
                        .inside = {"index_q[2:0]", "used_q[6:0]", "data_valid", "verdict_valid"}},
                       {}) {}

 protected:
  std::unique_ptr<M> model(const sim::RunSpec& spec) const override {
    if constexpr (FrameDevice<M>::kHosted) {
      return std::make_unique<M>(frame_registers({}, network_spec(spec.options)));
    } else {
      return std::make_unique<M>();
    }
  }
};

}  // namespace

std::unique_ptr<sim::Device> make_parser() {
  return std::make_unique<HostableDevice>(
      std::make_unique<ParserDevice<FrameModel<systemc::Parser>>>(),
      std::make_unique<ParserDevice<HostedModel<HostedParserPorts, systemc::HostedParser>>>());
}

}  // namespace gw::testbenches
