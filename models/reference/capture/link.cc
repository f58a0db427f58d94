// SPDX-License-Identifier: Apache-2.0
#include "models/reference/capture/link.h"

#include <fmt/format.h>
#include <pcap/pcap.h>

#include <algorithm>

#include "models/reference/capture/bytes.h"

namespace gw::capture {
namespace {

constexpr std::uint16_t kTypeIpv4 = 0x0800, kTypeIpv6 = 0x86DD;
constexpr std::uint32_t kLinkRaw = 101;  // as files number it; DLT_RAW is a number of each system

/// What a link's header says.
struct LinkHeader {
  std::size_t bytes = 0;
  std::uint16_t ether_type = 0;
  std::size_t address_at = 0;  // of a sender with six bytes; 0: none
};

std::uint16_t type_by_version(std::span<const std::uint8_t> packet) {
  const unsigned version = packet.empty() ? 0 : packet[0] >> 4;
  return version == 4 ? kTypeIpv4 : version == 6 ? kTypeIpv6 : 0;
}

/// The families of the BSDs that have been seen for IPv6, and Linux'.
std::uint16_t type_of_family(std::uint32_t family) {
  return family == 2                                                    ? kTypeIpv4
         : family == 10 || family == 24 || family == 28 || family == 30 ? kTypeIpv6
                                                                        : 0;
}

LinkHeader header_of(std::uint32_t link_type, std::span<const std::uint8_t> frame) {
  switch (link_type) {
    case DLT_LINUX_SLL: {
      constexpr std::size_t kBytes = 16;
      if (frame.size() < kBytes) return {kBytes};
      return {kBytes, load16(frame, 14), load16(frame, 4) == 6 ? 6u : 0u};
    }
    case DLT_LINUX_SLL2: {
      constexpr std::size_t kBytes = 20;
      if (frame.size() < kBytes) return {kBytes};
      return {kBytes, load16(frame, 0), frame[11] == 6 ? 12u : 0u};
    }
    case DLT_NULL:
    case DLT_LOOP: {
      constexpr std::size_t kBytes = 4;
      if (frame.size() < kBytes) return {kBytes};
      // DLT_NULL is in the order of the host that captured.
      const std::uint32_t family = load32(frame, 0);
      return {kBytes, type_of_family(family <= 0xFFFF ? family : __builtin_bswap32(family))};
    }
    default:
      return {0, type_by_version(frame)};
  }
}

}  // namespace

Link link_of(std::uint32_t link_type) {
  switch (link_type) {
    case DLT_EN10MB:
      return Link::kEthernet;
    case DLT_RAW:
    case kLinkRaw:
    case DLT_IPV4:
    case DLT_IPV6:
      return Link::kIp;
    case DLT_LINUX_SLL:
    case DLT_LINUX_SLL2:
      return Link::kCooked;
    case DLT_NULL:
    case DLT_LOOP:
      return Link::kLoopback;
    default:
      return Link::kOther;
  }
}

std::string link_name(std::uint32_t link_type) {
  const char* const name = pcap_datalink_val_to_name(static_cast<int>(link_type));
  return fmt::format("{} ({})", name != nullptr ? name : "unknown", link_type);
}

std::ptrdiff_t as_ethernet(std::uint32_t link_type, std::span<const std::uint8_t> frame,
                           std::vector<std::uint8_t>& out) {
  const LinkHeader header = header_of(link_type, frame);
  out.clear();
  const auto grown =
      static_cast<std::ptrdiff_t>(kEthernetHeader) - static_cast<std::ptrdiff_t>(header.bytes);
  if (frame.size() < header.bytes) return grown;  // the capture cut it off: nothing is known
  const auto packet = frame.subspan(header.bytes);
  out.assign(kEthernetHeader, 0);
  out.insert(out.end(), packet.begin(), packet.end());
  const std::span<std::uint8_t> to(out);
  to[0] = to[6] = 0x02;  // of a local administrator
  const bool ipv6 = header.ether_type == kTypeIpv6;
  const std::size_t source = ipv6 ? 20 : 12, destination = ipv6 ? 36 : 16;  // the last four bytes
  if (header.ether_type != 0 && packet.size() >= destination + 4) {
    std::copy_n(packet.begin() + static_cast<std::ptrdiff_t>(destination), 4, to.begin() + 2);
    std::copy_n(packet.begin() + static_cast<std::ptrdiff_t>(source), 4, to.begin() + 8);
  }
  if (header.address_at != 0) {
    std::copy_n(frame.begin() + static_cast<std::ptrdiff_t>(header.address_at), 6, to.begin() + 6);
  }
  store16(to, 12, header.ether_type);
  return grown;
}

}  // namespace gw::capture
