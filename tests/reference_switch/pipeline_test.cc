// Parser, aggregation, optimization and lookup as one: what the host of the optimizer does is told
// to the textbook, too, so that the distance from it is the arithmetic's alone.
// SPDX-License-Identifier: Apache-2.0
#include "models/reference/switch/pipeline.h"

#include <gtest/gtest.h>

#include <bit>
#include <vector>

namespace gw::reference::pipeline_test {
namespace {

std::vector<std::uint8_t> gradient(std::uint32_t sequence, std::uint32_t iteration) {
  expether::Header header;
  header.sequence = sequence;
  header.iteration = iteration;
  return expether::build_gradient(header, std::vector<std::uint32_t>(32, 0x3F80'0000));
}

/// Two frames' parameters, 0.7 each.
Pipeline pipeline(optimizer::Algorithm algorithm = optimizer::Algorithm::kSgd,
                  const optimizer::HyperParameters& hyper = {.lr = 0.001f}) {
  PipelineConfig config;
  config.blocks.optimization = true;
  config.algorithm = algorithm;
  config.hyper = hyper;
  config.parameters.assign(2 * 32, std::bit_cast<std::uint32_t>(0.7f));
  return Pipeline(config);
}

/// The first parameter of a frame.
float theta(const Pipeline& p, std::size_t sequence) {
  return std::bit_cast<float>(p.optimizer().parameter(32 * sequence));
}

constexpr std::uint32_t kHalf = 0x3F00'0000;

void expect_next_to_the_textbook(const Pipeline& p, std::uint64_t values) {
  EXPECT_EQ(p.distance().values, values);
  EXPECT_LE(p.distance().ulp_max, 1);
}

TEST(Host, WhatItWritesIntoActiveRegistersCountsAtOnce) {
  Pipeline p = pipeline();
  p.accept(gradient(0, 1), 0);
  p.write_active(optimizer::kLr, kHalf);
  p.accept(gradient(1, 1), 0);
  EXPECT_EQ(theta(p, 0), 0.7f - 0.001f);
  EXPECT_EQ(theta(p, 1), 0.7f - 0.5f);
  expect_next_to_the_textbook(p, 64);
}

TEST(Host, WhatItWritesIntoRegistersCountsFromTheNextIterationOn) {
  Pipeline p = pipeline();
  p.accept(gradient(0, 1), 0);
  p.write_register(optimizer::kLr, kHalf);
  p.accept(gradient(1, 1), 0);
  EXPECT_EQ(theta(p, 1), 0.7f - 0.001f);
  p.accept(gradient(1, 2), 0);
  EXPECT_EQ(theta(p, 1), 0.7f - 0.001f - 0.5f);
  expect_next_to_the_textbook(p, 96);
}

TEST(Host, CellsAreWhereItPutsThem) {
  Pipeline p = pipeline();
  p.accept(gradient(0, 1), 0);
  p.write_cell(32, 0, kHalf);
  p.accept(gradient(1, 1), 0);
  EXPECT_EQ(theta(p, 1), 0.5f - 0.001f);
  expect_next_to_the_textbook(p, 64);
}

// The active register is what was written again when an iteration begins.
TEST(Host, TheTextbookFollowsStatesThatHoldEps) {
  for (const auto algorithm : {optimizer::Algorithm::kAdagrad, optimizer::Algorithm::kAdam,
                               optimizer::Algorithm::kSmorms3}) {
    Pipeline p = pipeline(algorithm, {.lr = 0.01f, .eps = 0.25f, .beta1 = 0.5f, .beta2 = 0.75f});
    for (std::uint32_t iteration = 1; iteration <= 6; ++iteration) {
      if (iteration > 2) p.write_active(optimizer::kLr, std::bit_cast<std::uint32_t>(0.02f));
      p.accept(gradient(0, iteration), 0);
    }
    EXPECT_EQ(p.distance().values, 6u * 32);
    EXPECT_LE(p.distance().ulp_max, 8) << static_cast<int>(algorithm);
  }
}

}  // namespace
}  // namespace gw::reference::pipeline_test
