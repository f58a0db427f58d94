// How a training run turns gradients into new weights.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "models/reference/optimizer/vector.h"

namespace gw::training {

/// `momentum` is what INCEPTIONN trains with (Table I): SGD with momentum, decay and a falling
/// rate. The others are the optimizer switch's, computed by its reference.
enum class Optimizer : uint8_t { kMomentum, kSgd, kAdagrad, kAdam, kSmorms3 };
inline constexpr std::array kOptimizers{Optimizer::kMomentum, Optimizer::kSgd, Optimizer::kAdagrad,
                                        Optimizer::kAdam, Optimizer::kSmorms3};
std::string_view optimizer_name(Optimizer optimizer);  ///< "momentum", "sgd", ...
std::optional<Optimizer> parse_optimizer(std::string_view name);
/// As a table shows it: "SGD with momentum", "AdaGrad", ...
std::string_view optimizer_title(Optimizer optimizer);
/// 0.1 with momentum and of SGD, 0.005 of AdaGrad (Dryden et al., section 4), 0.001 of the others.
double default_rate(Optimizer optimizer);

/// One of the switch's optimizers, with its states, for the weights of one network.
class WeightUpdate {
 public:
  /// Not kMomentum: HdcNetwork::update() is that.
  WeightUpdate(Optimizer optimizer, double rate, double eps, reference::optimizer::Epsilon epsilon,
               size_t parameters);

  /// Starts the next iteration. Call it before the first step, too.
  void begin_iteration() { state_.begin_iteration(); }
  /// `weights` becomes the new weights of the parameters first, first + 1, ...; `gradient` is the
  /// mean over the workers.
  void step(size_t first, std::span<float> weights, std::span<const float> gradient) {
    state_.step(first, weights, gradient);
  }
  /// What step() would subtract from the weights of these parameters.
  void step_alone(size_t first, std::span<const float> gradient, std::span<float> subtracted);

 private:
  reference::optimizer::VectorOptimizer state_;
};

}  // namespace gw::training
