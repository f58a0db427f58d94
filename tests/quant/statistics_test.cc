// The figures of a quantiser against a few chunks that were worked out by hand.
// SPDX-License-Identifier: Apache-2.0
#include "models/reference/quant/statistics.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "tests/quant/bytes.h"

namespace gw::reference::quant::statistics_test {
namespace {

void pass(Quantiser& quantiser, Statistics& statistics, const std::vector<float>& g,
          uint32_t row = 0) {
  std::vector<uint8_t> packet;
  const ChunkReport report = quantiser.encode(g, row, packet);
  statistics.add(g, row, report, decoded(packet));
}

TEST(QuantStatistics, ByHand) {
  Quantiser quantiser(config_of("qgt:t=1,coding=rice"), 4);
  Statistics statistics(4);
  pass(quantiser, statistics, {3.5f, -0.5f});  // 3 is sent: 0 000000 0 11000000, last gap 0 100000
  Figures f = statistics.figures(quantiser.residuals());
  EXPECT_EQ(f.bytes, 17u + 3);
  EXPECT_EQ(f.sent_share, 0.5);
  EXPECT_EQ(f.k_mean, 6);
  EXPECT_EQ(f.bits_per_entry, 24);
  EXPECT_EQ(f.payload_ratio, 8);
  EXPECT_EQ(f.ratio, 8.0 / 20);
  EXPECT_DOUBLE_EQ(f.rel_l2_error, std::sqrt(0.5 / 12.5));
  EXPECT_EQ(f.max_abs_error, 0.5);
  EXPECT_EQ(f.residual_rms, 0.5);
  EXPECT_EQ(f.residual_max, 0.5);
  EXPECT_DOUBLE_EQ(f.residual_to_gradient, 0.5 / 2.5);
  EXPECT_EQ(f.conservation, 0);
  pass(quantiser, statistics, {0, -0.5f});  // v = 0.5, -1: the residual is sent
  f = statistics.figures(quantiser.residuals());
  EXPECT_EQ(f.entries, 2u);
  EXPECT_DOUBLE_EQ(f.residual_rms, std::sqrt(0.125));
  EXPECT_EQ(f.conservation, 0);
}

TEST(QuantStatistics, WhatIsLostIsSeen) {
  Quantiser quantiser(config_of("bgt:t=1"), 4);
  Statistics statistics(4);
  pass(quantiser, statistics, {3.5f, -0.5f}, 1);
  EXPECT_EQ(statistics.figures(quantiser.residuals()).conservation, 0);
  quantiser.residuals()[kLanes] += 0.4f;  // of 4
  EXPECT_NEAR(statistics.figures(quantiser.residuals()).conservation, 0.1, 1e-7);
  quantiser.residuals()[kLanes + 2] = 1;  // beside the chunk
  EXPECT_NEAR(statistics.figures(quantiser.residuals()).conservation, 0.1, 1e-7);
}

TEST(QuantStatistics, ConservationHoldsOverIterations) {
  std::mt19937_64 random(5);
  std::normal_distribution<float> normal(0, 0.002f);
  for (const char* spec :
       {"wgt:t=0.001", "bgt:t=0.002", "qgt:t=0.001,coding=rice", "onebit", "adaptive:p=3",
        "mxfp8:residual=on", "mxfp4:residual=on", "mxfp8-e5m2:scale=up,residual=on"}) {
    Quantiser quantiser(config_of(spec), 128);
    Statistics statistics(128);
    for (int iteration = 0; iteration < 16; ++iteration) {
      std::vector<float> g(1000);
      for (float& x : g) x = normal(random);
      if (iteration == 7) g[3] = kNan;
      pass(quantiser, statistics, g);
    }
    const Figures f = statistics.figures(quantiser.residuals());
    EXPECT_LE(f.conservation, kConservationLimit) << spec;
    EXPECT_GT(f.residual_rms, 0) << spec;
    EXPECT_EQ(f.not_finite, config_of(spec).method >= Method::kMxfp8 ? 32u : 1u) << spec;
  }
}

TEST(QuantStatistics, ChunksThatDoNotFitAreCounted) {
  Quantiser quantiser(config_of("onebit"), 1);
  Statistics statistics(1);
  pass(quantiser, statistics, std::vector<float>(9, 1.0f));
  pass(quantiser, statistics, std::vector<float>(8, 1.0f));
  const Figures f = statistics.figures(quantiser.residuals());
  EXPECT_EQ(f.chunks, 2u);
  EXPECT_EQ(f.raw_chunks, 1u);
  EXPECT_EQ(f.payload_ratio, 32.0 * 17 / (9 * 32 + 8));
  EXPECT_EQ(f.max_abs_error, 0);
}

}  // namespace
}  // namespace gw::reference::quant::statistics_test
