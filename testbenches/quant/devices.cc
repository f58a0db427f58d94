#include "testbenches/quant/devices.h"

#include "models/systemc/mx.h"
#include "sim/feeds/gradients.h"
#include "sim/feeds/writer.h"
#include "testbenches/engine/runner.h"
#include "testbenches/quant/coverage.h"
#include "testbenches/quant/options.h"
#include "testbenches/quant/oracle.h"
#include "testbenches/quant/ports.h"
#include "testbenches/quant/random.h"
#include "testbenches/quant/report.h"
#include "testbenches/quant/words.h"

namespace gw::testbenches {
namespace {

/// The SystemC model's kernel-free core as an engine.
class MxModel {
 public:
  using Ports = MxPorts;

  explicit MxModel(uint32_t rows) : core_(rows) {}
  void reset() { core_.reset(); }
  uint32_t s_ready() const { return core_.s_ready() ? 1 : 0; }
  const Beat* m_beat(size_t) const { return core_.m_beat(); }
  uint64_t probe() const { return core_.raw_count() | uint64_t{core_.error_count()} << 32; }
  std::span<const uint32_t> statistics() const {
    counters_ = {core_.raw_count(), core_.error_count()};
    return counters_;
  }
  void clock(const sim::Offered<MxPorts>& offered, uint32_t m_ready) {
    core_.clock(offered[0], m_ready != 0);
  }
  void configure(size_t, const sim::PacketConfig& config) {
    core_.configure({.fp4 = config[0] != 0, .residual = config[1] != 0});
  }

 private:
  systemc::Mx core_;
  mutable std::array<uint32_t, 2> counters_{};
};

/// Gradients as chunks, a packet each.
class ChunkSource final : public sim::Source {
 public:
  ChunkSource(const sim::StimulusSpec& stimulus, uint64_t seed, const MxSettings& settings)
      : gradients_(sim::open_gradients(stimulus, seed)),
        config_(packet_config(settings)),
        rows_(settings.rows) {}

  std::optional<sim::RawPacket> next() override {
    const std::optional<sim::GradientPacket> packet = gradients_->next();
    if (!packet) return std::nullopt;
    sim::RawPacket raw;
    raw.trace_number = packet->trace_number;
    raw.config = config_;
    const auto n = static_cast<uint32_t>(packet->values.size());
    raw.meta = ChunkUser::word(rows_.next(packet->flow, n), n);
    const auto* const bytes = reinterpret_cast<const uint8_t*>(packet->values.data());
    raw.bytes.assign(bytes, bytes + size_t{n} * 4);
    return raw;
  }
  const sim::SourceFacts& facts() const override { return gradients_->facts(); }
  uint64_t expected() const override { return gradients_->expected(); }

 private:
  std::unique_ptr<sim::Gradients> gradients_;
  const sim::PacketConfig config_;
  RunningRows rows_;
};

class MxDevice final : public DeviceOf<MxPorts, MxModel> {
 public:
  MxDevice()
      : DeviceOf({.name = "mx",
                  .summary = "quantiser: chunks of binary32 gradients to OCP microscaling blocks, "
                             "MXFP8 or MXFP4, with residuals",
                  .clock_mhz = 200,
                  .burst_is_input = true,
                  .line_rate = sim::LineRate::kThroughput,
                  .wire = sim::WireSide::kOutput,
                  .top = "gw_mx",
                  .file_list = "rtl/quant/gw_mx.f",
                  .pins = {{"format_i", 1}, {"residual_i", 1}},
                  .probe = {{"raw_count_o", 32}, {"error_count_o", 32}},
                  .statistics = {"raw", "errors"},
                  .statistics_are_pins = false,
                  .inside = {"u_issue.n_q[19:0]", "u_issue.left_q[16:0]", "u_issue.place_q[1:0]",
                             "u_issue.surplus_q", "start", "credit_q", "used_q[6:0]", "pop",
                             "vector_valid", "vector_first", "vector_last", "vector_length[5:0]",
                             "merge", "first_valid", "second_valid"},
                  .options = mx_options(),
                  .stimuli = sim::synth_kinds(),
                  .random = &random_chunks()}) {}

  void check(const sim::RunSpec& spec) const override { mx_settings(spec.options); }
  std::unique_ptr<sim::Source> source(const sim::RunSpec& spec) const override {
    const MxSettings settings = mx_settings(spec.options);
    if (spec.stimulus.random != nullptr) {
      return open_random_chunks(spec.stimulus, spec.seed, settings);
    }
    return std::make_unique<ChunkSource>(spec.stimulus, spec.seed, settings);
  }
  sim::PacketConfig packet_config(const sim::RunSpec& spec) const override {
    return testbenches::packet_config(mx_settings(spec.options));
  }
  void describe_settings(const sim::RunSpec& spec, nlohmann::json& report) const override {
    const MxSettings settings = mx_settings(spec.options);
    report["format"] = settings.fp4 ? "mxfp4" : "mxfp8";
    report["residual"] = settings.residual ? "on" : "off";
    report["rows"] = settings.rows;
  }
  std::unique_ptr<sim::PacketWriter> writer(const std::string& path, const sim::Source& source,
                                            const sim::RunSpec&) const override {
    return sim::open_payload_writer({.path = path, .trace = source.facts().path});
  }

 protected:
  std::unique_ptr<MxModel> model(const sim::RunSpec& spec) const override {
    return std::make_unique<MxModel>(mx_settings(spec.options).rows);
  }
  std::unique_ptr<sim::Oracle<Beat>> oracle(const sim::RunSpec& spec) const override {
    return std::make_unique<MxOracle>(mx_settings(spec.options).rows);
  }
  std::unique_ptr<Score<Beat>> score(const sim::RunSpec& spec) const override {
    const uint32_t rows = mx_settings(spec.options).rows;
    return std::make_unique<MxScore>(mx_config(packet_config(spec), rows), rows);
  }
  std::unique_ptr<sim::coverage::Family<Beat>> coverage(const sim::RunSpec& spec) const override {
    return mx_coverage(mx_settings(spec.options).rows);
  }
  /// The rows are zeroed before cycle 0.
  sim::Boot boot(const sim::RunSpec& spec) const override {
    return {.writes = {}, .edges = std::max(mx_settings(spec.options).rows, 1u)};
  }
  std::vector<std::pair<std::string, std::string>> parameters(
      const sim::RunSpec& spec) const override {
    return {{"Rows", std::to_string(mx_settings(spec.options).rows)}};
  }
  std::string describe(bool input, size_t, const sim::Packet<Beat>& packet,
                       size_t beat) const override {
    return input ? describe_chunk(packet, beat) : describe_quantised(packet, beat);
  }
};

}  // namespace

void add_quant_devices(sim::Registry& registry) { registry.add(std::make_unique<MxDevice>()); }

}  // namespace gw::testbenches
