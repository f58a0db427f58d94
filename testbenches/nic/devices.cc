// SPDX-License-Identifier: Apache-2.0
#include "testbenches/nic/devices.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "models/systemc/nic_rx.h"
#include "models/systemc/nic_tx.h"
#include "sim/feeds/frames.h"
#include "sim/feeds/writer.h"
#include "sim/harness/chain.h"
#include "testbenches/codec/options.h"
#include "testbenches/codec/report.h"
#include "testbenches/kit/core_engine.h"
#include "testbenches/kit/runner.h"
#include "testbenches/kit/wires.h"
#include "testbenches/nic/capture.h"
#include "testbenches/nic/coverage.h"
#include "testbenches/nic/options.h"
#include "testbenches/nic/oracle.h"
#include "testbenches/nic/ports.h"
#include "testbenches/nic/random.h"
#include "testbenches/nic/traffic.h"
#include "testbenches/nic/view.h"
#include "testbenches/nic/wire.h"
#include "testbenches/nic/words.h"

namespace gw::testbenches {
namespace {

namespace nic = reference::nic;

constexpr double kNicClockMhz = 100;

systemc::NicTxConfig pins_of(const systemc::NicTx&, const sim::PacketConfig& words) {
  return {.mark = static_cast<uint8_t>(words[0]),
          .mark_mask = static_cast<uint8_t>(words[1]),
          .packet_grid = words[2] != 0,
          .codec = {.bound = static_cast<uint8_t>(words[3]), .bounded = words[4] != 0},
          .protocol_tcp = static_cast<uint8_t>(words[5]),
          .protocol_udp = static_cast<uint8_t>(words[6]),
          .forget = nic_tx_forgets(words).has_value(),
          .forget_key = nic_tx_forgets(words).value_or(systemc::NicFlowKey{})};
}
systemc::NicRxConfig pins_of(const systemc::NicRx&, const sim::PacketConfig& words) {
  return {.protocol_tcp = static_cast<uint8_t>(words[0]),
          .protocol_udp = static_cast<uint8_t>(words[1])};
}

/// The SystemC model's kernel-free core as an engine.
template <class P, class Core>
class NicModel : public CoreEngine<P, Core> {
 public:
  sim::Probe<P> probe() const {
    if constexpr (requires { core_.forgets(); }) {
      const systemc::NicFlowKey* const key = core_.forgets();
      return key != nullptr ? nic_rx_says(*key) : sim::Probe<P>{};
    } else {
      return 0;
    }
  }
  std::span<const uint32_t> statistics() const { return core_.statistics(); }
  void configure(size_t, const sim::PacketConfig& words) { core_.configure(pins_of(core_, words)); }

 private:
  using CoreEngine<P, Core>::core_;
};
using NicTxModel = NicModel<NicTxPorts, systemc::NicTx>;
using NicRxModel = NicModel<NicRxPorts, systemc::NicRx>;

/// When a frame left: the first one's time, and the cycles since at the run's clock.
std::function<int64_t(const sim::Passage&)> clocked(const sim::Source& source, double clock_mhz) {
  return [begin = source.facts().begin_ns, clock_mhz](const sim::Passage& passage) {
    return begin + std::llround(static_cast<double>(passage.offered) * 1e3 / clock_mhz);
  };
}

/// What nic_tx, nic_rx and nic share.
template <class Model, class Rtl = RtlEngine<typename Model::Ports>>
class NicDevice : public DeviceOf<typename Model::Ports, Model, Rtl> {
 public:
  using Facts = sim::Device::Facts;

