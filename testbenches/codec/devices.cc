// SPDX-License-Identifier: Apache-2.0
#include "testbenches/codec/devices.h"

#include <filesystem>

#include "models/registers/compressor.h"
#include "models/registers/decompressor.h"
#include "models/systemc/compressor.h"
#include "models/systemc/decompressor.h"
#include "models/systemc/hosted_cores.h"
#include "sim/feeds/captures.h"
#include "sim/feeds/gradients.h"
#include "sim/feeds/writer.h"
#include "sim/harness/chain.h"
#include "testbenches/codec/coverage.h"
#include "testbenches/codec/options.h"
#include "testbenches/codec/oracle.h"
#include "testbenches/codec/ports.h"
#include "testbenches/codec/random.h"
#include "testbenches/codec/report.h"
#include "testbenches/codec/view.h"
#include "testbenches/codec/words.h"
#include "testbenches/kit/core_engine.h"
#include "testbenches/kit/hosted.h"
#include "testbenches/kit/wires.h"

namespace gw::testbenches {
namespace {

/// The SystemC model's kernel-free core as an engine.
template <class Core>
class CodecModel : public CoreEngine<CodecPorts, Core> {
 public:
  uint64_t probe() const { return core_.error_count(); }
  void configure(size_t, const sim::PacketConfig& config) {
    if (config == config_) return;
    config_ = config;
    core_.configure({.bound = static_cast<uint8_t>(config[0]), .bounded = config[1] != 0});
  }

 private:
  using CoreEngine<CodecPorts, Core>::core_;
  sim::PacketConfig config_{};
};

using CompressorModel = CodecModel<systemc::Compressor>;
using DecompressorModel = CodecModel<systemc::Decompressor>;

using HostedCodecPorts = HostedPorts<CodecStreams, 12>;
using HostedCompressorModel = HostedModel<HostedCodecPorts, systemc::HostedCompressor>;
using HostedDecompressorModel = HostedModel<HostedCodecPorts, systemc::HostedDecompressor>;

/// The map of gw_compressor_axil, and of gw_decompressor_axil but for who it is.
systemc::RegisterMap codec_registers(bool compressor) {
  namespace map = registers::compressor_axil;
  return {.registers = map::kRegisters,
          .id = compressor ? map::kIdValue : registers::decompressor_axil::kIdValue,
          .version = map::kVersionValue,
          .capability = map::kCapabilityPortsField.in(1),
          .counters = map::kCounterNames.size()};
}

/// Gradients as packets of floats, or encoded as the compressor at the other end of the link would
/// have sent them.
class GradientSource final : public sim::Source {
 public:
  GradientSource(const sim::RunSpec& spec, PacketPins pins, bool encoded)
      : gradients_(sim::open_gradients(spec.stimulus, spec.seed, spec.options)),
        pins_(std::move(pins)),
        encoded_(encoded) {}

  std::optional<sim::RawPacket> next() override {
    std::optional<sim::GradientPacket> packet = gradients_->next();
    if (!packet) return std::nullopt;
    sim::RawPacket raw;
    raw.trace_number = packet->trace_number;
    const reference::CodecConfig config = codec_config(pins_.set(raw, count_++));
    if (!packet->bytes.empty()) {  // encoded already
      raw.bytes = std::move(packet->bytes);
    } else if (encoded_) {
      reference::encode(std::span<const uint32_t>(packet->values), config, raw.bytes);
      raw.values = std::move(packet->values);
    } else {
      const auto* const bytes = reinterpret_cast<const uint8_t*>(packet->values.data());
      raw.bytes.assign(bytes, bytes + packet->values.size() * 4);
    }
    return raw;
  }
  const sim::SourceFacts& facts() const override { return gradients_->facts(); }
  uint64_t expected() const override { return gradients_->expected(); }

