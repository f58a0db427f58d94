// Rates are made of bytes, whatever a beat could carry: worked out by hand for packets of 1, 4, 31,
// 33 and 1,448 bytes through every device, and for streams of 64, 128, 256 and 512 bits.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "models/reference/quant/quantiser.h"
#include "sim/feeds/stimulus.h"
#include "sim/harness/kernel.h"
#include "sim/run/run.h"
#include "testbenches/quant/ports.h"
#include "testbenches/registry.h"
#include "tests/run/toy_device.h"

namespace gw::tests::rates_test {
namespace {

using nlohmann::json;

/// So many packets that follow each other with no gap.
std::shared_ptr<sim::Stimulus> repeated(const sim::RawPacket& packet, size_t count) {
  auto stimulus = std::make_shared<sim::Stimulus>();
  stimulus->packets.assign(count, packet);
  return stimulus;
}

sim::RunSpec spec_of(const sim::Device& device) {
  sim::RunSpec spec;
  spec.rtl = false;  // the model's cycles are the RTL's: other tests hold them to that
  spec.clock_mhz = device.facts().clock_mhz;
  spec.options = sim::OptionSet(device.facts().options);
  return spec;
}

json report_of(const sim::Device& device, sim::RunSpec spec, const sim::RawPacket& packet,
               size_t count = 100) {
  spec.stimulus.recorded = repeated(packet, count);
  return sim::run(device, {.spec = spec, .command = ""});
}

// ---- Every device

/// A packet whose uncompressed side has so many bytes, for what the device is.
sim::RawPacket packet_for(const sim::Device& device, size_t bytes) {
  sim::RawPacket packet;
  const std::string& name = device.name();
  if (name == "decompressor") {
    packet.bytes.assign(2 * ((bytes + 31) / 32), 0);  // groups of zeros: two bytes of tags each
  } else if (name == "dequantizer") {
    reference::quant::Quantiser onebit(*reference::quant::parse_config("onebit").config, 4096);
    onebit.encode(std::vector<float>((bytes + 3) / 4, 1.0F), 0, packet.bytes);
  } else {
    packet.bytes.assign(bytes, 0);
    if (!device.facts().frames) {
      packet.meta = testbenches::ChunkUser::word(0, static_cast<uint32_t>((bytes + 3) / 4));
    }
  }
  return packet;
}

struct Row {
  size_t bytes;       ///< of a packet
  uint64_t beats;     ///< that it takes, a cycle each
  double gbps_100;    ///< at 100 MHz: 8 bytes a beat of 10 ns each
  size_t groups = 0;  ///< bytes as a decompressor gives them: whole groups of 32
  size_t floats = 0;  ///< bytes as a dequantizer gives them: whole floats
};

// 8 x 1 bit in 10 ns are 0.8 Gb/s; 8 x 31 in 10 ns 24.8; 8 x 33 in two cycles 13.2; 8 x 1,448 in 46
// cycles, 45 x 32 + 8, 25.1826. A beat a cycle of whole beats would be 25.6, whatever is in it.
constexpr Row kRows[] = {{1, 1, 0.8, 32, 4},
                         {4, 1, 3.2, 32, 4},
                         {31, 1, 24.8, 32, 32},
                         {33, 2, 13.2, 64, 36},
                         {1448, 46, 11584.0 / 460, 1472, 1448}};

TEST(Rates, ByHandForEveryDevice) {
  for (const auto& device : testbenches::registry().devices()) {
    const sim::Device::Facts& facts = device->facts();
    if (facts.paced() || facts.linked) continue;  // wires decide: below
    for (const Row& row : kRows) {
      SCOPED_TRACE(facts.name + ", " + std::to_string(row.bytes) + " bytes");
      const json report = report_of(*device, spec_of(*device), packet_for(*device, row.bytes));
      ASSERT_TRUE(report["pass"]) << report["failure"].dump(1);
      const size_t bytes = facts.name == "decompressor"  ? row.groups
                           : facts.name == "dequantizer" ? row.floats
                                                         : row.bytes;
      const double bits = 8.0 * 100 * static_cast<double>(bytes);
      EXPECT_EQ(report[facts.burst_is_input ? "bytes_in" : "bytes_out"], 100 * bytes);
      EXPECT_EQ(report["bursts"], 100 * row.beats);
      const double cycles = report["window_cycles"];
      EXPECT_DOUBLE_EQ(report["throughput_gbps"], bits / (cycles * 1e3 / facts.clock_mhz));
      // Cycles are the device's own; a codec, a parser and a switch's blocks take a beat in each.
      const bool whole = facts.file_list.starts_with("rtl/codec") || facts.name == "parser";
      if (!whole) continue;
      EXPECT_EQ(report["window_cycles"], 100 * row.beats);
      if (bytes == row.bytes) {
        EXPECT_DOUBLE_EQ(report["throughput_gbps"], row.gbps_100 * facts.clock_mhz / 100);
      }
    }
  }
}

/// The plot's mean is the figure, but for the buckets at its ends.
TEST(Rates, OverTimeTheyAreMadeOfBytesToo) {
  const sim::Device& compressor = testbenches::registry().device("compressor");
  for (const Row& row : kRows) {
    const json report =
        report_of(compressor, spec_of(compressor), packet_for(compressor, row.bytes), 1000);
    const json& points = report["plots"]["throughput_over_time"];
    ASSERT_GE(points.size(), 10u);
    // In a bucket of whole packets, and of 1,448 bytes of 32 a cycle but for the last 8 of 46.
    const double gbps = points[3][1];
    EXPECT_NEAR(gbps, row.gbps_100, row.bytes == 1448 ? 0.5 : 1e-9) << row.bytes;
    EXPECT_LE(gbps, 25.6) << row.bytes;
  }
}

// A MAC a port: a frame of 1,448 bytes and 24 more takes 1,177.6 ns, one of 60 bytes 67.2. Nothing
// passes faster: 8 x 1,448 / 1,177.6 are 9.837 Gb/s a port, 8 x 60 / 67.2 are 7.143; both 100 %.
TEST(Rates, ByHandForTheSwitch) {
  const sim::Device& device = testbenches::registry().device("switch");
  for (const auto& [bytes, gbps] : {std::pair{1448, 8 * 1448 / 1177.6}, {60, 8 * 60 / 67.2}}) {
    auto stimulus = std::make_shared<sim::Stimulus>();
    constexpr int kFrames = 400;
    for (int i = 0; i < kFrames; ++i) {
      sim::RawPacket frame;
      frame.bytes.assign(static_cast<size_t>(bytes), 0);
      frame.bytes[0] = 2;                       // to nobody that is known:
      frame.bytes[5] = 0x77;                    // three ports get it
      frame.bytes[6] = 2, frame.bytes[11] = 1;  // from one station
      frame.time_ns = std::llround(i * (bytes + 24) * 0.8);
      stimulus->packets.push_back(frame);
    }
    sim::RunSpec spec = spec_of(device);
    spec.stimulus.recorded = stimulus;
    const json report = sim::run(device, {.spec = spec, .command = ""});
    ASSERT_TRUE(report["pass"]) << report["failure"].dump(1);
    EXPECT_EQ(report["bytes_out"], 3 * kFrames * bytes);
    // The window begins with the first beat and ends with the last one: an edge of one frame.
    EXPECT_NEAR(report["throughput_gbps"], 3 * gbps, 3 * gbps / kFrames);
    for (const char* port : {"port1", "port2", "port3"}) {
      EXPECT_NEAR(report["line_rate_percent"][port], 100, 0.1) << port;
    }
    EXPECT_EQ(report["port_count"], (json{{"in", 4}, {"out", 4}}));
  }
}

// Two NICs and a 10GbE link. Of it a frame of 60 bytes takes 84, 67.2 ns, and one of 1,448 takes
// 1,472, 1,177.6 ns: 8 x 60 / 67.2 are 7.143 Gb/s, 8 x 1,448 / 1,177.6 are 9.837. So they leave,
// however many there are. The first come in a beat a cycle of 10 ns, 24 Gb/s (60 bytes in two
// beats) and 25.18 (1,448 in 46), until the queues are full, which hold 1,024 beats and what is on
// its way; from then on they come in as they leave.
TEST(Rates, ByHandForTheNic) {
  const sim::Device& device = testbenches::registry().device("nic");
  const sim::RunSpec spec = spec_of(device);
  ASSERT_EQ(spec.clock_mhz, 100);
  struct Frames {
    size_t bytes, beats;
    double cycles;  ///< of the link
  };
  for (const Frames& f : {Frames{60, 2, 6.72}, {1448, 46, 117.76}}) {
    SCOPED_TRACE(std::to_string(f.bytes) + " bytes");
    const sim::RawPacket frame = packet_for(device, f.bytes);
    for (const size_t frames : {size_t{20}, size_t{4000}}) {
      SCOPED_TRACE(std::to_string(frames) + " frames");
      const auto n = static_cast<double>(frames);
      sim::RunSpec run = spec;
      run.stimulus.recorded = repeated(frame, frames);
      const auto source = sim::open_source(device, run);
      const sim::Outcome outcome = device.run(*source, run, sim::Kernel::instance());
      ASSERT_TRUE(outcome.passed);
      const sim::Timeline& t = outcome.timeline;
      EXPECT_EQ(t.bytes_in(), frames * f.bytes);
      EXPECT_EQ(t.bytes_out(), frames * f.bytes);
      const auto in = static_cast<double>(sim::Timeline::window(t.in));
      const auto out = static_cast<double>(sim::Timeline::window(t.out));
      // From the first beat of the first frame that leaves to the last one's last: each frame
      // begins when the wire has carried the one before.
      EXPECT_NEAR(out, n * f.cycles, f.cycles);
      const double gbps = 0.8 * static_cast<double>(f.bytes);  // in a cycle
      EXPECT_NEAR(gbps * n / out, gbps / f.cycles, 1.1 * gbps / f.cycles / n);
      const double queued = 1100 / static_cast<double>(f.beats);
      if (frames == 20) {
        EXPECT_EQ(in, n * static_cast<double>(f.beats));
      } else {
        EXPECT_LE(in, n * f.cycles);
        EXPECT_GE(in, (n - queued) * f.cycles);
      }
      const json report = report_of(device, spec, frame, frames);
      EXPECT_EQ(report["bytes_in"], frames * f.bytes);
      EXPECT_EQ(report["bytes_out"], frames * f.bytes);
      EXPECT_EQ(report["window_cycles"], in);
      EXPECT_DOUBLE_EQ(report["throughput_gbps"], gbps * n / in);
      // 10 Gb/s are 12.5 bytes a cycle.
      const double line = 100 * static_cast<double>(f.bytes + 24) * n / in / 12.5;
      EXPECT_DOUBLE_EQ(report["line_rate_percent"]["10G"], line);
      EXPECT_DOUBLE_EQ(report["line_rate_percent"]["4x10G"], line / 4);
      EXPECT_DOUBLE_EQ(report["nic"]["link"]["packed_us"], 0.01 * n * f.cycles);
      if (frames == 20 && f.bytes == 60) {
        EXPECT_DOUBLE_EQ(report["throughput_gbps"], 24);
        EXPECT_DOUBLE_EQ(report["line_rate_percent"]["10G"], 336);
      }
    }
  }
}

// ---- Lines

// Packets of 4 bytes a cycle of 10 ns: of 10GbE a segment takes 84 bytes, the shortest
// frame's, 67.2 ns: 6.72 times the line, held from 100 / 6.72 = 14.88 MHz on; 100GbE from 148.8 MHz
// on. 33 bytes, two cycles: 33 + 78 = 111 bytes, 88.8 ns: 4.44 times.
TEST(HeldLines, ByHandForTheCompressor) {
  const sim::Device& device = testbenches::registry().device("compressor");
  sim::RunSpec spec = spec_of(device);
  spec.line_rates = {10, 100};
  json report = report_of(device, spec, packet_for(device, 4));
  EXPECT_DOUBLE_EQ(report["line_rate_percent"]["10G"], 32);
  EXPECT_DOUBLE_EQ(report["line_rate_percent"]["100G"], 3.2);
  EXPECT_EQ(report["line_rates"]["overhead_bytes"], 78);
  EXPECT_EQ(report["line_rates"]["least_bytes"], 84);
  const json& lines = report["line_rates"]["lines"];
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[0]["line"], "10G");
  EXPECT_DOUBLE_EQ(lines[0]["percent"], 672);
  EXPECT_DOUBLE_EQ(lines[0]["least_clock_mhz"], 100 / 6.72);
  EXPECT_DOUBLE_EQ(lines[1]["percent"], 67.2);
  EXPECT_DOUBLE_EQ(lines[1]["least_clock_mhz"], 100 / 0.672);
  ASSERT_EQ(lines[0]["by_size"].size(), 1u);