  void check(const sim::RunSpec& spec) const override {
    nic_config(spec.options);
    frame_bytes(spec.options);
    check_host(spec.options);
  }
  std::unique_ptr<sim::Source> source(const sim::RunSpec& spec) const override {
    if (!spec.stimulus.trace.empty()) {
      return std::make_unique<sim::FrameSource>(captured(spec), /*by_port=*/false);
    }
    if (!spec.stimulus.filter.empty()) {
      throw sim::UsageError("--filter chooses packets of a capture and needs --trace");
    }
    if (spec.options.changed().contains("host")) {
      throw sim::UsageError("--host chooses frames of a capture and needs --trace");
    }
    if (spec.stimulus.random != nullptr) {
      const bool wire = this->facts().random == &random_wire();
      return std::make_unique<sim::FrameSource>(
          open_random_hosts(spec.stimulus, spec.seed, nic_config(spec.options), tx_pins(spec),
                            wire),
          /*by_port=*/false);
    }
    std::string names;
    for (const sim::SynthKind& kind : this->facts().stimuli) {
      if (kind.name == spec.stimulus.synth) {
        return std::make_unique<sim::FrameSource>(synthetic(spec), /*by_port=*/false);
      }
      names += fmt::format("{}{}", names.empty() ? "" : ", ", kind.name);
    }
    throw sim::UsageError(fmt::format("unknown stimulus of {} '{}'; there are {}", this->name(),
                                      spec.stimulus.synth, names));
  }
  void describe_settings(const sim::RunSpec& spec, nlohmann::json& report) const override {
    const nic::NicConfig config = nic_config(spec.options);
    const PacketPins pins = tx_pins(spec);
    describe_codec(config.codec, pins, 3, report);
    const auto say = [&](const char* key, size_t pin, const std::string& value) {
      report[key] = pins.drawn(pin) ? kDrawnPerPacket : value;
    };
    say("grid", 2, config.grid == nic::Grid::kStream ? "stream" : "packet");
    say("mark", 0, fmt::format("{:#04x}", config.mark));
    say("mark_mask", 1, fmt::format("{:#04x}", config.mark_mask));
  }
  sim::PacketConfig packet_config(const sim::RunSpec& spec) const override {
    return nic_tx_words(nic_config(spec.options));
  }
  std::unique_ptr<sim::PacketWriter> writer(const std::string& path, const sim::Source& source,
                                            const sim::RunSpec& spec) const override {
    return sim::open_frame_writer(
        {.path = path, .trace = source.facts().path, .actions = this->facts().actions},
        clocked(source, spec.clock_mhz));
  }

 protected:
  explicit NicDevice(Facts facts)
      : DeviceOf<typename Model::Ports, Model, Rtl>(complete(std::move(facts))) {}

  const PinFacts* pin_facts() const override { return &nic_tx_pins(); }
  /// Those of the sender of the spec's frames.
  virtual PacketPins tx_pins(const sim::RunSpec& spec) const { return this->packet_pins(spec); }
  std::unique_ptr<Model> model(const sim::RunSpec&) const override {
    if constexpr (std::is_default_constructible_v<Model>) {
      return std::make_unique<Model>();
    } else {
      throw std::logic_error("a chain says what it is made of");
    }
  }
  virtual std::unique_ptr<sim::Frames> captured(const sim::RunSpec& spec) const {
    return open_host_capture(spec, nic_config(spec.options), /*sends=*/true);
  }
  virtual std::unique_ptr<sim::Frames> synthetic(const sim::RunSpec& spec) const {
    return open_host_frames(spec.stimulus.synth, spec.seed, spec.stimulus.packets,
                            frame_bytes(spec.options), nic_config(spec.options));
  }
  std::string describe(bool, size_t, const sim::Packet<Beat>& packet, size_t beat) const override {
    return describe_nic_frame(packet, beat);
  }
  std::unique_ptr<sim::coverage::Family<Beat>> coverage(const sim::RunSpec& spec) const override {
    const sim::WireSide wire = this->facts().wire;
    return nic_coverage(wire == sim::WireSide::kOutput  ? NicSide::kTx
                        : wire == sim::WireSide::kInput ? NicSide::kRx
                                                        : NicSide::kBoth,
                        nic_config(spec.options));
  }

