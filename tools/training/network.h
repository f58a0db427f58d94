// The HDC network of INCEPTIONN (section VII-A): five fully connected layers, hidden size 500.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "tools/training/digits.h"

namespace gw::training {

/// 784-500-500-500-500-10, ReLU, softmax and cross-entropy. Weights, gradients and momentum are one
/// vector each, layer after layer, in a layer first the weights (row by row, a row an output), then
/// the biases: the gradient vector is what is sent.
class HdcNetwork {
 public:
  static constexpr std::array<int, 6> kSizes{784, 500, 500, 500, 500, 10};
  static constexpr std::size_t kLayers = kSizes.size() - 1;
  static std::size_t parameter_count();
  /// How the gradient vector falls into chunks that share statistics, layer after layer: each row
  /// of a weight matrix, then the layer's biases.
  static std::vector<std::size_t> chunk_lengths();

  /// He initialisation: normal, variance 2 / inputs; biases zero.
  explicit HdcNetwork(std::uint64_t seed);

  /// Forward and backward pass over a mini-batch: the mean loss; gradient() holds the gradient of
  /// that mean.
  float train(const DigitSet& digits, std::span<const std::size_t> batch);
  std::span<float> gradient() { return gradient_; }
  std::span<float> parameters() { return weights_; }
  std::span<const float> parameters() const { return weights_; }

  /// v <- momentum v - rate (scale gradient + decay w); w <- w + v.
  void update(float rate, float momentum, float decay, float scale);
  /// No weight is infinite or NaN.
  bool finite() const;

  /// The share of digits recognised.
  double accuracy(const DigitSet& digits);

 private:
  using Matrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  /// Aligned as Eigen's packets are: what is left over at either end is computed otherwise, to the
  /// last bit, and where the ends are must not depend on the heap.
  using Values = std::vector<float, Eigen::aligned_allocator<float>>;
  Eigen::Map<Matrix> weights(Values& of, std::size_t layer);
  Eigen::Map<Eigen::RowVectorXf> biases(Values& of, std::size_t layer);
  /// Fills activations_[1..kLayers] from activations_[0]; the last is not yet a softmax.
  void forward();

  std::array<std::size_t, kLayers> offset_{};
  Values weights_, gradient_, velocity_;
  std::array<Matrix, kLayers + 1> activations_;
};

}  // namespace gw::training
