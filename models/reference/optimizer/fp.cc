// SPDX-License-Identifier: Apache-2.0
#include "models/reference/optimizer/fp.h"

#include <cmath>

namespace gw::reference::fp {
namespace {

// Rounded to 24 bits with exponents that have no end, what is below this is below 2^-126.
constexpr double kTiny = 0x1p-126 - 0x1p-151;

bool is_nan(std::uint32_t a) { return (a & 0x7FFF'FFFF) > 0x7F80'0000; }

/// `rounded` by the host; `exact` is close enough to the exact result to be compared with kTiny.
std::uint32_t finish(float rounded, double exact, Subnormal mode) {
  if (std::isnan(rounded)) return kCanonicalNan;
  if (mode == Subnormal::kFlush && std::fabs(exact) < kTiny) return bits(rounded) & 0x8000'0000;
  return bits(rounded);
}

}  // namespace

std::uint32_t add(std::uint32_t a, std::uint32_t b, Subnormal mode) {
  const float x = value(flush(a, mode)), y = value(flush(b, mode));
  const float rounded = x + y;  // exact where it is subnormal
  return finish(rounded, rounded, mode);
}

std::uint32_t sub(std::uint32_t a, std::uint32_t b, Subnormal mode) {
  return add(a, b ^ 0x8000'0000, mode);
}

std::uint32_t mul(std::uint32_t a, std::uint32_t b, Subnormal mode) {
  const float x = value(flush(a, mode)), y = value(flush(b, mode));
  return finish(x * y, double{x} * double{y}, mode);  // a double holds the exact product
}

std::uint32_t div(std::uint32_t a, std::uint32_t b, Subnormal mode) {
  const float x = value(flush(a, mode)), y = value(flush(b, mode));
  return finish(x / y, double{x} / double{y}, mode);  // no quotient is near kTiny
}

std::uint32_t sqrt(std::uint32_t a, Subnormal mode) {
  const float root = std::sqrt(value(flush(a, mode)));
  return finish(root, root, mode);
}

std::uint32_t min(std::uint32_t a, std::uint32_t b, Subnormal mode) {
  const std::uint32_t x = flush(a, mode), y = flush(b, mode);
  if (is_nan(x)) return is_nan(y) ? kCanonicalNan : y;
  if (is_nan(y)) return x;
  if (value(x) == value(y)) return (x & 0x8000'0000) != 0 ? x : y;
  return value(x) < value(y) ? x : y;
}

}  // namespace gw::reference::fp
