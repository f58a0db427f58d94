// The device `parser`: frames in, the same frames with what they are (docs/devices/parser.md).
#include "testbenches/common/frame_device.h"
//
#include <Vgw_parser.h>
#include <Vgw_parser___024root.h>
#include <Vgw_parser_traced.h>

#include "models/systemc/parser.h"
#include "testbenches/devices.h"
#include "testbenches/parser/save_file.h"

namespace gw::testbenches {
namespace {

struct Pins {
  static void configure(auto&, const sim::RunSpec&) {}
  static void prepare(auto&, const sim::RunSpec&) {}
};

using Rtl = StreamRtl<Vgw_parser, false, Pins>;
using TracedRtl = StreamRtl<Vgw_parser_traced, true, Pins>;
using Model = FrameModel<systemc::Parser, Pins>;

class ParserDevice final : public FrameDevice {
 public:
  ParserDevice() : FrameDevice({}) {}
  std::string name() const override { return "parser"; }
  std::string summary() const override {
    return "ExpEther packet parser: classifies frames, decodes their headers (IEICE'21, 4.2)";
  }
  std::string save_file() const override { return kSaveFile_parser; }
  sim::Outcome run(const sim::Stimulus& stimulus, const sim::RunSpec& spec,
                   sim::Kernel& kernel) const override {
    return run_stream<Rtl, TracedRtl, Model>("gw_parser", stimulus, spec, kernel);
  }
  sim::Speed bench(sim::BenchSubject subject, const sim::Stimulus& stimulus,
                   const sim::RunSpec& spec, sim::Kernel& kernel) const override {
    return bench_stream<Rtl, Model>("gw_parser", subject, stimulus, spec, kernel);
  }
};

}  // namespace

std::unique_ptr<sim::Device> make_parser() { return std::make_unique<ParserDevice>(); }

}  // namespace gw::testbenches
