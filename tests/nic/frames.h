// Frames as a host sends them, for the NIC's tests.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <random>
#include <span>
#include <vector>

#include "models/reference/nic/host.h"

namespace gw::reference::nic {

inline std::vector<std::uint8_t> bytes_of(std::span<const float> values) {
  std::vector<std::uint8_t> out(4 * values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    boost::endian::store_little_u32(&out[4 * i], std::bit_cast<std::uint32_t>(values[i]));
  }
  return out;
}

inline std::vector<std::uint8_t> gradients(std::size_t bytes, unsigned seed, float size = 0.01F) {
  std::mt19937 random(seed);
  std::normal_distribution<float> value(0, size);
  std::vector<float> values(bytes / 4 + 1);
  for (auto& v : values) v = value(random);
  auto out = bytes_of(values);
  out.resize(bytes);
  return out;
}

}  // namespace gw::reference::nic
