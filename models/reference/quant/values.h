// What becomes of one value or one side of a chunk: the scalar definitions after every quantiser,
// that all faster code and all hardware is scored against. spec: section 3 of the quantisers' page.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "models/reference/quant/packet.h"

namespace gw::reference::quant {

// ---------------------------------------------------------------------------------------------
// Sums and means of ONEBIT

/// |x| in units of 2^-32, rounded down, at most 2^40 - 1; x is finite. Integers have no order of
/// summation.
uint64_t fixed_point(float x);
/// fixed_point(x) is its upper end, which is less than |x|.
inline bool fixed_point_clips(float x) { return x >= 256 || x <= -256; }

/// Of ONEBIT: sum (of fixed_point) over count, rounded to nearest even twice; 0 of nothing. Of the
/// negative side its sign bit is set, also on zero.
float mean_of(uint64_t sum, size_t count, bool negative);

// ---------------------------------------------------------------------------------------------
// THRESHOLD

/// min(255, floor(|v| / t)): how many t are sent of v. Of t as Config has it.
int multiples_of(float v, float t);

// ---------------------------------------------------------------------------------------------
// ADAPTIVE

inline constexpr int kBins = 1024;   ///< of a sign: four a binade, over all of binary32
inline constexpr int kWindow = 128;  ///< that are looked at, from the chunk's largest down

/// Bits 30:21 of v, which is finite; -1 of zeros: they are never sent.
int bin_of(float v);
/// A bin's middle. Of all bins but those of subnormal numbers it has four significant bits.
double bin_middle(int bin);

/// What one sign's histogram sends.
struct Selection {
  int from = kBins;    ///< values of this bin and above are sent
  uint64_t taken = 0;  ///< so many
  double sum = 0;      ///< of their bins' middles, exact
};
/// `values` is the number of values of this sign, those without a bin included; `top` the largest
/// bin that holds a value of either sign, -1: none does.
Selection select_bins(std::span<const uint32_t, kBins> histogram, size_t values, int p, int top);

/// Sum over count: the sum to 24 significant bits whatever its exponent, the quotient to binary32;
/// 0 of nothing. Of the negative side its sign bit is set, also on zero. It is finite.
float mean_of_bins(const Selection& selection, bool negative);

// ---------------------------------------------------------------------------------------------
// MX

/// What E4M3, E2M1 and E5M2 differ in.
struct MxElement {
  int mantissa_bits;
  int exponent_bits;
  int bias;
  uint8_t largest;  ///< code of 448, of 6, of 57,344
  int top;          ///< exponent of the largest value: the scale is the block's exponent minus it
  bool infinite;    ///< the code above the largest is infinite, not NaN
};
inline constexpr MxElement kE4m3 = {3, 4, 7, 0x7E, 8, false};
inline constexpr MxElement kE2m1 = {1, 2, 1, 0x7, 2, false};
inline constexpr MxElement kE5m2 = {2, 5, 15, 0x7B, 15, true};
constexpr const MxElement& mx_element(Method m) {
  return m == Method::kMxfp8 ? kE4m3 : m == Method::kMxfp4 ? kE2m1 : kE5m2;
}

/// Scale of a block whose values are all finite. kFloor: max(0, e - top), e being the largest
/// exponent field; kUp: the smallest with which the largest value, exactly, is no larger than the
/// largest element, but at most 254 - top, that of the largest binade: beyond it elements could
/// stand for 2^128.
uint8_t mx_scale(std::span<const float> block, const MxElement& element,
                 ScaleRule rule = ScaleRule::kFloor);
/// v 2^(127 - scale) to nearest even, saturated, v's sign above it: 8 or 4 bits.
uint8_t mx_encode(float v, uint8_t scale, const MxElement& element);
/// The way back, exact: 7FC00000 under scale 255 and of codes that are none (E4M3 7F, FF; E5M2 7D
/// to 7F, FD to FF); E5M2's 7C and FC are infinite, and so is what exceeds binary32. No encoder
/// sends any of these.
float mx_decode(uint8_t code, uint8_t scale, const MxElement& element);

}  // namespace gw::reference::quant
