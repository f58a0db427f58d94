// SPDX-License-Identifier: Apache-2.0
#include "models/reference/capture/packet.h"

#include <arpa/inet.h>
#include <fmt/format.h>

#include <algorithm>

#include "models/reference/capture/bytes.h"

namespace gw::capture {
namespace {

constexpr std::size_t kIpv4MinHeader = 20;
constexpr std::size_t kTcpMinHeader = 20;
constexpr std::size_t kUdpHeader = 8;
constexpr std::size_t kMaxVlanTags = 8;  // more than any network stacks; a bound for hostile frames

constexpr std::uint16_t kTypeIpv4 = 0x0800;
constexpr std::uint16_t kTypeArp = 0x0806;
constexpr std::uint16_t kTypeIpv6 = 0x86DD;
constexpr std::uint16_t kTypeVlan = 0x8100;

bool is_vlan_tag(std::uint16_t ether_type) {
  return ether_type == kTypeVlan || ether_type == 0x88A8 || ether_type == 0x9100;
}

/// `bytes` of the frame from `offset` are needed: not there because of the capture, or not there at
/// all?
std::optional<Skip> missing(std::size_t end, std::size_t captured, std::size_t original) {
  if (end <= captured) return std::nullopt;
  return end <= original ? Skip::kTruncated : Skip::kBadHeader;
}

std::optional<Skip> decode_tcp(std::span<const std::uint8_t> frame, std::size_t at, std::size_t end,
                               std::size_t original, Layers& out) {
  if (end - at < kTcpMinHeader) return Skip::kBadHeader;
  if (const auto reason = missing(at + kTcpMinHeader, frame.size(), original)) return reason;
  TcpHeader tcp;
  tcp.offset = at;
  tcp.header_length = std::size_t{frame[at + 12]} / 16 * 4;
  tcp.source_port = load16(frame, at);
  tcp.destination_port = load16(frame, at + 2);
  tcp.sequence = load32(frame, at + 4);
  tcp.acknowledgement = load32(frame, at + 8);
  const std::uint8_t flags = frame[at + 13];
  tcp.fin = flags & 0x01;
  tcp.syn = flags & 0x02;
  tcp.rst = flags & 0x04;
  tcp.psh = flags & 0x08;
  tcp.ack = flags & 0x10;
  tcp.window = load16(frame, at + 14);
  if (tcp.header_length < kTcpMinHeader || tcp.header_length > end - at) return Skip::kBadHeader;
  if (const auto reason = missing(at + tcp.header_length, frame.size(), original)) return reason;
  out.tcp = tcp;
  out.payload_offset = at + tcp.header_length;
  out.payload_length = end - out.payload_offset;
  return std::nullopt;
}

std::optional<Skip> decode_udp(std::span<const std::uint8_t> frame, std::size_t at, std::size_t end,
                               std::size_t original, Layers& out) {
  if (end - at < kUdpHeader) return Skip::kBadHeader;
  if (const auto reason = missing(at + kUdpHeader, frame.size(), original)) return reason;
  const UdpHeader udp{at, load16(frame, at), load16(frame, at + 2), load16(frame, at + 4)};
  if (udp.length < kUdpHeader || udp.length > end - at) return Skip::kBadHeader;
  out.udp = udp;
  out.payload_offset = at + kUdpHeader;
  out.payload_length = udp.length - kUdpHeader;
  return std::nullopt;
}

std::optional<Skip> decode_transport(std::span<const std::uint8_t> frame, std::uint8_t protocol,
                                     std::size_t at, std::size_t end, std::size_t original,
                                     Layers& out) {
  std::optional<Skip> stopped;
  switch (protocol) {
    case static_cast<std::uint8_t>(Transport::kTcp):
      stopped = decode_tcp(frame, at, end, original, out);
      break;
    case static_cast<std::uint8_t>(Transport::kUdp):
      stopped = decode_udp(frame, at, end, original, out);
      break;
    default:
      stopped = Skip::kOtherProtocol;
  }
  if (!stopped) {
    const std::size_t there = frame.size() - std::min(frame.size(), out.payload_offset);
    out.payload_captured = std::min(out.payload_length, there);
  }
  return stopped;
}

std::optional<Skip> decode_ipv4(std::span<const std::uint8_t> frame, std::size_t original,
                                Layers& out) {
  const std::size_t at = out.network_offset;
  if (const auto reason = missing(at + kIpv4MinHeader, frame.size(), original)) return reason;
  Ipv4Header ip;
  ip.offset = at;
  ip.header_length = std::size_t{frame[at]} % 16 * 4;
  ip.tos = frame[at + 1];
  ip.total_length = load16(frame, at + 2);
  ip.identification = load16(frame, at + 4);
  ip.fragment = (load16(frame, at + 6) & 0x3FFF) != 0;  // more fragments, or an offset
  ip.ttl = frame[at + 8];
  ip.protocol = frame[at + 9];
  ip.source = load32(frame, at + 12);
  ip.destination = load32(frame, at + 16);
  if (ip.total_length == 0) ip.total_length = original - at;
  if (frame[at] / 16 != 4 || ip.header_length < kIpv4MinHeader ||
      ip.total_length < ip.header_length || at + ip.total_length > original) {
    return Skip::kBadHeader;
  }
  if (const auto reason = missing(at + ip.header_length, frame.size(), original)) return reason;
  out.ipv4 = ip;
  if (ip.fragment) return Skip::kFragment;
  return decode_transport(frame, ip.protocol, at + ip.header_length, at + ip.total_length, original,
                          out);
}

/// Goes over the extension headers of the kinds that hosts send.
std::optional<Skip> decode_ipv6(std::span<const std::uint8_t> frame, std::size_t original,
                                Layers& out) {
  constexpr std::uint8_t kHopByHop = 0, kRouting = 43, kFragment = 44, kAuthentication = 51,
                         kDestination = 60;
  constexpr std::size_t kExtension = 8;  // the least
  const std::size_t at = out.network_offset;
  if (const auto reason = missing(at + kIpv6Header, frame.size(), original)) return reason;
  Ipv6Header ip;
  ip.offset = at;
  ip.traffic_class = static_cast<std::uint8_t>(load16(frame, at) >> 4);
  const std::size_t length = load16(frame, at + 4);
  // Zero: a jumbogram, or a sender that segments later.
  ip.total_length = length == 0 ? original - at : kIpv6Header + length;
  ip.hop_limit = frame[at + 7];
  std::copy_n(frame.begin() + static_cast<std::ptrdiff_t>(at + 8), 16, ip.source.begin());
  std::copy_n(frame.begin() + static_cast<std::ptrdiff_t>(at + 24), 16, ip.destination.begin());
  const std::size_t end = at + ip.total_length;
  if (frame[at] / 16 != 6 || end > original) return Skip::kBadHeader;
  std::uint8_t next = frame[at + 6];
  std::size_t inner = at + kIpv6Header;
  bool fragment = false;
  while (next == kHopByHop || next == kRouting || next == kFragment || next == kAuthentication ||
         next == kDestination) {
    if (inner + kExtension > end) return Skip::kBadHeader;
    if (const auto reason = missing(inner + kExtension, frame.size(), original)) return reason;
    const std::size_t units = frame[inner + 1];
    if (next == kFragment) fragment = (load16(frame, inner + 2) & 0xFFF9) != 0;
    const std::size_t bytes = next == kFragment         ? kExtension
                              : next == kAuthentication ? (units + 2) * 4
                                                        : (units + 1) * 8;
    next = frame[inner];
    inner += bytes;
    if (inner > end) return Skip::kBadHeader;
    if (fragment) break;
  }
  ip.protocol = next;
  ip.header_length = inner - at;
  ip.fragment = fragment;
  out.ipv6 = ip;
  if (fragment) return Skip::kFragment;
  return decode_transport(frame, next, inner, end, original, out);
}

std::optional<Skip> decode_frame(std::span<const std::uint8_t> frame, std::size_t original,
                                 Layers& out) {
  std::size_t at = kEthernetHeader;
  if (const auto reason = missing(at, frame.size(), original)) return reason;
  out.ether_type = load16(frame, 12);
  while (is_vlan_tag(out.ether_type)) {
    if (out.vlan.size() == kMaxVlanTags) return Skip::kBadHeader;
    if (const auto reason = missing(at + 4, frame.size(), original)) return reason;
    out.other_tags |= out.ether_type != kTypeVlan || !out.vlan.empty();
    out.vlan.push_back(load16(frame, at) & 0x0FFF);
    out.ether_type = load16(frame, at + 2);
    at += 4;
  }
  out.network_offset = at;
  switch (out.ether_type) {
    case kTypeIpv4:
      return decode_ipv4(frame, original, out);
    case kTypeArp:
      return Skip::kArp;
    case kTypeIpv6:
      return decode_ipv6(frame, original, out);
    default:
      return Skip::kNotIpv4;
  }
}

}  // namespace

std::string_view name_of(Skip reason) {
  static constexpr std::array<std::string_view, kSkipCount> kNames{
      "truncated",    "bad_header",     "not_ipv4",   "arp",
      "vlan_tags",    "other_link",     "not_marked", "not_marked_ecn",
      "fragment",     "other_protocol", "no_payload", "no_stream_start",
      "bad_sequence", "duplicate",      "unaligned",  "unaligned_length"};
  return kNames.at(static_cast<std::size_t>(reason));
}

std::string ipv4_to_string(std::uint32_t address) {
  return fmt::format("{}.{}.{}.{}", address >> 24, address >> 16 & 255, address >> 8 & 255,
                     address & 255);
}

std::string ipv6_to_string(const Ipv6Address& address) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  return inet_ntop(AF_INET6, address.data(), text.data(), text.size()) != nullptr ? text.data()
                                                                                  : "?";
}

