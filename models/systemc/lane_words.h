// Eight binary32 values side by side: what the quantisers' cores do with all lanes of a beat at
// once. For their .cc files: vectors are not passed across the library's interface.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <cstring>

#include "models/axis/beat.h"
#include "models/systemc/group_codec.h"  // the vectors

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpsabi"

namespace gw::systemc::lanes {

inline constexpr uint32_t kSign = 0x8000'0000;
inline constexpr uint32_t kExponent = 0x7F80'0000;

template <class To, class From>
inline To bits(const From& from) {
  static_assert(sizeof(To) == sizeof(From));
  To to;
  std::memcpy(&to, &from, sizeof to);
  return to;
}

inline bool any(const Words& mask) {
  const auto quads = bits<std::array<uint64_t, 4>>(mask);
  return (quads[0] | quads[1] | quads[2] | quads[3]) != 0;
}

/// Bit i = lane i of a mask of lanes.
inline uint32_t mask_bits(const Words& mask) {
  constexpr Words kPlace = {1, 2, 4, 8, 16, 32, 64, 128};
  const auto places = bits<std::array<uint32_t, kLanes>>(mask & kPlace);
  uint32_t word = 0;
  for (const uint32_t place : places) word |= place;
  return word;
}

/// All ones in the first `count` lanes.
inline Words first(uint32_t count) {
  constexpr Words kLane = {0, 1, 2, 3, 4, 5, 6, 7};
  return bits<Words>(kLane < count);
}

inline Words not_finite(const Words& values) {
  return bits<Words>((values & kExponent) == kExponent);
}

inline Words select(const Words& mask, const Words& a, const Words& b) {
  return (a & mask) | (b & ~mask);
}

/// What is quantised of a beat's first `present` lanes (docs/devices/mx.md, v): gradient plus
/// residual, or the residual (+0 without) where one is not finite; +0 in the other lanes.
struct Values {
  Words v;
  Words present;
  Words bad;      // the gradient is not finite
  Words refused;  // it or the sum is not
};
inline Values values_of(const Beat& beat, uint32_t present) {
  const Words here = first(present);
  const Words gradients = bits<Words>(beat.data) & here;
  const Words bad = not_finite(gradients);
  return {gradients & ~bad, here, bad, bad};
}
template <class Row>
inline Values values_of(const Beat& beat, uint32_t present, const Row& row) {
  const Words here = first(present);
  const Words gradients = bits<Words>(beat.data) & here;
  const Words residuals = bits<Words>(row);
  const Words sums = bits<Words>(bits<Floats>(gradients) + bits<Floats>(residuals));
  const Words refused = not_finite(sums);  // of a gradient that is not finite, also
  return {select(refused, residuals, sums) & here, here, not_finite(gradients), refused & here};
}

/// The residuals that a beat's first `present` values leave in their row: value less what is sent.
template <class Row>
inline void leave(Row& row, const Words& values, const Words& sent, uint32_t present) {
  const Words left = bits<Words>(bits<Floats>(values) - bits<Floats>(sent));
  row = bits<Row>(select(first(present), left, bits<Words>(row)));
}

}  // namespace gw::systemc::lanes

#pragma GCC diagnostic pop
