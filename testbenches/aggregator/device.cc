// The device `aggregator`: gradient frames in, the same with the sums so far
// (docs/devices/aggregator.md).
#include "testbenches/common/frame_device.h"
//
#include <Vgw_aggregator.h>
#include <Vgw_aggregator___024root.h>
#include <Vgw_aggregator_traced.h>

#include "models/systemc/aggregator.h"
#include "testbenches/aggregator/save_file.h"
#include "testbenches/common/network_pins.h"
#include "testbenches/devices.h"

namespace gw::testbenches {
namespace {

struct Pins {
  static void configure(auto& top, const sim::RunSpec& spec) { set_aggregator_pins(top, spec); }
  static void prepare(auto& rtl, const sim::RunSpec&) { clear_slots(rtl); }
};
struct ModelPins {
  static void configure(systemc::Aggregator& core, const sim::RunSpec& spec) {
    core.configure(aggregation_config(spec));
  }
};

using Rtl = StreamRtl<Vgw_aggregator, false, Pins>;
using TracedRtl = StreamRtl<Vgw_aggregator_traced, true, Pins>;
using Model = FrameModel<systemc::Aggregator, ModelPins>;

class AggregatorDevice final : public FrameDevice {
 public:
  AggregatorDevice() : FrameDevice({.aggregator = true}) {}
  std::string name() const override { return "aggregator"; }
  std::string summary() const override {
    return "gradient aggregation: sums over workers, by sequence number (IEICE'21, 3.3)";
  }
  std::string save_file() const override { return kSaveFile_aggregator; }
  void check(const sim::RunSpec& spec) const override { check_aggregator(spec); }
  sim::Outcome run(const sim::Stimulus& stimulus, const sim::RunSpec& spec,
                   sim::Kernel& kernel) const override {
    return run_stream<Rtl, TracedRtl, Model>("gw_aggregator", stimulus, spec, kernel);
  }
  sim::Speed bench(sim::BenchSubject subject, const sim::Stimulus& stimulus,
                   const sim::RunSpec& spec, sim::Kernel& kernel) const override {
    return bench_stream<Rtl, Model>("gw_aggregator", subject, stimulus, spec, kernel);
  }
};

}  // namespace

std::unique_ptr<sim::Device> make_aggregator() { return std::make_unique<AggregatorDevice>(); }

}  // namespace gw::testbenches
