// What the streams' tables count: cycles made by hand, and runs of the smallest device.
// SPDX-License-Identifier: Apache-2.0
#include "sim/coverage/streams.h"

#include <gtest/gtest.h>

#include <map>

#include "sim/harness/lockstep.h"
#include "tests/harness/passthrough.h"

namespace gw::sim::coverage::streams_test {
namespace {

using Ports = toys::StreamPorts<>;
using toys::Echo;
using toys::Passthrough;
using toys::TwoPlaces;

/// All cells with a count, by name.
std::map<std::string, uint64_t> cells(const Points& points, const std::string& table) {
  const Table& t = points.tables().at({"toy", table});
  std::map<std::string, uint64_t> all;
  for (size_t cell = 0; cell < t.cells(); ++cell) {
    if (t.count(cell) != 0) all[t.cell_name(cell)] = t.count(cell);
  }
  return all;
}
using Cells = std::map<std::string, uint64_t>;

/// One cycle after the other, each port as it is said to be.
class ByHand {
 public:
  /// '-' nothing, 'r' refused (or waiting), 'b' a full beat moves, 'l' a packet's last beat moves.
  /// Without a beat: '-' ready, 'f' not ready.
  void cycles(const std::string& input, const std::string& output, int tail = 32) {
    for (size_t i = 0; i < input.size(); ++i, ++now_) {
      const Beat in = beat(input[i], tail), out = beat(output[i], tail);
      const auto offers = [](char c) { return c == 'r' || c == 'b' || c == 'l'; };
      const auto ready = [](char c) { return c != 'r' && c != 'f'; };
      streams_.cycle(now_, {offers(input[i]) ? &in : nullptr}, ready(input[i]),
                     {offers(output[i]) ? &out : nullptr}, ready(output[i]));
    }
  }
  Points points() {
    Points points;
    streams_.report("toy", points);
    return points;
  }

