// Frames and capture files made byte by byte, by other code than the library's own.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <string>
#include <vector>

#include "models/reference/capture/capture.h"

namespace gw::capture::testing {

using Bytes = std::vector<std::uint8_t>;

inline Bytes operator+(const Bytes& a, const Bytes& b) {
  Bytes out(a.size() + b.size());
  std::copy(a.begin(), a.end(), out.begin());
  std::copy(b.begin(), b.end(), out.begin() + static_cast<std::ptrdiff_t>(a.size()));
  return out;
}
inline Bytes be16(std::size_t v) {
  Bytes out(2);
  out[0] = static_cast<std::uint8_t>(v >> 8);
  out[1] = static_cast<std::uint8_t>(v);
  return out;
}
inline Bytes be32(std::size_t v) { return be16(v >> 16) + be16(v & 0xFFFF); }

/// 0, 1, 2, ... (Not inlined: GCC 12 then warns of an overflow that is none.)
[[gnu::noinline]] inline Bytes ramp(std::size_t size, unsigned first = 0) {
  Bytes out(size);
  for (auto& byte : out) byte = static_cast<std::uint8_t>(first++);
  return out;
}

struct Ip {
  std::uint8_t tos = 0x28;
  std::uint8_t protocol = 6;
  std::uint32_t source = 0x0A000001, destination = 0x0A000002;
  Bytes options;               // a multiple of four bytes
  std::size_t fragment = 0;    // flags and offset
  std::ptrdiff_t length = -1;  // the field; -1: right
  std::uint8_t version = 4;
  std::ptrdiff_t ihl = -1;  // in words; -1: right
};

inline Bytes ipv4(const Ip& ip, const Bytes& inner) {
  const std::size_t header = 20 + ip.options.size();
  const std::size_t ihl = ip.ihl < 0 ? header / 4 : static_cast<std::size_t>(ip.ihl);
  const std::size_t length =
      ip.length < 0 ? header + inner.size() : static_cast<std::size_t>(ip.length);
  Bytes h = Bytes{std::uint8_t(ip.version << 4 | ihl), ip.tos} + be16(length) + be16(7) +
            be16(ip.fragment) + Bytes{64, ip.protocol, 0, 0} + be32(ip.source) +
            be32(ip.destination) + ip.options;
  std::uint32_t sum = 0;
  for (std::size_t i = 0; i < h.size(); i += 2) sum += h[i] * 256u + h[i + 1];
  while (sum > 0xFFFF) sum = (sum & 0xFFFF) + (sum >> 16);
  h[10] = std::uint8_t(~sum >> 8);
  h[11] = std::uint8_t(~sum);
  return h + inner;
}

struct Tcp {
  std::uint32_t sequence = 1;
  std::uint8_t flags = 0x10;
  std::uint16_t source = 40000, destination = 7000;
  Bytes options;
  std::ptrdiff_t words = -1;  // data offset; -1: right
};
inline constexpr std::uint8_t kSyn = 0x02, kFin = 0x01, kAck = 0x10;

inline Bytes tcp(const Tcp& t, const Bytes& payload) {
  const std::size_t words =
      t.words < 0 ? (20 + t.options.size()) / 4 : static_cast<std::size_t>(t.words);
  return be16(t.source) + be16(t.destination) + be32(t.sequence) + be32(0) +
         Bytes{std::uint8_t(words << 4), t.flags} + be16(1000) + be16(0) + be16(0) + t.options +
         payload;
}

inline Bytes udp(const Bytes& payload, std::ptrdiff_t length = -1) {
  return be16(40000) + be16(5000) +
         be16(length < 0 ? 8 + payload.size() : static_cast<std::size_t>(length)) + be16(0) +
         payload;
}

/// tags: pairs of TPID and TCI.
inline Bytes ethernet(const Bytes& inner, std::uint16_t type = 0x0800,
                      std::initializer_list<std::pair<std::uint16_t, std::uint16_t>> tags = {}) {
  Bytes f{2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1};
  for (const auto& [tpid, tci] : tags) f = f + be16(tpid) + be16(tci);
  return f + be16(type) + inner;
}

inline Bytes tcp_frame(std::uint32_t sequence, const Bytes& payload, std::uint8_t flags = kAck,
                       std::uint8_t tos = 0x28) {
  Ip ip;
  ip.tos = tos;
  Tcp t;
  t.sequence = sequence;
  t.flags = flags;
  return ethernet(ipv4(ip, tcp(t, payload)));
}

inline Bytes udp_frame(const Bytes& payload, std::uint8_t tos = 0x28) {
  Ip ip;
  ip.tos = tos;
  ip.protocol = 17;
  return ethernet(ipv4(ip, udp(payload)));
}

/// A capture in memory.
inline Capture capture_of(const std::vector<Bytes>& frames) {
  Capture capture;
  for (const auto& f : frames) {
    Packet p;
    p.number = capture.packets.size() + 1;
    p.timestamp_ns = 1000 * static_cast<std::int64_t>(p.number);
    p.original_length = f.size();
    p.bytes = f;
    p.layers = decode(p.bytes, p.original_length);
    capture.packets.push_back(std::move(p));
  }
  return capture;
}

/// Why the only packet of a capture is skipped; "" if it is selected.
inline std::string skip_of(const Bytes& frame, std::size_t kept = SIZE_MAX,
                           const SelectOptions& options = {}) {
  Capture capture = capture_of({frame});
  Packet& p = capture.packets[0];
  if (kept < p.bytes.size()) {
    p.bytes.resize(kept);
    p.layers = decode(p.bytes, p.original_length);
  }
  const auto names = select(capture, options).skipped.by_name();
  return names.empty() ? "" : names.begin()->first;
}

// ---- Files

/// Multi-byte fields of a capture file, in either byte order.
struct FileOrder {
  bool big = false;
  Bytes u32(std::uint32_t v) const {
    const Bytes b = be32(v);
    return big ? b : Bytes(b.rbegin(), b.rend());
  }
  Bytes u16(std::uint16_t v) const {
    const Bytes b = be16(v);
    return big ? b : Bytes(b.rbegin(), b.rend());
  }
};

inline Bytes pcap_header(FileOrder o, bool nanoseconds, std::uint32_t link_type = 1,
                         std::uint32_t snaplen = 65535) {
  return o.u32(nanoseconds ? 0xA1B23C4D : 0xA1B2C3D4) + o.u16(2) + o.u16(4) + o.u32(0) + o.u32(0) +
         o.u32(snaplen) + o.u32(link_type);
}
inline Bytes pcap_record(FileOrder o, std::uint32_t seconds, std::uint32_t fraction,
                         const Bytes& frame, std::size_t original = 0) {
  const auto size = static_cast<std::uint32_t>(frame.size());
  return o.u32(seconds) + o.u32(fraction) + o.u32(size) +
         o.u32(original == 0 ? size : static_cast<std::uint32_t>(original)) + frame;
}

inline Bytes pcapng_block(FileOrder o, std::uint32_t type, Bytes body) {
  while (body.size() % 4 != 0) body.push_back(0);
  const auto size = static_cast<std::uint32_t>(12 + body.size());
  return o.u32(type) + o.u32(size) + body + o.u32(size);
}
/// Section header and one interface. resolution: if_tsresol, e.g. 9 for nanoseconds.
inline Bytes pcapng_header(FileOrder o, std::uint8_t resolution = 6, std::uint16_t link_type = 1) {
  const Bytes options = o.u16(9) + o.u16(1) + Bytes{resolution, 0, 0, 0} + o.u32(0);
  return pcapng_block(
             o, 0x0A0D0D0A,
             o.u32(0x1A2B3C4D) + o.u16(1) + o.u16(0) + o.u32(0xFFFFFFFF) + o.u32(0xFFFFFFFF)) +
         pcapng_block(o, 1, o.u16(link_type) + o.u16(0) + o.u32(65535) + options);
}
inline Bytes pcapng_packet(FileOrder o, std::uint64_t time, const Bytes& frame) {
  const auto size = static_cast<std::uint32_t>(frame.size());
  return pcapng_block(o, 6,
                      o.u32(0) + o.u32(static_cast<std::uint32_t>(time >> 32)) +
                          o.u32(static_cast<std::uint32_t>(time)) + o.u32(size) + o.u32(size) +
                          frame);
}

/// A folder that goes away again.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "capture_test.XXXXXX").string();
    path_ = mkdtemp(pattern.data());
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }
  std::filesystem::path write(const std::string& name, const Bytes& bytes) const {
    // A file that is cut and written again is waited for on some disks; a new one is not.
    if (std::filesystem::is_regular_file(path_ / name)) std::filesystem::remove(path_ / name);
    std::ofstream(path_ / name, std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.data()),
               static_cast<std::streamsize>(bytes.size()));
    return path_ / name;
  }

 private:
  std::filesystem::path path_;
};

inline Bytes load(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return Bytes{std::istreambuf_iterator<char>(file), {}};
}

}  // namespace gw::capture::testing
