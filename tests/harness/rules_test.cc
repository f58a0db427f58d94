// Every rule of the AXI4-Stream checker, each with the mutant that must raise it, for both widths.
// SPDX-License-Identifier: Apache-2.0
#include "sim/harness/rules.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

namespace gw::sim::rules_test {
namespace {

template <class Beat>
class Rules : public testing::Test {
 protected:
  static Beat full(uint32_t value) {
    Beat beat;
    beat.data.fill(value);
    return beat;
  }
  static Beat tail(int bytes) {
    Beat beat = full(2);
    beat.last = 1;
    beat.keep = Beat::keep_of(bytes);
    return beat;
  }
  AxisChecker<Beat> checker;
};
using Widths = testing::Types<gw::Beat, gw::BasicBeat<16>>;
TYPED_TEST_SUITE(Rules, Widths);

TYPED_TEST(Rules, AWellBehavedStreamBreaksNone) {
  auto& checker = this->checker;
  const TypeParam a = this->full(1);
  TypeParam tail = this->tail(7);
  tail.user = 1;
  EXPECT_EQ(checker.check(nullptr, false), AxisRule::kNone);
  EXPECT_EQ(checker.check(&a, false), AxisRule::kNone);
  EXPECT_EQ(checker.check(&a, false), AxisRule::kNone);
  EXPECT_EQ(checker.check(&a, true), AxisRule::kNone);
  EXPECT_EQ(checker.check(&tail, true), AxisRule::kNone);
  EXPECT_EQ(checker.check(nullptr, true), AxisRule::kNone);
}

TYPED_TEST(Rules, EveryLengthOfALastBeatIsFine) {
  for (int bytes = 1; bytes <= TypeParam::kBytes; ++bytes) {
    const TypeParam tail = this->tail(bytes);
    EXPECT_EQ(this->checker.check(&tail, true), AxisRule::kNone) << bytes;
  }
}

TYPED_TEST(Rules, ValidMustNotFallBeforeReady) {
  const TypeParam a = this->full(1);
  for (int waits = 1; waits <= 3; ++waits) {
    for (int i = 0; i < waits; ++i) {
      EXPECT_EQ(this->checker.check(&a, false), AxisRule::kNone);
    }
    EXPECT_EQ(this->checker.check(nullptr, true), AxisRule::kValidDropped);
  }
}

TYPED_TEST(Rules, EveryBitOfThePayloadHoldsWhileItWaits) {
  using Beat = TypeParam;
  std::vector<std::function<void(Beat&)>> mutants = {
      [](Beat& b) { b.keep = static_cast<typename Beat::Keep>(b.keep >> 1); },
      [](Beat& b) { b.user = 1; }, [](Beat& b) { b.last = 0; }};
  for (size_t word = 0; word < Beat{}.data.size(); ++word) {
    for (int bit = 0; bit < 32; ++bit) {
      mutants.push_back([=](Beat& b) { b.data[word] ^= 1u << bit; });
    }
  }
  for (size_t word = 0; word < Beat{}.meta.size(); ++word) {
    for (int bit = 0; bit < 32; ++bit) {
      mutants.push_back([=](Beat& b) { b.meta[word] ^= 1u << bit; });
    }
  }
  for (const auto& mutate : mutants) {
    for (int waits = 1; waits <= 3; ++waits) {
      AxisChecker<Beat> checker;
      Beat beat = this->tail(Beat::kBytes);
      for (int i = 0; i < waits; ++i) ASSERT_EQ(checker.check(&beat, false), AxisRule::kNone);
      mutate(beat);
      EXPECT_EQ(checker.check(&beat, true), AxisRule::kPayloadChanged);
    }
  }
}

TYPED_TEST(Rules, ThePayloadMayChangeAfterTheHandshake) {
  const TypeParam a = this->full(1), b = this->full(2);
  this->checker.check(&a, false);
  this->checker.check(&a, true);
  EXPECT_EQ(this->checker.check(&b, false), AxisRule::kNone);
  EXPECT_EQ(this->checker.check(&b, true), AxisRule::kNone);
}

TYPED_TEST(Rules, KeepIsContiguousFromByteZero) {
  using Keep = typename TypeParam::Keep;
  const Keep all = static_cast<Keep>(~Keep{0}), top = static_cast<Keep>(all ^ (all >> 1));
  std::vector<Keep> gaps = {0, 2, static_cast<Keep>(all - 1), 0xF00F, top};
  // A hole at each byte but the last of those valid.
  for (int bit = 0; bit + 1 < TypeParam::kBytes; ++bit) {
    gaps.push_back(static_cast<Keep>(all ^ (Keep{1} << bit)));
  }
  for (const Keep keep : gaps) {
    TypeParam beat = this->tail(1);
    beat.keep = keep;
    EXPECT_EQ(this->checker.check(&beat, true), AxisRule::kKeepGap) << std::hex << keep;
  }
}

TYPED_TEST(Rules, OnlyTheLastBeatMayBePartial) {
  for (int bytes = 1; bytes < TypeParam::kBytes; ++bytes) {
    TypeParam beat = this->full(1);
    beat.keep = TypeParam::keep_of(bytes);
    EXPECT_EQ(this->checker.check(&beat, true), AxisRule::kKeepBeforeLast) << bytes;
  }
}

TYPED_TEST(Rules, OnlyTheLastBeatMayBeEmptyAndOnlyWhereItIsAllowed) {
  for (const bool last : {false, true}) {
    for (const bool allowed : {false, true}) {
      TypeParam beat = last ? this->tail(1) : this->full(1);
      beat.keep = 0;
      EXPECT_EQ(this->checker.check(&beat, true, allowed),
                last && allowed ? AxisRule::kNone : AxisRule::kKeepGap)
          << last << allowed;
    }
  }
}

TYPED_TEST(Rules, AnErrorGoesWithLast) {
  TypeParam beat = this->full(1);
  beat.user = 1;
  EXPECT_EQ(this->checker.check(&beat, true), AxisRule::kUserBeforeLast);
}

TYPED_TEST(Rules, NothingMovesInReset) {
  const TypeParam a = this->full(1);
  EXPECT_EQ(this->checker.check_reset(nullptr, false), AxisRule::kNone);
  EXPECT_EQ(this->checker.check_reset(&a, false), AxisRule::kActiveInReset);
  EXPECT_EQ(this->checker.check_reset(&a, true), AxisRule::kActiveInReset);
  EXPECT_EQ(this->checker.check_reset(nullptr, true), AxisRule::kReadyInReset);
}

TYPED_TEST(Rules, ArmsComeBeforeTheProfiles) {
  TypeParam gap = this->full(1);
  this->checker.check(&gap, false);
  gap.keep = 0;
  EXPECT_EQ(this->checker.check(&gap, false), AxisRule::kPayloadChanged);
  EXPECT_EQ(this->checker.check(&gap, true), AxisRule::kPayloadChanged);
  EXPECT_EQ(this->checker.check(&gap, true), AxisRule::kKeepGap);
}

TEST(RuleTexts, ArmHasThreeAndTheProfileFour) {
  using enum AxisRule;
  for (const AxisRule rule : {kValidDropped, kPayloadChanged, kActiveInReset}) {
    EXPECT_FALSE(of_profile(rule));
  }
  for (const AxisRule rule : {kKeepGap, kKeepBeforeLast, kUserBeforeLast, kReadyInReset}) {
    EXPECT_TRUE(of_profile(rule));
  }
}

TEST(RuleTexts, EveryRuleHasASentenceOfItsOwn) {
  std::vector<std::string> texts;
  for (int rule = 0; rule <= static_cast<int>(AxisRule::kReadyInReset); ++rule) {
    texts.push_back(axis_rule_text(static_cast<AxisRule>(rule)));
    EXPECT_GT(texts.back().size(), 10u);
  }
  std::sort(texts.begin(), texts.end());
  EXPECT_EQ(std::unique(texts.begin(), texts.end()), texts.end());
}

}  // namespace
}  // namespace gw::sim::rules_test
