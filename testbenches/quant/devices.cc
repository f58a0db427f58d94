// SPDX-License-Identifier: Apache-2.0
#include "testbenches/quant/devices.h"

#include <algorithm>

#include "models/systemc/adaptive.h"
#include "models/systemc/mx.h"
#include "models/systemc/onebit.h"
#include "models/systemc/threshold.h"
#include "sim/feeds/captures.h"
#include "sim/feeds/gradients.h"
#include "sim/feeds/writer.h"
#include "testbenches/kit/core_engine.h"
#include "testbenches/kit/runner.h"
#include "testbenches/kit/wires.h"
#include "testbenches/quant/coverage.h"
#include "testbenches/quant/options.h"
#include "testbenches/quant/oracle.h"
#include "testbenches/quant/ports.h"
#include "testbenches/quant/random.h"
#include "testbenches/quant/report.h"
#include "testbenches/quant/view.h"
#include "testbenches/quant/words.h"

namespace gw::testbenches {
namespace {

systemc::MxConfig pins_of(const systemc::Mx&, const sim::PacketConfig& config) {
  return {
      .format = static_cast<uint8_t>(config[0]), .up = config[1] != 0, .residual = config[2] != 0};
}

systemc::ThresholdConfig pins_of(const systemc::Threshold&, const sim::PacketConfig& config) {
  return {.method = static_cast<uint8_t>(config[0]),
          .rice = config[1] != 0,
          .threshold = config[2],
          .residual = config[3] != 0};
}
systemc::OneBitConfig pins_of(const systemc::OneBit&, const sim::PacketConfig& config) {
  return {.residual = config[0] != 0};
}
systemc::AdaptiveConfig pins_of(const systemc::Adaptive&, const sim::PacketConfig& config) {
  return {.p = static_cast<uint8_t>(config[0]), .rice = config[1] != 0, .residual = config[2] != 0};
}

/// A SystemC model's kernel-free core as an engine.
template <class P, class Core>
class ChunkModel : public CoreEngine<P, Core> {
 public:
  explicit ChunkModel(uint32_t rows) : CoreEngine<P, Core>(rows) {}
  uint64_t probe() const { return core_.raw_count() | uint64_t{core_.error_count()} << 32; }
  std::span<const uint32_t> statistics() const {
    counters_ = {core_.raw_count(), core_.error_count()};
    return counters_;
  }
  void configure(size_t, const sim::PacketConfig& config) {
    core_.configure(pins_of(core_, config));
  }

 private:
  using CoreEngine<P, Core>::core_;
  mutable std::array<uint32_t, 2> counters_{};
};

/// Gradients as chunks, a packet each.
class ChunkSource final : public sim::Source {
 public:
  ChunkSource(const sim::RunSpec& spec, const ChunkSettings& settings, PacketPins pins)
      : gradients_(sim::open_gradients(spec.stimulus, spec.seed, spec.options)),
        pins_(std::move(pins)),
        rows_(rows_in_use(spec, settings.rows)) {}

  std::optional<sim::RawPacket> next() override {
    const std::optional<sim::GradientPacket> packet = gradients_->next();
    if (!packet) return std::nullopt;
    sim::RawPacket raw;
    raw.trace_number = packet->trace_number;
    pins_.set(raw, count_++);
    const auto n = static_cast<uint32_t>(packet->values.size());
    raw.meta = ChunkUser::word(rows_.next(packet->flow, n), n);
    const auto* const bytes = reinterpret_cast<const uint8_t*>(packet->values.data());
    raw.bytes.assign(bytes, bytes + size_t{n} * 4);
    return raw;
  }
  const sim::SourceFacts& facts() const override { return gradients_->facts(); }
  uint64_t expected() const override { return gradients_->expected(); }

 private:
  /// Irregular chunks come back to their rows after a few, so that it is seen what was left there.
  static uint32_t rows_in_use(const sim::RunSpec& spec, uint32_t rows) {
    constexpr uint32_t kFew = 512;  // the longest chunk has 250
    return spec.stimulus.synth == "irregular" ? std::min(rows, kFew) : rows;
  }

