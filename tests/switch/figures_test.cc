// Figures of two or three frames, worked out by hand from the contracts in docs/devices, and what
// the report makes of them.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>

#include "models/reference/capture/capture.h"
#include "sim/run/run.h"
#include "tests/switch/support.h"

namespace gw::testbenches::testing::figures_test {
namespace {

using nlohmann::json;

/// Offered, first and last beat taken.
using Cycles = std::array<uint64_t, 3>;

Cycles out_of(const sim::Outcome& outcome, size_t row) {
  const sim::Passage& p = outcome.timeline.rows.at(row);
  return {p.offered, p.first, p.last};
}

// ---- One stream. Full frames have six beats.

TEST(ParserFigures, FourCyclesFromTheDecidingBeatAndNeverAPause) {
  // 6, 2 and 4 beats. The verdict of a frame can be seen four cycles after its sixth or last beat:
  // 5 + 4, 7 + 4, 11 + 4; but beats leave one a cycle, in order.
  const sim::Outcome outcome =
      run("parser",
          {gradient(0, 0), ordinary(kHostA, kHostB, 10, 60), ordinary(kHostA, kHostB, 10, 100)},
          spec_of("parser"));
  EXPECT_EQ(out_of(outcome, 0), (Cycles{9, 9, 14}));
  EXPECT_EQ(out_of(outcome, 1), (Cycles{15, 15, 16}));
  EXPECT_EQ(out_of(outcome, 2), (Cycles{17, 17, 20}));
  const sim::Timeline& t = outcome.timeline;
  EXPECT_EQ(t.latency.rows(), (std::vector<std::pair<uint64_t, uint64_t>>{{9, 3}}));  // 0, 6, 8
  EXPECT_EQ(t.pipeline_latency.rows(),
            (std::vector<std::pair<uint64_t, uint64_t>>{{4, 1}, {6, 1}, {8, 1}}));
  EXPECT_EQ(sim::Timeline::window(t.in), 12u);
  EXPECT_EQ(sim::Timeline::window(t.out), 12u);
  EXPECT_EQ(t.in[0].bytes, 352u);
  EXPECT_EQ(t.out[0].bytes, 352u);
  EXPECT_EQ(t.in[0].device_stalls, 0u);
}

TEST(AggregatorFigures, DifferentSequencesFollowWithoutAGap) {
  std::vector<std::vector<uint8_t>> frames;
  for (uint32_t s = 0; s < 20; ++s) frames.push_back(gradient(s, 0));
  const sim::Outcome outcome = run("aggregator", frames, spec_of("aggregator"));
  for (uint64_t n = 0; n < 20; ++n) {
    const uint64_t first = 9 + 9 + 6 * n;  // the parser's 9, and AddLatency + 4
    EXPECT_EQ(out_of(outcome, n), (Cycles{first, first, first + 5}));
  }
  EXPECT_EQ(outcome.statistics.back(), 0u);
}

TEST(AggregatorFigures, OneSequenceIsSpacedByTheAdder) {
  std::vector<std::vector<uint8_t>> frames;
  for (uint16_t w = 0; w < 8; ++w) frames.push_back(gradient(7, w));
  const sim::Outcome outcome = run("aggregator", frames, spec_of("aggregator", {{"workers", "8"}}));
  for (uint64_t n = 0; n < 8; ++n) {
    EXPECT_EQ(out_of(outcome, n)[0], 18 + 8 * n);  // AddLatency + 3
  }
  EXPECT_EQ(outcome.statistics.back(), 2u * 7);  // 8 cycles instead of 6, seven times
}

TEST(OptimizerFigures, AFrameWaitsForTheArrayAndThoseBehindItForTheFrame) {
  // SGD on 32 PEs: one round, L = 21. The parser hands on beats 9 to 14; gathered in 15, done in
  // 15 + 21 + 3, shown in 40. An ordinary frame behind it (15, 16 at the core) leaves right after.
  const sim::Outcome outcome =
      run("optimizer", {gradient(3, 0), ordinary(kHostA, kHostB, 10, 60)}, spec_of("optimizer"));
  EXPECT_EQ(out_of(outcome, 0), (Cycles{40, 40, 45}));
  EXPECT_EQ(out_of(outcome, 1), (Cycles{46, 46, 47}));
}

TEST(OptimizerFigures, RoundsFollowEachOtherAtTheInterval) {
  // Gathered in 15. Four PEs take eight rounds, pipelined in 15 to 22, and done L + 3 behind the
  // last: 22 + 10 + 3. Iterative ones take a round in II = 13 cycles: the last in 15 + 7 x 13 =
  // 106, done in 106 + 13 + 3.
  for (const auto& [kind, shown] : {std::pair{"pipelined", 36}, {"iterative", 123}}) {
    const sim::Outcome outcome =
        run("optimizer", {gradient(3, 0)},
            spec_of("optimizer", {{"pes", "4"}, {"profile", "fast"}, {"kind", kind}}));
    const uint64_t first = static_cast<uint64_t>(shown);
    EXPECT_EQ(out_of(outcome, 0), (Cycles{first, first, first + 5})) << kind;
  }
}

TEST(OptimizerFigures, AdamsIterationTakes24CyclesAndWaitsForWhatIsUnderWay) {
  // One PE, fast: 32 rounds, L = 62. The iteration begins in 15, the rounds in 39 to 70, done in
  // 70 + 65 = 135. The next one's frame is gathered in 21, its iteration begins in 135: rounds in
  // 159 to 190, done in 255.
  const sim::Outcome outcome =
      run("optimizer", {gradient(3, 0, 32, 1), gradient(4, 0, 32, 2)},
          spec_of("optimizer", {{"algorithm", "adam"}, {"pes", "1"}, {"profile", "fast"}}));
  EXPECT_EQ(out_of(outcome, 0), (Cycles{136, 136, 141}));
  EXPECT_EQ(out_of(outcome, 1), (Cycles{256, 256, 261}));
}

TEST(OptimizerFigures, OneSequenceWaitsForItsLock) {
  // Dispatched in 15, the lock is free in 15 + 21 + 3 = 39. The second frame is gathered in 21,
  // waits 18 cycles, is done in 39 + 24.
  const sim::Outcome outcome =
      run("optimizer", {gradient(3, 0), gradient(3, 1)}, spec_of("optimizer"));
  EXPECT_EQ(out_of(outcome, 0), (Cycles{40, 40, 45}));
  EXPECT_EQ(out_of(outcome, 1), (Cycles{64, 64, 69}));
  EXPECT_EQ(outcome.statistics.back(), 18u);
}

// ---- The switch, 200 MHz: a byte takes 0.16 cycles.

struct Timed {
  std::vector<uint8_t> bytes;
  uint32_t port = 0;
  int64_t time_ns = 0;
  bool error = false;
};

sim::Outcome run_switch(const std::vector<Timed>& frames, const sim::RunSpec& spec) {
  std::vector<sim::RawPacket> packets;
  for (const Timed& f : frames) {
    packets.push_back({.bytes = f.bytes, .port = f.port, .error = f.error, .time_ns = f.time_ns});
  }
  sim::ListSource source(std::move(packets));
  return run("switch", source, spec);
}

TEST(SwitchFigures, AnOrdinaryFrameOf60BytesTakes29Cycles) {
  // Preamble and 32 bytes have come after 40 x 0.16 = 6.4 cycles, all 68 after 10.9: beats in 7 and
  // 11. Committed in 11, loaded in 12, shown in 13; the arbiter chooses in 13 and serves in 14 and
  // 15. Parser: 15 + 4. Aggregation: + 9 = 28. Order queue: + 4, loaded in 32, shown in 33 and 34.
  // Output queue: committed in 34, loaded in 35, shown in 36.
  const sim::Outcome outcome =
      run_switch({{.bytes = ordinary(kEveryone, kHostA, 10, 60)}}, spec_of("switch"));
  ASSERT_EQ(outcome.timeline.rows.size(), 3u);
  for (size_t row = 0; row < 3; ++row) {
    EXPECT_EQ(outcome.timeline.rows[row].accepted, 7u);
    EXPECT_EQ(outcome.timeline.rows[row].accepted_last, 11u);
    EXPECT_EQ(out_of(outcome, row), (Cycles{36, 36, 37}));
  }
}

TEST(SwitchFigures, ACompleteFrameTakesTheArraysLatencyMore) {
  // Beats in 7, 12, 17, 22, 27 and 32 (200 bytes x 0.16). Committed in 32, shown in 34, served in
  // 35 to 40. Parser: 40 + 4 = 44, aggregation: 53 to 58. Gathered in 59, done in 59 + 21 + 3,
  // shown in 84 to 89. Output queue: committed in 89, shown in 91.
  const sim::Outcome outcome =
      run_switch({{.bytes = gradient(0, 0)}}, spec_of("switch", {{"workers", "1"}}));
  ASSERT_EQ(outcome.timeline.rows.size(), 3u);
  EXPECT_EQ(outcome.timeline.rows[0].accepted, 7u);
  EXPECT_EQ(outcome.timeline.rows[0].accepted_last, 32u);
  EXPECT_EQ(out_of(outcome, 0), (Cycles{91, 91, 96}));
  // Not complete, with a second worker to come: loaded in 57, shown in 58 to 63, then 63 + 2.
  const sim::Outcome part =
      run_switch({{.bytes = gradient(0, 0)}}, spec_of("switch", {{"workers", "2"}}));
  EXPECT_EQ(out_of(part, 0), (Cycles{65, 65, 70}));
}

TEST(SwitchFigures, TheWireTakes24BytesMoreThanTheFrame) {
  // All at once on three ports, for port 0: they are served in turn, leave the pipeline one behind
  // the other, and wait for the wire: 84 bytes x 0.16 = 13.44 cycles, from floor(36 + 13.44 n) on.
  std::vector<Timed> frames;
  frames.push_back({.bytes = ordinary(kEveryone, kHostA, 10, 60)});
  for (uint32_t p = 1; p < 4; ++p) {
    frames.push_back({.bytes = ordinary(kHostA, kHostA + p, 10, 60), .port = p, .time_ns = 10'000});
  }
  const sim::Outcome outcome = run_switch(frames, spec_of("switch"));
  std::vector<Cycles> at;
  for (const sim::Passage& p : outcome.timeline.rows) {
    if (p.id != 0) at.push_back({p.offered, p.first, p.last});
  }
  // 10 us are 2,000 cycles. The second frame is served two cycles after the first, and shown when
  // the first one's two beats are out of the register.
  EXPECT_EQ(at, (std::vector<Cycles>{{2036, 2036, 2037}, {2038, 2049, 2050}, {2051, 2062, 2063}}));
  EXPECT_EQ(outcome.timeline.out[0].wire_stalls, 11u + 11u);
  EXPECT_EQ(outcome.timeline.out[0].environment_stalls, 0u);
}

TEST(SwitchFigures, BothKindsOfDropsAtOnce) {
  // A jumbo frame (282 beats) from each port to all others, at once. Each output gets three: the
  // first leaves at once, the second waits for the wire (1,447 cycles), the third does not fit
  // beside it. Behind them comes one frame that is too short, one in error, one too long.
  std::vector<Timed> frames;
  for (uint32_t p = 0; p < 4; ++p) {
    frames.push_back({.bytes = ordinary(kEveryone, kHostA + p, 10, 9018), .port = p});
  }
  frames.push_back({.bytes = ordinary(kEveryone, kHostA, 10, 59), .port = 0, .time_ns = 7300});
  frames.push_back(
      {.bytes = ordinary(kEveryone, kHostA, 10, 60), .port = 2, .time_ns = 7300, .error = true});
  frames.push_back({.bytes = ordinary(kEveryone, kHostA, 10, 9019), .port = 3, .time_ns = 7300});
  const sim::Outcome outcome = run_switch(frames, spec_of("switch"));
  const json& ports = outcome.sections["ports"];
  const std::array<int, 4> short_or_broken = {1, 0, 1, 1};
  for (size_t p = 0; p < 4; ++p) {
    EXPECT_EQ(ports[p]["frames_in"], p == 1 ? 1 : 2);
    EXPECT_EQ(ports[p]["rx_dropped"], short_or_broken[p]) << p;
    EXPECT_EQ(ports[p]["tx_dropped"], 1) << p;
    EXPECT_EQ(ports[p]["frames_out"], 2) << p;
    EXPECT_EQ(ports[p]["bytes_out"], 2 * 9018) << p;
  }
  // Served in the order 0, 1, 2, 3: the last two outputs' last is that of port 3 or 2.
  std::set<std::pair<uint64_t, uint32_t>> left;
  for (const sim::Passage& p : outcome.timeline.rows) left.emplace(p.id, p.out);
  EXPECT_EQ(left, (std::set<std::pair<uint64_t, uint32_t>>{
                      {1, 0}, {2, 0}, {0, 1}, {2, 1}, {0, 2}, {1, 2}, {0, 3}, {1, 3}}));
}

// ---- The report

class Report : public ::testing::Test {
 protected:
  void TearDown() override { std::filesystem::remove(file_); }

  json of(const std::string& name, const std::vector<Timed>& frames, Settings settings = {}) {
    auto writer = capture::PcapWriter::open(file_);
    EXPECT_TRUE(writer);
    for (const Timed& f : frames) EXPECT_FALSE(writer->write(f.time_ns, f.bytes));
    EXPECT_FALSE(writer->close());
    sim::RunOptions options;
    options.spec = spec_of(name, settings);
    options.spec.stimulus.trace = file_;
    return sim::run(device(name), options);
  }

  std::string file_ =
      (std::filesystem::temp_directory_path() / fmt::format("gradwire-figures-{}.pcap", getpid()))
          .string();
};

TEST_F(Report, LineRateOfOneStreamCounts24BytesAFrame) {
  const json report = of("parser", {{.bytes = gradient(0, 0)},
                                    {.bytes = ordinary(kHostA, kHostB, 10, 60)},
                                    {.bytes = ordinary(kHostA, kHostB, 10, 100)}});
  EXPECT_TRUE(report["pass"]);
  EXPECT_EQ(report["window_cycles"], 12);
  EXPECT_EQ(report["beats_out"], 12);
  EXPECT_EQ(report["cycles_per_burst"], 1.0);
  EXPECT_EQ(report["bytes_out"], 352);
  // (352 + 3 x 24) x 8 bits in 12 cycles of 5 ns: 56.53 Gb/s.
  EXPECT_NEAR(report["line_rate_percent"]["10G"], 565.3333, 1e-3);
  EXPECT_NEAR(report["line_rate_percent"]["4x10G"], 141.3333, 1e-3);
  EXPECT_EQ(report["latency_cycles"], (json{{"min", 9}, {"mean", 9.0}, {"max", 9}}));
  EXPECT_EQ(report["pipeline_latency_cycles"], (json{{"min", 4}, {"mean", 6.0}, {"max", 8}}));
  EXPECT_EQ(report["stall_cycles"], (json{{"source", 0}, {"sink", 0}, {"device", 0}}));
  EXPECT_EQ(report["frames"]["gradient"], 1);
  EXPECT_EQ(report["frames"]["not_expether"], 2);
}

TEST_F(Report, AHostsAccessesAreCounted) {
  // Of the model, for which nothing needs to be built. The parser wants no writes; twelve of the
  // reads are of its counters, docs/registers.
  sim::RunOptions options;
  options.spec = spec_of("parser", {{"host", "axi-lite"}});
  options.spec.rtl = false;
  options.spec.stimulus.synth = "workers";
  options.spec.stimulus.packets = 20;
  const json report = sim::run(device("parser"), options);
  EXPECT_TRUE(report["pass"]);
  EXPECT_EQ(report["control"], (json{{"s_axil",
                                      {{"writes", 0},
                                       {"reads", 18},
                                       {"errors", 0},
                                       {"write_cycles", nullptr},
                                       {"read_cycles", {{"mean", 6.0}, {"max", 6}}}}}}));
}

TEST_F(Report, LineRateOfAPortIsFromFirstFrameToLast) {
  // From port 1 to port 0, which is known: 60, 192 and 60 bytes, each 100 ns after the wire is
  // free. They take 67.2 and 172.8 ns of the wire, and begin 167 and 272 ns after one another.
  const std::vector<uint8_t> to_a = ordinary(kHostA, kHostB, 10, 60);
  const json report = of("switch", {{.bytes = ordinary(kEveryone, kHostA, 10, 60)},
                                    {.bytes = to_a, .time_ns = 10'000},
                                    {.bytes = ordinary(kHostA, kHostB, 10, 192), .time_ns = 10'167},
                                    {.bytes = to_a, .time_ns = 10'439}});
  EXPECT_TRUE(report["pass"]);
  // First beats: 10,000 ns are cycle 2,000: 2,036. 10,167 ns: 192 bytes are in after 10,327 ns, or
  // 2,065.4 cycles: committed in 2,066, and out 33 cycles later, 2,099. 10,439 ns: in after
  // 10,493.4, or 2,098.7 cycles, 2,099: there in 2,124, but the wire is free in 2,099 + 216 x 0.16:
  // 2,133. So 240 ns of wire in 97 cycles of 5 ns.
  EXPECT_NEAR(report["line_rate_percent"]["port0"], 240.0 / 485 * 100, 1e-9);
  EXPECT_FALSE(report["line_rate_percent"].contains("port1"));  // one frame, no window
  EXPECT_EQ(report["latency_cycles"]["min"], 29);
  EXPECT_EQ(report["ports"][0]["frames_out"], 3);
  EXPECT_EQ(report["ports"][0]["bytes_out"], 312);
  EXPECT_EQ(report["ports"][1]["frames_in"], 3);
  EXPECT_EQ(report["lookup"], (json{{"flooded", 1}, {"filtered", 0}}));
  EXPECT_TRUE(report["counters"].contains("aggregator_interlock_cycles"));
  EXPECT_FALSE(report["counters"].contains("port0_rx_frames"));
}

TEST_F(Report, DriftAndDistanceBelongToTheOptimizer) {
  std::vector<Timed> frames;
  for (uint32_t iteration = 1; iteration <= 3; ++iteration) {
    frames.push_back({.bytes = gradient(0, 0, 32, iteration)});
  }
  const json report = of("optimizer", frames);
  EXPECT_EQ(report["optimizer"]["iterations"], 3);
  EXPECT_EQ(report["optimizer"]["parameters_updated"], 96);
  EXPECT_EQ(report["drift"].size(), 3u);
  EXPECT_LE(report["optimizer"]["ulp"]["max"], 2.0);
  EXPECT_FALSE(report.contains("aggregator"));
  EXPECT_FALSE(of("parser", frames).contains("optimizer"));
}

}  // namespace
}  // namespace gw::testbenches::testing::figures_test