 private:
  std::unique_ptr<sim::Gradients> gradients_;
  PacketPins pins_;
  uint64_t count_ = 0;
  bool encoded_;
};

/// What follows the name of a waveform in that of the chain's second engine.
constexpr const char* kSecond = "-decompressor";

/// Both engines, the decompressor behind the compressor.
template <class Compressor, class Decompressor>
class Loop : public sim::Chain<CodecPorts, Compressor, Decompressor> {
 public:
  Loop(std::unique_ptr<Compressor> compressor, std::unique_ptr<Decompressor> decompressor)
      : sim::Chain<CodecPorts, Compressor, Decompressor>(*compressor, *decompressor),
        compressor_(std::move(compressor)),
        decompressor_(std::move(decompressor)) {}

  /// Each has a file of its own: the decompressor's is named after the compressor's.
  int trace(const std::string& path, int64_t from, int64_t to, uint64_t period_ps) {
    std::filesystem::path second(path);
    second.replace_filename(second.stem().string() + kSecond + ".fst");
    const int error = compressor_->trace(path, from, to, period_ps);
    return error != 0 ? error : decompressor_->trace(second.string(), from, to, period_ps);
  }
  std::string finish() {
    const std::string why = compressor_->finish();
    return why + decompressor_->finish();
  }

 private:
  std::unique_ptr<Compressor> compressor_;
  std::unique_ptr<Decompressor> decompressor_;
};

using LoopModel = Loop<CompressorModel, DecompressorModel>;
using LoopRtl = Loop<RtlEngine<CodecPorts>, RtlEngine<CodecPorts>>;

/// What compressor, decompressor and their chain share, with pins or with registers.
template <class Model, class Rtl = RtlEngine<typename Model::Ports>>
class CodecDevice : public DeviceOf<typename Model::Ports, Model, Rtl> {
 public:
  using Facts = sim::Device::Facts;
  static constexpr bool kHosted = sim::kControlsOf<typename Model::Ports> != 0;

  void check(const sim::RunSpec& spec) const override { codec_config(spec.options); }
  std::unique_ptr<sim::Source> source(const sim::RunSpec& spec) const override {
    const bool encoded = !this->facts().burst_is_input;
    if (spec.stimulus.random != nullptr) {
      return open_random_gradients(spec.stimulus, spec.seed, this->packet_pins(spec), encoded);
    }
    return std::make_unique<GradientSource>(spec, this->packet_pins(spec), encoded);
  }
  sim::PacketConfig packet_config(const sim::RunSpec& spec) const override {
    return testbenches::packet_config(codec_config(spec.options));
  }
  void describe_settings(const sim::RunSpec& spec, nlohmann::json& report) const override {
    describe_codec(codec_config(spec.options), this->packet_pins(spec), 0, report);
  }
  std::unique_ptr<sim::PacketWriter> writer(const std::string& path, const sim::Source& source,
                                            const sim::RunSpec& spec) const override {
    return sim::open_payload_writer(
        {.path = path, .trace = source.facts().path, .reading = sim::reader_options(spec.options)});
  }

 protected:
  explicit CodecDevice(Facts facts)
      : DeviceOf<typename Model::Ports, Model, Rtl>(complete(std::move(facts))) {}

  template <class Reference>
  std::unique_ptr<sim::Oracle<Beat>> reference() const {
    if constexpr (kHosted) {
      return std::make_unique<HostedOracle<Reference>>(codec_registers(is_compressor()));
    } else {
      return std::make_unique<Reference>();
    }
  }
  std::unique_ptr<Model> model(const sim::RunSpec&) const override {
    if constexpr (kHosted) {
      return std::make_unique<Model>(codec_registers(is_compressor()));
    } else if constexpr (std::is_default_constructible_v<Model>) {
      return std::make_unique<Model>();
    } else {
      throw std::logic_error("a chain says what it is made of");
    }
  }
  /// Bound and mode are written before the first packet, and read with the counter behind the last.
  MakeHost<Beat> host(const sim::RunSpec& spec, sim::LookAhead&) const override {
    if constexpr (!kHosted) return {};
    namespace map = registers::compressor_axil;
    const sim::PacketConfig config = packet_config(spec);
    const uint32_t word = map::kCodecBoundField.in(static_cast<uint32_t>(config[0])) |
                          map::kCodecBoundedField.in(static_cast<uint32_t>(config[1]));
    return [word] {
      return std::make_unique<CarefulHost<Beat>>(
          std::vector<CarefulHost<Beat>::Write>{{map::kCodec, word}},
          std::vector<uint32_t>{map::kId, map::kVersion, map::kCapability, map::kStatus,
                                map::kCodec, map::kCounters});
    };
  }

