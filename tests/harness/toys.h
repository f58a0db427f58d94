// What the tests of the loop share: irregular packets, engines that go wrong on purpose, a run from
// reset to its end.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <numeric>
#include <string>
#include <vector>

#include "sim/base/random.h"
#include "sim/harness/lockstep.h"
#include "tests/harness/passthrough.h"

namespace gw::sim::toys {

inline std::vector<uint8_t> irregular_bytes(Random& random, size_t n) {
  std::vector<uint8_t> bytes(n);
  for (uint8_t& b : bytes) b = static_cast<uint8_t>(random.next() >> 56);
  return bytes;
}

template <class Beat>
PacketRef<Beat> irregular_packet(Random& random, size_t bytes) {
  const bool error = random.below(8) == 0;
  return make_packet<Beat>(irregular_bytes(random, bytes), error);
}

/// Packets of lengths that follow no rule, from a byte to `longest`; some end with a whole beat.
template <class Beat>
PreparedFeed<Beat> irregular_feed(uint64_t seed, size_t packets, uint32_t longest = 150) {
  Random random(seed);
  PreparedFeed<Beat> feed;
  for (size_t i = 0; i < packets; ++i) {
    size_t bytes = 1 + random.below(longest);
    if (random.below(4) == 0) bytes = (bytes + Beat::kBytes - 1) / Beat::kBytes * Beat::kBytes;
    feed.add(0, irregular_packet<Beat>(random, bytes));
  }
  return feed;
}

template <class Beat>
uint64_t beats_of(const PreparedFeed<Beat>& feed, size_t port = 0) {
  uint64_t sum = 0;
  for (const auto& packet : feed.packets(port)) sum += packet->beats.size();
  return sum;
}

/// A feed whose packets are there from a certain cycle on, and that is over at another.
template <class Beat>
class LateFeed final : public Feed<Beat> {
 public:
  using typename Feed<Beat>::Next;
  using typename Feed<Beat>::State;
  LateFeed(size_t ports, uint64_t over_at) : over_at_(over_at), ports_(ports) {}
  void add(size_t port, uint64_t from, PacketRef<Beat> packet) {
    packet->id = count_++;
    ports_[port].push_back({from, std::move(packet)});
  }
  Next next(size_t port, uint64_t cycle) override {
    asked.push_back(cycle);
    auto& queue = ports_[port];
    if (queue.empty()) return {cycle >= over_at_ ? State::kOver : State::kNotYet, {}};
    if (cycle < queue.front().from) return {State::kNotYet, {}};
    Next next{State::kPacket, std::move(queue.front().packet)};
    queue.pop_front();
    return next;
  }
  std::vector<uint64_t> asked;

 private:
  struct Late {
    uint64_t from;
    PacketRef<Beat> packet;
  };
  uint64_t over_at_, count_ = 0;
  std::vector<std::deque<Late>> ports_;
};

inline constexpr uint64_t kNever = UINT64_MAX;

/// An engine that goes wrong on purpose. From a cycle on, `bend` may change what the engine shows
/// in the cycle to come, until it says that it has.
template <class E>
class Bent : public E {
 public:
  using Bend = std::function<bool(E&)>;
  Bent() = default;
  explicit Bent(E right, Bend bend = nullptr, uint64_t from = 0)
      : E(std::move(right)), bend_(std::move(bend)), from_(from) {}
  explicit Bent(Bend bend, uint64_t from = 0) : bend_(std::move(bend)), from_(from) {}

  void reset() {
    E::reset();
    cycle_ = 0;
  }
  void clock(const Offered<typename E::Ports>& offered, uint32_t m_ready) {
    E::clock(offered, m_ready);
    if (bend_ && cycle_ >= from_ && bent_at == kNever && bend_(*this)) bent_at = cycle_;
    ++cycle_;
  }
  uint64_t bent_at = kNever;  ///< the cycle in which it shows

 private:
  Bend bend_;
  uint64_t from_ = 0, cycle_ = 0;
};

/// An engine with everything that an engine may have: a probe, counters, a reason to stop.
template <class E>
class Equipped : public E {
 public:
  using Ports = typename E::Ports;
  void reset() {
    E::reset();
    counters = {0, 0, 0};
    if (noisy_in_reset) E::showing = true;
    if (ready_in_reset) E::ready = true;
  }
  uint64_t probe() const { return side; }
  std::span<const uint32_t> statistics() const { return counters; }
  std::string stopped() const { return why; }
  void clock(const Offered<Ports>& offered, uint32_t m_ready) {
    const bool accepts = offered[0] != nullptr && E::s_ready() != 0;
    counters[0] += accepts && offered[0]->last != 0;
    counters[1] += accepts;
    counters[2] += offered[0] != nullptr && !accepts;
    E::clock(offered, m_ready);
  }

  uint64_t side = 0;
  std::vector<uint32_t> counters;  ///< packets, beats, cycles in which a beat waited
  std::string why;
  bool noisy_in_reset = false, ready_in_reset = false;
};

struct Result {
  bool passed;
  Failure failure;
  Timeline timeline;
};

/// From reset to the end, `quantum` cycles at a time.
template <class A>
Result run(A& a, AnyEngine<typename A::Ports> b, Feed<typename A::Ports::Beat>& feed,
           Oracle<typename A::Ports::Beat>& oracle, const Drive& drive = {}, uint64_t quantum = 64,
           ControlFeed* controls = nullptr) {
  Lockstep<A> lockstep(a, std::move(b), feed, oracle, drive, "rtl", "model");
  lockstep.timeline().keep_rows = true;
  lockstep.describe_with([](bool input, size_t port, const auto& packet, size_t beat) {
    return std::string(input ? "in" : "out") + std::to_string(port) + " byte " +
           std::to_string(packet.beats[beat].data[0] & 0xFF);
  });
  if (controls != nullptr) lockstep.control_with(*controls);
  lockstep.reset();
  while (lockstep.advance(quantum)) {
  }
  return {lockstep.passed(), lockstep.failure(), std::move(lockstep.timeline())};
}

template <class A>
Result run_alone(A& a, Feed<typename A::Ports::Beat>& feed, Oracle<typename A::Ports::Beat>& oracle,
                 const Drive& drive = {}, uint64_t quantum = 64) {
  return run(a, {}, feed, oracle, drive, quantum);
}

inline Drive stalled(const char* text, uint64_t seed = 7) {
  return {.stall = StallSpec::parse(text), .seed = seed};
}

inline std::string explain(const Failure& f) {
  std::string text = f.port + " " + f.channel + " " + f.signal + " " + f.engine_a + " " +
                     f.value_a + " | " + f.engine_b + " " + f.value_b + " " + f.text +
                     " in cycle " + std::to_string(f.cycle);
  for (const std::string& line : f.lines) text += "\n" + line;
  return text;
}

/// The engines that a failure of a run of two must name, and that their values differ.
inline void expect_blamed(const Failure& failure) {
  const bool lockstep = failure.kind == FailureKind::kLockstep;
  const bool reference = failure.kind == FailureKind::kReference;
  EXPECT_EQ(failure.engine_a, reference ? "rtl and model" : "rtl");
  if (lockstep) {
    EXPECT_EQ(failure.engine_b, "model");
  }
  if (reference) {
    EXPECT_EQ(failure.engine_b, "reference");
  }
  if (failure.text.empty()) {
    EXPECT_NE(failure.value_a, failure.value_b);
  }
}

}  // namespace gw::sim::toys
