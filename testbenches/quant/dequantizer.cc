// SPDX-License-Identifier: Apache-2.0
#include "models/systemc/dequantizer.h"

#include <array>
#include <bit>

#include "sim/feeds/captures.h"
#include "sim/feeds/gradients.h"
#include "sim/feeds/writer.h"
#include "testbenches/kit/core_engine.h"
#include "testbenches/kit/runner.h"
#include "testbenches/kit/wires.h"
#include "testbenches/quant/coverage.h"
#include "testbenches/quant/dequantizer_oracle.h"
#include "testbenches/quant/devices.h"
#include "testbenches/quant/packets.h"
#include "testbenches/quant/ports.h"
#include "testbenches/quant/view.h"
#include "testbenches/quant/words.h"

namespace gw::testbenches {
namespace {

/// The decoder's core as an engine.
class DequantizerModel : public CoreEngine<DequantizerPorts, systemc::Dequantizer> {
 public:
  using Reason = reference::quant::Reason;

  explicit DequantizerModel(uint32_t limit)
      : CoreEngine(systemc::DequantizerConfig{.limit = limit}) {}
  sim::Probe<Ports> probe() const {
    statistics();
    return std::bit_cast<sim::Probe<Ports>>(counters_);
  }
  std::span<const uint32_t> statistics() const {
    for (size_t i = 0; i + 1 < counters_.size(); ++i) {
      counters_[i] = core_.malformed_count(static_cast<uint32_t>(i));
    }
    counters_.back() = core_.error_count();
    return counters_;
  }
  void configure(size_t, const sim::PacketConfig& config) { core_.configure({.limit = config[0]}); }

 private:
  mutable std::array<uint32_t, DequantizerPorts::kCountersInProbe> counters_{};
};

/// The names of its counters: why packets are malformed, and errors.
std::vector<std::string> dequantizer_counters() {
  std::vector<std::string> names;
  for (size_t i = 1; i < reference::quant::kReasons; ++i) {
    names.emplace_back(reference::quant::reason_name(static_cast<reference::quant::Reason>(i)));
  }
  names.emplace_back("errors");
  return names;
}

class DequantizerDevice final : public DeviceOf<DequantizerPorts, DequantizerModel> {
 public:
  DequantizerDevice()
      : DeviceOf({.name = "dequantizer",
                  .family = "quant",
                  .summary = "decoder of every quantised packet: thresholds, one bit, adaptive, "
                             "microscaling formats, back to binary32",
                  .clock_mhz = 200,
                  .burst_is_input = false,
                  .line_rate = sim::LineRate::kThroughput,
                  .line = kTenGbeSegments,
                  .wire = sim::WireSide::kInput,
                  .top = "gw_dequantizer",
                  .file_list = "rtl/quant/gw_dequantizer.f",
                  .probe = {{"malformed_count_o", 288}, {"error_count_o", 32}},
                  .statistics = dequantizer_counters(),
                  .statistics_are_pins = false,
                  .inside = {"place[4:0]", "token", "final_token", "plain_error", "word", "step",
                             "rice_emit", "roomy", "queued_q[5:0]"},
                  .options = dequantizer_options(),
                  .stimuli = sim::synth_kinds(),
                  .random = &random_packets(),
                  .present = &present_quantiser}) {}

  void check(const sim::RunSpec& spec) const override { dequantizer_settings(spec.options); }
  std::unique_ptr<sim::Source> source(const sim::RunSpec& spec) const override {
    return open_packets(spec.stimulus, spec.seed, dequantizer_settings(spec.options),
                        packet_pins(spec), spec.options);
  }
  sim::PacketConfig packet_config(const sim::RunSpec& spec) const override {
    return {dequantizer_settings(spec.options).limit};
  }
  void describe_settings(const sim::RunSpec& spec, nlohmann::json& report) const override {
    const DequantizerSettings settings = dequantizer_settings(spec.options);
    report["limit"] = settings.limit;
    if (packet_pins(spec).drawn(0)) report["limit"] = kDrawnPerPacket;
    for (const reference::quant::Config& codec : settings.codecs) {
      report["codec"].push_back(reference::quant::config_text(codec));
    }
  }
  std::unique_ptr<sim::PacketWriter> writer(const std::string& path, const sim::Source& source,
                                            const sim::RunSpec& spec) const override {
    return sim::open_payload_writer(
        {.path = path, .trace = source.facts().path, .reading = sim::reader_options(spec.options)});
  }

 protected:
  const PinFacts* pin_facts() const override { return &dequantizer_pins(); }
  std::unique_ptr<DequantizerModel> model(const sim::RunSpec& spec) const override {
    return std::make_unique<DequantizerModel>(dequantizer_settings(spec.options).limit);
  }
  std::unique_ptr<sim::Oracle<Beat>> oracle(const sim::RunSpec&) const override {
    return std::make_unique<DequantizerOracle>();
  }
  std::unique_ptr<Score<Beat>> score(const sim::RunSpec&) const override {
    return std::make_unique<DequantizerScore>();
  }
  std::unique_ptr<sim::coverage::Family<Beat>> coverage(const sim::RunSpec&) const override {
    return dequantizer_coverage();
  }
  std::string describe(bool input, size_t, const sim::Packet<Beat>& packet,
                       size_t beat) const override {
    return input ? describe_quantised(packet, beat) : describe_values(packet, beat);
  }
};

}  // namespace

void add_dequantizer(sim::Registry& registry) {
  registry.add(std::make_unique<DequantizerDevice>());
}

}  // namespace gw::testbenches
