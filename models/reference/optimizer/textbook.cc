// SPDX-License-Identifier: Apache-2.0
#include "models/reference/optimizer/textbook.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace gw::reference::optimizer {

Textbook::Textbook(Algorithm algorithm, const HyperParameters& hyper,
                   std::span<const double> parameters, Epsilon epsilon)
    : algorithm_(algorithm),
      epsilon_(epsilon),
      lr_(hyper.lr),
      eps_(hyper.eps),
      beta1_(hyper.beta1),
      beta2_(hyper.beta2) {
  cells_.reserve(parameters.size());
  for (const double theta : parameters) cells_.push_back({.theta = theta});
}

void Textbook::set(const HyperParameters& hyper) {
  lr_ = hyper.lr;
  eps_ = hyper.eps;
  beta1_ = hyper.beta1;
  beta2_ = hyper.beta2;
}

double Textbook::divisor(double square) const {
  return epsilon_ == Epsilon::kUnderRoot ? std::sqrt(square + eps_) : std::sqrt(square) + eps_;
}

void Textbook::follow(const BitExact& exact) {
  const Registers& registers = exact.registers();
  const auto hyper = [&](Source s) { return std::bit_cast<float>(registers[s]); };
  set({.lr = hyper(kLr), .eps = hyper(kEps), .beta1 = hyper(kBeta1), .beta2 = hyper(kBeta2)});
  t_ = registers.iteration();
  const double correction = 1 - std::pow(beta2_, static_cast<double>(t_));
  const double in_state = epsilon_ == Epsilon::kUnderRoot ? eps_ : 0;
  for (std::size_t i = 0; i < cells_.size(); i++) {
    const optimizer::Cell& from = exact.cell(i);
    const auto state = [&](std::size_t s) { return double{std::bit_cast<float>(from.state[s])}; };
    Cell& c = cells_[i] = {.theta = std::bit_cast<float>(from.theta)};
    if (t_ == 0) continue;  // no step yet: the listings begin at nothing
    switch (algorithm_) {
      case Algorithm::kSgd:
        break;
      case Algorithm::kAdagrad:
        c.h = state(0) - in_state;
        break;
      case Algorithm::kAdam:
        c.m = state(0);
        // u = beta2 * (v + eps * (1 - beta2^t)) + (1 - beta2) * eps
        c.v = std::max(0.0, (state(1) - (1 - beta2_) * in_state) / beta2_ - in_state * correction);
        break;
      case Algorithm::kSmorms3:
        c.m = state(0);
        c.v = state(1);
        c.s = state(2) - 1;  // advanced already: the next step adds 1
        c.x = 0;
        break;
    }
  }
}

double Textbook::step(std::size_t parameter, double g) {
  Cell& c = cells_.at(parameter);
  switch (algorithm_) {
    case Algorithm::kSgd:
      c.theta -= lr_ * g;
      break;
    case Algorithm::kAdagrad: {
      c.h += g * g;
      const double lr = lr_ / divisor(c.h);
      c.theta -= lr * g;
      break;
    }
    case Algorithm::kAdam: {
      const auto t = static_cast<double>(t_);
      c.m = beta1_ * c.m + (1 - beta1_) * g;
      c.v = beta2_ * c.v + (1 - beta2_) * g * g;
      const double m_hat = c.m / (1 - std::pow(beta1_, t));
      const double v_hat = c.v / (1 - std::pow(beta2_, t));
      c.theta -= lr_ * m_hat / divisor(v_hat);
      break;
    }
    case Algorithm::kSmorms3: {
      c.s = 1 + (1 - c.x) * c.s;
      const double rho = 1 / (c.s + 1);
      c.m = (1 - rho) * c.m + rho * g;
      c.v = (1 - rho) * c.v + rho * g * g;
      c.x = c.m * c.m / (c.v + eps_);
      c.theta -= std::min(lr_, c.x) / divisor(c.v) * g;
      break;
    }
  }
  return c.theta;
}

}  // namespace gw::reference::optimizer
