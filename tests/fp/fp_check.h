// A batch of operands through the RTL and the reference; differences are printed, the first twenty.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <span>
#include <vector>

#include "tests/fp/fp_reference.h"

namespace gw::fp_test {

class Check {
 public:
  static constexpr uint64_t kMostErrors = 20;

  Check(FpOp op, bool subnormal) : op_(op), subnormal_(subnormal) {}

  /// Queues one case; runs a batch when there are enough.
  void add(uint32_t a, uint32_t b) {
    a_.push_back(a);
    b_.push_back(b);
    if (a_.size() == kBatch) flush_batch();
  }

  void flush_batch() {
    result_.resize(a_.size());
    rtl_.run(op_, subnormal_, a_, b_, result_);
    for (size_t i = 0; i < a_.size() && !full(); ++i) {
      ++cases_;
      const uint32_t expected = reference(op_, subnormal_, a_[i], b_[i]);
      if (result_[i] == expected) continue;
      ++errors_;
      fmt::print("{} subnormal={}: {:08x} {:08x}: RTL {:08x}, host {:08x}\n",
                 testbenches::fp_op_name(op_), subnormal_ ? 1 : 0, a_[i], b_[i], result_[i],
                 expected);
    }
    a_.clear();
    b_.clear();
  }

  bool full() const { return errors_ >= kMostErrors; }
  uint64_t cases() const { return cases_; }
  uint64_t errors() const { return errors_; }

 private:
  static constexpr size_t kBatch = 1 << 14;

  FpOp op_;
  bool subnormal_;
  testbenches::FpRtl rtl_;
  std::vector<uint32_t> a_, b_, result_;
  uint64_t cases_ = 0;
  uint64_t errors_ = 0;
};

}  // namespace gw::fp_test