  std::unique_ptr<sim::Gradients> gradients_;
  PacketPins pins_;
  uint64_t count_ = 0;
  RunningRows rows_;
};

/// What quantisers share: a memory of residuals, chunks in, packets out.
template <class P, class Core>
class QuantiserDevice : public DeviceOf<P, ChunkModel<P, Core>> {
 public:
  using Model = ChunkModel<P, Core>;
  using Base = DeviceOf<P, Model>;
  using Facts = sim::Device::Facts;

  void check(const sim::RunSpec& spec) const override { settings(spec); }
  std::unique_ptr<sim::Source> source(const sim::RunSpec& spec) const override {
    if (spec.stimulus.random != nullptr) {
      return open_random_chunks(spec.stimulus, spec.seed, quantiser_, settings(spec),
                                this->packet_pins(spec));
    }
    return std::make_unique<ChunkSource>(spec, settings(spec), this->packet_pins(spec));
  }
  sim::PacketConfig packet_config(const sim::RunSpec& spec) const override {
    return settings(spec).config;
  }
  std::unique_ptr<sim::PacketWriter> writer(const std::string& path, const sim::Source& source,
                                            const sim::RunSpec& spec) const override {
    return sim::open_payload_writer(
        {.path = path, .trace = source.facts().path, .reading = sim::reader_options(spec.options)});
  }
  void describe_settings(const sim::RunSpec& spec, nlohmann::json& report) const override {
    const ChunkSettings all = settings(spec);
    const reference::quant::Config config = quantiser_.config(all.config, all.rows);
    name_settings(config, report);
    report["residual"] = config.residual ? "on" : "off";
    report["rows"] = all.rows;
    const PacketPins pins = this->packet_pins(spec);
    for (size_t i = 0; i < quantiser_.pins.options.size(); ++i) {
      if (pins.drawn(i)) report[quantiser_.pins.options[i]] = kDrawnPerPacket;
    }
  }

 protected:
  QuantiserDevice(Facts facts, const QuantiserFacts& quantiser)
      : Base(complete(std::move(facts), quantiser)), quantiser_(quantiser) {}

  const PinFacts* pin_facts() const override { return &quantiser_.pins; }
  ChunkSettings settings(const sim::RunSpec& spec) const {
    return quantiser_.settings(spec.options);
  }
  /// What the report says of the settings, beside residuals and rows.
  virtual void name_settings(const reference::quant::Config& config,
                             nlohmann::json& report) const = 0;

  std::unique_ptr<Model> model(const sim::RunSpec& spec) const override {
    return std::make_unique<Model>(settings(spec).rows);
  }
  std::unique_ptr<sim::Oracle<Beat>> oracle(const sim::RunSpec& spec) const override {
    return std::make_unique<QuantiserOracle>(quantiser_, settings(spec).rows);
  }
  std::unique_ptr<Score<Beat>> score(const sim::RunSpec& spec) const override {
    return std::make_unique<QuantiserScore>(quantiser_, settings(spec));
  }
  std::unique_ptr<sim::coverage::Family<Beat>> coverage(const sim::RunSpec& spec) const override {
    return quantiser_coverage(quantiser_, settings(spec).rows);
  }
  /// The rows are zeroed before cycle 0.
  sim::Boot boot(const sim::RunSpec& spec) const override {
    return {.writes = {}, .edges = std::max(settings(spec).rows, 1u)};
  }
  std::vector<std::pair<std::string, std::string>> parameters(
      const sim::RunSpec& spec) const override {
    return {{"Rows", std::to_string(settings(spec).rows)}};
  }
  std::string describe(bool input, size_t, const sim::Packet<Beat>& packet,
                       size_t beat) const override {
    return input ? describe_chunk(packet, beat) : describe_quantised(packet, beat);
  }

