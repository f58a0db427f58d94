// The operators: IEEE against the host, the flush rule at its edges, canonical NaN, min.
// SPDX-License-Identifier: Apache-2.0
#include "models/reference/optimizer/fp.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "tests/sanitized.h"

namespace gw::reference::fp::fp_test {
namespace {

constexpr auto kFlush = Subnormal::kFlush;
constexpr auto kIeee = Subnormal::kIeee;

std::vector<std::uint32_t> edges() {
  std::vector<std::uint32_t> list;
  for (const std::uint32_t magnitude :
       {0x00000000u, 0x00000001u, 0x00400000u, 0x007FFFFFu, 0x00800000u, 0x00800001u,
        0x00FFFFFFu, 0x01000000u, 0x1F800000u, 0x1FFFFFFFu, 0x20000000u, 0x3F7FFFFFu,
        0x3F800000u, 0x3F800001u, 0x4B800000u, 0x5F000000u, 0x7F000000u, 0x7F7FFFFFu,
        0x7F800000u, 0x7F800001u, 0x7FC00000u, 0x7FFFFFFFu}) {
    list.push_back(magnitude);
    list.push_back(magnitude | 0x80000000);
  }
  return list;
}

std::uint32_t canonical(float f) { return std::isnan(f) ? 0x7FC00000 : bits(f); }

void expect_ieee(std::uint32_t a, std::uint32_t b) {
  volatile float x = value(a), y = value(b);
  EXPECT_EQ(add(a, b, kIeee), canonical(x + y)) << std::hex << a << ' ' << b;
  EXPECT_EQ(sub(a, b, kIeee), canonical(x - y)) << std::hex << a << ' ' << b;
  EXPECT_EQ(mul(a, b, kIeee), canonical(x * y)) << std::hex << a << ' ' << b;
  EXPECT_EQ(div(a, b, kIeee), canonical(x / y)) << std::hex << a << ' ' << b;
  EXPECT_EQ(sqrt(a, kIeee), canonical(std::sqrt(x))) << std::hex << a;
}

bool is_subnormal(std::uint32_t a) { return (a & 0x7F800000) == 0 && (a & 0x7FFFFFFF) != 0; }

/// Flushed results are IEEE's on flushed operands, but for those that are subnormal, or round to
/// 2^-126 from below it.
void expect_flush(std::uint32_t a, std::uint32_t b) {
  const auto x = flush(a, kFlush), y = flush(b, kFlush);
  const auto check = [&](std::uint32_t have, std::uint32_t ieee, const char* what) {
    EXPECT_FALSE(is_subnormal(have)) << what;
    if (is_subnormal(ieee)) {
      EXPECT_EQ(have, ieee & 0x80000000) << what << std::hex << ' ' << a << ' ' << b;
    } else if ((ieee & 0x7FFFFFFF) == 0x00800000) {
      EXPECT_TRUE(have == ieee || have == (ieee & 0x80000000)) << what;
    } else {
      EXPECT_EQ(have, ieee) << what << std::hex << ' ' << a << ' ' << b;
    }
  };
  check(add(a, b, kFlush), add(x, y, kIeee), "add");
  check(sub(a, b, kFlush), sub(x, y, kIeee), "sub");
  check(mul(a, b, kFlush), mul(x, y, kIeee), "mul");
  check(div(a, b, kFlush), div(x, y, kIeee), "div");
  check(sqrt(a, kFlush), sqrt(x, kIeee), "sqrt");
}

TEST(Fp, EdgesInPairs) {
  for (const auto a : edges()) {
    for (const auto b : edges()) {
      expect_ieee(a, b);
      expect_flush(a, b);
    }
  }
}

TEST(Fp, RandomPairs) {
  std::mt19937 random(3);
  for (int i = 0; i < tests::rounds(300'000); i++) {
    auto a = static_cast<std::uint32_t>(random()), b = static_cast<std::uint32_t>(random());
    if (i % 3 == 0) {  // results around the smallest normal number
      b = (b & 0x807FFFFF) | ((128 - (a >> 23 & 0xFF) + random() % 4) & 0xFF) << 23;
    }
    expect_ieee(a, b);
    expect_flush(a, b);
  }
}

TEST(Fp, FlushIsAfterRoundingToFullPrecision) {
  // (1 - 2^-24) * 2^-126 has 24 bits: below 2^-126. The host rounds it up, a tie.
  EXPECT_EQ(mul(0x3F7FFFFF, 0x00800000, kIeee), 0x00800000u);
  EXPECT_EQ(mul(0x3F7FFFFF, 0x00800000, kFlush), 0u);
  EXPECT_EQ(mul(0xBF7FFFFF, 0x00800000, kFlush), 0x80000000u);
  // (1 + 2^-13) * (1 - 2^-13) = 1 - 2^-26 rounds to 1.
  const std::uint32_t above = bits(std::ldexp(1.0f + 0x1p-13f, -63));
  const std::uint32_t below = bits(std::ldexp(1.0f - 0x1p-13f, -63));
  EXPECT_EQ(mul(above, below, kFlush), 0x00800000u);
  EXPECT_EQ(sub(0x00800001, 0x00800000, kIeee), 1u);
  EXPECT_EQ(sub(0x00800001, 0x00800000, kFlush), 0u);
  EXPECT_EQ(sub(0x00800000, 0x00800001, kFlush), 0x80000000u);
  EXPECT_EQ(div(0x00800000, 0x40000000, kIeee), 0x00400000u);
  EXPECT_EQ(div(0x80800000, 0x40000000, kFlush), 0x80000000u);
  EXPECT_EQ(div(0x3F800000, 0x80000001, kFlush), 0xFF800000u);  // by -0
  EXPECT_EQ(div(0x00000001, 0x00000001, kFlush), 0x7FC00000u);  // 0 / 0
  EXPECT_EQ(sqrt(0x80000001, kFlush), 0x80000000u);
  EXPECT_EQ(sqrt(0x80000001, kIeee), 0x7FC00000u);
}

TEST(Fp, MinIsMinimumNumber) {
  for (const auto mode : {kFlush, kIeee}) {
    EXPECT_EQ(min(0x3F800000, 0x40000000, mode), 0x3F800000u);
    EXPECT_EQ(min(0x3F800000, 0xFF800000, mode), 0xFF800000u);
    EXPECT_EQ(min(0x00000000, 0x80000000, mode), 0x80000000u);
    EXPECT_EQ(min(0x80000000, 0x00000000, mode), 0x80000000u);
    EXPECT_EQ(min(0x7F800001, 0x3F800000, mode), 0x3F800000u);
    EXPECT_EQ(min(0x3F800000, 0xFFC00001, mode), 0x3F800000u);
    EXPECT_EQ(min(0x7F800001, 0xFFC00001, mode), 0x7FC00000u);
  }
  EXPECT_EQ(min(0x00000002, 0x00000001, kIeee), 1u);
  EXPECT_EQ(min(0x00000002, 0x3F800000, kFlush), 0u);
}

}  // namespace
}  // namespace gw::reference::fp::fp_test