  // Of both sizes each has its own row.
  auto both = repeated(packet_for(device, 4), 50);
  both->packets.insert(both->packets.end(), 50, packet_for(device, 33));
  spec.stimulus.recorded = both;
  report = sim::run(device, {.spec = spec, .command = ""});
  const json& rows = report["line_rates"]["lines"][0]["by_size"];
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0]["bytes_min"], 4);
  EXPECT_EQ(rows[0]["packets"], 50);
  EXPECT_DOUBLE_EQ(rows[0]["cycles_per_packet"], 1);
  EXPECT_DOUBLE_EQ(rows[0]["percent"], 672);
  EXPECT_EQ(rows[1]["bytes_max"], 33);
  EXPECT_DOUBLE_EQ(rows[1]["cycles_per_packet"], 2);
  EXPECT_DOUBLE_EQ(rows[1]["percent"], 444);
  EXPECT_DOUBLE_EQ(rows[1]["least_clock_mhz"], 100 / 4.44);
  // All: 150 cycles for 50 x (84 + 111) bytes: 52 Gb/s.
  EXPECT_DOUBLE_EQ(report["line_rates"]["lines"][0]["percent"], 520);
}

TEST(HeldLines, ManySizesAreTakenTogether) {
  const sim::Device& device = testbenches::registry().device("parser");
  auto stimulus = std::make_shared<sim::Stimulus>();
  for (size_t bytes = 60; bytes <= 300; ++bytes) {
    stimulus->packets.push_back(packet_for(device, bytes));
  }
  sim::RunSpec spec = spec_of(device);
  spec.line_rates = {10};
  spec.stimulus.recorded = stimulus;
  const json report = sim::run(device, {.spec = spec, .command = ""});
  const json& lines = report["line_rates"]["lines"];
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[1]["line"], "4x10G");
  const json& rows = lines[0]["by_size"];
  ASSERT_EQ(rows.size(), 4u);  // to 64, 128, 256 and 512
  EXPECT_EQ(rows[0]["bytes_min"], 60);
  EXPECT_EQ(rows[0]["bytes_max"], 64);
  EXPECT_EQ(rows[0]["packets"], 5);
  EXPECT_EQ(rows[3]["bytes_min"], 257);
  EXPECT_EQ(rows[3]["bytes_max"], 300);
}

