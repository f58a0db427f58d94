// The device `optimizer`: gradient frames in, parameter frames out (docs/devices/optimizer.md).
#include "testbenches/optimizer/variant.h"
//
#include <fmt/format.h>

#include "testbenches/devices.h"
#include "testbenches/optimizer/save_file.h"
#include "testbenches/optimizer/variants.h"  // generated: GW_OPTIMIZER_VARIANTS

namespace gw::testbenches {

#define GW_DECLARE(name) OptimizerVariant optimizer_variant_##name();
GW_OPTIMIZER_VARIANTS(GW_DECLARE)
#undef GW_DECLARE

namespace {

const std::vector<OptimizerVariant>& variants() {
  static const std::vector<OptimizerVariant> kVariants = {
#define GW_ENTRY(name) optimizer_variant_##name(),
      GW_OPTIMIZER_VARIANTS(GW_ENTRY)
#undef GW_ENTRY
  };
  return kVariants;
}

std::string words(const sim::NetworkSpec& net) {
  return fmt::format("{}, {} {} PEs, profile {}", name_of(net.algorithm), net.pes,
                     net.iterative ? "iterative" : "pipelined", net.fast ? "fast" : "paper");
}

const OptimizerVariant& variant_of(const sim::NetworkSpec& net, bool waves) {
  for (const OptimizerVariant& v : variants()) {
    if (!v.is(net)) continue;
    if (waves && !v.waves) {
      throw sim::UsageError(fmt::format(
          "this build of gradwire has no waveforms of the optimizer with {}", words(net)));
    }
    return v;
  }
  throw sim::UsageError(
      fmt::format("this build of gradwire holds no RTL of the optimizer with {}: `--engine model` "
                  "runs it, and -DGRADWIRE_OPTIMIZERS adds it to the build",
                  words(net)));
}

class OptimizerDevice final : public FrameDevice {
 public:
  OptimizerDevice() : FrameDevice({.optimizer = true}) {}
  std::string name() const override { return "optimizer"; }
  std::string summary() const override {
    return "parameter optimization: SGD, Adagrad, Adam, SMORMS3 on 1 to 64 PEs (IEICE'21, 5.3)";
  }
  std::string save_file() const override { return kSaveFile_optimizer; }

  void check(const sim::RunSpec& spec) const override {
    check_optimizer(spec);
    if (spec.rtl) variant_of(spec.network, spec.wave.has_value());
  }
  sim::Outcome run(const sim::Stimulus& stimulus, const sim::RunSpec& spec,
                   sim::Kernel& kernel) const override {
    if (!spec.rtl && !spec.wave) {
      OptimizerModel model(spec);
      sim::NoEngine none;
      return finish<void>(model, none, stimulus, spec, kernel, "model", "");
    }
    return variant_of(spec.network, spec.wave.has_value())
        .run("gw_optimizer", stimulus, spec, kernel);
  }
  sim::Speed bench(sim::BenchSubject subject, const sim::Stimulus& stimulus,
                   const sim::RunSpec& spec, sim::Kernel& kernel) const override {
    return variant_of(spec.network, false).bench("gw_optimizer", subject, stimulus, spec, kernel);
  }
};

}  // namespace

std::unique_ptr<sim::Device> make_optimizer() { return std::make_unique<OptimizerDevice>(); }

}  // namespace gw::testbenches