  std::unique_ptr<Score<Beat>> score(const sim::RunSpec& spec) const override {
    return std::make_unique<CodecScore>(codec_config(spec.options));
  }
  /// Behind registers there are none: what the host writes holds for all packets.
  const PinFacts* pin_facts() const override { return kHosted ? nullptr : &codec_pins(); }
  sim::RunSpec unlike(const sim::RunSpec& spec) const override {
    if constexpr (!kHosted) return spec;
    sim::RunSpec other = spec;
    const reference::CodecConfig config = codec_config(spec.options);
    other.options.set("bound", std::to_string(1 + config.bound_exponent % 14));
    other.options.set("mode", config.mode == reference::Mode::kBounded ? "paper" : "bounded");
    return other;
  }
  std::unique_ptr<sim::coverage::Family<Beat>> coverage(const sim::RunSpec&) const override {
    const CodecSide side = this->facts().wire == sim::WireSide::kInside ? CodecSide::kLoop
                           : is_compressor()                            ? CodecSide::kCompressor
                                                                        : CodecSide::kDecompressor;
    return codec_coverage(side, kHosted);
  }

 private:
  static Facts complete(Facts facts) {
    facts.family = "codec";
    facts.clock_mhz = 100;
    facts.line_rate = sim::LineRate::kThroughput;
    facts.line = kTenGbeSegments;
    if (facts.wire == sim::WireSide::kNone) {
      facts.wire = facts.burst_is_input ? sim::WireSide::kOutput : sim::WireSide::kInput;
    }
    facts.present = &present_codec;
    facts.compared = compared_of_codec();
    facts.probe = {{"error_count_o", 32}};
    facts.options = sim::with_capture_options(codec_options());
    if (!facts.burst_is_input) facts.options.push_back(sim::encoded_option("encoded groups"));
    // A chain is made of raw tops.
    if (facts.name != "codec_loop") facts.options.push_back(host_option());
    facts.stimuli = sim::synth_kinds();
    facts.random = facts.burst_is_input ? &random_floats() : &random_groups();
    return kHosted ? hosted_facts(std::move(facts)) : facts;
  }
  bool is_compressor() const { return this->facts().burst_is_input; }
};

template <class Model>
class CompressorDevice final : public CodecDevice<Model> {
 public:
  CompressorDevice()
      : CodecDevice<Model>(
            {.name = "compressor",
             .summary = "256-bit AXI burst compressor: binary32 gradients to encoded "
                        "groups (INCEPTIONN, Figure 9)",
             .burst_is_input = true,
             .top = "gw_compressor",
             .file_list = "rtl/codec/gw_compressor.f",
             .inside = {"vector_valid", "vector_last", "vector_length[5:0]",
                        "u_alignment_unit.position_q[4:0]", "merge", "u_alignment_unit.flush_q",
                        "first_valid", "second_valid", "used_q[5:0]"}}) {}