std::string FlowKey::to_string() const {
  const char* const name = transport == Transport::kTcp ? "tcp" : "udp";
  if (ipv6) {
    return fmt::format("{} [{}]:{} > [{}]:{}", name, ipv6_to_string(source_ip6), source_port,
                       ipv6_to_string(destination_ip6), destination_port);
  }
  return fmt::format("{} {}:{} > {}:{}", name, ipv4_to_string(source_ip), source_port,
                     ipv4_to_string(destination_ip), destination_port);
}

std::optional<std::uint8_t> Layers::tos() const {
  if (ipv4) return ipv4->tos;
  if (ipv6) return ipv6->traffic_class;
  return std::nullopt;
}

IpPlace Layers::ip() const {
  if (ipv4) return {ipv4->offset, ipv4->header_length, ipv4->protocol, false};
  if (ipv6) return {ipv6->offset, ipv6->header_length, ipv6->protocol, true};
  return {};
}

std::optional<FlowKey> Layers::flow() const {
  if (!tcp && !udp) return std::nullopt;
  FlowKey key;
  key.transport = tcp ? Transport::kTcp : Transport::kUdp;
  key.source_port = tcp ? tcp->source_port : udp->source_port;
  key.destination_port = tcp ? tcp->destination_port : udp->destination_port;
  if (ipv4) {
    key.source_ip = ipv4->source;
    key.destination_ip = ipv4->destination;
  } else {
    key.ipv6 = true;
    key.source_ip6 = ipv6->source;
    key.destination_ip6 = ipv6->destination;
  }
  return key;
}

Layers decode(std::span<const std::uint8_t> frame, std::size_t original_length) {
  Layers layers;
  layers.stopped = decode_frame(frame, std::max(original_length, frame.size()), layers);
  return layers;
}

Checksums check_checksums(const Packet& packet) {
  Checksums result;
  const Layers& layers = packet.layers;
  const std::span<const std::uint8_t> bytes(packet.bytes);
  if (const auto& ip = layers.ipv4) {
    result.ipv4 = add_words(bytes.subspan(ip->offset, ip->header_length)) == 0xFFFF;
  }
  if ((!layers.tcp && !layers.udp) || layers.payload_captured != layers.payload_length) {
    return result;
  }
  const std::size_t first = layers.tcp ? layers.tcp->offset : layers.udp->offset;
  if (layers.udp && load16(bytes, first + 6) == 0) return result;
  const auto segment = bytes.subspan(first, layers.payload_offset + layers.payload_length - first);
  result.transport =
      add_words(segment, pseudo_header_sum(layers.ip(), bytes, segment.size())) == 0xFFFF;
  return result;
}

}  // namespace gw::capture
