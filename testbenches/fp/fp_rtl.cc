// SPDX-License-Identifier: Apache-2.0
#include "testbenches/fp/fp_rtl.h"

#include <verilated.h>

#include <algorithm>
#include <cstdlib>

#include "Vgw_fp_bench_add_0.h"
#include "Vgw_fp_bench_add_1.h"
#include "Vgw_fp_bench_compare_0.h"
#include "Vgw_fp_bench_compare_1.h"
#include "Vgw_fp_bench_div_0.h"
#include "Vgw_fp_bench_div_1.h"
#include "Vgw_fp_bench_mul_0.h"
#include "Vgw_fp_bench_mul_1.h"
#include "Vgw_fp_bench_sqrt_0.h"
#include "Vgw_fp_bench_sqrt_1.h"

namespace gw::testbenches {

struct FpRtl::Engine {
  virtual ~Engine() = default;
  virtual void run(bool variant, std::span<const uint32_t> a, std::span<const uint32_t> b,
                   std::span<uint32_t> result) = 0;
};

namespace {

constexpr size_t kLanes = 4;

template <class V, size_t kLatency>
class VerilatedEngine : public FpRtl::Engine {
 public:
  VerilatedEngine() : top_(&context_) {
    top_.clk_i = 0;
    top_.eval();  // the first rising edge is one
  }
  ~VerilatedEngine() override { top_.final(); }

  void run(bool variant, std::span<const uint32_t> a, std::span<const uint32_t> b,
           std::span<uint32_t> result) override {
    top_.variant_i = variant;
    const size_t count = a.size();
    const size_t beats = (count + kLanes - 1) / kLanes;
    for (size_t cycle = 0; cycle < beats + kLatency; ++cycle) {
      // What an edge has put out is what the edges before it took in.
      if (cycle >= kLatency) {
        const size_t at = (cycle - kLatency) * kLanes;
        const size_t lanes = std::min(kLanes, count - at);
        for (size_t i = 0; i < lanes; ++i) result[at + i] = top_.result_o[i];
      }
      if (cycle < beats) {
        const size_t at = cycle * kLanes;
        const size_t lanes = std::min(kLanes, count - at);
        for (size_t i = 0; i < lanes; ++i) top_.a_i[i] = a[at + i];
        if (!b.empty()) {
          for (size_t i = 0; i < lanes; ++i) top_.b_i[i] = b[at + i];
        }
      }
      top_.clk_i = 1;
      top_.eval();
      top_.clk_i = 0;
      top_.eval();
    }
  }

 private:
  VerilatedContext context_;
  V top_;
};

template <class V0, class V1, size_t kLatency>
std::unique_ptr<FpRtl::Engine> make(bool subnormal) {
  if (subnormal) return std::make_unique<VerilatedEngine<V1, kLatency>>();
  return std::make_unique<VerilatedEngine<V0, kLatency>>();
}

}  // namespace

FpRtl::FpRtl() = default;
FpRtl::~FpRtl() = default;

void FpRtl::run(FpOp op, bool subnormal, std::span<const uint32_t> a, std::span<const uint32_t> b,
                std::span<uint32_t> result) {
  const bool lengths_agree =
      result.size() == a.size() && (b.size() == a.size() || fp_op_operands(op) == 1);
  if (!lengths_agree) std::abort();
  constexpr size_t kUnit[] = {0, 0, 1, 2, 3, 4, 4};
  const size_t unit = kUnit[static_cast<size_t>(op)];
  std::unique_ptr<Engine>& engine = engines_[unit * 2 + (subnormal ? 1 : 0)];
  if (!engine) {
    switch (unit) {
      case 0:
        engine = make<Vgw_fp_bench_add_0, Vgw_fp_bench_add_1, 12>(subnormal);
        break;
      case 1:
        engine = make<Vgw_fp_bench_mul_0, Vgw_fp_bench_mul_1, 9>(subnormal);
        break;
      case 2:
        engine = make<Vgw_fp_bench_div_0, Vgw_fp_bench_div_1, 29>(subnormal);
        break;
      case 3:
        engine = make<Vgw_fp_bench_sqrt_0, Vgw_fp_bench_sqrt_1, 28>(subnormal);
        break;
      default:
        engine = make<Vgw_fp_bench_compare_0, Vgw_fp_bench_compare_1, 2>(subnormal);
        break;
    }
  }
  engine->run(op == FpOp::kSub || op == FpOp::kLess, a,
              fp_op_operands(op) == 1 ? std::span<const uint32_t>() : b, result);
}

}  // namespace gw::testbenches
