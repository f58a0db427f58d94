// Listens to all that goes over the links of a ring and says what may not be there: a second look
// at the nodes, by what frames mean. It knows no cycles.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "models/reference/ring/allreduce.h"
#include "models/reference/ring/frame.h"

namespace gw::reference::ring {

class Follower {
 public:
  /// Of a session: its nodes, number of the first chunk, chunks under way at most.
  struct Session {
    std::size_t nodes = 2;
    std::uint16_t number = 0;
    std::uint32_t first = 0, window = 1;
    std::size_t most = 2048;  ///< bytes of the longest chunk
    fp::Subnormal mode = fp::Subnormal::kIeee;
  };
  explicit Follower(const Session& session);

  /// A host's chunk has been accepted whole. Returns the result that it completes, if it does so.
  std::optional<Bytes> host(std::size_t node, Bytes chunk);
  /// A frame left `sender` to the right or to the left. Empty, or what is wrong with it.
  std::string sent(std::size_t sender, bool right, std::span<const std::uint8_t> bytes);
  /// A frame, as it was sent, arrived whole at `receiver` from its left or right.
  void arrived(std::size_t receiver, bool from_left, std::span<const std::uint8_t> bytes);

  const Allreduce& sums() const { return sums_; }
  /// Frames sent again.
  std::uint64_t again() const { return again_; }

 private:
  /// What a node has sent to one side, and what came from there.
  struct Side {
    std::uint32_t sent = 0;   ///< chunks whose frame has been sent
    std::uint32_t heard = 0;  ///< chunks whose frame of the neighbour has arrived in order
    std::uint32_t ack = 0;    ///< highest ack sent
  };
  Side& side(std::size_t node, bool right) { return sides_[2 * node + (right ? 1 : 0)]; }

  Session session_;
  Allreduce sums_;
  std::vector<Side> sides_;
  std::uint64_t again_ = 0;
};

}  // namespace gw::reference::ring
