// Sums that are kept as packets pass: distributions, series, ports, windows.
// SPDX-License-Identifier: Apache-2.0
#include "sim/harness/timeline.h"

#include <gtest/gtest.h>

#include <numeric>

#include "sim/base/random.h"

namespace gw::sim::timeline_test {
namespace {

using Rows = std::vector<std::pair<uint64_t, uint64_t>>;

TEST(Distribution, CountsEveryValueHoweverLarge) {
  Distribution d;
  // 1023 is the last value with a place of its own, 1024 the first without.
  for (const uint64_t value : {7, 0, 1024, 7, 1023, 5'000'000, 7, 1024}) d.add(value);
  EXPECT_EQ(d.rows(), (Rows{{0, 1}, {7, 3}, {1023, 1}, {1024, 2}, {5'000'000, 1}}));
  EXPECT_EQ(d.n(), 8u);
  EXPECT_DOUBLE_EQ(d.mean(), (3 * 7 + 0 + 2 * 1024 + 1023 + 5'000'000) / 8.0);
}

TEST(Distribution, IsWhatWasAdded) {
  Random random(1);
  Distribution d;
  std::map<uint64_t, uint64_t> counts;
  for (int i = 0; i < 10'000; ++i) {
    const uint64_t value = random.below(3) == 0 ? random.below(1'000'000) : random.below(1200);
    d.add(value);
    ++counts[value];
  }
  EXPECT_EQ(d.rows(), Rows(counts.begin(), counts.end()));
}

TEST(Series, BucketsGrowWithTheRunAndLoseNothing) {
  Series s;
  // 256 buckets of 64 cycles are 16,384.
  s.add(0, 5);
  s.add(64, 3);
  s.add(128, 60);
  s.add(16'320, 1);
  EXPECT_EQ(s.bucket_cycles(), 64u);
  EXPECT_EQ(s.bucket(0), 5u);
  EXPECT_EQ(s.bucket(1), 3u);
  EXPECT_EQ(s.bucket(2), 60u);
  EXPECT_EQ(s.bucket(255), 1u);
  s.add(16'384, 9);
  EXPECT_EQ(s.bucket_cycles(), 128u);
  EXPECT_EQ(s.bucket(0), 8u);
  EXPECT_EQ(s.bucket(1), 60u);
  EXPECT_EQ(s.bucket(127), 1u);
  EXPECT_EQ(s.bucket(128), 9u);
  EXPECT_EQ(s.bucket(256), 0u);
  // A leap: 4 seconds at 200 MHz, 256 buckets of 2^22 cycles.
  s.add(800'000'000, 2);
  EXPECT_EQ(s.bucket_cycles(), uint64_t{1} << 22);
  EXPECT_EQ(s.bucket(0), 5u + 3 + 60 + 1 + 9);
  EXPECT_EQ(s.bucket(800'000'000 >> 22), 2u);
}

TEST(Series, IsTheSameWhateverTheSteps) {
  Random random(2);
  Series steps, leaps;
  for (uint64_t cycle = 0; cycle < 100'000; cycle += 64) {
    const uint64_t n = random.below(4) == 0 ? random.below(65) : 0;
    steps.add(cycle, n);
    if (n != 0) leaps.add(cycle, n);
  }
  leaps.add(99'968, 0);
  ASSERT_EQ(steps.bucket_cycles(), leaps.bucket_cycles());
  for (uint64_t i = 0; i < 256; ++i) EXPECT_EQ(steps.bucket(i), leaps.bucket(i));
}

TEST(Timelines, MeasureFromTheFirstBeatToTheLastPacketsFirst) {
  Timeline t(1, 2);
  t.add({.measured = false, .out = 1, .bytes = 999, .accepted = 0, .offered = 4, .first = 5});
  t.add({.out = 1, .bytes = 100, .accepted = 2, .offered = 9, .first = 10});
  t.add({.out = 1, .bytes = 60, .accepted = 6, .offered = 25, .first = 26});
  t.add({.out = 1, .bytes = 1500, .accepted = 7, .offered = 40, .first = 41});
  const Timeline::Port& port = t.out[1];
  EXPECT_EQ(port.packets, 4u);
  EXPECT_EQ(port.bytes, 999u + 100 + 60 + 1500);
  EXPECT_EQ(port.measured, 3u);
  EXPECT_EQ(port.measured_from, 10u);
  EXPECT_EQ(port.measured_to, 41u);
  EXPECT_EQ(port.measured_bytes, 160u);  // in those 31 cycles; the last one's are still to come
  EXPECT_EQ(port.last_bytes, 1500u);
  EXPECT_EQ(t.out[0].packets, 0u);
  EXPECT_EQ(t.latency.rows(), (Rows{{4, 1}, {7, 1}, {19, 1}, {33, 1}}));
  EXPECT_EQ(t.packets_out(), 4u);
}

TEST(Timelines, LatencyIsOfPacketsThatHaveAMaker) {
  Timeline t(1, 1);
  t.add({.made = false, .offered = 40});
  t.add({.follows = true, .accepted = 10, .triggered = 13, .offered = 40});
  t.add({.accepted = 10, .triggered = 13, .offered = 41});
  EXPECT_EQ(t.latency.rows(), (Rows{{30, 1}, {31, 1}}));
  EXPECT_EQ(t.pipeline_latency.rows(), (Rows{{27, 1}}));
}

TEST(Timelines, KeepRowsOnlyIfAsked) {
  Timeline t(1, 1);
  t.add({.id = 1});
  EXPECT_TRUE(t.rows.empty());
  t.keep_rows = true;
  t.add({.id = 2});
  ASSERT_EQ(t.rows.size(), 1u);
  EXPECT_EQ(t.rows[0].id, 2u);
}

TEST(Timelines, AWindowReachesOverAllPorts) {
  Timeline t(3, 1);
  EXPECT_EQ(Timeline::window(t.in), 0u);
  t.in[0] = {.packets = 1, .beats = 2, .first = 10, .last = 11};
  t.in[2] = {.packets = 3, .beats = 7, .first = 4, .last = 9};
  EXPECT_EQ(Timeline::window(t.in), 8u);  // cycles 4 to 11; port 1 moved nothing
  EXPECT_EQ(t.sum_in<&Timeline::Port::beats>(), 9u);
  EXPECT_EQ(t.sum_in<&Timeline::Port::packets>(), 4u);
  EXPECT_EQ(t.sum_out<&Timeline::Port::beats>(), 0u);
}

}  // namespace
}  // namespace gw::sim::timeline_test
