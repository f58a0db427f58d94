// What drives the inputs of a run: a capture, a generator, later a live interface.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "sim/harness/packet.h"

namespace gw::sim {

/// Asked once a packet, never once a cycle. Its memory does not grow with the trace.
template <class Beat>
class Feed {
 public:
  enum class State : uint8_t {
    kPacket,  ///< here it is; a paced port offers it when its time has come
    kNotYet,  ///< ask again; the loop does so in every 64th cycle
    kOver,    ///< no more for this port, ever
  };
  struct Next {
    State state = State::kOver;
    PacketRef<Beat> packet = {};
    /// kNotYet, paced ports: the first cycle in which one may be due, at least 64 ahead; 0: nobody
    /// knows. Silence may be skipped until then.
    uint64_t not_before = 0;
  };

  virtual ~Feed() = default;
  virtual Next next(size_t port, uint64_t cycle) = 0;
};

/// Of packets in a row, the one at `next` is about to be asked for. Those that were made long ago
/// lie where the processor's caches do not reach: their beats are on their way from here on, and
/// what says where the beats of the next ones are. Into the second level: the first is for what is
/// worked on.
template <class Beat>
void fetch_ahead(const std::vector<PacketRef<Beat>>& packets, size_t next) {
  constexpr size_t kLine = 64;  // of a cache
  constexpr size_t kBeats = 8;  // after them the processor has seen which way it goes
  const auto fetch = [](const void* from, size_t bytes) {
    const auto* const at = static_cast<const std::byte*>(from);
    for (size_t i = 0; i < bytes; i += kLine) __builtin_prefetch(at + i, 0, 2);
  };
  const size_t far = next + 2 * kLine / sizeof(packets[0]);
  if (far < packets.size()) fetch(&packets[far], kLine);
  if (next + 1 < packets.size()) fetch(packets[next + 1].get(), sizeof(Packet<Beat>));
  if (next >= packets.size()) return;
  const std::vector<Beat>& beats = packets[next]->beats;
  fetch(beats.data(), std::min(beats.size(), kBeats) * sizeof(Beat));
}

/// Packets that are there before the run begins: tests, benchmarks. They can be fed again.
template <class Beat>
class PreparedFeed final : public Feed<Beat> {
 public:
  using typename Feed<Beat>::Next;
  using typename Feed<Beat>::State;

  void add(size_t port, PacketRef<Beat> packet) {
    if (port >= ports_.size()) ports_.resize(port + 1);
    packet->id = count_++;
    packet->port = static_cast<uint32_t>(port);
    ports_[port].packets.push_back(std::move(packet));
  }
  void rewind() {
    for (Port& port : ports_) port.next = 0;
  }
  uint64_t packets() const { return count_; }
  const std::vector<PacketRef<Beat>>& packets(size_t port) const { return ports_[port].packets; }

  Next next(size_t port, uint64_t) override {
    if (port >= ports_.size() || ports_[port].next == ports_[port].packets.size()) return {};
    Port& from = ports_[port];
    fetch_ahead(from.packets, from.next + 1);
    return {State::kPacket, from.packets[from.next++]};
  }

 private:
  struct Port {
    std::vector<PacketRef<Beat>> packets;
    size_t next = 0;
  };
  std::vector<Port> ports_;
  uint64_t count_ = 0;
};

}  // namespace gw::sim
