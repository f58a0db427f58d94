// A device with an AXI4-Lite register block in place of the pins and writes of its host
// (docs/registers/README.md): the same device with other ports. What is common to all of them.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "models/systemc/hosted.h"
#include "sim/run/device.h"
#include "testbenches/engine/runner.h"

namespace gw::testbenches {

/// The streams of a device, and its host's port.
template <class Streams, int kAddressBits>
struct HostedPorts : Streams {
  static constexpr std::array<sim::ControlPort, 1> kControls = {
      {{.name = "s_axil", .bundle = "s_axil", .address_bits = kAddressBits}}};
};

inline constexpr const char* kHostOption = "host";

/// `--host`, for the options of a device that has both.
sim::Option host_option();
/// Whether the options ask for the register block. Throws UsageError.
bool wants_registers(const sim::OptionSet& options);

/// The facts of gw_NAME_axil from those of gw_NAME.
sim::Device::Facts hosted_facts(sim::Device::Facts facts);

/// A model of models/systemc/hosted_cores.h as an engine.
template <class P, class Core>
class HostedModel {
 public:
  using Ports = P;

  template <class... Config>
  explicit HostedModel(const Config&... config) : core_(config...) {}

  void reset() { core_.reset(); }
  void boot(const sim::Boot&) {
    if constexpr (requires { core_.core().skip_clearing(); }) core_.core().skip_clearing();
    core_.clock(nullptr, false);
  }
  uint32_t s_ready() const { return core_.s_ready() ? 1 : 0; }
  const gw::Beat* m_beat(size_t) const { return core_.m_beat(); }
  uint64_t probe() const { return 0; }
  const AxiLiteReply& control(size_t) const { return core_.reply(); }
  void drive(size_t, const AxiLiteRequest& request) { core_.drive(request); }
  void clock(const sim::Offered<P>& offered, uint32_t m_ready) {
    core_.clock(offered[0], m_ready != 0);
  }

 private:
  Core core_;
};

/// The reference of registers: what reads return and which accesses are refused, as far as that
/// does not depend on time. What they do to packets, its users say.
class RegisterReference {
 public:
  explicit RegisterReference(const systemc::RegisterMap& map) : map_(map) {}

  /// What it was told of; registers and cells that were never written have no value.
  void configured(uint32_t address, uint32_t data) { written_[address] = data; }
  std::optional<uint32_t> read(const sim::Access& access) const;
  std::optional<AxiResponse> answers(const sim::Access& access) const;

 private:
  enum class Kind : uint8_t { kNone, kRegister, kCounter, kCell };
  Kind kind(uint32_t address, const registers::Register** found) const;

  systemc::RegisterMap map_;
  std::map<uint32_t, uint32_t> written_;
};

/// A reference of packets with one of registers beside it. Inner may say more of them:
///
///   void host_wrote(uint32_t address, uint32_t data);
///   std::optional<uint32_t> host_reads(uint32_t address) const;
template <class Inner>
class HostedOracle final : public Inner {
 public:
  template <class... Arguments>
  explicit HostedOracle(const systemc::RegisterMap& map, Arguments&&... arguments)
      : Inner(std::forward<Arguments>(arguments)...), map_(map), registers_(map) {}

  void configured(size_t, uint32_t address, uint32_t data) override {
    registers_.configured(address, data);
    if constexpr (requires { this->host_wrote(address, data); }) this->host_wrote(address, data);
  }
  std::optional<uint32_t> read(size_t, const sim::Access& access) const override {
    const uint32_t counter = (access.address - map_.counters_at) / 4;
    if (access.quiet && access.address >= map_.counters_at && counter < map_.counters) {
      const auto counters = Inner::statistics();
      return counter < counters.size() ? counters[counter] : std::nullopt;
    }
    if constexpr (requires { this->host_reads(access.address); }) {
      if (const auto value = this->host_reads(access.address)) return value;
    }
    return registers_.read(access);
  }
  std::optional<AxiResponse> answers(size_t, const sim::Access& access) const override {
    return registers_.answers(access);
  }
  /// Counters are registers here: there is nothing else to compare.
  std::vector<std::optional<uint32_t>> statistics() const override { return {}; }

 private:
  const systemc::RegisterMap map_;
  RegisterReference registers_;
};

/// Careful host software: configures the device before the first packet, and when the last one has
/// left, looks at it. What a device adds: what it writes on the way.
template <class Beat>
class CarefulHost : public Host<Beat> {
 public:
  using Write = std::pair<uint32_t, uint32_t>;  ///< address, data
  using Next = sim::ControlFeed::Next;
  using State = sim::ControlFeed::State;

