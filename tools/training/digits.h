// Handwritten digits to train on: the MNIST files, or digits that are drawn here.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace gw::training {

inline constexpr std::size_t kSide = 28;
inline constexpr std::size_t kPixels = kSide * kSide;

struct DigitSet {
  std::vector<float> pixels;  ///< kPixels a digit, 0 (paper) to 1 (ink)
  std::vector<std::uint8_t> labels;
  std::size_t size() const { return labels.size(); }
  const float* image(std::size_t i) const { return pixels.data() + i * kPixels; }
};

struct Digits {
  DigitSet train;
  DigitSet test;
  std::string description;  ///< which digits, and how they are split
};

/// The MNIST files (idx, gzip or plain) of a folder. With train-* and t10k-* as they are; with
/// t10k-* only, the first 8,000 of its images to train and the last 2,000 to test. Throws
/// std::runtime_error.
Digits load_mnist(const std::filesystem::path& folder);

/// Digits drawn from strokes: shifted, scaled, rotated, sheared, of varying thickness, with noise.
Digits draw_digits(std::size_t train, std::size_t test, std::uint64_t seed);

}  // namespace gw::training
