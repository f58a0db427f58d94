// Beats of 512 bits through the loop: 64 bits of tkeep, the rules, the comparison, the report.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tests/harness/toys.h"

namespace gw::sim::toys::wide_test {
namespace {

using Wide = gw::BasicBeat<16>;
using Ports = StreamPorts<Wide>;
using Device = Passthrough<Ports>;
using Mutation = std::function<bool(Device&)>;

TEST(Wide, PassesUnderStallsWithEveryTail) {
  for (const char* stall : {"none", "source:40", "sink:40", "both:50"}) {
    Random random(1);
    PreparedFeed<Wide> feed;
    for (size_t bytes = 1; bytes <= 2 * Wide::kBytes; ++bytes) {
      feed.add(0, irregular_packet<Wide>(random, bytes));
    }
    Device a;
    TwoPlaces<Ports> b;
    Echo<Wide> oracle;
    const Result r = run(a, b, feed, oracle, stalled(stall));
    ASSERT_TRUE(r.passed) << explain(r.failure);
    // 64 packets of one beat, 64 of two; 1 + 2 + ... + 128 bytes.
    EXPECT_EQ(r.timeline.out[0].beats, 64u + 2 * 64);
    EXPECT_EQ(r.timeline.out[0].bytes, 128u * 129 / 2);
    EXPECT_EQ(r.timeline.in[0].bytes, 128u * 129 / 2);
    for (const Passage& row : r.timeline.rows) EXPECT_EQ(row.bytes, row.id + 1);
  }
}

struct Row {
  const char* name;
  bool both;
  std::function<bool(Wide&)> bend;
  FailureKind kind;
  const char *signal, *text;
};

TEST(Wide, EveryMutantIsFoundInItsCycle) {
  using enum FailureKind;
  const auto amid = [](const Wide& b) { return b.last == 0; };
  const std::vector<Row> rows = {
      {"top byte", false, [](Wide& b) { return b.data[15] ^= 1u << 31, true; }, kLockstep, "tdata",
       ""},
      {"top bit of keep", false, [](Wide& b) { return b.keep ^= uint64_t{1} << 63, true; },
       kLockstep, "tkeep", ""},
      {"bit 32 of keep", false, [](Wide& b) { return b.keep ^= uint64_t{1} << 32, true; },
       kLockstep, "tkeep", ""},
      {"a wrong word", true, [](Wide& b) { return b.data[8] ^= 2, true; }, kReference, "tdata", ""},
      {"a short end", true,
       [](Wide& b) {
         if (b.last == 0 || bytes_of_keep(b.keep) <= 32) return false;
         return b.keep >>= 1, true;
       },
       kReference, "tkeep", ""},
      {"a gap above 32", true,
       [](Wide& b) {
         if (b.last == 0) return false;
         return b.keep = 0x5'FFFF'FFFFull, true;
       },
       kProfile, "", axis_rule_text(AxisRule::kKeepGap)},
      {"the lower half only", true,
       [=](Wide& b) { return amid(b) && (b.keep = 0xFFFF'FFFFull, true); }, kProfile, "",
       axis_rule_text(AxisRule::kKeepBeforeLast)},
      {"an error before the end", true, [=](Wide& b) { return amid(b) && (b.user = 1, true); },
       kProfile, "", axis_rule_text(AxisRule::kUserBeforeLast)}};
  for (const Row& row : rows) {
    const auto bend = [&row](Device& d) { return d.showing && row.bend(d.shown); };
    auto feed = irregular_feed<Wide>(2, 80, 300);
    Bent<Device> a(bend, 40), b(row.both ? Mutation(bend) : nullptr, 40);
    Echo<Wide> oracle;
    const Result r = run(a, b, feed, oracle);
    EXPECT_EQ(r.failure.kind, row.kind) << row.name << ": " << explain(r.failure);
    EXPECT_EQ(r.failure.signal, row.signal) << row.name;
    EXPECT_EQ(r.failure.text, row.text) << row.name;
    EXPECT_EQ(r.failure.cycle, a.bent_at) << row.name;
    if (row.kind != kProfile) {
      EXPECT_NE(r.failure.value_a, r.failure.value_b) << row.name;
    }
  }
}

TEST(Wide, ValuesAreWholeInTheReport) {
  Wide beat;
  beat.keep = 0x0123'4567'89AB'CDEFull;
  EXPECT_EQ(signal_value(beat, "tkeep"), "01234567_89abcdef");
  beat.data[15] = 0xF00D;
  EXPECT_EQ(signal_value(beat, "tdata").substr(0, 8), "0000f00d");
  EXPECT_EQ(signal_value(beat, "tdata").size(), 16 * 8 + 15u);
  EXPECT_EQ(signal_value(gw::Beat{}, "tkeep"), "ffffffff");
}

TEST(Wide, ATuserOfManyBitsIsWholeInTheReport) {
  gw::Beat beat;
  EXPECT_EQ(signal_value(beat, "tuser"), "0");
  beat.meta = {1, 2, 0, 0, 0, 0xF00D};
  const std::string words = "0000f00d_00000000_00000000_00000000_00000002_00000001";
  EXPECT_EQ(signal_value(beat, "tuser"), words);
  beat.user = 1;
  EXPECT_EQ(signal_value(beat, "tuser"), words + " (in error)");
}

/// A probe of so many counters: two in a word.
template <size_t kCounters>
struct CounterPorts : StreamPorts<> {
  static constexpr size_t kCountersInProbe = kCounters;
};

TEST(Wide, AProbeHasAPlaceForEachCounter) {
  EXPECT_EQ(kProbeWords<StreamPorts<>>, 1u);
  EXPECT_EQ(kProbeWords<CounterPorts<1>>, 1u);
  EXPECT_EQ(kProbeWords<CounterPorts<2>>, 1u);
  EXPECT_EQ(kProbeWords<CounterPorts<3>>, 2u);
  EXPECT_EQ(kProbeWords<CounterPorts<4>>, 2u);
}

TEST(Wide, OfManyCountersTheFirstThatDiffersIsNamed) {
  using Ports = CounterPorts<4>;
  struct Counting : Passthrough<Ports> {
    Probe<Ports> probe() const {
      return {counters[0] | uint64_t{counters[1]} << 32, counters[2] | uint64_t{counters[3]} << 32};
    }
    std::array<uint32_t, 4> counters = {7, 0x8000'0001, 9, 0xFFFF'FFFF};
  };
  for (size_t wrong = 0; wrong < 4; ++wrong) {
    Counting a, b;
    // All behind it differ as well, and are not named.
    for (size_t i = wrong; i < 4; ++i) b.counters[i] ^= 0x10;
    auto feed = irregular_feed<gw::Beat>(4, 3);
    Echo<gw::Beat> oracle;
    const Result r = run(a, b, feed, oracle);
    EXPECT_EQ(r.failure.kind, FailureKind::kLockstep);
    EXPECT_EQ(r.failure.port, "probe");
    EXPECT_EQ(r.failure.signal, "counter " + std::to_string(wrong));
    EXPECT_EQ(r.failure.value_a, std::to_string(a.counters[wrong]));
    EXPECT_EQ(r.failure.value_b, std::to_string(b.counters[wrong]));
  }
}

/// Outputs beside the stream: a bit that says that something happened, and what.
struct SayingPorts : StreamPorts<> {
  static constexpr std::array<Pin, 2> kPinsOfProbe = {{{"said_o", 1}, {"key_o", 96}}};
  static constexpr uint64_t kEvents = 1;
};
struct Saying : Passthrough<SayingPorts> {
  Probe<SayingPorts> probe() const { return said; }
  std::array<uint64_t, 2> said = {};
};

TEST(Wide, OfManyOutputsTheOneThatDiffersIsNamed) {
  EXPECT_EQ(kProbeWords<SayingPorts>, 2u);
  for (const size_t bit : {1u, 64u, 96u}) {
    Saying a, b;
    b.said[bit / 64] = uint64_t{1} << bit % 64;
    auto feed = irregular_feed<gw::Beat>(4, 3);
    Echo<gw::Beat> oracle;
    const Result r = run(a, b, feed, oracle);
    EXPECT_EQ(r.failure.signal, "key_o");
    EXPECT_EQ(r.failure.value_a, std::string(24, '0'));
    std::string value(24, '0');
    value[23 - (bit - 1) / 4] = "1248"[(bit - 1) % 4];
    EXPECT_EQ(r.failure.value_b, value);
  }
}

struct GuardedPorts : StreamPorts<> {
  static constexpr std::array<Pin, 3> kPinsOfProbe = {
      {{"said_o", 1}, {"key_o", 96, 0, "said_o"}, {"always_o", 2}}};
};

TEST(Wide, WhatAnOutputSaysOnlyWithTheFirst) {
  constexpr Probe<GuardedPorts> kMask = bits_with_the_first<GuardedPorts>();
  EXPECT_EQ(kMask[0], ~uint64_t{1});
  EXPECT_EQ(kMask[1], (uint64_t{1} << 33) - 1);
}

TEST(Wide, AnOracleHearsAllOutputsWithAnEvent) {
  struct Hearing : Echo<gw::Beat> {
    std::string says(std::span<const uint64_t> probe) override {
      heard.assign(probe.begin(), probe.end());
      return "not now";
    }
    std::vector<uint64_t> heard;
  };
  for (const bool event : {false, true}) {
    Saying a, b;
    a.said = b.said = {0xABCD'0000'0000'0000 | uint64_t{event}, 0x1'2345'6789};
    auto feed = irregular_feed<gw::Beat>(4, 3);
    Hearing oracle;
    const Result r = run(a, b, feed, oracle);
    EXPECT_EQ(r.passed, !event);
    EXPECT_EQ(oracle.heard, event ? std::vector<uint64_t>(a.said.begin(), a.said.end())
                                  : std::vector<uint64_t>());
  }
}

TEST(Wide, APinOfManyWordsIsOnePin) {
  constexpr std::array<Pin, 5> kWords = {
      {{"one_i"}, {"key_i", 32}, {"key_i", 32, 32}, {"key_i", 8, 64}, {"last_i", 4}}};
  const std::vector<Pin> pins = whole_pins(kWords);
  ASSERT_EQ(pins.size(), 3u);
  EXPECT_EQ(pins[1].name, "key_i");
  EXPECT_EQ(pins[1].bits, 72);
  EXPECT_EQ(pins[2].name, "last_i");
  EXPECT_EQ(word_name(kWords[1]), "key_i");
  EXPECT_EQ(word_name(kWords[3]), "key_i@64");
}

TEST(Wide, A100GbEPort) {
  // 100 Gb/s at 250 MHz: 0.08 ns a byte, 4 ns a cycle, 0.02 cycles a byte.
  using Paced = StreamPorts<Wide, 100'000, 2>;
  PreparedFeed<Wide> feed;
  Random random(3);
  constexpr size_t kFrames = 50;
  // 101 bytes and 24 are 125: 10 ns, 2.5 cycles.
  for (size_t i = 0; i < kFrames; ++i) {
    feed.add(0, irregular_packet<Wide>(random, 101));
    feed.packets(0).back()->time_ns = static_cast<int64_t>(10 * i);
  }
  Passthrough<Paced> a;
  TwoPlaces<Paced> b;
  Echo<Wide> oracle;
  Drive drive;
  drive.clock_mhz = 250;
  const Result r = run(a, b, feed, oracle, drive);
  ASSERT_TRUE(r.passed) << explain(r.failure);
  // The first beat of frame i ends with byte 64: (10 i + 0.08 * 72) / 4, in units of 1/400:
  // (1000 i + 576) / 400.
  for (const Passage& row : r.timeline.rows) {
    EXPECT_EQ(row.accepted, (1000 * row.id + 576 + 399) / 400) << row.id;
  }
  const Timeline::Port& out = r.timeline.out[0];
  // 49 times 2.5 are 122.5; the first beats arrive at 1.44 and 123.94, in cycles 2 and 124.
  EXPECT_EQ(out.measured_to - out.measured_from, 122u);
}

}  // namespace
}  // namespace gw::sim::toys::wide_test
