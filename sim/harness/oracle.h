// The reference as a follower of a run: it hears what went in and what the device decided, and says
// what must leave next. Called once a packet or event, never once a cycle.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "sim/harness/packet.h"

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
  /// A host write that was accepted.
  virtual void configured(size_t /*port*/, uint32_t /*address*/, uint32_t /*data*/) {}
  /// Takes what must leave next by this port, with its `source`; null: nothing may.
  virtual PacketRef<Beat> next(size_t port) = 0;
  /// What must leave next, left as it is: for the report of a divergence.
  virtual PacketRef<Beat> peek(size_t port) const = 0;
  /// Nothing that went in is still owed.
  virtual bool quiet() const = 0;
  /// Cycles for which the device may go on by itself though no beat moves, beyond what its ports
  /// promise (Ports::kSettles): known work on packets that nothing, or nothing yet, leaves for.
  virtual uint64_t busy() const { return 0; }

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
