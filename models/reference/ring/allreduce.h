// What a ring allreduce delivers (docs/devices/ring_nic.md, Function), without time: chunk k of all
// nodes summed in their order, ((g0 + g1) + g2) + ..., lane by lane, to each host once.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <vector>

#include "models/reference/optimizer/fp.h"
#include "models/reference/ring/frame.h"

namespace gw::reference::ring {

/// a + b of little-endian binary32 values; both have the same length, a multiple of 4.
Bytes sum(std::span<const std::uint8_t> a, std::span<const std::uint8_t> b, fp::Subnormal mode);

/// Lengths of the chunks that so many bytes of gradients are cut into: all whole but the last.
std::vector<std::size_t> cut(std::uint64_t bytes, std::size_t chunk);

/// Gives results while chunks come, in any order of the nodes. Keeps the partial sums of chunks
/// that are not complete, and of the last `kept` that are.
class Allreduce {
 public:
  explicit Allreduce(std::size_t nodes, fp::Subnormal mode = fp::Subnormal::kIeee,
                     std::uint32_t first = 0, std::size_t kept = 0);

  /// The next chunk of a node. Returns the result that it completes, if it does so: results come in
  /// order.
  std::optional<Bytes> add(std::size_t node, Bytes chunk);
  /// Chunks of one number differed in length: no result comes from there on.
  bool mixed() const { return mixed_; }
  /// g0 + ... + g(node) of a chunk; nullptr if it does not exist yet, or no longer.
  const Bytes* partial(std::uint32_t chunk, std::size_t node) const;
  /// Number of the next result.
  std::uint32_t number() const { return nodes_.back().begin + count(nodes_.size() - 1); }

 private:
  struct Node {
    std::deque<Bytes> own;    ///< not added yet
    std::uint32_t begin = 0;  ///< number of the first partial sum
    std::deque<Bytes> sums;
  };
  std::uint32_t count(std::size_t node) const {
    return static_cast<std::uint32_t>(nodes_[node].sums.size());
  }

  fp::Subnormal mode_;
  std::size_t kept_;
  bool mixed_ = false;
  std::vector<Node> nodes_;
};

}  // namespace gw::reference::ring
