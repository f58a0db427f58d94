// Frames as a host hands them to its NIC: what tests and synthetic stimuli are made of.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "models/reference/capture/bytes.h"
#include "models/reference/nic/nic.h"

namespace gw::reference::nic {

/// A host's packet, to be bent.
struct Host {
  bool tcp = true;
  bool tag = false;
  std::size_t ihl = 5;
  std::size_t data_offset = 5;
  std::uint8_t tos = 0x28;
  std::uint32_t sequence = 1001;
  std::uint32_t source = 0x0A000001, destination = 0x0A000002;
  std::uint16_t port = 4000;  ///< of the source; the destination's is 5000
  std::uint8_t flags = 0x18;
  std::size_t trailer = 0;
  bool udp_checksum = true;
  std::uint32_t any = 0;  ///< not 0: ports and all that no engine looks at are drawn from it
  std::vector<std::uint8_t> payload = {};

  std::size_t ip_at() const { return tag ? 18 : 14; }
  std::size_t transport_at() const { return ip_at() + 4 * ihl; }
  std::size_t payload_at() const { return transport_at() + (tcp ? 4 * data_offset : 8); }

  Frame frame() const {
    Frame out(payload_at(), 0);
    for (std::size_t i = 0; i < 12; ++i) out[i] = static_cast<std::uint8_t>(i);
    if (tag) {
      capture::store16(out, 12, 0x8100);
      capture::store16(out, 14, 7);
    }
    capture::store16(out, ip_at() - 2, 0x0800);
    out[ip_at()] = static_cast<std::uint8_t>(0x40 | ihl);
    out[ip_at() + 1] = tos;
    capture::store16(out, ip_at() + 2, payload_at() - ip_at() + payload.size());
    capture::store16(out, ip_at() + 4, 0xABCD);
    out[ip_at() + 8] = 64;
    out[ip_at() + 9] = tcp ? 6 : 17;
    capture::store32(out, ip_at() + 12, source);
    capture::store32(out, ip_at() + 16, destination);
    for (std::size_t i = ip_at() + 20; i < transport_at(); ++i) out[i] = 1;  // NOP
    capture::store16(out, transport_at(), port);
    capture::store16(out, transport_at() + 2, 5000);
    if (tcp) {
      capture::store32(out, transport_at() + 4, sequence);
      out[transport_at() + 12] = static_cast<std::uint8_t>(data_offset << 4);
      out[transport_at() + 13] = flags;
      for (std::size_t i = transport_at() + 20; i < payload_at(); ++i) out[i] = 1;
    } else {
      capture::store16(out, transport_at() + 4, 8 + payload.size());
    }
    if (any != 0) draw(out);
    out.insert(out.end(), payload.begin(), payload.end());
    const std::span<std::uint8_t> bytes(out);
    capture::store16(out, ip_at() + 10,
                     0xFFFF ^ capture::add_words(bytes.subspan(ip_at(), 4 * ihl)));
    const auto segment = bytes.subspan(transport_at());
    const auto sum = capture::add_words(
        segment, capture::pseudo_header_sum(source, destination, tcp ? 6 : 17, segment.size()));
    if (tcp) capture::store16(out, transport_at() + 16, 0xFFFF ^ sum);
    if (!tcp && udp_checksum)
      capture::store16(out, transport_at() + 6, sum == 0xFFFF ? sum : 0xFFFF ^ sum);
    out.resize(out.size() + trailer, 0xEE);
    return out;
  }

  FlowKey key() const {
    FlowKey key;
    capture::store32(key, 0, source);
    capture::store32(key, 4, destination);
    capture::store16(key, 8, port);
    capture::store16(key, 10, 5000);
    return key;
  }

  Frame syn() const {
    Host first = *this;
    first.payload = {};  // GCC 12 warns of clear() where this is inlined
    first.flags = 0x02;
    return first.frame();
  }

 private:
  /// The same for all frames of a flow.
  void draw(std::span<std::uint8_t> frame) const {
    std::uint32_t state = any;
    const auto next = [&state] {
      state ^= state << 13;
      state ^= state >> 17;
      state ^= state << 5;
      return static_cast<std::uint8_t>(state >> 16);
    };
    const auto fill = [&](std::size_t from, std::size_t bytes) {
      for (std::size_t i = 0; i < bytes; ++i) frame[from + i] = next();
    };
    fill(transport_at(), 4);  // ports
    fill(0, 12);              // stations
    if (tag) fill(14, 2);
    fill(ip_at() + 4, 2);                                           // identification
    frame[ip_at() + 6] = static_cast<std::uint8_t>(next() & 0xC0);  // no fragment
    fill(ip_at() + 8, 1);                                           // time to live
    fill(ip_at() + 20, transport_at() - ip_at() - 20);              // options
    if (!tcp) return;
    fill(transport_at() + 8, 4);  // acknowledgement
    frame[transport_at() + 12] |= static_cast<std::uint8_t>(next() & 0xF);
    frame[transport_at() + 13] ^= static_cast<std::uint8_t>(next() & 0xFD);  // all but SYN
    fill(transport_at() + 14, 2);                                            // window
    fill(transport_at() + 18, payload_at() - transport_at() - 18);  // urgent pointer, options
  }
};

/// The ICMP error of a router, or of a far host, about the packet at `ip_at` of a frame, of which
/// it quotes so many bytes.
inline Frame icmp_error(std::span<const std::uint8_t> about, std::size_t ip_at, std::uint8_t type,
                        std::uint8_t code, std::size_t quoted, bool tag = false) {
  const Host router{.tcp = false, .tag = tag, .source = 0x0A0000FE, .destination = 0x0A000001};
  Frame frame = router.frame();
  const std::size_t ip = router.ip_at(), icmp = router.transport_at();
  frame.resize(icmp);
  frame[ip + 1] = 0xC0;
  frame[ip + 9] = 1;
  const std::uint8_t next_mtu[] = {5, 0xDC};
  for (const int byte : {int{type}, int{code}, 0, 0, 0, 0, int{next_mtu[0]}, int{next_mtu[1]}}) {
    frame.push_back(static_cast<std::uint8_t>(byte));
  }
  const auto quote = about.subspan(std::min(ip_at, about.size()));
  const auto shown = quote.first(std::min(quoted, quote.size()));
  frame.insert(frame.end(), shown.begin(), shown.end());
  const std::span<std::uint8_t> bytes(frame);
  capture::store16(bytes, ip + 2, frame.size() - ip);
  capture::store16(bytes, ip + 10, 0);
  capture::store16(bytes, ip + 10, 0xFFFF ^ capture::add_words(bytes.subspan(ip, icmp - ip)));
  capture::store16(bytes, icmp + 2, 0xFFFF ^ capture::add_words(bytes.subspan(icmp)));
  return frame;
}

}  // namespace gw::reference::nic
