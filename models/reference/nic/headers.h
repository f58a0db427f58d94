// The headers that the NIC engines look at; internal to gw_nic_reference.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "models/reference/nic/nic.h"

namespace gw::reference::nic {

inline constexpr std::uint8_t kTcp = 6;
inline constexpr std::uint8_t kUdp = 17;

/// Of a frame whose EtherType is IPv4's, after no or one 802.1Q tag, and that holds IPv4's first
/// 20 bytes.
struct Ipv4 {
  std::size_t offset = 0;  ///< in the frame
  std::size_t header = 0;  ///< bytes, as IHL says
  std::size_t total = 0;   ///< total length
  std::uint8_t version = 0;
  std::uint8_t tos = 0;
  std::uint8_t protocol = 0;
  bool fragment = false;

  bool sound() const { return version == 4 && header >= 20 && total >= header; }
  std::size_t transport() const { return offset + header; }
  std::size_t end() const { return offset + total; }
};

enum class EtherType : std::uint8_t { kIpv4, kOther };
/// What the EtherType says, and where the header after it begins.
struct Ethernet {
  EtherType type = EtherType::kOther;
  std::size_t end = 0;
};
Ethernet ethernet(std::span<const std::uint8_t> frame);
std::optional<Ipv4> ipv4(std::span<const std::uint8_t> frame, std::size_t offset);

/// An ICMP error that quotes the packet which it is about: types 3, 11 and 12.
struct Quote {
  Ipv4 outer;             ///< the error's own header
  Ipv4 inner;             ///< the quoted one, which is whole; the quoted packet is not
  std::size_t end = 0;    ///< of the error, or of the frame if that ends before
  std::uint8_t type = 0;  ///< of the error
  std::uint8_t code = 0;
  bool first = false;  ///< the quoted packet's fragment offset is 0: its ports may follow
};
/// None if the frame is something else, or less than the quoted IPv4 header is in it.
std::optional<Quote> quote(std::span<const std::uint8_t> frame);
/// The quote reaches over the ports after the quoted header, so the flow's key is known.
std::optional<FlowKey> key_of(std::span<const std::uint8_t> frame, const Quote& quote);

/// TCP's or UDP's four-tuple of a packet; its ports must be in the frame.
FlowKey key_of(std::span<const std::uint8_t> frame, const Ipv4& ip);

/// Bytes of the transport header at `offset`: TCP's with options, UDP's 8. None if TCP's data
/// offset is below 5, or the header ends after `end` or the frame.
std::optional<std::size_t> transport_header(std::span<const std::uint8_t> frame, std::size_t offset,
                                            std::size_t end, bool tcp);

/// Puts total length and protocol into the IPv4 header and updates its checksum (RFC 1624, equation
/// 3).
void rewrite(std::span<std::uint8_t> frame, const Ipv4& ip, std::size_t total,
             std::uint8_t protocol);

/// The checksum `sum` after bytes `before` became `after` (RFC 1624, equation 3). They begin at an
/// even place of what is summed.
std::uint16_t updated(std::uint16_t sum, std::span<const std::uint8_t> before,
                      std::span<const std::uint8_t> after);

}  // namespace gw::reference::nic
