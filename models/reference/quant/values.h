// What becomes of one value or one side of a chunk: the scalar definitions behind every quantiser,
// that all faster code and all hardware is scored against. spec: section 3 of the quantisers' page.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "models/reference/quant/packet.h"

namespace gw::reference::quant {

// ---------------------------------------------------------------------------------------------
// Sums and means of ONEBIT and ADAPTIVE

/// |x| in units of 2^-32, rounded down, at most 2^40 - 1; x is finite. Integers have no order of
/// summation.
uint64_t fixed_point(float x);
/// fixed_point(x) is its upper end, which is less than |x|.
inline bool fixed_point_clips(float x) { return x >= 256 || x <= -256; }

/// Sum (of fixed_point) over count, rounded to nearest even twice; 0 of nothing. Of the negative
/// side its sign bit is set, also on zero.
float mean_of(uint64_t sum, size_t count, bool negative);

// ---------------------------------------------------------------------------------------------
// THRESHOLD

/// min(255, floor(|v| / t)): how many t are sent of v. Of t as Config has it.
int multiples_of(float v, float t);

// ---------------------------------------------------------------------------------------------
// ADAPTIVE

inline constexpr int kBins = 128;

/// Four bins a binade from 2^-28 to 16, 127 also for what is larger; -1 below. v is finite.
int bin_of(float v);
/// fixed_point() of a bin's middle.
uint64_t bin_middle(int bin);

/// What one sign's histogram sends.
struct Selection {
  int from = kBins;    ///< values of this bin and above are sent
  uint64_t taken = 0;  ///< so many
  uint64_t sum = 0;    ///< of their bins' middles
};
/// `values` is the number of values of this sign, those without a bin included.
Selection select_bins(std::span<const uint32_t, kBins> histogram, size_t values, int p);

// ---------------------------------------------------------------------------------------------
// MX

/// What E4M3 and E2M1 differ in.
struct MxElement {
  int mantissa_bits;
  int exponent_bits;
  int bias;
  uint8_t largest;  ///< code of 448, of 6
  int top;          ///< exponent of the largest value: the scale is the block's exponent minus it
};
inline constexpr MxElement kE4m3 = {3, 4, 7, 0x7E, 8};
inline constexpr MxElement kE2m1 = {1, 2, 1, 0x7, 2};
constexpr const MxElement& mx_element(Method m) { return m == Method::kMxfp8 ? kE4m3 : kE2m1; }

/// max(0, e - 8 or e - 2) of the largest exponent field e of a block. All are finite.
uint8_t mx_scale(std::span<const float> block, const MxElement& element);
/// v 2^(127 - scale) to nearest even, saturated, v's sign above it: 8 or 4 bits.
uint8_t mx_encode(float v, uint8_t scale, const MxElement& element);
/// The way back, exact: 7FC00000 under scale 255 and of E4M3's codes 7F and FF; what exceeds
/// binary32 (no encoder sends it) is infinite.
float mx_decode(uint8_t code, uint8_t scale, const MxElement& element);

}  // namespace gw::reference::quant
