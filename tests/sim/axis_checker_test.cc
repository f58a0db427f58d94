// Every rule of the AXI4-Stream checker, each with the mutant that must raise it.
#include "sim/harness/rules.h"

#include <gtest/gtest.h>

namespace gw::sim {
namespace {

Beat full(uint32_t value) {
  Beat beat;
  beat.data.fill(value);
  return beat;
}

TEST(AxisChecker, AcceptsAWellBehavedStream) {
  AxisChecker checker;
  const Beat a = full(1);
  Beat tail = full(2);
  tail.last = 1;
  tail.user = 1;
  tail.keep = 0x000000FF;
  EXPECT_EQ(checker.check(nullptr, false), AxisRule::kNone);
  EXPECT_EQ(checker.check(&a, false), AxisRule::kNone);
  EXPECT_EQ(checker.check(&a, false), AxisRule::kNone);
  EXPECT_EQ(checker.check(&a, true), AxisRule::kNone);
  EXPECT_EQ(checker.check(&tail, true), AxisRule::kNone);
  EXPECT_EQ(checker.check(nullptr, true), AxisRule::kNone);
}

TEST(AxisChecker, ValidMustNotFallBeforeReady) {
  AxisChecker checker;
  const Beat a = full(1);
  checker.check(&a, false);
  EXPECT_EQ(checker.check(nullptr, true), AxisRule::kValidDropped);
}

TEST(AxisChecker, PayloadMustHoldWhileItWaits) {
  for (const auto& mutate :
       {+[](Beat& b) { b.data[7] ^= 0x80000000u; }, +[](Beat& b) { b.data[0] ^= 1; },
        +[](Beat& b) { b.keep = 0x0FFFFFFF; }, +[](Beat& b) { b.user = 1; },
        +[](Beat& b) { b.last = 0; }}) {
    AxisChecker checker;
    Beat beat = full(3);
    beat.last = 1;
    ASSERT_EQ(checker.check(&beat, false), AxisRule::kNone);
    mutate(beat);
    EXPECT_EQ(checker.check(&beat, true), AxisRule::kPayloadChanged);
  }
}

TEST(AxisChecker, PayloadMayChangeAfterTheHandshake) {
  AxisChecker checker;
  const Beat a = full(1), b = full(2);
  checker.check(&a, true);
  EXPECT_EQ(checker.check(&b, true), AxisRule::kNone);
}

TEST(AxisChecker, KeepIsContiguousFromByteZero) {
  for (const uint32_t keep : {0u, 0x2u, 0xFFFFFFFEu, 0x0000F00Fu, 0x80000000u}) {
    AxisChecker checker;
    Beat beat = full(1);
    beat.last = 1;
    beat.keep = keep;
    EXPECT_EQ(checker.check(&beat, true), AxisRule::kKeepGap) << std::hex << keep;
  }
}

TEST(AxisChecker, OnlyTheLastBeatMayBePartial) {
  AxisChecker checker;
  Beat beat = full(1);
  beat.keep = 0x7FFFFFFF;
  EXPECT_EQ(checker.check(&beat, true), AxisRule::kKeepBeforeLast);
}

TEST(AxisChecker, UserGoesWithLast) {
  AxisChecker checker;
  Beat beat = full(1);
  beat.user = 1;
  EXPECT_EQ(checker.check(&beat, true), AxisRule::kUserBeforeLast);
}

TEST(AxisChecker, NothingMovesInReset) {
  AxisChecker checker;
  const Beat a = full(1);
  EXPECT_EQ(checker.check_reset(nullptr, false), AxisRule::kNone);
  EXPECT_EQ(checker.check_reset(&a, false), AxisRule::kActiveInReset);
  EXPECT_EQ(checker.check_reset(nullptr, true), AxisRule::kActiveInReset);
}

TEST(AxisChecker, EveryRuleHasASentence) {
  for (int rule = 0; rule <= static_cast<int>(AxisRule::kActiveInReset); ++rule) {
    EXPECT_GT(std::string(axis_rule_text(static_cast<AxisRule>(rule))).size(), 10u);
  }
}

}  // namespace
}  // namespace gw::sim
