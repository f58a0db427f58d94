// A run that fails while a waveform is written goes on for some cycles: what it says of itself is
// what it says without the waveform, and the cycles are those that would have been.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tests/harness/toys.h"

namespace gw::sim::toys::after_failure_test {
namespace {

/// Says what the harness knows of each cycle, and what it was given at each edge.
template <class E>
class Seen : public E {
 public:
  using Ports = typename E::Ports;
  using E::E;
  void show(const Cycle<Ports>& cycle) { shown.push_back(cycle); }
  void clock(const Offered<Ports>& offered, uint32_t m_ready) {
    std::vector<uint32_t> words = {m_ready};
    for (const auto* beat : offered) words.push_back(beat == nullptr ? 0 : beat->data[0] | 1);
    given.push_back(words);
    E::clock(offered, m_ready);
    if constexpr (requires { this->why; }) edges_stopped_ += !this->why.empty();
  }
  std::optional<uint64_t> missed() const {
    if (edges_stopped_ == 0) return {};
    return edges_stopped_ - 1;
  }
  std::vector<Cycle<Ports>> shown;
  std::vector<std::vector<uint32_t>> given;

 private:
  uint64_t edges_stopped_ = 0;
};

using Toy = Equipped<Passthrough<>>;
using Mutation = Bent<Toy>::Bend;
constexpr uint64_t kFrom = 70;

struct Row {
  const char* name;
  Mutation a, b;
  FailureKind kind;
  bool longer =
      false;  ///< what it is given may differ: without the failure it would be another run
};

Mutation in_a_beat(void (*change)(gw::Beat&)) {
  return [change](Toy& t) {
    if (!t.showing) return false;
    change(t.shown);
    return true;
  };
}

std::vector<Row> rows() {
  const Mutation bit = in_a_beat([](gw::Beat& b) { b.data[3] ^= 8; });
  const Mutation gap = in_a_beat([](gw::Beat& b) { b.keep = 5; });
  const Mutation why = [](Toy& t) { return t.why = "$finish", true; };
  const Mutation count = [](Toy& t) { return ++t.counters[0], true; };
  return {{"a_bit_of_one", bit, nullptr, FailureKind::kLockstep},
          {"a_bit_of_the_other", nullptr, bit, FailureKind::kLockstep},
          {"a_bit_of_both", bit, bit, FailureKind::kReference},
          {"a_rule", gap, gap, FailureKind::kProfile},
          {"it_stops", why, why, FailureKind::kStopped},
          {"a_counter", count, nullptr, FailureKind::kLockstep, true}};
}

struct Told {
  Result result;
  std::vector<uint32_t> statistics;
  uint64_t packets = 0;
};

/// What a report would be made of.
template <class A, class B>
Told told(A& a, B& b, Drive drive, bool waved) {
  struct Counting final : Listener<gw::Beat> {
    void left(const Passage&, const Packet<gw::Beat>&) override { ++packets; }
    uint64_t packets = 0;
  } counting;
  auto feed = irregular_feed<gw::Beat>(31, 40);
  Echo<gw::Beat> oracle;
  drive.watched = true;  // in step: figures of a run that is not may be ahead of a divergence
  drive.after_failure = waved;
  Lockstep<A> run(a, b, feed, oracle, drive, "rtl", "model", &counting);
  run.describe_with([](bool, size_t, const auto& packet, size_t beat) {
    return std::to_string(packet.beats[beat].data[0]);
  });
  Told told{{false, {}, Timeline(1, 1)}, {}, 0};
  const Course<typename A::Ports>& course = run;
  bool fixed = false;
  run.failing_with([&] {
    fixed = true;
    told.result.timeline = run.timeline();
    told.statistics = course.statistics();
  });
  run.reset();
  while (run.advance(1024)) {
  }
  EXPECT_EQ(fixed, waved);
  if (!fixed) {
    told.result.timeline = run.timeline();
    told.statistics = course.statistics();
  }
  told.result.passed = run.passed();
  told.result.failure = run.failure();
  told.packets = counting.packets;
  return told;
}

TEST(AfterAFailure, TwentyCyclesAreShownAndTheReportIsTheSame) {
  for (const Row& row : rows()) {
    for (const char* stall : {"none", "both:30"}) {
      const auto engine = [](const Mutation& m) { return Seen<Bent<Toy>>(m, kFrom); };
      auto a = engine(row.a), b = engine(row.b);
      const Told plain = told(a, b, stalled(stall), false);
      auto c = engine(row.a), d = engine(row.b);
      const Told waved = told(c, d, stalled(stall), true);
      const Failure &f = plain.result.failure, &g = waved.result.failure;
      ASSERT_EQ(f.kind, row.kind) << row.name << ": " << explain(f);
      EXPECT_FALSE(waved.result.passed);
      EXPECT_EQ(f.cycle, g.cycle);
      if (row.kind != FailureKind::kStopped) {  // a toy goes on, unlike RTL
        EXPECT_EQ(explain(f), explain(g)) << row.name;
        EXPECT_EQ(plain.result.timeline.in, waved.result.timeline.in) << row.name;
        EXPECT_EQ(plain.result.timeline.out, waved.result.timeline.out) << row.name;
        EXPECT_EQ(plain.result.timeline.cycles, waved.result.timeline.cycles);
        EXPECT_EQ(plain.packets, waved.packets);
      }
      EXPECT_EQ(f.kind, g.kind);
      // The cycle of the failure and twenty more, each once.
      ASSERT_FALSE(c.shown.empty());
      const uint64_t last = g.cycle + (row.kind == FailureKind::kStopped ? 0 : kCyclesAfterFailure);
      EXPECT_EQ(c.shown.back().cycle, last) << row.name << stall;
      for (size_t i = 1; i < c.shown.size() - (row.longer ? kCyclesAfterFailure : 0); ++i) {
        EXPECT_EQ(c.shown[i].cycle, c.shown[i - 1].cycle + 1);
      }
      EXPECT_EQ(c.given, d.given);
    }
  }
}

TEST(AfterAFailure, InputsGoOnAsTheyWould) {
  for (const char* stall : {"none", "source:40", "sink:40", "both:50"}) {
    const auto given = [&](const Mutation& mutation) {
      Seen<Bent<Toy>> a(mutation, kFrom), b(mutation, kFrom);
      Drive drive = stalled(stall);
      const Told told = after_failure_test::told(a, b, drive, mutation != nullptr);
      EXPECT_EQ(told.result.passed, mutation == nullptr);
      return a.given;
    };
    // A bit of a beat changes nothing of what comes after.
    const auto right = given(nullptr);
    const auto wrong = given(in_a_beat([](gw::Beat& b) { b.data[3] ^= 8; }));
    ASSERT_GT(wrong.size(), kFrom + kCyclesAfterFailure);
    ASSERT_LT(wrong.size(), right.size());
    EXPECT_TRUE(std::equal(wrong.begin(), wrong.end(), right.begin())) << stall;
  }
}

TEST(AfterAFailure, OfAHangTheBeatThatMovedLastIsKnown) {
  struct Dead final : Seen<Passthrough<>> {
    uint32_t s_ready() const { return given.size() <= kFrom ? Passthrough::s_ready() : 0; }
    void clock(const Offered<Ports>& offered, uint32_t m_ready) {
      Seen::clock({s_ready() != 0 ? offered[0] : nullptr}, m_ready);
    }
  } a;
  auto feed = irregular_feed<gw::Beat>(31, 40);
  Echo<gw::Beat> oracle;
  Drive drive;
  drive.after_failure = drive.watched = true;
  const Result r = run_alone(a, feed, oracle, drive);
  ASSERT_EQ(r.failure.kind, FailureKind::kHang) << explain(r.failure);
  EXPECT_EQ(r.failure.moved, kFrom);  // what was accepted in the cycle before leaves in this one
  EXPECT_EQ(a.shown.back().cycle, r.failure.cycle + kCyclesAfterFailure);
}

}  // namespace
}  // namespace gw::sim::toys::after_failure_test
