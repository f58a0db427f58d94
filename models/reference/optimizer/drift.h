// How far the bit-exact optimizer is from the textbook, iteration by iteration.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "models/reference/optimizer/bit_exact.h"
#include "models/reference/optimizer/textbook.h"

namespace gw::reference::optimizer {

/// |value - exact| in units in the last place of `exact` as a binary32 number (2^-149 at least); a
/// value that is `exact` rounded to nearest is at most 0.5 away. Two NaNs, and equal infinities,
/// are 0 apart; any other pair with one of them is infinitely far.
double ulp_distance(std::uint32_t value, double exact);

/// After one iteration, over all parameters. A parameter that passes through zero has tiny units
/// there, so that max_ulp leaps; max_absolute does not.
struct Drift {
  std::uint64_t iteration = 0;  ///< t, from 1
  double mean_ulp = 0;
  double max_ulp = 0;
  std::size_t worst = 0;  ///< the parameter of max_ulp
  double max_absolute = 0;

  friend bool operator==(const Drift&, const Drift&) = default;
};

/// Both optimizers, side by side, on the same gradients.
class DriftRun {
 public:
  DriftRun(Algorithm algorithm, const HyperParameters& hyper, fp::Subnormal mode,
           std::span<const std::uint32_t> parameters, Epsilon epsilon = Epsilon::kUnderRoot);

  /// One iteration with a gradient for every parameter; recorded, and returned.
  const Drift& step(std::span<const std::uint32_t> gradients);

  const std::vector<Drift>& records() const { return records_; }  ///< one an iteration
  const BitExact& bit_exact() const { return bit_exact_; }
  const Textbook& textbook() const { return textbook_; }

 private:
  BitExact bit_exact_;
  Textbook textbook_;
  std::vector<Drift> records_;
};

}  // namespace gw::reference::optimizer