// What wires slow down is run once more without them. The switch's pipeline takes a beat a cycle of
// 5 ns: frames of 192 bytes, six beats, 216 bytes on the wire: 57.6 Gb/s, 1.44 times four lines.
TEST(HeldLines, WiresDoNotHideWhatTheDeviceCanDo) {
  const sim::Device& device = testbenches::registry().device("switch");
  sim::RunSpec spec = spec_of(device);
  spec.line_rates = {10};
  spec.stimulus.synth = "gradient-192";
  spec.stimulus.packets = 2000;
  const json report = sim::run(device, {.spec = spec, .command = ""});
  ASSERT_TRUE(report["pass"]) << report["failure"].dump(1);
  for (const auto& [port, percent] : report["line_rate_percent"].items()) {
    EXPECT_NEAR(percent, 100, 0.5) << port;
  }
  const json& line = report["line_rates"]["lines"][0];
  EXPECT_EQ(line["line"], "4x10G");
  EXPECT_NEAR(line["percent"], 144, 3);
  EXPECT_NEAR(line["least_clock_mhz"], 200 / 1.44, 3);
}

// ---- Streams of other widths

template <class Beat>
class Widths : public testing::Test {};
using Beats = testing::Types<BasicBeat<2>, BasicBeat<4>, BasicBeat<8>, BasicBeat<16>>;
TYPED_TEST_SUITE(Widths, Beats);

