// The device `switch`: four ports, aggregation and optimizer in the path (docs/devices/switch.md).
#include "testbenches/switch/variant.h"
//
#include <fmt/format.h>

#include "models/reference/lookup/lookup.h"
#include "testbenches/common/frame_reference.h"
#include "testbenches/devices.h"
#include "testbenches/switch/save_file.h"
#include "testbenches/switch/variants.h"  // generated: GW_SWITCH_VARIANTS

namespace gw::testbenches {

#define GW_DECLARE(name) SwitchVariant switch_variant_##name();
GW_SWITCH_VARIANTS(GW_DECLARE)
#undef GW_DECLARE

namespace {

constexpr Blocks kBlocks = {.aggregator = true, .optimizer = true};

class Reference final : public sim::SwitchReference {
 public:
  explicit Reference(const sim::RunSpec& spec) : frames_(kBlocks, spec) {}

  Routed accept(std::span<const uint8_t> frame, int port) override {
    const unsigned mask = lookup_.route(frame, port);
    return {.bytes = frames_.accept(frame, port).bytes, .mask = mask};
  }
  std::vector<std::optional<uint32_t>> statistics() const override {
    std::vector<std::optional<uint32_t>> all = frames_.statistics();
    all.resize(all.size() + 4 * sim::kPorts);  // by port: the device decides
    all.push_back(lookup_.flooded());
    all.push_back(lookup_.filtered());
    return all;
  }
  nlohmann::json findings() const override {
    nlohmann::json all = frames_.findings();
    all["lookup"] = {{"flooded", lookup_.flooded()}, {"filtered", lookup_.filtered()}};
    return all;
  }

 private:
  FrameReference frames_;
  reference::Lookup lookup_;
};

const SwitchVariant& variant_of(const sim::NetworkSpec& net, bool waves) {
  static const std::vector<SwitchVariant> kVariants = {
#define GW_ENTRY(name) switch_variant_##name(),
      GW_SWITCH_VARIANTS(GW_ENTRY)
#undef GW_ENTRY
  };
  const std::string words =
      fmt::format("{}, {} {} PEs, profile {}", name_of(net.algorithm), net.pes,
                  net.iterative ? "iterative" : "pipelined", net.fast ? "fast" : "paper");
  for (const SwitchVariant& v : kVariants) {
    if (!v.is(net)) continue;
    if (waves && !v.waves) {
      throw sim::UsageError(
          fmt::format("this build of gradwire has no waveforms of the switch with {}", words));
    }
    return v;
  }
  throw sim::UsageError(
      fmt::format("this build of gradwire holds no RTL of the switch with {}: `--engine model` "
                  "runs it, and -DGRADWIRE_SWITCHES adds it to the build",
                  words));
}

class SwitchOfFourPorts final : public sim::SwitchDevice {
 public:
  std::string name() const override { return "switch"; }
  std::string summary() const override {
    return "four-port 10GbE switch with aggregation and optimizer in the path (IEICE'21, 5.1)";
  }
  sim::Input input() const override { return sim::Input::kFrames; }
  double clock_mhz() const override { return 200; }
  std::string save_file() const override { return kSaveFile_switch; }
  std::vector<std::string> statistic_names() const override {
    std::vector<std::string> names = FrameReference::statistic_names(kBlocks);
    for (int p = 0; p < sim::kPorts; ++p) {
      for (const char* what : {"rx_frames", "rx_dropped", "tx_frames", "tx_dropped"}) {
        names.push_back(fmt::format("port{}_{}", p, what));
      }
    }
    names.emplace_back("flooded");
    names.emplace_back("filtered");
    return names;
  }

  void check(const sim::RunSpec& spec) const override {
    check_aggregator(spec);
    check_optimizer(spec);
    if (spec.rtl) variant_of(spec.network, spec.wave.has_value());
  }
  sim::SwitchOutcome run(const sim::SwitchStimulus& stimulus, const sim::RunSpec& spec,
                         sim::Kernel& kernel, bool keep_bytes) const override {
    if (!spec.rtl && !spec.wave) {
      SwitchModel model(spec);
      sim::NoSwitchEngine none;
      return finish_switch<void>(model, none, stimulus, spec, kernel, "model", "", keep_bytes);
    }
    return variant_of(spec.network, spec.wave.has_value()).run(stimulus, spec, kernel, keep_bytes);
  }
  sim::Speed bench(sim::BenchSubject subject, const sim::SwitchStimulus& stimulus,
                   const sim::RunSpec& spec, sim::Kernel& kernel) const override {
    return variant_of(spec.network, false).bench(subject, stimulus, spec, kernel);
  }
};

}  // namespace

std::unique_ptr<sim::SwitchReference> make_switch_reference(const sim::RunSpec& spec) {
  return std::make_unique<Reference>(spec);
}

std::unique_ptr<sim::Device> make_switch() { return std::make_unique<SwitchOfFourPorts>(); }

}  // namespace gw::testbenches
