// The reference as a follower of a run: it hears what went in and what the device decided, and says
// what must leave next. Called once a packet or event, never once a cycle.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "models/axis/axi_lite.h"
#include "sim/harness/packet.h"
#include "sim/harness/timeline.h"

namespace gw::sim {

template <class Beat>
class Oracle {
 public:
  virtual ~Oracle() = default;

  /// The first beat of a packet has been accepted; sets its `trigger` if one beat makes its output.
  virtual void arrives(size_t port, const PacketRef<Beat>& packet) = 0;
  /// The probe's event bits, in a cycle in which one of them is set: what the device chose. Empty,
  /// or why it may not: "a frame served, none committed".
  virtual std::string decides(uint64_t /*events*/) { return {}; }
  /// The same of a device whose probe has several words: all of them.
  virtual std::string says(std::span<const uint64_t> /*probe*/) { return {}; }
  /// A host write that was accepted: before cycle 0 (Boot), or in the cycle in which a control port
  /// first shows OKAY for it; after what the device decided in that cycle, before the packets that
  /// arrive in it.
  virtual void configured(size_t /*port*/, uint32_t /*address*/, uint32_t /*data*/) {}
  /// The same of a write of some bytes of a word, bit b of `strb`: byte b. It becomes the write of
  /// a whole word, whose other bytes are those that `read` knows, or 0.
  virtual void configured_bytes(size_t port, uint32_t address, uint32_t data, uint32_t strb) {
    uint32_t mask = 0;
    for (int byte = 0; byte < 4; ++byte) mask |= (strb >> byte & 1) * (0xFFu << (8 * byte));
    const Access word{.port = static_cast<uint32_t>(port), .write = false, .address = address};
    configured(port, address, (data & mask) | (read(port, word).value_or(0) & ~mask));
  }
  /// What a read must return now; no value: it is not checked, for it depends on more than packets
  /// and writes. Asked while a read is on its way, from the cycle that accepts its address to the
  /// one that shows its answer: the device may look in any of them.
  virtual std::optional<uint32_t> read(size_t /*port*/, const Access&) const { return {}; }
  /// How a write or read must be answered; no value: it is not checked.
  virtual std::optional<AxiResponse> answers(size_t /*port*/, const Access&) const { return {}; }
  /// How it was, once that was right: in the cycle in which the answer is first shown.
  virtual void answered(size_t /*port*/, const Access&) {}
  /// Takes what must leave next by this port, with its `source`; null: nothing may.
  virtual PacketRef<Beat> next(size_t port) = 0;
  /// What must leave next, left as it is: for the report of a divergence.
  virtual PacketRef<Beat> peek(size_t port) const = 0;
  /// Nothing that went in is still owed.
  virtual bool quiet() const = 0;
  /// Cycles for which the device may go on by itself though no beat moves, beyond what its ports
  /// promise (Ports::kSettles): known work on packets that nothing, or nothing yet, leaves for.
  virtual uint64_t busy() const { return 0; }
  /// Cycles after the last event after which the device stands still, where it is known to be less
  /// than what its ports promise.
  virtual uint64_t settles() const { return UINT64_MAX; }

  /// Counters that depend on packets and their order only; the others have no value.
  virtual std::vector<std::optional<uint32_t>> statistics() const { return {}; }
  /// Sections of the report.
  virtual nlohmann::json findings() const { return nlohmann::json::object(); }
};

/// What most oracles are: queues of packets that must leave, one a port.
template <class Beat>
class QueueOracle : public Oracle<Beat> {
 public:
  explicit QueueOracle(size_t outputs) : queues_(outputs) {}

  PacketRef<Beat> next(size_t port) final {
    if (queues_[port].empty()) return {};
    PacketRef<Beat> packet = std::move(queues_[port].front());
    queues_[port].pop_front();
    return packet;
  }
  PacketRef<Beat> peek(size_t port) const final {
    return queues_[port].empty() ? PacketRef<Beat>{} : queues_[port].front();
  }
  bool quiet() const override {
    for (const auto& queue : queues_) {
      if (!queue.empty()) return false;
    }
    return true;
  }

 protected:
  void owe(size_t port, PacketRef<Beat> packet) { queues_[port].push_back(std::move(packet)); }

 private:
  std::vector<std::deque<PacketRef<Beat>>> queues_;
};

}  // namespace gw::sim
