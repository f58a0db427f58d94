// SPDX-License-Identifier: Apache-2.0
#include "tools/training/optimizer.h"

#include <algorithm>
#include <cstdlib>

namespace gw::training {
namespace {

namespace opt = reference::optimizer;

opt::Algorithm algorithm_of(Optimizer optimizer) {
  switch (optimizer) {
    case Optimizer::kSgd:
      return opt::Algorithm::kSgd;
    case Optimizer::kAdagrad:
      return opt::Algorithm::kAdagrad;
    case Optimizer::kAdam:
      return opt::Algorithm::kAdam;
    case Optimizer::kSmorms3:
      return opt::Algorithm::kSmorms3;
    case Optimizer::kMomentum:
      break;
  }
  std::abort();
}

opt::HyperParameters hyper_of(double rate, double eps) {
  opt::HyperParameters hyper;
  hyper.lr = static_cast<float>(rate);
  hyper.eps = static_cast<float>(eps);
  return hyper;
}

}  // namespace

std::string_view optimizer_name(Optimizer optimizer) {
  return optimizer == Optimizer::kMomentum ? "momentum" : opt::name_of(algorithm_of(optimizer));
}

std::optional<Optimizer> parse_optimizer(std::string_view name) {
  for (const Optimizer optimizer : kOptimizers) {
    if (name == optimizer_name(optimizer)) return optimizer;
  }
  return std::nullopt;
}

std::string_view optimizer_title(Optimizer optimizer) {
  switch (optimizer) {
    case Optimizer::kMomentum:
      return "SGD with momentum";
    case Optimizer::kSgd:
      return "SGD";
    case Optimizer::kAdagrad:
      return "AdaGrad";
    case Optimizer::kAdam:
      return "Adam";
    case Optimizer::kSmorms3:
      return "SMORMS3";
  }
  std::abort();
}

double default_rate(Optimizer optimizer) {
  switch (optimizer) {
    case Optimizer::kMomentum:
    case Optimizer::kSgd:
      return 0.1;
    case Optimizer::kAdagrad:
      return 0.005;
    case Optimizer::kAdam:
    case Optimizer::kSmorms3:
      return 0.001;
  }
  std::abort();
}

WeightUpdate::WeightUpdate(Optimizer optimizer, double rate, double eps, opt::Epsilon epsilon,
                           size_t parameters)
    : state_(algorithm_of(optimizer), hyper_of(rate, eps), parameters, epsilon) {}

void WeightUpdate::step_alone(size_t first, std::span<const float> gradient,
                              std::span<float> subtracted) {
  // 0 - s is exact.
  std::ranges::fill(subtracted, 0.0f);
  state_.step(first, subtracted, gradient);
  for (float& s : subtracted) s = -s;
}

}  // namespace gw::training
