// The quantiser `mx` as a device: its rows, options, words and report. Degenerate chunks are in
// quantisers_test.cc.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "sim/base/error.h"
#include "sim/feeds/gradients.h"
#include "sim/run/run.h"
#include "testbenches/quant/random.h"
#include "testbenches/quant/report.h"
#include "testbenches/quant/words.h"
#include "tests/quant/support.h"

namespace gw::tests::mx_device_test {
namespace {

using nlohmann::json;

// ---- Rows

TEST(MxRows, AChunkThatDoesNotFitLeavesAsRawAndLosesNothing) {
  const sim::RunSpec spec = mx_spec({{"residual", "on"}});
  sim::Random random(seed());
  const Words values = gradients_of(24, random);
  Kept kept;
  const sim::Outcome outcome =
      run({chunk(values, spec, 61), chunk(values, spec, 62), chunk(values, spec, 0xFF'FFFF)}, spec,
          &kept);
  EXPECT_EQ(outcome.statistics, (std::vector<uint32_t>{2, 0}));
  EXPECT_EQ(kept.packets[0][0], 6);
  for (const size_t p : {1u, 2u}) {
    ASSERT_EQ(kept.packets[p].size(), 17 + 96u);
    EXPECT_EQ(kept.packets[p][0], 0);
    EXPECT_EQ(std::memcmp(kept.packets[p].data() + 16, values.data(), 96), 0);
  }
}

TEST(MxRows, TheSameRowsAgainAndAgainWaitForThemselves) {
  sim::Random random(seed());
  for (const char* format : {"mxfp8", "mxfp4", "mxfp8-e5m2"}) {
    const sim::RunSpec spec = mx_spec({{"residual", "on"}, {"format", format}, {"rows", "8192"}});
    for (const size_t n : {1u, 8u, 16u, 33u, 64u}) {
      std::vector<sim::RawPacket> packets;
      for (int p = 0; p < 20; ++p) packets.push_back(chunk(gradients_of(n, random), spec, 5));
      const sim::Outcome same = run(packets, spec);
      for (size_t p = 0; p < packets.size(); ++p) {
        packets[p].meta = testbenches::ChunkUser::word(static_cast<uint32_t>(p % 6 * 8),
                                                       static_cast<uint32_t>(n));
      }
      const sim::Outcome others = run(packets, spec);
      if (n <= 33) EXPECT_GT(same.timeline.cycles, others.timeline.cycles) << format << " " << n;
    }
  }
}

TEST(MxRows, RunAndWrapByFlow) {
  testbenches::RunningRows rows(64);
  EXPECT_EQ(rows.next(0, 8 * 30), 0u);
  EXPECT_EQ(rows.next(0, 8 * 30 + 1), 30u);
  EXPECT_EQ(rows.next(1, 9), 0u);  // another flow
  EXPECT_EQ(rows.next(0, 24), 61u);
  EXPECT_EQ(rows.next(0, 1), 0u);
  EXPECT_EQ(rows.next(0, 8 * 64), 0u);
  EXPECT_EQ(rows.next(0, 8 * 65), 0u);  // fits nowhere
  EXPECT_EQ(rows.next(1, 1), 2u);
  testbenches::RunningRows none(0);
  EXPECT_EQ(none.next(0, 100), 0u);
  EXPECT_EQ(none.next(0, 100), 0u);
}

// ---- Options

std::string refused(Settings settings) {
  try {
    mx().check(mx_spec(settings));
  } catch (const sim::UsageError& error) {
    return error.what();
  }
  return "";
}

TEST(MxOptions, WhatIsRefusedAndHow) {
  for (const char* rows : {"0", "8", "9", "8192", "262144"}) {
    EXPECT_EQ(refused({{"rows", rows}}), "") << rows;
  }
  EXPECT_EQ(refused({{"rows", "7"}}), "--rows 7 is neither 0 nor between 8 and 262144");
  EXPECT_EQ(refused({{"rows", "262145"}}), "--rows 262145 is not between 0 and 262144");
  EXPECT_NE(refused({{"rows", "many"}}), "");
  EXPECT_EQ(refused({{"format", "fp8"}}), "--format 'fp8' is not mxfp8, mxfp4 or mxfp8-e5m2");
  EXPECT_EQ(refused({{"scale", "down"}}), "--scale 'down' is not floor or up");
  EXPECT_EQ(refused({{"residual", "1"}}), "--residual '1' is not on or off");
  EXPECT_EQ(refused({{"rows", "0"}, {"residual", "on"}}),
            "--residual on needs a memory: --rows 0 has none");
}

TEST(MxOptions, AsPinsOfAPacketAndInTheReport) {
  const sim::RunSpec spec = mx_spec({{"format", "mxfp4"}, {"residual", "on"}});
  EXPECT_EQ(mx().packet_config(spec), (sim::PacketConfig{1, 0, 1}));
  json report;
  mx().describe_settings(spec, report);
  EXPECT_EQ(report,
            (json{{"format", "mxfp4"}, {"scale", "floor"}, {"residual", "on"}, {"rows", 64}}));
  const sim::RunSpec up = mx_spec({{"format", "mxfp8-e5m2"}, {"scale", "up"}});
  EXPECT_EQ(mx().packet_config(up), (sim::PacketConfig{2, 1, 0}));
  mx().describe_settings(up, report);
  EXPECT_EQ(report,
            (json{{"format", "mxfp8-e5m2"}, {"scale", "up"}, {"residual", "off"}, {"rows", 64}}));
}

// ---- Words

TEST(MxWords, Chunks) {
  const sim::RunSpec spec = mx_spec();
  sim::RawPacket raw = chunk({bits(1.5f), bits(-2), bits(3)}, spec, 7);
  raw.bytes.resize(10);
  raw.error = true;
  sim::ListSource source({raw});
  sim::SourceFeed<Beat> feed(source, 1, {}, testbenches::ChunkUser::kErrorBit);
  const auto packet = feed.next(0, 0).packet;
  const std::string gap = "            -";
  EXPECT_EQ(
      testbenches::describe_chunk(*packet, 0),
      "row 7, n 3, in error, floats          1.5           -2" + gap + gap + gap + gap + gap + gap);
}

TEST(MxWords, PacketsOfEveryFormat) {
  const auto words = [](const char* format, const Words& values, size_t beat) {
    const sim::RunSpec spec = mx_spec({{"format", format}, {"residual", "on"}});
    Kept kept;
    run({chunk(values, spec, values.size() > 9 ? 64 : 0)}, spec, &kept);
    return testbenches::describe_quantised(*sim::make_packet<Beat>(kept.packets.front()), beat);
  };
  // 1.75 has the exponent 127: scale 119 for E4M3, 125 for E2M1.
  const Words two = {bits(1.75f), bits(-0.5f)};
  EXPECT_EQ(words("mxfp8", two, 0).substr(0, 56),
            "32 bytes, header mxfp8 n 2, block 0 scale 119: 1.75 -0.5");
  EXPECT_EQ(words("mxfp4", two, 0).substr(0, 55),
            "32 bytes, header mxfp4 n 2, block 0 scale 125: 1.5 -0.5");
  EXPECT_EQ(words("mxfp4", two, 1), "2 bytes, values 0 0, status 0");
  EXPECT_EQ(words("mxfp8-e5m2", two, 0).substr(0, 61),
            "32 bytes, header mxfp8-e5m2 n 2, block 0 scale 112: 1.75 -0.5");
  const Words ten(10, bits(0.25f));  // at row 64 they do not fit
  EXPECT_EQ(words("mxfp8", ten, 0), "32 bytes, header raw n 10, floats 0.25 0.25 0.25 0.25");
  EXPECT_EQ(words("mxfp8", ten, 1), "25 bytes, floats 0.25 0.25 0.25 0.25 0.25 0.25, status 0");
}

TEST(MxWords, AnyBytesWillDo) {
  sim::Random random(seed());
  for (int i = 0; i < 1000; ++i) {
    std::vector<uint8_t> bytes(random.below(150));
    for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(random.next() >> 56);
    if (!bytes.empty()) bytes[0] = static_cast<uint8_t>(random.below(10));
    const auto packet = sim::make_packet<Beat>(bytes);
    for (size_t beat = 0; beat < packet->beats.size(); ++beat) {
      EXPECT_NE(testbenches::describe_quantised(*packet, beat).find(" bytes"), std::string::npos);
    }
  }
}

// ---- Report

json quantizer_of(const std::vector<Words>& chunks, const sim::RunSpec& spec) {
  std::vector<sim::RawPacket> packets;
  for (const Words& values : chunks) packets.push_back(chunk(values, spec));
  return run(packets, spec).sections.at("quantizer");
}

TEST(MxReport, FiguresByHand) {
  // Two blocks of eights: exact. 64 floats are 256 bytes; a packet has 16 + 66 + 1.
  const json exact = quantizer_of({Words(64, bits(8))}, mx_spec());
  EXPECT_EQ(exact.at("method"), "mxfp8");
  EXPECT_EQ(exact.at("scale"), "floor");
  EXPECT_EQ(exact.at("entries"), 64);
  EXPECT_EQ(exact.at("sent_share"), 1.0);
  EXPECT_DOUBLE_EQ(exact.at("bits_per_entry"), 8 * 66 / 64.0);
  EXPECT_DOUBLE_EQ(exact.at("payload_ratio"), 4.0);
  EXPECT_DOUBLE_EQ(exact.at("ratio"), 256 / 83.0);
  EXPECT_EQ(exact.at("rel_l2_error"), 0.0);
  EXPECT_TRUE(exact.at("residual").is_null());
  EXPECT_TRUE(exact.at("conservation").is_null());
  // 1.25 in E2M1 beside 4: steps of 0.5 below 2, so that it is 1 or 1.5: a tie, to 1.
  const json lossy =
      quantizer_of({{bits(4), bits(1.25f)}}, mx_spec({{"format", "mxfp4"}, {"residual", "on"}}));
  EXPECT_EQ(lossy.at("method"), "mxfp4");
  EXPECT_DOUBLE_EQ(lossy.at("payload_ratio"), 8.0);
  EXPECT_DOUBLE_EQ(lossy.at("rel_l2_error"), 0.25 / std::sqrt(16 + 1.25 * 1.25));
  EXPECT_DOUBLE_EQ(lossy.at("residual").at("max"), 0.25);
  EXPECT_DOUBLE_EQ(lossy.at("residual").at("rms"), 0.25 / std::sqrt(2));
  EXPECT_EQ(lossy.at("conservation"), 0.0);
  // With what was kept, 1.25 + 0.25 is sent whole.
  const json twice = quantizer_of({{bits(4), bits(1.25f)}, {bits(4), bits(1.25f)}},
                                  mx_spec({{"format", "mxfp4"}, {"residual", "on"}}));
  EXPECT_EQ(twice.at("residual").at("max"), 0.0);
}

// 1.9375 saturates at 1.75; under the next scale it is 2, a tie to even.
TEST(MxReport, ScaleUpDoesNotSaturate) {
  const auto error = [](const char* scale, const char* format) {
    const json q =
        quantizer_of({{bits(1.9375f), bits(1)}}, mx_spec({{"scale", scale}, {"format", format}}));
    EXPECT_EQ(q.at("scale"), scale);
    return q.at("max_abs_error").get<double>();
  };
  EXPECT_EQ(error("floor", "mxfp8"), 0.1875);
  EXPECT_EQ(error("up", "mxfp8"), 0.0625);
  EXPECT_EQ(error("floor", "mxfp8-e5m2"), 0.1875);
  EXPECT_EQ(error("up", "mxfp8-e5m2"), 0.0625);
  EXPECT_EQ(error("floor", "mxfp4"), 0.4375);
  EXPECT_EQ(error("up", "mxfp4"), 0.0625);
}

// A format that there is not, between others: its chunk leaves as RAW and leaves its residuals.
TEST(MxReport, NoFormatLeavesAsRaw) {
  const sim::RunSpec spec = mx_spec({{"residual", "on"}});
  const Words values = {bits(1.9375f), bits(1)};
  std::vector<sim::RawPacket> packets(3, chunk(values, spec));
  packets[1].config = {3, 1, 1};
  Kept kept;
  const sim::Outcome outcome = run(packets, spec, &kept);
  EXPECT_EQ(outcome.statistics.at(0), 1u);
  EXPECT_EQ(kept.packets[0][0], 6);
  ASSERT_EQ(kept.packets[1].size(), 25u);
  EXPECT_EQ(std::memcmp(kept.packets[1].data() + 16, values.data(), 8), 0);
  EXPECT_EQ(kept.packets[2][0], 6);
  EXPECT_EQ(kept.packets[2][16], 120);  // 1.9375 + 0.1875
  EXPECT_EQ(outcome.sections.at("quantizer").at("method"), "drawn per packet");
}

TEST(MxReport, NothingIsLostWithResiduals) {
  sim::Random random(seed());
  for (const char* format : {"mxfp8", "mxfp4", "mxfp8-e5m2"}) {
    std::vector<Words> chunks;
    for (int iteration = 0; iteration < 16; ++iteration) {
      chunks.emplace_back(512);
      for (uint32_t& value : chunks.back()) {
        value = (static_cast<uint32_t>(random.next()) & 0x807F'FFFF) | (118 + random.below(4))
                                                                           << 23;
      }
    }
    const json report = quantizer_of(chunks, mx_spec({{"format", format}, {"residual", "on"}}));
    EXPECT_GT(report.at("residual").at("rms"), 0.0);
    EXPECT_LE(report.at("conservation"), 0x1p-22) << format;
  }
}

TEST(MxReport, WholeDocument) {
  sim::RunOptions options;
  options.spec = mx_spec({{"residual", "on"}});
  options.spec.stimulus = {.synth = "mixed", .packets = 50};
  const json report = sim::run(mx(), options);
  EXPECT_TRUE(report.at("pass"));
  EXPECT_EQ(report.at("format"), "mxfp8");
  EXPECT_EQ(report.at("quantizer").at("values"), report.at("bytes_in").get<uint64_t>() / 4);
  EXPECT_EQ(report.at("quantizer").at("chunks"), 50);
  EXPECT_TRUE(report.contains("wire_gbps"));
}

// ---- A wide tuser

TEST(WideUser, ItsErrorBitAndInvertedBits) {
  sim::RawPacket raw = chunk(Words(20, 0), mx_spec(), 0x12'3456);
  raw.error = true;
  raw.odd = {{.beat = 1, .keep = kKeepAll, .user = true, .meta = 0xFF}};
  sim::ListSource source({raw});
  sim::SourceFeed<Beat> feed(source, 1, {}, testbenches::ChunkUser::kErrorBit);
  const auto packet = feed.next(0, 0).packet;
  ASSERT_EQ(packet->beats.size(), 3u);
  constexpr uint64_t kWord = 0x12'3456 | uint64_t{20} << 32, kError = uint64_t{1} << 52;
  EXPECT_EQ(packet->beats[0].user_word(), kWord);
  EXPECT_EQ(packet->beats[1].user_word(), (kWord ^ 0xFF) | kError);
  EXPECT_EQ(packet->beats[2].user_word(), kWord | kError);
  for (const Beat& beat : packet->beats) EXPECT_EQ(beat.user, 0);
}

}  // namespace
}  // namespace gw::tests::mx_device_test