 private:
  static Facts complete(Facts facts) {
    facts.family = "nic";
    facts.clock_mhz = kNicClockMhz;
    facts.frames = true;
    facts.line_rate = sim::LineRate::kWire;
    facts.line = kTenGbe;
    facts.lines = 4;
    facts.present = &present_nic;
    facts.compared = compared_of_codec();
    if (facts.stimuli.empty()) facts.stimuli = host_synth_kinds();
    if (facts.random == nullptr) facts.random = &random_hosts();
    const std::vector<sim::Option> own = std::move(facts.options);
    facts.options = nic_options();
    facts.options.insert(facts.options.end(), own.begin(), own.end());
    facts.options.push_back(captured_host_option());
    facts.options.push_back(frame_bytes_option());
    return facts;
  }
};

class NicTxDevice final : public NicDevice<NicTxModel> {
 public:
  NicTxDevice()
      : NicDevice(
            {.name = "nic_tx",
             .summary = "NIC engine, host to wire: packs the floats of marked TCP segments "
                        "and UDP datagrams (INCEPTIONN, VI-A)",
             .burst_is_input = true,
             .wire = sim::WireSide::kOutput,
             .top = "gw_nic_tx",
             .file_list = "rtl/nic/gw_nic_tx.f",
             .statistics = tx_statistics(),
             .actions = tx_actions(),
             .inside = {"original_used_q[10:0]", "front_used_q[5:0]", "frames_q[8:0]",
                        "stream_used_q[10:0]", "out_used_q[2:0]", "class_valid", "action_valid",
                        "verdict_valid", "issue", "issue_packed", "finish"}}) {}

 protected:
  std::unique_ptr<sim::Oracle<Beat>> oracle(const sim::RunSpec& spec) const override {
    return std::make_unique<NicTxOracle>(nic_config(spec.options));
  }
};

class NicRxDevice final : public NicDevice<NicRxModel> {
 public:
  NicRxDevice()
      : NicDevice(
            {.name = "nic_rx",
             .summary = "NIC engine, wire to host: gives packed frames back as the host sent "
                        "them (INCEPTIONN, VI-A)",
             .burst_is_input = false,
             .wire = sim::WireSide::kInput,
             .top = "gw_nic_rx",
             .file_list = "rtl/nic/gw_nic_rx.f",
             .statistics = rx_statistics(),
             .actions = rx_actions(),
             .inside = {"front_used_q[6:0]", "original_used_q[6:0]", "frames_q[6:0]", "class_valid",
                        "details_valid", "stream_valid", "stream_ready", "group_valid",
                        "group_ready", "frame_valid", "verdict_valid", "finish"},
             .options = {{.name = "pack",
                          .text = "the capture is of a host: nic_tx's reference packs it first",
                          .value = "",
                          .group = "NIC",
                          .flag = true}},
             .stimuli = wire_synth_kinds(),
             .random = &random_wire()}) {}

  void check(const sim::RunSpec& spec) const override {
    NicDevice::check(spec);
    const bool pack = spec.options.flag("pack");
    if (pack && spec.stimulus.trace.empty() && spec.stimulus.recorded == nullptr) {
      throw sim::UsageError("--pack is for a capture: synthetic frames of nic_rx are packed");
    }
    if (pack || spec.stimulus.trace.empty()) return;
    for (const sim::Option& option : nic_options()) {
      if (!spec.options.changed().contains(option.name)) continue;
      throw sim::UsageError(fmt::format(
          "--{} has no effect on a capture of the wire, which says by itself how it is packed; "
          "--pack packs one of a host",
          option.name));
    }
  }
  void describe_settings(const sim::RunSpec& spec, nlohmann::json& report) const override {
    // The capture's shims say it.
    if (!packs(spec)) return;
    NicDevice::describe_settings(spec, report);
  }
  sim::PacketConfig packet_config(const sim::RunSpec& spec) const override {
    return nic_rx_words(nic_config(spec.options));
  }

