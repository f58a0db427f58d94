// Each rule of the decompressor's cycle contract, with the cycle numbers worked out by hand.
// SPDX-License-Identifier: Apache-2.0
#include "models/systemc/decompressor.h"

#include <gtest/gtest.h>

#include "tests/systemc/bench.h"
#include "tests/systemc/stimulus.h"

namespace gw::systemc::decompressor_test {
namespace {

using DecompressorBench = Bench<Decompressor>;

const Beat kErrorBeat{.data = {}, .keep = kKeepAll, .last = 1, .user = 1};

spec::Lanes decoded(const spec::Lanes& lanes) {
  return spec::decode_group(spec::encode_group(lanes, {}).data(), {});
}

std::vector<Beat> group_beats(const std::vector<spec::Lanes>& groups, bool last) {
  std::vector<Beat> beats;
  for (const spec::Lanes& lanes : groups) beats.push_back({.data = decoded(lanes)});
  if (last) beats.back().last = 1;
  return beats;
}

void expect_beats(const DecompressorBench& bench, const std::vector<Beat>& beats) {
  ASSERT_EQ(bench.left.size(), beats.size());
  for (size_t i = 0; i < beats.size(); ++i) EXPECT_EQ(bench.left[i].beat, beats[i]) << "beat " << i;
}

TEST(Decompressor, ReadyOneCycleAfterReset) {
  Decompressor device;
  for (int i = 0; i < 2; ++i) {
    EXPECT_FALSE(device.s_ready());
    EXPECT_EQ(device.m_beat(), nullptr);
    EXPECT_EQ(device.error_count(), 0u);
    const Beat ignored = packet_of(encode_groups({kZeroGroup}))[0];
    device.clock(&ignored, true);  // tready is 0: not accepted
    EXPECT_TRUE(device.s_ready());
    for (int c = 0; c < 20; ++c) {
      EXPECT_EQ(device.m_beat(), nullptr);
      device.clock(nullptr, true);
    }
    device.reset();
  }
}

TEST(Decompressor, LatencyIsFour) {
  DecompressorBench bench;
  bench.send(packet_of(encode_groups({k32Group})));
  bench.drain();
  EXPECT_EQ(bench.accepted, Cycles{1});
  EXPECT_EQ(bench.valid, Cycles{5});
  expect_beats(bench, group_beats({k32Group}, true));
}

TEST(Decompressor, GroupThatStraddlesThreeBeats) {
  DecompressorBench bench;  // p = 31, L = 34: complete with the third beat, accepted in cycle 3
  bench.send(packet_of(encode_groups({k31Group, kRawGroup})));
  bench.drain();
  EXPECT_EQ(bench.accepted, range(1, 3));
  EXPECT_EQ(bench.left_cycles(), (Cycles{5, 7}));
  expect_beats(bench, group_beats({k31Group, kRawGroup}, true));
}

TEST(Decompressor, BackToBackSingleGroupPackets) {
  DecompressorBench bench;
  for (int i = 0; i < 200; ++i) bench.send(packet_of(encode_groups({k31Group})));
  bench.drain();
  EXPECT_EQ(bench.accepted, range(1, 200));
  EXPECT_EQ(bench.left_cycles(), range(5, 204));
}

// Sixteen ZERO groups a beat. Sixteen are issued in cycles 2..17 and wait for the sink; the buffer
// is full in cycle 5, loses the first beat with the sixteenth group, and is full again.
TEST(Decompressor, BufferAndCreditUnderBackpressure) {
  DecompressorBench bench;
  bench.sink_gate = [](uint64_t c) { return c >= 100; };
  const std::vector<spec::Lanes> groups(160, kZeroGroup);
  bench.send(packet_of(encode_groups(groups)));
  bench.run(100);
  Cycles ready = range(1, 4);
  ready.push_back(18);
  EXPECT_EQ(bench.ready, ready);
  EXPECT_EQ(bench.accepted, ready);

  bench.run(20);  // credit is back in 101; the second beat's groups are issued in 101..116
  ready.push_back(117);
  EXPECT_EQ(bench.ready, ready);
  bench.drain();
  EXPECT_EQ(bench.left_cycles(), range(100, 259));
  expect_beats(bench, group_beats(groups, true));
}

TEST(Decompressor, AllRawRunsAt17To16) {
  constexpr uint64_t kGroups = 16000;
  DecompressorBench bench;
  const std::vector<spec::Lanes> groups(kGroups, kRawGroup);
  bench.send(packet_of(encode_groups(groups)));
  bench.drain();
  EXPECT_EQ(bench.accepted, range(1, kGroups * 17 / 16));  // the input never waits
  expect_beats(bench, group_beats(groups, true));
  EXPECT_EQ(bench.left.back().cycle, bench.accepted.back() + 4);
  for (size_t i = 0; i < bench.left.size(); ++i) {  // each group four cycles after its last byte
    ASSERT_EQ(bench.left[i].cycle, 1 + (34 * (i + 1) - 1) / 32 + 4);
  }
}

TEST(Decompressor, EveryTruncation) {
  const std::vector<spec::Lanes> groups = {k31Group, kRawGroup, kZeroGroup, k32Group};
  const std::vector<uint8_t> all = encode_groups(groups);
  const std::array<size_t, 4> ends = {31, 65, 67, 99};
  for (size_t size = 0; size <= all.size(); ++size) {
    for (bool slow : {false, true}) {
      DecompressorBench bench;
      if (slow) bench.source_gate = [](uint64_t c) { return c % 9 == 0; };
      bench.send(packet_of({all.begin(), all.begin() + static_cast<long>(size)}));
      bench.send(packet_of(encode_groups({kRawGroup})));  // the next one is well
      bench.drain();

      const auto whole = static_cast<size_t>(
          std::count_if(ends.begin(), ends.end(), [&](size_t end) { return end <= size; }));
      const bool cut = whole == 0 || ends[whole - 1] != size;
      std::vector<Beat> expected =
          group_beats({groups.begin(), groups.begin() + static_cast<long>(whole)}, !cut);
      if (cut) expected.push_back(kErrorBeat);
      for (const Beat& beat : group_beats({kRawGroup}, true)) expected.push_back(beat);
      SCOPED_TRACE(size);
      expect_beats(bench, expected);
      EXPECT_EQ(bench.device.error_count(), cut ? 1u : 0u);
    }
  }
}

TEST(Decompressor, ErrorBeatTakesTheLatencyOfAGroup) {
  DecompressorBench bench;
  bench.send({{.keep = 0, .last = 1}, {.keep = 1, .last = 1}, {.keep = 0xFE, .last = 1}});
  bench.drain();
  EXPECT_EQ(bench.left_cycles(), range(5, 7));
  expect_beats(bench, {kErrorBeat, kErrorBeat, kErrorBeat});
}

TEST(Decompressor, GapInTheLastKeepCutsThePacket) {
  DecompressorBench bench;
  std::vector<Beat> packet = packet_of(encode_groups({k31Group, kZeroGroup}));  // 33 bytes
  packet[1].keep =
      0x10;  // byte 0 of the last beat is not valid, so the second group's tags are cut
  bench.send(packet);
  packet = packet_of(encode_groups({kZeroGroup, kZeroGroup}));
  packet[0].keep = 0xF3;  // two bytes count, whatever follows
  bench.send(packet);
  bench.drain();
  std::vector<Beat> expected = group_beats({k31Group}, false);
  expected.push_back(kErrorBeat);
  expected.push_back(group_beats({kZeroGroup}, true)[0]);
  expect_beats(bench, expected);
}

// A last beat without a valid byte, behind a group that ends with its beat. As the contract has it,
// the group is the packet's last if the null beat is in the window when it is issued, else an error
// beat follows it.
// A tlast beat without a valid byte is an error, whether or not it is there when the last group is
// issued.
TEST(Decompressor, NullLastBeatIsAnErrorEarlyOrLate) {
  DecompressorBench bench;
  bench.send(packet_of(encode_groups({k31Group, kRawGroup})));  // issued in 2 and 4
  std::vector<Beat> packet = packet_of(encode_groups({k32Group}));
  packet[0].last = 0;
  packet.push_back({.keep = 0, .last = 1, .user = 1});
  bench.send(packet);  // accepted in 4 and 5; issued in 5 unless credit lacks
  bench.sink_gate = [](uint64_t c) { return c >= 40; };
  bench.source_gate = [](uint64_t) { return true; };
  bench.drain();
  std::vector<Beat> expected = group_beats({k31Group, kRawGroup}, true);
  expected.push_back(group_beats({k32Group}, false)[0]);
  expected.push_back(kErrorBeat);  // null beat in the buffer from 6: behind the group
  expect_beats(bench, expected);

  bench.reset();
  bench.send(
      packet_of(encode_groups(std::vector<spec::Lanes>(16, kZeroGroup))));  // takes all credit
  bench.send(packet);  // the null beat waits with the group
  bench.drain();
  expected = group_beats(std::vector<spec::Lanes>(16, kZeroGroup), true);
  expected.push_back(group_beats({k32Group}, false)[0]);
  expected.push_back(kErrorBeat);
  expect_beats(bench, expected);
}

TEST(Decompressor, KeepAndUserCountOnTheLastBeatOnly) {
  DecompressorBench bench;
  std::vector<Beat> packet = packet_of(encode_groups({kRawGroup, k31Group}));
  packet[0].user = 1;
  packet[1].keep = 0;
  bench.send(packet);
  bench.drain();
  expect_beats(bench, group_beats({kRawGroup, k31Group}, true));
  EXPECT_EQ(bench.device.error_count(), 0u);
}

TEST(Decompressor, UserLeavesOnTheLastBeat) {
  DecompressorBench bench;
  std::vector<Beat> packet = packet_of(encode_groups({kRawGroup, kZeroGroup}));
  packet.back().user = 1;
  bench.send(packet);
  bench.drain();
  std::vector<Beat> expected = group_beats({kRawGroup, kZeroGroup}, true);
  expected.back().user = 1;
  expect_beats(bench, expected);
  EXPECT_EQ(bench.device.error_count(), 1u);
}

TEST(Decompressor, ErrorCountRisesInTheCycleAfterTheErrorLeaves) {
  DecompressorBench bench;
  const Beat null{.keep = 0, .last = 1};
  bench.send({null, packet_of(encode_groups({kZeroGroup}))[0], null});
  bench.sink_gate = [](uint64_t c) { return c >= 20; };  // they leave in 20, 21, 22
  bench.run(20);
  for (uint32_t expected : {0, 1, 1, 2, 2}) {
    EXPECT_EQ(bench.device.error_count(), expected) << "cycle " << bench.cycle;
    bench.step();
  }
}

TEST(Decompressor, ResetInMidPacket) {
  for (uint64_t at = 1; at < 40; ++at) {
    DecompressorBench bench;
    bench.sink_gate = [](uint64_t c) { return c % 3 == 0; };
    for (int i = 0; i < 10; ++i) {
      bench.send(packet_of(encode_groups({k31Group, kRawGroup, kRawGroup})));
      bench.send({.keep = 0, .last = 1});
    }
    bench.run(at);
    bench.reset();
    EXPECT_EQ(bench.device.m_beat(), nullptr);
    EXPECT_EQ(bench.device.error_count(), 0u);
    bench.sink_gate = [](uint64_t) { return true; };
    bench.send(packet_of(encode_groups({k32Group, kZeroGroup})));
    bench.drain();
    EXPECT_EQ(bench.accepted, range(1, 2));
    EXPECT_EQ(bench.left_cycles(), range(5, 6));
    expect_beats(bench, group_beats({k32Group, kZeroGroup}, true));
  }
}

// Three packets back to back, each with a bound of its own, which the pins show in one cycle alone:
// with its first beat. The sink keeps groups of the first in the Burst Buffer until the last beat
// of the third has come.
TEST(Decompressor, BoundBelongsToThePacket) {
  const std::array<CodecConfig, 3> configs = {{{10, true}, {3, true}, {14, false}}};
  DecompressorBench bench;
  bench.sink_gate = [](uint64_t c) { return c > 60; };
  std::vector<spec::Lanes> expected;
  std::vector<CodecConfig> pins;
  for (uint32_t p = 0; p < configs.size(); ++p) {
    std::vector<uint8_t> bytes;
    for (uint32_t g = 0; g < 20; ++g) {
      const auto group = spec::encode_group(
          lanes_of({1, 0, 0, 0, 1, 0, 0, 0}, configs[p].bound, 20 * p + g), configs[p]);
      bytes.insert(bytes.end(), group.begin(), group.end());
      expected.push_back(spec::decode_group(group.data(), configs[p]));
    }
    const std::vector<Beat> beats = packet_of(bytes);
    for (size_t i = 0; i < beats.size(); ++i) {
      bench.send(beats[i]);
      pins.push_back(i == 0 ? configs[p] : CodecConfig{static_cast<uint8_t>(2 + i), i % 2 == 0});
    }
  }
  while (bench.accepted.size() < pins.size()) {
    bench.device.configure(pins[bench.accepted.size()]);
    bench.step();
  }
  bench.drain();
  ASSERT_EQ(bench.left.size(), expected.size());
  for (size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(bench.left[i].beat.data, expected[i]) << "group " << i;
  }
}

}  // namespace
}  // namespace gw::systemc::decompressor_test
