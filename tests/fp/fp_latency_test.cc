// rtl/fp at other latencies than the paper's: the same results, exactly as many cycles later.
// SPDX-License-Identifier: Apache-2.0
#include <Vgw_fp_latencies.h>
#include <gtest/gtest.h>

#include <cstdio>

#include "tests/fp/fp_reference.h"

namespace gw::fp_test::fp_latency_test {
namespace {

constexpr int kPairs = 20'000;
constexpr int kLatencies[] = {1, 2, 3, 4, 6, 10, 20, 40};  // as in gw_fp_latencies.sv
constexpr int kFill = 64;  // cycles until results, not initial values, meet

TEST(FpLatency, EveryLatencyAgreesWithThePapers) {
  for (const bool variant : {false, true}) {
    VerilatedContext context;
    Vgw_fp_latencies top(&context);
    top.clk_i = 0;
    top.variant_i = variant;
    top.eval();
    Random random(variant ? 2 : 1);
    int compared = 0;
    for (int cycle = 0; cycle < kPairs; ++cycle) {
      const Pair pair = draw(kAllPairs[static_cast<size_t>(cycle) % std::size(kAllPairs)], random);
      top.a_i = pair.a;
      top.b_i = pair.b;
      top.clk_i = 1;
      top.eval();
      top.clk_i = 0;
      top.eval();
      if (cycle < kFill) continue;
      ++compared;
      for (int i = 0; i < 80; ++i) {
        ASSERT_EQ(top.differ_o[i / 32] >> (i % 32) & 1, 0u)
            << "operator " << i / 16 << " (add, mul, div, sqrt, compare), Subnormal " << i / 8 % 2
            << ", latency " << kLatencies[i % 8] << ", cycle " << cycle;
      }
    }
    EXPECT_EQ(compared, kPairs - kFill);
    top.final();
  }
}

}  // namespace
}  // namespace gw::fp_test::fp_latency_test
