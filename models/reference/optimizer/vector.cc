// SPDX-License-Identifier: Apache-2.0
#include "models/reference/optimizer/vector.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>

namespace gw::reference::optimizer {
namespace {

constexpr std::size_t kBlock = 256;  // values; all operands of a block stay in the first cache

using Block = std::array<float, kBlock>;

void apply(Operator op, const Block& a, const Block& b, Block& out) {
  switch (op) {
    case Operator::kAdd:
      for (std::size_t i = 0; i < kBlock; ++i) out[i] = a[i] + b[i];
      return;
    case Operator::kSub:
      for (std::size_t i = 0; i < kBlock; ++i) out[i] = a[i] - b[i];
      return;
    case Operator::kMul:
      for (std::size_t i = 0; i < kBlock; ++i) out[i] = a[i] * b[i];
      return;
    case Operator::kDiv:
      for (std::size_t i = 0; i < kBlock; ++i) out[i] = a[i] / b[i];
      return;
    case Operator::kSqrt:
      for (std::size_t i = 0; i < kBlock; ++i) out[i] = std::sqrt(a[i]);
      return;
    case Operator::kMin:
      for (std::size_t i = 0; i < kBlock; ++i) {
        // -0 is below +0.
        const bool first = a[i] < b[i] || (a[i] == b[i] && std::signbit(a[i]));
        out[i] = first ? a[i] : b[i];
      }
      return;
  }
  std::abort();
}

}  // namespace

VectorOptimizer::VectorOptimizer(Algorithm algorithm, const HyperParameters& hyper,
                                 std::size_t parameters, Epsilon epsilon)
    : graph_(graph_of(algorithm, epsilon)), registers_(hyper, fp::Subnormal::kIeee) {
  const Cell first = first_cell(algorithm, 0, registers_, epsilon);
  for (std::size_t s = 0; s < graph_.states(); ++s) {
    states_[s].assign(parameters, fp::value(first.state[s]));
  }
  // SGD has no state to tell how many there are.
  states_[0].resize(parameters);
}

void VectorOptimizer::step(std::size_t first, std::span<float> theta,
                           std::span<const float> gradient) {
  if (registers_.iteration() == 0 || theta.size() != gradient.size() ||
      first + theta.size() > states_[0].size()) {
    std::fprintf(stderr,
                 "gw::reference::optimizer: a step before the first iteration, or of "
                 "parameters that are not there\n");
    std::abort();
  }
  // Sources, then nodes, as a Graph numbers them.
  std::vector<Block> values(kSourceCount + graph_.nodes.size());
  for (int source = kOne; source < kSourceCount; ++source) {
    values[static_cast<std::size_t>(source)].fill(
        fp::value(registers_[static_cast<Source>(source)]));
  }
  const auto value_of = [&values](int value) -> Block& {
    return values[static_cast<std::size_t>(value)];
  };
  for (std::size_t at = 0; at < theta.size(); at += kBlock) {
    const std::size_t n = std::min(kBlock, theta.size() - at);
    const auto state = [&](std::size_t s) { return std::span(states_[s]).subspan(first + at, n); };
    std::ranges::copy(theta.subspan(at, n), value_of(kTheta).begin());
    std::ranges::copy(gradient.subspan(at, n), value_of(kGradient).begin());
    for (std::size_t s = 0; s < graph_.states(); ++s) {
      std::ranges::copy(state(s), values[kState0 + s].begin());
    }
    for (std::size_t i = 0; i < graph_.nodes.size(); ++i) {
      const Node& node = graph_.nodes[i];
      apply(node.op, value_of(node.a), value_of(std::max(node.b, 0)), values[kSourceCount + i]);
    }
    std::ranges::copy(std::span(value_of(graph_.new_theta)).first(n), theta.subspan(at, n).begin());
    for (std::size_t s = 0; s < graph_.states(); ++s) {
      std::ranges::copy(std::span(value_of(graph_.new_state[s])).first(n), state(s).begin());
    }
  }
}

}  // namespace gw::reference::optimizer
