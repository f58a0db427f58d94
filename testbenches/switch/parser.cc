// The device `parser`: frames in, the same frames with what they are (docs/devices/parser.md).
#include "testbenches/switch/frame_device.h"
#include "testbenches/switch/switch_devices.h"

namespace gw::testbenches {
namespace {

class ParserDevice final : public FrameDevice<systemc::Parser> {
 public:
  ParserDevice()
      : FrameDevice({.name = "parser",
                     .summary = "ExpEther packet parser: classifies frames, decodes their headers "
                                "(IEICE'21, 4.2)",
                     .top = "gw_parser",
                     .file_list = "rtl/switch/gw_parser.f",
                     .inside = {"index_q[2:0]", "used_q[6:0]", "data_valid", "verdict_valid"}},
                    {}) {}

 protected:
  std::unique_ptr<FrameModel<systemc::Parser>> model(const sim::RunSpec&) const override {
    return std::make_unique<FrameModel<systemc::Parser>>();
  }
};

}  // namespace

std::unique_ptr<sim::Device> make_parser() { return std::make_unique<ParserDevice>(); }

}  // namespace gw::testbenches
