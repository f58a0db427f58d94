// The decoder of quantised chunks: any bytes in, n floats or a reason out. spec: section 5 of the
// quantisers' page; hardware: `dequantizer`.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "models/reference/quant/packet.h"

namespace gw::reference::quant {

/// Why a packet is malformed, in the order in which it is looked for. Names are stable: reports
/// count by them.
enum class Reason : uint8_t {
  kNone,       ///< none
  kShort,      ///< short: less than a header and a status byte
  kFormat,     ///< format: unknown
  kCoding,     ///< coding: unknown, or not of this format
  kReserved,   ///< reserved: a bit that has to be zero in bytes 2-3 or 8-15
  kCount,      ///< count: n = 0
  kLimit,      ///< limit: n above what the receiver takes
  kNotFinite,  ///< not_finite: T or a mean
  kPayload,    ///< payload: too short or too long, beyond n, a sign without its mask bit, m = 0
  kStatus,     ///< status: a bit that has to be zero
};
inline constexpr size_t kReasons = 10;
std::string_view reason_name(Reason reason);
/// One sentence for people: "It ends before its payload does, or goes on after it."
std::string_view reason_sentence(Reason reason);

inline constexpr size_t kDefaultLimit = 4096;

struct Decoded {
  Method method = Method::kRaw;
  uint32_t n = 0;      ///< of the header, also if that is what is wrong; 0 if kShort
  uint8_t status = 0;  ///< of the packet; 0 if it is malformed
  size_t entries = 0;  ///< values that were sent
  int k = -1;          ///< of Rice codes, else -1
  float first = 0;     ///< T, or the mean of the values >= 0
  float second = 0;    ///< the mean of the values < 0
  Reason reason = Reason::kNone;

  bool ok() const { return reason == Reason::kNone; }
};

/// Decodes one packet; reads nothing beyond `packet`. `out` becomes its n values (+0 where none was
/// sent), or empty if it is malformed.
Decoded decode_packet(std::span<const uint8_t> packet, size_t limit, std::vector<float>& out,
                      Implementation by = best_implementation());

/// The same into out[0 .. n); the limit is out.size(). If it is malformed, out is unspecified.
Decoded decode_into(std::span<const uint8_t> packet, std::span<float> out,
                    Implementation by = best_implementation());

/// The same for who hands on each group of eight values as soon as it can, as `dequantizer` does
/// (docs/devices/dequantizer.md): of a malformed packet `out` has the groups before the one in
/// which that was found, status and all after the payload belonging to the last.
Decoded decode_groups(std::span<const uint8_t> packet, size_t limit, std::vector<float>& out);

/// Length of the packet at the start of `bytes` that goes on beyond it (packets one after the other
/// in a file): 0 if there is none that is whole and well-formed up to its status byte.
size_t packet_length(std::span<const uint8_t> bytes, size_t limit);

}  // namespace gw::reference::quant
