// The loop with engines, feeds and oracles that go wrong on purpose: one check, one mutant, found
// in its cycle and called by its name. One stream in, one out; what several ports and events add is
// in sorter_test.cc.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tests/harness/toys.h"
#include "tests/sanitized.h"

namespace gw::sim::toys::mutants_test {
namespace {

using Toy = Equipped<Passthrough<>>;
using Mutation = std::function<bool(Toy&)>;

enum class Who { kA, kB, kBoth };

struct Row {
  const char* name;
  Who who;
  Mutation bend;
  FailureKind kind;
  const char* port;
  const char* signal;
  const char* text;  ///< of a rule
};

/// A packet in the middle of things: beats before it and after it, on a stalled port.
constexpr size_t kPackets = 60;
constexpr uint64_t kFrom = 70;

const auto shown = [](auto act) {
  return [act](Toy& toy) {
    if (!toy.showing) return false;
    act(toy.shown);
    return true;
  };
};
/// Of a beat in the middle of a packet.
const auto amid = [](auto act) {
  return [act](Toy& toy) {
    if (!toy.showing || toy.shown.last != 0) return false;
    act(toy.shown);
    return true;
  };
};
const auto at_the_end = [](auto act) {
  return [act](Toy& toy) {
    if (!toy.showing || toy.shown.last == 0) return false;
    act(toy.shown);
    return true;
  };
};
/// Of a beat that was shown in the cycle before, and not taken: it was there and still is.
const auto waiting = [](auto act) {
  return [act, before = std::vector<gw::Beat>(), was_full = false](Toy& toy) mutable {
    const bool waits = toy.showing && toy.spare_full && was_full && !before.empty() &&
                       same_beat(before[0], toy.shown);
    was_full = toy.spare_full;
    before.assign(toy.showing ? 1 : 0, toy.shown);
    if (waits) act(toy);
    return waits;
  };
};

constexpr auto kLockstep = FailureKind::kLockstep;
constexpr auto kReference = FailureKind::kReference;
constexpr auto kProtocol = FailureKind::kProtocol;
constexpr auto kProfile = FailureKind::kProfile;

const std::vector<Row>& rows() {
  static const std::vector<Row> kRows = {
      // One engine differs: every signal of the ports, from either side.
      {"tready_of_a", Who::kA, [](Toy& t) { return t.ready = !t.ready, true; }, kLockstep, "s_axis",
       "tready", ""},
      {"tready_of_b", Who::kB, [](Toy& t) { return t.ready = !t.ready, true; }, kLockstep, "s_axis",
       "tready", ""},
      {"tvalid_of_a", Who::kA, [](Toy& t) { return t.showing = !t.showing, true; }, kLockstep,
       "m_axis", "tvalid", ""},
      {"tvalid_of_b", Who::kB, [](Toy& t) { return t.showing = !t.showing, true; }, kLockstep,
       "m_axis", "tvalid", ""},
      {"tlast_of_a", Who::kA, amid([](gw::Beat& b) { b.last = 1; }), kLockstep, "m_axis", "tlast",
       ""},
      {"tlast_of_b", Who::kB, at_the_end([](gw::Beat& b) { b.last = 0; }), kLockstep, "m_axis",
       "tlast", ""},
      {"tkeep_of_a", Who::kA,
       at_the_end([](gw::Beat& b) { b.keep = b.keep == 1 ? 3 : b.keep >> 1; }), kLockstep, "m_axis",
       "tkeep", ""},
      {"tkeep_of_b", Who::kB, shown([](gw::Beat& b) { b.keep ^= 1u << 31; }), kLockstep, "m_axis",
       "tkeep", ""},
      {"tuser_of_a", Who::kA, at_the_end([](gw::Beat& b) { b.user ^= 1; }), kLockstep, "m_axis",
       "tuser", ""},
      {"tuser_of_b", Who::kB, at_the_end([](gw::Beat& b) { b.user ^= 1; }), kLockstep, "m_axis",
       "tuser", ""},
      {"meta_of_b", Who::kB, shown([](gw::Beat& b) { b.meta[5] ^= 1u << 31; }), kLockstep, "m_axis",
       "tuser", ""},

      // Both are wrong alike: the reference says so.
      {"wrong_byte", Who::kBoth, shown([](gw::Beat& b) { b.data[0] ^= 4; }), kReference, "m_axis",
       "tdata", ""},
      {"wrong_meta", Who::kBoth, shown([](gw::Beat& b) { b.meta[0] ^= 1; }), kReference, "m_axis",
       "tuser", ""},
      {"lost_error", Who::kBoth, at_the_end([](gw::Beat& b) { b.user ^= 1; }), kReference, "m_axis",
       "tuser", ""},
      {"early_last", Who::kBoth, amid([](gw::Beat& b) { b.last = 1; }), kReference, "m_axis",
       "tlast", ""},
      {"lost_last", Who::kBoth,
       [](Toy& t) {
         // Of a whole last beat: a partial one without tlast breaks a rule as well.
         if (!t.showing || t.shown.last == 0 || t.shown.keep != kKeepAll || t.shown.user != 0) {
           return false;
         }
         t.shown.last = 0;
         return true;
       },
       kReference, "m_axis", "tlast", ""},
      {"short_last_beat", Who::kBoth,
       [](Toy& t) {
         if (!t.showing || t.shown.last == 0 || t.shown.keep == 1) return false;
         t.shown.keep >>= 1;
         return true;
       },
       kReference, "m_axis", "tkeep", ""},

      // Rules of the profile.
      {"payload_changed", Who::kBoth, waiting([](Toy& t) { t.shown.data[7] ^= 1u << 31; }),
       kProtocol, "m_axis", "", axis_rule_text(AxisRule::kPayloadChanged)},
      {"tvalid_dropped", Who::kBoth, waiting([](Toy& t) { t.showing = false; }), kProtocol,
       "m_axis", "", axis_rule_text(AxisRule::kValidDropped)},
      {"keep_gap", Who::kBoth, at_the_end([](gw::Beat& b) { b.keep = 0x5; }), kProfile, "m_axis",
       "", axis_rule_text(AxisRule::kKeepGap)},
      {"keep_of_no_byte", Who::kBoth, at_the_end([](gw::Beat& b) { b.keep = 0; }), kProfile,
       "m_axis", "", axis_rule_text(AxisRule::kKeepGap)},
      {"keep_before_last", Who::kBoth, amid([](gw::Beat& b) { b.keep >>= 1; }), kProfile, "m_axis",
       "", axis_rule_text(AxisRule::kKeepBeforeLast)},
      {"user_before_last", Who::kBoth, amid([](gw::Beat& b) { b.user = 1; }), kProfile, "m_axis",
       "", axis_rule_text(AxisRule::kUserBeforeLast)},
  };
  return kRows;
}

class Mutants : public testing::TestWithParam<size_t> {};

TEST_P(Mutants, IsFoundInItsCycleAndNamed) {
  const Row& row = rows()[GetParam()];
  for (uint64_t seed = 1; seed <= tests::rounds(3u); ++seed) {
    auto feed = irregular_feed<gw::Beat>(seed, kPackets);
    Bent<Toy> a(row.who != Who::kB ? row.bend : nullptr, kFrom);
    Bent<Toy> b(row.who != Who::kA ? row.bend : nullptr, kFrom);
    Echo<gw::Beat> oracle;
    const Result r = run(a, b, feed, oracle, stalled("both:30", seed));
    const uint64_t bent_at = std::min(a.bent_at, b.bent_at);
    ASSERT_NE(bent_at, kNever) << "the mutant never acted";
    EXPECT_FALSE(r.passed);
    EXPECT_EQ(r.failure.kind, row.kind) << explain(r.failure);
    EXPECT_EQ(r.failure.port, row.port);
    EXPECT_EQ(r.failure.signal, row.signal);
    EXPECT_EQ(r.failure.text, row.text);
    EXPECT_EQ(r.failure.cycle, bent_at);
    EXPECT_EQ(r.timeline.cycles, bent_at);
    expect_blamed(r.failure);
    // The beats before, in their order, and the one that should have come.
    ASSERT_FALSE(r.failure.lines.empty());
    EXPECT_EQ(r.failure.lines.front(), "last beats accepted on s_axis:");
  }
}

/// Where single cycles are looked at, the engines keep step; elsewhere the second follows the first
/// a window later. Nobody can tell from what is said of a failure.
TEST_P(Mutants, IsToldAlikeInStepAndAWindowLater) {
  const Row& row = rows()[GetParam()];
  for (uint64_t from = kFrom; from < kFrom + tests::rounds(64u); ++from) {
    const auto told = [&](bool in_step, uint64_t quantum) {
      auto feed = irregular_feed<gw::Beat>(from, kPackets);
      Bent<Toy> a(row.who != Who::kB ? row.bend : nullptr, from);
      Bent<Toy> b(row.who != Who::kA ? row.bend : nullptr, from);
      Echo<gw::Beat> oracle;
      Drive drive = stalled("both:30", from);
      drive.watched = in_step;
      const Result r = run(a, b, feed, oracle, drive, quantum);
      EXPECT_FALSE(r.passed);
      EXPECT_EQ(r.timeline.cycles, r.failure.cycle);
      return explain(r.failure);
    };
    const std::string right = told(true, 64);
    EXPECT_EQ(told(false, 64), right);
    EXPECT_EQ(told(false, 7), right);
  }
}

/// What is left out of the checks finds nothing; what is not finds what it did.
TEST_P(Mutants, IsFoundByItsOwnCheckAlone) {
  const Row& row = rows()[GetParam()];
  const auto kind_with = [&row](const Checks& checks) {
    auto feed = irregular_feed<gw::Beat>(1, kPackets);
    Bent<Toy> a(row.who != Who::kB ? row.bend : nullptr, kFrom);
    Bent<Toy> b(row.who != Who::kA ? row.bend : nullptr, kFrom);
    Echo<gw::Beat> oracle;
    Drive drive = stalled("both:30");
    drive.checks = checks;
    const Result r = run(a, b, feed, oracle, drive);
    EXPECT_NE(std::min(a.bent_at, b.bent_at), kNever);
    EXPECT_EQ(r.passed, r.failure.kind == FailureKind::kNone) << explain(r.failure);
    return r.failure.kind;
  };
  const bool reference = row.kind == kReference, protocol = row.kind == kProtocol;
  const bool profile = row.kind == kProfile;
  EXPECT_EQ(kind_with({.reference = reference, .protocol = protocol, .profile = profile}),
            row.kind);
  if (row.kind == kLockstep) return;  // there are two engines: they are compared
  EXPECT_EQ(kind_with({.reference = false, .protocol = !protocol, .profile = !profile}),
            FailureKind::kNone);
}

INSTANTIATE_TEST_SUITE_P(All, Mutants, testing::Range<size_t>(0, rows().size()),
                         [](const auto& info) { return rows()[info.param].name; });

/// Whole packets in the wrong order: two of equal shape change places on their way out.
TEST(Order, PacketsThatChangePlaces) {
  constexpr size_t kMoved = 5;
  auto feed = irregular_feed<gw::Beat>(20, 20, gw::Beat::kBytes);  // a beat each
  struct Shuffled final : Echo<gw::Beat> {
    PacketRef<gw::Beat> kept;
    void arrives(size_t port, const PacketRef<gw::Beat>& packet) override {
      if (packet->id == kMoved) {
        kept = packet;
        return;
      }
      Echo::arrives(port, packet);
      if (packet->id == kMoved + 1) Echo::arrives(port, kept);
    }
  } oracle;
  Passthrough a, b;
  const Result r = run(a, b, feed, oracle);
  // Nothing is owed when packet 5 is shown: it is one too many.
  EXPECT_EQ(r.failure.kind, kReference) << explain(r.failure);
  EXPECT_EQ(r.failure.cycle, kMoved + 1);
  EXPECT_EQ(r.failure.signal, "tvalid");
}

// ---- The probe, bit by bit, from either side.

TEST(Probe, EveryBitIsCompared) {
  for (int bit = 0; bit < 64; ++bit) {
    auto feed = irregular_feed<gw::Beat>(21, 30);
    const auto flip = [bit](Toy& t) { return t.side ^= uint64_t{1} << bit, true; };
    Bent<Toy> a(bit % 2 == 0 ? Mutation(flip) : nullptr, kFrom / 2);
    Bent<Toy> b(bit % 2 == 1 ? Mutation(flip) : nullptr, kFrom / 2);
    Echo<gw::Beat> oracle;
    const Result r = run(a, b, feed, oracle);
    EXPECT_EQ(r.failure.kind, kLockstep);
    EXPECT_EQ(r.failure.port, "probe");
    EXPECT_EQ(r.failure.cycle, kFrom / 2);
    EXPECT_EQ(r.failure.value_a != "0", bit % 2 == 0);
    EXPECT_EQ(r.failure.value_b != "0", bit % 2 == 1);
  }
}

// ---- Beats too many, too few, none.

TEST(Amount, ABeatTooManyAfterTheEnd) {
  auto feed = irregular_feed<gw::Beat>(22, 7);
  const uint64_t last = beats_of(feed);
  // As late as can be: in the last cycle of the run.
  for (const uint64_t when : {last + 1, (last | 63) + 64}) {
    feed.rewind();
    const auto again = [](Toy& t) { return t.showing = true; };
    Bent<Toy> a(again, when), b(again, when);
    Echo<gw::Beat> oracle;
    const Result r = run(a, b, feed, oracle);
    EXPECT_EQ(r.failure.kind, kReference) << explain(r.failure);
    EXPECT_EQ(r.failure.port, "m_axis");
    EXPECT_EQ(r.failure.signal, "tvalid");
    EXPECT_EQ(r.failure.value_a, "1 (a beat too many)");
    EXPECT_EQ(r.failure.cycle, when);
  }
}

TEST(Amount, BeatsWithoutEndThatNobodyCounts) {
  struct Babbling final : Toy {
    void clock(const Offered<Ports>& offered, uint32_t m_ready) {
      Toy::clock(offered, m_ready);
      if (++cycles > 100) showing = true;
    }
    uint64_t cycles = 0;
  } a;
  auto feed = irregular_feed<gw::Beat>(22, 7);
  ASSERT_LT(beats_of(feed), 100u);
  Echo<gw::Beat> oracle;
  Drive drive;
  drive.checks = {.model = false, .reference = false};
  const Result r = run_alone(a, feed, oracle, drive);
  EXPECT_EQ(r.failure.kind, FailureKind::kHang) << explain(r.failure);
  EXPECT_EQ(r.failure.port, "m_axis");
  EXPECT_EQ(r.failure.text, "beats leave without end: none has come in for 100000 cycles");
  EXPECT_LT(r.failure.cycle, 2 * kHangCycles);
}

/// The first cycle in which the loop, that looks every 64 cycles, has seen so much rest.
uint64_t hang_after(uint64_t last_moved) { return (last_moved + kHangCycles + 63) / 64 * 64; }

TEST(Amount, TheLastBeatIsSwallowed) {
  auto feed = irregular_feed<gw::Beat>(23, 7);
  const uint64_t last = beats_of(feed);
  const auto swallow = [](Toy& t) { return t.showing = false, true; };
  Bent<Toy> a(swallow, last), b(swallow, last);
  Echo<gw::Beat> oracle;
  const Result r = run(a, b, feed, oracle);
  EXPECT_EQ(r.failure.kind, FailureKind::kHang) << explain(r.failure);
  EXPECT_EQ(r.failure.port, "m_axis");
  EXPECT_EQ(r.failure.engine_a, "rtl");
  EXPECT_EQ(r.failure.text, no_beat_moved(kHangCycles));
  EXPECT_EQ(r.failure.cycle, hang_after(last - 1));
  EXPECT_FALSE(r.failure.lines.empty());
}

TEST(Amount, ABeatIsSwallowedInTheMiddle) {
  auto feed = irregular_feed<gw::Beat>(24, 30);
  const auto swallow = [](Toy& t) {
    return t.showing && t.shown.last == 0 ? (t.showing = false, true) : false;
  };
  Bent<Toy> a(swallow, kFrom / 4), b(swallow, kFrom / 4);
  Echo<gw::Beat> oracle;
  const Result r = run(a, b, feed, oracle);
  EXPECT_EQ(r.failure.kind, kReference) << explain(r.failure);
  EXPECT_EQ(r.failure.cycle, a.bent_at + 1);  // the beat after stands where it should
}

TEST(Amount, ADeviceThatIsDeadFromTheStart) {
  auto feed = irregular_feed<gw::Beat>(25, 7);
  const auto dead = [](Toy& t) { return t.ready = false; };
  Bent<Toy> a(dead), b(dead);
  Echo<gw::Beat> oracle;
  const Result r = run(a, b, feed, oracle);
  EXPECT_EQ(r.failure.kind, FailureKind::kHang) << explain(r.failure);
  EXPECT_EQ(r.failure.port, "s_axis");
  EXPECT_EQ(r.failure.cycle, hang_after(0));
}

TEST(Amount, ADeviceThatHangsOnlyLate) {
  // Three times what counts as a hang; for sanitizers a little longer than that.
  constexpr uint64_t kLate = tests::kSanitized ? 110'000 : 300'000;
  auto feed = irregular_feed<gw::Beat>(26, kLate / 2, 90);
  ASSERT_GT(beats_of(feed), kLate / 2 + 1000);
  const auto dead = [](Toy& t) { return t.ready = false; };
  Bent<Toy> a(dead, kLate), b(dead, kLate);
  Echo<gw::Beat> oracle;
  Result r = run(a, b, feed, oracle, stalled("source:50"));
  ASSERT_EQ(r.failure.kind, FailureKind::kHang) << explain(r.failure);
  EXPECT_EQ(r.failure.port, "s_axis");
  const uint64_t last = r.timeline.out[0].last;
  EXPECT_LE(last, kLate);
  EXPECT_EQ(r.failure.cycle, hang_after(last));
}

TEST(Amount, AnOracleThatIsNeverQuiet) {
  struct Restless final : Echo<gw::Beat> {
    bool quiet() const override { return false; }
  } oracle;
  auto feed = irregular_feed<gw::Beat>(27, 7);
  Passthrough a, b;
  const Result r = run(a, b, feed, oracle);
  EXPECT_EQ(r.failure.kind, FailureKind::kHang);
  EXPECT_EQ(r.failure.cycle, hang_after(beats_of(feed)));
}

TEST(Amount, AnOracleThatOwesWhatTheDeviceNeverHad) {
  struct Greedy final : Echo<gw::Beat> {
    void arrives(size_t port, const PacketRef<gw::Beat>& packet) override {
      Echo::arrives(port, packet);
      if (packet->id == 6) Echo::arrives(port, packet);
    }
  } oracle;
  auto feed = irregular_feed<gw::Beat>(28, 7);
  Passthrough a, b;
  const Result r = run(a, b, feed, oracle);
  EXPECT_EQ(r.failure.kind, FailureKind::kHang);
  EXPECT_EQ(r.failure.port, "m_axis");
}

// ---- Reset.

TEST(Reset, WhoeverMovesInItIsNamed) {
  struct Case {
    bool valid, ready;
    Who who;
    const char *port, *engine;
  };
  for (const Case& c :
       {Case{true, false, Who::kA, "m_axis", "rtl"}, Case{true, false, Who::kB, "m_axis", "model"},
        Case{false, true, Who::kA, "s_axis", "rtl"},
        Case{false, true, Who::kB, "s_axis", "model"}}) {
    auto feed = irregular_feed<gw::Beat>(29, 3);
    Toy a, b;
    Toy& noisy = c.who == Who::kA ? a : b;
    noisy.noisy_in_reset = c.valid;
    noisy.ready_in_reset = c.ready;
    Echo<gw::Beat> oracle;
    const Result r = run(a, b, feed, oracle);
    EXPECT_EQ(r.failure.kind, c.valid ? kProtocol : kProfile);
    EXPECT_EQ(r.failure.port, c.port);
    EXPECT_EQ(r.failure.engine_a, c.engine);
    EXPECT_EQ(r.failure.text,
              axis_rule_text(c.valid ? AxisRule::kActiveInReset : AxisRule::kReadyInReset));
    EXPECT_EQ(r.timeline.cycles, 0u);
  }
}

// ---- Rules on the way in: a feed that breaks them is the harness's fault, unless it means to.

struct BadBeat {
  const char* name;
  std::function<void(gw::Beat&)> bend;  ///< of the first of two beats
  AxisRule rule;
};

TEST(BadFeed, IsTheHarnessesFaultUnlessItIsMeant) {
  const std::vector<BadBeat> bad = {
      {"gap", [](gw::Beat& b) { b.keep = 0xFFFFFFFEu; }, AxisRule::kKeepGap},
      {"no byte", [](gw::Beat& b) { b.keep = 0; }, AxisRule::kKeepGap},
      {"partial", [](gw::Beat& b) { b.keep = 0xF; }, AxisRule::kKeepBeforeLast},
      {"error", [](gw::Beat& b) { b.user = 1; }, AxisRule::kUserBeforeLast}};
  for (const BadBeat& row : bad) {
    for (const bool hostile : {false, true}) {
      auto feed = irregular_feed<gw::Beat>(30, 12, gw::Beat::kBytes);  // a beat each
      Random random(31);
      PacketRef<gw::Beat> packet = irregular_packet<gw::Beat>(random, 60);
      row.bend(packet->beats[0]);
      packet->hostile = hostile;
      feed.add(0, packet);
      Passthrough a, b;
      Echo<gw::Beat> oracle;  // owes what went in, so that no other check sees it
      const Result r = run(a, b, feed, oracle);
      EXPECT_EQ(r.failure.kind, kProfile) << row.name;
      EXPECT_EQ(r.failure.text, axis_rule_text(row.rule)) << row.name;
      // Packet 13 goes in in cycle 12. Meant, it is only wrong on the way out, a cycle later.
      EXPECT_EQ(r.failure.port, hostile ? "m_axis" : "s_axis");
      EXPECT_EQ(r.failure.engine_a, hostile ? "rtl" : "harness");
      EXPECT_EQ(r.failure.cycle, hostile ? 13u : 12u);
    }
  }
}

TEST(BadFeed, TheNextPacketIsCheckedAgain) {
  Random random(32);
  PreparedFeed<gw::Beat> feed;
  for (const bool hostile : {true, false}) {
    PacketRef<gw::Beat> packet = irregular_packet<gw::Beat>(random, 60);
    packet->beats[0].keep = hostile ? kKeepAll : 7;
    packet->hostile = hostile;
    feed.add(0, packet);
  }
  Passthrough a;
  Echo<gw::Beat> oracle;
  const Result r = run_alone(a, feed, oracle);
  EXPECT_EQ(r.failure.engine_a, "harness");
  EXPECT_EQ(r.failure.cycle, 2u);
}

// ---- Counters, compared at the end.

struct Count {
  const char* name;
  std::function<void(Toy& a, Toy& b, std::vector<std::optional<uint32_t>>& expected)> bend;
  FailureKind kind;
  const char *signal, *value_a, *value_b;
};

TEST(Counters, EveryWordFromEverySide) {
  constexpr size_t kFed = 6;  // a beat each: six packets, six beats
  const std::vector<Count> counts = {
      {"right", [](auto&, auto&, auto&) {}, FailureKind::kNone, "", "", ""},
      {"a miscounts packets", [](auto& a, auto&, auto&) { ++a.counters[0]; }, kLockstep, "word 0",
       "7", "6"},
      {"b miscounts beats", [](auto&, auto& b, auto&) { --b.counters[1]; }, kLockstep, "word 1",
       "6", "5"},
      {"b miscounts waits", [](auto&, auto& b, auto&) { b.counters[2] = 9; }, kLockstep, "word 2",
       "0", "9"},
      {"a has a word less", [](auto& a, auto&, auto&) { a.counters.pop_back(); }, kLockstep,
       "word 2", "absent", "0"},
      {"b has a word less", [](auto&, auto& b, auto&) { b.counters.pop_back(); }, kLockstep,
       "word 2", "0", "absent"},
      {"both miscount packets", [](auto& a, auto& b, auto&) { ++a.counters[0], ++b.counters[0]; },
       kReference, "word 0", "7", "6"},
      {"both miscount beats", [](auto& a, auto& b, auto&) { a.counters[1] = b.counters[1] = 0; },
       kReference, "word 1", "0", "6"},
      {"both miscount what nobody knows",
       [](auto& a, auto& b, auto&) { a.counters[2] = b.counters[2] = 9; }, FailureKind::kNone, "",
       "", ""},
      {"both lack a word",
       [](auto& a, auto& b, auto&) { a.counters.resize(1), b.counters.resize(1); }, kReference,
       "word 1", "absent", "6"},
      {"the oracle miscounts", [](auto&, auto&, auto& e) { e[0] = 5; }, kReference, "word 0", "6",
       "5"},
      {"the oracle knows a word more", [](auto&, auto&, auto& e) { e.push_back(0); }, kReference,
       "word 3", "absent", "0"}};
  for (const Count& row : counts) {
    auto feed = irregular_feed<gw::Beat>(33, kFed, gw::Beat::kBytes);
    struct Counting final : Echo<gw::Beat> {
      std::vector<std::optional<uint32_t>> expected;
      std::vector<std::optional<uint32_t>> statistics() const override { return expected; }
    } oracle;
    oracle.expected = {kFed, kFed, std::nullopt};
    // After the last beat, before the end.
    Bent<Toy> a, b;
    const auto late = [&](Toy&) { return row.bend(a, b, oracle.expected), true; };
    b = Bent<Toy>(late, 20);
    const Result r = run(a, b, feed, oracle);
    EXPECT_EQ(r.passed, row.kind == FailureKind::kNone) << row.name;
    EXPECT_EQ(r.failure.kind, row.kind) << row.name;
    EXPECT_EQ(r.failure.signal, row.signal) << row.name;
    EXPECT_EQ(r.failure.value_a, row.value_a) << row.name;
    EXPECT_EQ(r.failure.value_b, row.value_b) << row.name;
    EXPECT_EQ(r.failure.port, row.kind == FailureKind::kNone ? "" : "stat");
    if (!r.passed) {
      EXPECT_EQ(r.failure.cycle, 128u) << "the end: last beat in cycle 6, then a quiet chunk";
    }
  }
}

/// Shows a counter wrong in every second cycle.
class Blinking : public Toy {
 public:
  explicit Blinking(size_t parity) : parity_(parity) {}
  void clock(const Offered<Ports>& offered, uint32_t m_ready) {
    Toy::clock(offered, m_ready);
    ++edges_;
  }
  std::span<const uint32_t> statistics() const {
    shown_ = counters;
    shown_[1] ^= edges_ % 2 == parity_ ? 1 : 0;
    return shown_;
  }

