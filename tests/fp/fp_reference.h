// The host FPU as the reference of rtl/fp, and the operands that the tests share.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <vector>

#include "testbenches/fp/fp_rtl.h"

namespace gw::fp_test {

using testbenches::FpOp;

inline constexpr uint32_t kNan = 0x7FC00000;

inline bool is_nan(uint32_t v) { return (v & 0x7FFFFFFF) > 0x7F800000; }
inline bool is_subnormal(uint32_t v) { return (v & 0x7F800000) == 0 && (v & 0x007FFFFF) != 0; }
inline uint32_t flush(uint32_t v) { return is_subnormal(v) ? v & 0x80000000 : v; }
inline uint32_t canonical(float v) { return std::isnan(v) ? kNan : std::bit_cast<uint32_t>(v); }

/// `exact` rounded to 24 bits as if exponents had no end; then what is below the smallest normal
/// number becomes a signed zero. Used for products (exact in binary64) and quotients (53 bits are
/// more than 2 * 24 + 1, so that rounding twice is rounding once).
inline uint32_t round_then_flush(double exact) {
  if (std::fabs(exact) < 0x1p-120) {
    const float scaled = static_cast<float>(exact * 0x1p100);
    const uint32_t sign = std::signbit(scaled) ? 0x80000000 : 0;
    if (std::fabs(scaled) < 0x1p-26f) return sign;
    return canonical(static_cast<float>(static_cast<double>(scaled) * 0x1p-100));
  }
  return canonical(static_cast<float>(exact));
}

inline uint32_t reference(FpOp op, bool subnormal, uint32_t a_bits, uint32_t b_bits) {
  if (!subnormal) {
    a_bits = flush(a_bits);
    b_bits = flush(b_bits);
  }
  const float a = std::bit_cast<float>(a_bits);
  const float b = std::bit_cast<float>(b_bits);
  switch (op) {
    // A sum that is subnormal is exact, so rounding and flushing do not meet.
    case FpOp::kAdd:
      return subnormal ? canonical(a + b) : flush(canonical(a + b));
    case FpOp::kSub:
      return subnormal ? canonical(a - b) : flush(canonical(a - b));
    case FpOp::kMul:
      if (subnormal) return canonical(a * b);
      return round_then_flush(static_cast<double>(a) * static_cast<double>(b));
    case FpOp::kDiv:
      if (subnormal) return canonical(a / b);
      return round_then_flush(static_cast<double>(a) / static_cast<double>(b));
    case FpOp::kSqrt:
      return canonical(std::sqrt(a));
    case FpOp::kLess:
      return a < b ? 1 : 0;
    case FpOp::kMin:  // IEEE 754-2019 minimumNumber
      if (is_nan(a_bits)) return is_nan(b_bits) ? kNan : b_bits;
      if (is_nan(b_bits)) return a_bits;
      if (a == b) return std::signbit(a) ? a_bits : b_bits;
      return a < b ? a_bits : b_bits;
  }
  return 0;
}

/// xoshiro-like quality is not needed, a fixed sequence is.
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed * 0x9E3779B97F4A7C15 + 1) {}
  uint64_t next() {  // splitmix64
    uint64_t z = (state_ += 0x9E3779B97F4A7C15);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
    return z ^ (z >> 31);
  }

 private:
  uint64_t state_;
};

enum class Pairs { kUniform, kNear, kCancel, kEdge, kUnderflow };
inline constexpr Pairs kAllPairs[] = {Pairs::kUniform, Pairs::kNear, Pairs::kCancel, Pairs::kEdge,
                                      Pairs::kUnderflow};

struct Pair {
  uint32_t a, b;
};

/// A significand's fraction: uniform, or a run of equal bits, or few bits set.
inline uint32_t fraction(uint64_t bits) {
  const auto uniform = static_cast<uint32_t>(bits) & 0x7FFFFF;
  switch ((bits >> 32) & 3) {
    case 0:
      return (0x7FFFFFu << ((bits >> 34) % 24)) & 0x7FFFFF;
    case 1:
      return 0x7FFFFFu >> ((bits >> 34) % 24);
    case 2:
      return uniform & static_cast<uint32_t>(bits >> 23) & 0x7FFFFF;
    default:
      return uniform;
  }
}

inline Pair draw(Pairs distribution, Random& random) {
  const uint64_t r = random.next();
  const auto low = static_cast<uint32_t>(r);
  const auto high = static_cast<uint32_t>(r >> 32);
  switch (distribution) {
    case Pairs::kUniform:
      return {low, high};
    case Pairs::kNear: {  // exponents at most 31 apart
      const uint32_t e = (low >> 23) & 0xFF;
      const uint32_t f = (e + (high >> 23) % 63 + 256 - 31) & 0xFF;
      return {low, (high & 0x807FFFFF) | f << 23};
    }
    case Pairs::kCancel:  // opposite signs, magnitudes few units in the last place apart
      return {low, (low ^ 0x80000000) +
                       static_cast<uint32_t>(static_cast<int32_t>(high) >> (8 + high % 24))};
    case Pairs::kEdge: {  // patterned fractions
      const uint64_t s = random.next();
      return {(low & 0xFF800000) | fraction(s), (high & 0xFF800000) | fraction(s >> 12 ^ s << 40)};
    }
    case Pairs::kUnderflow: {  // product or quotient near the smallest normal number, or subnormal
      const uint64_t s = random.next();
      const uint32_t e = (low >> 23) & 0xFF;
      const uint32_t near = (high >> 23) % 28;
      const uint32_t f = (high >> 8 & 1) != 0 ? (127 + 1 + 256 - near - e) & 0xFF  // a * b
                                              : (e + 126 + near) & 0xFF;           // a / b
      return {(low & 0x80000000) | e << 23 | fraction(s),
              (high & 0x80000000) | f << 23 | fraction(random.next())};
    }
  }
  return {};
}

/// Every binade with several fractions, both signs: zeros, subnormals, infinities, NaN of both
/// kinds.
inline std::vector<uint32_t> boundary_values(uint32_t binade_step) {
  std::vector<uint32_t> values;
  for (uint32_t e = 0; e < 256; ++e) {
    const bool edge = e < 3 || e > 252 || (e > 124 && e < 130) || e % binade_step == 0;
    if (!edge) continue;
    for (const uint32_t f : {0x000000u, 0x000001u, 0x7FFFFFu, 0x400000u, 0x3FFFFFu, 0x2AAAAAu}) {
      values.push_back(e << 23 | f);
      values.push_back(0x80000000 | e << 23 | f);
    }
  }
  return values;
}

}  // namespace gw::fp_test
