// SPDX-License-Identifier: Apache-2.0
#include "models/reference/nic/headers.h"

#include <algorithm>
#include <array>

#include "models/reference/capture/bytes.h"

namespace gw::reference::nic {

using capture::add_words;
using capture::kEthernetHeader;
using capture::load16;
using capture::store16;

Ethernet ethernet(std::span<const std::uint8_t> frame) {
  constexpr std::size_t kType = 12, kTag = 4, kTypeIpv4 = 0x0800, kTypeTag = 0x8100;
  if (frame.size() < kEthernetHeader) return {};
  std::size_t at = kType;
  if (load16(frame, at) == kTypeTag) {
    at += kTag;
    if (frame.size() < at + 2) return {};
  }
  if (load16(frame, at) != kTypeIpv4) return {};
  return {EtherType::kIpv4, at + 2};
}

std::optional<Ipv4> ipv4(std::span<const std::uint8_t> frame, std::size_t offset) {
  constexpr std::size_t kLeast = 20;
  if (frame.size() < offset + kLeast) return std::nullopt;
  const auto header = frame.subspan(offset);
  return Ipv4{.offset = offset,
              .header = std::size_t{header[0]} % 16 * 4,
              .total = load16(header, 2),
              .version = static_cast<std::uint8_t>(header[0] / 16),
              .tos = header[1],
              .protocol = header[9],
              .fragment = (load16(header, 6) & 0x3FFF) != 0};  // more fragments, or an offset
}

std::optional<Quote> quote(std::span<const std::uint8_t> frame) {
  constexpr std::uint8_t kIcmp = 1;
  constexpr std::size_t kIcmpHeader = 8, kFragmentOffset = 6;
  const Ethernet link = ethernet(frame);
  if (link.type != EtherType::kIpv4) return std::nullopt;
  const auto outer = ipv4(frame, link.end);
  if (!outer || !outer->sound() || outer->fragment || outer->protocol != kIcmp) {
    return std::nullopt;
  }
  const auto packet = frame.first(std::min(outer->end(), frame.size()));
  const std::size_t icmp = outer->transport();
  if (icmp + kIcmpHeader > packet.size()) return std::nullopt;
  const std::uint8_t type = packet[icmp];
  if (type != 3 && type != 11 && type != 12) return std::nullopt;
  const auto inner = ipv4(packet, icmp + kIcmpHeader);
  if (!inner || inner->version != 4 || inner->header < 20 || inner->transport() > packet.size()) {
    return std::nullopt;
  }
  const bool first = (load16(packet, inner->offset + kFragmentOffset) & 0x1FFF) == 0;
  return Quote{*outer, *inner, packet.size(), type, packet[icmp + 1], first};
}

FlowKey key_of(std::span<const std::uint8_t> frame, const Ipv4& ip) {
  constexpr std::size_t kAddresses = 12;
  FlowKey key;
  std::ranges::copy(frame.subspan(ip.offset + kAddresses, 8), key.begin());
  std::ranges::copy(frame.subspan(ip.transport(), 4), key.begin() + 8);
  return key;
}

std::optional<FlowKey> key_of(std::span<const std::uint8_t> frame, const Quote& quote) {
  if (!quote.first || quote.inner.transport() + 4 > quote.end) return std::nullopt;
  return key_of(frame, quote.inner);
}

std::optional<std::size_t> transport_header(std::span<const std::uint8_t> frame, std::size_t offset,
                                            std::size_t end, bool tcp) {
  constexpr std::size_t kTcpLeast = 20, kUdpHeader = 8, kDataOffset = 12;
  const std::size_t last = std::min(end, frame.size());
  const std::size_t least = tcp ? kTcpLeast : kUdpHeader;
  if (offset + least > last) return std::nullopt;
  if (!tcp) return kUdpHeader;
  const std::size_t header = std::size_t{frame[offset + kDataOffset]} / 16 * 4;
  if (header < kTcpLeast || offset + header > last) return std::nullopt;
  return header;
}

std::uint16_t updated(std::uint16_t sum, std::span<const std::uint8_t> before,
                      std::span<const std::uint8_t> after) {
  // ~(~HC + ~m + m'), over all words; an odd byte at the end is filled up with zeros, in m and m'.
  std::uint32_t total = static_cast<std::uint16_t>(~sum);
  total += static_cast<std::uint16_t>(~add_words(before));
  total += add_words(after);
  while (total >> 16 != 0) total = (total & 0xFFFF) + (total >> 16);
  // Word by word, the sum is 0 only if each m is 0xFFFF and each m' is 0, which no caller's bytes
  // are: so it is the other zero.
  return total == 0 ? 0 : static_cast<std::uint16_t>(~total);
}

void rewrite(std::span<std::uint8_t> frame, const Ipv4& ip, std::size_t total,
             std::uint8_t protocol) {
  constexpr std::size_t kTotal = 2, kLife = 8, kProtocol = 9, kChecksum = 10;
  const auto header = frame.subspan(ip.offset, ip.header);
  const std::array before = {header[kTotal], header[kTotal + 1], header[kLife], header[kProtocol]};
  store16(header, kTotal, total);
  header[kProtocol] = protocol;
  const std::array after = {header[kTotal], header[kTotal + 1], header[kLife], header[kProtocol]};
  store16(header, kChecksum, updated(load16(header, kChecksum), before, after));
}

}  // namespace gw::reference::nic
