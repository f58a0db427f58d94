// Control ports: when transactions begin, what they do to a stream, who hears of them, and cycles
// that are not simulated. What can go wrong is in control_mutants_test.cc.
//
// By hand: a toy's answer is shown two cycles after the request (scaler.h) and taken in the same
// cycle, so that without stalls a transaction is offered in cycle c, answered in c + 2, and the
// next one is offered in c + 3.
// SPDX-License-Identifier: Apache-2.0
#include "sim/harness/control.h"

#include <gtest/gtest.h>

#include <numeric>

#include "sim/harness/chain.h"
#include "tests/harness/scaler.h"
#include "tests/harness/toys.h"
#include "tests/sanitized.h"

namespace gw::sim::toys::control_test {
namespace {

using Scaling = ScalerPorts<>;

struct Scaled {
  Result result;
  ScalerOracle oracle;
};

template <class P = Scaling>
Scaled run_scaled(Feed<gw::Beat>& feed, ControlFeed& controls, const Drive& drive = {},
                  uint64_t quantum = 64) {
  ScalerOracle oracle;
  Scaler<P> a;
  OtherScaler<P> b;
  Result result = run(a, b, feed, oracle, drive, quantum, &controls);
  return {std::move(result), std::move(oracle)};
}

PreparedFeed<gw::Beat> no_packets() { return {}; }
PreparedFeed<gw::Beat> single_beats(size_t n) {
  return irregular_feed<gw::Beat>(1, n, gw::Beat::kBytes);
}

std::vector<uint64_t> offered_in(const Timeline& timeline) {
  std::vector<uint64_t> cycles;
  for (const Access& access : timeline.accesses) cycles.push_back(access.offered);
  return cycles;
}

using Cycles = std::vector<uint64_t>;

// ---- When.

TEST(Schedule, ByCycleAndOneAfterTheOther) {
  PreparedControls controls;
  controls.write(0, kFactor, 3);
  controls.read(0, kFactor);
  controls.write(0, kFactor, 5, {.cycle = 40});
  controls.read(0, kFactor, {.cycle = 41});  // its time comes before its turn
  controls.read(0, kId, {.cycle = 300});
  auto feed = no_packets();
  const Scaled s = run_scaled(feed, controls);
  ASSERT_TRUE(s.result.passed) << explain(s.result.failure);
  EXPECT_EQ(offered_in(s.result.timeline), (Cycles{0, 3, 40, 43, 300}));
  const Access& read = s.result.timeline.accesses[3];
  EXPECT_EQ(read, (Access{.port = 0,
                          .write = false,
                          .address = kFactor,
                          .data = 5,
                          .offered = 43,
                          .accepted = 43,
                          .answered = 45,
                          .taken = 45}));
  EXPECT_EQ(s.result.timeline.accesses[4].data, kIdValue);
  using Heard = std::vector<std::pair<uint32_t, uint32_t>>;
  EXPECT_EQ(s.oracle.heard, (Heard{{kFactor, 3}, {kFactor, 5}}));
  // The last answer is taken in cycle 302: what is left of its chunk, and a quiet one.
  EXPECT_EQ(s.result.timeline.cycles, (302u | 63) + 65);
}

TEST(Schedule, ByEvent) {
  // A packet is accepted in each cycle from 0 on, so that its event shows in 1, 2, 3 ...
  PreparedControls controls;
  controls.write(0, kFactor, 3, {.events = 1, .times = 5});
  controls.write(0, kFactor, 7, {.events = 1, .times = 2});
  controls.write(0, kFactor, 9, {.cycle = 30, .events = 1});
  auto feed = single_beats(50);
  const Scaled s = run_scaled(feed, controls);
  ASSERT_TRUE(s.result.passed) << explain(s.result.failure);
  // The fifth event is cycle 5's. Then those of cycles 6 and 7 are long over when the turn comes.
  EXPECT_EQ(offered_in(s.result.timeline), (Cycles{5, 8, 30}));
  // What is written in cycle c has its effect in c + 2: packet c + 2 is the first.
  for (size_t i = 0; i < 50; ++i) {
    EXPECT_EQ(s.oracle.factors[i], i < 7 ? 1u : i < 10 ? 3u : i < 32 ? 7u : 9u) << i;
  }
}

TEST(Schedule, EventsAreCountedFromTheTransactionBeforeOn) {
  PreparedControls controls;
  controls.write(0, kFactor, 3, {.cycle = 10});
  controls.write(0, kFactor, 7, {.events = 1, .times = 20});
  auto feed = single_beats(50);
  const Scaled s = run_scaled(feed, controls);
  ASSERT_TRUE(s.result.passed) << explain(s.result.failure);
  // Those of cycles 11 to 30.
  EXPECT_EQ(offered_in(s.result.timeline), (Cycles{10, 30}));
}

TEST(Schedule, WhenItIsQuiet) {
  // Twenty beats go in in cycles 0 to 19, the last one leaves in cycle 20.
  PreparedControls controls;
  controls.read(0, kPackets, {.cycle = 5, .quiet = true});
  auto feed = single_beats(20);
  const Scaled s = run_scaled(feed, controls);
  ASSERT_TRUE(s.result.passed) << explain(s.result.failure);
  EXPECT_EQ(offered_in(s.result.timeline), (Cycles{21}));
  EXPECT_EQ(s.result.timeline.accesses[0].data, 20u);
}

TEST(Schedule, ATransactionHoldsPacketsBackUntilItIsAnswered) {
  // Boot, as a feed: three writes, each answered after two cycles, before any packet.
  PreparedControls controls;
  for (const uint32_t factor : {4u, 5u, 6u}) {
    controls.add(0, {.address = kFactor, .data = factor, .holds_packets = true});
  }
  auto feed = single_beats(10);
  const Scaled s = run_scaled(feed, controls);
  ASSERT_TRUE(s.result.passed) << explain(s.result.failure);
  EXPECT_EQ(offered_in(s.result.timeline), (Cycles{0, 3, 6}));
  EXPECT_EQ(s.result.timeline.rows[0].accepted, 9u);
  for (const uint32_t factor : s.oracle.factors) EXPECT_EQ(factor, 6u);
}

TEST(Schedule, DrainsTheDeviceAndGoesOn) {
  for (const char* stall : {"none", "source:30", "both:60"}) {
    PreparedControls controls;
    for (uint32_t i = 1; i <= 6; ++i) {
      controls.add(0, {.address = kFactor,
                       .data = i,
                       .when = {.cycle = 30 * i, .quiet = true},
                       .holds_packets = true});
      controls.add(
          0, {.write = false, .address = kPackets, .when = {.quiet = true}, .holds_packets = true});
    }
    auto feed = irregular_feed<gw::Beat>(3, 200);
    const Scaled s = run_scaled(feed, controls, stalled(stall));
    ASSERT_TRUE(s.result.passed) << explain(s.result.failure);
    ASSERT_EQ(s.result.timeline.accesses.size(), 12u);
    uint64_t amid = 0;
    for (const Access& access : s.result.timeline.accesses) {
      uint32_t before = 0;
      for (const Passage& row : s.result.timeline.rows) {
        EXPECT_TRUE(row.last < access.offered || row.accepted > access.taken);
        before += row.last < access.offered;
      }
      amid += before > 0 && before < s.result.timeline.rows.size();
      if (!access.write) {
        EXPECT_EQ(access.data, before) << "packets";
      }
    }
    EXPECT_GT(amid, 2u);
  }
}

TEST(Schedule, AWriteAndAReadAtOnce) {
  PreparedControls controls;
  controls.write(0, kFactor, 3, {.cycle = 10});
  controls.read(0, kFactor, {.overlaps = true});
  controls.write(0, kFactor, 4, {.overlaps = true});
  controls.read(0, kId);
  auto feed = no_packets();
  const Scaled s = run_scaled(feed, controls);
  ASSERT_TRUE(s.result.passed) << explain(s.result.failure);
  // The read begins a cycle after the write, and sees it; the second write waits for the first.
  EXPECT_EQ(s.result.timeline.control[0].writes, 2u);
  const std::vector<Access>& accesses = s.result.timeline.accesses;
  EXPECT_EQ(accesses[0].offered, 10u);
  EXPECT_EQ(accesses[1].offered, 11u);
  EXPECT_EQ(accesses[1].data, 3u);
  EXPECT_EQ(accesses[2].offered, 13u);
  EXPECT_EQ(accesses[3].offered, 16u);
}

TEST(Schedule, AReadThatOverlapsAWriteMayReturnEither) {
  // A device whose reads are slow: it looks when the address comes, or in the end.
  for (const bool looks_late : {false, true}) {
    struct Slow : Scaler<> {
      void clock(const Offered<Ports>& offered, uint32_t m_ready) {
        if (read && wait == 0) wait = 12, early = factor, kept = *read;
        read.reset();
        Scaler::clock(offered, m_ready);
        if (wait > 0) reply.arready = 0;
        if (wait == 0 || --wait > 0) return;
        reply.arready = reply.rvalid = 1;
        reply.rdata = late ? factor : early;
      }
      uint32_t early = 0, kept = 0;
      int wait = 0;
      bool late = false;
    } a;
    a.late = looks_late;
    PreparedControls controls;
    controls.read(0, kFactor);
    for (const uint32_t factor : {7u, 8u}) controls.write(0, kFactor, factor, {.overlaps = true});
    auto feed = no_packets();
    ScalerOracle oracle;
    const Result r = run(a, {}, feed, oracle, {}, 64, &controls);
    ASSERT_TRUE(r.passed) << explain(r.failure);
    const Access& read = r.timeline.accesses.back();
    ASSERT_FALSE(read.write);
    EXPECT_EQ(read.data, looks_late ? 8u : 1u);
  }
}

// ---- What the oracle hears, and says.

TEST(Effects, OfWritesInMidRunUnderAllStalls) {
  for (const char* stall : {"none", "source:40", "sink:40", "both:70"}) {
    for (const uint64_t seed : {1, 2, 3, 4}) {
      Random random(seed);
      PreparedControls controls;
      uint64_t cycle = 0;
      for (int i = 0; i < 60; ++i) {
        const auto address = static_cast<uint32_t>(4 * random.below(5));
        const When when{.cycle = cycle += random.below(15), .overlaps = random.below(2) != 0};
        controls.add(0, {.write = random.below(2) != 0,
                         .address = random.below(2) != 0 ? kFactor : address,
                         .data = static_cast<uint32_t>(random.next()),
                         .strb = static_cast<uint8_t>(random.below(16)),
                         .when = when});
      }
      auto feed = irregular_feed<gw::Beat>(seed, 300);
      const Scaled s = run_scaled(feed, controls, stalled(stall, seed));
      ASSERT_TRUE(s.result.passed) << explain(s.result.failure);
      const Timeline::Control& control = s.result.timeline.control[0];
      EXPECT_EQ(control.writes + control.reads, 60u);
      EXPECT_GT(control.errors, 0u);
      std::vector<uint32_t> factors = s.oracle.factors;
      std::sort(factors.begin(), factors.end());
      const auto kinds = std::unique(factors.begin(), factors.end()) - factors.begin();
      EXPECT_GT(kinds, 5) << "packets by the factor that they met";
    }
  }
}

TEST(Effects, OfBytesOfAWord) {
  PreparedControls controls;
  controls.write(0, kFactor, 0x11223344);
  controls.add(0, {.address = kFactor, .data = 0xAABBCCDD, .strb = 0b0101});
  controls.add(0, {.address = kFactor, .data = 0x55667788, .strb = 0b1000});
  controls.add(0, {.address = kFactor, .data = 0x99999999, .strb = 0});
  controls.read(0, kFactor);
  auto feed = no_packets();
  const Scaled s = run_scaled(feed, controls);
  ASSERT_TRUE(s.result.passed) << explain(s.result.failure);
  std::vector<uint32_t> words;
  for (const auto& [address, data] : s.oracle.heard) words.push_back(data);
  EXPECT_EQ(words, (std::vector<uint32_t>{0x11223344, 0x11BB33DD, 0x55BB33DD, 0x55BB33DD}));
  EXPECT_EQ(s.result.timeline.accesses.back().data, 0x55BB33DDu);
}

TEST(Effects, OfAnIllegalAddressNone) {
  PreparedControls controls;
  for (const uint32_t address : {+kNowhere, 0x3Cu, +kId, +kPackets}) {
    controls.write(0, address, 99);
  }
  controls.read(0, kNowhere);
  controls.read(0, kFactor);
  auto feed = single_beats(30);
  const Scaled s = run_scaled(feed, controls);
  ASSERT_TRUE(s.result.passed) << explain(s.result.failure);
  EXPECT_TRUE(s.oracle.heard.empty());
  const Timeline& t = s.result.timeline;
  for (size_t i = 0; i < 5; ++i) EXPECT_EQ(t.accesses[i].response, AxiResponse::kSlvErr);
  EXPECT_EQ(t.accesses[5].response, AxiResponse::kOkay);
  EXPECT_EQ(t.accesses[5].data, 1u);
  EXPECT_EQ(t.control[0].errors, 5u);
  EXPECT_EQ(t.control[0].writes, 4u);
  EXPECT_EQ(t.control[0].reads, 2u);
  using Rows = std::vector<std::pair<uint64_t, uint64_t>>;
  EXPECT_EQ(t.control[0].write_cycles.rows(), (Rows{{2, 4}}));
  EXPECT_EQ(t.control[0].read_cycles.rows(), (Rows{{2, 2}}));
}

TEST(Effects, AnOracleThatDoesNotKnowChecksNothing) {
  struct Ignorant final : ScalerOracle {
    std::optional<uint32_t> read(size_t, const Access&) const override { return {}; }
    std::optional<AxiResponse> answers(size_t, const Access&) const override { return {}; }
  } oracle;
  PreparedControls controls;
  controls.read(0, kId);
  controls.read(0, kNowhere);
  auto feed = no_packets();
  struct Odd : Scaler<> {
    void clock(const Offered<Ports>& offered, uint32_t m_ready) {
      Scaler::clock(offered, m_ready);
      if (reply.rvalid != 0) reply.rdata = 42, reply.rresp = AxiResponse::kDecErr;
    }
  } a, b;
  const Result r = run(a, b, feed, oracle, {}, 64, &controls);
  ASSERT_TRUE(r.passed) << explain(r.failure);
  EXPECT_EQ(r.timeline.accesses[0].data, 42u);
  EXPECT_EQ(r.timeline.control[0].errors, 2u);
}

TEST(Effects, WhenTheOracleIsRightNoMoreHostsAreAnsweredAllTheSame) {
  // Without the reference, of which the first packet's last beat differs: whatever a register
  // answers from then on is let through.
  struct Odd : Scaler<> {
    void clock(const Offered<Ports>& offered, uint32_t m_ready) {
      Scaler::clock(offered, m_ready);
      if (showing) shown.data[0] ^= 1;
      if (reply.bvalid != 0) reply.bresp = AxiResponse::kSlvErr;
      if (reply.rvalid != 0) reply.rdata = 42;
    }
  } a;
  PreparedControls controls;
  controls.write(0, kFactor, 3, {.cycle = 10});
  controls.read(0, kFactor, {.cycle = 20});
  controls.read(0, kId, {.cycle = 30});
  auto feed = single_beats(50);
  ScalerOracle oracle;
  Drive drive;
  drive.checks.reference = false;
  const Result r = run(a, {}, feed, oracle, drive, 64, &controls);
  ASSERT_TRUE(r.passed) << explain(r.failure);
  EXPECT_EQ(r.timeline.out[0].beats, 50u);
  EXPECT_EQ(offered_in(r.timeline), (Cycles{10, 20, 30}));
  EXPECT_EQ(r.timeline.accesses[0].response, AxiResponse::kSlvErr);
  for (size_t i = 1; i < 3; ++i) EXPECT_EQ(r.timeline.accesses[i].data, 42u) << i;
  EXPECT_TRUE(oracle.heard.empty());
}

// ---- The master.

/// Notes what it is driven with.
struct Spy : Scaler<> {
  void reset() {
    Scaler::reset();
    driven.clear();
    calls = 0;
  }
  void drive(size_t port, const AxiLiteRequest& request) {
    Scaler::drive(port, request);
    ++calls;
  }
  void clock(const Offered<Ports>& offered, uint32_t m_ready) {
    driven.push_back(request);
    replies.push_back(reply);
    Scaler::clock(offered, m_ready);
  }
  std::vector<AxiLiteRequest> driven;  ///< edge by edge; the first is before cycle 0
  std::vector<AxiLiteReply> replies;
  uint64_t calls = 0;
};

PreparedControls many_accesses(uint64_t seed, int n) {
  Random random(seed);
  PreparedControls controls;
  for (int i = 0; i < n; ++i) {
    controls.add(0, {.write = random.below(2) != 0,
                     .address = kFactor,
                     .data = static_cast<uint32_t>(random.next()),
                     .when = {.overlaps = random.below(2) != 0}});
  }
  return controls;
}

TEST(Master, HesitatesOnEveryChannelAsItsSeedSays) {
  const auto run_spy = [](const char* stall, uint64_t seed) {
    PreparedControls controls = many_accesses(5, 200);
    auto feed = no_packets();
    Spy a;
    OtherScaler b;
    ScalerOracle oracle;
    const Result r = run(a, b, feed, oracle, stalled(stall, seed), 64, &controls);
    EXPECT_TRUE(r.passed) << explain(r.failure);
    return std::pair(std::move(a), r.timeline.accesses);
  };
  const auto [calm, calm_accesses] = run_spy("none", 1);
  const auto [spy, accesses] = run_spy("both:50", 1);
  EXPECT_EQ(accesses, run_spy("both:50", 1).second);
  EXPECT_NE(accesses, run_spy("both:50", 2).second);
  struct Seen {
    int address_first = 0, data_first = 0, together = 0, b_waits = 0, r_waits = 0, ready_early = 0;
  };
  const auto look = [](const Spy& s) {
    Seen seen;
    for (size_t i = 1; i < s.driven.size(); ++i) {
      const AxiLiteRequest &q = s.driven[i], &before = s.driven[i - 1];
      const bool address = q.awvalid > before.awvalid, data = q.wvalid > before.wvalid;
      seen.together += address && data;
      seen.address_first += address && !data && s.replies[i].wready != 0;
      seen.data_first += data && !address && s.replies[i].awready != 0;
      seen.b_waits += s.replies[i].bvalid != 0 && q.bready == 0;
      seen.r_waits += s.replies[i].rvalid != 0 && q.rready == 0;
      seen.ready_early += (q.bready | q.rready) != 0 && s.replies[i].bvalid == 0;
    }
    return seen;
  };
  const Seen none = look(calm), some = look(spy);
  EXPECT_EQ(none.address_first + none.data_first + none.b_waits + none.r_waits, 0);
  for (const int n : {some.address_first, some.data_first, some.together, some.b_waits,
                      some.r_waits, some.ready_early}) {
    EXPECT_GT(n, 10);
  }
}

TEST(Master, IsSilentAndCostsNoCallWhileNothingIsOnItsWay) {
  PreparedControls controls;
  controls.write(0, kFactor, 3, {.cycle = 50});
  auto feed = single_beats(300);
  Spy a;
  OtherScaler b;
  ScalerOracle oracle;
  const Result r = run(a, b, feed, oracle, {}, 64, &controls);
  ASSERT_TRUE(r.passed) << explain(r.failure);
  // Driven in cycle 50 and, without the valids, in 51; silent from 53 on.
  EXPECT_EQ(a.calls, 3u);
  for (size_t i = 0; i < a.driven.size(); ++i) {
    const bool on_its_way = i >= 51 && i <= 53;
    EXPECT_EQ(a.driven[i] == AxiLiteRequest{}, !on_its_way) << i;
  }
}

TEST(Master, ASecondRunBeginsInSilence) {
  // An engine whose last run was broken off amid a transaction.
  Spy a;
  a.request = {.awaddr = kFactor, .wdata = 9, .awvalid = 1, .wvalid = 1};
  auto feed = no_packets();
  ScalerOracle oracle;
  const Result r = run_alone(a, feed, oracle);
  ASSERT_TRUE(r.passed) << explain(r.failure);
  EXPECT_EQ(a.factor, 1u);
}

TEST(Master, ReallyPatientIsNoHang) {
  PreparedControls controls = many_accesses(6, 30);
  auto feed = irregular_feed<gw::Beat>(6, 30);
  const Scaled s = run_scaled(feed, controls, stalled("both:99"));
  EXPECT_TRUE(s.result.passed) << explain(s.result.failure);
}

TEST(Master, WhoeverDrivesTheRunInWhateverSteps) {
  const auto go = [](uint64_t quantum) {
    PreparedControls controls = many_accesses(7, 40);
    controls.read(0, kPackets, {.quiet = true});
    auto feed = irregular_feed<gw::Beat>(7, 60);
    Scaled s = run_scaled(feed, controls, stalled("both:40"), quantum);
    EXPECT_TRUE(s.result.passed) << explain(s.result.failure);
    return std::tuple(s.result.timeline.accesses, s.result.timeline.rows, s.result.timeline.cycles);
  };
  const auto expected = go(64);
  for (const uint64_t quantum : {1, 7, 63, 65, 100'000}) EXPECT_TRUE(go(quantum) == expected);
}

TEST(Master, ControlPortsDoNotChangeHowStreamsStall) {
  // As long as no transaction holds a packet back.
  const auto rows = [](bool with) {
    PreparedControls controls = many_accesses(8, with ? 40 : 0);
    auto feed = irregular_feed<gw::Beat>(8, 60);
    const Scaled s = run_scaled(feed, controls, stalled("both:40"));
    EXPECT_TRUE(s.result.passed) << explain(s.result.failure);
    return s.result.timeline.rows;
  };
  EXPECT_EQ(rows(true), rows(false));
}

TEST(Master, WithoutAFeedNothingIsDriven) {
  auto feed = irregular_feed<gw::Beat>(9, 60);
  Scaler a;
  OtherScaler b;
  ScalerOracle oracle;
  const Result r = run(a, b, feed, oracle);
  EXPECT_TRUE(r.passed) << explain(r.failure);
  EXPECT_EQ(r.timeline.control[0].writes, 0u);
}

TEST(Master, RefusesWhatThePortCannotCarry) {
  const auto with = [](const Transaction& transaction) {
    PreparedControls controls;
    controls.add(0, transaction);
    auto feed = no_packets();
    run_scaled(feed, controls);
  };
  EXPECT_NO_THROW(with({.address = 0x3F}));
  EXPECT_THROW(with({.address = 0x40}), std::logic_error);
  EXPECT_THROW(with({.address = kFactor, .when = {.events = 2}}), std::logic_error);
}

// ---- Feeds.

/// Reads a register until it says what it should: software that polls.
class Polling final : public ControlFeed {
 public:
  explicit Polling(uint32_t goal) : goal_(goal) {}
  Next next(size_t, uint64_t cycle) override {
    asked.push_back(cycle);
    if (reached) return {};
    if (waiting_) return {State::kNotYet, {}};
    waiting_ = true;
    return {State::kTransaction, {.write = false, .address = kPackets}};
  }
  void answered(const Access& access) override {
    waiting_ = false;
    reached = access.data >= goal_;
    ++polls;
  }
  std::vector<uint64_t> asked;
  bool reached = false;
  int polls = 0;

 private:
  const uint32_t goal_;
  bool waiting_ = false;
};

TEST(ControlFeeds, MayWaitForAnswers) {
  Polling controls(100);
  auto feed = single_beats(150);
  const Scaled s = run_scaled(feed, controls);
  ASSERT_TRUE(s.result.passed) << explain(s.result.failure);
  EXPECT_TRUE(controls.reached);
  // A poll takes three cycles; that which is asked in cycle 99 looks in cycle 100.
  EXPECT_EQ(offered_in(s.result.timeline).back(), 99u);
  EXPECT_EQ(controls.polls, 34);
}

TEST(ControlFeeds, AnAnswerIsWhatAStreamsFeedMayHaveWaitedFor) {
  // It is asked for packets in every 64th cycle, and when a transaction is over; not while one is
  // on its way: the write from cycle 5 to 7, the read from 20 to 22.
  PreparedControls controls;
  controls.write(0, kFactor, 3, {.cycle = 5});
  controls.read(0, kFactor, {.cycle = 20});
  Random random(13);
  LateFeed<gw::Beat> feed(1, 64);
  feed.add(0, 21, irregular_packet<gw::Beat>(random, 60));
  const Scaled s = run_scaled(feed, controls);
  ASSERT_TRUE(s.result.passed) << explain(s.result.failure);
  EXPECT_EQ(offered_in(s.result.timeline), (Cycles{5, 20}));
  ASSERT_EQ(s.result.timeline.rows.size(), 1u);
  const uint64_t last = s.result.timeline.rows[0].accepted_last;
  EXPECT_EQ(feed.asked, (Cycles{0, 7, 22, last, 64}));
}

TEST(ControlFeeds, ThatHaveNothingYetAreAskedAgainInEvery64thCycle) {
  struct Late final : ControlFeed {
    Next next(size_t, uint64_t cycle) override {
      if (cycle < 1000) return {State::kNotYet, {}};
      if (given) return {};
      given = true;
      return {State::kTransaction, {.address = kFactor, .data = 2}};
    }
    bool given = false;
  };
  for (const uint64_t quantum : {64, 1, 50}) {
    Late controls;
    auto feed = no_packets();
    const Scaled s = run_scaled(feed, controls, {}, quantum);
    ASSERT_TRUE(s.result.passed) << explain(s.result.failure);
    EXPECT_EQ(offered_in(s.result.timeline), (Cycles{1024}));
  }
}

TEST(ControlFeeds, CanBeFedAgain) {
  PreparedControls controls = many_accesses(10, 20);
  std::vector<Access> first;
  for (int pass = 0; pass < 2; ++pass) {
    controls.rewind();
    auto feed = no_packets();
    const Scaled s = run_scaled(feed, controls);
    ASSERT_TRUE(s.result.passed);
    if (pass == 0) first = s.result.timeline.accesses;
    EXPECT_EQ(s.result.timeline.accesses, first);
    EXPECT_EQ(first.size(), 20u);
  }
}

// ---- Time that is not simulated.

using Still = ScalerPorts<true, 4>;

TEST(Skipping, TransactionsAreNotSkippedOver) {
  for (const char* stall : {"none", "source:30", "both:60", "both:95"}) {
    for (uint64_t seed = 1; seed <= tests::rounds(3u); ++seed) {
      const auto go = [&](bool skip, uint64_t quantum) {
        Random random(seed);
        PreparedFeed<gw::Beat> feed;
        int64_t time = 100;
        for (int i = 0; i < 40; ++i) {
          PacketRef<gw::Beat> packet = irregular_packet<gw::Beat>(random, 60 + random.below(300));
          packet->time_ns = time;
          time += 300 + random.below(random.below(3) == 0 ? 100'000 : 900);
          feed.add(0, packet);
        }
        PreparedControls controls;
        uint64_t cycle = 0;
        for (int i = 0; i < 40; ++i) {
          const uint32_t kind = random.below(4);
          controls.add(0, {.write = kind < 2,
                           .address = kind == 3 ? kPackets : kFactor,
                           .data = static_cast<uint32_t>(random.next()),
                           .when = {.cycle = kind == 1 ? 0 : cycle += random.below(8000),
                                    .events = kind == 1 ? 1u : 0u,
                                    .times = 1 + random.below(2),
                                    .quiet = kind == 3},
                           .holds_packets = random.below(3) == 0});
        }
        Drive drive = stalled(stall, seed);
        drive.skip_idle = skip;
        // Events may come to an end before the transactions that wait for them: one packet more.
        PacketRef<gw::Beat> last = irregular_packet<gw::Beat>(random, 60);
        last->time_ns = time + (tests::kSanitized ? 1'000'000 : 3'000'000);
        feed.add(0, last);
        return run_scaled<Still>(feed, controls, drive, quantum).result;
      };
      const Result without = go(false, 64);
      for (const uint64_t quantum : {64, 1, 77}) {
        const Result with = go(true, quantum);
        EXPECT_EQ(with.passed, without.passed);
        EXPECT_EQ(with.failure.text, without.failure.text);
        EXPECT_GT(with.timeline.skipped, tests::kSanitized ? 50'000u : 100'000u);
        EXPECT_EQ(without.timeline.skipped, 0u);
        EXPECT_TRUE(with.timeline.accesses == without.timeline.accesses);
        EXPECT_TRUE(with.timeline.rows == without.timeline.rows);
        EXPECT_GT(with.timeline.accesses.size(), 10u);
        if (with.passed) {
          EXPECT_EQ(with.timeline.cycles, without.timeline.cycles);
        }
      }
    }
  }
}

TEST(Skipping, ReachesTheCycleOfATransactionAndNoFurther) {
  PreparedControls controls;
  controls.write(0, kFactor, 3, {.cycle = 100'000'000});
  controls.read(0, kFactor, {.cycle = 800'000'001});
  auto feed = no_packets();
  const Scaled s = run_scaled<Still>(feed, controls);
  ASSERT_TRUE(s.result.passed) << explain(s.result.failure);
  EXPECT_EQ(offered_in(s.result.timeline), (Cycles{100'000'000, 800'000'001}));
  EXPECT_EQ(s.result.timeline.cycles, 800'000'003u + 257);
  EXPECT_LT(s.result.timeline.cycles - s.result.timeline.skipped, 1000u);
}

TEST(Skipping, NotWhileAFeedMayHaveATransaction) {
  struct Silent final : ControlFeed {
    Next next(size_t, uint64_t cycle) override {
      return {cycle < 20'000 ? State::kNotYet : State::kOver, {}};
    }
  } controls;
  PreparedFeed<gw::Beat> feed;
  Random random(11);
  PacketRef<gw::Beat> far = irregular_packet<gw::Beat>(random, 60);
  far->time_ns = 1'000'000;
  feed.add(0, far);
  const Scaled s = run_scaled<Still>(feed, controls);
  ASSERT_TRUE(s.result.passed) << explain(s.result.failure);
  EXPECT_LE(s.result.timeline.skipped, 200'000u - 20'000);
  EXPECT_GT(s.result.timeline.skipped, 100'000u);
}

// ---- Engines made of engines.

struct TwoBlocks : StreamPorts<> {
  static constexpr std::array<ControlPort, 2> kControls = {
      {{.name = "s_axil0", .bundle = "s_axil0"}, {.name = "s_axil1", .bundle = "s_axil1"}}};
};

class TwoFactors final : public QueueOracle<gw::Beat> {
 public:
  TwoFactors() : QueueOracle(1) {}
  void arrives(size_t, const PacketRef<gw::Beat>& packet) override {
    PacketRef<gw::Beat> out = make_packet<gw::Beat>();
    out->beats = packet->beats;
    out->source = packet;
    for (gw::Beat& beat : out->beats) {
      for (uint32_t& word : beat.data) word *= factors[0] * factors[1];
    }
    owe(0, std::move(out));
  }
  void configured(size_t port, uint32_t, uint32_t data) override { factors[port] = data; }
  std::optional<uint32_t> read(size_t port, const Access& access) const override {
    return access.address == kFactor ? std::optional(factors[port]) : std::nullopt;
  }
  std::array<uint32_t, 2> factors = {1, 1};
};

TEST(ControlChain, HasThePortsOfBoth) {
  const auto transactions = [](size_t port) {
    std::vector<Transaction> all;
    for (uint32_t i = 1; i < 20; ++i) {
      all.push_back({.address = kFactor,
                     .data = 2 * i + static_cast<uint32_t>(port),
                     .when = {.cycle = 20 * i, .quiet = true},
                     .holds_packets = true});
      all.push_back({.write = false, .address = kFactor});
    }
    return all;
  };
  for (const uint32_t delay : {0, 7}) {
    PreparedControls controls;
    for (size_t port = 0; port < 2; ++port) {
      for (const Transaction& t : transactions(port)) controls.add(port, t);
    }
    auto feed = irregular_feed<gw::Beat>(12, 100);
    Scaler a1;
    OtherScaler a2, b1;
    Scaler b2;
    Chain<TwoBlocks, Scaler<>, OtherScaler<>> a(a1, a2, {.delay = delay});
    Chain<TwoBlocks, OtherScaler<>, Scaler<>> b(b1, b2, {.delay = delay});
    TwoFactors oracle;
    const Result r = run(a, b, feed, oracle, stalled("both:30"), 64, &controls);
    ASSERT_TRUE(r.passed) << explain(r.failure);
    for (const Timeline::Control& control : r.timeline.control) {
      EXPECT_EQ(control.writes, 19u);
      EXPECT_EQ(control.reads, 19u);
    }
    EXPECT_EQ(oracle.factors, (std::array<uint32_t, 2>{38, 39}));
  }
}

struct OneBlock : StreamPorts<> {
  static constexpr auto kControls = Scaling::kControls;
};

TEST(ControlChain, OfAnEngineWithoutIsThatOfTheOther) {
  for (const bool first : {true, false}) {
    PreparedControls controls;
    controls.add(0, {.address = kFactor, .data = 5, .holds_packets = true});
    controls.read(0, kFactor);
    auto feed = irregular_feed<gw::Beat>(13, 40);
    Scaler scaler;
    Passthrough plain;
    ScalerOracle oracle;
    Result r = [&] {
      if (first) {
        Chain<OneBlock, Scaler<>, Passthrough<>> chain(scaler, plain);
        return run(chain, {}, feed, oracle, {}, 64, &controls);
      }
      Chain<OneBlock, Passthrough<>, Scaler<>> chain(plain, scaler);
      return run(chain, {}, feed, oracle, {}, 64, &controls);
    }();
    ASSERT_TRUE(r.passed) << explain(r.failure);
    EXPECT_EQ(r.timeline.accesses[1].data, 5u);
  }
}

/// A node that keeps to itself: its host's stream goes through a scaler.
struct NodePorts {
  using Beat = gw::Beat;
  static constexpr std::array<Port, 3> kInputs =
      flat_ports<3>({"host", "left", "right"}, "s_axis", 1);
  static constexpr std::array<Port, 3> kOutputs = kInputs;
  static constexpr auto kControls = Scaling::kControls;
};
struct Node {
  using Ports = NodePorts;
  void reset() { scaler.reset(); }
  uint32_t s_ready() const { return scaler.s_ready(); }
  const gw::Beat* m_beat(size_t port) const { return port == 0 ? scaler.m_beat(0) : nullptr; }
  uint64_t probe() const { return scaler.probe(); }
  const AxiLiteReply& control(size_t port) const { return scaler.control(port); }
  void drive(size_t port, const AxiLiteRequest& request) { scaler.drive(port, request); }
  void clock(const Offered<NodePorts>& offered, uint32_t m_ready) {
    scaler.clock({offered[0]}, m_ready & 1);
  }
  Scaler<> scaler;
};
struct RingPorts {
  using Beat = gw::Beat;
  static constexpr std::array<Port, 2> kInputs = flat_ports<2>({"s0", "s1"}, "s_axis", 1);
  static constexpr std::array<Port, 2> kOutputs = flat_ports<2>({"m0", "m1"}, "m_axis", 1);
  static constexpr auto kControls = TwoBlocks::kControls;
  static constexpr uint64_t kEvents = 0, kSettles = 0;
};

TEST(ControlRing, HasThePortsOfAllNodes) {
  struct SideBySide final : QueueOracle<gw::Beat> {
    SideBySide() : QueueOracle(2) {}
    void arrives(size_t port, const PacketRef<gw::Beat>& packet) override {
      PacketRef<gw::Beat> out = make_packet<gw::Beat>();
      out->beats = packet->beats;
      out->source = packet;
      for (gw::Beat& beat : out->beats) {
        for (uint32_t& word : beat.data) word *= factors[port];
      }
      owe(port, std::move(out));
    }
    void configured(size_t port, uint32_t, uint32_t data) override { factors[port] = data; }
    std::array<uint32_t, 2> factors = {1, 1};
  } oracle;
  Random random(14);
  PreparedFeed<gw::Beat> feed;
  PreparedControls controls;
  for (size_t port = 0; port < 2; ++port) {
    for (int i = 0; i < 60; ++i) {
      feed.add(port, irregular_packet<gw::Beat>(random, 1 + random.below(150)));
    }
    for (uint32_t i = 1; i < 10; ++i) {
      controls.write(port, kFactor, 3 * i + static_cast<uint32_t>(port), {.cycle = 11 * i});
    }
  }
  std::array<Node, 2> nodes_a, nodes_b;
  Ring<RingPorts, Node> a(std::array{&nodes_a[0], &nodes_a[1]}),
      b(std::array{&nodes_b[0], &nodes_b[1]});
  const Result r = run(a, b, feed, oracle, stalled("both:30"), 64, &controls);
  ASSERT_TRUE(r.passed) << explain(r.failure);
  EXPECT_EQ(oracle.factors, (std::array<uint32_t, 2>{27, 28}));
  EXPECT_EQ(nodes_a[0].scaler.factor, 27u);
  EXPECT_EQ(nodes_b[1].scaler.factor, 28u);
}

}  // namespace
}  // namespace gw::sim::toys::control_test