 protected:
  std::unique_ptr<sim::Oracle<Beat>> oracle(const sim::RunSpec&) const override {
    return this->template reference<CompressorOracle>();
  }
  std::string describe(bool input, size_t, const sim::Packet<Beat>& packet,
                       size_t beat) const override {
    return input ? describe_floats(packet, beat) : describe_encoded(packet, beat);
  }
};

template <class Model>
class DecompressorDevice final : public CodecDevice<Model> {
 public:
  DecompressorDevice()
      : CodecDevice<Model>(
            {.name = "decompressor",
             .summary = "256-bit AXI burst decompressor: encoded groups to binary32 "
                        "gradients (INCEPTIONN, Figure 10)",
             .burst_is_input = false,
             .top = "gw_decompressor",
             .file_list = "rtl/codec/gw_decompressor.f",
             .inside = {"u_burst_buffer.held_q[2:0]", "u_burst_buffer.start_q[6:0]",
                        "u_burst_buffer.ends[6:0]", "issue", "group_valid", "group_last",
                        "group_broken", "burst_valid", "used_q[4:0]"}}) {}

 protected:
  std::unique_ptr<sim::Oracle<Beat>> oracle(const sim::RunSpec&) const override {
    return this->template reference<DecompressorOracle>();
  }
  std::string describe(bool input, size_t, const sim::Packet<Beat>& packet,
                       size_t beat) const override {
    return input ? describe_encoded(packet, beat) : describe_floats(packet, beat);
  }
};

class LoopDevice final : public CodecDevice<LoopModel, LoopRtl> {
 public:
  LoopDevice()
      : CodecDevice({.name = "codec_loop",
                     .summary = "compressor and decompressor in a chain: what a link does to "
                                "gradients",
                     .burst_is_input = true,
                     .wire = sim::WireSide::kInside,
                     .inside_bytes = "/compression/encoded_bytes",
                     .top = "gw_compressor",
                     .file_list = "rtl/codec/gw_compressor.f"}) {}

  void check(const sim::RunSpec& spec) const override {
    CodecDevice::check(spec);
    if (!spec.user_rtl.file_list.empty() || spec.against) {
      throw sim::UsageError(
          fmt::format("codec_loop is made of two tops: --{} goes with compressor or decompressor",
                      spec.against ? "against" : "rtl"));
    }
  }
  std::vector<std::pair<std::string, Facts>> more_waves() const override {
    return {{kSecond, DecompressorDevice<DecompressorModel>().facts()}};
  }

 protected:
  std::unique_ptr<LoopModel> model(const sim::RunSpec&) const override {
    return std::make_unique<LoopModel>(std::make_unique<CompressorModel>(),
                                       std::make_unique<DecompressorModel>());
  }
  std::vector<CompiledRtl> compile(const sim::RunSpec& spec, bool traced) const override {
    return {compile_rtl(CompressorDevice<CompressorModel>().facts(), {}, spec, traced),
            compile_rtl(DecompressorDevice<DecompressorModel>().facts(), {}, spec, traced)};
  }
  std::unique_ptr<LoopRtl> rtl(const std::vector<CompiledRtl>& compiled,
                               const sim::RunSpec& spec) const override {
    const auto engine = [&](size_t i) {
      return std::make_unique<RtlEngine<CodecPorts>>(compiled[i], spec.seed);
    };
    return std::make_unique<LoopRtl>(engine(0), engine(1));
  }
  std::unique_ptr<sim::Oracle<Beat>> oracle(const sim::RunSpec&) const override {
    return std::make_unique<LoopOracle>();
  }
  std::string describe(bool, size_t, const sim::Packet<Beat>& packet, size_t beat) const override {
    return describe_floats(packet, beat);
  }
};

}  // namespace

void add_codec_devices(sim::Registry& registry) {
  registry.add(std::make_unique<HostableDevice>(
      std::make_unique<CompressorDevice<CompressorModel>>(),
      std::make_unique<CompressorDevice<HostedCompressorModel>>()));
  registry.add(std::make_unique<HostableDevice>(
      std::make_unique<DecompressorDevice<DecompressorModel>>(),
      std::make_unique<DecompressorDevice<HostedDecompressorModel>>()));
  registry.add(std::make_unique<LoopDevice>());
}

}  // namespace gw::testbenches
