// The optimizers straight from the paper's listings (Algorithms 1 to 4), in double: what
// bit_exact.h is measured against. eps is under the root, as there, or after it, as PyTorch has it;
// SMORMS3 begins with s_1 = 1 (graph.h says why).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "models/reference/optimizer/bit_exact.h"

namespace gw::reference::optimizer {

class Textbook {
 public:
  /// The hyper-parameters are those of the registers, widened: what is measured then is the
  /// arithmetic, and not how far 0.001f is from 0.001.
  Textbook(Algorithm algorithm, const HyperParameters& hyper, std::span<const double> parameters,
           Epsilon epsilon = Epsilon::kUnderRoot);

  void begin_iteration() { t_++; }
  /// The host changed the learning rate and what goes with it.
  void set(const HyperParameters& hyper);
  /// Goes on from where a bit-exact optimizer of the same kind is: its states may hold eps where
  /// the listings add it (graph.h), which is taken out again.
  void follow(const BitExact& exact);
  double step(std::size_t parameter, double gradient);

  std::size_t size() const { return cells_.size(); }
  double parameter(std::size_t index) const { return cells_.at(index).theta; }

 private:
  struct Cell {
    double theta = 0, h = 0, m = 0, v = 0, s = 1, x = 1;
  };
  /// sqrt(square + eps), or sqrt(square) + eps.
  double divisor(double square) const;

  Algorithm algorithm_;
  Epsilon epsilon_;
  double lr_, eps_, beta1_, beta2_;
  std::uint64_t t_ = 0;
  std::vector<Cell> cells_;
};

}  // namespace gw::reference::optimizer
