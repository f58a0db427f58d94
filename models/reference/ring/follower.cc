// SPDX-License-Identifier: Apache-2.0
#include "models/reference/ring/follower.h"

#include <algorithm>
#include <utility>

namespace gw::reference::ring {

Follower::Follower(const Session& session)
    : session_(session),
      // A frame may be sent again for as long as the neighbour's ack is under way: the chunk is
      // then no more than a window behind.
      sums_(session.nodes, session.mode, session.first, 2 * std::size_t{session.window} + 2),
      sides_(2 * session.nodes) {
  for (Side& each : sides_) each.sent = each.heard = each.ack = session.first;
}

std::optional<Bytes> Follower::host(std::size_t node, Bytes chunk) {
  return sums_.add(node, std::move(chunk));
}

std::string Follower::sent(std::size_t sender, bool right, std::span<const std::uint8_t> bytes) {
  Decoded decoded = decode(bytes, session_.most);
  if (!decoded.error.empty()) return decoded.error;
  const Frame& frame = decoded.frame;
  if (encode(frame) != Bytes(bytes.begin(), bytes.end())) return "fields that are not zero";
  const std::size_t receiver = right ? sender + 1 : sender - 1;
  if (frame.sender != sender || frame.receiver != receiver) return "its addresses";
  if (frame.session != session_.number) return "another session";

  Side& here = side(sender, right);
  if (before(frame.ack, here.ack)) return "an ack below an earlier one";
  if (before(here.heard, frame.ack)) return "an ack of what has not come";
  here.ack = frame.ack;
  if (frame.type == Type::kControl) {
    return frame.addends != 0 || frame.chunk != 0 ? "a control frame with fields of data" : "";
  }
  if (frame.type != (right ? Type::kAgg : Type::kBcast)) return "the other direction's type";
  if (frame.addends != (right ? sender + 1 : session_.nodes)) return "its number of addends";
  if (before(here.sent, frame.chunk)) return "a chunk before its turn";
  if (frame.chunk == here.sent) {
    ++here.sent;
  } else {
    ++again_;
  }
  const std::size_t last = right ? sender : session_.nodes - 1;
  const Bytes* const owed = sums_.partial(frame.chunk, last);
  if (owed == nullptr) return "a chunk whose sum does not exist";
  if (*owed != frame.payload) return "the sum";
  return {};
}

void Follower::arrived(std::size_t receiver, bool from_left, std::span<const std::uint8_t> bytes) {
  const Decoded decoded = decode(bytes, session_.most);
  if (!decoded.error.empty() || decoded.frame.session != session_.number) return;
  Side& here = side(receiver, !from_left);
  const Frame& frame = decoded.frame;
  if (frame.type != Type::kControl && frame.chunk == here.heard) ++here.heard;
}

}  // namespace gw::reference::ring
