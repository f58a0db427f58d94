// Time that is not simulated: the same passages in the same cycles with and without it.
// SPDX-License-Identifier: Apache-2.0
#include "tests/sanitized.h"
#include "tests/switch/support.h"

namespace gw::testbenches::testing::skip_test {
namespace {

constexpr int64_t kMillisecond = 1'000'000, kSecond = 1'000 * kMillisecond;

/// A list's frames with silence in front of some of them, of a length that `silence` draws.
std::vector<sim::RawPacket> with_silence(sim::FrameList list, sim::Random& random, uint32_t one_in,
                                         auto&& silence) {
  std::vector<sim::RawPacket> packets;
  int64_t shift = 0;
  for (sim::Frame& frame : list.frames) {
    if (random.below(one_in) == 0) shift += silence();
    packets.push_back({.bytes = std::move(frame.bytes),
                       .port = static_cast<uint32_t>(frame.port),
                       .time_ns = frame.time_ns + shift});
  }
  return packets;
}

sim::Outcome run_packets(const std::vector<sim::RawPacket>& packets, sim::RunSpec spec, bool skip) {
  spec.skip_idle = skip;
  sim::ListSource source(packets);
  return run("switch", source, spec);
}

void expect_the_same(const std::vector<sim::RawPacket>& packets, const sim::RunSpec& spec) {
  const sim::Outcome with = run_packets(packets, spec, true);
  const sim::Outcome without = run_packets(packets, spec, false);
  EXPECT_TRUE(same_passages(with, without));
  EXPECT_EQ(with.timeline.cycles, without.timeline.cycles);
  EXPECT_EQ(with.statistics, without.statistics);
  EXPECT_EQ(with.sections, without.sections);
  EXPECT_GT(with.timeline.skipped, 0u);
  EXPECT_EQ(without.timeline.skipped, 0u);
  for (size_t p = 0; p < 4; ++p) {
    EXPECT_EQ(with.timeline.in[p].environment_stalls, without.timeline.in[p].environment_stalls);
    EXPECT_EQ(with.timeline.in[p].device_stalls, without.timeline.in[p].device_stalls);
    EXPECT_EQ(with.timeline.out[p].environment_stalls, without.timeline.out[p].environment_stalls);
    EXPECT_EQ(with.timeline.out[p].wire_stalls, without.timeline.out[p].wire_stalls);
  }
}

TEST(Skip, SecondsOfSilenceChangeNothing) {
  // At 2 MHz, so that the run without a jump takes a second, too: 3 s are 6 M cycles.
  sim::RunSpec spec = spec_of("switch", {{"sequences", "8"}});
  spec.clock_mhz = 2;
  spec.rtl = false;
  int silences = 0;
  sim::Random random(seed());
  const auto packets = with_silence(
      synthesise_frames("workers", seed(), 0, traffic_spec(spec.options)), random, 16, [&] {
        ++silences;
        return silences <= 3 ? kSecond : 0;
      });
  ASSERT_GE(silences, 3);
  expect_the_same(packets, spec);
}

TEST(Skip, LengthOfTheSilenceDoesNotMatter) {
  // A whole number of cycles longer: all behind it comes as much later, and nothing else changes.
  const auto rows_with = [](int64_t silence) {
    sim::RunSpec spec = spec_of("switch", {{"workers", "1"}});
    sim::Random random(seed());
    const auto packets = with_silence(synthesise_frames("gradient-192", seed(), 200, {}), random,
                                      50, [silence] { return silence; });
    sim::Outcome outcome = run_packets(packets, spec, true);
    EXPECT_LT(outcome.timeline.cycles - outcome.timeline.skipped, 100'000u);
    std::vector<uint64_t> latencies;
    for (const sim::Passage& p : outcome.timeline.rows) latencies.push_back(p.last - p.accepted);
    return latencies;
  };
  const auto latencies = rows_with(kMillisecond);
  EXPECT_EQ(rows_with(kSecond), latencies);
  // Times are doubles: after 14 million million cycles a beat may come one earlier or later.
  const std::vector<uint64_t> late = rows_with(20 * 3600 * kSecond);
  ASSERT_EQ(late.size(), latencies.size());
  for (size_t i = 0; i < late.size(); ++i) {
    EXPECT_NEAR(static_cast<double>(late[i]), static_cast<double>(latencies[i]), 2) << i;
  }
}

/// A port that gets nothing for long is not looked for through the whole stimulus: the run is the
/// same as with all packets at hand.
TEST(Skip, PacketsThatAreReadWhenTheyAreDueComeAsIfAllWereThere) {
  for (const char* kind : {"incast", "irregular", "workers", "anything"}) {
    for (const char* stall : {"none", "both:85"}) {
      SCOPED_TRACE(std::string(kind) + " " + stall);
      sim::RunSpec spec = spec_of("switch");
      spec.rtl = false;
      spec.stall = sim::StallSpec::parse(stall);
      spec.stimulus = {.synth = kind, .packets = 500};
      std::vector<sim::RawPacket> packets;
      const auto whole = device("switch").source(spec), streamed = device("switch").source(spec);
      while (auto packet = whole->next()) packets.push_back(std::move(*packet));
      sim::ListSource list(std::move(packets));
      const sim::Outcome a = run("switch", list, spec), b = run("switch", *streamed, spec);
      EXPECT_TRUE(same_passages(a, b));
      EXPECT_EQ(a.timeline.cycles, b.timeline.cycles);
      EXPECT_EQ(a.timeline.skipped, b.timeline.skipped);
      EXPECT_EQ(a.timeline.in, b.timeline.in);
      EXPECT_EQ(a.timeline.out, b.timeline.out);
    }
  }
}

using Point = std::tuple<const char*, const char*, uint64_t>;  // stall, traffic, seed

class SkipMatrix : public ::testing::TestWithParam<Point> {};

// Silences of about as long as the switch takes to settle, in lockstep, with stalls.
TEST_P(SkipMatrix, ChangesNothing) {
  const auto& [stall, traffic, salt] = GetParam();
  sim::RunSpec spec = spec_of("switch", {{"workers", std::to_string(1 + salt % 3)}});
  spec.seed = seed() * 100 + salt;
  spec.stall = sim::StallSpec::parse(stall);
  sim::Random random(spec.seed);
  const auto packets =
      with_silence(synthesise_frames(traffic, spec.seed, 200, traffic_spec(spec.options)), random,
                   8, [&] { return static_cast<int64_t>(5'000 + random.below(30'000)); });
  expect_the_same(packets, spec);
}

INSTANTIATE_TEST_SUITE_P(
    Switch, SkipMatrix,
    ::testing::Combine(::testing::Values("none", "source:30", "sink:30", "both:30"),
                       ::testing::ValuesIn(tests::points_of<const char*>(
                           {"anything", "workers", "irregular", "gradient-192"}, 2)),
                       ::testing::Range<uint64_t>(1, 1 + tests::rounds(2u))),
    [](const ::testing::TestParamInfo<Point>& info) {
      std::string name = std::string(std::get<0>(info.param)) + "_" + std::get<1>(info.param) +
                         "_seed" + std::to_string(std::get<2>(info.param));
      for (char& c : name) c = c == ':' || c == '-' ? '_' : c;
      return name;
    });

/// Frames that a station sends to itself are computed on and filtered: the longest work there is of
/// which no event tells.
std::vector<sim::RawPacket> filtered_work(int64_t silence) {
  std::vector<sim::RawPacket> packets;
  packets.push_back({.bytes = ordinary(kEveryone, kHostB, 10, 60), .port = 1});
  int64_t time = 1'000;  // sooner than silence is skipped
  for (uint32_t n = 0; n < 40; ++n) {
    std::vector<uint8_t> frame = gradient(n, 0);
    frame[5] = 2;  // to station 2, which it comes from
    packets.push_back({.bytes = frame, .port = 1, .time_ns = time});
    time += 173;
  }
  packets.push_back({.bytes = gradient(39, 0, 32, 2), .port = 0, .time_ns = time + silence});
  return packets;
}

TEST(Skip, WaitsForWorkOfWhichNoEventTells) {
  sim::RunSpec spec = spec_of(
      "switch", {{"workers", "1"}, {"algorithm", "smorms3"}, {"pes", "1"}, {"kind", "iterative"}});
  spec.rtl = false;  // equal to the RTL, and built
  // 40 frames of 32 rounds in 194 cycles each: 1.25 ms.
  for (const int64_t silence : {kMillisecond / 2, 2 * kMillisecond}) {
    const auto packets = filtered_work(silence);
    const sim::Outcome with = run_packets(packets, spec, true);
    const sim::Outcome without = run_packets(packets, spec, false);
    EXPECT_TRUE(same_passages(with, without)) << silence;
    EXPECT_EQ(with.statistics, without.statistics) << silence;
    EXPECT_EQ(with.timeline.skipped != 0, silence > kMillisecond) << silence;
  }
}

TEST(Skip, TheRunEndsWhenSuchWorkIsDone) {
  sim::RunSpec spec = spec_of("switch", {{"workers", "1"}, {"pes", "1"}, {"kind", "iterative"}});
  spec.rtl = false;
  std::vector<sim::RawPacket> packets = filtered_work(0);
  packets.pop_back();
  const sim::Outcome outcome = run_packets(packets, spec, true);  // or counters would differ
  EXPECT_EQ(outcome.sections["optimizer"]["optimised"], 40);
}

}  // namespace
}  // namespace gw::testbenches::testing::skip_test
