#include "sim/harness/stall.h"

#include <gtest/gtest.h>

#include <bit>

#include "sim/base/error.h"

namespace gw::sim {
namespace {

TEST(StallSpec, ParsesAndPrints) {
  for (const char* text : {"none", "source:5", "sink:50", "both:99", "both:12.5"}) {
    EXPECT_EQ(StallSpec::parse(text).text(), text);
  }
}

TEST(StallSpec, RefusesEverythingElse) {
  for (const char* text : {"", "some", "source", "source:", "source:0", "sink:100", "both:-1",
                           "both:5x", "none:5", "sink:nan", "source:1e9"}) {
    EXPECT_THROW(StallSpec::parse(text), UsageError) << text;
  }
}

TEST(StallGenerator, DrawsTheProbabilityAskedFor) {
  for (const double percent : {1.0, 12.5, 50.0, 90.0, 99.0}) {
    StallGenerator generator(percent, 3);
    uint64_t ones = 0;
    constexpr int kWords = 20'000;
    for (int i = 0; i < kWords; ++i)
      ones += static_cast<uint64_t>(std::popcount(generator.next64()));
    const double share = 100.0 * static_cast<double>(ones) / (kWords * 64.0);
    EXPECT_NEAR(share, percent, 0.25) << percent;
  }
}

TEST(StallGenerator, NoStallMeansNone) {
  StallGenerator generator(0, 3);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(generator.next64(), 0u);
}

TEST(StallGenerator, SeedsDifferAndRepeat) {
  StallGenerator a(50, 1), b(50, 1), c(50, 2);
  const uint64_t first = a.next64();
  EXPECT_EQ(first, b.next64());
  EXPECT_NE(first, c.next64());
}

}  // namespace
}  // namespace gw::sim
