// binary32 operators as rtl/fp computes them: bits in, bits out, round to nearest even.
//
// Every operator has the two behaviours of the hardware's parameter SUBNORMAL:
//
//   kFlush (0)  Subnormal operands count as zeros of their sign. The result is rounded as if
//               exponents had no lower end; if it is then below 2^-126 it becomes a zero of its
//               sign. (So a product just below 2^-126 is 2^-126 only if 24 bits of precision say
//               so, from 2^-126 - 2^-151 on; the host, which rounds at 2^-149, gives 2^-126 from
//               2^-126 - 2^-150 on. Sums and quotients never fall between the two.)
//   kIeee  (1)  IEEE 754-2019, equal to the host's unit.
//
// In both, every NaN result is 0x7FC00000, whatever NaN came in. An exact sum of zero is +0, unless
// both operands are -0. The functions are not inline: a compiler that sees mul and add together may
// fuse them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstdint>

namespace gw::reference::fp {

enum class Subnormal : std::uint8_t { kFlush = 0, kIeee = 1 };

inline constexpr std::uint32_t kCanonicalNan = 0x7FC0'0000;
inline constexpr std::uint32_t kOne = 0x3F80'0000;

constexpr std::uint32_t bits(float value) { return std::bit_cast<std::uint32_t>(value); }
constexpr float value(std::uint32_t bits) { return std::bit_cast<float>(bits); }

/// The operand as the operators see it: with kFlush, a subnormal is a zero of its sign.
constexpr std::uint32_t flush(std::uint32_t a, Subnormal mode) {
  return mode == Subnormal::kFlush && (a & 0x7F80'0000) == 0 ? a & 0x8000'0000 : a;
}

std::uint32_t add(std::uint32_t a, std::uint32_t b, Subnormal mode);
std::uint32_t sub(std::uint32_t a, std::uint32_t b, Subnormal mode);
std::uint32_t mul(std::uint32_t a, std::uint32_t b, Subnormal mode);
std::uint32_t div(std::uint32_t a, std::uint32_t b, Subnormal mode);
/// Of -0: -0. Of anything else below zero: NaN.
std::uint32_t sqrt(std::uint32_t a, Subnormal mode);
/// IEEE 754-2019 minimumNumber: -0 is below +0, a NaN loses against a number, two give NaN.
std::uint32_t min(std::uint32_t a, std::uint32_t b, Subnormal mode);

}  // namespace gw::reference::fp
