// Engines whose outputs depend on inputs of the same cycle: wires from valid to valid and from
// ready to ready, alone, beside each other, and beside an engine whose outputs are registers.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tests/harness/toys.h"

namespace gw::sim::toys::settle_test {
namespace {

using Ports = StreamPorts<>;

/// Nothing but wires: a beat leaves in the cycle in which it comes in.
class Wires {
 public:
  using Ports = settle_test::Ports;
  void reset() { shown = nullptr, ready = false; }
  uint32_t s_ready() const { return ready; }
  const gw::Beat* m_beat(size_t) const { return shown; }
  uint64_t probe() const { return 0; }
  bool settles() const { return true; }
  void settle(const Offered<Ports>& offered, uint32_t m_ready) {
    shown = offered[0];
    ready = m_ready != 0;
  }
  /// What was there before the edge stays, as in compiled RTL, until the next cycle settles.
  void clock(const Offered<Ports>&, uint32_t) {}

  const gw::Beat* shown = nullptr;
  bool ready = false;
};

/// A register whose ready falls with that behind it: its sender moves when its receiver does.
class Gate : public Passthrough<> {
 public:
  uint32_t s_ready() const { return Passthrough::s_ready() & m_ready_; }
  bool settles() const { return true; }
  void settle(const Offered<Ports>&, uint32_t m_ready) { m_ready_ = m_ready; }
  void clock(const Offered<Ports>& offered, uint32_t m_ready) {
    Passthrough::clock({m_ready_ != 0 ? offered[0] : nullptr}, m_ready);
  }

 private:
  uint32_t m_ready_ = 0;
};

/// The register with the beats of the cycle before at its pins until somebody lets it settle.
class Late : public Passthrough<> {
 public:
  uint32_t s_ready() const { return ready_; }
  const gw::Beat* m_beat(size_t) const { return valid_ ? &beat_ : nullptr; }
  bool settles() const { return true; }
  void settle(const Offered<Ports>&, uint32_t) {
    ready_ = Passthrough::s_ready();
    valid_ = Passthrough::m_beat(0) != nullptr;
    if (valid_) beat_ = shown;
  }

 private:
  uint32_t ready_ = 0;
  bool valid_ = false;
  gw::Beat beat_;
};

constexpr const char* kStalls[] = {"none", "source:40", "sink:40", "both:50"};

/// With and without somebody who looks at single cycles.
std::vector<Drive> drives(const char* stall) {
  std::vector<Drive> all(2, stalled(stall));
  all[1].watched = true;
  return all;
}

TEST(Settling, ABeatLeavesInTheCycleInWhichItComesIn) {
  for (const char* stall : kStalls) {
    for (const Drive& drive : drives(stall)) {
      auto feed = irregular_feed<gw::Beat>(1, 30);
      Wires a;
      Echo<gw::Beat> oracle;
      const Result r = run_alone(a, feed, oracle, drive);
      ASSERT_TRUE(r.passed) << stall << ": " << explain(r.failure);
      EXPECT_EQ(r.timeline.out[0].beats, beats_of(feed));
      EXPECT_EQ(r.timeline.out[0].last, r.timeline.in[0].last);
      EXPECT_EQ(r.timeline.latency.rows(), (std::vector<std::pair<uint64_t, uint64_t>>{{0, 30}}));
    }
  }
}

TEST(Settling, ReadyFollowsReady) {
  for (const char* stall : kStalls) {
    for (const Drive& drive : drives(stall)) {
      auto feed = irregular_feed<gw::Beat>(2, 30);
      Gate a, b;
      Echo<gw::Beat> oracle;
      const Result r = run(a, b, feed, oracle, drive);
      ASSERT_TRUE(r.passed) << stall << ": " << explain(r.failure);
      EXPECT_EQ(r.timeline.lockstep_cycles, r.timeline.cycles);
      // Whenever the sink stalls, the device does.
      EXPECT_EQ(r.timeline.out[0].beats, beats_of(feed));
    }
  }
}

template <class A, class B>
void expect_as_registered(const char* stall) {
  const auto all_of = [&](auto& a, auto& b, const Drive& drive) {
    auto feed = irregular_feed<gw::Beat>(3, 30);
    Echo<gw::Beat> oracle;
    const Result r = run(a, b, feed, oracle, drive);
    EXPECT_TRUE(r.passed) << stall << ": " << explain(r.failure);
    return r.timeline.rows;
  };
  for (const Drive& drive : drives(stall)) {
    Passthrough registered;
    TwoPlaces second;
    A a;
    B b;
    EXPECT_EQ(all_of(a, b, drive), all_of(registered, second, drive));
  }
}

TEST(Settling, OneOfTwo) {
  for (const char* stall : kStalls) {
    expect_as_registered<Late, TwoPlaces<>>(stall);
    expect_as_registered<TwoPlaces<>, Late>(stall);
    expect_as_registered<Late, Late>(stall);
  }
}

/// Wires that are wrong, as long as a beat waits, from a cycle on: only who looks at the settled
/// outputs sees it.
class Crossed : public Wires {
 public:
  explicit Crossed(uint64_t from) : from_(from) {}
  void settle(const Offered<Ports>& offered, uint32_t m_ready) {
    Wires::settle(offered, m_ready);
    if (cycle_ != from_ || offered[0] == nullptr) return;
    beat_ = *offered[0];
    beat_.data[2] ^= 1;
    shown = &beat_;
  }
  void clock(const Offered<Ports>&, uint32_t) { ++cycle_; }

 private:
  uint64_t from_, cycle_ = 0;
  gw::Beat beat_;
};

TEST(Settling, AWrongBeatOfOneCycleIsSeenInIt) {
  constexpr uint64_t kAt = 20;  // after the edge that leaves reset: cycle 19
  for (const bool watched : {false, true}) {
    for (const bool second : {false, true}) {
      auto feed = irregular_feed<gw::Beat>(4, 30);
      Echo<gw::Beat> oracle;
      Drive drive;
      drive.watched = watched;
      Wires right;
      Crossed wrong(kAt);
      const Result r =
          second ? run(right, wrong, feed, oracle, drive) : run_alone(wrong, feed, oracle, drive);
      EXPECT_EQ(r.failure.kind, second ? FailureKind::kLockstep : FailureKind::kReference);
      EXPECT_EQ(r.failure.signal, "tdata");
      EXPECT_EQ(r.failure.cycle, kAt - 1);
    }
  }
}

TEST(Settling, ABeatThatComesFromNowhereIsTooMany) {
  class Chatty : public Wires {
   public:
    void settle(const Offered<Ports>& offered, uint32_t m_ready) {
      Wires::settle(offered, m_ready);
      if (shown == nullptr) shown = &beat_;
    }

   private:
    gw::Beat beat_{.keep = 1, .last = 1};
  } chatty;
  auto feed = irregular_feed<gw::Beat>(5, 3);
  Echo<gw::Beat> oracle;
  const Result r = run_alone(chatty, feed, oracle, stalled("none"));
  EXPECT_EQ(r.failure.kind, FailureKind::kReference);
  EXPECT_EQ(r.failure.signal, "tvalid");
}

}  // namespace
}  // namespace gw::sim::toys::settle_test
