// The harness against engines that are wrong on purpose: each fault must be found, named and
// placed.
#include "sim/lockstep.h"

#include <gtest/gtest.h>

#include <functional>

#include "sim/harness/kernel.h"

namespace gw::sim {
namespace {

/// A register slice of one beat, the simplest device there is; `fault` may bend its state after
/// each edge.
class Slice {
 public:
  using Fault = std::function<void(Slice&)>;
  explicit Slice(Fault f = [](Slice&) {}) : fault(std::move(f)) {}

  void reset() {
    valid = ready = false;
    cycle = accepted = 0;
    if (noisy_in_reset) valid = true;
  }
  bool s_ready() const { return ready; }
  const Beat* m_beat() const { return valid ? &beat : nullptr; }
  uint64_t sideband() const { return side; }
  void clock(const Beat* s, bool m_ready) {
    if (valid && m_ready) valid = false;
    if (s != nullptr && ready) {
      beat = *s;
      valid = true;
      ++accepted;
    }
    ready = !valid;
    ++cycle;
    fault(*this);
  }

  Fault fault;
  Beat beat;
  bool valid = false, ready = false, noisy_in_reset = false;
  uint64_t side = 0, cycle = 0, accepted = 0;
};

Stimulus echo(int packets, int beats) {
  Stimulus stimulus;
  uint8_t next = 1;
  for (int p = 0; p < packets; ++p) {
    std::vector<uint8_t> bytes(static_cast<size_t>(beats) * kBeatBytes - 4);
    for (uint8_t& b : bytes) b = next++;
    stimulus.input.append_bytes(bytes);
    stimulus.expected.append_bytes(bytes);
    stimulus.trigger.push_back(0);
    stimulus.trace_number.push_back(0);
  }
  return stimulus;
}

struct Result {
  Failure failure;
  Counters counters;
  bool passed;
};

Result run_pair(Slice a, Slice b, const Stimulus& stimulus, const StallSpec& stall = {}) {
  Lockstep<Slice, Slice> run(a, b, stimulus, stall, 7, "rtl", "model");
  run.reset();
  Kernel::instance().run(run, 100);
  return {run.failure(), run.counters(), run.passed()};
}

Result run_alone(Slice a, const Stimulus& stimulus) {
  NoEngine none;
  Lockstep<Slice> run(a, none, stimulus, {}, 7, "rtl", "");
  run.reset();
  Kernel::instance().run(run, 100);
  return {run.failure(), run.counters(), run.passed()};
}

TEST(Lockstep, PassesAndCounts) {
  const Stimulus stimulus = echo(5, 3);
  const Result r = run_pair(Slice(), Slice(), stimulus);
  EXPECT_TRUE(r.passed);
  EXPECT_EQ(r.counters.input_beats, 15u);
  EXPECT_EQ(r.counters.output_beats, 15u);
  // The slice takes a beat every second cycle.
  EXPECT_EQ(r.counters.first_input, 0u);
  EXPECT_EQ(r.counters.last_input, 28u);
  EXPECT_EQ(r.counters.lockstep_cycles, r.counters.cycles);
}

TEST(Lockstep, PassesUnderEveryStall) {
  const Stimulus stimulus = echo(20, 3);
  for (const char* text : {"source:50", "sink:50", "both:50", "both:99", "source:99", "sink:99"}) {
    const Result r = run_pair(Slice(), Slice(), stimulus, StallSpec::parse(text));
    EXPECT_TRUE(r.passed) << text;
    EXPECT_GT(r.counters.source_stalls + r.counters.sink_stalls, 0u) << text;
  }
}

TEST(Lockstep, SameSeedSameCycles) {
  const Stimulus stimulus = echo(20, 3);
  const StallSpec stall = StallSpec::parse("both:40");
  EXPECT_EQ(run_pair(Slice(), Slice(), stimulus, stall).counters.cycles,
            run_pair(Slice(), Slice(), stimulus, stall).counters.cycles);
}

struct Mutant {
  const char* name;
  Slice::Fault fault;
  FailureKind kind;
  const char* port;
  const char* signal;
};

void PrintTo(const Mutant& m, std::ostream* out) { *out << m.name; }

class LockstepMutant : public testing::TestWithParam<Mutant> {};

TEST_P(LockstepMutant, IsFoundAndNamed) {
  const Stimulus stimulus = echo(10, 3);
  const Result r =
      run_pair(Slice(), Slice(GetParam().fault), stimulus, StallSpec::parse("sink:30"));
  EXPECT_FALSE(r.passed);
  EXPECT_EQ(r.failure.kind, GetParam().kind);
  EXPECT_EQ(r.failure.port, GetParam().port);
  EXPECT_EQ(r.failure.signal, GetParam().signal);
  EXPECT_NE(r.failure.value_a, r.failure.value_b);
}

const auto at = [](uint64_t n, auto act) {
  return [n, act](Slice& s) {
    if (s.accepted == n) act(s);
  };
};

INSTANTIATE_TEST_SUITE_P(
    Mutants, LockstepMutant,
    testing::Values(Mutant{"tready", at(5, [](Slice& s) { s.ready = !s.ready; }),
                           FailureKind::kLockstep, "s_axis", "tready"},
                    Mutant{"tvalid", at(5, [](Slice& s) { s.valid = !s.valid; }),
                           FailureKind::kLockstep, "m_axis", "tvalid"},
                    Mutant{"tdata", at(5, [](Slice& s) { s.beat.data[6] ^= 1u << 31; }),
                           FailureKind::kLockstep, "m_axis", "tdata"},
                    Mutant{"tkeep", at(5, [](Slice& s) { s.beat.keep ^= 1; }),
                           FailureKind::kLockstep, "m_axis", "tkeep"},
                    Mutant{"tlast", at(5, [](Slice& s) { s.beat.last ^= 1; }),
                           FailureKind::kLockstep, "m_axis", "tlast"},
                    Mutant{"tuser", at(5, [](Slice& s) { s.beat.user ^= 1; }),
                           FailureKind::kLockstep, "m_axis", "tuser"},
                    Mutant{"sideband", at(5, [](Slice& s) { s.side = 1; }), FailureKind::kLockstep,
                           "sideband", "outputs"}),
    [](const auto& info) { return info.param.name; });

// Faults that both engines share: only the reference, the rules or the clock can tell.

TEST(Lockstep, ReferenceFindsWhatBothEnginesGetWrong) {
  const auto fault = at(5, [](Slice& s) { s.beat.data[0] ^= 4; });
  const Result r = run_pair(Slice(fault), Slice(fault), echo(10, 3));
  EXPECT_EQ(r.failure.kind, FailureKind::kReference);
  EXPECT_EQ(r.failure.signal, "tdata");
  EXPECT_EQ(r.failure.output_beats, 4u);
}

TEST(Lockstep, ReferenceFindsABeatTooMany) {
  const auto fault = [](Slice& s) {
    if (s.accepted == 6 && !s.valid) s.valid = true;
  };
  const Result r = run_alone(Slice(fault), echo(2, 3));
  EXPECT_EQ(r.failure.kind, FailureKind::kReference);
  EXPECT_EQ(r.failure.signal, "tvalid");
}

TEST(Lockstep, ALostBeatIsSeenAsAHangOrADifference) {
  bool lost = false;
  const auto fault = [&lost](Slice& s) {
    if (s.accepted == 6 && s.valid && !lost) {
      s.valid = false;
      s.ready = true;
      lost = true;
    }
  };
  const Result r = run_alone(Slice(fault), echo(2, 3));  // the last beat of the last packet
  EXPECT_EQ(r.failure.kind, FailureKind::kHang);
  EXPECT_EQ(r.failure.port, "m_axis");
}

TEST(Lockstep, ADeadDeviceIsAHang) {
  const Result r = run_alone(Slice([](Slice& s) { s.ready = false; }), echo(2, 3));
  EXPECT_EQ(r.failure.kind, FailureKind::kHang);
  EXPECT_EQ(r.failure.port, "s_axis");
}

TEST(Lockstep, RulesAreChecked) {
  const auto fault = at(3, [](Slice& s) { s.beat.keep = 5; });
  const Result r = run_alone(Slice(fault), echo(2, 3));
  EXPECT_EQ(r.failure.kind, FailureKind::kProtocol);
  EXPECT_EQ(r.failure.port, "m_axis");
}

TEST(Lockstep, ActivityInResetIsFound) {
  Slice noisy;
  noisy.noisy_in_reset = true;
  EXPECT_EQ(run_alone(noisy, echo(1, 1)).failure.kind, FailureKind::kProtocol);
}

TEST(Lockstep, ABadStimulusIsTheHarnessesFault) {
  Stimulus stimulus = echo(2, 3);
  stimulus.input.beats[1].keep = 0xF;  // partial before tlast
  const Result r = run_alone(Slice(), stimulus);
  EXPECT_EQ(r.failure.kind, FailureKind::kProtocol);
  EXPECT_EQ(r.failure.port, "s_axis");
  EXPECT_EQ(r.failure.engine_a, "harness");
}

}  // namespace
}  // namespace gw::sim