 private:
  static Facts complete(Facts facts, const QuantiserFacts& quantiser) {
    facts.family = "quant";
    facts.clock_mhz = 200;
    facts.burst_is_input = true;
    facts.line_rate = sim::LineRate::kThroughput;
    facts.line = kTenGbeSegments;
    facts.wire = sim::WireSide::kOutput;
    facts.present = &present_quantiser;
    facts.top = "gw_" + facts.name;
    facts.file_list = "rtl/quant/gw_" + facts.name + ".f";
    facts.probe = {{"raw_count_o", 32}, {"error_count_o", 32}};
    facts.statistics = {"raw", "errors"};
    facts.statistics_are_pins = false;
    facts.options = sim::with_capture_options(quantiser.options);
    facts.stimuli = sim::synth_kinds();
    facts.random = &random_chunks();
    return facts;
  }

  const QuantiserFacts& quantiser_;
};

class MxDevice final : public QuantiserDevice<MxPorts, systemc::Mx> {
 public:
  MxDevice()
      : QuantiserDevice(
            {.name = "mx",
             .summary = "quantiser: chunks of binary32 gradients to OCP microscaling blocks, "
                        "MXFP8 (E4M3, E5M2) or MXFP4, with residuals",
             .inside = {"u_issue.n_q[19:0]", "u_issue.left_q[16:0]", "u_issue.place_q[1:0]",
                        "u_issue.surplus_q", "start", "credit", "u_egress.used_q[6:0]", "pop",
                        "vector_valid", "vector_first", "vector_last", "vector_length[5:0]",
                        "merge", "first_valid", "second_valid"}},
            mx_facts()) {}

 protected:
  void name_settings(const reference::quant::Config& config,
                     nlohmann::json& report) const override {
    report["format"] = reference::quant::method_name(config.method);
    report["scale"] = reference::quant::scale_rule_name(config.scale);
  }
};

class ThresholdDevice final : public QuantiserDevice<ThresholdPorts, systemc::Threshold> {
 public:
  ThresholdDevice()
      : QuantiserDevice(
            {.name = "threshold",
             .summary = "quantiser: chunks of binary32 gradients to those that reach a threshold: "
                        "whole, as +-T or as +-m T (thresholded gradient synchronisation)",
             .inside = {"start", "row_conflict", "k_conflict", "credit", "n[19:0]", "first",
                        "final_item", "tail"}},
            threshold_facts()) {}

 protected:
  void name_settings(const reference::quant::Config& config,
                     nlohmann::json& report) const override {
    report["method"] = reference::quant::method_name(config.method);
    report["threshold"] = config.threshold;  // as it was rounded
    report["coding"] = reference::quant::coding_name(config.coding);
  }
};

class OneBitDevice final : public QuantiserDevice<OneBitPorts, systemc::OneBit> {
 public:
  OneBitDevice()
      : QuantiserDevice({.name = "onebit",
                         .summary = "quantiser: chunks of binary32 gradients to a sign a value and "
                                    "two means a chunk",
                         .inside = {"start", "room", "chunk_room", "conflict", "n[19:0]", "first",
                                    "final_", "tail"}},
                        onebit_facts()) {}

 protected:
  void name_settings(const reference::quant::Config&, nlohmann::json&) const override {}
};

class AdaptiveDevice final : public QuantiserDevice<AdaptivePorts, systemc::Adaptive> {
 public:
  AdaptiveDevice()
      : QuantiserDevice({.name = "adaptive",
                         .summary = "quantiser: chunks of binary32 gradients to about the largest "
                                    "2^-p of each sign, and two means a chunk",
                         .inside = {"start", "room", "chunk_room", "histogram_room", "conflict",
                                    "n[19:0]", "first", "final_", "tail"}},
                        adaptive_facts()) {}

 protected:
  void name_settings(const reference::quant::Config& config,
                     nlohmann::json& report) const override {
    report["p"] = config.p;
    report["coding"] = reference::quant::coding_name(config.coding);
  }
};

}  // namespace

void add_quant_devices(sim::Registry& registry) {
  registry.add(std::make_unique<MxDevice>());
  registry.add(std::make_unique<ThresholdDevice>());
  registry.add(std::make_unique<OneBitDevice>());
  registry.add(std::make_unique<AdaptiveDevice>());
  add_dequantizer(registry);
}

}  // namespace gw::testbenches
