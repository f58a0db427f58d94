// The verilated processing elements of one optimizer (gw_pe_bench): eight arrays on the same
// operands, clocked from outside.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

namespace gw::testbenches {

/// Which arrays there are: index 4 * iterative + 2 * fast + subnormal.
inline constexpr size_t kPeArrays = 8;

class PeRtl {
 public:
  virtual ~PeRtl() = default;

  // Inputs; they hold until set again. States as gw_optimizer_array's port has them.
  virtual std::span<uint32_t> registers() = 0;
  virtual std::span<uint32_t> theta() = 0;
  virtual std::span<uint32_t> gradient() = 0;
  virtual std::span<uint32_t> state() = 0;
  virtual void set_reset(bool reset) = 0;
  virtual void set_valid(uint8_t arrays) = 0;

  virtual void clock() = 0;

  // Outputs of the cycle behind the last rising edge.
  virtual uint8_t valid() const = 0;
  virtual std::span<const uint32_t> new_theta(size_t array) const = 0;
  virtual std::span<const uint32_t> new_state(size_t array) const = 0;

  virtual int latency(size_t array) const = 0;
  virtual int interval(size_t array) const = 0;
};

/// The builds there are.
struct PeBuild {
  int algorithm;  ///< 0 SGD, 1 Adagrad, 2 Adam, 3 SMORMS3
  size_t lanes;
  bool eps_outside;  ///< eps is added after the root
  std::unique_ptr<PeRtl> (*make)();
};
std::span<const PeBuild> pe_builds();

}  // namespace gw::testbenches
