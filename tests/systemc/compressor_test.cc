// Each rule of the compressor's cycle contract, with the cycle numbers worked out by hand.
// SPDX-License-Identifier: Apache-2.0
#include "models/systemc/compressor.h"

#include <gtest/gtest.h>

#include "tests/systemc/bench.h"
#include "tests/systemc/stimulus.h"

namespace gw::systemc::compressor_test {
namespace {

using CompressorBench = Bench<Compressor>;

bool never(uint64_t) { return false; }

/// What must leave for one packet of groups.
std::vector<Beat> expected_packet(const std::vector<spec::Lanes>& groups, bool user = false) {
  std::vector<Beat> beats = packet_of(encode_groups(groups));
  beats.back().user = user;
  return beats;
}

void expect_beats(const CompressorBench& bench, const std::vector<Beat>& beats) {
  ASSERT_EQ(bench.left.size(), beats.size());
  for (size_t i = 0; i < beats.size(); ++i) EXPECT_EQ(bench.left[i].beat, beats[i]) << "beat " << i;
}

TEST(Compressor, ReadyOneCycleAfterReset) {
  Compressor device;
  for (int i = 0; i < 2; ++i) {
    EXPECT_FALSE(device.s_ready());
    EXPECT_EQ(device.m_beat(), nullptr);
    EXPECT_EQ(device.error_count(), 0u);
    const Beat ignored = group_beat(kRawGroup, true);
    device.clock(&ignored, true);  // tready is 0: not accepted
    EXPECT_TRUE(device.s_ready());
    for (int c = 0; c < 20; ++c) {
      EXPECT_EQ(device.m_beat(), nullptr);
      device.clock(nullptr, true);
    }
    device.reset();
  }
}

TEST(Compressor, LatencyIsFive) {
  CompressorBench bench;
  bench.send(group_beat(kZeroGroup, true));
  bench.drain();
  EXPECT_EQ(bench.accepted, Cycles{1});
  EXPECT_EQ(bench.valid, Cycles{6});
  expect_beats(bench, expected_packet({kZeroGroup}));
}

TEST(Compressor, LatencyCountsFromTheGroupThatCompletesTheBeat) {
  CompressorBench bench;
  const std::vector<spec::Lanes> groups = {k31Group, kZeroGroup, kZeroGroup};
  bench.send({group_beat(groups[0]), group_beat(groups[1]), group_beat(groups[2], true)});
  bench.source_gate = [](uint64_t c) { return c % 10 == 1; };  // accepted in 1, 11, 21
  bench.drain();
  EXPECT_EQ(bench.accepted, (Cycles{1, 11, 21}));
  EXPECT_EQ(bench.left_cycles(), (Cycles{16, 26}));  // 33 bytes are there in 11, the end in 21
  expect_beats(bench, expected_packet(groups));
}

TEST(Compressor, ThreeBeatsFromOneMerge) {
  CompressorBench bench;  // r = 31, L = 34, last: 65 bytes
  bench.send({group_beat(k31Group), group_beat(kRawGroup, true)});
  bench.drain();
  EXPECT_EQ(bench.left_cycles(), (Cycles{7, 8, 9}));
  expect_beats(bench, expected_packet({k31Group, kRawGroup}));
  EXPECT_EQ(bench.left[2].beat.keep, 1u);
  EXPECT_EQ(bench.left[2].beat.last, 1);
}

TEST(Compressor, BackToBackSingleGroupPackets) {
  CompressorBench bench;
  for (int i = 0; i < 200; ++i) bench.send(group_beat(kZeroGroup, true));
  bench.drain();
  EXPECT_EQ(bench.accepted, range(1, 200));
  EXPECT_EQ(bench.left_cycles(), range(6, 205));
}

// Under backpressure, one-beat packets: accepted groups raise `used` by two, and give one back when
// merged. used[c] = c + 3 from cycle 5 on, so tready falls in cycle 27 (used 30) and comes back for
// one group each time a merge makes it 29, until 30 beats wait.
TEST(Compressor, CreditUnderBackpressure) {
  CompressorBench bench;
  bench.sink_gate = never;
  for (int i = 0; i < 100; ++i) bench.send(group_beat(kZeroGroup, true));
  bench.run(100);
  Cycles ready = range(1, 26);
  ready.insert(ready.end(), {28, 30, 33, 38});
  EXPECT_EQ(bench.ready, ready);
  EXPECT_EQ(bench.accepted, ready);

  bench.sink_gate = [](uint64_t c) { return c >= 100; };
  bench.run(1);                         // the first leaves in cycle 100
  EXPECT_TRUE(bench.device.s_ready());  // used[101] = 29
  bench.drain();
  EXPECT_EQ(bench.left_cycles(), range(100, 199));  // and no bubble after
}

// A packet of 65 bytes leaves a beat to flush; each all-RAW group packet behind it completes two
// more, so every cycle enters two beats and hands one on: used[c] = 2c - 4, at its limit in cycle
// 17, 31 beats at last.
TEST(Compressor, FlushChain) {
  CompressorBench bench;
  bench.sink_gate = [](uint64_t c) { return c >= 100; };
  bench.send(group_beat(k31Group));
  for (int i = 0; i < 40; ++i) bench.send(group_beat(kRawGroup, true));
  bench.run(100);
  EXPECT_EQ(bench.ready, range(1, 16));
  bench.run(3);
  Cycles ready = range(1, 16);
  ready.push_back(102);  // 31 beats wait: two have to leave
  EXPECT_EQ(bench.ready, ready);
  bench.drain();

  std::vector<Beat> expected = expected_packet({k31Group, kRawGroup});
  for (int i = 0; i < 39; ++i) {
    for (const Beat& beat : expected_packet({kRawGroup})) expected.push_back(beat);
  }
  expect_beats(bench, expected);
  EXPECT_EQ(bench.left_cycles(), range(100, 99 + expected.size()));
}

TEST(Compressor, AllRawRunsAt17To16) {
  constexpr uint64_t kGroups = 16000;
  CompressorBench bench;
  for (uint64_t i = 1; i <= kGroups; ++i) bench.send(group_beat(kRawGroup, i == kGroups));
  bench.drain();
  ASSERT_EQ(bench.left.size(), kGroups * 17 / 16);
  // The first beat is complete with the first group, and from there no cycle is without one.
  EXPECT_EQ(bench.left_cycles(), range(6, 5 + kGroups * 17 / 16));
  const double cycles = static_cast<double>(bench.accepted.back() - bench.accepted.front() + 1);
  EXPECT_NEAR(cycles / kGroups, 17.0 / 16, 0.002);  // the queue's fill is the difference
}

TEST(Compressor, TailsOfWholeLanes) {
  for (int n = 1; n <= kLanes; ++n) {
    CompressorBench bench;
    Beat beat = group_beat(kRawGroup, true);
    beat.keep = keep_of_bytes(4 * n);
    spec::Lanes lanes{};
    std::copy_n(kRawGroup.begin(), n, lanes.begin());
    bench.send(beat);
    bench.drain();
    expect_beats(bench, expected_packet({lanes}));
    EXPECT_EQ(bench.device.error_count(), 0u);
  }
}

TEST(Compressor, BadTailsAreErrors) {
  struct Case {
    uint32_t keep;
    std::vector<int> lanes;  // the ones that count
  };
  for (const auto& [keep, kept] : std::vector<Case>{{0, {}},
                                                    {0x7, {}},
                                                    {0xFFF7, {1, 2, 3}},
                                                    {0x1F, {0}},
                                                    {0xF0F, {0, 2}},
                                                    {0xFFFFFFF0, {1, 2, 3, 4, 5, 6, 7}},
                                                    {0x7FFFFFFF, {0, 1, 2, 3, 4, 5, 6}}}) {
    CompressorBench bench;
    Beat beat = group_beat(kRawGroup, true);
    beat.keep = keep;
    spec::Lanes lanes{};
    for (int lane : kept) lanes[lane] = kRawGroup[lane];
    bench.send({group_beat(kRawGroup), beat});
    bench.drain();
    expect_beats(bench, expected_packet({kRawGroup, lanes}, true));
    EXPECT_EQ(bench.device.error_count(), 1u);
  }
}

TEST(Compressor, KeepAndUserCountOnTheLastBeatOnly) {
  CompressorBench bench;
  Beat first = group_beat(kRawGroup);
  first.keep = 0;
  first.user = 1;
  bench.send({first, group_beat(kZeroGroup, true)});
  bench.drain();
  expect_beats(bench, expected_packet({kRawGroup, kZeroGroup}));
  EXPECT_EQ(bench.device.error_count(), 0u);
}

TEST(Compressor, ErrorCountRisesInTheCycleAfterTheErrorLeaves) {
  CompressorBench bench;
  Beat bad = group_beat(kRawGroup, true);
  bad.user = 1;
  bench.send({bad, group_beat(kRawGroup, true), bad});
  bench.sink_gate = [](uint64_t c) {
    return c >= 20;
  };  // beats leave in 20..25, errors in 21 and 25
  bench.run(20);
  for (uint32_t expected : {0, 0, 1, 1, 1, 1, 2, 2}) {
    EXPECT_EQ(bench.device.error_count(), expected) << "cycle " << bench.cycle;
    bench.step();
  }
  std::vector<Beat> beats = expected_packet({kRawGroup}, true);
  for (bool user : {false, true}) {
    for (const Beat& beat : expected_packet({kRawGroup}, user)) beats.push_back(beat);
  }
  expect_beats(bench, beats);
}

TEST(Compressor, ResetInMidPacket) {
  for (uint64_t at = 1; at < 40; ++at) {
    CompressorBench bench;
    Beat bad = group_beat(kRawGroup, true);
    bad.keep = 0x7;
    bench.sink_gate = [](uint64_t c) { return c % 3 == 0; };
    for (int i = 0; i < 10; ++i) bench.send({group_beat(k31Group), group_beat(kRawGroup), bad});
    bench.run(at);
    bench.reset();
    EXPECT_EQ(bench.device.m_beat(), nullptr);
    EXPECT_EQ(bench.device.error_count(), 0u);
    bench.sink_gate = [](uint64_t) { return true; };
    bench.send({group_beat(k32Group), group_beat(kZeroGroup, true)});
    bench.drain();
    EXPECT_EQ(bench.accepted, range(1, 2));
    EXPECT_EQ(bench.left_cycles(), range(6, 7));
    expect_beats(bench, expected_packet({k32Group, kZeroGroup}));
  }
}

// Three packets back to back, each with a bound of its own, which the pins show in one cycle alone:
// with its first beat.
TEST(Compressor, BoundBelongsToThePacket) {
  const std::array<CodecConfig, 3> configs = {{{10, true}, {3, true}, {14, false}}};
  CompressorBench bench;
  std::vector<Beat> expected;
  std::vector<CodecConfig> pins;
  for (uint32_t p = 0; p < configs.size(); ++p) {
    std::vector<uint8_t> bytes;
    for (uint32_t g = 0; g < 12; ++g) {
      const spec::Lanes lanes = lanes_of({1, 2, 1, 3, 0, 1, 2, 1}, configs[p].bound, 12 * p + g);
      bench.send(group_beat(lanes, g == 11));
      const auto group = spec::encode_group(lanes, configs[p]);
      bytes.insert(bytes.end(), group.begin(), group.end());
      pins.push_back(g == 0 ? configs[p] : CodecConfig{static_cast<uint8_t>(1 + g), g % 2 == 0});
    }
    for (const Beat& beat : packet_of(bytes)) expected.push_back(beat);
  }
  while (bench.accepted.size() < pins.size()) {
    bench.device.configure(pins[bench.accepted.size()]);
    bench.step();
  }
  bench.drain();
  EXPECT_EQ(bench.accepted, range(1, pins.size()));
  expect_beats(bench, expected);
}

}  // namespace
}  // namespace gw::systemc::compressor_test
