// The verilated floating-point operators (rtl/fp) as functions over spans, at the paper's
// latencies.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

namespace gw::testbenches {

enum class FpOp { kAdd, kSub, kMul, kDiv, kSqrt, kMin, kLess };

inline constexpr std::array kFpOps = {FpOp::kAdd,  FpOp::kSub, FpOp::kMul, FpOp::kDiv,
                                      FpOp::kSqrt, FpOp::kMin, FpOp::kLess};

constexpr std::string_view fp_op_name(FpOp op) {
  constexpr std::string_view kNames[] = {"add", "sub", "mul", "div", "sqrt", "min", "lt"};
  return kNames[static_cast<size_t>(op)];
}

constexpr std::optional<FpOp> parse_fp_op(std::string_view name) {
  for (const FpOp op : kFpOps) {
    if (fp_op_name(op) == name) return op;
  }
  return std::nullopt;
}

/// Operands the operator takes: 1 or 2.
constexpr int fp_op_operands(FpOp op) { return op == FpOp::kSqrt ? 1 : 2; }

class FpRtl {
 public:
  FpRtl();
  ~FpRtl();
  FpRtl(const FpRtl&) = delete;
  FpRtl& operator=(const FpRtl&) = delete;

  /// result[i] = a[i] op b[i], binary32 as bits (kLess: 0 or 1). The spans are equally long; b may
  /// be empty if the operator takes one operand. The operands stream through the pipeline, four a
  /// cycle.
  void run(FpOp op, bool subnormal, std::span<const uint32_t> a, std::span<const uint32_t> b,
           std::span<uint32_t> result);

  struct Engine;  // one verilated top

 private:
  std::array<std::unique_ptr<Engine>, 10> engines_;  // built when first used
};

}  // namespace gw::testbenches
