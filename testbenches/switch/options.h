// How the blocks of the optimizer switch are configured, and what synthesised frames are made of.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "models/reference/switch/pipeline.h"
#include "sim/base/options.h"

namespace gw::testbenches {

/// What the RTL is built with: the aggregator's slots, and sequence numbers with parameters.
inline constexpr int kNetworkDepthLog2 = 10;
inline constexpr size_t kNetworkDepth = size_t{1} << kNetworkDepthLog2;
inline constexpr int kAddLatency = 5;  ///< of the aggregator's adders
/// Of learning: what squares without overflow is below it.
inline constexpr double kMaxRate = 1e30;

struct NetworkSpec {
  int workers = 3;
  uint16_t group = 1;
  size_t depth = kNetworkDepth;  ///< the aggregator's slots in use
  reference::optimizer::Algorithm algorithm = reference::optimizer::Algorithm::kSgd;
  int pes = 32;
  bool iterative = false;
  bool fast = false;  ///< profile fast instead of paper
  reference::fp::Subnormal subnormal = reference::fp::Subnormal::kFlush;
  reference::optimizer::HyperParameters hyper;
  reference::optimizer::Epsilon epsilon = reference::optimizer::Epsilon::kUnderRoot;

  bool eps_outside() const { return epsilon == reference::optimizer::Epsilon::kAfterRoot; }
};

struct TrafficOptions {
  std::string gradients_trace;  ///< capture whose marked gradients fill the frames; empty: random
  int workers = 3;              ///< 1..16
  uint32_t iterations = 4;
  uint32_t from_iteration = 1;  ///< those before it are made and left out
  uint32_t sequences = 16;
  uint32_t first_iteration = 1;
  uint16_t group = 1;
  uint16_t vlan = 10;
  /// Of the exchange of workers only. Percent of the frames, 0..100: lost; sent twice, at once, up
  /// to eight frames later, or so much and an iteration later (stale); swapped with one up to eight
  /// frames behind it; and, per frame, one more that is malformed, or foreign.
  double loss = 0, duplicate = 0, reorder = 0, malformed = 0, foreign = 0;

  /// Throws UsageError naming the option that is out of range.
  void check() const;
};

/// Options of a device made of these blocks: its own, then those of the traffic that it is fed
/// with.
std::vector<sim::Option> network_options(const reference::Blocks& blocks);
/// Of a program that synthesises frames and simulates nothing.
std::vector<sim::Option> traffic_options();

// Both read what is declared and leave the rest at its default. Throw UsageError.
NetworkSpec network_spec(const sim::OptionSet& options);
TrafficOptions traffic_spec(const sim::OptionSet& options);

/// sgd, adagrad, adam or smorms3; throws UsageError naming the option.
reference::optimizer::Algorithm parse_algorithm(const std::string& option, const std::string& name);

/// What the parameters are before the first step: the same for every engine, from the seed.
std::vector<uint32_t> initial_parameters(uint64_t seed);

}  // namespace gw::testbenches
