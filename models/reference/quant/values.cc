// SPDX-License-Identifier: Apache-2.0
#include "models/reference/quant/values.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace gw::reference::quant {
namespace {

uint32_t bits_of(float x) { return std::bit_cast<uint32_t>(x); }

}  // namespace

uint64_t fixed_point(float x) {
  // 24 significant bits and a power of two: exact in binary64.
  const double scaled = std::ldexp(std::fabs(static_cast<double>(x)), 32);
  constexpr double kLargest = 0x1p40 - 1;
  return static_cast<uint64_t>(std::min(scaled, kLargest));
}

float mean_of(uint64_t sum, size_t count, bool negative) {
  const float mean =
      count == 0 ? 0.0f : static_cast<float>(sum) * 0x1p-32f / static_cast<float>(count);
  return negative ? -mean : mean;
}

int multiples_of(float v, float t) {
  const double magnitude = std::fabs(static_cast<double>(v));
  const double step = static_cast<double>(t);
  if (magnitude < step) return 0;
  if (magnitude >= 256 * step) return 255;
  // v has 24 significant bits and t 16, so that below 256 a quotient that is no integer stays 2^-25
  // away from one: rounding to binary64 does not cross it.
  return static_cast<int>(magnitude / step);
}

int bin_of(float v) { return v == 0 ? -1 : static_cast<int>(bits_of(v) >> 21 & 0x3FF); }

double bin_middle(int bin) {
  // An eighth of a binade's width is the unit: 8 of them lie below a normal value, 0 below a
  // subnormal one.
  const int field = bin / 4;
  const int eighths = (field == 0 ? 1 : 9) + 2 * (bin % 4);
  return std::ldexp(eighths, std::max(field, 1) - 127 - 3);
}

Selection select_bins(std::span<const uint32_t, kBins> histogram, size_t values, int p, int top) {
  const uint64_t wanted = values == 0 ? 0 : std::max<uint64_t>(1, uint64_t{values} >> p);
  Selection s;
  for (int bin = top; bin >= std::max(0, top - kWindow + 1); --bin) {
    const uint64_t here = histogram[static_cast<size_t>(bin)];
    if (s.taken != 0 && s.taken + here > wanted) break;
    if (here == 0) continue;
    s.from = bin;
    s.taken += here;
    // Exact: 12 bits of count and 33 binades of middles fit into binary64.
    s.sum += static_cast<double>(here) * bin_middle(bin);
    if (s.taken > wanted) break;  // only the first bin that holds a value may
  }
  return s;
}

float mean_of_bins(const Selection& selection, bool negative) {
  double mean = 0;
  if (selection.taken != 0) {
    int exponent = 0;
    const double fraction = std::frexp(selection.sum, &exponent);
    const double sum = std::ldexp(std::nearbyint(std::ldexp(fraction, 24)), exponent - 24);
    // A quotient of 24 bits by 13 lies no nearer to a tie of binary32, subnormal ones included,
    // than binary64 tells: rounding twice is rounding once.
    mean = sum / static_cast<double>(selection.taken);
  }
  const auto rounded = static_cast<float>(mean);
  return negative ? -rounded : rounded;
}

uint8_t mx_scale(std::span<const float> block, const MxElement& element, ScaleRule rule) {
  double largest = 0;
  int field = 0;
  for (const float v : block) {
    largest = std::max(largest, std::fabs(static_cast<double>(v)));
    field = std::max(field, static_cast<int>(bits_of(v) >> 23 & 0xFF));
  }
  int scale = std::max(0, field - element.top);
  if (rule == ScaleRule::kUp) {
    const auto most = static_cast<double>(mx_decode(element.largest, 127, element));
    while (scale < 254 - element.top && std::ldexp(largest, 127 - scale) > most) ++scale;
  }
  return static_cast<uint8_t>(scale);
}

uint8_t mx_encode(float v, uint8_t scale, const MxElement& element) {
  const uint32_t sign = bits_of(v) >> 31 << (element.exponent_bits + element.mantissa_bits);
  const double scaled = std::ldexp(std::fabs(static_cast<double>(v)), 127 - scale);
  if (scaled == 0) return static_cast<uint8_t>(sign);
  // In units of the last place at this size; below the smallest normal value that of the latter.
  const int smallest = 1 - element.bias;
  const int exponent = std::max(std::ilogb(scaled), smallest);
  const double units = std::nearbyint(std::ldexp(scaled, element.mantissa_bits - exponent));
  // The leading one of a normal value counts its exponent up from that of the subnormal ones.
  const int code = ((exponent - smallest) << element.mantissa_bits) + static_cast<int>(units);
  return static_cast<uint8_t>(sign | static_cast<uint32_t>(std::min<int>(code, element.largest)));
}

float mx_decode(uint8_t code, uint8_t scale, const MxElement& element) {
  const int magnitude = code & ((1 << (element.exponent_bits + element.mantissa_bits)) - 1);
  const bool infinite = element.infinite && magnitude == element.largest + 1;
  if (scale == kMxPoisoned || (magnitude > element.largest && !infinite)) {
    return std::numeric_limits<float>::quiet_NaN();
  }
  const int field = magnitude >> element.mantissa_bits;
  const int mantissa = magnitude & ((1 << element.mantissa_bits) - 1);
  const int units = field == 0 ? mantissa : mantissa | 1 << element.mantissa_bits;
  const int exponent = std::max(field, 1) - element.bias - element.mantissa_bits + scale - 127;
  const float value = infinite ? std::numeric_limits<float>::infinity()
                               : std::ldexp(static_cast<float>(units), exponent);
  return (code >> (element.exponent_bits + element.mantissa_bits) & 1) != 0 ? -value : value;
}

}  // namespace gw::reference::quant
