// SPDX-License-Identifier: Apache-2.0
#include "models/reference/optimizer/drift.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>

namespace gw::reference::optimizer {
namespace {

std::vector<double> widened(std::span<const std::uint32_t> bits) {
  std::vector<double> values;
  values.reserve(bits.size());
  for (const std::uint32_t b : bits) values.push_back(fp::value(b));
  return values;
}

}  // namespace

double ulp_distance(std::uint32_t value, double exact) {
  const double have = fp::value(value);
  if (std::isnan(have) && std::isnan(exact)) return 0;
  if (have == exact) return 0;
  if (!std::isfinite(have) || !std::isfinite(exact)) {
    return std::numeric_limits<double>::infinity();
  }
  const int exponent = exact == 0 ? -149 : std::max(std::ilogb(exact) - 23, -149);
  return std::ldexp(std::fabs(have - exact), -exponent);
}

DriftRun::DriftRun(Algorithm algorithm, const HyperParameters& hyper, fp::Subnormal mode,
                   std::span<const std::uint32_t> parameters, Epsilon epsilon)
    : bit_exact_(algorithm, hyper, mode, parameters, epsilon),
      textbook_(algorithm, hyper, widened(parameters), epsilon) {}

const Drift& DriftRun::step(std::span<const std::uint32_t> gradients) {
  if (gradients.size() != bit_exact_.size()) {
    std::fprintf(stderr, "gw::reference::optimizer: a gradient for each parameter is needed\n");
    std::abort();
  }
  bit_exact_.begin_iteration();
  textbook_.begin_iteration();
  Drift drift{.iteration = bit_exact_.registers().iteration()};
  double sum = 0;
  for (std::size_t i = 0; i < gradients.size(); i++) {
    const std::uint32_t have = bit_exact_.step(i, gradients[i]);
    const double exact = textbook_.step(i, fp::value(gradients[i]));
    const double ulp = ulp_distance(have, exact);
    sum += ulp;
    if (ulp > drift.max_ulp) {
      drift.max_ulp = ulp;
      drift.worst = i;
    }
    const double absolute = std::fabs(fp::value(have) - exact);
    drift.max_absolute = std::max(drift.max_absolute, absolute);
  }
  if (!gradients.empty()) drift.mean_ulp = sum / static_cast<double>(gradients.size());
  return records_.emplace_back(drift);
}

}  // namespace gw::reference::optimizer
