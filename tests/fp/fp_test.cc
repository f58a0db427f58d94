// rtl/fp against the host FPU: boundary values of every binade and random pairs, both behaviours.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tests/fp/fp_check.h"
#include "tests/sanitized.h"

namespace gw::fp_test::fp_test {
namespace {

constexpr uint64_t kSeed = 1;
/// Binades, every so manieth of those that meet all others, and of all others.
constexpr uint32_t kSome = tests::kSanitized ? 32 : 8, kEvery = tests::kSanitized ? 4 : 1;
constexpr uint64_t kPerDistribution = tests::rounds(200'000u);

class Fp : public testing::TestWithParam<std::tuple<FpOp, bool>> {
 protected:
  void finish(Check& check) {
    check.flush_batch();
    EXPECT_GT(check.cases(), 0u) << "no case ran";
    EXPECT_EQ(check.errors(), 0u);
    fmt::print("{} cases\n", check.cases());
  }
  FpOp op() const { return std::get<0>(GetParam()); }
  bool subnormal() const { return std::get<1>(GetParam()); }
};

TEST_P(Fp, BoundaryValuesOfAllBinades) {
  Check check(op(), subnormal());
  const std::vector<uint32_t> every = boundary_values(kEvery);
  if (testbenches::fp_op_operands(op()) == 1) {
    for (const uint32_t a : every) check.add(a, 0);
  } else {
    // Every binade against the binades at the edges and every eighth other one.
    for (const uint32_t b : boundary_values(kSome)) {
      for (const uint32_t a : every) check.add(a, b);
      if (check.full()) break;
    }
    for (const uint32_t a : boundary_values(kSome)) {
      for (const uint32_t b : every) check.add(a, b);
      if (check.full()) break;
    }
  }
  for (const uint32_t a : {0x7FC00000u, 0x7F800001u, 0xFFC12345u, 0xFF812345u}) {
    for (const uint32_t b : every) {
      check.add(a, b);
      check.add(b, a);
    }
  }
  finish(check);
}

TEST_P(Fp, RandomPairs) {
  Check check(op(), subnormal());
  fmt::print("seed {}\n", kSeed);
  Random random(kSeed);
  for (const Pairs distribution : kAllPairs) {
    for (uint64_t i = 0; i < kPerDistribution && !check.full(); ++i) {
      const Pair pair = draw(distribution, random);
      check.add(pair.a, pair.b);
    }
  }
  finish(check);
}

/// 2^-25 modulo b, which is odd.
uint32_t inverse_of_a_shift(uint32_t b) {
  uint64_t inverse = 1;
  for (int i = 0; i < 25; ++i) inverse = (inverse & 1 ? inverse + b : inverse) / 2;
  return static_cast<uint32_t>(inverse);
}

// The divider guesses digits and looks at what remains: of each odd divisor, the dividends that
// leave least or most behind the 25th digit, a unit from where the guess would have been another
// one.
TEST_P(Fp, QuotientsNextToADigitOfEveryOddDivisor) {
  if (op() != FpOp::kDiv) GTEST_SKIP() << "only of division";
  Check check(op(), subnormal());
  constexpr uint32_t kOne = 0x3F80'0000, kHidden = 1 << 23;
  constexpr uint32_t kStep = 2 * (tests::kSanitized ? 31 : 1);
  for (uint32_t b = kHidden + 1; b < 2 * kHidden && !check.full(); b += kStep) {
    const uint32_t least = inverse_of_a_shift(b);
    for (const uint32_t a : {least, b - least, least + b, 2 * b - least}) {
      if (a >= kHidden && a < 2 * kHidden) check.add(kOne | (a - kHidden), kOne | (b - kHidden));
    }
  }
  finish(check);
}

// A batch that is no multiple of the lanes, and one behind another, come out in order.
TEST(FpRtl, ShortBatches) {
  testbenches::FpRtl rtl;
  for (uint32_t count = 1; count < 10; ++count) {
    std::vector<uint32_t> a(count), b(count), result(count);
    for (uint32_t i = 0; i < count; ++i) {
      a[i] = std::bit_cast<uint32_t>(static_cast<float>(i + count));
      b[i] = std::bit_cast<uint32_t>(static_cast<float>(count));
    }
    rtl.run(FpOp::kSub, false, a, b, result);
    for (uint32_t i = 0; i < count; ++i) {
      EXPECT_EQ(std::bit_cast<float>(result[i]), static_cast<float>(i));
    }
  }
}

std::string name_of(const testing::TestParamInfo<std::tuple<FpOp, bool>>& info) {
  return std::string(testbenches::fp_op_name(std::get<0>(info.param))) +
         (std::get<1>(info.param) ? "_subnormal" : "_flush");
}

INSTANTIATE_TEST_SUITE_P(Operators, Fp,
                         testing::Combine(testing::ValuesIn(testbenches::kFpOps), testing::Bool()),
                         name_of);

}  // namespace
}  // namespace gw::fp_test::fp_test
