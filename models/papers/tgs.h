// The figures of the thresholded synchronisation paper that reports print beside ours, typed in
// once.
//
// Source: A. Anoosheh et al., "Thresholded Gradient Synchronization in Distributed ConvNets":
// Tables 1 to 3 (NiN on ImageNet, 8 workers, 220,000 iterations), section 3.1.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string_view>

namespace gw::papers::tgs {

struct Row {
  std::string_view method;
  double threshold;
  double accuracy;  ///< top-1, percent
  double gb;        ///< 32, 1 or 8 bits a sent value, no index
  double percent_per_gb;
};

inline constexpr double kBaselineAccuracy = 57.9175;
inline constexpr double kBaselineGb = 53433;

inline constexpr std::array<Row, 18> kRows{{
    {"wgt", 5e-4, 58.2681, 15583.03, 0.0037},
    {"wgt", 7.5e-4, 58.1941, 11134.76, 0.0052},
    {"wgt", 8.75e-4, 57.9464, 9691.21, 0.0060},
    {"wgt", 1e-3, 57.9424, 6572.01, 0.0088},
    {"wgt", 2.5e-3, 57.2790, 2723.90, 0.0210},
    {"wgt", 5e-3, 56.4698, 933.35, 0.0605},
    {"bgt", 6.25e-4, 51.6584, 396.85, 0.1302},
    {"bgt", 8.75e-4, 54.6196, 316.63, 0.1725},
    {"bgt", 1e-3, 55.0432, 279.65, 0.1968},
    {"bgt", 5e-3, 55.6646, 31.22, 1.7829},
    {"bgt", 6.25e-3, 55.9303, 21.34, 2.6215},
    {"bgt", 8.75e-3, 55.6945, 12.15, 4.5840},
    {"qgt", 5e-6, 57.1371, 12055.74, 0.0047},
    {"qgt", 1e-5, 57.8625, 11632.94, 0.0050},
    {"qgt", 5e-5, 58.3640, 9879.56, 0.0059},
    {"qgt", 1e-4, 58.1682, 8525.72, 0.0068},
    {"qgt", 5e-4, 57.9224, 4204.91, 0.0138},
    {"qgt", 3.75e-3, 56.2720, 123.88, 0.4542},
}};

}  // namespace gw::papers::tgs