 private:
  static Beat beat(char c, int tail) {
    Beat b;
    b.last = c == 'l';
    if (b.last != 0) b.keep = keep_of_bytes(tail);
    return b;
  }
  Family<Beat> family_;
  Streams<Ports> streams_{family_};
  uint64_t now_ = 0;
};

TEST(Streams, APacketIsItsBeatsItsTailAndItsStalls) {
  ByHand run;
  run.cycles("l", "-", 4);        // one beat, at once
  run.cycles("rl", "--", 5);      // one beat, refused first
  run.cycles("bl", "--", 32);     // two, at once
  run.cycles("b-l", "---", 32);   // two, the last behind a pause
  run.cycles("rbbl", "----", 1);  // three: the first was refused
  run.cycles("brbl", "----", 1);  // the middle one was
  run.cycles("bbrl", "----", 1);  // the last one was
  run.cycles(std::string(15, 'b') + "l", std::string(16, '-'), 7);
  EXPECT_EQ(cells(run.points(), "packets-s_axis"),
            (Cells{{"1/4/at once/at once/at once", 1},
                   {"1/5/stood/at once/at once", 1},
                   {"2/32/at once/at once/at once", 1},
                   {"2/32/at once/at once/stood", 1},
                   {"3/1/stood/at once/at once", 1},
                   {"3/1/at once/stood/at once", 1},
                   {"3/1/at once/at once/stood", 1},
                   {"16 and more/7/at once/at once/at once", 1}}));
  EXPECT_TRUE(cells(run.points(), "packets-m_axis").empty());
}

TEST(Streams, PacketsAreCountedWhenTheyAreWhole) {
  ByHand run;
  run.cycles("bbb", "---");
  EXPECT_TRUE(cells(run.points(), "packets-s_axis").empty());
  run.cycles("l", "-");
  EXPECT_EQ(cells(run.points(), "packets-s_axis"), (Cells{{"4/32/at once/at once/at once", 1}}));
}

TEST(Streams, SpaceBetweenPacketsIsCountedFromTheSecondOn) {
  ByHand run;
  run.cycles("l", "-");
  EXPECT_TRUE(cells(run.points(), "spacing-s_axis").empty());
  run.cycles("bl", "--");      // at once
  run.cycles("-bbl", "----");  // a cycle later
  run.cycles("--l", "---");    // two
  run.cycles("-------l", "--------");
  run.cycles("--------l", "---------");
  EXPECT_EQ(cells(run.points(), "spacing-s_axis"), (Cells{{"0/1/2", 1},
                                                          {"1/2/3 and more", 1},
                                                          {"2 to 7/3 and more/1", 1},
                                                          {"2 to 7/1/1", 1},
                                                          {"8 and more/1/1", 1}}));
}

TEST(Streams, EachCycleIsOneOfSixteen) {
  ByHand run;
  run.cycles("-frb-frb-frb-frb", "----ffffrrrrbbbb");
  Cells all;
  for (const char* in : {"silent", "silent and full", "refused", "taken"}) {
    for (const char* out : {"empty", "empty and not ready", "waiting", "leaving"}) {
      all[std::string(in) + "/" + out] = 1;
    }
  }
  EXPECT_EQ(cells(run.points(), "handshakes-s_axis-m_axis"), all);
}

TEST(Streams, WhatWasReportedIsNotReportedTwice) {
  ByHand run;
  run.cycles("l-", "--");
  run.points();
  EXPECT_EQ(cells(run.points(), "handshakes-s_axis-m_axis"),
            (Cells{{"taken/empty", 1}, {"silent/empty", 1}}));
}

TEST(Tails, KnowFloatsAndGaps) {
  const Tails floats = Tails::floats(32);
  ASSERT_EQ(floats.values.size(), 9u);
  EXPECT_EQ(floats.values[floats.of_bytes[4]], "1 float");
  EXPECT_EQ(floats.values[floats.of_bytes[32]], "8 floats");
  for (const size_t cut : {0, 1, 3, 5, 31}) EXPECT_EQ(floats.values[floats.of_bytes[cut]], "cut");
  EXPECT_EQ(floats.values[floats.gap], "cut");
  const Tails bytes = Tails::bytes(32, true);
  EXPECT_EQ(bytes.values[bytes.of_bytes[0]], "none");
  EXPECT_EQ(bytes.values[bytes.of_bytes[17]], "17");
}

/// Notes what it hears.
class Notes final : public Family<Beat> {
 public:
  void arrived(size_t, const PacketRef<Beat>& packet) override {
    notes += "in" + std::to_string(packet->id) + "@" + std::to_string(packet->accepted) + " ";
  }
  void left(const Passage& passage, const Packet<Beat>&) override {
    notes += "out" + std::to_string(passage.id) + "@" + std::to_string(passage.last) + " ";
  }
  std::string notes;
};

PreparedFeed<Beat> feed(std::initializer_list<size_t> packets) {
  PreparedFeed<Beat> feed;
  for (const size_t bytes : packets) {
    feed.add(0, make_packet<Beat>(std::vector<uint8_t>(bytes, 0x5A)));
  }
  return feed;
}

TEST(Streams, CountARunInLockstep) {
  Passthrough<> a;
  TwoPlaces<> b;
  Echo<Beat> oracle;
  PreparedFeed<Beat> packets = feed({32, 40, 4});
  Notes notes;
  Streams<Ports> streams(notes);
  Lockstep<Passthrough<>, Streams<Ports>> run(a, b, packets, oracle, {}, "a", "b");
  run.cover_with(streams);
  run.reset();
  while (run.advance(64)) {
  }
  ASSERT_TRUE(run.passed());
  EXPECT_EQ(notes.notes, "in0@0 out0@1 in1@1 out1@3 in2@3 out2@4 ");
  Points points;
  streams.report("toy", points);
  for (const char* port : {"packets-s_axis", "packets-m_axis"}) {
    EXPECT_EQ(cells(points, port), (Cells{{"1/32/at once/at once/at once", 1},
                                          {"2/8/at once/at once/at once", 1},
                                          {"1/4/at once/at once/at once", 1}}));
  }
  EXPECT_EQ(cells(points, "spacing-m_axis"), (Cells{{"0/1/2", 1}, {"0/2/1", 1}}));
  const Cells handshakes = cells(points, "handshakes-s_axis-m_axis");
  EXPECT_EQ(handshakes.at("taken/empty"), 1u);    // the first beat
  EXPECT_EQ(handshakes.at("taken/leaving"), 3u);  // the others
  EXPECT_EQ(handshakes.at("silent/leaving"), 1u);
  uint64_t cycles = 0;
  for (const auto& [cell, n] : handshakes) cycles += n;
  EXPECT_EQ(cycles, run.now());
}

TEST(Streams, CountedOrNotARunIsTheSame) {
  const auto rows = [](bool counted) {
    Passthrough<> a;
    TwoPlaces<> b;
    Echo<Beat> oracle;
    PreparedFeed<Beat> packets = feed({32, 400, 4, 100, 64, 7});
    const Drive drive{.stall = StallSpec::parse("both:40"), .seed = 7};
    Family<Beat> family;
    Streams<Ports> streams(family);
    const auto drive_to_end = [](auto& run) {
      run.timeline().keep_rows = true;
      run.reset();
      while (run.advance(64)) {
      }
      EXPECT_TRUE(run.passed());
      return run.timeline().rows;
    };
    if (!counted) {
      Lockstep<Passthrough<>> run(a, b, packets, oracle, drive, "a", "b");
      return drive_to_end(run);
    }
    Lockstep<Passthrough<>, Streams<Ports>> run(a, b, packets, oracle, drive, "a", "b");
    run.cover_with(streams);
    return drive_to_end(run);
  };
  EXPECT_EQ(rows(true), rows(false));
}

}  // namespace
}  // namespace gw::sim::coverage::streams_test