// At 250 MHz, 4 ns: packets of 33 bytes take 5, 3, 2 and 1 beats of 64, 128, 256 and 512 bits, 264
// bits in 20, 12, 8 and 4 ns: 13.2, 22, 33 and 66 Gb/s. With 24 bytes each, 456 bits, these are
// 22.8, 38, 57 and 114 Gb/s of a line of 25.
TYPED_TEST(Widths, ByHand) {
  const ToyDevice<TypeParam> device;
  sim::RawPacket packet;
  packet.bytes.assign(33, 7);
  sim::RunSpec spec;
  spec.clock_mhz = 250;
  const json report = report_of(device, spec, packet);
  ASSERT_TRUE(report["pass"]);
  const uint64_t beats = (33 + TypeParam::kBytes - 1) / TypeParam::kBytes;
  const double ns = 4.0 * static_cast<double>(beats);
  EXPECT_EQ(report["burst_bytes"], TypeParam::kBytes);
  EXPECT_EQ(report["bursts"], 100 * beats);
  EXPECT_EQ(report["bytes_in"], 3300);
  EXPECT_EQ(report["bytes_out"], 3300);
  EXPECT_DOUBLE_EQ(report["throughput_gbps"], 264 / ns);
  EXPECT_DOUBLE_EQ(report["line_rate_percent"]["25G"], 456 / ns / 25 * 100);
  EXPECT_EQ(report["line_rate_gbps"], json::array({25.0}));
}

/// Bytes that have passed count although their packet is not whole, whichever way a run ends.
TYPED_TEST(Widths, WhatHasPassedOfAPacketCounts) {
  using Beat = TypeParam;
  using Ports = sim::toys::StreamPorts<Beat>;
  sim::Random random(1);
  sim::PreparedFeed<Beat> feed;
  feed.add(0, sim::toys::irregular_packet<Beat>(random, 40 * Beat::kBytes));
  sim::toys::Bent<sim::toys::Passthrough<Ports>> a(
      [](auto& d) { return d.showing && (d.shown.data[0] ^= 1, true); }, 20);
  sim::toys::Echo<Beat> oracle;
  const sim::toys::Result r = sim::toys::run_alone(a, feed, oracle);
  ASSERT_EQ(r.failure.kind, sim::FailureKind::kReference);
  EXPECT_GT(r.timeline.out[0].beats, 10u);
  EXPECT_EQ(r.timeline.bytes_out(), r.timeline.out[0].beats * Beat::kBytes);
  EXPECT_EQ(r.timeline.bytes_in(), r.timeline.in[0].beats * Beat::kBytes);
}

}  // namespace
}  // namespace gw::tests::rates_test
