#include <fmt/format.h>

#include <algorithm>

#include "models/reference/capture/bytes.h"
#include "models/reference/capture/capture.h"

namespace gw::capture {
namespace {

constexpr std::size_t kMaxIpv4Length = 65535;
constexpr std::size_t kIpv4Header = 20;

Error error_of(std::optional<std::uint64_t> packet, const std::string& what) {
  return {
      "", packet, std::nullopt,
      packet ? fmt::format("Packet {} {}.", *packet, what) : fmt::format("The frame {}.", what)};
}

struct Place {
  std::size_t ip, ip_header, transport, end;
  std::uint8_t protocol;
};

/// Writes lengths and checksums of a frame whose other fields and payload are in place.
void complete(std::span<std::uint8_t> frame, const Place& at) {
  store16(frame, at.ip + 2, at.end - at.ip);
  store16(frame, at.ip + 10, 0);
  store16(frame, at.ip + 10, ~add_words(frame.subspan(at.ip, at.ip_header)) & 0xFFFF);

  const auto segment = frame.subspan(at.transport, at.end - at.transport);
  const bool udp = at.protocol == static_cast<std::uint8_t>(Transport::kUdp);
  const std::size_t checksum_at = udp ? 6 : 16;
  if (udp) store16(segment, 4, segment.size());
  store16(segment, checksum_at, 0);
  std::uint32_t sum =
      ~add_words(segment, pseudo_header_sum(load32(frame, at.ip + 12), load32(frame, at.ip + 16),
                                            at.protocol, segment.size())) &
      0xFFFF;
  if (udp && sum == 0) sum = 0xFFFF;  // zero would say: no checksum
  store16(segment, checksum_at, sum);
}

}  // namespace

Expected<std::vector<std::uint8_t>> replace_payload(const Packet& packet,
                                                    std::span<const std::uint8_t> payload) {
  const Layers& layers = packet.layers;
  if (!layers.ipv4 || (!layers.tcp && !layers.udp)) {
    return error_of(packet.number, "has no TCP or UDP header to put another payload behind");
  }
  const std::size_t end = layers.payload_offset + payload.size();
  if (end - layers.ipv4->offset > kMaxIpv4Length) {
    return error_of(packet.number, fmt::format("cannot carry {} bytes", payload.size()));
  }
  std::vector<std::uint8_t> frame(end);
  std::copy_n(packet.bytes.begin(), layers.payload_offset, frame.begin());
  std::copy(payload.begin(), payload.end(),
            frame.begin() + static_cast<std::ptrdiff_t>(layers.payload_offset));
  complete(frame,
           {layers.ipv4->offset, layers.ipv4->header_length,
            layers.tcp ? layers.tcp->offset : layers.udp->offset, end, layers.ipv4->protocol});
  return frame;
}

Expected<std::vector<std::uint8_t>> make_frame(const FrameAddresses& addresses,
                                               std::span<const std::uint8_t> payload) {
  const bool udp = addresses.flow.transport == Transport::kUdp;
  const std::size_t ip = kEthernetHeader, transport = ip + kIpv4Header;
  const std::size_t payload_at = transport + (udp ? 8 : 20), end = payload_at + payload.size();
  if (end - ip > kMaxIpv4Length) {
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
  complete(f,
           {ip, kIpv4Header, transport, end, static_cast<std::uint8_t>(addresses.flow.transport)});
  return frame;
}

}  // namespace gw::capture
