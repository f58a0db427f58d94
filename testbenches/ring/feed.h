// The hosts of a ring: each gives its gradients, cut into chunks, operation after operation.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "sim/harness/feed.h"
#include "testbenches/ring/ports.h"

namespace gw::testbenches {

struct RingLoad {
  uint32_t nodes = 2;
  uint64_t bytes = 64;              ///< of gradients, an operation; whole values
  uint32_t chunk = 2048;            ///< bytes of a whole chunk
  uint64_t operations = 1;          ///< one after the other
  bool irregular = false;           ///< any bits: zeros, subnormal numbers, infinities, NaN
  std::vector<uint64_t> skew = {};  ///< by node: the cycle in which its host begins
  uint64_t seed = 1;

  /// Chunks of an operation.
  uint64_t chunks() const { return (bytes + chunk - 1) / chunk; }
};

/// Draws each chunk when it is asked for, by seed, node and number: memory does not grow with the
/// load.
class RingFeed final : public sim::Feed<RingPorts::Beat> {
 public:
  using Beat = RingPorts::Beat;
  explicit RingFeed(const RingLoad& load) : load_(load) {}
  Next next(size_t port, uint64_t cycle) override;

  /// The values of a node's chunk, by its number in the run.
  static std::vector<uint8_t> values(const RingLoad& load, uint32_t node, uint64_t number);

 private:
  RingLoad load_;
  std::array<uint64_t, RingPorts::kMost> next_{};  ///< by node
};

}  // namespace gw::testbenches
