// The figures that the blocks must reach, in cycles, each worked out by hand: latency, cycles per
// burst, bubbles, packets back to back, line rate.
// SPDX-License-Identifier: Apache-2.0
#include <fstream>
#include <nlohmann/json.hpp>

#include "sim/run/run.h"
#include "tests/codec/support.h"

namespace gw::tests::figures_test {
namespace {

using nlohmann::json;

// From the input beat that completes 32 encoded bytes, or the packet, to the first beat out.
constexpr uint64_t kCompressorLatency = 5;
// From the input beat that completes the first group to that group.
constexpr uint64_t kDecompressorLatency = 4;

constexpr uint32_t kRawValue = 0x40490FDB;   // pi
constexpr uint32_t kByteValue = 0x3B000000;  // 2^-9, BYTE at 2^-10

json report_of(const std::string& name, sim::StimulusSpec stimulus, const char* stall = "none") {
  sim::RunOptions options;
  options.spec = spec_of(name);
  options.spec.stimulus = std::move(stimulus);
  options.spec.stall = sim::StallSpec::parse(stall);
  return sim::run(device(name), options);
}

struct Row {
  uint64_t accepted, accepted_last, offered, first, last;
  uint32_t beats, bytes;
  friend bool operator==(const Row&, const Row&) = default;
  friend void PrintTo(const Row& r, std::ostream* out) {
    *out << "in " << r.accepted << ".." << r.accepted_last << " out " << r.offered << " " << r.first
         << ".." << r.last << ", " << r.beats << " beats, " << r.bytes << " bytes";
  }
};

std::vector<Row> rows_of(const sim::Outcome& outcome) {
  std::vector<Row> rows;
  for (const sim::Passage& p : outcome.timeline.rows) {
    rows.push_back({p.accepted, p.accepted_last, p.offered, p.first, p.last, p.beats, p.bytes});
  }
  return rows;
}

std::vector<Row> rows_of(const std::string& name, const std::vector<Values>& packets) {
  std::vector<sim::RawPacket> raw;
  for (const Values& values : packets) raw.push_back(gradients(name, values));
  const sim::Outcome outcome = run(name, std::move(raw), spec_of(name));
  EXPECT_EQ(outcome.timeline.in[0].device_stalls, 0u);
  return rows_of(outcome);
}

// One beat of one value: 3 bytes of stream for a BYTE, 2 for zeros, 34 in two beats for eight RAW.
TEST(CompressorByHand, OneBeat) {
  EXPECT_EQ(rows_of("compressor", {{kByteValue}}), (std::vector<Row>{{0, 0, 5, 5, 5, 1, 3}}));
  EXPECT_EQ(rows_of("compressor", {{0}}), (std::vector<Row>{{0, 0, 5, 5, 5, 1, 2}}));
  EXPECT_EQ(rows_of("compressor", {Values(8, kRawValue)}),
            (std::vector<Row>{{0, 0, 5, 5, 6, 2, 34}}));
}

// 40 groups of zeros are 80 bytes: three beats. The first is there with the 16th group (cycle 15),
// the second with the 32nd, the last with the end (cycle 39).
TEST(CompressorByHand, ZerosFillABeatEverySixteenCycles) {
  EXPECT_EQ(
      rows_of("compressor", {Values(320, 0)}),
      (std::vector<Row>{{0, 39, 15 + kCompressorLatency, 20, 39 + kCompressorLatency, 3, 80}}));
}

// Beats in that follow one another: packet n of one beat goes in in cycle n and out in n + 5.
TEST(CompressorByHand, PacketsOfOneBeatBackToBack) {
  std::vector<Values> packets;
  std::vector<Row> expected;
  for (uint64_t n = 0; n < 100; ++n) {
    packets.push_back(Values(1 + n % 8, kByteValue));
    expected.push_back({n, n, n + 5, n + 5, n + 5, 1, static_cast<uint32_t>(2 + 1 + n % 8)});
  }
  EXPECT_EQ(rows_of("compressor", packets), expected);
}

// A group of 34 bytes takes two beats: the packet behind it waits a cycle, and whatever follows.
TEST(CompressorByHand, ARawGroupTakesTwoBeats) {
  EXPECT_EQ(rows_of("compressor", {Values(8, kRawValue), {0}, Values(8, kRawValue), {0}}),
            (std::vector<Row>{{0, 0, 5, 5, 6, 2, 34},
                              {1, 1, 7, 7, 7, 1, 2},
                              {2, 2, 8, 8, 9, 2, 34},
                              {3, 3, 10, 10, 10, 1, 2}}));
}

// Two groups of zeros, 4 bytes, come in one beat; the groups leave in cycles 4 and 5.
TEST(DecompressorByHand, OneBeat) {
  EXPECT_EQ(rows_of("decompressor", {{kByteValue}}), (std::vector<Row>{{0, 0, 4, 4, 4, 1, 32}}));
  EXPECT_EQ(rows_of("decompressor", {Values(16, 0)}), (std::vector<Row>{{0, 0, 4, 4, 5, 2, 64}}));
  // 34 bytes: the group is there with the second beat, in cycle 1.
  EXPECT_EQ(rows_of("decompressor", {Values(8, kRawValue)}),
            (std::vector<Row>{{0, 1, 1 + kDecompressorLatency, 5, 5, 1, 32}}));
}

// 16 groups of zeros are one beat: a packet every 16 cycles, and never a gap at the output.
TEST(DecompressorByHand, ABeatOfZerosLastsSixteenCycles) {
  const std::vector<Row> rows = rows_of("decompressor", std::vector<Values>(8, Values(128, 0)));
  ASSERT_EQ(rows.size(), 8u);
  for (uint64_t n = 0; n < 8; ++n) {
    EXPECT_EQ(rows[n].first, kDecompressorLatency + 16 * n);
    EXPECT_EQ(rows[n].last, kDecompressorLatency + 16 * n + 15);
  }
}

TEST(DecompressorByHand, PacketsOfOneBeatBackToBack) {
  std::vector<Values> packets;
  std::vector<Row> expected;
  for (uint64_t n = 0; n < 100; ++n) {
    packets.push_back(Values(1 + n % 8, kByteValue));
    expected.push_back({n, n, n + 4, n + 4, n + 4, 1, 32});
  }
  EXPECT_EQ(rows_of("decompressor", packets), expected);
}

// The chain is the sum: compressed out in cycle 5, in at the decompressor in that cycle, 4 more.
TEST(LoopByHand, LatenciesAddUp) {
  EXPECT_EQ(rows_of("codec_loop", {{kByteValue}}), (std::vector<Row>{{0, 0, 9, 9, 9, 1, 32}}));
  // The second beat of the RAW group leaves the compressor in cycle 6.
  EXPECT_EQ(rows_of("codec_loop", {Values(8, kRawValue)}),
            (std::vector<Row>{{0, 0, 10, 10, 10, 1, 32}}));
  std::vector<Row> expected;
  for (uint64_t n = 0; n < 50; ++n) expected.push_back({n, n, n + 9, n + 9, n + 9, 1, 32});
  EXPECT_EQ(rows_of("codec_loop", std::vector<Values>(50, Values(8, kByteValue))), expected);
}

// The packets of docs/devices/*-timing.svg, in the cycles drawn there.
TEST(ByHand, TheTimingDrawingsAreTrue) {
  Values a(16, 0);
  std::fill_n(a.begin(), 8, kRawValue);
  const std::vector<Row> compressed = rows_of("compressor", {a, Values(8, kRawValue)});
  EXPECT_EQ(compressed, (std::vector<Row>{{0, 1, 5, 5, 6, 2, 36}, {2, 2, 7, 7, 8, 2, 34}}));
  const std::vector<Row> decompressed = rows_of("decompressor", {a, Values(16, 0)});
  EXPECT_EQ(decompressed, (std::vector<Row>{{0, 1, 5, 5, 6, 2, 64}, {2, 2, 7, 7, 8, 2, 64}}));
}

class Figures : public testing::TestWithParam<const char*> {
 protected:
  std::string name() const { return GetParam(); }
};
INSTANTIATE_TEST_SUITE_P(Codec, Figures, testing::Values("compressor", "decompressor"),
                         [](const auto& info) { return std::string(info.param); });

TEST_P(Figures, OneCyclePerBurstOnEveryCapture) {
  const std::string folder = std::string(GRADWIRE_SOURCE_DIR) + "/traces/";
  std::ifstream file(folder + "manifest.json");
  const json manifest = json::parse(file);
  int captures = 0;
  for (const json& capture : manifest["captures"]) {
    if (capture["kind"] != "captured" || capture.contains("traffic")) continue;
    const std::string trace = folder + capture["file"].get<std::string>();
    const json report = report_of(name(), {.trace = trace});
    EXPECT_TRUE(report.at("pass")) << trace;
    EXPECT_DOUBLE_EQ(report.at("cycles_per_burst"), 1.0) << trace;
    EXPECT_EQ(report.at("stall_cycles").at("device"), 0) << trace;
    EXPECT_TRUE(report.at("compression").at("bound_held")) << trace;
    EXPECT_EQ(report.at("pipeline_latency_cycles").at("min"),
              name() == "compressor" ? kCompressorLatency : kDecompressorLatency);
    ++captures;
  }
  EXPECT_GE(captures, 4);
}

// 362 values, 1,448 bytes, in 46 cycles of 10 ns are 25.183 Gb/s: 2.52 times the line. A
// decompressor gives whole groups, 46 of 32 bytes: 25.6.
TEST_P(Figures, LineRateIsThatOfTheBytesThatPass) {
  const json report = report_of(name(), {.synth = "zeros", .packets = 64});
  EXPECT_EQ(report.at("bursts"), 64u * 46);
  EXPECT_EQ(report.at("window_cycles"), 64u * 46);
  const double gbps = 8.0 * (name() == "compressor" ? 1448 : 46 * 32) / 460;
  EXPECT_DOUBLE_EQ(report.at("throughput_gbps"), gbps);
  EXPECT_DOUBLE_EQ(report.at("line_rate_percent").at("10G"), gbps * 10);
}

// Packets of one float, four bytes a beat of 10 ns, from a capture.
TEST(SmallPackets, ACaptureOfFourByteSegments) {
  const json report = report_of(
      "compressor", {.trace = GRADWIRE_SOURCE_DIR "/tests/codec/captures/tcp-4-bytes.pcap"});
  EXPECT_TRUE(report.at("pass"));
  EXPECT_EQ(report.at("bytes_in"), 199 * 4);
  EXPECT_DOUBLE_EQ(report.at("throughput_gbps"), 3.2);
  EXPECT_DOUBLE_EQ(report.at("line_rate_percent").at("10G"), 32);
}

// The compressed side, worked out by hand: a group of zeros is its tag word of 2 bytes, a packet of
// 362 values 46 groups. 64 packets are 5,888 bytes in 2,944 cycles of 10 ns: 1.6 Gb/s.
TEST(WireFigures, TheWireCarriesTheCompressedSide) {
  for (const char* device : {"compressor", "decompressor", "codec_loop"}) {
    const json report = report_of(device, {.synth = "zeros", .packets = 64});
    EXPECT_EQ(report.at("window_cycles"), 2944) << device;
    EXPECT_DOUBLE_EQ(report.at("wire_gbps"), 1.6) << device;
    EXPECT_DOUBLE_EQ(report.at("wire_line_rate_percent").at("10G"), 16) << device;
    EXPECT_EQ(report.at("compression").at("encoded_bytes"), 5888) << device;
  }
  EXPECT_EQ(report_of("compressor", {.synth = "zeros", .packets = 64}).at("bytes_out"), 5888);
}

TEST_P(Figures, OneCyclePerBurstWhateverThePacketSizes) {
  for (const char* kind : {"gradients", "zeros", "single"}) {
    // `single`: packets of one group, RAW among them, may need two beats: there the port is the
    // limit.
    const json report = report_of(name(), {.synth = kind, .packets = 64});
    EXPECT_EQ(report.at("stall_cycles").at("device"), 0) << kind;
    if (std::string(kind) != "single") EXPECT_DOUBLE_EQ(report.at("cycles_per_burst"), 1.0) << kind;
  }
}

// 1,600 groups of 34 bytes in packets of 16: 17 beats each, with no tail to blur the figure.
TEST_P(Figures, AllRawRunsAtThePortsLimit) {
  sim::Random random(seed());
  std::vector<sim::RawPacket> packets;
  for (int p = 0; p < 100; ++p) packets.push_back(gradients(name(), values_of(128, random, 100)));
  const sim::Outcome outcome = run(name(), packets, spec_of(name()));
  const sim::Timeline& t = outcome.timeline;
  const sim::Timeline::Port& wide = name() == "compressor" ? t.in[0] : t.out[0];
  const sim::Timeline::Port& narrow = name() == "compressor" ? t.out[0] : t.in[0];
  EXPECT_EQ(wide.beats, 1600u);
  EXPECT_EQ(narrow.beats, 1700u);
  // The narrow side never pauses: 1,700 beats in 1,700 cycles, 17/16 a burst.
  EXPECT_EQ(narrow.last - narrow.first + 1, 1700u);
  EXPECT_EQ(t.in[0].device_stalls, 0u);
  // The wide side is as slow, but for the 32 beats that a full output queue holds.
  EXPECT_LE(wide.last - wide.first + 1, 1700u);
  EXPECT_GE(wide.last - wide.first + 1, 1700u - 32);
}

TEST_P(Figures, LatencyWhateverTheStimulus) {
  const uint64_t contract = name() == "compressor" ? kCompressorLatency : kDecompressorLatency;
  for (const sim::SynthKind& kind : device(name()).facts().stimuli) {
    const json report = report_of(name(), {.synth = kind.name, .packets = 64});
    EXPECT_TRUE(report.at("pass")) << kind.name;
    EXPECT_EQ(report.at("pipeline_latency_cycles").at("min"), contract) << kind.name;
  }
}

TEST_P(Figures, NoBubbleUnderBackpressureEither) {
  for (const char* kind : {"mixed", "irregular"}) {
    for (const char* stall : {"none", "sink:10", "sink:50", "sink:90"}) {
      const json report = report_of(name(), {.synth = kind, .packets = 64}, stall);
      EXPECT_TRUE(report.at("pass")) << kind << " " << stall;
      EXPECT_EQ(report.at("stall_cycles").at("device"), 0) << kind << " " << stall;
    }
  }
}

}  // namespace
}  // namespace gw::tests::figures_test
