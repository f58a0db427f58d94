// A device with an AXI4-Lite register block in place of the pins and writes of its host
// (docs/registers/README.md): the same device with other ports. What is common to all of them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "models/systemc/hosted.h"
#include "sim/harness/pace.h"
#include "sim/run/device.h"
#include "testbenches/kit/core_engine.h"
#include "testbenches/kit/runner.h"

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
class HostedModel : public CoreEngine<P, Core> {
 public:
  using CoreEngine<P, Core>::CoreEngine;

  void boot(const sim::Boot&) {
    if constexpr (requires { core_.core().skip_clearing(); }) core_.core().skip_clearing();
    core_.clock(nullptr, false);
  }
  uint64_t probe() const { return 0; }
  const AxiLiteReply& control(size_t) const { return core_.reply(); }
  void drive(size_t, const AxiLiteRequest& request) { core_.drive(request); }

 private:
  using CoreEngine<P, Core>::core_;
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

/// So many reads of `status` while no packet is on its way find a device idle that can be.
inline constexpr uint32_t kIdleReads = 1 << 16;

/// A reference of packets with one of registers beside it. Inner may say more of them:
///
///   void host_wrote(uint32_t address, uint32_t data);
///   std::optional<uint32_t> host_reads(uint32_t address) const;
///   bool within() const;     there may be packets within that nothing is owed for ...
///   void has_come_to_rest(); ... there is none
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
    if (!at_rest()) {
      // What is still within may change what is read. Some day it has left.
      const bool patient = access.address != systemc::RegisterFile::kStatus || !access.quiet ||
                           polls_ + 1 < kIdleReads;
      return patient ? std::nullopt : std::optional(1u);
    }
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
    sim::Access known = access;
    known.quiet = access.quiet && at_rest();
    return registers_.answers(known);
  }
  void answered(size_t, const sim::Access& access) override {
    if constexpr (requires { this->has_come_to_rest(); }) {
      if (access.write || !access.quiet || access.address != systemc::RegisterFile::kStatus) return;
      const bool idle = (access.data & 1) != 0;
      if (idle) this->has_come_to_rest();
      polls_ = idle ? 0 : polls_ + 1;
    }
  }
  /// Counters are registers here: there is nothing else to compare.
  std::vector<std::optional<uint32_t>> statistics() const override { return {}; }

 private:
  bool at_rest() const {
    if constexpr (requires { this->within(); }) return !this->within();
    return true;
  }

  const systemc::RegisterMap map_;
  RegisterReference registers_;
  uint32_t polls_ = 0;  ///< of `status`, in a row, that found a packet within
};

/// Careful host software: configures the device before the first packet, and when the last one has
/// left, looks at it. What a device adds: what it writes on the way.
///
/// No packet goes in while it does so, and before it changes or looks at anything behind the first
/// packet it reads `status` until the device is idle: what leaves by no port may still be within.
template <class Beat>
class CarefulHost : public Host<Beat> {
 public:
  using Write = std::pair<uint32_t, uint32_t>;  ///< address, data
  using Next = sim::ControlFeed::Next;
  using State = sim::ControlFeed::State;

  /// `pace`: of the ports, if they have one.
  CarefulHost(std::vector<Write> boot, std::vector<uint32_t> looks, size_t ports = 1,
              std::optional<sim::Pace> pace = {})
      : gate_(*this), boot_(std::move(boot)), looks_(std::move(looks)), pace_(pace), held_(ports) {}

  sim::Feed<Beat>& feed(sim::Feed<Beat>& packets) final {
    packets_ = &packets;
    return gate_;
  }
  bool booted() const final { return written_ >= boot_.size(); }

