// Every rule of the AXI4-Lite checker, each with the mutants that must raise it, and the comparison
// of replies signal by signal.
// SPDX-License-Identifier: Apache-2.0
#include "sim/harness/control_rules.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <vector>

namespace gw::sim::control_rules_test {
namespace {

/// Both sides of a cycle; a whole script has one row a cycle.
struct Row {
  AxiLiteRequest request = {};
  AxiLiteReply reply = {};
};

AxiLiteChecker::Fault last_of(const std::vector<Row>& script) {
  AxiLiteChecker checker;
  for (size_t i = 0; i + 1 < script.size(); ++i) {
    EXPECT_EQ(checker.check(script[i].request, script[i].reply).rule, AxiLiteRule::kNone) << i;
  }
  return checker.check(script.back().request, script.back().reply);
}

void expect_fault(const std::vector<Row>& script, AxiLiteRule rule, const char* channel,
                  const char* signal, bool of_master) {
  const AxiLiteChecker::Fault fault = last_of(script);
  EXPECT_EQ(fault.rule, rule) << signal;
  if (fault.rule == AxiLiteRule::kNone) return;
  EXPECT_STREQ(fault.signal.channel, channel);
  EXPECT_STREQ(fault.signal.name, signal);
  EXPECT_EQ(fault.of_master, of_master);
}

const AxiLiteRequest kWrite{.awaddr = 4, .wdata = 9, .wstrb = 3, .awvalid = 1, .wvalid = 1};
const AxiLiteRequest kRead{.araddr = 8, .arvalid = 1};
const AxiLiteReply kTakes{.awready = 1, .wready = 1, .arready = 1};
const Row kIdle{};
/// The response waits: ready is low.
const AxiLiteReply kWritten{.bresp = AxiResponse::kSlvErr, .bvalid = 1};
const AxiLiteReply kReadOut{.rdata = 7, .rvalid = 1};

TEST(ControlRules, AWellBehavedPortBreaksNone) {
  AxiLiteRequest b_ready{.bready = 1}, r_ready{.rready = 1}, both = kWrite;
  both.araddr = 8, both.arvalid = 1;
  const std::vector<Row> script = {
      kIdle,
      {kWrite, {}},
      {kWrite, kTakes},
      {{}, kWritten},
      {b_ready, kWritten},
      kIdle,
      {kRead, {}},
      {kRead, kTakes},
      kIdle,
      {{}, kReadOut},
      {r_ready, kReadOut},
      kIdle,
      // A write and a read at once, responses taken as they come; ready before valid, and again.
      {both, kTakes},
      {b_ready, kIdle.reply},
      {{}, kIdle.reply},
      {b_ready, kWritten},
      {r_ready, kReadOut},
      // Another payload after the handshake; two writes accepted before the first is answered.
      {kWrite, kTakes},
      {{.awaddr = 5, .wdata = 1, .awvalid = 1, .wvalid = 1}, kTakes},
      {b_ready, kWritten},
      {b_ready, {.bvalid = 1}},
      kIdle,
      // Address and data in either order.
      {{.awvalid = 1}, kTakes},
      kIdle,
      {{.wvalid = 1}, kTakes},
      {b_ready, kWritten},
      {{.wvalid = 1}, kTakes},
      kIdle,
      {{.awvalid = 1}, kTakes},
      {b_ready, kWritten},
      kIdle};
  EXPECT_EQ(last_of(script).rule, AxiLiteRule::kNone);
}

TEST(ControlRules, ValidHoldsUntilReady) {
  const auto rule = AxiLiteRule::kValidDropped;
  AxiLiteRequest no_address = kWrite, no_data = kWrite;
  no_address.awvalid = 0, no_data.wvalid = 0;
  expect_fault({{kWrite, {}}, {no_address, kTakes}}, rule, "AW", "awvalid", true);
  expect_fault({{kWrite, {}}, {no_data, kTakes}}, rule, "W", "wvalid", true);
  expect_fault({{kRead, {}}, kIdle}, rule, "AR", "arvalid", true);
  expect_fault({{kWrite, kTakes}, {{}, kWritten}, kIdle}, rule, "B", "bvalid", false);
  expect_fault({{kRead, kTakes}, {{}, kReadOut}, kIdle}, rule, "R", "rvalid", false);
  // However long it waited.
  expect_fault({{kRead, kTakes}, {{}, kReadOut}, {{}, kReadOut}, {{}, kReadOut}, kIdle}, rule, "R",
               "rvalid", false);
}

TEST(ControlRules, EveryBitOfThePayloadHoldsWhileItWaits) {
  const auto rule = AxiLiteRule::kPayloadChanged;
  for (int bit = 0; bit < 32; ++bit) {
    AxiLiteRequest address = kWrite, data = kWrite, read = kRead;
    address.awaddr ^= 1u << bit, data.wdata ^= 1u << bit, read.araddr ^= 1u << bit;
    expect_fault({{kWrite, {}}, {address, kTakes}}, rule, "AW", "awaddr", true);
    expect_fault({{kWrite, {}}, {data, kTakes}}, rule, "W", "wdata", true);
    expect_fault({{kRead, {}}, {read, kTakes}}, rule, "AR", "araddr", true);
    AxiLiteReply value = kReadOut;
    value.rdata ^= 1u << bit;
    expect_fault({{kRead, kTakes}, {{}, kReadOut}, {{}, value}}, rule, "R", "rdata", false);
  }
  for (int bit = 0; bit < 4; ++bit) {
    AxiLiteRequest strobes = kWrite;
    strobes.wstrb = static_cast<uint8_t>(strobes.wstrb ^ 1 << bit);
    expect_fault({{kWrite, {}}, {strobes, kTakes}}, rule, "W", "wstrb", true);
  }
  for (const AxiResponse other : {AxiResponse::kOkay, AxiResponse::kDecErr}) {
    AxiLiteReply written = kWritten, read = kReadOut;
    written.bresp = other;
    read.rresp = AxiResponse::kSlvErr;
    expect_fault({{kWrite, kTakes}, {{}, kWritten}, {{}, written}}, rule, "B", "bresp", false);
    expect_fault({{kRead, kTakes}, {{}, kReadOut}, {{}, read}}, rule, "R", "rresp", false);
  }
}

TEST(ControlRules, AnAnswerForEachRequestAndAfterIt) {
  const auto unasked = AxiLiteRule::kWriteResponseUnasked, early = AxiLiteRule::kWriteResponseEarly;
  const AxiLiteRequest b_ready{.bready = 1}, r_ready{.rready = 1};
  expect_fault({{{}, kWritten}}, unasked, "B", "bvalid", false);
  expect_fault({{kWrite, kTakes}, {b_ready, kWritten}, {{}, kWritten}}, unasked, "B", "bvalid",
               false);
  // In the cycle of the handshakes it is too early, and while a request is only offered.
  AxiLiteReply at_once = kTakes;
  at_once.bvalid = at_once.rvalid = 1;
  expect_fault({{kWrite, at_once}}, unasked, "B", "bvalid", false);
  expect_fault({{kWrite, {}}, {kWrite, kWritten}}, unasked, "B", "bvalid", false);
  expect_fault({{kWrite, {.awready = 1}}, {{.wdata = 9, .wstrb = 3, .wvalid = 1}, kWritten}}, early,
               "B", "bvalid", false);
  expect_fault({{kWrite, {.wready = 1}}, {{.awaddr = 4, .awvalid = 1}, kWritten}}, early, "B",
               "bvalid", false);
  const auto unasked_read = AxiLiteRule::kReadResponseUnasked;
  expect_fault({{{}, kReadOut}}, unasked_read, "R", "rvalid", false);
  expect_fault({{kRead, at_once}}, unasked, "B", "bvalid", false);
  expect_fault({{kRead, {.arready = 1, .rvalid = 1}}}, unasked_read, "R", "rvalid", false);
  expect_fault({{kRead, {}}, {kRead, kReadOut}}, unasked_read, "R", "rvalid", false);
  expect_fault({{kRead, kTakes}, {r_ready, kReadOut}, {{}, kReadOut}}, unasked_read, "R", "rvalid",
               false);
  // A read is no write.
  expect_fault({{kRead, kTakes}, {{}, kWritten}}, unasked, "B", "bvalid", false);
  expect_fault({{kWrite, kTakes}, {{}, kReadOut}}, unasked_read, "R", "rvalid", false);
}

TEST(ControlRules, ExclusiveAccessIsNotOfAxi4Lite) {
  const AxiLiteReply b{.bresp = AxiResponse::kExOkay, .bvalid = 1};
  const AxiLiteReply r{.rresp = AxiResponse::kExOkay, .rvalid = 1};
  expect_fault({{kWrite, kTakes}, {{}, b}}, AxiLiteRule::kExclusive, "B", "bresp", false);
  expect_fault({{kRead, kTakes}, {{}, r}}, AxiLiteRule::kExclusive, "R", "rresp", false);
  for (const AxiResponse response :
       {AxiResponse::kOkay, AxiResponse::kSlvErr, AxiResponse::kDecErr}) {
    EXPECT_EQ(last_of({{kWrite, kTakes}, {{}, {.bresp = response, .bvalid = 1}}}).rule,
              AxiLiteRule::kNone);
  }
}

struct Output {
  const char *channel, *name;
  uint8_t AxiLiteReply::*flag;
};
constexpr Output kFlags[] = {{"AW", "awready", &AxiLiteReply::awready},
                             {"W", "wready", &AxiLiteReply::wready},
                             {"B", "bvalid", &AxiLiteReply::bvalid},
                             {"AR", "arready", &AxiLiteReply::arready},
                             {"R", "rvalid", &AxiLiteReply::rvalid}};

TEST(ControlRules, NothingIsHighInReset) {
  AxiLiteChecker checker;
  EXPECT_EQ(checker.check_reset({}).rule, AxiLiteRule::kNone);
  for (const Output& output : kFlags) {
    AxiLiteReply reply;
    reply.*output.flag = 1;
    const AxiLiteChecker::Fault fault = checker.check_reset(reply);
    const bool ready = std::string_view(output.name).ends_with("ready");
    EXPECT_EQ(fault.rule, ready ? AxiLiteRule::kReadyInReset : AxiLiteRule::kActiveInReset);
    EXPECT_STREQ(fault.signal.name, output.name);
    EXPECT_STREQ(fault.signal.channel, output.channel);
  }
}

TEST(ControlRules, ResetForgetsWhatWasOnItsWay) {
  AxiLiteChecker checker;
  checker.check(kRead, kTakes);
  checker.check_reset({});
  EXPECT_EQ(checker.check({}, kReadOut).rule, AxiLiteRule::kReadResponseUnasked);
}

TEST(ControlRules, EveryRuleHasASentenceOfItsOwn) {
  std::vector<std::string> texts;
  for (int rule = 0; rule <= static_cast<int>(AxiLiteRule::kReadyInReset); ++rule) {
    texts.push_back(axi_lite_rule_text(static_cast<AxiLiteRule>(rule)));
    EXPECT_GT(texts.back().size(), 10u);
  }
  std::sort(texts.begin(), texts.end());
  EXPECT_EQ(std::unique(texts.begin(), texts.end()), texts.end());
}

// ---- Two replies.

TEST(Replies, DifferInTheSignalThatIsNamed) {
  const auto differ = [](const AxiLiteReply& a, const AxiLiteReply& b, const char* channel,
                         const char* name, const char* value_a, const char* value_b) {
    for (const bool turned : {false, true}) {
      const AxiLiteReply &x = turned ? b : a, &y = turned ? a : b;
      EXPECT_FALSE(same_reply(x, y)) << name;
      const AxiLiteSignal signal = first_difference(x, y);
      ASSERT_STREQ(signal.name, name);
      EXPECT_STREQ(signal.channel, channel);
      EXPECT_EQ(signal_value(x, name), turned ? value_b : value_a);
      EXPECT_EQ(signal_value(y, name), turned ? value_a : value_b);
    }
  };
  for (const Output& output : kFlags) {
    AxiLiteReply high;
    high.*output.flag = 1;
    differ(high, {}, output.channel, output.name, "1", "0");
  }
  const AxiLiteReply answers{.rdata = 7, .bvalid = 1, .rvalid = 1};
  AxiLiteReply other = answers;
  other.bresp = AxiResponse::kSlvErr;
  differ(answers, other, "B", "bresp", "OKAY", "SLVERR");
  other = answers;
  other.rresp = AxiResponse::kDecErr;
  differ(answers, other, "R", "rresp", "OKAY", "DECERR");
  for (int bit = 0; bit < 32; ++bit) {
    other = answers;
    other.rdata ^= 1u << bit;
    EXPECT_FALSE(same_reply(answers, other));
    EXPECT_STREQ(first_difference(answers, other).name, "rdata");
  }
  other.rdata = 0xABCD0123;
  differ(answers, other, "R", "rdata", "00000007", "abcd0123");
}

TEST(Replies, WhatIsNotValidIsNotCompared) {
  const AxiLiteReply a, b{.rdata = 9, .bresp = AxiResponse::kSlvErr, .rresp = AxiResponse::kDecErr};
  EXPECT_TRUE(same_reply(a, b));
  EXPECT_EQ(first_difference(a, b).name, nullptr);
}

}  // namespace
}  // namespace gw::sim::control_rules_test
