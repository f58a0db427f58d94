// What the registers of compressor, decompressor, parser, aggregator, optimizer and switch mean to
// their cores (docs/registers).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "models/registers/aggregator.h"
#include "models/registers/compressor.h"
#include "models/registers/decompressor.h"
#include "models/registers/optimizer.h"
#include "models/registers/switch.h"
#include "models/systemc/aggregator.h"
#include "models/systemc/compressor.h"
#include "models/systemc/decompressor.h"
#include "models/systemc/hosted.h"
#include "models/systemc/optimizer.h"
#include "models/systemc/parser.h"
#include "models/systemc/switch.h"

// Compressor and decompressor have one map, and what they have in common with others is where it is
// there.
static_assert(gw::registers::compressor_axil::kCodec == gw::registers::decompressor_axil::kCodec);
static_assert(gw::registers::switch_axil::kJobReset == gw::registers::aggregator_axil::kJobReset);
static_assert(gw::registers::switch_axil::kJobReset == gw::registers::optimizer_axil::kJobReset);
static_assert(gw::registers::switch_axil::kWorkers == gw::registers::aggregator_axil::kWorkers);
static_assert(gw::registers::switch_axil::kDepth == gw::registers::aggregator_axil::kDepth);
static_assert(gw::registers::switch_axil::kLr == gw::registers::optimizer_axil::kLr);
static_assert(gw::registers::switch_axil::kPower2 == gw::registers::optimizer_axil::kPower2);
static_assert(gw::registers::switch_axil::kCells.address ==
              gw::registers::optimizer_axil::kCells.address);

namespace gw::systemc {

/// Of a top that has only what all have.
template <class Core>
class CommonRegisters {
 public:
  explicit CommonRegisters(Core& core) : core_(core) {}
  void reset() {}
  uint32_t read(uint32_t) const { return 0; }
  void write(uint32_t, uint32_t) {}
  void written(uint32_t, uint32_t) {}
  uint32_t counter(size_t i) const { return core_.statistics()[i]; }
  bool clearing() const { return false; }

 protected:
  Core& core_;
};

using HostedParser = Hosted<Parser, CommonRegisters<Parser>>;

/// Bound and mode, of packets whose first beat is accepted from the next cycle on.
template <class Core>
class CodecRegisters : public CommonRegisters<Core> {
 public:
  explicit CodecRegisters(Core& core) : CommonRegisters<Core>(core) { reset(); }
  void reset() { written(registers::compressor_axil::kCodec, kReset); }
  uint32_t read(uint32_t) const { return word_; }
  void written(uint32_t address, uint32_t data) {
    if (address != registers::compressor_axil::kCodec) return;
    word_ = data;
    this->core_.configure(
        {.bound = static_cast<uint8_t>(kBound.of(data)), .bounded = kBounded.of(data) != 0});
  }
  uint32_t counter(size_t) const { return this->core_.error_count(); }

 private:
  static constexpr const registers::Field& kBound = registers::compressor_axil::kCodecBoundField;
  static constexpr const registers::Field& kBounded =
      registers::compressor_axil::kCodecBoundedField;
  static constexpr uint32_t kReset = kBound.in(kBound.reset) | kBounded.in(kBounded.reset);
  uint32_t word_ = kReset;
};

using HostedCompressor = Hosted<Compressor, CodecRegisters<Compressor>>;
using HostedDecompressor = Hosted<Decompressor, CodecRegisters<Decompressor>>;

/// The aggregator's: workers, group, depth, and the job's reset.
class AggregationRegisters {
 public:
  explicit AggregationRegisters(Aggregation& core) : core_(core) {}
  void configure(const AggregationConfig& config);
  void reset();
  static bool has(uint32_t address) {
    namespace map = registers::aggregator_axil;
    return address >= map::kWorkers && address <= map::kDepth;
  }
  uint32_t read(uint32_t address) const;
  void written(uint32_t address, uint32_t data);

