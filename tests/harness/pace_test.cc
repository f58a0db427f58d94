// Ports with a MAC behind them: when a beat has arrived, how long a packet holds the wire, and time
// that is not simulated.
//
// By hand: 10 Gb/s are 0.8 ns a byte; at 200 MHz, 5 ns a cycle, 0.16 cycles a byte, 4/25.
// SPDX-License-Identifier: Apache-2.0
#include "sim/harness/pace.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <memory>
#include <numeric>

#include "tests/harness/toys.h"
#include "tests/sanitized.h"

namespace gw::sim::toys::pace_test {
namespace {

using Paced = StreamPorts<gw::Beat, 10'000, 2>;
constexpr Pace kTenGbe{.clock_mhz = 200, .wire = ethernet(10)};
using Settling = Passthrough<Paced>;

uint64_t ceil_ratio(uint64_t n, uint64_t d) { return (n + d - 1) / d; }
/// Exact, in integers: (time + 0.8 (preamble + end)) / 5 = (5 time + 4 (8 + end)) / 25.
uint64_t arrival_by_hand(uint64_t time_ns, uint64_t end) {
  return ceil_ratio(5 * time_ns + 4 * (8 + end), 25);
}
/// 100 * cycles for which a frame of so many bytes holds the wire.
uint64_t wire_cycles_x100(uint64_t bytes) { return (bytes + 24) * 16; }

TEST(Pace, ABeatHasArrivedWithItsLastByte) {
  const Pace pace = kTenGbe;
  // A frame of 76 bytes at time 0: beats end with bytes 32, 64 and 76, after the preamble 40, 72
  // and 84: 32, 57.6 and 67.2 ns, 6.4, 11.52 and 13.44 cycles.
  EXPECT_EQ(pace.arrival(0, 32), 7u);
  EXPECT_EQ(pace.arrival(0, 64), 12u);
  EXPECT_EQ(pace.arrival(0, 76), 14u);
  EXPECT_EQ(pace.arrival(-1'000'000, 76), 0u);
  // 17 bytes and the preamble take 20 ns: 4 cycles to the point, not 5.
  EXPECT_EQ(pace.arrival(0, 17), 4u);
  EXPECT_EQ(pace.arrival(5, 17), 5u);
  EXPECT_EQ(pace.arrival(6, 17), 6u);
  // 9 bytes take 7.2 ns. A beat that came in the last nanosecond before the run is there from the
  // first cycle on, one that came in the first nanosecond from the second.
  EXPECT_EQ(pace.arrival(-8, 1), 0u);
  EXPECT_EQ(pace.arrival(-7, 1), 1u);
}

TEST(Pace, IsExactFarIntoACapture) {
  const Pace pace = kTenGbe;
  Random random(1);
  for (const uint64_t begin : {0ull, 123'456ull, 1'000'000'000ull, 3'600'000'000'000ull}) {
    for (int i = 0; i < 20'000; ++i) {
      const uint64_t time = begin + random.below(100'000), end = 1 + random.below(9018);
      ASSERT_EQ(pace.arrival(static_cast<int64_t>(time), end), arrival_by_hand(time, end))
          << time << " ns, byte " << end;
    }
  }
}

TEST(Pace, AFrameHoldsTheWireWithItsOverhead) {
  const Pace pace = kTenGbe;
  EXPECT_DOUBLE_EQ(pace.cycles(76), 16);     // 100 bytes
  EXPECT_DOUBLE_EQ(pace.cycles(60), 13.44);  // the smallest: 84 bytes
  for (uint64_t bytes = 1; bytes <= 9018; ++bytes) {
    EXPECT_NEAR(pace.cycles(bytes) * 100, static_cast<double>(wire_cycles_x100(bytes)), 1e-6);
  }
  // 100 Gb/s at 322.265625 MHz: 0.08 ns a byte, 84 bytes in 6.72 ns.
  const Pace fast{.clock_mhz = 322.265625, .wire = ethernet(100)};
  EXPECT_NEAR(fast.cycles(60), 6.72 * 0.322265625, 1e-12);
}

// ---- Ports.

struct Frame {
  int64_t time_ns;
  size_t bytes;
};

PreparedFeed<gw::Beat> frames(const std::vector<Frame>& list, uint64_t seed = 1) {
  Random random(seed);
  PreparedFeed<gw::Beat> feed;
  for (const Frame& frame : list) {
    PacketRef<gw::Beat> packet = irregular_packet<gw::Beat>(random, frame.bytes);
    packet->time_ns = frame.time_ns;
    feed.add(0, packet);
  }
  return feed;
}

template <class A = Settling, class B = TwoPlaces<Paced>>
Result run_frames(const std::vector<Frame>& list, Drive drive = {}, uint64_t quantum = 64) {
  auto feed = frames(list);
  A a;
  B b;
  Echo<gw::Beat> oracle;
  return run(a, b, feed, oracle, drive, quantum);
}

TEST(PacedPorts, BeatsAreOfferedWhenTheyHaveArrived) {
  const Result r = run_frames({{0, 76}, {1000, 33}});
  ASSERT_TRUE(r.passed) << explain(r.failure);
  ASSERT_EQ(r.timeline.rows.size(), 2u);
  const Passage &first = r.timeline.rows[0], &second = r.timeline.rows[1];
  EXPECT_EQ(first.accepted, 7u);
  EXPECT_EQ(first.accepted_last, 14u);
  EXPECT_EQ(first.first, 8u);
  EXPECT_EQ(first.last, 15u);
  // 1000 ns + 32 ns: 206.4 cycles; byte 33: 1032.8 ns, 206.56 cycles: the same.
  EXPECT_EQ(second.accepted, 207u);
  EXPECT_EQ(second.accepted_last, 208u) << "a beat a cycle, however early it arrived";
  // Paced: the run goes on for 256 cycles after the last beat's.
  EXPECT_EQ(r.timeline.cycles, second.last + 257);
}

TEST(PacedPorts, TheWireTakesAFrameWhenTheOneBeforeIsThrough) {
  // All are there at once. 76 bytes hold the wire for 16 cycles, 60 for 13.44, 100 for 19.84.
  const std::vector<size_t> sizes = {76, 60, 60, 60, 100, 1, 76, 1500, 64};
  std::vector<Frame> list;
  for (const size_t bytes : sizes) list.push_back({0, bytes});
  const Result r = run_frames(list);
  ASSERT_TRUE(r.passed) << explain(r.failure);
  uint64_t free_x100 = 0;
  for (size_t i = 0; i < sizes.size(); ++i) {
    const Passage& row = r.timeline.rows[i];
    if (i > 0) {
      EXPECT_EQ(row.first, free_x100 / 100) << i;
    }
    free_x100 = std::max(free_x100, row.first * 100) + wire_cycles_x100(sizes[i]);
  }
  // Taken in 8, 24, 37.44, 50.88, 64.32, 84.16 ...
  EXPECT_EQ(r.timeline.rows[1].first, 24u);
  EXPECT_EQ(r.timeline.rows[2].first, 37u);
  EXPECT_EQ(r.timeline.rows[5].first, 84u);
  EXPECT_GT(r.timeline.out[0].wire_stalls, 0u);
  EXPECT_EQ(r.timeline.out[0].environment_stalls, 0u);
}

TEST(PacedPorts, ASinkThatHesitatesWhileTheWireIsBusyIsCountedOnce) {
  const std::vector<Frame> list = {{0, 76}, {0, 76}};
  const Result calm = run_frames(list);
  ASSERT_TRUE(calm.passed) << explain(calm.failure);
  ASSERT_EQ(calm.timeline.rows[1].first, 24u);
  const uint64_t waits = 24 - calm.timeline.rows[1].offered;
  EXPECT_EQ(calm.timeline.out[0].wire_stalls, waits);
  const auto stalls = std::make_shared<StallRecord>();
  StallRecord::set(stalls->sinks, 0, 0, uint64_t{0xF} << 19);  // in cycles 19 to 22
  ASSERT_LE(calm.timeline.rows[1].offered, 19u);
  Drive drive;
  drive.stall.recorded = stalls;
  const Result r = run_frames(list, drive);
  ASSERT_TRUE(r.passed) << explain(r.failure);
  EXPECT_EQ(r.timeline.rows, calm.timeline.rows);
  EXPECT_EQ(r.timeline.out[0].environment_stalls, 4u);
  EXPECT_EQ(r.timeline.out[0].wire_stalls, waits - 4);
}

TEST(PacedPorts, AnOutputThatIsFasterThanTheWireWaits) {
  // Sizes and times without a rule, more than the wire carries: it never carries more than it can,
  // and never idles.
  Random random(2);
  std::vector<Frame> list;
  int64_t time = 0;
  for (int i = 0; i < 400; ++i) {
    const size_t bytes = 60 + random.below(1459);
    list.push_back({time, bytes});
    time += static_cast<int64_t>(static_cast<double>(bytes) * 0.8 * random.unit());
  }
  for (const char* stall : {"none", "source:20", "both:30"}) {
    const Result r = run_frames(list, stalled(stall));
    ASSERT_TRUE(r.passed) << explain(r.failure);
    // Binary fractions: where the sum is a whole number of cycles, they may be just below it.
    const auto early = [](uint64_t x100) { return x100 % 100 == 0 ? 1u : 0u; };
    uint64_t sum_x100 = 0;
    for (size_t i = 1; i < list.size(); ++i) {
      sum_x100 += wire_cycles_x100(list[i - 1].bytes);
      const uint64_t begins = r.timeline.rows[i].first - r.timeline.rows[0].first;
      EXPECT_GE(begins + early(sum_x100), sum_x100 / 100) << i;
    }
    const uint64_t took = r.timeline.rows.back().first - r.timeline.rows[0].first;
    if (std::string(stall) == "none") {
      EXPECT_LE(took, sum_x100 / 100);
    }
  }
}

TEST(PacedPorts, LineRateWorkedOutByHand) {
  // 101 bytes and 24 are 125: 100 ns, 20 cycles. One frame every 100 ns is the line rate.
  constexpr uint64_t kFrames = 5000, kCycles = 20;
  std::vector<Frame> list;
  for (uint64_t i = 0; i < kFrames; ++i) list.push_back({static_cast<int64_t>(100 * i), 101});
  const Result r = run_frames(list);
  ASSERT_TRUE(r.passed) << explain(r.failure);
  const Timeline::Port& out = r.timeline.out[0];
  EXPECT_EQ(out.measured, kFrames);
  EXPECT_EQ(out.measured_bytes, (kFrames - 1) * 101);
  EXPECT_EQ(out.measured_to - out.measured_from, (kFrames - 1) * kCycles);
  for (const Passage& row : r.timeline.rows) {
    EXPECT_EQ(row.accepted, arrival_by_hand(100 * row.id, 32));
    EXPECT_EQ(row.offered, row.accepted + 1);
  }
}

TEST(PacedPorts, ASlowWireIsNoHang) {
  // 1 Mb/s: 8 us a byte, 1600 cycles; 76 bytes hold it for 160,000 cycles, longer than a hang.
  using Slow = StreamPorts<gw::Beat, 1, 2>;
  const double cycles = Pace{200, ethernet(0.001)}.cycles(76);
  ASSERT_GT(cycles, 1.5 * static_cast<double>(kHangCycles));
  // Both have arrived before the run begins.
  auto feed = frames({{-1'000'000'000, 76}, {-1'000'000'000, 76}});
  Passthrough<Slow> a;
  Echo<gw::Beat> oracle;
  const Result r = run_alone(a, feed, oracle);
  ASSERT_TRUE(r.passed) << explain(r.failure);
  EXPECT_EQ(r.timeline.rows[1].first - r.timeline.rows[0].first, static_cast<uint64_t>(cycles));
}

// ---- Time that is not simulated.

/// Bursts and silences of all lengths.
std::vector<Frame> capture(uint64_t seed, int n) {
  Random random(seed);
  std::vector<Frame> list;
  int64_t time = static_cast<int64_t>(random.below(5000));
  for (int i = 0; i < n; ++i) {
    const size_t bytes = 60 + random.below(300);
    list.push_back({time, bytes});
    time += static_cast<int64_t>(static_cast<double>(bytes + 24) * 0.8) + 1;
    if (random.below(3) == 0)
      time += random.below(4) == 0 ? random.below(200'000) : random.below(900);
  }
  return list;
}

void expect_same(const Timeline& with, const Timeline& without) {
  EXPECT_TRUE(with.rows == without.rows);
  EXPECT_TRUE(with.in == without.in);
  EXPECT_TRUE(with.out == without.out);
  EXPECT_EQ(with.cycles, without.cycles);
  EXPECT_EQ(with.latency.rows(), without.latency.rows());
  EXPECT_EQ(with.pipeline_latency.rows(), without.pipeline_latency.rows());
  ASSERT_EQ(with.moved_in.bucket_cycles(), without.moved_in.bucket_cycles());
  for (uint64_t i = 0; i < 256; ++i) {
    EXPECT_EQ(with.moved_in.bucket(i), without.moved_in.bucket(i));
    EXPECT_EQ(with.moved_out.bucket(i), without.moved_out.bucket(i));
  }
}

template <class A = Settling, class B = TwoPlaces<Paced>>
std::pair<Result, Result> with_and_without(const std::vector<Frame>& list, Drive drive,
                                           uint64_t quantum = 64) {
  drive.skip_idle = true;
  Result with = run_frames<A, B>(list, drive, quantum);
  drive.skip_idle = false;
  return {std::move(with), run_frames<A, B>(list, drive)};
}

TEST(Skipping, ChangesNothing) {
  for (const char* stall : {"none", "source:30", "sink:60", "both:50", "both:95"}) {
    for (uint64_t seed = 1; seed <= tests::rounds(3u); ++seed) {
      for (const uint64_t quantum : {64, 1, 77}) {
        SCOPED_TRACE(std::string(stall) + " " + std::to_string(seed));
        const auto [with, without] = with_and_without(capture(seed, tests::kSanitized ? 60 : 120),
                                                      stalled(stall, seed), quantum);
        ASSERT_TRUE(with.passed) << explain(with.failure);
        ASSERT_TRUE(without.passed) << explain(without.failure);
        EXPECT_GT(with.timeline.skipped, 0u);
        EXPECT_EQ(without.timeline.skipped, 0u);
        expect_same(with.timeline, without.timeline);
      }
    }
  }
}

TEST(Skipping, SecondsOfSilenceCostNothing) {
  // Four seconds, 800 million cycles; ten frames.
  std::vector<Frame> list;
  for (int64_t i = 0; i < 10; ++i)
    list.push_back({i * 444'444'444, 60 + 100 * static_cast<size_t>(i)});
  const Result r = run_frames(list);
  ASSERT_TRUE(r.passed) << explain(r.failure);
  EXPECT_EQ(r.timeline.cycles, r.timeline.rows.back().last + 257);
  EXPECT_GT(r.timeline.cycles, 799'000'000u);
  // Of each frame: its own time on the wire, at most 960 bytes and 24 of overhead, then up to a
  // chunk that it ends in, one that is quiet, and one to get in step.
  const uint64_t a_frame = wire_cycles_x100(960) / 100 + 3 * 64;
  EXPECT_LE(r.timeline.cycles - r.timeline.skipped, list.size() * a_frame + 257);
}

TEST(Skipping, ADeviceThatNeverSettlesIsSimulatedWhole) {
  using Restless = StreamPorts<gw::Beat, 10'000, 0>;
  const Result r = run_frames<Passthrough<Restless>, TwoPlaces<Restless>>({{0, 60}, {50'000, 60}});
  ASSERT_TRUE(r.passed);
  EXPECT_EQ(r.timeline.skipped, 0u);
}

TEST(Skipping, WaitsForAsLongAsTheDeviceTakesToSettle) {
  constexpr uint64_t kSlow = 1000;
  using Slow = StreamPorts<gw::Beat, 10'000, kSlow>;
  const Result r = run_frames<Passthrough<Slow>, TwoPlaces<Slow>>({{0, 60}, {50'000, 60}});
  ASSERT_TRUE(r.passed);
  const uint64_t rest = r.timeline.rows[1].accepted - r.timeline.rows[0].last;
  EXPECT_GT(r.timeline.skipped, 0u);
  EXPECT_GE(rest - r.timeline.skipped, kSlow);
  EXPECT_LT(rest - r.timeline.skipped, kSlow + 3 * 64);
}

TEST(Skipping, NotWhileSomethingIsOwed) {
  // The oracle waits for what the device keeps until the next packet comes.
  struct Owing final : Echo<gw::Beat> {
    bool quiet() const override { return false; }
  } oracle;
  auto feed = frames({{0, 60}, {50'000, 60}});
  Settling a;
  const Result r = run_alone(a, feed, oracle);
  EXPECT_EQ(r.timeline.skipped, 0u);
  EXPECT_EQ(r.failure.kind, FailureKind::kHang);
}

struct TwoPorts {
  using Beat = gw::Beat;
  static constexpr std::array<Port, 2> kInputs =
      flat_ports<2>({"s0", "s1"}, "s_axis", 1, ethernet(10));
  static constexpr std::array<Port, 2> kOutputs =
      flat_ports<2>({"m0", "m1"}, "m_axis", 1, ethernet(10));
  static constexpr uint64_t kEvents = 0, kSettles = 2;
};

/// Two passthroughs side by side.
struct Twice {
  using Ports = TwoPorts;
  void reset() { one.reset(), two.reset(); }
  uint32_t s_ready() const { return one.s_ready() | two.s_ready() << 1; }
  const gw::Beat* m_beat(size_t p) const { return (p == 0 ? one : two).m_beat(0); }
  uint64_t probe() const { return 0; }
  void clock(const Offered<Ports>& offered, uint32_t ready) {
    one.clock({offered[0]}, ready & 1);
    two.clock({offered[1]}, ready >> 1);
  }
  Settling one, two;
};

TEST(Skipping, NotOverAQuestionToTheFeed) {
  // A feed that has nothing yet may have something in any cycle: of two ports, one waits.
  Twice a;
  struct EchoTwice final : QueueOracle<gw::Beat> {
    EchoTwice() : QueueOracle(2) {}
    void arrives(size_t port, const PacketRef<gw::Beat>& packet) override {
      PacketRef<gw::Beat> out(new Packet<gw::Beat>(*packet));
      out->source = packet;
      owe(port, out);
    }
  } oracle;
  constexpr uint64_t kFrom = 10'000, kOver = 20'000;
  Random random(3);
  LateFeed<gw::Beat> feed(2, kOver);
  feed.add(0, 0, irregular_packet<gw::Beat>(random, 60));
  PacketRef<gw::Beat> far = irregular_packet<gw::Beat>(random, 60);
  far->time_ns = 1'000'000;
  feed.add(0, 0, far);
  feed.add(1, kFrom, irregular_packet<gw::Beat>(random, 60));
  const Result r = run_alone(a, feed, oracle);
  ASSERT_TRUE(r.passed) << explain(r.failure);
  ASSERT_EQ(r.timeline.rows.size(), 3u);
  EXPECT_EQ(r.timeline.rows[1].in, 1u);
  EXPECT_EQ(r.timeline.rows[1].accepted, (kFrom + 63) / 64 * 64);
  EXPECT_GT(r.timeline.skipped, 0u) << "once the feed is over";
}

/// State that moves by itself in silence: it hesitates in every 1024th cycle since reset.
class Clockwork : public Settling {
 public:
  void reset() {
    Settling::reset();
    cycle_ = 0;
  }
  void clock(const Offered<Ports>& offered, uint32_t m_ready) {
    Settling::clock(offered, m_ready);
    ++cycle_;
    hesitate();
  }

 protected:
  void hesitate() { ready = ready && cycle_ % 1024 >= 200; }
  uint64_t cycle_ = 0;
};

TEST(Skipping, ADeviceThatMovesInSilenceIsCaughtByTheComparison) {
  const auto [with, without] = with_and_without<Clockwork, Clockwork>(capture(4, 120), {});
  ASSERT_TRUE(with.passed);
  ASSERT_TRUE(without.passed);
  EXPECT_FALSE(with.timeline.rows == without.timeline.rows);
}

TEST(Skipping, ADeviceThatIsToldHowLongItSleptMayHaveAClock) {
  struct Told : Clockwork {
    void skip(uint64_t cycles) {
      cycle_ += cycles;
      ready = true;  // it is still: nothing waits within
      hesitate();
    }
  };
  const auto [with, without] = with_and_without<Told, Told>(capture(4, 120), stalled("both:40"));
  ASSERT_TRUE(with.passed);
  EXPECT_GT(with.timeline.skipped, 0u);
  expect_same(with.timeline, without.timeline);
}

}  // namespace
}  // namespace gw::sim::toys::pace_test
