// Delta debugging on stimuli, with failures that a few lines decide.
// SPDX-License-Identifier: Apache-2.0
#include "sim/capsule/shrink.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "sim/base/random.h"

namespace gw::sim::capsule::shrink_test {
namespace {

RawPacket packet(size_t bytes, uint8_t value) {
  RawPacket p;
  p.bytes.assign(bytes, value);
  return p;
}

ShrinkCase many(size_t packets) {
  ShrinkCase whole;
  for (size_t i = 0; i < packets; ++i) {
    whole.stimulus.packets.push_back(packet(100 + i % 50, static_cast<uint8_t>(1 + i % 100)));
    whole.stimulus.packets.back().gap = static_cast<uint32_t>(i % 3);
  }
  Random random(1);
  for (uint64_t window = 0; window < 40; ++window) {
    StallRecord::set(whole.stimulus.stalls.sources, 0, window, random.next());
    StallRecord::set(whole.stimulus.stalls.sinks, 1, window, random.next());
  }
  return whole;
}

bool holds(const RawPacket& p, uint8_t byte) { return std::ranges::count(p.bytes, byte) != 0; }

TEST(Shrink, TwoPacketsAndOneStallAreLeftOfThousand) {
  ShrinkCase whole = many(1000);
  whole.stimulus.packets[300].bytes[40] = 0xAB;
  whole.stimulus.packets[700].bytes[3] = 0xCD;
  whole.stimulus.packets[700].error = true;
  StallRecord::set(whole.stimulus.stalls.sinks, 1, 40, 1u << 9);
  const ShrinkFacts facts{.settings = {"bound", "mode"}};
  uint64_t tests = 0;
  const ShrinkResult result = shrink(
      whole, facts, {.test = [&](const ShrinkCase& c) {
        ++tests;
        const auto& packets = c.stimulus.packets;
        const auto first = std::ranges::find_if(packets, [](auto& p) { return holds(p, 0xAB); });
        const bool second =
            first != packets.end() && std::any_of(first, packets.end(), [](const RawPacket& p) {
              return holds(p, 0xCD) && p.error;
            });
        const bool stalls = (StallRecord::bits(c.stimulus.stalls.sinks, 1, 40) >> 9 & 1) != 0;
        return second && stalls && !c.plain[0];
      }});
  EXPECT_TRUE(result.complete);
  EXPECT_EQ(result.runs, tests);
  const Stimulus& left = result.smallest.stimulus;
  ASSERT_EQ(left.packets.size(), 2u);
  EXPECT_EQ(left.packets[0].bytes, std::vector<uint8_t>{0xAB});
  EXPECT_EQ(left.packets[1].bytes, std::vector<uint8_t>{0xCD});
  EXPECT_FALSE(left.packets[0].error);
  EXPECT_TRUE(left.packets[1].error);
  EXPECT_EQ(left.packets[0].gap + left.packets[1].gap, 0u);
  EXPECT_EQ(count(left.stalls), 1u);
  EXPECT_EQ(result.smallest.plain, (std::vector<bool>{false, true}));
  ASSERT_FALSE(result.steps.empty());
  EXPECT_EQ(result.steps.front().what, "packets: 1000 to 2");
}

TEST(Shrink, WhatIsAtTheEndIsFoundInFewRuns) {
  ShrinkCase whole = many(100'000);
  whole.stimulus.packets[99'000].bytes[7] = 0xAB;
  std::vector<uint64_t> accepted(99'001);
  for (size_t i = 0; i < accepted.size(); ++i) accepted[i] = 5 * i;
  size_t looked = 0;
  const ShrinkResult result =
      shrink(whole, {},
             {.test =
                  [&](const ShrinkCase& c) {
                    looked += c.stimulus.packets.size();
                    return std::ranges::any_of(c.stimulus.packets,
                                               [](const RawPacket& p) { return holds(p, 0xAB); });
                  },
              .accepted = accepted});
  EXPECT_EQ(result.smallest.stimulus.packets.size(), 1u);
  // All of it once, to drop what comes behind the failure.
  EXPECT_LT(looked, 100'000u);
}

TEST(Shrink, NoPacketIsCutBelowTheLeast) {
  ShrinkCase whole = many(10);
  const ShrinkResult result =
      shrink(whole, {.least_bytes = 60}, {.test = [](const ShrinkCase&) { return true; }});
  ASSERT_EQ(result.smallest.stimulus.packets.size(), 1u);
  EXPECT_EQ(result.smallest.stimulus.packets[0].bytes, std::vector<uint8_t>(60, 0));
}

TEST(Shrink, OddBeatsGoWithTheirBytes) {
  ShrinkCase whole;
  whole.stimulus.packets = {packet(320, 1)};
  whole.stimulus.packets[0].odd = {{.beat = 1, .keep = 5, .user = false},
                                   {.beat = 9, .keep = 0, .user = true}};
  const ShrinkResult result = shrink(whole, {}, {.test = [](const ShrinkCase& c) {
                                       for (const RawPacket& p : c.stimulus.packets) {
                                         for (const OddBeat& odd : p.odd) {
                                           EXPECT_LT(odd.beat * 32, p.bytes.size());
                                         }
                                       }
                                       return c.stimulus.packets[0].odd.size() == 1;
                                     }});
  EXPECT_LE(result.smallest.stimulus.packets[0].bytes.size(), 64u);
}

TEST(Shrink, TimesCloseUp) {
  ShrinkCase whole;
  for (int i = 0; i < 5; ++i) {
    whole.stimulus.packets.push_back(packet(60, 1));
    whole.stimulus.packets.back().time_ns = 1'000'000 * i;
  }
  // Two packets, at least a microsecond between them.
  const ShrinkResult result = shrink(whole, {}, {.test = [](const ShrinkCase& c) {
                                       const auto& p = c.stimulus.packets;
                                       return p.size() >= 2 && p[1].time_ns - p[0].time_ns >= 1000;
                                     }});
  const auto& left = result.smallest.stimulus.packets;
  ASSERT_EQ(left.size(), 2u);
  EXPECT_EQ(left[0].time_ns, 0);
  EXPECT_LT(left[1].time_ns, 2000);
}

TEST(Shrink, TimeIsKeptAndTheSmallestSoFarToo) {
  const auto begin = std::chrono::steady_clock::now();
  const auto fails = [](const ShrinkCase& c) { return c.stimulus.packets.size() >= 100; };
  const ShrinkResult result =
      shrink(many(1000), {},
             {.test =
                  [&](const ShrinkCase& c) {
                    std::this_thread::sleep_for(std::chrono::milliseconds(5));
                    return fails(c);
                  },
              .seconds = 0.3});
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(2));
  EXPECT_FALSE(result.complete);
  EXPECT_TRUE(fails(result.smallest));
  EXPECT_LT(result.smallest.stimulus.packets.size(), 1000u);
}

TEST(Shrink, CtrlCEndsItAndKeepsTheSmallestSoFar) {
  uint64_t tests = 0;
  const auto fails = [](const ShrinkCase& c) { return c.stimulus.packets.size() >= 100; };
  const ShrinkResult result = shrink(many(1000), {},
                                     {.test =
                                          [&](const ShrinkCase& c) {
                                            ++tests;
                                            return fails(c);
                                          },
                                      .stopped = [&] { return tests == 20; }});
  EXPECT_EQ(tests, 20u);
  EXPECT_FALSE(result.complete);
  EXPECT_TRUE(fails(result.smallest));
  EXPECT_LT(result.smallest.stimulus.packets.size(), 1000u);
}

TEST(Shrink, ARunThatWouldEndTooLateIsNotBegun) {
  uint64_t tests = 0;
  const ShrinkResult result = shrink(many(100), {},
                                     {.test =
                                          [&](const ShrinkCase& c) {
                                            ++tests;
                                            EXPECT_LE(c.stimulus.packets.size(), 10u);
                                            return false;
                                          },
                                      .seconds = 60,
                                      .run_seconds = 600});
  EXPECT_GT(tests, 0u);
  EXPECT_EQ(result.smallest.stimulus.packets.size(), 100u);
  // All that was begun is done in time, but something was refused: it may have gone.
  EXPECT_LT(result.seconds, 60);
  EXPECT_FALSE(result.complete);
}

TEST(Stalls, LaterIsAShift) {
  Random random(3);
  StallRecord stalls;
  for (uint64_t window = 0; window < 20; ++window) {
    if (random.below(3) != 0) StallRecord::set(stalls.sinks, 1, window, random.next());
  }
  const auto bit = [](const StallRecord& record, uint64_t cycle) {
    return StallRecord::bits(record.sinks, 1, cycle / 64) >> cycle % 64 & 1;
  };
  for (const uint64_t cycles : {0u, 1u, 63u, 64u, 65u, 200u, 1279u, 5000u}) {
    const StallRecord moved = later(stalls, cycles);
    for (uint64_t cycle = 0; cycle < 1400; ++cycle) {
      ASSERT_EQ(bit(moved, cycle), bit(stalls, cycle + cycles)) << cycles << " " << cycle;
    }
  }
}

}  // namespace
}  // namespace gw::sim::capsule::shrink_test
