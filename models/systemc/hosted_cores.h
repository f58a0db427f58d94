// What the registers of compressor, decompressor, parser, aggregator and optimizer mean to their
// cores (docs/registers).
#pragma once

#include <cstddef>
#include <cstdint>

#include "models/registers/aggregator.h"
#include "models/registers/compressor.h"
#include "models/registers/decompressor.h"
#include "models/registers/optimizer.h"
#include "models/systemc/aggregator.h"
#include "models/systemc/compressor.h"
#include "models/systemc/decompressor.h"
#include "models/systemc/hosted.h"
#include "models/systemc/optimizer.h"
#include "models/systemc/parser.h"

// Compressor and decompressor have one map, and what they have in common with others is where it is
// there.
static_assert(gw::registers::compressor_axil::kCodec == gw::registers::decompressor_axil::kCodec);

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

/// Workers, group, depth, and the job's reset.
class AggregatorRegisters : public CommonRegisters<Aggregator> {
 public:
  using CommonRegisters::CommonRegisters;
  void configure(const AggregationConfig& config);
  void reset();
  uint32_t read(uint32_t address) const;
  void written(uint32_t address, uint32_t data);
  bool clearing() const { return core_.clearing(); }

 private:
  AggregationConfig config_;
};

class HostedAggregator : public Hosted<Aggregator, AggregatorRegisters> {
 public:
  HostedAggregator(const RegisterMap& map, const AggregationConfig& config) : Hosted(map) {
    registers().configure(config);
  }
};

/// Hyperparameters, the iteration, cells, and the job's reset.
class OptimizerRegisters : public CommonRegisters<Optimizer> {
 public:
  using CommonRegisters::CommonRegisters;
  uint32_t read(uint32_t address) const { return core_.core().host_read(address); }
  void write(uint32_t address, uint32_t data);
  void written(uint32_t address, uint32_t data) { core_.core().host_written(address, data); }
};

class HostedOptimizer : public Hosted<Optimizer, OptimizerRegisters> {
 public:
  HostedOptimizer(const RegisterMap& map, const OptimizerConfig& config) : Hosted(map) {
    core().configure(config, {});
  }
};

}  // namespace gw::systemc
