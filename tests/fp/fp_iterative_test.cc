// gw_fp_divsqrt_iterative against the host FPU: the result after exactly as many cycles as its
// header says, the next operation in that very cycle.
// SPDX-License-Identifier: Apache-2.0
#include <Vgw_fp_iterative_0.h>
#include <Vgw_fp_iterative_1.h>
#include <gtest/gtest.h>

#include "tests/fp/fp_reference.h"

namespace gw::fp_test::fp_iterative_test {
namespace {

constexpr int kLatency = 27;

template <class Top>
class Divsqrt {
 public:
  Divsqrt() : top_(&context_) {
    top_.clk_i = 0;
    top_.rst_ni = 0;
    top_.start_i = 0;
    clock();
    top_.rst_ni = 1;
  }
  ~Divsqrt() { top_.final(); }

  void start(bool root, Pair operands) {
    top_.start_i = 1;
    top_.root_i = root;
    top_.a_i = operands.a;
    top_.b_i = operands.b;
    clock();
    top_.start_i = 0;
    top_.a_i = ~operands.a;  // sampled in the cycle of the start alone
    top_.b_i = ~operands.b;
  }
  void clock() {
    top_.clk_i = 1;
    top_.eval();
    top_.clk_i = 0;
    top_.eval();
  }
  uint32_t result() const { return top_.result_o; }

 private:
  VerilatedContext context_;
  Top top_;
};

template <class Top>
void agrees(bool subnormal) {
  Divsqrt<Top> dut;
  Random random(subnormal ? 2 : 1);
  std::vector<Pair> pairs;
  for (const uint32_t a : boundary_values(64)) {
    for (const uint32_t b : boundary_values(128)) pairs.push_back({a, b});
  }
  for (int i = 0; i < 100'000; ++i) {
    pairs.push_back(draw(kAllPairs[static_cast<size_t>(i) % std::size(kAllPairs)], random));
  }
  int roots = 0;
  for (const Pair pair : pairs) {
    const bool root = random.next() % 4 == 0;
    roots += root;
    dut.start(root, pair);
    for (int cycle = 1; cycle < kLatency; ++cycle) dut.clock();
    const FpOp op = root ? FpOp::kSqrt : FpOp::kDiv;
    ASSERT_EQ(dut.result(), reference(op, subnormal, pair.a, pair.b))
        << std::hex << (root ? "root of " : "quotient of ") << pair.a << " " << pair.b;
  }
  EXPECT_GT(roots, 10'000);
}

TEST(FpIterative, FlushedSubnormals) { agrees<Vgw_fp_iterative_0>(false); }
TEST(FpIterative, Ieee754) { agrees<Vgw_fp_iterative_1>(true); }

TEST(FpIterative, TheResultStaysUntilTheNextOne) {
  Divsqrt<Vgw_fp_iterative_0> dut;
  const auto bits = [](float v) { return std::bit_cast<uint32_t>(v); };
  dut.start(false, {bits(6), bits(3)});
  for (int cycle = 1; cycle < kLatency + 100; ++cycle) dut.clock();
  EXPECT_EQ(dut.result(), bits(2));
  dut.start(true, {bits(9), 0});
  for (int cycle = 1; cycle < kLatency - 1; ++cycle) {
    EXPECT_EQ(dut.result(), bits(2)) << "cycle " << cycle;
    if (cycle == kLatency - 2) break;
    dut.clock();
  }
}

}  // namespace
}  // namespace gw::fp_test::fp_iterative_test
