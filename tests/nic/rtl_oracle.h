// Until the reference has shim version 2, slots, forgetting and quotes: what the RTL must do, from
// docs/devices/nic_{tx,rx}.md.
#pragma once

#include <optional>

#include "models/reference/capture/bytes.h"
#include "models/reference/nic/nic.h"

namespace gw::reference::nic::oracle {

using capture::load16;
using capture::store16;

inline unsigned crc4(std::span<const std::uint8_t> shim) {
  std::uint64_t rest = std::uint64_t{shim[0] & 0xF0u} << 24 | std::uint64_t{shim[1]} << 20 |
                       std::uint64_t{shim[2]} << 12 | std::uint64_t{shim[3]} << 4;
  for (int i = 31; i >= 4; --i)
    if (rest >> i & 1) rest ^= std::uint64_t{0b10011} << (i - 4);
  return static_cast<unsigned>(rest);
}
inline void seal(std::span<std::uint8_t> shim) {
  shim[0] = 0x20;
  shim[0] |= static_cast<std::uint8_t>(crc4(shim));
}

struct Ip {
  std::size_t at = 0, end = 0, transport = 0;
  bool ipv4 = false, sound = false, fragment = false;
  unsigned protocol = 0;
  explicit Ip(std::span<const std::uint8_t> f) {
    at = f.size() >= 18 && load16(f, 12) == 0x8100 ? 18 : 14;
    if (f.size() < at + 20 || load16(f, at - 2) != 0x0800) return;
    ipv4 = true;
    sound = f[at] >> 4 == 4 && f[at] % 16 >= 5;
    transport = at + f[at] % 16 * std::size_t{4};
    end = at + load16(f, at + 2);
    fragment = (load16(f, at + 6) & 0x3FFF) != 0;
    protocol = f[at + 9];
  }
};

inline void pack2(Packed& p) {
  if (p.action != TxAction::kPacked) return;
  const Ip ip(p.frame);
  const std::size_t shim =
      ip.transport +
      (p.expected[ip.at + 9] == 6 ? p.frame[ip.transport + 12] / 16 * std::size_t{4} : 8);
  seal(std::span(p.frame).subspan(shim, 4));
}

struct Rx {
  std::size_t action = 0;
  Frame frame;
  bool error = false;
  std::optional<FlowKey> forget;
};

inline bool shim_right(std::span<const std::uint8_t> s, bool tcp) {
  const unsigned k = s[1] >> 2 & 15, head = s[1] & 3u, length = load16(s, 2);
  return s[0] == (0x20 | crc4(s)) && (s[1] & 0x40) == 0 && k >= 1 && k <= 14 &&
         length >= head + 4 && (tcp || head == 0);
}

inline Rx unpack2(const NicConfig& config, const Frame& frame, bool bad) {
  const Ip ip(frame);
  const bool ours = ip.protocol == config.protocol_tcp || ip.protocol == config.protocol_udp;
  Rx out{.frame = frame, .error = bad, .forget = {}};
  if (!ip.ipv4 || ip.fragment) return out;
  if (ours) {
    const bool tcp = ip.protocol == config.protocol_tcp;
    std::optional<std::size_t> shim;
    if (!tcp) shim = ip.transport + 8;
    if (tcp && ip.transport + 12 < frame.size())
      shim = ip.transport + frame[ip.transport + 12] / 16 * std::size_t{4};
    Frame old = frame;
    if (shim && *shim + 4 <= frame.size()) {
      const auto s = std::span(old).subspan(*shim, 4);
      bool right = s[0] == (0x20 | crc4(s));
      if (!tcp && ((s[1] & 3) != 0 || load16(frame, ip.transport + 4) != 8u + load16(s, 2)))
        right = false;
      s[0] = right ? 1 : 0;
    }
    const Unpacked u = NicRx(config).unpack(old, bad);
    out.action = static_cast<std::size_t>(u.action);
    out.error = u.error;
    if (u.action == RxAction::kUnpacked || u.action == RxAction::kBadStream) out.frame = u.frame;
    return out;
  }
  if (ip.protocol != 1 || !ip.sound) return out;
  const std::size_t limit = std::min(frame.size(), ip.end), q = ip.transport + 8;
  if (q + 20 > limit) return out;
  const unsigned type = frame[ip.transport];
  if (type != 3 && type != 11 && type != 12) return out;
  const unsigned protocol = frame[q + 9];
  const bool tcp = protocol == config.protocol_tcp;
  if (!tcp && protocol != config.protocol_udp) return out;
  const std::size_t t = q + frame[q] % 16 * std::size_t{4};
  if (frame[q] >> 4 != 4 || frame[q] % 16 < 5 || t > limit) return out;
  out.action = 4;
  const unsigned fragment = load16(frame, q + 6);
  std::uint64_t sum = 0xFFFFu ^ load16(frame, q + 10);
  sum += 0xFFFFu ^ load16(frame, q + 8);
  out.frame[q + 9] = tcp ? 6 : 17;
  sum += load16(out.frame, q + 8);
  const std::size_t header = !tcp ? 8 : t + 12 < limit ? frame[t + 12] / 16 * std::size_t{4} : 0;
  const std::size_t shim = t + header;
  if ((fragment & 0x3FFF) == 0 && header >= (tcp ? 20 : 8) && shim + 4 <= limit) {
    const auto s = std::span(frame).subspan(shim, 4);
    const std::size_t total = shim - q + load16(s, 2);
    if (shim_right(s, tcp) && total <= 9004) {
      sum += 0xFFFFu ^ load16(frame, q + 2);
      store16(out.frame, q + 2, total);
      sum += total;
    }
  }
  while (sum >> 16) sum = (sum & 0xFFFF) + (sum >> 16);
  store16(out.frame, q + 10, 0xFFFF ^ sum);
  if (type == 3 && frame[ip.transport + 1] == 2 && tcp && (fragment & 0x1FFF) == 0 &&
      t + 4 <= limit && !bad) {
    FlowKey key;
    std::copy_n(&frame[q + 12], 8, key.begin());
    std::copy_n(&frame[t], 4, key.begin() + 8);
    out.forget = key;
  }
  return out;
}

}  // namespace gw::reference::nic::oracle
