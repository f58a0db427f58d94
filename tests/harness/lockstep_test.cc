// The loop with devices that are right: what it counts, when it ends, what it asks of a feed, what
// it tells an engine.
// SPDX-License-Identifier: Apache-2.0
#include "sim/harness/lockstep.h"

#include <gtest/gtest.h>

#include <tuple>

#include "sim/feeds/source.h"
#include "tests/harness/toys.h"
#include "tests/sanitized.h"

namespace gw::sim::toys::lockstep_test {
namespace {

using Ports = StreamPorts<>;

/// 0.1 worked in chunks of 64 cycles and ended after one in which nothing moved.
uint64_t end_of_stream(uint64_t last_beat) { return (last_beat | 63) + 65; }

TEST(Passthrough, ABeatACycleAndACycleLater) {
  constexpr size_t kPackets = 5;
  auto feed = irregular_feed<gw::Beat>(1, kPackets);
  const uint64_t beats = beats_of(feed);
  Passthrough a;
  TwoPlaces b;
  Echo<gw::Beat> oracle;
  const Result r = run(a, b, feed, oracle);
  ASSERT_TRUE(r.passed) << explain(r.failure);
  const Timeline& t = r.timeline;
  EXPECT_EQ(t.in[0].first, 0u);
  EXPECT_EQ(t.in[0].last, beats - 1);
  EXPECT_EQ(t.out[0].first, 1u);
  EXPECT_EQ(t.out[0].last, beats);
  EXPECT_EQ(t.in[0].packets, kPackets);
  EXPECT_EQ(t.out[0].packets, kPackets);
  EXPECT_EQ(t.in[0].beats, beats);
  EXPECT_EQ(t.out[0].beats, beats);
  EXPECT_EQ(t.in[0].bytes, t.out[0].bytes);
  EXPECT_EQ(t.cycles, end_of_stream(beats));
  EXPECT_EQ(t.lockstep_cycles, t.cycles);
  EXPECT_EQ(t.latency.rows(), (std::vector<std::pair<uint64_t, uint64_t>>{{1, kPackets}}));
  EXPECT_EQ(t.pipeline_latency.rows(), t.latency.rows());
  EXPECT_EQ(t.in[0].device_stalls + t.in[0].environment_stalls + t.out[0].environment_stalls, 0u);
}

TEST(Passthrough, EveryPacketHasItsRow) {
  Random random(2);
  PreparedFeed<gw::Beat> feed;
  for (const size_t bytes : {70, 1, 32}) feed.add(0, irregular_packet<gw::Beat>(random, bytes));
  feed.packets(0)[0]->beats.back().user = 1;
  feed.packets(0)[1]->beats.back().user = feed.packets(0)[2]->beats.back().user = 0;
  feed.packets(0)[1]->trace_number = 12;
  feed.packets(0)[2]->measured = false;
  Passthrough a;
  Echo<gw::Beat> oracle;
  const Result r = run_alone(a, feed, oracle);
  ASSERT_TRUE(r.passed) << explain(r.failure);
  // 70 bytes are three beats, in cycles 0 to 2; then one beat each.
  const std::vector<Passage> expected = {{.id = 0,
                                          .follows = true,
                                          .beats = 3,
                                          .bytes = 70,
                                          .error = true,
                                          .accepted = 0,
                                          .accepted_last = 2,
                                          .triggered = 0,
                                          .offered = 1,
                                          .first = 1,
                                          .last = 3},
                                         {.id = 1,
                                          .trace_number = 12,
                                          .follows = true,
                                          .beats = 1,
                                          .bytes = 1,
                                          .accepted = 3,
                                          .accepted_last = 3,
                                          .triggered = 3,
                                          .offered = 4,
                                          .first = 4,
                                          .last = 4},
                                         {.id = 2,
                                          .measured = false,
                                          .follows = true,
                                          .beats = 1,
                                          .bytes = 32,
                                          .accepted = 4,
                                          .accepted_last = 4,
                                          .triggered = 4,
                                          .offered = 5,
                                          .first = 5,
                                          .last = 5}};
  EXPECT_EQ(r.timeline.rows, expected);
  // Measured: from the first beat of packet 0 to that of packet 1, 70 bytes in 3 cycles.
  EXPECT_EQ(r.timeline.out[0].measured, 2u);
  EXPECT_EQ(r.timeline.out[0].measured_to - r.timeline.out[0].measured_from, 3u);
  EXPECT_EQ(r.timeline.out[0].measured_bytes, 70u);
}

// ---- The matrix: stalls x lengths x seeds.

struct Lengths {
  const char* name;
  std::vector<size_t> bytes;
};

std::vector<size_t> every_tail() {
  std::vector<size_t> bytes(gw::Beat::kBytes);
  std::iota(bytes.begin(), bytes.end(), 1);
  for (const size_t tail : std::vector(bytes)) bytes.push_back(3 * gw::Beat::kBytes + tail);
  return bytes;
}

const std::vector<Lengths>& lengths() {
  static const std::vector<Lengths> kLengths = {
      {"one", {32, 5, 32, 1, 31}},        {"two", {64, 33, 40, 63, 64}},
      {"three", {96, 65, 95, 96, 80}},    {"four", {128, 97, 127, 100, 128}},
      {"every_tail", every_tail()},       {"large", {9018, 1, 65536, 40, 1500}},
      {"mixed", {1, 9018, 32, 33, 2, 64}}};
  return kLengths;
}

using Point = std::tuple<const char*, size_t, uint64_t>;
class PassthroughMatrix : public testing::TestWithParam<Point> {};

TEST_P(PassthroughMatrix, TwoEnginesAgreeInBeatsAndCycles) {
  const auto& [stall, row, seed] = GetParam();
  Random random(seed);
  PreparedFeed<gw::Beat> feed;
  for (int round = 0; round < 3; ++round) {
    for (const size_t bytes : lengths()[row].bytes) {
      feed.add(0, irregular_packet<gw::Beat>(random, bytes));
    }
  }
  Passthrough a;
  TwoPlaces b;
  Echo<gw::Beat> oracle;
  const Drive drive = stalled(stall, seed);
  const Result pair = run(a, b, feed, oracle, drive);
  ASSERT_TRUE(pair.passed) << explain(pair.failure);
  EXPECT_EQ(pair.timeline.out[0].beats, beats_of(feed));
  EXPECT_EQ(pair.timeline.rows.size(), feed.packets());
  EXPECT_EQ(pair.timeline.cycles, end_of_stream(pair.timeline.out[0].last));

  // Alone, each passes every packet in the same cycles; the feed is as it was.
  const auto alone = [&](auto& engine) {
    Echo<gw::Beat> fresh;
    feed.rewind();
    return run_alone(engine, feed, fresh, drive).timeline;
  };
  const Timeline first = alone(a), second = alone(b);
  EXPECT_EQ(first.rows, pair.timeline.rows);
  EXPECT_EQ(second.rows, pair.timeline.rows);
  EXPECT_EQ(first.in, pair.timeline.in);
  EXPECT_EQ(second.out, pair.timeline.out);
  EXPECT_EQ(first.cycles, pair.timeline.cycles);
  EXPECT_EQ(first.lockstep_cycles, 0u);

  const bool source = drive.stall.source_percent > 0, sink = drive.stall.sink_percent > 0;
  const Timeline::Port &in = first.in[0], &out = first.out[0];
  EXPECT_EQ(in.environment_stalls > 0, source);
  EXPECT_EQ(out.environment_stalls > 0, sink);
  EXPECT_EQ(in.device_stalls, 0u);  // it never has a bubble
  if (!source && !sink) {
    EXPECT_EQ(out.last, beats_of(feed));
  }
}

INSTANTIATE_TEST_SUITE_P(All, PassthroughMatrix,
                         testing::Combine(testing::Values("none", "source:40", "sink:30",
                                                          "both:50"),
                                          testing::Range<size_t>(0, 7),
                                          testing::Range<uint64_t>(1, 1 + tests::rounds(3u))),
                         [](const testing::TestParamInfo<Point>& info) {
                           std::string name = std::string(std::get<0>(info.param)) + "_" +
                                              lengths()[std::get<1>(info.param)].name + "_" +
                                              std::to_string(std::get<2>(info.param));
                           std::replace(name.begin(), name.end(), ':', '_');
                           return name;
                         });

TEST(Lockstep, PassesUnderTheHeaviestStalls) {
  for (const char* stall : {"source:99", "sink:99", "both:99"}) {
    auto feed = irregular_feed<gw::Beat>(3, 20);
    Passthrough a;
    TwoPlaces b;
    Echo<gw::Beat> oracle;
    const Result r = run(a, b, feed, oracle, stalled(stall));
    EXPECT_TRUE(r.passed) << stall << ": " << explain(r.failure);
  }
}

/// Counts by itself what its two sides wait for, until the last beat has come.
struct Counting : Passthrough<> {
  void clock(const Offered<Ports>& offered, uint32_t m_ready) {
    if (beats != 0) {
      source += ready && offered[0] == nullptr;
      device += !ready && !showing && offered[0] != nullptr;
      neither += !ready && offered[0] == nullptr;
      beats -= ready && offered[0] != nullptr;
    }
    sink += showing && m_ready == 0;
    Passthrough<>::clock(offered, m_ready);
  }
  uint64_t beats = 0, source = 0, sink = 0, device = 0, neither = 0;
};

TEST(Lockstep, ASourceThatHesitatesWhileTheDeviceIsNotReadyIsNotCounted) {
  auto feed = irregular_feed<gw::Beat>(12, 90);
  Counting a;
  a.beats = beats_of(feed);
  Echo<gw::Beat> oracle;
  const Result r = run_alone(a, feed, oracle, stalled("both:40"));
  ASSERT_TRUE(r.passed) << explain(r.failure);
  EXPECT_GT(a.neither, 10u);
  EXPECT_EQ(r.timeline.in[0].environment_stalls, a.source);
  EXPECT_EQ(r.timeline.in[0].device_stalls, a.device);
  EXPECT_EQ(r.timeline.out[0].environment_stalls, a.sink);
}

TEST(Lockstep, WhoeverDrivesItInWhateverSteps) {
  auto feed = irregular_feed<gw::Beat>(4, 60);
  const auto rows = [&](uint64_t quantum) {
    feed.rewind();
    Passthrough a;
    TwoPlaces b;
    Echo<gw::Beat> oracle;
    const Result r = run(a, b, feed, oracle, stalled("both:40"), quantum);
    EXPECT_TRUE(r.passed) << explain(r.failure);
    return std::pair(r.timeline.rows, r.timeline.cycles);
  };
  const auto expected = rows(64);
  for (const uint64_t quantum : {1, 7, 63, 65, 100, 100'000}) EXPECT_EQ(rows(quantum), expected);
}

TEST(Lockstep, AnotherSeedStallsOtherwise) {
  auto feed = irregular_feed<gw::Beat>(4, 60);
  const auto cycles = [&](uint64_t seed) {
    feed.rewind();
    Passthrough a;
    Echo<gw::Beat> oracle;
    return run_alone(a, feed, oracle, stalled("both:40", seed)).timeline.rows;
  };
  EXPECT_NE(cycles(1), cycles(2));
}

// ---- Gaps between packets, and sides that wait for each other.

/// Packets of one beat each.
PreparedFeed<gw::Beat> single_beats(size_t packets) {
  Random random(5);
  PreparedFeed<gw::Beat> feed;
  for (size_t i = 0; i < packets; ++i) feed.add(0, irregular_packet<gw::Beat>(random, 32));
  return feed;
}

TEST(Lockstep, GapsAreKeptToTheCycle) {
  const std::vector<uint32_t> gaps = {3, 0, 1, 62, 63, 64, 65, 127, 128, 1000, 0, 61, 5};
  auto feed = single_beats(gaps.size());
  for (size_t i = 0; i < gaps.size(); ++i) feed.packets(0)[i]->gap = gaps[i];
  for (const uint64_t quantum : {64, 7}) {
    feed.rewind();
    Passthrough a;
    TwoPlaces b;
    Echo<gw::Beat> oracle;
    const Result r = run(a, b, feed, oracle, {}, quantum);
    ASSERT_TRUE(r.passed) << explain(r.failure);
    uint64_t free = 0;
    for (size_t i = 0; i < gaps.size(); ++i) {
      EXPECT_EQ(r.timeline.rows[i].accepted, free + gaps[i]) << i;
      free = r.timeline.rows[i].accepted + 1;
    }
  }
}

Drive waiting(bool source, bool sink) {
  StallWeights waits;
  waits.weights[static_cast<size_t>(StallKind::kWaits)] = 1;
  Drive drive;
  if (source) drive.stall.source = waits;
  if (sink) drive.stall.sink = waits;
  return drive;
}

TEST(Lockstep, ASinkThatWaitsSeesEachBeatFirst) {
  auto feed = single_beats(500);
  Passthrough a;
  TwoPlaces b;
  Echo<gw::Beat> oracle;
  const Result r = run(a, b, feed, oracle, waiting(false, true));
  ASSERT_TRUE(r.passed) << explain(r.failure);
  uint64_t exactly = 0;
  for (const Passage& row : r.timeline.rows) {
    EXPECT_GT(row.first, row.offered);
    exactly += row.first == row.offered + 1;
  }
  EXPECT_GT(exactly, 480u) << "no longer than that, but where stalls are drawn";
}

TEST(Lockstep, ASourceThatWaitsSeesTreadyFirst) {
  auto feed = single_beats(500);
  feed.packets(0)[100]->gap = 10;
  Passthrough a;
  TwoPlaces b;
  Echo<gw::Beat> oracle;
  const Result r = run(a, b, feed, oracle, waiting(true, false));
  ASSERT_TRUE(r.passed) << explain(r.failure);
  const auto& rows = r.timeline.rows;
  uint64_t exactly = 0;
  for (size_t i = 1; i < rows.size(); ++i) {
    EXPECT_GT(rows[i].accepted, rows[i - 1].accepted + 1);
    exactly += rows[i].accepted == rows[i - 1].accepted + 2;
  }
  EXPECT_GT(exactly, 480u);
  EXPECT_GE(rows[100].accepted, rows[99].accepted + 11) << "a gap is one here, too";
}

TEST(Lockstep, PatternsComeOutAlikeInWhateverSteps) {
  StallWeights any;
  any.weights.fill(1);
  Drive drive;
  drive.stall.source = drive.stall.sink = any;
  auto feed = irregular_feed<gw::Beat>(4, 200);
  const auto rows = [&](uint64_t quantum, uint64_t seed) {
    feed.rewind();
    Passthrough a;
    TwoPlaces b;
    Echo<gw::Beat> oracle;
    drive.seed = seed;
    const Result r = run(a, b, feed, oracle, drive, quantum);
    EXPECT_TRUE(r.passed) << explain(r.failure);
    return r.timeline.rows;
  };
  const auto expected = rows(64, 1);
  for (const uint64_t quantum : {1, 7, 65, 100'000}) EXPECT_EQ(rows(quantum, 1), expected);
  EXPECT_NE(rows(64, 2), expected);
}

// ---- The end.

TEST(Lockstep, EndsOneQuietChunkAfterTheChunkOfTheLastBeat) {
  // One beat a packet: the last leaves in cycle n.
  for (const size_t n : {1, 2, 62, 63, 64, 65, 127, 128, 200}) {
    auto feed = irregular_feed<gw::Beat>(5, n, gw::Beat::kBytes);
    Passthrough a;
    Echo<gw::Beat> oracle;
    const Result r = run_alone(a, feed, oracle);
    ASSERT_TRUE(r.passed);
    ASSERT_EQ(r.timeline.out[0].last, n);
    EXPECT_EQ(r.timeline.cycles, (n / 64 + 2) * 64) << n;
  }
}

TEST(Lockstep, ARunWithoutPacketsEndsAfterOneQuietChunk) {
  PreparedFeed<gw::Beat> feed;
  Passthrough a;
  Echo<gw::Beat> oracle;
  const Result r = run_alone(a, feed, oracle);
  EXPECT_TRUE(r.passed);
  EXPECT_EQ(r.timeline.cycles, 64u);
}

// ---- Feeds.

TEST(Feeds, AFeedThatHasNothingYetIsAskedAgainInEvery64thCycle) {
  Random random(6);
  constexpr uint64_t kFrom = 1000, kOver = 2000;
  const auto next_question = [](uint64_t cycle) { return (cycle + 63) / 64 * 64; };
  std::vector<Passage> rows;
  for (const uint64_t quantum : {64, 1, 50}) {
    LateFeed<gw::Beat> feed(1, kOver);
    feed.add(0, kFrom, make_packet<gw::Beat>(irregular_bytes(random, 70)));
    Passthrough a;
    TwoPlaces b;
    Echo<gw::Beat> oracle;
    const Result r = run(a, b, feed, oracle, {}, quantum);
    ASSERT_TRUE(r.passed) << explain(r.failure);
    ASSERT_EQ(r.timeline.rows.size(), 1u);
    EXPECT_EQ(r.timeline.rows[0].accepted, next_question(kFrom)) << quantum;
    EXPECT_EQ(std::count(feed.asked.begin(), feed.asked.end(), 0u), 1) << "once in a cycle";
    EXPECT_EQ(feed.asked.back(), next_question(kOver));
    // Known to be over only then, and quiet for long: the run is over with that chunk.
    EXPECT_LE(r.timeline.cycles, next_question(kOver) + 64);
    if (rows.empty()) rows = r.timeline.rows;
    EXPECT_EQ(r.timeline.rows, rows);
  }
}

TEST(Feeds, AListOfBytesBecomesPackets) {
  Random random(7);
  std::vector<RawPacket> raw(3);
  for (size_t i = 0; i < raw.size(); ++i) {
    raw[i].bytes = irregular_bytes(random, 20 + 31 * i);
    raw[i].trace_number = static_cast<uint32_t>(5 + i);
    raw[i].error = i == 1;
  }
  ListSource source(raw);
  SourceFeed<gw::Beat> feed(source, 1);
  Passthrough a;
  Echo<gw::Beat> oracle;
  const Result r = run_alone(a, feed, oracle);
  ASSERT_TRUE(r.passed) << explain(r.failure);
  EXPECT_EQ(feed.packets(), 3u);
  ASSERT_EQ(r.timeline.rows.size(), 3u);
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(r.timeline.rows[i].id, i);
    EXPECT_EQ(r.timeline.rows[i].trace_number, 5 + i);
    EXPECT_EQ(r.timeline.rows[i].bytes, raw[i].bytes.size());
  }
}

TEST(Feeds, APacketWithoutAnEndIsRefused) {
  const auto run_with = [](PacketRef<gw::Beat> packet) {
    PreparedFeed<gw::Beat> feed;
    feed.add(0, std::move(packet));
    Passthrough a;
    Echo<gw::Beat> oracle;
    return run_alone(a, feed, oracle);
  };
  PacketRef<gw::Beat> endless = make_packet<gw::Beat>(std::vector<uint8_t>(2 * gw::kBeatBytes));
  endless->beats.back().last = 0;
  EXPECT_THROW(run_with(endless), std::logic_error);
  EXPECT_THROW(run_with(PacketRef<gw::Beat>(new Packet<gw::Beat>)), std::logic_error);
}

TEST(Lockstep, ARightAnswerWithoutAnEndIsRefused) {
  // The right beats, cut off in front of the one with tlast: what lies behind them is not read.
  class CutOff final : public Echo<gw::Beat> {
   public:
    void arrives(size_t port, const PacketRef<gw::Beat>& packet) override {
      PacketRef<gw::Beat> cut = make_packet<gw::Beat>(bytes_of(*packet));
      cut->beats.resize(cut->beats.size() - left_out);
      this->owe(port, std::move(cut));
    }
    size_t left_out = 0;
  };
  for (const size_t left_out : {1u, 3u}) {
    PreparedFeed<gw::Beat> feed;
    feed.add(0, make_packet<gw::Beat>(std::vector<uint8_t>(3 * gw::kBeatBytes)));
    Passthrough a;
    CutOff oracle;
    oracle.left_out = left_out;
    EXPECT_THROW(run_alone(a, feed, oracle), std::logic_error) << left_out;
  }
}

TEST(Feeds, NothingOfTheRunBeforeClingsToAPacket) {
  // An oracle that names no trigger leaves none, whatever another one said before.
  auto feed = irregular_feed<gw::Beat>(8, 10);
  Passthrough a;
  Echo<gw::Beat> first;
  ASSERT_TRUE(run_alone(a, feed, first).passed);
  struct Mute final : Echo<gw::Beat> {
    void arrives(size_t port, const PacketRef<gw::Beat>& packet) override {
      const uint32_t before = packet->trigger;
      Echo::arrives(port, packet);
      packet->trigger = before;
    }
  } second;
  feed.rewind();
  const Result r = run_alone(a, feed, second);
  ASSERT_TRUE(r.passed);
  EXPECT_EQ(r.timeline.pipeline_latency.n(), 0u);
  EXPECT_EQ(r.timeline.latency.n(), 10u);
}

// ---- What an engine is told.

/// Adds a key to every word; the key is a pin that goes with the packet.
class Keyed : public Passthrough<> {
 public:
  void configure(size_t, const PacketConfig& config) {
    key_ = config[0];
    told.push_back(cycle_);
  }
  void clock(const Offered<Ports>& offered, uint32_t m_ready) {
    if (offered[0] == nullptr) return step({nullptr}, m_ready);
    Beat beat = *offered[0];
    for (uint32_t& word : beat.data) word += key_;
    step({&beat}, m_ready);
  }
  std::vector<uint64_t> told;

 private:
  void step(const Offered<Ports>& offered, uint32_t m_ready) {
    Passthrough::clock(offered, m_ready);
    ++cycle_;
  }
  uint32_t key_ = 0;
  uint64_t cycle_ = UINT64_MAX;  // cycle 0 follows the edge out of reset
};

class KeyedOracle final : public QueueOracle<gw::Beat> {
 public:
  KeyedOracle() : QueueOracle(1) {}
  void arrives(size_t, const PacketRef<gw::Beat>& packet) override {
    PacketRef<gw::Beat> out = make_packet<gw::Beat>();
    out->beats = packet->beats;
    out->source = packet;
    for (gw::Beat& beat : out->beats) {
      for (uint32_t& word : beat.data) word += packet->config[0];
    }
    owe(0, std::move(out));
  }
};

TEST(Configuration, ComesWithTheFirstBeatThatIsOffered) {
  for (const char* stall : {"none", "source:60", "sink:60", "both:60"}) {
    auto feed = irregular_feed<gw::Beat>(9, 40);
    Random random(10);
    for (const auto& packet : feed.packets(0)) {
      packet->config[0] = static_cast<uint32_t>(random.next());
    }
    Keyed a, b;
    KeyedOracle oracle;
    const Result r = run(a, b, feed, oracle, stalled(stall));
    ASSERT_TRUE(r.passed) << stall << ": " << explain(r.failure);
    ASSERT_EQ(a.told.size(), 40u);
    EXPECT_EQ(a.told, b.told);
    for (size_t i = 0; i < 40; ++i) {
      EXPECT_LE(a.told[i], r.timeline.rows[i].accepted);
      if (i > 0) {
        EXPECT_GT(a.told[i], r.timeline.rows[i - 1].accepted_last);
      }
      // Without a sink that stalls the device is always ready: offered is accepted.
      if (stalled(stall).stall.sink_percent == 0) {
        EXPECT_EQ(a.told[i], r.timeline.rows[i].accepted);
      }
    }
  }
}

/// Hears writes and edges before cycle 0, and says so.
class Booted : public Passthrough<> {
 public:
  void write(uint32_t address, uint32_t data) {
    heard.emplace_back(address, data);
    ++edges;
  }
  void clock(const Offered<Ports>& offered, uint32_t m_ready) {
    Passthrough::clock(offered, m_ready);
    ++edges;
  }
  std::vector<std::pair<uint32_t, uint32_t>> heard;
  uint64_t edges = 0;
};

TEST(Boot, WritesComeBeforeCycleZeroAndTheLastEdgeIsIdle) {
  struct Listening final : Echo<gw::Beat> {
    void configured(size_t, uint32_t address, uint32_t data) override {
      heard.emplace_back(address, data);
    }
    std::vector<std::pair<uint32_t, uint32_t>> heard;
  };
  const std::vector<std::pair<uint32_t, uint32_t>> writes = {{4, 70}, {8, 1}, {4, 9}};
  struct Case {
    uint64_t asked, edges;
  };
  for (const Case c : {Case{1, 4}, Case{4, 4}, Case{5, 5}, Case{20, 20}}) {
    PreparedFeed<gw::Beat> feed;
    Booted a;
    Listening oracle;
    Drive drive;
    for (const auto& [address, data] : writes) drive.boot.writes.push_back({address, data});
    drive.boot.edges = c.asked;
    const Result r = run_alone(a, feed, oracle, drive);
    EXPECT_EQ(a.heard, writes);
    EXPECT_EQ(oracle.heard, writes);
    EXPECT_EQ(a.edges - r.timeline.cycles, c.edges);
  }
}

TEST(Listeners, HearOfEveryPacketWhole) {
  struct Hearing final : Listener<gw::Beat> {
    void left(const Passage& passage, const Packet<gw::Beat>& packet) override {
      passages.push_back(passage);
      bytes.push_back(bytes_of(packet));
    }
    std::vector<Passage> passages;
    std::vector<std::vector<uint8_t>> bytes;
  } hearing;
  auto feed = irregular_feed<gw::Beat>(11, 9);
  Passthrough a;
  Echo<gw::Beat> oracle;
  Lockstep lockstep(a, {}, feed, oracle, Drive{}, "model", "", &hearing);
  lockstep.timeline().keep_rows = true;
  lockstep.reset();
  while (lockstep.advance(64)) {
  }
  EXPECT_EQ(hearing.passages, lockstep.timeline().rows);
  for (size_t i = 0; i < 9; ++i) EXPECT_EQ(hearing.bytes[i], bytes_of(*feed.packets(0)[i]));
}

/// Is shown what only the harness knows.
class Watched : public Passthrough<> {
 public:
  void show(const Cycle<Ports>& cycle) { seen.push_back(cycle); }
  std::vector<Cycle<Ports>> seen;
};

TEST(Watching, EveryCycleIsShownWithItsPacketsAndStalls) {
  auto feed = irregular_feed<gw::Beat>(12, 9);
  Watched a;
  Echo<gw::Beat> oracle;
  Drive drive = stalled("both:30");
  drive.watched = true;
  const Result r = run_alone(a, feed, oracle, drive);
  ASSERT_TRUE(r.passed);
  ASSERT_EQ(a.seen.size(), r.timeline.cycles);
  for (size_t c = 0; c < a.seen.size(); ++c) EXPECT_EQ(a.seen[c].cycle, c);
  for (const Passage& row : r.timeline.rows) {
    EXPECT_EQ(a.seen[row.accepted].input_packet[0], row.id);
    EXPECT_EQ(a.seen[row.accepted].source_stall, 0u);
    EXPECT_EQ(a.seen[row.first].output_packet[0], row.id);
    EXPECT_EQ(a.seen[row.first].sink_stall, 0u);
  }
}

}  // namespace
}  // namespace gw::sim::toys::lockstep_test
