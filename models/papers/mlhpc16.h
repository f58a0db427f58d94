// The figures of the communication quantisation paper that reports print beside ours, typed in
// once.
//
// Source: N. Dryden et al., "Communication Quantization for Data-parallel Training of Deep Neural
// Networks", MLHPC 2016: Table 1 (MNIST, three layers of 4,096, four replicas, 20 epochs), section
// 4.4 (no communication), Figure 2 and its text (tau), Figure 3's text (pi, tau).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string_view>

namespace gw::papers::mlhpc16 {

struct Row {
  std::string_view name;   ///< the paper's
  std::string_view codec;  ///< ours
  double accuracy;         ///< percent
};

inline constexpr std::array<Row, 5> kTable1{{
    {"Normal", "none", 98.51},
    {"One-bit", "onebit", 98.49},
    {"Threshold", "bgt:t=0.001", 98.12},
    {"Adaptive", "adaptive:p=6", 98.53},
    {"No communication", "nocommunication", 98.09},
}};

inline constexpr double kFigure2Tau = 3.875;  ///< of values uniform in +-4: leaves 1/32
inline constexpr int kFigure2Trials = 20;

}  // namespace gw::papers::mlhpc16