 private:
  Aggregation& core_;
  AggregationConfig config_;
};

/// The optimizer's: hyperparameters, the iteration, cells, and the job's reset.
class OptimizationRegisters {
 public:
  explicit OptimizationRegisters(Optimization& core) : core_(core) {}
  uint32_t read(uint32_t address) const { return core_.host_read(address); }
  void write(uint32_t address, uint32_t data);
  void written(uint32_t address, uint32_t data) { core_.host_written(address, data); }

 private:
  Optimization& core_;
};

class AggregatorRegisters : public CommonRegisters<Aggregator> {
 public:
  explicit AggregatorRegisters(Aggregator& core)
      : CommonRegisters(core), aggregation_(core.aggregation()) {}
  void configure(const AggregationConfig& config) { aggregation_.configure(config); }
  void reset() { aggregation_.reset(); }
  uint32_t read(uint32_t address) const { return aggregation_.read(address); }
  void written(uint32_t address, uint32_t data) { aggregation_.written(address, data); }
  bool clearing() const { return core_.aggregation().clearing(); }

 private:
  AggregationRegisters aggregation_;
};

class HostedAggregator : public Hosted<Aggregator, AggregatorRegisters> {
 public:
  HostedAggregator(const RegisterMap& map, const AggregationConfig& config) : Hosted(map) {
    registers().configure(config);
  }
};

class OptimizerRegisters : public CommonRegisters<Optimizer> {
 public:
  explicit OptimizerRegisters(Optimizer& core)
      : CommonRegisters(core), optimization_(core.optimization()) {}
  uint32_t read(uint32_t address) const { return optimization_.read(address); }
  void write(uint32_t address, uint32_t data) { optimization_.write(address, data); }
  void written(uint32_t address, uint32_t data) { optimization_.written(address, data); }

 private:
  OptimizationRegisters optimization_;
};

class HostedOptimizer : public Hosted<Optimizer, OptimizerRegisters> {
 public:
  HostedOptimizer(const RegisterMap& map, const OptimizerConfig& config) : Hosted(map) {
    core().configure(config, {});
  }
};

/// Both, at the same addresses; a job's reset is one of both.
class SwitchRegisters : public CommonRegisters<Switch> {
 public:
  explicit SwitchRegisters(Switch& core)
      : CommonRegisters(core),
        aggregation_(core.aggregation()),
        optimization_(core.optimization()) {}
  void configure(const AggregationConfig& config) { aggregation_.configure(config); }
  void reset() { aggregation_.reset(); }
  uint32_t read(uint32_t address) const {
    return AggregationRegisters::has(address) ? aggregation_.read(address)
                                              : optimization_.read(address);
  }
  void write(uint32_t address, uint32_t data) { optimization_.write(address, data); }
  void written(uint32_t address, uint32_t data) {
    aggregation_.written(address, data);
    if (!AggregationRegisters::has(address)) optimization_.written(address, data);
  }
  bool clearing() const { return core_.aggregation().clearing(); }

 private:
  AggregationRegisters aggregation_;
  OptimizationRegisters optimization_;
};

/// gw_switch_axil. Frames that may not begin wait in the RX queues.
class HostedSwitch {
 public:
  static constexpr int kPorts = Switch::kPorts;

  HostedSwitch(const RegisterMap& map, const AggregationConfig& aggregation,
               const OptimizerConfig& optimizer);
  HostedSwitch(const HostedSwitch&) = delete;
  HostedSwitch& operator=(const HostedSwitch&) = delete;

  Switch& core() { return core_; }

  void drive(const AxiLiteRequest& request) { file_.port().drive(request); }
  const AxiLiteReply& reply() const { return file_.port().reply(); }
  bool s_ready(int port) const { return core_.s_ready(port); }
  const Beat* m_beat(int port) const { return core_.m_beat(port); }
  uint32_t events() const { return core_.events(); }

  /// As Switch has it.
  void reset(unsigned offered = 0);
  void clock(const std::array<const Beat*, kPorts>& s, unsigned m_ready);

 private:
  Switch core_;
  RegisterFile file_;
  SwitchRegisters registers_;
  uint32_t within_ = 0;  ///< frames between arbiter and output queues
};

}  // namespace gw::systemc
