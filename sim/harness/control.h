// What drives the control ports of a run: writes and reads, each with the time or the event that it
// waits for.
//
// `Boot` is the simplest case, one that needs no port: writes that are over before cycle 0. As a
// feed it would be transactions with a `When` that waits for nothing and `holds_packets`, so that
// the first packet finds the device configured.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "sim/harness/timeline.h"

namespace gw::sim {

/// A transaction begins in the first cycle in which all of this holds.
struct When {
  uint64_t cycle = 0;     ///< not before it
  uint64_t events = 0;    ///< bits of the probe, of Ports::kEvents, that were set together ...
  uint64_t times = 1;     ///< ... in so many cycles since the transaction before it began
  bool quiet = false;     ///< no packet is on its way into the device, within it or out of it
  bool overlaps = false;  ///< it need not wait until all before it are answered: one write and one
                          ///< read of a port may be on their way at once
};

struct Transaction {
  bool write = true;
  uint32_t address = 0;
  uint32_t data = 0;   ///< of a write
  uint8_t strb = 0xF;  ///< of a write: which bytes of the word
  When when = {};
  /// No packet begins from the cycle in which `when` holds, but for its `quiet`, until it is
  /// answered. With `quiet`, as careful software does it: let all that is in flight come to its
  /// end, change a register, go on. Who sends at a pace stands still meanwhile: what is due later
  /// comes so much later.
  bool holds_packets = false;
};

/// Asked once a transaction, never once a cycle.
class ControlFeed {
 public:
  enum class State : uint8_t {
    kTransaction,  ///< here it is
    kNotYet,       ///< ask again; the loop does so in every 64th cycle and after each answer
    kWithPackets,  ///< the same, but there is nothing before a feed of packets has been asked for
                   ///< one: until the next is due, silence may be skipped
    kOver,         ///< no more for this port, ever
  };
  struct Next {
    State state = State::kOver;
    Transaction transaction = {};
  };

  virtual ~ControlFeed() = default;
  virtual Next next(size_t port, uint64_t cycle) = 0;
  /// A transaction is over: what a read returned, what was refused.
  virtual void answered(const Access&) {}
};

/// Transactions that are known before the run begins. They can be fed again.
class PreparedControls final : public ControlFeed {
 public:
  void add(size_t port, const Transaction& transaction) {
    if (port >= ports_.size()) ports_.resize(port + 1);
    ports_[port].transactions.push_back(transaction);
  }
  void write(size_t port, uint32_t address, uint32_t data, const When& when = {}) {
    add(port, {.address = address, .data = data, .when = when});
  }
  void read(size_t port, uint32_t address, const When& when = {}) {
    add(port, {.write = false, .address = address, .when = when});
  }
  void rewind() {
    for (Port& port : ports_) port.next = 0;
  }

  Next next(size_t port, uint64_t) override {
    if (port >= ports_.size() || ports_[port].next == ports_[port].transactions.size()) return {};
    return {State::kTransaction, ports_[port].transactions[ports_[port].next++]};
  }

 private:
  struct Port {
    std::vector<Transaction> transactions;
    size_t next = 0;
  };
  std::vector<Port> ports_;
};

}  // namespace gw::sim
