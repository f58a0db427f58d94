// The optimizers of bit_exact.h for whole vectors of parameters: the same graphs and registers,
// evaluated a block at a time with the host's binary32 arithmetic. What trains a network uses this;
// what checks hardware uses BitExact.
//
// Equal to BitExact with Subnormal::kIeee to the last bit, as long as no value is NaN.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "models/reference/optimizer/bit_exact.h"

namespace gw::reference::optimizer {

class VectorOptimizer {
 public:
  VectorOptimizer(Algorithm algorithm, const HyperParameters& hyper, std::size_t parameters,
                  Epsilon epsilon = Epsilon::kUnderRoot);

  /// Starts the next iteration. Call it before the first step, too.
  void begin_iteration() { registers_.advance(); }

  /// One step of the parameters first, first + 1, ...: theta becomes the new parameters. Aborts
  /// where the spans differ in length or go beyond the last parameter.
  void step(std::size_t first, std::span<float> theta, std::span<const float> gradient);

 private:
  const Graph& graph_;
  Registers registers_;
  std::array<std::vector<float>, kMaxStates> states_;
};

}  // namespace gw::reference::optimizer
