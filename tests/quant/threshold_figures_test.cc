// The figures that `threshold` must reach, in cycles, worked out by hand from its contract
// (docs/devices/threshold.md): latency, beats a cycle, waits of rows and of k.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "sim/run/run.h"
#include "tests/quant/figures.h"

namespace gw::tests::threshold_figures_test {
namespace {

using nlohmann::json;

const sim::Device& threshold() { return quantiser("threshold"); }
sim::RunSpec threshold_spec(Settings settings) { return spec_of(threshold(), settings); }

struct Way {
  const char *method, *coding;
};
constexpr Way kWays[] = {
    {"wgt", "mask"}, {"bgt", "mask"}, {"qgt", "mask"}, {"bgt", "rice"}, {"qgt", "rice"}};

// A beat accepted in cycle 0 starts in 1; its vector is merged in 16, so that a beat can leave in
// 17. Mask, signs (BGT), m (QGT) or float (WGT), status.
TEST(ThresholdByHand, OneBeat) {
  for (const char* residual : {"off", "on"}) {
    const auto row = [&](const char* method, const char* coding, const Words& values) {
      const sim::RunSpec spec =
          threshold_spec({{"method", method}, {"coding", coding}, {"residual", residual}});
      return rows_of({chunk(values, spec, 0, threshold())}, spec, threshold()).front();
    };
    EXPECT_EQ(row("bgt", "mask", {bits(1)}), (Row{0, 0, 17, 17, 17, 1, 19}));
    EXPECT_EQ(row("qgt", "mask", {bits(1)}), (Row{0, 0, 17, 17, 17, 1, 20}));
    EXPECT_EQ(row("wgt", "mask", {bits(1)}), (Row{0, 0, 17, 17, 17, 1, 22}));
    // k = 6: two gaps of nothing and a sign are 15 bits.
    EXPECT_EQ(row("bgt", "rice", {bits(1)}), (Row{0, 0, 17, 17, 17, 1, 19}));
    // 50 bytes enter at once, and leave one beat behind the other.
    EXPECT_EQ(row("wgt", "mask", Words(8, bits(1))), (Row{0, 0, 17, 17, 18, 2, 50}));
  }
}

// The first beat is full with the group that brings its last bit: of BGT all sent, the eighth (16 +
// 8 x 2), accepted in cycle 7. The status alone is a beat, in the same cycle in the queue.
TEST(ThresholdByHand, TheGroupThatFillsABeat) {
  const sim::RunSpec spec = threshold_spec({{"method", "bgt"}});
  EXPECT_EQ(rows_of({chunk(Words(64, bits(1)), spec, 0, threshold())}, spec, threshold()),
            (std::vector<Row>{{0, 7, 24, 24, 25, 2, 33}}));
  // A run of twelve empty groups ends with the chunk, in whose last cycle all 19 bytes are there.
  EXPECT_EQ(rows_of({chunk(Words(96, 0), spec, 0, threshold())}, spec, threshold()),
            (std::vector<Row>{{0, 11, 28, 28, 28, 1, 19}}));
}

TEST(ThresholdFigures, Latency) {
  for (const auto& [method, coding] : kWays) {
    sim::RunOptions options;
    // So many rows that no k is still in flight.
    options.spec = threshold_spec(
        {{"method", method}, {"coding", coding}, {"residual", "off"}, {"rows", "8192"}});
    options.spec.stimulus = {.synth = "uniform", .packets = 64};
    const json report = sim::run(threshold(), options);
    EXPECT_TRUE(report.at("pass"));
    // Of WGT a short end may wait for the beat before it.
    EXPECT_EQ(report.at("pipeline_latency_cycles").at("min"), 17) << method << coding;
    if (std::string(method) != "wgt") {
      EXPECT_EQ(report.at("pipeline_latency_cycles").at("max"), 17) << method << coding;
    }
  }
}

// Of WGT half of the values leave.
TEST(ThresholdFigures, ABeatACycleInChunksOfEveryLength) {
  std::vector<size_t> lengths;
  for (size_t n = 1; n <= 130; n += n < 70 ? 1 : 7) lengths.push_back(n);
  for (const char* residual : {"off", "on"}) {
    for (const auto& [method, coding] : kWays) {
      SCOPED_TRACE(fmt::format("{} {} {}", method, coding, residual));
      const sim::RunSpec spec = threshold_spec(
          {{"method", method}, {"coding", coding}, {"residual", residual}, {"rows", "8192"}});
      const bool wgt = std::string(method) == "wgt";
      expect_a_beat_a_cycle(lengths, 40, spec, threshold(), [&](size_t n, uint32_t row) {
        Words values(n);
        for (size_t i = 0; i < n; ++i) values[i] = bits(!wgt || i % 2 == 0 ? 0.5f : 0.0f);
        return chunk(values, spec, row, threshold());
      });
    }
  }
}

// A residual item that started in cycle s frees its row in s + 19; so does a k, for Rice code
// alone.
TEST(ThresholdFigures, AChunkWaitsForItsRows) {
  const auto firsts = [](const char* coding, const char* residual) {
    const sim::RunSpec spec =
        threshold_spec({{"method", "bgt"}, {"coding", coding}, {"residual", residual}});
    const std::vector<sim::RawPacket> packets(4, chunk({bits(1)}, spec, 3, threshold()));
    std::vector<uint64_t> cycles;
    for (const Row& row : rows_of(packets, spec, threshold())) cycles.push_back(row.first);
    return cycles;
  };
  const std::vector<uint64_t> waits = {17, 36, 55, 74}, none = {17, 18, 19, 20};
  EXPECT_EQ(firsts("mask", "on"), waits);
  EXPECT_EQ(firsts("rice", "on"), waits);
  EXPECT_EQ(firsts("rice", "off"), waits);
  EXPECT_EQ(firsts("mask", "off"), none);
}

// ---- Options and report

std::string refused(Settings settings) {
  try {
    threshold().check(threshold_spec(settings));
  } catch (const sim::UsageError& error) {
    return error.what();
  }
  return "";
}

TEST(ThresholdOptions, WhatIsRefusedAndHow) {
  EXPECT_EQ(refused({{"threshold", "0.001"}}), "");
  EXPECT_EQ(refused({{"threshold", "2^100"}}), "");
  EXPECT_EQ(refused({{"threshold", "2^101"}}), "--threshold 2^101 is not from 2^-100 to 2^100");
  EXPECT_EQ(refused({{"threshold", "-1"}}), "--threshold -1 is not from 2^-100 to 2^100");
  EXPECT_EQ(refused({{"threshold", "much"}}), "--threshold much is no number (0.001, 2^-10)");
  EXPECT_EQ(refused({{"threshold", "1,coding=rice"}}),
            "--threshold 1,coding=rice is no number (0.001, 2^-10)");
  EXPECT_EQ(refused({{"method", "raw"}}), "--method 'raw' is not wgt, bgt or qgt");
  EXPECT_EQ(refused({{"rows", "7"}}), "--rows 7 is not between 8 and 262144");
  EXPECT_EQ(refused({{"method", "wgt"}, {"coding", "rice"}}),
            "--coding rice goes with bgt and qgt: a wgt value is too long for it to matter");
}

TEST(ThresholdReport, SettingsAndFiguresByHand) {
  sim::RunSpec spec = threshold_spec({{"method", "qgt"}, {"threshold", "0.1"}});
  json settings;
  threshold().describe_settings(spec, settings);
  // 0.1 with 16 significant bits.
  EXPECT_EQ(settings.at("threshold").get<float>(), 0x1.999ap-4f);
  EXPECT_EQ(settings.at("method"), "qgt");
  EXPECT_EQ(settings.at("coding"), "mask");
  EXPECT_EQ(settings.at("residual"), "on");
  EXPECT_EQ(settings.at("rows"), 64);
  // T = 1: 2.5 is sent as 2, 0.25 is kept.
  spec.options.set("threshold", "1");
  const json q =
      run({chunk({bits(2.5f), bits(0.25f)}, spec, 0, threshold())}, spec, nullptr, threshold())
          .sections.at("quantizer");
  EXPECT_EQ(q.at("method"), "qgt");
  EXPECT_EQ(q.at("t"), 1.0);
  EXPECT_EQ(q.at("coding"), "mask");
  EXPECT_EQ(q.at("entries"), 1);
  EXPECT_EQ(q.at("sent_share"), 0.5);
  EXPECT_EQ(q.at("bits_per_entry"), 24.0);  // mask, signs, m
  EXPECT_DOUBLE_EQ(q.at("payload_ratio"), 2 * 32 / 8.0);
  EXPECT_DOUBLE_EQ(q.at("residual").at("max"), 0.5);
  EXPECT_EQ(q.at("conservation"), 0.0);
  EXPECT_FALSE(q.contains("k_mean"));
  const sim::RunSpec rice = threshold_spec({{"method", "bgt"}, {"coding", "rice"}});
  const json r = run({chunk({bits(1)}, rice, 0, threshold())}, rice, nullptr, threshold())
                     .sections.at("quantizer");
  EXPECT_EQ(r.at("k_mean"), 6.0);
  EXPECT_EQ(r.at("coding"), "rice");
}

}  // namespace
}  // namespace gw::tests::threshold_figures_test
