// One captured packet and its layers: Ethernet II, 802.1Q and QinQ, IPv4, IPv6, TCP, UDP.
// Nothing here throws or aborts, whatever the bytes are.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gw::capture {

/// Why a packet carries no gradient that we use. The names (name_of) are stable: reports count by
/// them.
enum class Skip : std::uint8_t {
  kTruncated,     ///< truncated: the capture kept too little of it (snaplen)
  kBadHeader,     ///< bad_header: a header contradicts itself or the frame
  kNotIpv4,       ///< not_ipv4: neither IPv4 nor IPv6, and without a name of its own here
  kArp,           ///< arp
  kVlanTags,      ///< vlan_tags: more than one tag, or one that is not 802.1Q's: no NIC looks there
  kOtherLink,     ///< other_link: of a link type that is not read
  kNotMarked,     ///< not_marked: ToS is not the mark
  kNotMarkedEcn,  ///< not_marked_ecn: the DSCP is the mark's, only the two ECN bits differ
  kFragment,      ///< fragment: marked, but a piece of a datagram
  kOtherProtocol,  ///< other_protocol: marked, but neither TCP nor UDP
  kNoPayload,      ///< no_payload: marked; set-up, acknowledgement, close
  kNoStreamStart,  ///< no_stream_start: TCP without SYN in the capture, and none was given
  kBadSequence,    ///< bad_sequence: before the stream's start, or farther ahead than a TCP window
  kDuplicate,      ///< duplicate: every byte of it was captured before
  kUnaligned,      ///< unaligned: TCP, offset in the stream or length not a multiple of four
  kUnalignedLength,  ///< unaligned_length: UDP, length not a multiple of four
};
inline constexpr std::size_t kSkipCount = 16;
std::string_view name_of(Skip reason);

enum class Transport : std::uint8_t { kTcp = 6, kUdp = 17 };

using Ipv6Address = std::array<std::uint8_t, 16>;

/// One direction of a conversation. Addresses and ports in host order.
struct FlowKey {
  std::uint32_t source_ip = 0;
  std::uint32_t destination_ip = 0;
  std::uint16_t source_port = 0;
  std::uint16_t destination_port = 0;
  Transport transport = Transport::kTcp;
  bool ipv6 = false;
  Ipv6Address source_ip6{}, destination_ip6{};  ///< in place of the other two
  auto operator<=>(const FlowKey&) const = default;
  /// "tcp 10.0.0.1:4000 > 10.0.0.2:5000"
  std::string to_string() const;
};

struct Ipv4Header {
  std::size_t offset = 0;         ///< in the frame
  std::size_t header_length = 0;  ///< 20..60, options included
  std::size_t total_length =
      0;                 ///< a zero field (segmentation offload) is read as "the rest of the frame"
  std::uint8_t tos = 0;  ///< all eight bits: DSCP in [7:2], ECN in [1:0]
  std::uint8_t ttl = 0;
  std::uint8_t protocol = 0;
  std::uint16_t identification = 0;
  bool fragment = false;
  std::uint32_t source = 0;
  std::uint32_t destination = 0;
};

struct Ipv6Header {
  std::size_t offset = 0;         ///< in the frame
  std::size_t header_length = 0;  ///< extension headers included
  std::size_t total_length = 0;   ///< header included; a zero field is read as IPv4's
  std::uint8_t traffic_class = 0;
  std::uint8_t hop_limit = 0;
  std::uint8_t protocol = 0;  ///< after the extension headers
  bool fragment = false;
  Ipv6Address source{}, destination{};
};

/// Where a packet's IP header lies, whichever it is.
struct IpPlace {
  std::size_t offset = 0;
  std::size_t header_length = 0;
  std::uint8_t protocol = 0;
  bool ipv6 = false;
};

struct TcpHeader {
  std::size_t offset = 0;
  std::size_t header_length = 0;  ///< 20..60, options included
  std::uint16_t source_port = 0;
  std::uint16_t destination_port = 0;
  std::uint32_t sequence = 0;
  std::uint32_t acknowledgement = 0;
  std::uint16_t window = 0;
  bool fin = false, syn = false, rst = false, psh = false, ack = false;
};

struct UdpHeader {
  std::size_t offset = 0;
  std::uint16_t source_port = 0;
  std::uint16_t destination_port = 0;
  std::size_t length = 0;  ///< header included
};

/// What decode() found. Layers are present from the outside in, as far as the bytes carried.
struct Layers {
  std::vector<std::uint16_t> vlan;  ///< VLAN identifiers, outermost first
  std::uint16_t ether_type = 0;     ///< after the tags; below 0x600: an 802.3 length
  std::size_t network_offset = 0;   ///< first byte after the EtherType
  bool other_tags = false;          ///< more than one tag, or one that is not 802.1Q's
  std::optional<Ipv4Header> ipv4;
  std::optional<Ipv6Header> ipv6;
  std::optional<TcpHeader> tcp;
  std::optional<UdpHeader> udp;
  std::size_t payload_offset = 0;    ///< of the TCP or UDP payload
  std::size_t payload_length = 0;    ///< as the headers say; Ethernet padding is not counted
  std::size_t payload_captured = 0;  ///< how much of it the capture kept
  std::optional<Skip> stopped;       ///< why decoding ended before a transport payload, if it did
  std::optional<FlowKey> flow() const;
  /// IPv4's ToS or IPv6's traffic class.
  std::optional<std::uint8_t> tos() const;
  IpPlace ip() const;
};

/// Decodes a frame of which `frame` was captured and which was `original_length` bytes long on the
/// wire.
Layers decode(std::span<const std::uint8_t> frame, std::size_t original_length);

struct Packet {
  std::uint64_t number = 0;         ///< in the capture, counted from 1, as Wireshark does
  std::int64_t timestamp_ns = 0;    ///< since 1970
  std::size_t original_length = 0;  ///< on the wire
  std::vector<std::uint8_t> bytes;  ///< as captured: at most original_length
  Layers layers;

  std::span<const std::uint8_t> payload() const {
    return std::span(bytes).subspan(layers.payload_offset, layers.payload_captured);
  }
};

/// Which checksums of a packet are right. A capture taken where the sender leaves them to its NIC
/// has wrong ones: they are reported, never a reason to skip.
struct Checksums {
  bool ipv4 = true;       ///< the header's; true of IPv6, which has none
  bool transport = true;  ///< true also where UDP sends none, or where the packet is not complete
};
Checksums check_checksums(const Packet& packet);

/// "fd00::1"
std::string ipv6_to_string(const Ipv6Address& address);
/// "10.0.0.1"
std::string ipv4_to_string(std::uint32_t address);

}  // namespace gw::capture
