// The packet of a quantised chunk: words and layout, for encoders (quantiser.h) and the decoder
// (decoder.h). docs/formats/quantised-packets.md has the same with a worked example; formats after
// Anoosheh et al., listing (a)-(c), Dryden et al. (MLHPC'16), 3.1-3.3, and OCP MX 1.0.
//
// Little-endian; bits are counted from bit 0 of byte 0 up. 16 bytes of header, payload, a status
// byte.
//
//   byte   field
//   0      format, a Method
//   1      coding of WGT, BGT, QGT, ADAPTIVE: 0 mask, 1 + k Rice (not of WGT); of others 0
//   2-3    zero
//   4-7    n, the values of the chunk
//   8-11   T of WGT, BGT, QGT; mean of the values >= 0 of ONEBIT, ADAPTIVE; else zero
//   12-15  mean of the values < 0 of ONEBIT, ADAPTIVE; else zero
//   last   status, a set of Status bits
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace gw::reference::quant {

/// What a packet holds. The numbers are those of the packet's first byte.
enum class Method : uint8_t {
  kRaw = 0,        ///< the gradients themselves: what a chunk that does not fit leaves as
  kWgt = 1,        ///< values of at least T, whole
  kBgt = 2,        ///< +-T for them
  kQgt = 3,        ///< +-m T, m = 1..255
  kOneBit = 4,     ///< a sign a value, two means a chunk
  kAdaptive = 5,   ///< about the largest 2^-p of each sign, two means a chunk
  kMxfp8 = 6,      ///< blocks of 32 E4M3 elements under one scale
  kMxfp4 = 7,      ///< blocks of 32 E2M1 elements under one scale
  kMxfp8E5m2 = 8,  ///< blocks of 32 E5M2 elements under one scale
};
inline constexpr size_t kMethods = 9;

/// How WGT, BGT, QGT and ADAPTIVE say which values they send.
enum class Coding : uint8_t { kMask, kRice };

/// How a block of MX gets its scale.
enum class ScaleRule : uint8_t {
  kFloor,  ///< OCP's: the exponent of the largest value alone decides; some elements may saturate
  kUp,     ///< the smallest with which no element saturates, or would be infinite
};

std::string_view method_name(Method method);       ///< "raw", "wgt" ... "onebit", "mxfp8-e5m2"
std::string_view scale_rule_name(ScaleRule rule);  ///< "floor", "up"
std::string_view coding_name(Coding coding);       ///< "mask", "rice"

constexpr bool is_threshold(Method m) {
  return m == Method::kWgt || m == Method::kBgt || m == Method::kQgt;
}
constexpr bool is_mx(Method m) {
  return m == Method::kMxfp8 || m == Method::kMxfp4 || m == Method::kMxfp8E5m2;
}
constexpr bool has_means(Method m) { return m == Method::kOneBit || m == Method::kAdaptive; }
/// Only some values are sent, so that the packet says which.
constexpr bool is_sparse(Method m) { return is_threshold(m) || m == Method::kAdaptive; }
constexpr bool has_coding(Method m, Coding c) {
  return is_sparse(m) && (c == Coding::kMask || m != Method::kWgt);
}

inline constexpr size_t kHeaderBytes = 16;
inline constexpr size_t kStatusBytes = 1;
inline constexpr size_t kLanes = 8;                   ///< values of a residual row, of a group
inline constexpr size_t kMaxValues = (1u << 20) - 1;  ///< of a chunk
inline constexpr size_t kMaxBufferedValues = 4096;    ///< of a chunk of ONEBIT or ADAPTIVE
inline constexpr size_t kMxBlock = 32;                ///< values under one scale
inline constexpr uint8_t kMxPoisoned = 255;           ///< scale of a block that is not finite
/// Bits of an element of MX.
constexpr size_t mx_element_bits(Method m) { return m == Method::kMxfp4 ? 4 : 8; }
/// Bytes of a block: scale and elements.
constexpr size_t mx_block_bytes(Method m) { return 1 + kMxBlock * mx_element_bits(m) / 8; }
inline constexpr int kMaxRiceK = 14;
inline constexpr int kFirstRiceK = 6;        ///< of `threshold`, before any packet
inline constexpr uint32_t kRiceEscape = 15;  ///< so many ones: the gap in 20 bits
inline constexpr int kRiceGapBits = 20;
inline constexpr size_t kMaxEmptyGroups = 256;  ///< that one mask byte and its count stand for

/// Bits of the status byte.
enum Status : uint8_t {
  kStatusNotFinite = 1,  ///< a gradient, or its sum with the residual, was not finite
  kStatusLength = 2,     ///< the announced n and what came disagreed, or n was 0
  kStatusError = 4,      ///< the input was marked as in error
};
inline constexpr uint8_t kStatusBits = 7;

constexpr size_t rows_of(size_t n) { return n / kLanes + (n % kLanes != 0 ? 1 : 0); }

/// No packet of n values is longer, whatever its method.
constexpr size_t max_packet_bytes(size_t n) {
  // The longest are WGT with all values sent (33 bytes a group) and a block of MX with one value.
  // Of Rice codes no value takes more than 24 bits of its own: escapes stand for 15 values and
  // more.
  return kHeaderBytes + 5 * n + 64 + kStatusBytes;
}

/// Ways to do the same, bit for bit: the scalar definition, or vector code for thresholds in mask
/// code and MX.
enum class Implementation : uint8_t { kScalar, kAvx2 };
std::string_view implementation_name(Implementation by);  ///< "scalar", "avx2"
/// What this CPU can run, from the plainest to the fastest.
std::span<const Implementation> implementations();
Implementation best_implementation();

/// k of Rice codes for a chunk of n values of which `entries` are sent: the largest in 0..14 with
/// 3 entries 2^k <= 2 n, else 0.
int rice_k(size_t entries, size_t n);

}  // namespace gw::reference::quant