 protected:
  const PinFacts* pin_facts() const override { return &nic_rx_pins(); }
  PacketPins tx_pins(const sim::RunSpec& spec) const override {
    // Recorded frames do not say how they were packed.
    const PinFacts* const facts = spec.stimulus.recorded == nullptr ? &nic_tx_pins() : nullptr;
    return {facts, spec, nic_tx_words(nic_config(spec.options))};
  }
  std::unique_ptr<sim::Frames> captured(const sim::RunSpec& spec) const override {
    const nic::NicConfig config = nic_config(spec.options);
    if (!packs(spec)) return open_host_capture(spec, config, /*sends=*/false);
    return pack_frames(NicDevice::captured(spec), config);
  }
  std::unique_ptr<sim::Frames> synthetic(const sim::RunSpec& spec) const override {
    return open_wire_frames(spec.stimulus.synth, spec.seed, spec.stimulus.packets,
                            frame_bytes(spec.options), nic_config(spec.options));
  }
  std::unique_ptr<sim::Oracle<Beat>> oracle(const sim::RunSpec& spec) const override {
    return std::make_unique<NicRxOracle>(nic_config(spec.options));
  }

 private:
  static bool packs(const sim::RunSpec& spec) {
    return spec.stimulus.trace.empty() || spec.options.flag("pack");
  }
};

/// Between the MACs: the time that light needs for a hundred metres of fibre.
constexpr double kLinkNs = 500;

sim::LinkSpec link_of(const sim::RunSpec& spec) {
  return {.delay = static_cast<uint32_t>(std::lround(kLinkNs * 1e-3 * spec.clock_mhz)),
          .pace = sim::Pace{spec.wire_mhz(), kTenGbe}};
}

/// What follows the name of a waveform in that of the link's receiver.
constexpr const char* kSecond = "-nic_rx";

/// Both engines with a 10GbE link between them.
template <class Tx, class Rx>
class NicChain final : public sim::Chain<NicPorts, Tx, Rx> {
  using Base = sim::Chain<NicPorts, Tx, Rx>;

 public:
  using Ports = NicPorts;

  NicChain(std::unique_ptr<Tx> tx, std::unique_ptr<Rx> rx, const nic::NicConfig& config,
           const sim::RunSpec& spec)
      : Base(*tx, *rx, link_of(spec)), tx_(std::move(tx)), rx_(std::move(rx)) {
    this->configure_b_always(nic_rx_words(config));
  }

  /// Writes what goes over the link.
  void watch(const nic::NicConfig& config, sim::PacketWriter* writer) {
    if (writer != nullptr) wire_ = std::make_unique<NicWire>(config, *writer);
  }
  void reset() {
    Base::reset();
    if (wire_ != nullptr) wire_->reset();
  }
  void configure(size_t port, const sim::PacketConfig& words) {
    if (wire_ != nullptr) wire_->configure(nic_tx_config(words), nic_tx_forgets(words));
    Base::configure(port, words);
  }
  void clock(const sim::Offered<Ports>& offered, uint32_t m_ready) {
    if (wire_ != nullptr) [[unlikely]] {
      wire_->cycle((this->s_ready() & 1) != 0 ? offered[0] : nullptr, tx_->m_beat(0),
                   this->passing());
    }
    Base::clock(offered, m_ready);
  }
  std::string stopped() const {
    return wire_ != nullptr && !wire_->complaint().empty() ? wire_->complaint() : Base::stopped();
  }
  /// Each engine has a file of its own: nic_rx's is named after nic_tx's.
  int trace(const std::string& path, int64_t from, int64_t to, uint64_t period_ps) {
    std::filesystem::path second(path);
    second.replace_filename(second.stem().string() + kSecond + ".fst");
    const int error = tx_->trace(path, from, to, period_ps);
    return error != 0 ? error : rx_->trace(second.string(), from, to, period_ps);
  }
  std::string finish() {
    const std::string why = tx_->finish();
    return why + rx_->finish();
  }

