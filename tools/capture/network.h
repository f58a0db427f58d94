// The HDC network of INCEPTIONN (section VII-A): five fully connected layers, hidden size 500.
#pragma once

#include <Eigen/Core>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "tools/capture/digits.h"

namespace gw::capture {

/// 784-500-500-500-500-10, ReLU, softmax and cross-entropy. Weights, gradients and momentum are one
/// vector each, layer after layer, in a layer first the weights (row by row, a row an output), then
/// the biases: the gradient vector is what is sent.
class HdcNetwork {
 public:
  static constexpr std::array<int, 6> kSizes{784, 500, 500, 500, 500, 10};
  static constexpr std::size_t kLayers = kSizes.size() - 1;
  static std::size_t parameter_count();

  /// He initialisation: normal, variance 2 / inputs; biases zero.
  explicit HdcNetwork(std::uint64_t seed);

  /// Forward and backward pass over a mini-batch: the mean loss; gradient() holds the gradient of
  /// that mean.
  float train(const DigitSet& digits, std::span<const std::size_t> batch);
  std::span<float> gradient() { return gradient_; }
  std::span<const float> parameters() const { return weights_; }

  /// v <- momentum v - rate (scale gradient + decay w); w <- w + v.
  void update(float rate, float momentum, float decay, float scale);

  /// The share of digits recognised.
  double accuracy(const DigitSet& digits);

 private:
  using Matrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  Eigen::Map<Matrix> weights(std::vector<float>& of, std::size_t layer);
  Eigen::Map<Eigen::RowVectorXf> biases(std::vector<float>& of, std::size_t layer);
  /// Fills activations_[1..kLayers] from activations_[0]; the last is not yet a softmax.
  void forward();

  std::array<std::size_t, kLayers> offset_{};
  std::vector<float> weights_, gradient_, velocity_;
  std::array<Matrix, kLayers + 1> activations_;
};

}  // namespace gw::capture