  Next next(size_t, uint64_t) final {
    if (booting_ < boot_.size()) return transaction(boot_[booting_++]);
    if (change_ || over_) {
      if (!idle_) return transaction(systemc::RegisterFile::kStatus);
      if (change_) return transaction(*std::exchange(change_, std::nullopt));
      return looked_ == looks_.size() ? Next{} : transaction(looks_[looked_++]);
    }
    return {State::kWithPackets, {}};
  }
  void answered(const sim::Access& access) final {
    if (access.write) {
      ++written_;
      return;
    }
    seen_[access.address] = access.data;
    if (access.address == systemc::RegisterFile::kStatus) {
      idle_ = (access.data & 1) != 0 || ++polls_ >= kIdleReads;
    }
  }

 protected:
  /// Whether something has to be written before this packet goes in; what, asked when it is to be
  /// done.
  virtual bool changes(const sim::Packet<Beat>&) const { return false; }
  virtual Write change(const sim::Packet<Beat>&) { return {}; }
  /// What the device held in the end, by address.
  const std::map<uint32_t, uint32_t>& seen() const { return seen_; }

 private:
  using Packets = sim::Feed<Beat>;
  using Held = std::optional<typename Packets::Next>;

  class Gate final : public Packets {
   public:
    explicit Gate(CarefulHost& host) : host_(host) {}
    typename Packets::Next next(size_t port, uint64_t cycle) override {
      return host_.packet(port, cycle);
    }

   private:
    CarefulHost& host_;
  };

  /// Nothing is on its way when something is done, and nothing begins until it is.
  static Next transaction(sim::Transaction what) {
    what.when.quiet = what.holds_packets = true;
    return {State::kTransaction, what};
  }
  static Next transaction(const Write& what) {
    return transaction({.address = what.first, .data = what.second});
  }
  static Next transaction(uint32_t address) {
    return transaction(sim::Transaction{.write = false, .address = address});
  }

  typename Packets::Next packet(size_t port, uint64_t cycle) {
    Held& held = held_[port];
    if (!held) {
      typename Packets::Next next = packets_->next(port, cycle);
      if (next.state == Packets::State::kOver) ports_over_ |= uint64_t{1} << port;
      over_ = ports_over_ == (uint64_t{1} << held_.size()) - 1;
      if (next.state != Packets::State::kPacket) return next;
      held = std::move(next);
    }
    // Whatever is written, packets of all ports wait for it.
    if (written_ < boot_.size() + changes_) return {Packets::State::kNotYet, {}};
    if (changes(*held->packet)) {
      // Not before its time: what comes before it by another port is to go in before.
      const uint64_t due = pace_ ? pace_->arrival(held->packet->time_ns, 0) : 0;
      if (due > cycle + kAhead) return {Packets::State::kNotYet, {}, due - kAhead};
      change_ = change(*held->packet);
      ++changes_;
      idle_ = false;
      polls_ = 0;
      return {Packets::State::kNotYet, {}};
    }
    return *std::exchange(held, std::nullopt);
  }

  static constexpr uint64_t kAhead = 128;  ///< cycles; the loop asks again in every 64th

  Gate gate_;
  const std::vector<Write> boot_;
  const std::vector<uint32_t> looks_;
  const std::optional<sim::Pace> pace_;
  size_t booting_ = 0, looked_ = 0;
  Packets* packets_ = nullptr;
  std::optional<Write> change_;  ///< still to be written
  std::vector<Held> held_;       ///< port by port, until all is written
  uint64_t written_ = 0, changes_ = 0;
  uint64_t ports_over_ = 0;  ///< bit p: port p gets no more
  bool over_ = false;
  bool idle_ = false;   ///< since packets were held back
  uint32_t polls_ = 0;  ///< of `status`, that found it not so
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
  sim::MutantList mutants(const sim::RunSpec& spec) const override {
    return of(spec).mutants(spec);
  }
  std::vector<std::pair<std::string, std::string>> parameters(
      const sim::RunSpec& spec) const override {
    return of(spec).parameters(spec);
  }
  sim::PacketConfig packet_config(const sim::RunSpec& spec) const override {
    return of(spec).packet_config(spec);
  }
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
