// SPDX-License-Identifier: Apache-2.0
#include "sim/harness/stall.h"

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <map>

#include "sim/base/error.h"

namespace gw::sim::stall_test {
namespace {

TEST(StallSpec, ParsesAndPrints) {
  for (const char* text : {"none", "source:5", "sink:50", "both:99", "both:12.5"}) {
    EXPECT_EQ(StallSpec::parse(text).text(), text);
  }
}

TEST(StallSpec, RefusesEverythingElse) {
  for (const char* text : {"", "some", "source", "source:", "source:0", "sink:100", "both:-1",
                           "both:5x", "none:5", "sink:nan", "source:1e9"}) {
    EXPECT_THROW(StallSpec::parse(text), UsageError) << text;
  }
}

TEST(StallGenerator, DrawsTheProbabilityAskedFor) {
  for (const double percent : {1.0, 12.5, 50.0, 90.0, 99.0}) {
    StallGenerator generator(percent, 3);
    uint64_t ones = 0;
    constexpr int kWords = 20'000;
    for (int i = 0; i < kWords; ++i)
      ones += static_cast<uint64_t>(std::popcount(generator.next64()));
    const double share = 100.0 * static_cast<double>(ones) / (kWords * 64.0);
    EXPECT_NEAR(share, percent, 0.25) << percent;
  }
}

TEST(StallGenerator, NoStallMeansNone) {
  StallGenerator generator(0, 3);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(generator.next64(), 0u);
}

TEST(StallGenerator, SeedsDifferAndRepeat) {
  StallGenerator a(50, 1), b(50, 1), c(50, 2);
  const uint64_t first = a.next64();
  EXPECT_EQ(first, b.next64());
  EXPECT_NE(first, c.next64());
}

/// Stalls of one kind, in per cent, and the lengths of their runs and of those without.
struct Seen {
  double percent = 0;
  std::map<uint32_t, uint32_t> stalled, free;
};

Seen seen(StallPattern pattern) {
  Seen all;
  constexpr int kWords = 20'000;
  uint64_t ones = 0;
  bool before = false;
  uint32_t run = 0;
  for (int word = 0; word < kWords; ++word) {
    const uint64_t bits = pattern.next64();
    ones += static_cast<uint64_t>(std::popcount(bits));
    for (int cycle = 0; cycle < 64; ++cycle) {
      const bool now = (bits >> cycle & 1) != 0;
      if (now != before && run != 0) ++(before ? all.stalled : all.free)[run];
      run = now == before ? run + 1 : 1;
      before = now;
    }
  }
  all.percent = 100.0 * static_cast<double>(ones) / (kWords * 64.0);
  return all;
}

StallWeights only(StallKind kind) {
  StallWeights weights;
  weights.weights[static_cast<size_t>(kind)] = 1;
  return weights;
}

TEST(StallPattern, NoneIsNone) { EXPECT_EQ(seen({only(StallKind::kNone), 1, "s", 0}).percent, 0); }

TEST(StallPattern, PercentOfARange) {
  StallWeights weights = only(StallKind::kPercent);
  weights.percent_from = 20;
  weights.percent_to = 40;
  EXPECT_NEAR(seen({weights, 1, "s", 0}).percent, 30, 1.5);
}

TEST(StallPattern, BurstsHaveTheirLengths) {
  StallWeights weights = only(StallKind::kBursts);
  weights.burst_from = 5;
  weights.burst_to = 7;
  const Seen s = seen({weights, 1, "s", 0});
  EXPECT_NEAR(s.percent, 50, 1);
  // Where a pattern ends and the next begins, runs are cut or joined.
  uint32_t right = 0, wrong = 0;
  for (const auto& [length, n] : s.stalled) (length >= 5 && length <= 7 ? right : wrong) += n;
  EXPECT_GT(right, 100'000u);
  EXPECT_LT(wrong, right / 20);
}

TEST(StallPattern, OneInN) {
  StallWeights weights = only(StallKind::kOneIn);
  weights.one_in = {4};
  const Seen s = seen({weights, 1, "s", 0});
  EXPECT_NEAR(s.percent, 75, 0.1);
  EXPECT_GT(s.stalled.at(3), 300'000u);
  EXPECT_GT(s.free.at(1), 300'000u);
}

TEST(StallPattern, WaitsAreTheLoopsToEnd) {
  StallPattern pattern(only(StallKind::kWaits), 1, "s", 0);
  EXPECT_EQ(pattern.next64(), ~uint64_t{0});
  EXPECT_TRUE(pattern.waits());
}

TEST(StallPattern, KindsTakeTurnsByWeight) {
  StallWeights weights;
  weights.weights = {3, 0, 0, 0, 1};
  EXPECT_NEAR(seen({weights, 1, "s", 0}).percent, 25, 4);
}

TEST(StallPattern, EachPortAndSeedHasItsOwn) {
  const auto first = [](uint64_t seed, const char* purpose, uint64_t port) {
    StallWeights weights = only(StallKind::kPercent);
    StallPattern pattern(weights, seed, purpose, port);
    std::array<uint64_t, 8> words;
    for (uint64_t& word : words) word = pattern.next64();
    return words;
  };
  EXPECT_EQ(first(1, "a", 0), first(1, "a", 0));
  EXPECT_NE(first(1, "a", 0), first(1, "a", 1));
  EXPECT_NE(first(1, "a", 0), first(2, "a", 0));
  EXPECT_NE(first(1, "a", 0), first(1, "b", 0));
}

}  // namespace
}  // namespace gw::sim::stall_test
