// The control ports' checks in the loop with devices that go wrong on purpose: one check, one
// mutant, found in its cycle and called by port, channel and signal.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tests/harness/scaler.h"
#include "tests/harness/toys.h"
#include "tests/sanitized.h"

namespace gw::sim::toys::control_mutants_test {
namespace {

using Toy = Scaler<>;
using Mutation = std::function<bool(Toy&)>;
enum class Who { kA, kB, kBoth };

struct Row {
  const char* name;
  Who who;
  std::function<Mutation()> bend;  ///< one for each engine and run: some remember
  FailureKind kind;
  const char *channel, *signal;
  const char* text;  ///< of a rule
};

constexpr auto kLockstep = FailureKind::kLockstep;
constexpr auto kReference = FailureKind::kReference;
constexpr auto kProtocol = FailureKind::kProtocol;

const auto always = [](auto act) {
  return [act] { return [act](Toy& t) { return act(t), true; }; };
};
const auto when = [](auto holds, auto act) {
  return [=] { return [=](Toy& t) { return holds(t) && (act(t), true); }; };
};

/// Acts on a response in the first cycle that shows it, or in a later one: it waits.
template <uint8_t AxiLiteReply::*kValid, uint8_t AxiLiteRequest::*kReady>
auto response(bool waits, std::function<bool(Toy&)> act) {
  return [=] {
    return [=, shown = false](Toy& t) mutable {
      const bool waited = shown && t.request.*kReady == 0;
      shown = t.reply.*kValid != 0;
      return shown && waited == waits && act(t);
    };
  };
}
const auto b_fresh = [](std::function<bool(Toy&)> act) {
  return response<&AxiLiteReply::bvalid, &AxiLiteRequest::bready>(false, std::move(act));
};
const auto b_waits = [](std::function<bool(Toy&)> act) {
  return response<&AxiLiteReply::bvalid, &AxiLiteRequest::bready>(true, std::move(act));
};
const auto r_fresh = [](std::function<bool(Toy&)> act) {
  return response<&AxiLiteReply::rvalid, &AxiLiteRequest::rready>(false, std::move(act));
};
const auto r_waits = [](std::function<bool(Toy&)> act) {
  return response<&AxiLiteReply::rvalid, &AxiLiteRequest::rready>(true, std::move(act));
};
const auto b_set = [](AxiResponse from, AxiResponse to) {
  return [=](Toy& t) { return t.reply.bresp == from && (t.reply.bresp = to, true); };
};
const auto r_set = [](AxiResponse from, AxiResponse to) {
  return [=](Toy& t) { return t.reply.rresp == from && (t.reply.rresp = to, true); };
};
const auto other_data = [](Toy& t) {
  return t.reply.rresp == AxiResponse::kOkay && (t.reply.rdata ^= 1u << 31, true);
};

const std::vector<Row>& rows() {
  using enum AxiResponse;
  using enum AxiLiteRule;
  const auto text = axi_lite_rule_text;
  static const std::vector<Row> kRows = {
      // One engine differs: every output, from either side.
      {"awready_of_a", Who::kA, always([](Toy& t) { t.reply.awready ^= 1; }), kLockstep, "AW",
       "awready", ""},
      {"awready_of_b", Who::kB, always([](Toy& t) { t.reply.awready ^= 1; }), kLockstep, "AW",
       "awready", ""},
      {"wready_of_a", Who::kA, always([](Toy& t) { t.reply.wready ^= 1; }), kLockstep, "W",
       "wready", ""},
      {"wready_of_b", Who::kB, always([](Toy& t) { t.reply.wready ^= 1; }), kLockstep, "W",
       "wready", ""},
      {"bvalid_of_a", Who::kA, always([](Toy& t) { t.reply.bvalid ^= 1; }), kLockstep, "B",
       "bvalid", ""},
      {"bvalid_of_b", Who::kB, always([](Toy& t) { t.reply.bvalid ^= 1; }), kLockstep, "B",
       "bvalid", ""},
      {"bresp_of_a", Who::kA, b_fresh(b_set(kOkay, kSlvErr)), kLockstep, "B", "bresp", ""},
      {"bresp_of_b", Who::kB, b_fresh(b_set(kSlvErr, kDecErr)), kLockstep, "B", "bresp", ""},
      {"arready_of_a", Who::kA, always([](Toy& t) { t.reply.arready ^= 1; }), kLockstep, "AR",
       "arready", ""},
      {"arready_of_b", Who::kB, always([](Toy& t) { t.reply.arready ^= 1; }), kLockstep, "AR",
       "arready", ""},
      {"rvalid_of_a", Who::kA, always([](Toy& t) { t.reply.rvalid ^= 1; }), kLockstep, "R",
       "rvalid", ""},
      {"rvalid_of_b", Who::kB, always([](Toy& t) { t.reply.rvalid ^= 1; }), kLockstep, "R",
       "rvalid", ""},
      {"rresp_of_a", Who::kA, r_fresh(r_set(kOkay, kSlvErr)), kLockstep, "R", "rresp", ""},
      {"rresp_of_b", Who::kB, r_fresh(r_set(kSlvErr, kOkay)), kLockstep, "R", "rresp", ""},
      {"rdata_of_a", Who::kA, r_fresh(other_data), kLockstep, "R", "rdata", ""},
      {"rdata_of_b", Who::kB, r_fresh(other_data), kLockstep, "R", "rdata", ""},

      // Both are wrong alike: the reference says so.
      {"refuses_a_register", Who::kBoth, b_fresh(b_set(kOkay, kSlvErr)), kReference, "B", "bresp",
       ""},
      {"accepts_what_is_none", Who::kBoth, b_fresh(b_set(kSlvErr, kOkay)), kReference, "B", "bresp",
       ""},
      {"decodes_wrongly", Who::kBoth, b_fresh(b_set(kSlvErr, kDecErr)), kReference, "B", "bresp",
       ""},
      {"refuses_a_read", Who::kBoth, r_fresh(r_set(kOkay, kSlvErr)), kReference, "R", "rresp", ""},
      {"reads_what_is_none", Who::kBoth, r_fresh(r_set(kSlvErr, kOkay)), kReference, "R", "rresp",
       ""},
      {"reads_wrongly", Who::kBoth, r_fresh(other_data), kReference, "R", "rdata", ""},

      // Rules of AXI4-Lite.
      {"bvalid_dropped", Who::kBoth, b_waits([](Toy& t) { return t.reply.bvalid = 0, true; }),
       kProtocol, "B", "bvalid", text(kValidDropped)},
      {"rvalid_dropped", Who::kBoth, r_waits([](Toy& t) { return t.reply.rvalid = 0, true; }),
       kProtocol, "R", "rvalid", text(kValidDropped)},
      {"bresp_changed", Who::kBoth, b_waits(b_set(kOkay, kSlvErr)), kProtocol, "B", "bresp",
       text(kPayloadChanged)},
      {"rresp_changed", Who::kBoth, r_waits(r_set(kOkay, kSlvErr)), kProtocol, "R", "rresp",
       text(kPayloadChanged)},
      {"rdata_changed", Who::kBoth, r_waits(other_data), kProtocol, "R", "rdata",
       text(kPayloadChanged)},
      {"write_answered_unasked", Who::kBoth,
       when([](Toy& t) { return t.reply.bvalid == 0 && !t.address && !t.data; },
            [](Toy& t) { t.reply.bvalid = 1; }),
       kProtocol, "B", "bvalid", text(kWriteResponseUnasked)},
      {"write_answered_without_data", Who::kBoth,
       when([](Toy& t) { return t.reply.bvalid == 0 && t.address && !t.data; },
            [](Toy& t) { t.reply.bvalid = 1; }),
       kProtocol, "B", "bvalid", text(kWriteResponseEarly)},
      {"write_answered_without_address", Who::kBoth,
       when([](Toy& t) { return t.reply.bvalid == 0 && !t.address && t.data; },
            [](Toy& t) { t.reply.bvalid = 1; }),
       kProtocol, "B", "bvalid", text(kWriteResponseEarly)},
      {"read_answered_unasked", Who::kBoth,
       when([](Toy& t) { return t.reply.rvalid == 0 && !t.read; },
            [](Toy& t) { t.reply.rvalid = 1; }),
       kProtocol, "R", "rvalid", text(kReadResponseUnasked)},
      {"write_exclusive", Who::kBoth, b_fresh(b_set(kOkay, kExOkay)), kProtocol, "B", "bresp",
       text(kExclusive)},
      {"read_exclusive", Who::kBoth, r_fresh(r_set(kSlvErr, kExOkay)), kProtocol, "R", "rresp",
       text(kExclusive)},
  };
  return kRows;
}

PreparedControls traffic(uint64_t seed) {
  Random random(seed);
  PreparedControls controls;
  for (int i = 0; i < 120; ++i) {
    controls.add(0, {.write = random.below(2) != 0,
                     .address = random.below(3) != 0 ? +kFactor : 4 * random.below(10),
                     .data = static_cast<uint32_t>(random.next()),
                     .when = {.overlaps = random.below(2) != 0}});
  }
  return controls;
}

class ControlMutants : public testing::TestWithParam<size_t> {};

TEST_P(ControlMutants, IsFoundInItsCycleAndNamed) {
  const Row& row = rows()[GetParam()];
  constexpr uint64_t kFrom = 90;
  for (uint64_t seed = 1; seed <= tests::rounds(3u); ++seed) {
    auto feed = irregular_feed<gw::Beat>(seed, 100);
    PreparedControls controls = traffic(seed);
    Bent<Toy> a(row.who != Who::kB ? row.bend() : nullptr, kFrom);
    Bent<Toy> b(row.who != Who::kA ? row.bend() : nullptr, kFrom);
    ScalerOracle oracle;
    const Result r = run(a, b, feed, oracle, stalled("both:40", seed), 64, &controls);
    const uint64_t bent_at = std::min(a.bent_at, b.bent_at);
    ASSERT_NE(bent_at, kNever) << "the mutant never acted";
    EXPECT_FALSE(r.passed);
    EXPECT_EQ(r.failure.kind, row.kind) << explain(r.failure);
    EXPECT_EQ(r.failure.port, "s_axil") << explain(r.failure);
    EXPECT_EQ(r.failure.channel, row.channel);
    EXPECT_EQ(r.failure.signal, row.signal);
    EXPECT_EQ(r.failure.text, row.text);
    EXPECT_EQ(r.failure.cycle, bent_at);
    expect_blamed(r.failure);
  }
}

INSTANTIATE_TEST_SUITE_P(All, ControlMutants, testing::Range<size_t>(0, rows().size()),
                         [](const auto& info) { return rows()[info.param].name; });

// ---- The effect of a write, as the stream shows it: nothing is read.

/// Writes another factor now and then, while single beats pass, one a cycle.
Result run_writes(const std::function<void(Toy&, uint32_t before)>& after_write) {
  struct Bad : Toy {
    void clock(const Offered<Ports>& offered, uint32_t m_ready) {
      const uint32_t before = factor;
      const bool shown = reply.bvalid != 0;
      Toy::clock(offered, m_ready);
      if (reply.bvalid > shown) act(*this, before);
    }
    std::function<void(Toy&, uint32_t)> act;
  } a, b;
  a.act = b.act = after_write;
  PreparedControls controls;
  for (uint32_t i = 1; i <= 5; ++i) controls.write(0, kFactor, 2 * i + 1, {.cycle = 20 * i});
  auto feed = irregular_feed<gw::Beat>(1, 200, gw::Beat::kBytes);
  ScalerOracle oracle;
  return run(a, b, feed, oracle, {}, 64, &controls);
}

TEST(ControlEffects, AWriteThatIsLost) {
  EXPECT_TRUE(run_writes([](Toy&, uint32_t) {}).passed);
  const Result r = run_writes([](Toy& t, uint32_t before) { t.factor = before; });
  EXPECT_EQ(r.failure.kind, kReference) << explain(r.failure);
  EXPECT_EQ(r.failure.port, "m_axis");
  EXPECT_EQ(r.failure.signal, "tdata");
  // Written in cycle 20, in effect for what is accepted in 22, which is shown in 23.
  EXPECT_EQ(r.failure.cycle, 23u);
}

TEST(ControlEffects, AWriteThatChangesOneBitOfTheRegisterLess) {
  const Result r =
      run_writes([](Toy& t, uint32_t before) { t.factor = (t.factor & ~4u) | (before & 4); });
  EXPECT_EQ(r.failure.kind, kReference);
  EXPECT_EQ(r.failure.port, "m_axis");
}

TEST(ControlEffects, AWriteThatComesACycleLate) {
  struct Late : Toy {
    void clock(const Offered<Ports>& offered, uint32_t m_ready) {
      const uint32_t before = factor;
      Toy::clock(offered, m_ready);
      if (late != 0) factor = late, late = 0;
      if (factor != before && last == before) late = factor, factor = before;
      last = factor;
    }
    uint32_t late = 0, last = 1;
  } a, b;
  PreparedControls controls;
  controls.write(0, kFactor, 3, {.cycle = 20});
  auto feed = irregular_feed<gw::Beat>(1, 200, gw::Beat::kBytes);
  ScalerOracle oracle;
  const Result r = run(a, b, feed, oracle, {}, 64, &controls);
  EXPECT_EQ(r.failure.port, "m_axis") << explain(r.failure);
  EXPECT_EQ(r.failure.cycle, 23u);
}

// ---- Reset.

TEST(ControlReset, WhoeverDrivesAnOutputHighIsNamed) {
  struct Noisy : Toy {
    void reset() {
      Toy::reset();
      if (flag != nullptr) reply.*flag = 1;
    }
    uint8_t AxiLiteReply::*flag = nullptr;
  };
  struct Case {
    const char *channel, *signal;
    uint8_t AxiLiteReply::*flag;
  };
  for (const Case& c :
       {Case{"AW", "awready", &AxiLiteReply::awready}, Case{"W", "wready", &AxiLiteReply::wready},
        Case{"B", "bvalid", &AxiLiteReply::bvalid}, Case{"AR", "arready", &AxiLiteReply::arready},
        Case{"R", "rvalid", &AxiLiteReply::rvalid}}) {
    for (const bool of_a : {true, false}) {
      Noisy a, b;
      (of_a ? a : b).flag = c.flag;
      auto feed = irregular_feed<gw::Beat>(2, 3);
      ScalerOracle oracle;
      const Result r = run(a, b, feed, oracle);
      const bool ready = std::string_view(c.signal).ends_with("ready");
      EXPECT_EQ(r.failure.kind, ready ? FailureKind::kProfile : kProtocol);
      EXPECT_EQ(r.failure.port, "s_axil");
      EXPECT_EQ(r.failure.channel, c.channel);
      EXPECT_EQ(r.failure.signal, c.signal);
      EXPECT_EQ(r.failure.engine_a, of_a ? "rtl" : "model");
      EXPECT_EQ(r.failure.text, axi_lite_rule_text(ready ? AxiLiteRule::kReadyInReset
                                                         : AxiLiteRule::kActiveInReset));
      EXPECT_EQ(r.timeline.cycles, 0u);
    }
  }
}

// ---- Transactions that never come to their end.

/// The first cycle in which the loop, that looks every 64 cycles, has seen so much rest.
uint64_t hang_after(uint64_t last_moved) { return (last_moved + kHangCycles + 63) / 64 * 64; }

Result run_hang(PreparedControls controls, const std::function<void(Toy&)>& after_clock,
                size_t packets = 20) {
  struct Hanging : Toy {
    void clock(const Offered<Ports>& offered, uint32_t m_ready) {
      Toy::clock(offered, m_ready);
      if (act) act(*this);
    }
    std::function<void(Toy&)> act;
  } a, b;
  a.act = b.act = after_clock;
  auto feed = irregular_feed<gw::Beat>(3, packets, gw::Beat::kBytes);
  ScalerOracle oracle;
  return run(a, b, feed, oracle, {}, 64, &controls);
}

TEST(ControlHangs, AWriteOrReadThatIsNotAnswered) {
  struct Case {
    bool write;
    std::function<void(Toy&)> act;
    uint64_t last;  ///< handshake of the port
    const char* text;
  };
  const std::vector<Case> cases = {
      {true, [](Toy& t) { t.reply.awready = 0; }, 40, "the write of 0x004 is not answered"},
      {true, [](Toy& t) { t.reply.wready = 0; }, 40, "the write of 0x004 is not answered"},
      {true, [](Toy& t) { t.reply.bvalid = 0; }, 40, "the write of 0x004 is not answered"},
      {false, [](Toy& t) { t.reply.arready = 0; }, 20, "the read of 0x004 is not answered"},
      {false, [](Toy& t) { t.reply.rvalid = 0; }, 40, "the read of 0x004 is not answered"}};
  for (const Case& c : cases) {
    PreparedControls controls;
    controls.add(0, {.write = c.write, .address = kFactor, .data = 1, .when = {.cycle = 40}});
    const Result r = run_hang(std::move(controls), c.act);
    EXPECT_EQ(r.failure.kind, FailureKind::kHang) << explain(r.failure);
    EXPECT_EQ(r.failure.port, "s_axil");
    EXPECT_EQ(r.failure.text, no_beat_moved(kHangCycles) + ": " + c.text);
    EXPECT_EQ(r.failure.cycle, hang_after(c.last));
  }
}

TEST(ControlHangs, AnEventThatDoesNotCome) {
  PreparedControls controls;
  controls.write(0, kFactor, 3, {.events = 1, .times = 23});
  const Result r = run_hang(std::move(controls), nullptr);
  EXPECT_EQ(r.failure.kind, FailureKind::kHang) << explain(r.failure);
  EXPECT_EQ(r.failure.port, "s_axil");
  EXPECT_EQ(r.failure.text,
            no_beat_moved(kHangCycles) + ": the write of 0x004 waits for event 0x1, 3 more times");
  EXPECT_EQ(r.failure.cycle, hang_after(20));
}

TEST(ControlHangs, AnEventThatComesLaterIsNone) {
  // Paced, half a second apart: the transaction waits in silence for longer than a hang takes.
  for (const bool skip : {true, false}) {
    using Still = ScalerPorts<true, 4>;
    PreparedControls controls;
    controls.write(0, kFactor, 3, {.events = 1, .times = 2});
    Random random(4);
    PreparedFeed<gw::Beat> feed;
    for (const int64_t time : {0, 1'000'000}) {
      PacketRef<gw::Beat> packet = irregular_packet<gw::Beat>(random, 60);
      packet->time_ns = time;
      feed.add(0, packet);
    }
    Scaler<Still> a;
    OtherScaler<Still> b;
    ScalerOracle oracle;
    Drive drive;
    drive.skip_idle = skip;
    const Result r = run(a, b, feed, oracle, drive, 64, &controls);
    ASSERT_TRUE(r.passed) << explain(r.failure);
    EXPECT_EQ(r.timeline.accesses[0].offered, r.timeline.rows[1].accepted_last + 1);
    EXPECT_EQ(r.timeline.skipped > 0, skip);
  }
}

TEST(ControlHangs, AQuietThatDoesNotComeIsTheStreams) {
  // The last packet never leaves: it is owed, and the transaction waits for it.
  PreparedControls controls;
  controls.read(0, kFactor, {.cycle = 10, .quiet = true});
  const Result r = run_hang(
      std::move(controls),
      [n = 0](Toy& t) mutable {
        if (++n > 40) t.showing = false;
      },
      40);
  EXPECT_EQ(r.failure.kind, FailureKind::kHang) << explain(r.failure);
  EXPECT_EQ(r.failure.port, "m_axis");
}

}  // namespace
}  // namespace gw::sim::toys::control_mutants_test
