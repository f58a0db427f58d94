// Rings of models against the reference: sums, frames, what never falls; faults, stalls, resets.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tests/ring/bench.h"
#include "tests/support.h"

namespace gw::tests::ring::model_test {
namespace {

std::vector<size_t> random_chunks(sim::Random& random, size_t count, size_t most) {
  std::vector<size_t> chunks;
  for (size_t i = 0; i < count; ++i) {
    chunks.push_back(4 * (1 + random.below(static_cast<uint32_t>(most / 4))));
    if (random.below(4) == 0) chunks.back() = most;
    if (random.below(4) == 0) chunks.back() = std::min<size_t>(most, 64);
  }
  return chunks;
}

/// A round trip and four of the longest frames.
uint32_t least_timeout(const Setting& s) {
  const uint32_t frame = (1u << s.build.beats_log2) + 1;
  return 2 * (s.link.delay + 12) + 4 * frame + s.build.add_latency;
}

Setting random_setting(uint64_t seed) {
  sim::Random random(seed, "setting");
  Setting s;
  s.seed = seed;
  s.nodes = 2 + random.below(7);
  s.build = {.slots_log2 = random.below(5),
             .beats_log2 = random.below(4),
             .add_latency = 1 + random.below(12),
             .subnormal = random.below(2) != 0,
             .first = random.below(2) != 0 ? 0xFFFF'FFF0u + random.below(16) : random.below(3)};
  s.window = 1 + random.below(1u << s.build.slots_log2);
  s.link.delay = 1 + random.below(random.below(2) != 0 ? 40 : 4);
  s.timeout = least_timeout(s) + random.below(200);
  s.chunks = random_chunks(random, 1 + random.below(30), size_t{64} << s.build.beats_log2);
  s.ordinary = random.below(4) != 0;
  if (random.below(2) != 0) s.source_stall = 20.0 * random.below(5);
  if (random.below(2) != 0) s.sink_stall = 20.0 * random.below(5);
  for (uint32_t i = 0; i < s.nodes; ++i) s.skew.push_back(random.below(2) * random.below(600));
  s.link.seed = seed;
  return s;
}

TEST(RingModel, SumsAreTheReferencesInAnyConfiguration) {
  for (uint64_t i = 0; i < 300; ++i) {
    const Setting s = random_setting(seed() * 1000 + i);
    const Outcome o = run(s);
    ASSERT_EQ(o.why, "") << "setting " << seed() * 1000 + i;
    ASSERT_EQ(o.results, s.nodes * s.chunks.size());
  }
}

TEST(RingModel, UnderLossAndCorruption) {
  uint64_t again = 0, duplicate = 0, gap = 0, bad = 0, timeouts = 0;
  for (uint64_t i = 0; i < 400; ++i) {
    Setting s = random_setting(seed() * 2000 + i);
    sim::Random random(i, "faults");
    s.link.loss = random.below(3) * 5.0;
    s.link.corrupt = random.below(3) * 5.0;
    s.link.scramble = true;
    const Outcome o = run(s);
    ASSERT_EQ(o.why, "") << "setting " << seed() * 2000 + i;
    ASSERT_EQ(o.results, s.nodes * s.chunks.size());
    using Nic = systemc::RingNic;
    for (const auto& words : o.statistics) {
      for (const Nic::Side side : {Nic::kLeft, Nic::kRight}) {
        again += words[Nic::word_of(side, Nic::kAgain)];
        duplicate += words[Nic::word_of(side, Nic::kDuplicate)];
        gap += words[Nic::word_of(side, Nic::kGap)];
        bad += words[Nic::word_of(side, Nic::kBad)];
        timeouts += words[Nic::word_of(side, Nic::kTimeouts)];
      }
    }
  }
  // All of it has been met.
  EXPECT_GT(again, 100u);
  EXPECT_GT(duplicate, 100u);
  EXPECT_GT(gap, 100u);
  EXPECT_GT(bad, 100u);
  EXPECT_GT(timeouts, 100u);
}

// Small windows, a chunk of a beat, a time-out of hardly more than a round trip, many faults: where
// a rule that is missing shows soonest.
TEST(RingModel, SmallRingsWithManyFaults) {
  for (uint64_t i = 0; i < 3000; ++i) {
    Setting s;
    sim::Random random(seed() * 3000 + i);
    s.nodes = 2 + random.below(2);
    s.build = {.slots_log2 = random.below(3),
               .beats_log2 = random.below(3),
               .add_latency = 1 + random.below(3),
               .first = random.below(2) != 0 ? 0xFFFF'FFFEu : 0};
    s.window = 1 + random.below(1u << s.build.slots_log2);
    s.link = {.delay = 1 + random.below(3), .scramble = true, .seed = i};
    s.link.loss = random.below(2) * 8.0;
    s.link.corrupt = random.below(2) * 10.0;
    // Early time-outs send again what is on its way: only if no fault uses up the tries.
    const bool early = s.link.loss == 0 && s.link.corrupt == 0;
    s.timeout = early ? 10 + random.below(60) : least_timeout(s);
    s.chunks = random_chunks(random, 1 + random.below(8), size_t{64} << s.build.beats_log2);
    if (random.below(2) != 0) s.source_stall = 50;
    if (random.below(2) != 0) s.sink_stall = 50;
    s.seed = i;
    const Outcome o = run(s);
    ASSERT_EQ(o.why, "") << "setting " << i << ": nodes " << s.nodes << " window " << s.window
                         << " timeout " << s.timeout << " delay " << s.link.delay;
  }
}

TEST(RingModel, ALinkThatIsDeadForAWhileIsNoError) {
  for (uint64_t link = 0; link < 8; ++link) {
    if (link == 1 || link == 6) continue;  // between the last node and the first
    Setting s{.nodes = 4, .chunks = std::vector<size_t>(40, 128)};
    s.links = [link](std::vector<sim::LinkSpec>& links) { links[link].dead = {{100, 1500}}; };
    const Outcome o = run(s);
    EXPECT_EQ(o.why, "") << link;
    EXPECT_GT(o.cycles, 1500u) << link;
  }
}

TEST(RingModel, ALinkThatIsDeadForEverIsAnErrorAtEveryNode) {
  for (uint64_t link = 0; link < 6; ++link) {
    if (link == 1 || link == 4) continue;
    Setting s{.nodes = 3, .chunks = std::vector<size_t>(40, 128)};
    s.links = [link](std::vector<sim::LinkSpec>& links) { links[link].dead = {{.from = 100}}; };
    Bench bench(s);
    const Outcome o = bench.run();
    EXPECT_FALSE(o.silent_hang);
    bool said = false;
    for (const uint32_t error : o.error) said |= (error & 3) != 0;
    EXPECT_TRUE(said) << link;
    // The neighbours find out by asking.
    for (uint64_t i = 0; i < 60 * s.timeout; ++i) bench.ring().clock({}, 0xFF);
    for (size_t i = 0; i < s.nodes; ++i) EXPECT_NE(bench.node(i).error(), 0u) << link << " " << i;
  }
}

// Data of one chunk that never comes through while all else does: not for ever in silence.
TEST(RingModel, DataThatNeverPassesIsAnError) {
  for (const size_t side : {1, 2}) {
    for (uint64_t i = 0; i < 20; ++i) {
      Setting s{.chunks = std::vector<size_t>(5, 64), .seed = i};
      std::array<bool, 3> within{}, drop{};
      s.swallow = [&, side](size_t node, size_t from, const Beat& beat) {
        if (from != side || node != (side == 1 ? 1u : 0u)) return false;
        if (!within[from]) drop[from] = (beat.data[3] >> 24) != 0;  // no control frame
        within[from] = beat.last == 0;
        return drop[from];
      };
      s.most_cycles = 200 * s.timeout;
      const Outcome o = run(s);
      EXPECT_FALSE(o.silent_hang);
      EXPECT_NE(o.error[0] | o.error[1], 0u) << side << " " << i;
    }
  }
}

TEST(RingModel, AResetOfAllNodesBeginsAnew) {
  for (uint64_t i = 0; i < 300; ++i) {
    sim::Random random(seed() * 4000 + i);
    Setting s = random_setting(seed() * 4000 + i);
    s.build.first = 0;
    s.skew.clear();
    s.after = s.chunks;
    s.link.corrupt = random.below(2) * 3.0;
    const uint64_t when = 1 + random.below(400);
    const uint32_t stagger = random.below(2) != 0 ? s.timeout : 1;
    for (uint32_t node = 0; node < s.nodes; ++node) {
      s.resets.push_back({{.from = when + random.below(stagger),
                           .edges = 1 + random.below(80),
                           .session = 0xBEEF}});
    }
    const Outcome o = run(s);
    ASSERT_EQ(o.why, "") << "setting " << seed() * 4000 + i << " reset in " << when;
    ASSERT_GE(o.results, s.nodes * s.chunks.size());
  }
}

// Old frames are on the links when the new session begins.
TEST(RingModel, FramesOfTheSessionBeforeAreDropped) {
  uint64_t foreign = 0;
  for (uint64_t when = 1; when < 120; ++when) {
    Setting s{.chunks = {64, 128, 64}, .link = {.delay = 70}, .after = {64}};
    s.timeout = 400;
    for (int node = 0; node < 2; ++node) {
      s.resets.push_back({{.from = when, .edges = 1, .session = 0xBEEF}});
    }
    const Outcome o = run(s);
    ASSERT_EQ(o.why, "") << "reset in " << when;
    using Nic = systemc::RingNic;
    foreign += o.statistics[1][Nic::word_of(Nic::kLeft, Nic::kForeign)];
  }
  EXPECT_GT(foreign, 20u);
}

TEST(RingModel, ASessionThatIsUsedTwiceIsRefused) {
  Setting s;
  s.resets = {{{.from = 100, .session = Bench::kSession}}};
  EXPECT_THROW(run(s), sim::UsageError);
  s.resets = {
      {{.from = 100, .session = 1}, {.from = 200, .session = 2}, {.from = 300, .session = 1}}};
  EXPECT_THROW(run(s), sim::UsageError);
}

TEST(RingModel, AResetOfOneNodeIsAnErrorInTheEnd) {
  for (uint64_t i = 0; i < 250; ++i) {
    sim::Random random(seed() * 5000 + i);
    Setting s{.nodes = 2 + random.below(3), .window = 2, .chunks = std::vector<size_t>(20, 128)};
    s.seed = i;
    s.follow = false;
    s.resets.resize(s.nodes);
    s.resets[random.below(s.nodes)] = {
        {.from = 20 + random.below(300), .edges = 1 + random.below(20), .session = 0xBEEF}};
    s.after = s.chunks;
    s.most_cycles = 100 * s.timeout;
    const Outcome o = run(s);
    EXPECT_FALSE(o.silent_hang) << i;
    bool said = false;
    for (const uint32_t error : o.error) said |= error != 0;
    EXPECT_TRUE(said) << i;
  }
}

TEST(RingModel, AHostThatTakesNothingHoldsTheRing) {
  for (uint32_t host = 0; host < 3; ++host) {
    Setting s{.nodes = 3, .chunks = std::vector<size_t>(30, 64)};
    s.window = 2;
    Bench bench(s);
    // By hand: the others' hosts go on until the window is used up; nobody reports an error.
    bench.ring().reset();
    bench.ring().boot({});
    Beat beat;
    beat.last = 1;
    sim::Offered<RingPorts> offered{};
    for (size_t i = 0; i < 3; ++i) offered[i] = &beat;
    for (uint64_t cycle = 0; cycle < 40 * s.timeout; ++cycle) {
      bench.ring().clock(offered, 0xFFu & ~(1u << host));
    }
    for (size_t i = 0; i < 3; ++i) {
      EXPECT_EQ(bench.node(i).error(), 0u);
      // Its output queue has eight beats; node 0 has a window more until its frames are
      // acknowledged.
      EXPECT_LE(bench.node(i).counters().loaded, 8 + 3 * s.window);
    }
    EXPECT_LE(bench.node(host).counters().given, 8u);
  }
}

}  // namespace
}  // namespace gw::tests::ring::model_test