  CarefulHost(std::vector<Write> boot, std::vector<uint32_t> looks)
      : gate_(*this), boot_(std::move(boot)), looks_(std::move(looks)) {}

  sim::Feed<Beat>& feed(sim::Feed<Beat>& packets) final {
    packets_ = &packets;
    return gate_;
  }

  /// Nothing is on its way when something is done, and nothing begins until it is.
  Next next(size_t, uint64_t) final {
    if (booted_ < boot_.size()) return write(boot_[booted_++]);
    if (change_) return write(*std::exchange(change_, std::nullopt));
    if (!over_) return {State::kNotYet, {}};
    if (looked_ == looks_.size()) return {};
    return {State::kTransaction,
            {.write = false,
             .address = looks_[looked_++],
             .when = {.quiet = true},
             .holds_packets = true}};
  }
  void answered(const sim::Access& access) final {
    if (access.write) {
      ++written_;
    } else {
      seen_[access.address] = access.data;
    }
  }

 protected:
  /// A packet is about to go in: what has to be written before, if anything.
  virtual std::optional<Write> before(const sim::Packet<Beat>&) { return {}; }
  /// What the device held in the end, by address.
  const std::map<uint32_t, uint32_t>& seen() const { return seen_; }

 private:
  using Packets = sim::Feed<Beat>;

  class Gate final : public Packets {
   public:
    explicit Gate(CarefulHost& host) : host_(host) {}
    typename Packets::Next next(size_t port, uint64_t cycle) override {
      return host_.packet(port, cycle);
    }

   private:
    CarefulHost& host_;
  };

  static Next write(const Write& what) {
    return {State::kTransaction,
            {.address = what.first,
             .data = what.second,
             .when = {.quiet = true},
             .holds_packets = true}};
  }

  typename Packets::Next packet(size_t port, uint64_t cycle) {
    if (!held_) {
      typename Packets::Next next = packets_->next(port, cycle);
      over_ = next.state == Packets::State::kOver;
      if (next.state != Packets::State::kPacket) return next;
      change_ = before(*next.packet);
      if (!change_) return next;
      ++changes_;
      held_ = std::move(next);
    }
    if (written_ < boot_.size() + changes_) return {Packets::State::kNotYet, {}};
    return *std::exchange(held_, std::nullopt);
  }

  Gate gate_;
  const std::vector<Write> boot_;
  const std::vector<uint32_t> looks_;
  size_t booted_ = 0, looked_ = 0;
  Packets* packets_ = nullptr;
  std::optional<Write> change_;                 ///< still to be written
  std::optional<typename Packets::Next> held_;  ///< until that is answered
  uint64_t written_ = 0, changes_ = 0;
  bool over_ = false;
  std::map<uint32_t, uint32_t> seen_;
};

/// A device and the same with its register block, one name: `--host` chooses.
class HostableDevice final : public sim::Device {
 public:
  HostableDevice(std::unique_ptr<sim::Device> raw, std::unique_ptr<sim::Device> hosted)
      : raw_(std::move(raw)), hosted_(std::move(hosted)) {}

  const Facts& facts() const override { return raw_->facts(); }
  const Facts& facts_of(const sim::RunSpec& spec) const override { return of(spec).facts(); }
  void check(const sim::RunSpec& spec) const override { of(spec).check(spec); }
  std::unique_ptr<sim::Source> source(const sim::RunSpec& spec) const override {
    return of(spec).source(spec);
  }
  sim::Outcome run(sim::Source& source, const sim::RunSpec& spec, sim::Kernel& kernel,
                   sim::PacketWriter* writer) const override {
    return of(spec).run(source, spec, kernel, writer);
  }
  std::unique_ptr<sim::Bench> bench(sim::Source& source, const sim::RunSpec& spec,
                                    sim::Kernel& kernel) const override;
  void describe_settings(const sim::RunSpec& spec, nlohmann::json& report) const override {
    of(spec).describe_settings(spec, report);
    if (&of(spec) == hosted_.get()) report["host"] = "axi-lite";
  }
  std::unique_ptr<sim::PacketWriter> writer(const std::string& path, const sim::Source& source,
                                            const sim::RunSpec& spec) const override {
    return of(spec).writer(path, source, spec);
  }

 private:
  const sim::Device& of(const sim::RunSpec& spec) const {
    return wants_registers(spec.options) ? *hosted_ : *raw_;
  }

  std::unique_ptr<sim::Device> raw_, hosted_;
};

}  // namespace gw::testbenches
