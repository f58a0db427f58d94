// SPDX-License-Identifier: Apache-2.0
#include "models/reference/optimizer/bit_exact.h"

#include <cstdio>
#include <cstdlib>

namespace gw::reference::optimizer {
namespace {

constexpr std::size_t kPacketValues = 32;
constexpr std::size_t kMaxNodes = 32;

std::uint32_t apply(Operator op, std::uint32_t a, std::uint32_t b, fp::Subnormal mode) {
  switch (op) {
    case Operator::kAdd:
      return fp::add(a, b, mode);
    case Operator::kSub:
      return fp::sub(a, b, mode);
    case Operator::kMul:
      return fp::mul(a, b, mode);
    case Operator::kDiv:
      return fp::div(a, b, mode);
    case Operator::kSqrt:
      return fp::sqrt(a, mode);
    case Operator::kMin:
      return fp::min(a, b, mode);
  }
  std::abort();
}

}  // namespace

Registers::Registers(const HyperParameters& hyper, fp::Subnormal mode) : mode_(mode) {
  at(kOne) = fp::kOne;
  at(kLr) = fp::bits(hyper.lr);
  at(kEps) = fp::bits(hyper.eps);
  at(kBeta1) = fp::bits(hyper.beta1);
  at(kBeta2) = fp::bits(hyper.beta2);
  at(kOneMinusBeta1) = fp::sub(fp::kOne, at(kBeta1), mode);
  at(kOneMinusBeta2) = fp::sub(fp::kOne, at(kBeta2), mode);
  at(kBias) = fp::mul(at(kOneMinusBeta2), at(kEps), mode);
  written_ = values_;
}

void Registers::resume(std::uint64_t t, std::array<std::uint32_t, 2> powers) {
  t_ = t;
  power1_ = powers[0];
  power2_ = powers[1];
  correct();
}

void Registers::correct() {
  at(kCorrection1) = fp::sub(fp::kOne, power1_, mode_);
  at(kCorrection2) = fp::sub(fp::kOne, power2_, mode_);
}

void Registers::advance() {
  t_++;
  for (int source = kLr; source <= kBias; source++) {
    at(static_cast<Source>(source)) = written(static_cast<Source>(source));
  }
  power1_ = fp::mul(power1_, at(kBeta1), mode_);
  power2_ = fp::mul(power2_, at(kBeta2), mode_);
  correct();
}

Cell first_cell(Algorithm algorithm, std::uint32_t theta, const Registers& registers,
                Epsilon epsilon) {
  const bool in_state = epsilon == Epsilon::kUnderRoot;
  switch (algorithm) {
    case Algorithm::kSgd:
      return {theta, {}};
    case Algorithm::kAdagrad:
      return {theta, {in_state ? registers[kEps] : 0}};
    case Algorithm::kAdam:
      return {theta, {0, in_state ? registers[kBias] : 0}};
    case Algorithm::kSmorms3:
      return {theta, {0, 0, fp::kOne}};
  }
  std::abort();
}

Cell step(const Graph& graph, const Registers& registers, const Cell& cell, std::uint32_t gradient,
          fp::Subnormal mode) {
  std::array<std::uint32_t, kSourceCount + kMaxNodes> values;
  if (graph.nodes.size() > kMaxNodes) std::abort();
  values[kTheta] = cell.theta;
  values[kGradient] = gradient;
  for (std::size_t i = 0; i < kMaxStates; i++) values[kState0 + i] = cell.state[i];
  for (int i = kOne; i < kSourceCount; i++) {
    values[static_cast<std::size_t>(i)] = registers[static_cast<Source>(i)];
  }

  const auto operand = [&](int value) {
    return value < 0 ? 0 : values[static_cast<std::size_t>(value)];
  };
  std::size_t next = kSourceCount;
  for (const Node& node : graph.nodes) {
    values[next++] = apply(node.op, operand(node.a), operand(node.b), mode);
  }

  Cell result{operand(graph.new_theta), cell.state};
  for (std::size_t i = 0; i < graph.states(); i++) result.state[i] = operand(graph.new_state[i]);
  return result;
}

BitExact::BitExact(Algorithm algorithm, const HyperParameters& hyper, fp::Subnormal mode,
                   std::span<const std::uint32_t> parameters, Epsilon epsilon)
    : graph_(graph_of(algorithm, epsilon)), mode_(mode), registers_(hyper, mode) {
  cells_.reserve(parameters.size());
  for (const std::uint32_t theta : parameters) {
    cells_.push_back(first_cell(algorithm, theta, registers_, epsilon));
  }
}

std::uint32_t BitExact::step(std::size_t parameter, std::uint32_t gradient) {
  if (registers_.iteration() == 0) {
    std::fprintf(stderr, "gw::reference::optimizer: a step before the first iteration\n");
    std::abort();
  }
  Cell& cell = cells_.at(parameter);
  cell = optimizer::step(graph_, registers_, cell, gradient, mode_);
  return cell.theta;
}

void BitExact::set_cell(std::size_t parameter, std::size_t word, std::uint32_t bits) {
  Cell& cell = cells_.at(parameter);
  (word == 0 ? cell.theta : cell.state.at(word - 1)) = bits;
}

void BitExact::resume(std::uint64_t t, std::array<std::uint32_t, 2> powers,
                      std::optional<std::uint32_t> iteration) {
  registers_.resume(t, powers);
  iteration_ = iteration;
}

bool BitExact::packet(std::uint32_t iteration, std::uint32_t sequence,
                      std::span<std::uint32_t> values) {
  const std::uint64_t first = std::uint64_t{sequence} * kPacketValues;
  if (values.size() > kPacketValues || first + values.size() > cells_.size()) return false;
  const std::uint32_t ahead = iteration_ ? iteration - *iteration_ : 1;
  if (ahead != 0 && ahead < 0x8000'0000) {
    begin_iteration();
    iteration_ = iteration;
  }
  for (std::size_t i = 0; i < values.size(); i++) values[i] = step(first + i, values[i]);
  return true;
}

}  // namespace gw::reference::optimizer
