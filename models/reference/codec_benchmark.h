// How fast the codec is beside a plain copy of the same floats, measured in one run so that the
// ratios survive a change of machine. GB/s are 10^9 bytes of uncompressed floats per second.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "models/reference/codec.h"

namespace gw::reference {

/// Shares of the four tags, in percent; need not add up to 100.
struct TagMix {
  double zero = 0;
  double byte = 0;
  double half = 0;
  double raw = 0;
};

inline constexpr TagMix kHdcMix = {92.0, 6.5, 1.5, 0.0};  // HDC, k = 10, Table III of the paper
inline constexpr TagMix kUniformMix = {25.0, 25.0, 25.0, 25.0};  // adversarial: nothing to predict

/// Independent random values with these shares of tags, either sign. The same seed, the same
/// values.
std::vector<float> synthetic_values(size_t count, TagMix mix, CodecConfig config, uint64_t seed);

struct CodecBenchmark {
  std::string implementation;
  double memcpy_gbps = 0;
  double encode_gbps = 0;
  double decode_gbps = 0;
  double encode_to_memcpy = 0;
  double decode_to_memcpy = 0;
};

/// Times copy, encode and decode of `values` in interleaved rounds and gives the median of each;
/// aborts if a round does not reproduce the first one's output. All figures are 0 without values.
CodecBenchmark benchmark_codec(std::span<const float> values, CodecConfig config,
                               const Implementation& implementation = best_implementation(),
                               int rounds = 25);

/// Seconds of the median round of each job; the jobs are interleaved.
std::vector<double> median_seconds(std::span<const std::function<void()>> jobs, int rounds);

}  // namespace gw::reference