 private:
  size_t parity_, edges_ = 0;
  mutable std::vector<uint32_t> shown_;
};

TEST(Counters, WrongInEverySecondCycle) {
  for (const size_t parity : {0, 1}) {
    auto feed = irregular_feed<gw::Beat>(33, 6, gw::Beat::kBytes);
    Toy a;
    Blinking b(parity);
    Echo<gw::Beat> oracle;
    const Result r = run(a, b, feed, oracle);
    EXPECT_EQ(r.failure.kind, kLockstep) << parity;
    EXPECT_EQ(r.failure.signal, "word 1");
    EXPECT_EQ(r.failure.cycle, 128u);
  }
}

// ---- Engines that stop.

TEST(Stopping, SaysWhyRatherThanHowItDiffersSince) {
  const char* const why = "%Error: assertion PayloadHolds failed";
  struct Case {
    Who who;
    const char* engine;
  };
  for (const Case c : {Case{Who::kA, "rtl"}, Case{Who::kB, "model"}, Case{Who::kBoth, "rtl"}}) {
    auto feed = irregular_feed<gw::Beat>(34, kPackets);
    const auto stop = [why](Toy& t) {
      if (!t.showing) return false;
      t.why = why;
      t.shown.data[3] ^= 8;  // and goes on nonsensically
      return true;
    };
    Bent<Toy> a(c.who != Who::kB ? Mutation(stop) : nullptr, kFrom);
    Bent<Toy> b(c.who != Who::kA ? Mutation(stop) : nullptr, kFrom);
    Echo<gw::Beat> oracle;
    const Result r = run(a, b, feed, oracle);
    EXPECT_EQ(r.failure.kind, FailureKind::kStopped) << explain(r.failure);
    EXPECT_EQ(r.failure.engine_a, c.engine);
    EXPECT_EQ(r.failure.text, why);
    EXPECT_EQ(r.failure.cycle, std::min(a.bent_at, b.bent_at));
  }
}

TEST(Stopping, WithoutADifferenceItIsSeenWithinAChunk) {
  auto feed = irregular_feed<gw::Beat>(35, kPackets);
  const auto stop = [](Toy& t) { return t.why = "$finish", true; };
  Bent<Toy> a(stop, kFrom), b;
  Echo<gw::Beat> oracle;
  const Result r = run(a, b, feed, oracle);
  EXPECT_EQ(r.failure.kind, FailureKind::kStopped);
  EXPECT_EQ(r.failure.cycle, (kFrom | 63) + 1);
}

TEST(Stopping, BeforeTheFirstCycle) {
  auto feed = irregular_feed<gw::Beat>(36, 3);
  Toy a, b;
  b.why = "parameter Depth is too small";
  Echo<gw::Beat> oracle;
  const Result r = run(a, b, feed, oracle);
  EXPECT_EQ(r.failure.kind, FailureKind::kStopped);
  EXPECT_EQ(r.failure.engine_a, "model");
  EXPECT_EQ(r.timeline.cycles, 0u);
}

// ---- The words of a divergence.

TEST(History, FourBeatsBeforeAndTheOneExpected) {
  // Packets of 1, 3 and 4 beats, told apart by their first bytes.
  const auto feed_of = [](const std::vector<std::vector<uint8_t>>& packets) {
    PreparedFeed<gw::Beat> feed;
    for (const auto& firsts : packets) {
      std::vector<uint8_t> bytes(firsts.size() * gw::Beat::kBytes);
      for (size_t i = 0; i < firsts.size(); ++i) bytes[i * gw::Beat::kBytes] = firsts[i];
      feed.add(0, make_packet<gw::Beat>(bytes));
    }
    return feed;
  };
  auto feed = feed_of({{11}, {21, 22, 23}, {31, 32, 33, 34}});
  feed.packets(0)[1]->trace_number = 7;
  // Beats go in from cycle 0 on and leave from cycle 1 on: the sixth leaves in cycle 6, wrong.
  const auto bend = shown([](gw::Beat& b) { b.data[0] += 100; });
  Bent<Toy> a(bend, 6), b(bend, 6);
  Echo<gw::Beat> oracle;
  const Result r = run(a, b, feed, oracle);
  ASSERT_EQ(r.failure.cycle, 6u);
  const std::vector<std::string> expected = {
      "last beats accepted on s_axis:",
      "  packet 2 (7 of the trace) beat 2  in0 byte 22",
      "  packet 2 (7 of the trace) beat 3  in0 byte 23",
      "  packet 3 beat 1  in0 byte 31",
      "  packet 3 beat 2  in0 byte 32",
      "last beats delivered on m_axis, then the one the reference expects (>):",
      "  packet 2 (7 of the trace) beat 1  out0 byte 21",
      "  packet 2 (7 of the trace) beat 2  out0 byte 22",
      "  packet 2 (7 of the trace) beat 3  out0 byte 23",
      "  packet 3 beat 1  out0 byte 31",
      "> packet 3 beat 2  out0 byte 32"};
  EXPECT_EQ(r.failure.lines, expected);
}

TEST(History, ShortPacketsToo) {
  Random random(37);
  PreparedFeed<gw::Beat> feed;
  for (uint8_t i = 1; i <= 9; ++i) {
    feed.add(0, make_packet<gw::Beat>(std::vector<uint8_t>(1 + random.below(32), i)));
  }
  const auto bend = shown([](gw::Beat& b) { b.data[0] += 100; });
  Bent<Toy> a(bend, 7), b(bend, 7);
  Echo<gw::Beat> oracle;
  const Result r = run(a, b, feed, oracle);
  std::vector<std::string> expected = {"last beats accepted on s_axis:"};
  for (const char* n : {"4", "5", "6", "7"}) {
    expected.push_back(std::string("  packet ") + n + " beat 1  in0 byte " + n);
  }
  expected.push_back("last beats delivered on m_axis, then the one the reference expects (>):");
  for (const char* n : {"3", "4", "5", "6"}) {
    expected.push_back(std::string("  packet ") + n + " beat 1  out0 byte " + n);
  }
  expected.push_back("> packet 7 beat 1  out0 byte 7");
  EXPECT_EQ(r.failure.lines, expected);
}

TEST(Values, OfAnErrorBitBesideMetadataDiffer) {
  gw::Beat good;
  good.meta[0] = 0xABC;
  gw::Beat bad = good;
  bad.user = 1;
  ASSERT_STREQ(first_difference(good, bad), "tuser");
  EXPECT_NE(signal_value(good, "tuser"), signal_value(bad, "tuser"));
}

}  // namespace
}  // namespace gw::sim::toys::mutants_test
