// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "models/reference/capture/bytes.h"
#include "models/reference/capture/capture.h"

namespace gw::capture {
namespace {

constexpr std::size_t kMaxIpLength = 65535;
constexpr std::size_t kIpv4Header = 20;

Error error_of(std::optional<std::uint64_t> packet, const std::string& what) {
  return {
      "", packet, std::nullopt,
      packet ? fmt::format("Packet {} {}.", *packet, what) : fmt::format("The frame {}.", what)};
}

/// Writes lengths and checksums of a frame whose other fields and payload are in place.
void complete(std::span<std::uint8_t> frame, const IpPlace& ip, std::size_t transport) {
  const std::size_t end = frame.size();
  if (ip.ipv6) {
    store16(frame, ip.offset + 4, end - ip.offset - kIpv6Header);
  } else {
    store16(frame, ip.offset + 2, end - ip.offset);
    store16(frame, ip.offset + 10, 0);
    store16(frame, ip.offset + 10, ~add_words(frame.subspan(ip.offset, ip.header_length)) & 0xFFFF);
  }
  const auto segment = frame.subspan(transport);
  const bool udp = ip.protocol == static_cast<std::uint8_t>(Transport::kUdp);
  const std::size_t checksum_at = udp ? 6 : 16;
  if (udp) store16(segment, 4, segment.size());
  store16(segment, checksum_at, 0);
  std::uint32_t sum = ~add_words(segment, pseudo_header_sum(ip, frame, segment.size())) & 0xFFFF;
  if (udp && sum == 0) sum = 0xFFFF;  // zero would say: no checksum
  store16(segment, checksum_at, sum);
}

std::size_t transport_at(const Layers& layers) {
  return layers.tcp ? layers.tcp->offset : layers.udp->offset;
}

}  // namespace

Expected<std::vector<std::uint8_t>> replace_payload(const Packet& packet,
                                                    std::span<const std::uint8_t> payload) {
  const Layers& layers = packet.layers;
  if (!layers.tcp && !layers.udp) {
    return error_of(packet.number, "has no TCP or UDP header to put another payload after");
  }
  const std::size_t end = layers.payload_offset + payload.size();
  if (end - layers.ip().offset > kMaxIpLength) {
    return error_of(packet.number, fmt::format("cannot carry {} bytes", payload.size()));
  }
  std::vector<std::uint8_t> frame(end);
  std::copy_n(packet.bytes.begin(), layers.payload_offset, frame.begin());
  std::copy(payload.begin(), payload.end(),
            frame.begin() + static_cast<std::ptrdiff_t>(layers.payload_offset));
  complete(frame, layers.ip(), transport_at(layers));
  return frame;
}

std::vector<std::vector<std::uint8_t>> cut_segments(std::span<const std::uint8_t> frame,
                                                    std::size_t original_length, std::size_t most) {
  std::vector<std::vector<std::uint8_t>> segments;
  const Layers layers = decode(frame, original_length);
  if (!layers.tcp || layers.payload_length <= most || layers.tcp->syn ||
      layers.payload_captured < layers.payload_length) {
    return segments;
  }
  constexpr std::uint8_t kFinPsh = 0x09, kCwr = 0x80;  // of the last segment, of the first
  IpPlace ip = layers.ip();
  std::vector<std::uint8_t> header(
      frame.begin(), frame.begin() + static_cast<std::ptrdiff_t>(layers.payload_offset));
  std::size_t tcp = layers.tcp->offset;
  if (ip.ipv6 && ip.header_length != kIpv6Header) {
    // The extension of a jumbogram would contradict what a segment's length says.
    const auto first = header.begin() + static_cast<std::ptrdiff_t>(ip.offset + kIpv6Header);
    header.erase(first, header.begin() + static_cast<std::ptrdiff_t>(tcp));
    tcp = ip.offset + kIpv6Header;
    header[ip.offset + 6] = ip.protocol;
    ip.header_length = kIpv6Header;
  }
  const auto payload = frame.subspan(layers.payload_offset, layers.payload_length);
  for (std::size_t at = 0; at < payload.size(); at += most) {
    const auto part = payload.subspan(at, std::min(most, payload.size() - at));
    std::vector<std::uint8_t>& segment = segments.emplace_back(header);
    segment.insert(segment.end(), part.begin(), part.end());
    const std::span<std::uint8_t> f(segment);
    store32(f, tcp + 4, layers.tcp->sequence + static_cast<std::uint32_t>(at));
    if (at + part.size() < payload.size()) segment[tcp + 13] &= static_cast<std::uint8_t>(~kFinPsh);
    if (at != 0) segment[tcp + 13] &= static_cast<std::uint8_t>(~kCwr);
    if (!ip.ipv6) store16(f, ip.offset + 4, layers.ipv4->identification + at / most);
    complete(f, ip, tcp);
  }
  return segments;
}

Expected<std::vector<std::uint8_t>> make_frame(const FrameAddresses& addresses,
                                               std::span<const std::uint8_t> payload) {
  const bool udp = addresses.flow.transport == Transport::kUdp;
  const std::size_t ip = kEthernetHeader, transport = ip + kIpv4Header;
  const std::size_t payload_at = transport + (udp ? 8 : 20), end = payload_at + payload.size();
  if (end - ip > kMaxIpLength) {
    return error_of(std::nullopt, fmt::format("cannot carry {} bytes", payload.size()));
  }
  std::vector<std::uint8_t> frame(end);
  const std::span<std::uint8_t> f(frame);
  std::copy(addresses.destination_mac.begin(), addresses.destination_mac.end(), frame.begin());
  std::copy(addresses.source_mac.begin(), addresses.source_mac.end(), frame.begin() + 6);
  store16(f, 12, 0x0800);
  frame[ip] = 0x45;
  frame[ip + 1] = addresses.tos;
  store16(f, ip + 4, addresses.identification);
  store16(f, ip + 6, 0x4000);  // do not fragment
  frame[ip + 8] = addresses.ttl;
  frame[ip + 9] = static_cast<std::uint8_t>(addresses.flow.transport);
  store32(f, ip + 12, addresses.flow.source_ip);
  store32(f, ip + 16, addresses.flow.destination_ip);
  store16(f, transport, addresses.flow.source_port);
  store16(f, transport + 2, addresses.flow.destination_port);
  if (!udp) {
    store32(f, transport + 4, addresses.sequence);
    store32(f, transport + 8, addresses.acknowledgement);
    frame[transport + 12] = 5 << 4;
    frame[transport + 13] = addresses.syn ? 0x02 : 0x10;
    store16(f, transport + 14, 0xFFFF);
  }
  std::copy(payload.begin(), payload.end(),
            frame.begin() + static_cast<std::ptrdiff_t>(payload_at));
  complete(f, {ip, kIpv4Header, static_cast<std::uint8_t>(addresses.flow.transport), false},
           transport);
  return frame;
}

}  // namespace gw::capture
