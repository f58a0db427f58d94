// The master of one control port: takes transactions from a feed, waits for the time or the event
// of each, and drives the five channels. At most one write and one read are on their way.
//
// Like any environment it may hesitate: the stalls of a run withhold awvalid, wvalid and arvalid
// (source), each for itself, so that address and data come in either order, and bready and rready
// (sink). They are drawn while there is something to withhold, so that cycles in which nothing
// happens draw nothing.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/base/random.h"
#include "sim/harness/control.h"
#include "sim/harness/port.h"
#include "sim/harness/stall.h"

namespace gw::sim {

class ControlMaster {
 public:
  ControlMaster(size_t port, const ControlPort& facts, uint64_t events, const StallSpec& stall,
                uint64_t seed)
      : port_(port), facts_(facts), events_(events), stall_(stall), random_(seed) {}

  /// What moved in a cycle.
  struct Heard {
    bool moved = false;  ///< a handshake, of whatever channel
    bool write_answered = false, write_over = false;
    bool read_answered = false, read_over = false;
  };

  std::string_view name() const { return facts_.name; }
  /// From whom the transactions come; without it there are none.
  void follow(ControlFeed& feed) {
    feed_ = &feed;
    over_ = false;
  }
  /// Asks the feed, if it has to be asked. Throws std::logic_error for a transaction that the port
  /// cannot carry.
  void ask(uint64_t now);

  /// Decides what is driven in this cycle; true: not what was driven in the one before. `events`:
  /// the probe's. `quiet()` tells whether no packet is on its way.
  template <class Quiet>
  bool decide(uint64_t now, uint64_t events, const Quiet& quiet) {
    if (!loaded_ && !driving_) [[likely]]
      return false;
    if (loaded_) schedule(now, events, quiet);
    return (driving_ || busy()) && renew(now);
  }
  const AxiLiteRequest& request() const { return request_; }
  /// No packet may begin in this cycle.
  bool holds_packets() const {
    return (loaded_ && due_ && next_.holds_packets) || (write_.busy && write_.holds_packets) ||
           (read_.busy && read_.holds_packets);
  }

  /// The handshakes of this cycle. A transaction that is over stays in write() or read() until
  /// `finish`.
  Heard hear(const AxiLiteReply& reply, uint64_t now);
  void finish(const Heard& heard, uint64_t now);
  const Access& write() const { return write_.access; }
  const Access& read() const { return read_.access; }

  // What a read that is on its way may return: any value that the register had meanwhile.
  bool reading(uint64_t now) const {
    return read_.busy && read_.address == Stage::kTaken &&
           (!read_.heard || read_.access.answered == now);
  }
  void expect(std::optional<uint32_t> value) {
    unchecked_ |= !value;
    if (value && (expected_.empty() || expected_.back() != *value)) expected_.push_back(*value);
  }
  bool expected(uint32_t value) const {
    return unchecked_ || std::find(expected_.begin(), expected_.end(), value) != expected_.end();
  }
  /// Of a read that is checked, the latest.
  uint32_t latest() const { return expected_.back(); }

  /// A transaction is on its way.
  bool busy() const { return write_.busy || read_.busy; }
  /// The feed has nothing yet.
  bool asking() const { return !loaded_ && !over_; }
  /// It may have something at any time.
  bool asking_any_time() const { return asking() && !with_packets_; }
  bool over() const { return over_ && !loaded_ && !busy(); }
  /// The cycle from which the next one may begin; UINT64_MAX if that is not a matter of time.
  uint64_t due(bool quiet) const {
    return loaded_ && left_ == 0 && (quiet || !next_.when.quiet) ? next_.when.cycle : UINT64_MAX;
  }
  /// What it waits for, in words.
  std::string waits_for() const;

 private:
  enum class Stage : uint8_t { kHeld, kOffered, kTaken };
  struct Flight {
    bool busy = false, holds_packets = false;
    bool heard = false;  ///< its response has been shown
    bool offered = false;
    Stage address = Stage::kHeld, data = Stage::kHeld;
    Access access;
  };

  template <class Quiet>
  void schedule(uint64_t now, uint64_t events, const Quiet& quiet) {
    const When& when = next_.when;
    if (left_ != 0 && (events & when.events) == when.events) --left_;
    due_ = left_ == 0 && now >= when.cycle;
    const bool free = when.overlaps ? !(next_.write ? write_ : read_).busy : !busy();
    if (due_ && free && (!when.quiet || quiet())) start(now);
  }
  void start(uint64_t now);
  bool renew(uint64_t now);
  bool stalls(double percent) { return percent > 0 && random_.unit() * 100 < percent; }
  bool offers(Flight& flight, Stage& stage, uint64_t now);

  const size_t port_;
  const ControlPort facts_;
  const uint64_t events_;  ///< those that may be waited for
  const StallSpec stall_;
  Random random_;
  ControlFeed* feed_ = nullptr;
  bool over_ = true, loaded_ = false;
  bool with_packets_ = false;  ///< nothing before the next packet
  bool due_ = false;           ///< `next_` waits for its turn or for quiet only
  Transaction next_;
  uint64_t left_ = 0;  ///< occurrences of the events that `next_` waits for
  Flight write_, read_;
  std::vector<uint32_t> expected_;
  bool unchecked_ = false;
  AxiLiteRequest request_;
  bool driving_ = false;  ///< `request_` may be more than silence
};

}  // namespace gw::sim
