// binary32 operations as the operators of rtl/fp compute them, on the host's unit; bits in, bits
// out, inline for the models' hot loops. kFlush: subnormal operands and results are zeros of their
// sign; every NaN is 0x7FC00000. Files that include this are compiled without contraction.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

namespace gw::systemc::fp {

inline constexpr uint32_t kNan = 0x7FC0'0000;
inline constexpr uint32_t kMagnitude = 0x7FFF'FFFF;
inline constexpr uint32_t kInfinity = 0x7F80'0000;
inline constexpr uint32_t kSign = 0x8000'0000;

template <bool kFlush>
inline uint32_t operand(uint32_t a) {
  return kFlush && (a & kInfinity) == 0 ? a & kSign : a;
}
template <bool kFlush>
inline uint32_t result(float r) {
  const uint32_t bits = std::bit_cast<uint32_t>(r);
  if ((bits & kMagnitude) > kInfinity) return kNan;
  return operand<kFlush>(bits);
}
template <bool kFlush>
inline float number(uint32_t a) {
  return std::bit_cast<float>(operand<kFlush>(a));
}

template <bool kFlush>
inline uint32_t add(uint32_t a, uint32_t b) {
  return result<kFlush>(number<kFlush>(a) + number<kFlush>(b));
}
template <bool kFlush>
inline uint32_t sub(uint32_t a, uint32_t b) {
  return add<kFlush>(a, (b & kMagnitude) > kInfinity ? b : b ^ kSign);
}
/// With kFlush a product is rounded as if exponents had no lower end before it is flushed: the one
/// product that the host would round up to 2^-126 and 24 bits would not lies below 2^-126 - 2^-151.
template <bool kFlush>
inline uint32_t mul(uint32_t a, uint32_t b) {
  const float x = number<kFlush>(a), y = number<kFlush>(b);
  const uint32_t bits = result<kFlush>(x * y);
  if (kFlush && (bits & kMagnitude) == 0x0080'0000) [[unlikely]] {
    const double exact = static_cast<double>(x) * static_cast<double>(y);
    if (std::fabs(exact) < 0x1p-126 - 0x1p-151) return bits & kSign;
  }
  return bits;
}
template <bool kFlush>
inline uint32_t div(uint32_t a, uint32_t b) {
  return result<kFlush>(number<kFlush>(a) / number<kFlush>(b));
}
template <bool kFlush>
inline uint32_t sqrt(uint32_t a) {
  return result<kFlush>(std::sqrt(number<kFlush>(a)));
}
/// IEEE 754-2019 minimumNumber.
template <bool kFlush>
inline uint32_t min(uint32_t a, uint32_t b) {
  a = operand<kFlush>(a);
  b = operand<kFlush>(b);
  const bool a_nan = (a & kMagnitude) > kInfinity, b_nan = (b & kMagnitude) > kInfinity;
  if (a_nan) return b_nan ? kNan : b;
  if (b_nan) return a;
  // Integers that order as the numbers do, -0 below +0.
  const auto order = [](uint32_t x) {
    const auto magnitude = static_cast<int64_t>(x & kMagnitude);
    return (x & kSign) != 0 ? -magnitude - 1 : magnitude;
  };
  return order(a) < order(b) ? a : b;
}

}  // namespace gw::systemc::fp
