// Ethernet's header, network byte order and the Internet checksum; internal to the references of
// packets.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/endian/conversion.hpp>
#include <cstddef>
#include <cstdint>
#include <span>

#include "models/reference/capture/packet.h"

namespace gw::capture {

inline constexpr std::size_t kEthernetHeader = 14;

inline std::uint16_t load16(std::span<const std::uint8_t> b, std::size_t at) {
  return boost::endian::load_big_u16(&b[at]);
}
inline std::uint32_t load32(std::span<const std::uint8_t> b, std::size_t at) {
  return boost::endian::load_big_u32(&b[at]);
}
inline void store16(std::span<std::uint8_t> b, std::size_t at, std::size_t value) {
  boost::endian::store_big_u16(&b[at], static_cast<std::uint16_t>(value));
}
inline void store32(std::span<std::uint8_t> b, std::size_t at, std::uint32_t value) {
  boost::endian::store_big_u32(&b[at], value);
}

/// One's complement sum of 16-bit words (RFC 1071), continued from `sum`.
inline std::uint32_t add_words(std::span<const std::uint8_t> bytes, std::uint32_t sum = 0) {
  std::uint64_t total = sum;
  for (std::size_t i = 0; i + 1 < bytes.size(); i += 2) total += load16(bytes, i);
  if (bytes.size() % 2 != 0) total += std::uint64_t{bytes.back()} << 8;
  while (total >> 16 != 0) total = (total & 0xFFFF) + (total >> 16);
  return static_cast<std::uint32_t>(total);
}

inline constexpr std::size_t kIpv6Header = 40;

/// The sum over the pseudo header of TCP and UDP.
inline std::uint32_t pseudo_header_sum(std::uint32_t source, std::uint32_t destination,
                                       std::uint8_t protocol, std::size_t segment_length) {
  return (source >> 16) + (source & 0xFFFF) + (destination >> 16) + (destination & 0xFFFF) +
         protocol + static_cast<std::uint32_t>(segment_length);
}
/// The same of a frame, over IPv4 or IPv6.
inline std::uint32_t pseudo_header_sum(const IpPlace& ip, std::span<const std::uint8_t> frame,
                                       std::size_t segment_length) {
  const auto addresses =
      ip.ipv6 ? frame.subspan(ip.offset + 8, 32) : frame.subspan(ip.offset + 12, 8);
  return add_words(addresses, ip.protocol + static_cast<std::uint32_t>(segment_length >> 16) +
                                  static_cast<std::uint32_t>(segment_length & 0xFFFF));
}

}  // namespace gw::capture
