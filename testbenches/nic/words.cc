// SPDX-License-Identifier: Apache-2.0
#include "testbenches/nic/words.h"

#include <fmt/format.h>

#include "models/reference/capture/bytes.h"
#include "models/reference/nic/headers.h"

namespace gw::testbenches {
namespace {

namespace nic = reference::nic;

struct Mark {
  size_t at = 0;  // in the frame
  std::string text;
};

std::vector<Mark> marks(std::span<const uint8_t> frame) {
  std::vector<Mark> all = {{0, fmt::format("frame of {} bytes", frame.size())}};
  const nic::Ethernet link = nic::ethernet(frame);
  const auto ip = link.type == nic::EtherType::kIpv4 ? nic::ipv4(frame, link.end) : std::nullopt;
  if (!ip) return all;
  const nic::NicConfig usual;
  const bool packed = ip->protocol == usual.protocol_tcp || ip->protocol == usual.protocol_udp;
  const bool tcp = ip->protocol == nic::kTcp || ip->protocol == usual.protocol_tcp;
  all.push_back({ip->offset, fmt::format("IPv4 {} bytes, ToS {:#04x}, protocol {}{}", ip->total,
                                         ip->tos, ip->protocol, ip->fragment ? ", fragment" : "")});
  if (!ip->sound() || ip->fragment || !(packed || tcp || ip->protocol == nic::kUdp)) return all;
  const auto header = nic::transport_header(frame, ip->transport(), ip->end(), tcp);
  if (!header) return all;
  all.push_back({ip->transport(),
                 tcp ? fmt::format("TCP sequence {}", capture::load32(frame, ip->transport() + 4))
                     : std::string("UDP")});
  const size_t payload = ip->transport() + *header;
  if (!packed || payload + nic::kShim > frame.size()) {
    all.push_back({payload, fmt::format("payload of {} bytes", ip->end() - payload)});
    return all;
  }
  const size_t length = capture::load16(frame, payload + 2), head = frame[payload + 1] & 3;
  const size_t edges = head + (length < head ? 0 : (length - head) % 4);
  all.push_back(
      {payload, fmt::format("shim of version {}, k {}, head {}, {} bytes", frame[payload] >> 4,
                            frame[payload + 1] >> 2 & 15, head, length)});
  all.push_back({payload + nic::kShim + edges, "stream"});
  return all;
}

}  // namespace

std::string describe_nic_frame(const sim::Packet<Beat>& packet, size_t index) {
  const std::vector<uint8_t> bytes = sim::bytes_of(packet);
  const size_t from = index * kBeatBytes;
  std::string text = fmt::format("byte {}:", from);
  for (const Mark& mark : marks(bytes)) {
    if (mark.at < from || mark.at >= from + kBeatBytes) continue;
    text += fmt::format(" {} at {};", mark.text, mark.at - from);
  }
  const size_t to = std::min(bytes.size(), from + kBeatBytes);
  for (size_t i = from; i < to; ++i) {
    text += fmt::format("{}{:02x}", i % 4 == 0 ? " " : "", bytes[i]);
  }
  return text;
}

}  // namespace gw::testbenches
