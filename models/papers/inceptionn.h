// The figures of the INCEPTIONN paper that reports print beside ours, typed in once.
//
// Source: Y. Li et al., "A Network-Centric Hardware/Algorithm Co-Design to Accelerate Distributed
// Training of Deep Neural Networks", MICRO 2018: Table III (bit-width distribution of compressed
// gradients), Figure 14 (compression ratio), sections VI and VII (clock, bus, line rate).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <optional>
#include <string_view>

namespace gw::papers::inceptionn {

/// One row of Table III: percent of the values that take 2, 10, 18 and 34 bits, tag included.
struct Table3Row {
  std::string_view model;
  int k;  // the error bound is 2^-k
  double zero;
  double byte;
  double half;
  double raw;

  /// Mean bits of a compressed value. Rows add up to 99.9 .. 100.1 in print, so shares are
  /// normalised.
  constexpr double mean_bits() const {
    return (2 * zero + 10 * byte + 18 * half + 34 * raw) / (zero + byte + half + raw);
  }
  /// What Figure 14 plots: 32 bits over the mean (AlexNet, k = 10: 5.6).
  constexpr double ratio() const { return 32 / mean_bits(); }
};

inline constexpr std::array<Table3Row, 12> kTable3{{
    {"AlexNet", 10, 74.9, 3.9, 21.1, 0.1},
    {"AlexNet", 8, 82.5, 14.8, 2.6, 0.1},
    {"AlexNet", 6, 93.0, 7.0, 0.0, 0.1},
    {"HDC", 10, 92.0, 6.5, 1.5, 0.0},
    {"HDC", 8, 95.7, 3.4, 0.9, 0.0},
    {"HDC", 6, 98.1, 1.6, 0.4, 0.0},
    {"ResNet-50", 10, 81.6, 17.9, 0.5, 0.0},
    {"ResNet-50", 8, 92.3, 7.7, 0.1, 0.0},
    {"ResNet-50", 6, 97.6, 2.4, 0.0, 0.0},
    {"VGG-16", 10, 94.2, 0.9, 4.9, 0.0},
    {"VGG-16", 8, 96.2, 3.8, 0.0, 0.0},
    {"VGG-16", 6, 97.3, 2.7, 0.0, 0.0},
}};

/// The row of a model and a bound 2^-k; the paper has k = 10, 8, 6 only.
constexpr std::optional<Table3Row> table3(std::string_view model, int k) {
  for (const Table3Row& row : kTable3)
    if (row.model == model && row.k == k) return row;
  return std::nullopt;
}

inline constexpr double kClockMhz = 100;         // the NIC's engines
inline constexpr int kBusBits = 256;             // AXI4-Stream width
inline constexpr double kLineRateGbps = 10;      // 10 GbE
inline constexpr double kBestRatioFig14 = 14.9;  // "up to 14.9x", section VIII-C

}  // namespace gw::papers::inceptionn
