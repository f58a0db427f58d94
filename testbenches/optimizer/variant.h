// One build of the optimizer's RTL: algorithm, number and kind of processing elements, profile. The
// build lists them (GRADWIRE_OPTIMIZERS); each is a translation unit of its own.
#pragma once

#include "testbenches/common/frame_device.h"
//
#include "models/systemc/optimizer.h"
#include "testbenches/common/network_pins.h"
#include "testbenches/optimizer/timing.h"

namespace gw::testbenches {

struct OptimizerPins {
  static void configure(auto& top, const sim::RunSpec&) { top.cfg_valid_i = 0; }
  static void prepare(auto& rtl, const sim::RunSpec& spec) { load_optimizer(rtl, spec); }
};
struct OptimizerModelPins {
  static void configure(systemc::Optimizer& core, const sim::RunSpec& spec) {
    core.configure(optimizer_config(spec), sim::initial_parameters(spec.network, spec.seed));
  }
};
using OptimizerModel = FrameModel<systemc::Optimizer, OptimizerModelPins>;

struct OptimizerVariant {
  reference::optimizer::Algorithm algorithm;
  int pes;
  bool iterative, fast, waves;
  sim::Outcome (*run)(const char*, const sim::Stimulus&, const sim::RunSpec&, sim::Kernel&);
  sim::Speed (*bench)(const char*, sim::BenchSubject, const sim::Stimulus&, const sim::RunSpec&,
                      sim::Kernel&);

  bool is(const sim::NetworkSpec& net) const {
    return algorithm == net.algorithm && pes == net.pes && iterative == net.iterative &&
           fast == net.fast;
  }
};

template <class V>
struct TracedOptimizer {
  using Rtl = StreamRtl<V, true, OptimizerPins>;
};
template <>
struct TracedOptimizer<void> {
  using Rtl = void;
};

/// V, TracedV: the verilated classes; TracedV may be void.
template <class V, class TracedV>
OptimizerVariant optimizer_variant(int algorithm, int pes, bool iterative, bool fast) {
  using Rtl = StreamRtl<V, false, OptimizerPins>;
  return {.algorithm = static_cast<reference::optimizer::Algorithm>(algorithm),
          .pes = pes,
          .iterative = iterative,
          .fast = fast,
          .waves = !std::is_void_v<TracedV>,
          .run = run_stream<Rtl, typename TracedOptimizer<TracedV>::Rtl, OptimizerModel>,
          .bench = bench_stream<Rtl, OptimizerModel>};
}

}  // namespace gw::testbenches
