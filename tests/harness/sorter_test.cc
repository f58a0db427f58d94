// The loop with several ports and events: an oracle that follows what the device decides, figures
// worked out by hand, and a mutant for every port, signal and event.
// SPDX-License-Identifier: Apache-2.0
#include "tests/harness/sorter.h"

#include <gtest/gtest.h>

#include "tests/harness/toys.h"
#include "tests/sanitized.h"

namespace gw::sim::toys::sorter_test {
namespace {

using Toy = Bent<Sorter>;

PacketRef<gw::Beat> sorter_packet(Random& random, Kind kind, size_t bytes) {
  std::vector<uint8_t> content = irregular_bytes(random, bytes);
  content[0] = kind;
  std::array<uint32_t, 6> meta;
  for (uint32_t& word : meta) word = static_cast<uint32_t>(random.next());
  return make_packet<gw::Beat>(content, random.below(8) == 0, meta);
}

PreparedFeed<gw::Beat> sorter_feed(uint64_t seed, size_t packets) {
  Random random(seed);
  PreparedFeed<gw::Beat> feed;
  for (size_t i = 0; i < packets; ++i) {
    const auto kind = static_cast<Kind>(random.below(kKinds));
    const size_t bytes = 1 + random.below(200);
    feed.add(random.below(2), sorter_packet(random, kind, bytes));
  }
  return feed;
}

// ---- Figures by hand.

struct Fed {
  size_t port;
  Kind kind;
  size_t bytes;
};

Result run_few(const std::vector<Fed>& fed) {
  Random random(1);
  PreparedFeed<gw::Beat> feed;
  for (const Fed& f : fed) feed.add(f.port, sorter_packet(random, f.kind, f.bytes));
  Sorter a, b;
  SorterOracle oracle;
  const Result r = run(a, b, feed, oracle);
  EXPECT_TRUE(r.passed) << explain(r.failure);
  return r;
}

TEST(SorterFigures, ADroppedPacketLeavesNoRow) {
  const Result r = run_few({{0, kDropped, 40}, {0, kSingle, 10}});
  ASSERT_EQ(r.timeline.rows.size(), 1u);
  EXPECT_EQ(r.timeline.rows[0].id, 1u);
  EXPECT_EQ(r.timeline.in[0].packets, 2u);
  EXPECT_EQ(r.timeline.in[0].bytes, 50u);
  EXPECT_EQ(r.timeline.out[0].bytes, 10u);
  // Two beats dropped in cycles 0 and 1; the third, in 2, is a packet that is taken at that edge,
  // served at the next and shown in 4.
  EXPECT_EQ(r.timeline.rows[0].accepted, 2u);
  EXPECT_EQ(r.timeline.rows[0].offered, 4u);
}

TEST(SorterFigures, ACopyIsARowAtEachPort) {
  const Result r = run_few({{1, kDouble, 70}});
  ASSERT_EQ(r.timeline.rows.size(), 2u);
  for (uint32_t port = 0; port < 2; ++port) {
    const Passage& row = r.timeline.rows[port];
    EXPECT_EQ(row.out, port);
    EXPECT_EQ(row.in, 1u);
    EXPECT_EQ(row.id, 0u);
    EXPECT_EQ(row.bytes, 70u);
    // Three beats in cycles 0 to 2, served at the edge of 3, shown in 4 to 6.
    EXPECT_EQ(row.accepted_last, 2u);
    EXPECT_EQ(row.offered, 4u);
    EXPECT_EQ(row.last, 6u);
  }
  EXPECT_EQ(r.timeline.packets_out(), 2u);
  EXPECT_EQ(r.timeline.latency.n(), 2u);
  EXPECT_EQ(r.timeline.latency.mean(), 4);
}

TEST(SorterFigures, AMergedPacketBelongsToTheOneThatCompletesIt) {
  const Result r = run_few({{0, kHalf, 33}, {1, kHalf, 100}});
  ASSERT_EQ(r.timeline.rows.size(), 1u);
  const Passage& row = r.timeline.rows[0];
  EXPECT_EQ(row.out, 2u);
  EXPECT_EQ(row.id, 1u);
  EXPECT_EQ(row.in, 1u);
  EXPECT_EQ(row.bytes, 133u);
  EXPECT_EQ(row.beats, 5u);
  // Its maker's four beats went in in cycles 0 to 3 of port 1: served at the edge of 4.
  EXPECT_EQ(row.accepted, 0u);
  EXPECT_EQ(row.accepted_last, 3u);
  EXPECT_EQ(row.offered, 5u);
  EXPECT_EQ(row.last, 9u);
  EXPECT_EQ(r.timeline.latency.rows(), (std::vector<std::pair<uint64_t, uint64_t>>{{5, 1}}));
}

TEST(SorterFigures, AnUrgentPacketOvertakes) {
  // Both ports have a packet at the edge of cycle 0 and 1: they take turns, 0 first. What comes in
  // on port 0 in cycles 1, 2, 3 waits while port 1 is served; the urgent one goes first.
  const Result r = run_few({{0, kSingle, 8},
                            {0, kSingle, 9},
                            {0, kSingle, 10},
                            {0, kUrgent, 11},
                            {1, kSingle, 20},
                            {1, kSingle, 21},
                            {1, kSingle, 22},
                            {1, kSingle, 23}});
  std::vector<uint64_t> order;
  for (const Passage& row : r.timeline.rows) order.push_back(row.id);
  // At the edges of cycles 1, 2, ...: 0 (port 0), 4 (1), 1 (0), 5 (1), then port 0 has 2 and, ahead
  // of it, 3.
  EXPECT_EQ(order, (std::vector<uint64_t>{0, 4, 1, 5, 3, 6, 2, 7}));
  for (size_t i = 0; i < 8; ++i) EXPECT_EQ(r.timeline.rows[i].first, 2 + i);
  // Packet 2 went in in cycle 2 and left in cycle 8.
  EXPECT_EQ(r.timeline.rows[6].offered - r.timeline.rows[6].accepted, 6u);
}

// ---- Irregular traffic under stalls.

TEST(Sorter, EnginesAgreeAndFollowTheReference) {
  for (const char* stall : {"none", "source:40", "sink:40", "both:60"}) {
    for (const uint64_t seed : {1, 2, 3, 4}) {
      auto feed = sorter_feed(seed, 200);
      Sorter a, b;
      SorterOracle oracle;
      const Result r = run(a, b, feed, oracle, stalled(stall, seed));
      ASSERT_TRUE(r.passed) << stall << " " << seed << ": " << explain(r.failure);
      EXPECT_EQ(r.timeline.sum_in<&Timeline::Port::packets>(), 200u);
      EXPECT_EQ(r.timeline.packets_out(), r.timeline.rows.size());
      EXPECT_GT(oracle.counters[1], 10u);
      EXPECT_GT(oracle.counters[2], 5u);
      for (const Passage& row : r.timeline.rows) {
        EXPECT_GT(row.offered, row.accepted_last + 1);
        EXPECT_GE(row.first, row.offered);
        EXPECT_EQ(row.last - row.first >= row.beats - 1, true);
      }
    }
  }
}

TEST(Sorter, OnePortWaitsForAFeedWhileTheOtherIsBusy) {
  Random random(5);
  LateFeed<gw::Beat> feed(2, 3000);
  for (int i = 0; i < 600; ++i) feed.add(0, 0, sorter_packet(random, kSingle, 100));
  feed.add(1, 500, sorter_packet(random, kUrgent, 31));
  Sorter a, b;
  SorterOracle oracle;
  const Result r = run(a, b, feed, oracle);
  ASSERT_TRUE(r.passed) << explain(r.failure);
  const auto late = std::find_if(r.timeline.rows.begin(), r.timeline.rows.end(),
                                 [](const Passage& row) { return row.in == 1; });
  ASSERT_NE(late, r.timeline.rows.end());
  EXPECT_EQ(late->accepted, 512u) << "the first 64th cycle from 500 on";
}

TEST(Sorter, ABlockedPortIsAHangWhileTheOtherWaitsForAFeed) {
  Random random(6);
  LateFeed<gw::Beat> feed(2, kNever);
  for (int i = 0; i < 10; ++i) feed.add(0, 0, sorter_packet(random, kSingle, 100));
  const auto block = [](Sorter& s) { return s.ready &= ~1u, false; };
  Toy a(block, 9), b(block, 9);
  SorterOracle oracle;
  const Result r = run(a, b, feed, oracle);
  EXPECT_EQ(r.failure.kind, FailureKind::kHang);
  EXPECT_EQ(r.failure.port, "s_axis0");
}

TEST(Sorter, TheOutputThatOwesIsNamed) {
  const auto mute = [](Sorter& s) { return s.out[2] = {}, false; };
  Random random(6);
  PreparedFeed<gw::Beat> feed;
  for (int i = 0; i < 2; ++i) feed.add(0, sorter_packet(random, kHalf, 100));
  Toy a(mute, 0), b(mute, 0);
  SorterOracle oracle;
  const Result r = run(a, b, feed, oracle);
  EXPECT_EQ(r.failure.kind, FailureKind::kHang) << explain(r.failure);
  EXPECT_EQ(r.failure.port, "m_axis2");
}

// ---- Mutants.

using Bend = std::function<bool(Sorter&)>;
constexpr uint64_t kFrom = 120;
constexpr size_t kPackets = 250;

struct Row {
  std::string name;
  bool a, b;  ///< who is wrong
  Bend bend;
  FailureKind kind;
  std::string port, signal, text;
};

/// Of a beat that is first shown in the cycle to come: no rule is broken by that.
Bend fresh(size_t p, std::function<bool(gw::Beat&)> act) {
  return [p, act](Sorter& s) {
    Sorter::Out& out = s.out[p];
    return out.showing && out.fresh && act(out.shown);
  };
}

/// The second and the third packet of a queue change places, if they are there.
bool swap_packets(std::deque<gw::Beat>& queue) {
  std::array<std::deque<gw::Beat>::iterator, 3> end;
  auto from = queue.begin();
  for (auto& e : end) {
    e = std::find_if(from, queue.end(), [](const gw::Beat& b) { return b.last != 0; });
    if (e == queue.end()) return false;
    from = ++e;
  }
  std::rotate(end[0], end[1], end[2]);
  return true;
}

std::vector<Row> rows() {
  using enum FailureKind;
  std::vector<Row> rows;
  struct Signal {
    const char *name, *signal;
    std::function<bool(gw::Beat&)> act;
  };
  const std::vector<Signal> signals = {
      {"tdata", "tdata", [](gw::Beat& b) { return b.data[6] ^= 1u << 17, true; }},
      {"tlast", "tlast",
       [](gw::Beat& b) {
         if (b.keep != kKeepAll || b.user != 0) return false;
         return b.last ^= 1, true;
       }},
      {"tkeep", "tkeep",
       [](gw::Beat& b) {
         if (b.last == 0 || b.keep == 1) return false;
         return b.keep >>= 1, true;
       }},
      {"error", "tuser", [](gw::Beat& b) { return b.last == 0 ? false : (b.user ^= 1, true); }},
      {"meta", "tuser", [](gw::Beat& b) { return b.meta[2] ^= 1u << 9, true; }}};
  for (size_t p = 0; p < 3; ++p) {
    const std::string port = "m_axis" + std::to_string(p);
    for (const Signal& s : signals) {
      rows.push_back({s.name + std::string("_of_a_") + port, true, false, fresh(p, s.act),
                      kLockstep, port, s.signal, ""});
      rows.push_back({s.name + std::string("_of_b_") + port, false, true, fresh(p, s.act),
                      kLockstep, port, s.signal, ""});
      rows.push_back({s.name + std::string("_of_both_") + port, true, true, fresh(p, s.act),
                      kReference, port, s.signal, ""});
    }
    const Bend valid = [p](Sorter& s) { return s.out[p].showing = !s.out[p].showing, true; };
    rows.push_back({"tvalid_of_a_" + port, true, false, valid, kLockstep, port, "tvalid", ""});
    rows.push_back({"tvalid_of_b_" + port, false, true, valid, kLockstep, port, "tvalid", ""});

    // Rules, broken by both alike.
    struct Broken {
      const char* name;
      AxisRule rule;
      std::function<bool(gw::Beat&)> act;
    };
    const std::vector<Broken> broken = {
        {"gap", AxisRule::kKeepGap, [](gw::Beat& b) { return b.keep = 0x6, true; }},
        {"partial", AxisRule::kKeepBeforeLast,
         [](gw::Beat& b) { return b.last != 0 ? false : (b.keep >>= 3, true); }},
        {"early_error", AxisRule::kUserBeforeLast,
         [](gw::Beat& b) { return b.last != 0 ? false : (b.user = 1, true); }}};
    for (const Broken& r : broken) {
      rows.push_back({r.name + ("_" + port), true, true, fresh(p, r.act), FailureKind::kProfile,
                      port, "", axis_rule_text(r.rule)});
    }
    // A beat that was not taken.
    const auto held = [p](auto act) -> Bend {
      return [p, act](Sorter& s) {
        Sorter::Out& out = s.out[p];
        return out.showing && !out.fresh && act(out);
      };
    };
    rows.push_back({"dropped_" + port, true, true,
                    held([](Sorter::Out& o) { return o.showing = false, true; }), kProtocol, port,
                    "", axis_rule_text(AxisRule::kValidDropped)});
    rows.push_back({"changed_" + port, true, true,
                    held([](Sorter::Out& o) { return o.shown.meta[5] ^= 1, true; }), kProtocol,
                    port, "", axis_rule_text(AxisRule::kPayloadChanged)});

    // Two packets of a queue change places on their way, whole.
    rows.push_back({"order_" + port, true, true,
                    [p](Sorter& s) { return swap_packets(s.out[p].queue); }, kReference, port, "",
                    ""});
  }
  for (size_t p = 0; p < 2; ++p) {
    const std::string port = "s_axis" + std::to_string(p);
    const Bend ready = [p](Sorter& s) { return s.ready ^= 1u << p, true; };
    rows.push_back({"tready_of_a_" + port, true, false, ready, kLockstep, port, "tready", ""});
    rows.push_back({"tready_of_b_" + port, false, true, ready, kLockstep, port, "tready", ""});
  }
  for (int bit = 0; bit < 6; ++bit) {
    const Bend flip = [bit](Sorter& s) { return s.events ^= uint64_t{1} << bit, true; };
    const std::string name = "event" + std::to_string(bit);
    rows.push_back({name + "_of_a", true, false, flip, kLockstep, "event", "o", ""});
    rows.push_back({name + "_of_b", false, true, flip, kLockstep, "event", "o", ""});
  }
  const Bend turn = [](Sorter& s) { return s.turn ^= 1, true; };
  rows.push_back({"turn_of_a", true, false, turn, kLockstep, "probe", "", ""});
  rows.push_back({"turn_of_b", false, true, turn, kLockstep, "probe", "", ""});

  // What both decide alike, and may not.
  const auto claims = [&](const char* name, auto precondition, uint64_t events) {
    rows.push_back({name, true, true,
                    [precondition, events](Sorter& s) {
                      return precondition(s) ? (s.events |= events, true) : false;
                    },
                    kReference, "event", "o", ""});
  };
  for (size_t p = 0; p < 2; ++p) {
    const auto idle = [p](Sorter& s) {
      return (s.events & (committed(p) | dropped(p))) == 0 && s.collecting[p].empty();
    };
    claims(p == 0 ? "commits_nothing0" : "commits_nothing1", idle, committed(p));
    claims(p == 0 ? "drops_nothing0" : "drops_nothing1", idle, dropped(p));
    claims(
        p == 0 ? "serves_nothing0" : "serves_nothing1",
        [p](Sorter& s) { return s.events == 0 && s.waiting[p].empty(); },
        served(static_cast<int>(p)));
    rows.push_back({p == 0 ? "drops_what_it_takes0" : "drops_what_it_takes1", true, true,
                    [p](Sorter& s) {
                      if ((s.events & committed(p)) == 0) return false;
                      return s.events ^= committed(p) | dropped(p), true;
                    },
                    kReference, "event", "o", ""});
  }
  return rows;
}

const std::vector<Row>& all_rows() {
  static const std::vector<Row> kRows = rows();
  return kRows;
}

class SorterMutants : public testing::TestWithParam<size_t> {};

TEST_P(SorterMutants, IsFoundInItsCycleAndNamed) {
  const Row& row = all_rows()[GetParam()];
  for (uint64_t seed = 11; seed < 11 + tests::rounds(2u); ++seed) {
    auto feed = sorter_feed(seed, kPackets);
    Toy a(row.a ? row.bend : nullptr, kFrom), b(row.b ? row.bend : nullptr, kFrom);
    SorterOracle oracle;
    const bool order = row.name.starts_with("order");  // takes queues that are long
    const Result r = run(a, b, feed, oracle, stalled(order ? "sink:85" : "both:45", seed));
    const uint64_t bent_at = std::min(a.bent_at, b.bent_at);
    ASSERT_NE(bent_at, kNever) << "the mutant never acted";
    ASSERT_EQ(r.failure.kind, row.kind) << explain(r.failure);
    EXPECT_EQ(r.failure.port, row.port) << explain(r.failure);
    if (order) {
      EXPECT_GT(r.failure.cycle, bent_at);  // when it leaves
      continue;
    }
    EXPECT_EQ(r.failure.signal, row.signal) << explain(r.failure);
    EXPECT_EQ(r.failure.text, row.text);
    EXPECT_EQ(r.failure.cycle, bent_at);
    if (row.text.empty()) {
      EXPECT_NE(r.failure.value_a, r.failure.value_b);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, SorterMutants, testing::Range<size_t>(0, all_rows().size()),
                         [](const auto& info) { return all_rows()[info.param].name; });

TEST(SorterFaults, AnEventThatBothForgetIsAHang) {
  // The last packet is taken, and nobody says so.
  auto feed = sorter_feed(13, 40);
  Sorter probe;
  SorterOracle first;
  ASSERT_TRUE(run_alone(probe, feed, first).passed);
  const uint32_t packets = probe.counters[0];
  const auto forget = [packets](Sorter& s) {
    if (s.counters[0] != packets) return false;
    return s.events &= ~(committed(0) | committed(1)), true;
  };
  feed.rewind();
  Toy a(forget), b(forget);
  SorterOracle oracle;
  const Result r = run(a, b, feed, oracle);
  ASSERT_NE(r.failure.kind, FailureKind::kNone);
  EXPECT_EQ(r.failure.port, "event") << explain(r.failure);
  EXPECT_EQ(r.failure.cycle, a.bent_at + 1) << "served without having been taken";
}

TEST(SorterFaults, CountersOfBothAgainstTheOracle) {
  for (size_t word = 0; word < 4; ++word) {
    auto feed = sorter_feed(14, 40);
    const auto miscount = [word](Sorter& s) { return ++s.counters[word], true; };
    Toy a(miscount, 60), b(miscount, 60), c;
    SorterOracle oracle;
    const Result r = run(a, b, feed, oracle);
    // Nobody but the device knows how long packets waited.
    EXPECT_EQ(r.passed, word == 3) << explain(r.failure);
    if (word != 3) {
      EXPECT_EQ(r.failure.kind, FailureKind::kReference);
      EXPECT_EQ(r.failure.signal, "word " + std::to_string(word));
    }
    feed.rewind();
    SorterOracle fresh_oracle;
    Toy wrong(miscount, 60);
    const Result one = run(wrong, c, feed, fresh_oracle);
    EXPECT_EQ(one.failure.kind, FailureKind::kLockstep);
    EXPECT_EQ(one.failure.port, "stat");
    EXPECT_EQ(one.failure.signal, "word " + std::to_string(word));
  }
}

TEST(SorterFaults, APacketThatNoOtherMadeHasNoLatency) {
  // An oracle that does not say who made a packet.
  struct Forgetful final : Oracle<gw::Beat> {
    SorterOracle inner;
    void arrives(size_t port, const PacketRef<gw::Beat>& p) override { inner.arrives(port, p); }
    std::string decides(uint64_t events) override { return inner.decides(events); }
    PacketRef<gw::Beat> next(size_t port) override {
      PacketRef<gw::Beat> packet = inner.next(port);
      if (packet != nullptr && port == 2) packet->source.reset();
      return packet;
    }
    PacketRef<gw::Beat> peek(size_t port) const override { return inner.peek(port); }
    bool quiet() const override { return inner.quiet(); }
  } oracle;
  auto feed = sorter_feed(15, 100);
  Sorter a;
  const Result r = run_alone(a, feed, oracle);
  ASSERT_TRUE(r.passed);
  ASSERT_GT(r.timeline.out[2].packets, 0u);
  EXPECT_EQ(r.timeline.latency.n(), r.timeline.packets_out() - r.timeline.out[2].packets);
}

}  // namespace
}  // namespace gw::sim::toys::sorter_test
