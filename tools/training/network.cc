// SPDX-License-Identifier: Apache-2.0
#include "tools/training/network.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>

namespace gw::training {

std::size_t HdcNetwork::parameter_count() {
  std::size_t count = 0;
  for (std::size_t l = 0; l < kLayers; ++l) {
    count += static_cast<std::size_t>(kSizes[l] + 1) * static_cast<std::size_t>(kSizes[l + 1]);
  }
  return count;
}

std::vector<std::size_t> HdcNetwork::chunk_lengths() {
  std::vector<std::size_t> lengths;
  for (std::size_t l = 0; l < kLayers; ++l) {
    lengths.insert(lengths.end(), static_cast<std::size_t>(kSizes[l + 1]),
                   static_cast<std::size_t>(kSizes[l]));
    lengths.push_back(static_cast<std::size_t>(kSizes[l + 1]));
  }
  return lengths;
}

HdcNetwork::HdcNetwork(std::uint64_t seed)
    : weights_(parameter_count()), gradient_(parameter_count()), velocity_(parameter_count()) {
  std::mt19937_64 random(seed);
  std::size_t at = 0;
  for (std::size_t l = 0; l < kLayers; ++l) {
    offset_[l] = at;
    std::normal_distribution<float> normal(0.0f, std::sqrt(2.0f / static_cast<float>(kSizes[l])));
    const auto n = static_cast<std::size_t>(kSizes[l]) * static_cast<std::size_t>(kSizes[l + 1]);
    for (std::size_t i = 0; i < n; ++i) weights_[at + i] = normal(random);
    at += n + static_cast<std::size_t>(kSizes[l + 1]);
  }
}

Eigen::Map<HdcNetwork::Matrix> HdcNetwork::weights(Values& of, std::size_t layer) {
  return {of.data() + offset_[layer], kSizes[layer + 1], kSizes[layer]};
}

Eigen::Map<Eigen::RowVectorXf> HdcNetwork::biases(Values& of, std::size_t layer) {
  return {of.data() + offset_[layer] +
              static_cast<std::size_t>(kSizes[layer]) * static_cast<std::size_t>(kSizes[layer + 1]),
          kSizes[layer + 1]};
}

void HdcNetwork::forward() {
  for (std::size_t l = 0; l < kLayers; ++l) {
    activations_[l + 1].noalias() = activations_[l] * weights(weights_, l).transpose();
    activations_[l + 1].rowwise() += biases(weights_, l);
    if (l + 1 < kLayers) activations_[l + 1] = activations_[l + 1].cwiseMax(0.0f);
  }
}

float HdcNetwork::train(const DigitSet& digits, std::span<const std::size_t> batch) {
  const auto n = static_cast<Eigen::Index>(batch.size());
  activations_[0].resize(n, static_cast<Eigen::Index>(kPixels));
  for (Eigen::Index i = 0; i < n; ++i) {
    std::memcpy(activations_[0].row(i).data(), digits.image(batch[static_cast<std::size_t>(i)]),
                kPixels * sizeof(float));
  }
  forward();
  Matrix delta = activations_[kLayers];
  double loss = 0;
  for (Eigen::Index i = 0; i < n; ++i) {
    auto row = delta.row(i);
    const int label = digits.labels[batch[static_cast<std::size_t>(i)]];
    row.array() -= row.maxCoeff();
    loss -= row[label];
    row = row.array().exp();
    const float sum = row.sum();
    loss += std::log(sum);
    row /= sum;
    row[label] -= 1.0f;
  }
  delta /= static_cast<float>(n);
  for (std::size_t l = kLayers; l-- > 0;) {
    weights(gradient_, l).noalias() = delta.transpose() * activations_[l];
    biases(gradient_, l) = delta.colwise().sum();
    if (l == 0) break;
    Matrix before = delta * weights(weights_, l);
    delta = (activations_[l].array() > 0.0f).select(before, 0.0f);
  }
  return static_cast<float>(loss / static_cast<double>(n));
}

void HdcNetwork::update(float rate, float momentum, float decay, float scale) {
  const auto n = static_cast<Eigen::Index>(weights_.size());
  Eigen::Map<Eigen::ArrayXf> w(weights_.data(), n), g(gradient_.data(), n), v(velocity_.data(), n);
  v = momentum * v - rate * (scale * g + decay * w);
  w += v;
}

bool HdcNetwork::finite() const {
  return Eigen::Map<const Eigen::ArrayXf>(weights_.data(),
                                          static_cast<Eigen::Index>(weights_.size()))
      .isFinite()
      .all();
}

double HdcNetwork::accuracy(const DigitSet& digits) {
  constexpr std::size_t kChunk = 250;
  std::size_t right = 0;
  for (std::size_t first = 0; first < digits.size(); first += kChunk) {
    const std::size_t n = std::min(kChunk, digits.size() - first);
    activations_[0].resize(static_cast<Eigen::Index>(n), static_cast<Eigen::Index>(kPixels));
    std::memcpy(activations_[0].data(), digits.image(first), n * kPixels * sizeof(float));
    forward();
    for (std::size_t i = 0; i < n; ++i) {
      Eigen::Index best = 0;
      activations_[kLayers].row(static_cast<Eigen::Index>(i)).maxCoeff(&best);
      right += best == digits.labels[first + i];
    }
  }
  return static_cast<double>(right) / static_cast<double>(digits.size());
}

}  // namespace gw::training
