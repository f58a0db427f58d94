// The untimed optimizer switch: one frame after the other through parser, aggregation, optimizer
// and lookup, or through those of them that a device is made of.
//
// Frames come in the order in which the hardware takes them; queues and drops are the hardware's to
// decide, in time, and not known here.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "models/reference/aggregator/aggregator.h"
#include "models/reference/expether/frame.h"
#include "models/reference/lookup/lookup.h"
#include "models/reference/optimizer/bit_exact.h"
#include "models/reference/optimizer/textbook.h"

namespace gw::reference {

/// Which blocks there are after the parser.
struct Blocks {
  bool aggregation = false;
  bool optimization = false;
  bool lookup = false;

  /// The optimizer alone takes every gradient frame for a sum.
  bool every_gradient_is_complete() const { return optimization && !aggregation; }
};

struct PipelineConfig {
  Blocks blocks;
  AggregatorConfig aggregator;
  optimizer::Algorithm algorithm = optimizer::Algorithm::kSgd;
  optimizer::HyperParameters hyper;
  optimizer::Epsilon epsilon = optimizer::Epsilon::kUnderRoot;
  fp::Subnormal subnormal = fp::Subnormal::kFlush;
  std::vector<std::uint32_t> parameters;  ///< before the first step, as bits
};

/// tuser between the blocks, as docs/devices/parser.md lays it out, of a frame that came in by
/// `port`.
std::array<std::uint32_t, 6> meta_of(const expether::Classified& what, int port);

class Pipeline {
 public:
  explicit Pipeline(const PipelineConfig& config);

  struct Frame {
    std::vector<std::uint8_t> bytes;
    std::array<std::uint32_t, 6> meta{};
    unsigned ports = 1;         ///< bit p: it leaves by port p; 0: filtered
    std::size_t optimised = 0;  ///< values that became parameters
  };
  /// The frame as it leaves.
  Frame accept(std::vector<std::uint8_t> bytes, int port);

  // The host of the optimizer, as BitExact has it.
  void write_register(optimizer::Source source, std::uint32_t bits);
  void write_active(optimizer::Source source, std::uint32_t bits);
  void write_cell(std::size_t parameter, std::size_t word, std::uint32_t bits);
  void resume(std::uint64_t t, std::array<std::uint32_t, 2> powers,
              std::optional<std::uint32_t> iteration);
  const optimizer::BitExact& optimizer() const { return *optimizer_; }

  /// How far the optimizer is from the textbook.
  struct Distance {
    std::uint64_t values = 0;
    double ulp_sum = 0, ulp_max = 0;
  };

  const PipelineConfig& config() const { return config_; }
  std::uint32_t of_kind(expether::Kind kind) const { return kinds_[static_cast<size_t>(kind)]; }
  std::uint32_t of_reason(expether::Reason reason) const {
    return reasons_[static_cast<size_t>(reason)];
  }
  const std::optional<Aggregator>& aggregator() const { return aggregator_; }
  const std::optional<Lookup>& lookup() const { return lookup_; }
  std::uint32_t optimised() const { return optimised_; }
  std::uint32_t out_of_range() const { return out_of_range_; }
  std::uint64_t iterations() const { return optimizer_ ? optimizer_->registers().iteration() : 0; }
  const Distance& distance() const { return distance_; }         ///< over all iterations
  const std::vector<Distance>& drift() const { return drift_; }  ///< iteration by iteration

 private:
  void optimize(Frame& frame, const expether::Classified& what);
  void begin_iteration();

  PipelineConfig config_;
  std::array<std::uint32_t, expether::kKindCount> kinds_{};
  std::array<std::uint32_t, expether::kReasonCount> reasons_{};
  std::optional<Aggregator> aggregator_;
  std::optional<optimizer::BitExact> optimizer_;
  std::optional<optimizer::Textbook> textbook_;
  bool hyper_written_ = false;  ///< since the last iteration began
  bool moved_ = false;          ///< by the host: the textbook has to follow
  std::optional<Lookup> lookup_;
  std::uint32_t optimised_ = 0, out_of_range_ = 0;
  Distance distance_;
  std::vector<Distance> drift_;
};

}  // namespace gw::reference