 private:
  std::unique_ptr<Tx> tx_;
  std::unique_ptr<Rx> rx_;
  std::unique_ptr<NicWire> wire_;
};

using NicChainModel = NicChain<NicTxModel, NicRxModel>;
using NicChainRtl = NicChain<RtlEngine<NicTxPorts>, RtlEngine<NicRxPorts>>;

std::vector<std::string> chain_statistics() {
  std::vector<std::string> all;
  for (const std::string& name : tx_statistics()) all.push_back("tx_" + name);
  for (const std::string& name : rx_statistics()) all.push_back("rx_" + name);
  return all;
}

class NicPairDevice final : public NicDevice<NicChainModel, NicChainRtl> {
 public:
  NicPairDevice()
      : NicDevice({.name = "nic",
                   .summary = "two NICs: nic_tx, a 10GbE link, nic_rx: what one host sends and "
                              "another gets",
                   .burst_is_input = true,
                   .linked = true,
                   .top = "gw_nic_tx",
                   .file_list = "rtl/nic/gw_nic_tx.f",
                   .statistics = chain_statistics(),
                   .actions = tx_actions(),
                   .options = {{.name = "pcap-wire",
                                .text = "write what goes over the link as packets",
                                .value = "",
                                .group = "NIC",
                                .writes = true}}}) {}

  void check(const sim::RunSpec& spec) const override {
    NicDevice::check(spec);
    if (!spec.user_rtl.file_list.empty() || spec.against) {
      throw sim::UsageError(fmt::format("nic is made of two tops: --{} goes with nic_tx or nic_rx",
                                        spec.against ? "against" : "rtl"));
    }
  }
  std::vector<std::pair<std::string, Facts>> more_waves() const override {
    return {{kSecond, NicRxDevice().facts()}};
  }
  std::unique_ptr<sim::PacketWriter> wire_writer(const sim::Source& source,
                                                 const sim::RunSpec& spec) const override {
    const std::string& path = spec.options.word("pcap-wire");
    if (path.empty()) return nullptr;
    return sim::open_frame_writer({.path = path,
                                   .trace = source.facts().path,
                                   .actions = facts().actions,
                                   .option = "--pcap-wire"},
                                  clocked(source, spec.clock_mhz));
  }

 protected:
  std::unique_ptr<NicChainModel> model(const sim::RunSpec& spec) const override {
    const nic::NicConfig config = nic_config(spec.options);
    auto chain = std::make_unique<NicChainModel>(std::make_unique<NicTxModel>(),
                                                 std::make_unique<NicRxModel>(), config, spec);
    if (!spec.rtl) chain->watch(config, spec.wire_writer);
    return chain;
  }
  std::vector<CompiledRtl> compile(const sim::RunSpec& spec, bool traced) const override {
    return {compile_rtl(NicTxDevice().facts(), {}, spec, traced),
            compile_rtl(NicRxDevice().facts(), {}, spec, traced)};
  }
  std::unique_ptr<NicChainRtl> rtl(const std::vector<CompiledRtl>& compiled,
                                   const sim::RunSpec& spec) const override {
    const nic::NicConfig config = nic_config(spec.options);
    auto chain = std::make_unique<NicChainRtl>(
        std::make_unique<RtlEngine<NicTxPorts>>(compiled[0], spec.seed),
        std::make_unique<RtlEngine<NicRxPorts>>(compiled[1], spec.seed), config, spec);
    chain->watch(config, spec.wire_writer);
    return chain;
  }
  std::unique_ptr<sim::Oracle<Beat>> oracle(const sim::RunSpec& spec) const override {
    return std::make_unique<NicOracle>(nic_config(spec.options));
  }
  const PinFacts* pin_facts() const override { return &nic_pair_pins(); }
};

}  // namespace

void add_nic_devices(sim::Registry& registry) {
  registry.add(std::make_unique<NicTxDevice>());
  registry.add(std::make_unique<NicRxDevice>());
  registry.add(std::make_unique<NicPairDevice>());
}

}  // namespace gw::testbenches
