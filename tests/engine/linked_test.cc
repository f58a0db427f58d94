// The engines that are linked into the program: what they are found by, and that the glue around
// the verilated classes loses nothing.
// SPDX-License-Identifier: Apache-2.0
#include "testbenches/library/linked.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "models/systemc/compressor.h"
#include "models/systemc/parser.h"
#include "tests/engine/support.h"

namespace gw::testbenches::linked_test {
namespace {

TEST(Linked, FoundByTopParametersAndWaves) {
  const GwEngine* compressor = linked_engine("gw_compressor", {}, false);
  ASSERT_NE(compressor, nullptr);
  EXPECT_EQ(compressor->abi, GW_ENGINE_ABI);
  EXPECT_NE(linked_engine("gw_compressor", {}, true), nullptr);
  EXPECT_NE(linked_engine("gw_compressor", {}, true), compressor);
  EXPECT_EQ(linked_engine("gw_compressor", {"Depth=8"}, false), nullptr);
  EXPECT_NE(linked_engine("gw_aggregator", {"Subnormal=1'b0"}, false), nullptr);
  EXPECT_EQ(linked_engine("gw_aggregator", {"Subnormal=1'b1"}, false), nullptr);
  EXPECT_EQ(linked_engine("gw_optimizer", {"Algorithm=2", "Pes=32"}, false), nullptr);
  EXPECT_NE(linked_engine("gw_optimizer", {"Pes=32", "Algorithm=0", "Fast=0"}, false), nullptr);
  EXPECT_NE(linked_engine("gw_switch", {}, false), nullptr);
  EXPECT_EQ(linked_engine("gw_nothing", {}, false), nullptr);
  // The demo does without: it is built when somebody asks for it.
  EXPECT_EQ(linked_engine("gw_mx", {}, false), nullptr);
  EXPECT_EQ(linked_engine("gw_nic_tx", {}, false), nullptr);
}

TEST(Linked, LiteralsAreComparedByValue) {
  EXPECT_EQ(parameter_value("32"), "32");
  EXPECT_EQ(parameter_value("1'b1"), "1");
  EXPECT_EQ(parameter_value("8'hff"), "255");
  EXPECT_EQ(parameter_value("'d1_0"), "10");
  EXPECT_EQ(parameter_value("-3"), "-3");
  EXPECT_EQ(parameter_value("\"text\""), "\"text\"");
}

TEST(Linked, DescribesItself) {
  const GwEngine* engine = linked_engine("gw_switch", {}, false);
  const nlohmann::json facts = nlohmann::json::parse(engine->describe());
  EXPECT_EQ(facts.at("top"), "gw_switch");
  EXPECT_EQ(facts.at("beat_bits"), 256);
  EXPECT_EQ(facts.at("traced"), false);
  EXPECT_EQ(facts.at("parameters").at("Pes"), "32");
  bool found = false;
  for (const auto& port : facts.at("ports")) {
    if (port.at("name") != "s_axis_tdata") continue;
    found = true;
    EXPECT_EQ(port.at("bits"), 1024);
    EXPECT_EQ(port.at("direction"), "input");
  }
  EXPECT_TRUE(found);
}

class LinkedCompressor : public testing::TestWithParam<bool> {};

TEST_P(LinkedCompressor, EqualsTheModelInEachCycle) {
  OneStream rtl(linked_engine("gw_compressor", {}, GetParam()));
  rtl.set("bound_i", 10);
  rtl.set("bounded_i", 1);
  rtl.start();
  systemc::Compressor model({.bound = 10, .bounded = true});
  model.reset();
  model.clock(nullptr, false);
  uint64_t seen = 0;
  EXPECT_EQ(compare(rtl, model, random_gradients(20'000, 7), 7, &seen), "");
  EXPECT_GT(seen, 5'000u);
  EXPECT_EQ(rtl.failure(), "");
}
INSTANTIATE_TEST_SUITE_P(FastAndTraced, LinkedCompressor, testing::Bool());

TEST(LinkedParser, TakesAndGivesWideTuser) {
  OneStream rtl(linked_engine("gw_parser", {}, false));
  rtl.start();
  // Frames of 64 bytes from port 2: what it is comes out in each beat's meta.
  std::vector<Beat> frame(2);
  for (Beat& beat : frame) beat.meta[0] = 2;
  frame[1].last = 1;
  size_t sent = 0;
  int seen = 0;
  for (int cycle = 0; cycle < 50; ++cycle) {
    const Beat* const s = sent < frame.size() ? &frame[sent] : nullptr;
    if (const Beat* m = rtl.m_beat()) {
      ++seen;
      EXPECT_EQ(m->meta[4] >> 20 & 3, 2u);
      EXPECT_EQ(m->user, 0);
    }
    sent += s != nullptr && rtl.s_ready();
    rtl.clock(s, true);
  }
  EXPECT_EQ(seen, 2);
  uint32_t words = 0;
  const uint32_t* const counters = rtl.engine()->statistics(rtl.self(), &words);
  ASSERT_EQ(words, 12u);
  EXPECT_EQ(counters[0], 1u);
}

TEST(Linked, UnknownPinsAndWrites) {
  OneStream rtl(linked_engine("gw_compressor", {}, false));
  EXPECT_EQ(rtl.engine()->pin(rtl.self(), "nothing_i"), -1);
  rtl.engine()->set(rtl.self(), -1, 5);
  rtl.engine()->write(rtl.self(), 0, 0);
  uint32_t words = 9;
  EXPECT_EQ(rtl.engine()->statistics(rtl.self(), &words), nullptr);
  EXPECT_EQ(words, 0u);
  EXPECT_NE(rtl.engine()->trace(rtl.self(), "/dev/null", 0, 1, 1000), 0);
}

}  // namespace
}  // namespace gw::testbenches::linked_test
