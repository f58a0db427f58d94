// The figures of the optimizer switch's paper that reports print beside ours, typed in once.
//
// Source: "FPGA-based optimizer switch", IEICE Transactions 2021: Table 2 (cycles of a processing
// element), Table 3 (its LUTs, flip-flops and DSPs), section 5 (array, device), Figure 17.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace gw::papers::optimizer_switch {

struct Pe {
  std::string_view algorithm;
  int cycles;        ///< Table 2
  int lut, ff, dsp;  ///< Table 3
};

/// In the order of Algorithms 1 to 4.
inline constexpr std::array<Pe, 4> kPes{{
    {"sgd", 21, 535, 953, 3},
    {"adagrad", 99, 2695, 4880, 9},
    {"adam", 137, 5409, 10278, 36},
    {"smorms3", 164, 6100, 11510, 40},
}};

inline constexpr int kArrayPes = 32;            // section 5.3
inline constexpr double kParameters = 800'000;  // Figure 17
inline constexpr double kDeviceLuts = 433'200;  // XC7VX690T
inline constexpr double kDeviceBram36 = 1'470;
inline constexpr double kDeviceDsps = 3'600;

}  // namespace gw::papers::optimizer_switch
