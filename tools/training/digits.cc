// SPDX-License-Identifier: Apache-2.0
#include "tools/training/digits.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <boost/endian/conversion.hpp>
#include <cmath>
#include <memory>
#include <numbers>
#include <optional>
#include <random>
#include <stdexcept>

namespace gw::training {
namespace {

using Bytes = std::vector<std::uint8_t>;

std::optional<std::filesystem::path> find_idx(const std::filesystem::path& folder,
                                              const std::string& name) {
  for (const char* ending : {".gz", ""}) {
    const auto file = folder / (name + ending);
    if (std::filesystem::exists(file)) return file;
  }
  return std::nullopt;
}

/// The data of an idx file of unsigned bytes, whose dimensions are checked and dropped.
Bytes read_idx(const std::filesystem::path& path, unsigned dimensions, std::size_t item_size) {
  const std::unique_ptr<gzFile_s, int (*)(gzFile)> file(gzopen(path.c_str(), "rb"), gzclose);
  if (!file) throw std::runtime_error(fmt::format("{}: cannot be opened.", path.string()));
  Bytes all;
  std::array<std::uint8_t, 65536> chunk;
  for (;;) {
    const int n = gzread(file.get(), chunk.data(), chunk.size());
    if (n < 0) throw std::runtime_error(fmt::format("{}: is damaged.", path.string()));
    if (n == 0) break;
    all.insert(all.end(), chunk.begin(), chunk.begin() + n);
  }
  const std::size_t header = 4 + 4 * dimensions;
  const auto word = [&](std::size_t at) {
    return std::size_t{boost::endian::load_big_u32(&all[at])};
  };
  if (all.size() < header || word(0) != (0x0800u | dimensions) ||
      all.size() != header + word(4) * item_size ||
      (dimensions == 3 && (word(8) != kSide || word(12) != kSide))) {
    throw std::runtime_error(
        fmt::format("{}: is not an idx file of {}.", path.string(),
                    dimensions == 3 ? "28 x 28 images of bytes" : "labels of bytes"));
  }
  all.erase(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(header));
  return all;
}

DigitSet make_set(const Bytes& images, const Bytes& labels, std::size_t first, std::size_t last) {
  DigitSet set;
  set.labels.assign(labels.begin() + static_cast<std::ptrdiff_t>(first),
                    labels.begin() + static_cast<std::ptrdiff_t>(last));
  set.pixels.resize((last - first) * kPixels);
  for (std::size_t i = 0; i < set.pixels.size(); ++i) {
    set.pixels[i] = static_cast<float>(images[first * kPixels + i]) / 255.0f;
  }
  return set;
}

struct Point {
  double x, y;
};
using Stroke = std::vector<Point>;

/// An arc of an ellipse; angles in degrees, 0 to the right, 90 up.
Stroke arc(double cx, double cy, double rx, double ry, double from, double to) {
  constexpr int kPieces = 14;
  Stroke stroke;
  for (int i = 0; i <= kPieces; ++i) {
    const double a = (from + (to - from) * i / kPieces) * std::numbers::pi / 180;
    stroke.push_back({cx + rx * std::cos(a), cy - ry * std::sin(a)});
  }
  return stroke;
}

/// Digits as strokes in a square from -1 to 1, y downwards.
std::vector<Stroke> strokes_of(int digit, bool variant) {
  switch (digit) {
    case 0:
      return {arc(0, 0, 0.55, 0.85, 0, 360)};
    case 1:
      if (variant) return {{{0, -0.85}, {0, 0.85}}};
      return {{{-0.3, -0.5}, {0.05, -0.85}, {0.05, 0.85}}};
    case 2:
      return {arc(0, -0.4, 0.5, 0.45, 160, -40), {{0.38, -0.11}, {-0.5, 0.85}, {0.55, 0.85}}};
    case 3:
      return {arc(-0.05, -0.42, 0.48, 0.42, 150, -90), arc(-0.05, 0.42, 0.55, 0.43, 90, -150)};
    case 4:
      if (variant)
        return {{{-0.45, -0.85}, {-0.5, 0.05}, {0.5, 0.05}}, {{0.4, -0.85}, {0.35, 0.85}}};
      return {{{0.2, 0.85}, {0.2, -0.85}, {-0.55, 0.3}, {0.6, 0.3}}};
    case 5:
      return {{{0.5, -0.85}, {-0.4, -0.85}, {-0.45, -0.1}}, arc(-0.02, 0.3, 0.52, 0.53, 140, -150)};
    case 6:
      return {{{0.3, -0.85}, {-0.2, -0.4}, {-0.48, 0.2}}, arc(0, 0.38, 0.48, 0.46, 0, 360)};
    case 7:
      if (variant) return {{{-0.5, -0.85}, {0.5, -0.85}, {-0.1, 0.85}}, {{-0.25, 0}, {0.4, 0}}};
      return {{{-0.5, -0.85}, {0.5, -0.85}, {-0.1, 0.85}}};
    case 8:
      return {arc(0, -0.43, 0.42, 0.41, 0, 360), arc(0, 0.43, 0.5, 0.44, 0, 360)};
    default:
      return {arc(0, -0.38, 0.46, 0.45, 0, 360), {{0.46, -0.38}, {0.4, 0.3}, {0.1, 0.85}}};
  }
}

double distance(Point p, Point a, Point b) {
  const double dx = b.x - a.x, dy = b.y - a.y;
  const double length2 = dx * dx + dy * dy;
  const double t =
      length2 > 0 ? std::clamp(((p.x - a.x) * dx + (p.y - a.y) * dy) / length2, 0.0, 1.0) : 0.0;
  return std::hypot(p.x - a.x - t * dx, p.y - a.y - t * dy);
}

void draw(float* image, int digit, std::mt19937_64& random) {
  std::uniform_real_distribution<double> one(-1, 1);
  auto strokes = strokes_of(digit, one(random) > 0);
  const double angle = 0.25 * one(random), shear = 0.25 * one(random);
  const double sx = 7.5 * (1 + 0.2 * one(random)), sy = 9.5 * (1 + 0.12 * one(random));
  const double cx = 13.5 + 1.5 * one(random), cy = 13.5 + 1.5 * one(random);
  const double thickness = 1.3 + 0.5 * one(random);
  for (auto& stroke : strokes) {
    for (auto& p : stroke) {
      const double x = sx * (p.x + 0.05 * one(random) - shear * p.y);
      const double y = sy * (p.y + 0.03 * one(random));
      p = {cx + x * std::cos(angle) - y * std::sin(angle),
           cy + x * std::sin(angle) + y * std::cos(angle)};
    }
  }
  for (std::size_t y = 0; y < kSide; ++y) {
    for (std::size_t x = 0; x < kSide; ++x) {
      const Point p{static_cast<double>(x), static_cast<double>(y)};
      double nearest = 1e9;
      for (const auto& stroke : strokes) {
        for (std::size_t i = 1; i < stroke.size(); ++i) {
          nearest = std::min(nearest, distance(p, stroke[i - 1], stroke[i]));
        }
      }
      // The paper stays clean, as in MNIST: noise only where there is ink.
      const double ink = std::clamp(thickness + 0.5 - nearest, 0.0, 1.0);
      const double noisy = ink > 0 ? std::clamp(ink * (0.9 + 0.15 * one(random)), 0.0, 1.0) : 0.0;
      image[y * kSide + x] = static_cast<float>(std::round(noisy * 255) / 255);
    }
  }
}

DigitSet draw_set(std::size_t count, std::mt19937_64& random) {
  DigitSet set;
  set.pixels.resize(count * kPixels);
  for (std::size_t i = 0; i < count; ++i) {
    const int digit = static_cast<int>(random() % 10);
    set.labels.push_back(static_cast<std::uint8_t>(digit));
    draw(set.pixels.data() + i * kPixels, digit, random);
  }
  return set;
}

}  // namespace

Digits load_mnist(const std::filesystem::path& folder) {
  const auto part = [&](const std::string& name) -> std::optional<std::pair<Bytes, Bytes>> {
    const auto images = find_idx(folder, name + "-images-idx3-ubyte");
    const auto labels = find_idx(folder, name + "-labels-idx1-ubyte");
    if (!images || !labels) return std::nullopt;
    std::pair<Bytes, Bytes> both{read_idx(*images, 3, kPixels), read_idx(*labels, 1, 1)};
    if (both.first.size() != both.second.size() * kPixels) {
      throw std::runtime_error(
          fmt::format("{}: does not have as many labels as images.", images->string()));
    }
    return both;
  };
  const auto test = part("t10k");
  if (!test) {
    throw std::runtime_error(
        fmt::format("{}: has no t10k-images-idx3-ubyte(.gz) and t10k-labels-idx1-ubyte(.gz).",
                    folder.string()));
  }
  Digits digits;
  const std::size_t n = test->second.size();
  if (const auto train = part("train")) {
    digits.train = make_set(train->first, train->second, 0, train->second.size());
    digits.test = make_set(test->first, test->second, 0, n);
    digits.description = fmt::format("MNIST: {} training images to train, {} test images to test",
                                     digits.train.size(), digits.test.size());
  } else {
    const std::size_t split = n * 4 / 5;
    digits.train = make_set(test->first, test->second, 0, split);
    digits.test = make_set(test->first, test->second, split, n);
    digits.description =
        fmt::format("MNIST, its {} test images only: the first {} to train, the last {} to test", n,
                    split, n - split);
  }
  return digits;
}

Digits draw_digits(std::size_t train, std::size_t test, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  Digits digits;
  digits.train = draw_set(train, random);
  digits.test = draw_set(test, random);
  digits.description = fmt::format("digits drawn by the program: {} to train, {} to test (seed {})",
                                   train, test, seed);
  return digits;
}

}  // namespace gw::training
