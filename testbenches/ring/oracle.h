// The reference of the ring as a follower of a run: each host must get result k when all hosts have
// begun to give chunk k.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "models/reference/ring/allreduce.h"
#include "sim/harness/oracle.h"
#include "testbenches/ring/ports.h"

namespace gw::testbenches {

class RingOracle final : public sim::QueueOracle<RingPorts::Beat> {
 public:
  using Beat = RingPorts::Beat;
  /// `busy`: cycles for which the nodes may be busy with what was lost, and nothing leaves.
  RingOracle(size_t nodes, bool subnormal, uint64_t busy);

  void arrives(size_t port, const sim::PacketRef<Beat>& packet) override;
  bool quiet() const override { return QueueOracle::quiet() && waiting_ == 0; }
  uint64_t busy() const override { return busy_; }
  std::vector<std::optional<uint32_t>> statistics() const override;

  /// How far the ring's order of additions is from the exact sum, and two others beside it: of the
  /// result's values, in units of the exact sum's last place.
  struct Distance {
    double max = 0, sum = 0;
    uint64_t values = 0;
    double mean() const { return values == 0 ? 0 : sum / static_cast<double>(values); }
    void add(float value, double exact);
  };
  const Distance& ring() const { return ring_; }
  const Distance& algorithm1() const { return algorithm1_; }
  const Distance& tree() const { return tree_; }
  nlohmann::json findings() const override;

 private:
  void score(const std::vector<sim::PacketRef<Beat>>& chunks);

  size_t nodes_;
  uint64_t busy_;
  uint64_t waiting_ = 0;  ///< chunks whose result does not exist yet
  uint32_t results_ = 0;
  reference::ring::Allreduce sums_;
  std::array<std::deque<sim::PacketRef<Beat>>, RingPorts::kMost> given_;
  Distance ring_, algorithm1_, tree_;
};

}  // namespace gw::testbenches
