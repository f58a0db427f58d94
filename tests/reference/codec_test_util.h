// Inputs that the codec's tests share.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "models/reference/codec.h"

namespace gw::reference {

inline std::vector<CodecConfig> all_configs() {
  std::vector<CodecConfig> configs;
  for (int k = kMinBoundExponent; k <= kMaxBoundExponent; ++k) {
    for (const Mode mode : {Mode::kPaper, Mode::kBounded}) configs.push_back({k, mode});
  }
  return configs;
}

inline std::string describe(CodecConfig config) {
  return "k = " + std::to_string(config.bound_exponent) + ", " +
         std::string(mode_name(config.mode));
}

/// Zeros, subnormals, every power of two and its neighbours (so every threshold of every bound, one
/// ulp around), infinities, quiet and signalling NaNs with payloads; both signs.
inline std::vector<uint32_t> edge_values() {
  std::vector<uint32_t> values;
  for (const uint32_t sign : {0u, 0x80000000u}) {
    for (const uint32_t bits : {0u, 1u, 2u, 0x7FFFFFu, 0x400000u, 0x7F7FFFFFu, 0x7F800000u,
                                0x7F800001u, 0x7FC00000u, 0x7FC12345u, 0x7FFFFFFFu, 0x7FA5A5A5u}) {
      values.push_back(sign | bits);
    }
    for (uint32_t exponent = 1; exponent < 255; ++exponent) {
      const uint32_t power = exponent << 23;
      for (const uint32_t bits : {power - 1, power, power + 1, power | 0x400000, power | 0x3FFFFF,
                                  power | 0x7FFF00, power | 0x8000}) {
        values.push_back(sign | bits);
      }
    }
  }
  return values;
}

/// Random values of which most lie around the compressible range.
inline std::vector<uint32_t> random_values(std::mt19937& random, size_t count) {
  std::vector<uint32_t> values(count);
  for (uint32_t& bits : values) {
    const auto word = static_cast<uint32_t>(random());
    const uint32_t exponent = random() % 8 == 0 ? random() % 256 : 108 + random() % 22;
    bits = (word & 0x807FFFFFu) | exponent << 23;
  }
  return values;
}

}  // namespace gw::reference
