// What the models of the NIC's engines share: frames' bytes in a ring, the output queue, what
// headers say, the update of a checksum. An opinion of its own beside models/reference/nic.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>

#include "models/axis/beat.h"

namespace gw::systemc {

inline constexpr uint32_t kNicMaxFrame = 9018;
inline constexpr uint32_t kNicMinFrame = 60;
inline constexpr uint32_t kNicShim = 4;
inline constexpr uint32_t kNicHeaderBeats = 5;  // what headers are judged by
inline constexpr uint32_t kNicQuoteBeats = 7;   // what an ICMP error's quote is judged by

/// Beats' bytes by the beat's number, kBeats of them. The first kNicQuoteBeats lie there once more
/// after the last, so that as many can be read in one piece from anywhere.
template <uint32_t kBeats>
class BeatRing {
  static_assert((kBeats & (kBeats - 1)) == 0);
  static constexpr uint32_t kBytes = kBeats * kBeatBytes;

 public:
  void put(uint32_t beat, const std::array<uint32_t, kLanes>& data) {
    const uint32_t slot = beat % kBeats;
    std::memcpy(&bytes_[slot * kBeatBytes], data.data(), kBeatBytes);
    if (slot < kNicQuoteBeats) {
      std::memcpy(&bytes_[kBytes + slot * kBeatBytes], data.data(), kBeatBytes);
    }
  }
  void set(uint32_t beat, uint32_t offset, uint8_t byte) {
    const uint32_t at = (beat * kBeatBytes + offset) % kBytes;
    bytes_[at] = byte;
    if (at < kNicQuoteBeats * kBeatBytes) bytes_[kBytes + at] = byte;
  }
  /// From byte `offset` of beat `beat` on.
  const uint8_t* at(uint32_t beat, uint32_t offset = 0) const {
    return &bytes_[(beat * kBeatBytes + offset) % kBytes];
  }

 private:
  alignas(64) std::array<uint8_t, kBytes + kNicQuoteBeats * kBeatBytes> bytes_{};
};

/// The contracts' output queue: four beats, and those on their way to it.
class NicOutput {
 public:
  void clear() { head_ = used_ = visible_ = issued_ = entering_ = 0; }
  bool credit() const { return used_ < kBeats; }
  const Beat* front() const { return visible_ != 0 ? &ring_[head_] : nullptr; }
  /// The beat issued in this cycle, to be filled; once a cycle at most, and with credit only.
  Beat& issue() {
    issued_ = 1;
    return ring_[(head_ + used_) % kBeats];
  }
  /// Ends the cycle.
  void clock(bool m_ready) {
    const uint32_t left = m_ready && visible_ != 0;
    head_ = (head_ + left) % kBeats;
    used_ += issued_ - left;
    visible_ += entering_ - left;
    entering_ = issued_;
    issued_ = 0;
  }

 private:
  static constexpr uint32_t kBeats = 4;
  std::array<Beat, kBeats> ring_;
  uint32_t head_ = 0, used_ = 0, visible_ = 0;
  uint32_t issued_ = 0, entering_ = 0;  // in this cycle
};

/// Makes `beat` a frame's last, of its first `bytes` bytes.
inline void end_frame(Beat& beat, uint32_t bytes, bool user) {
  if (bytes < kBeatBytes) {
    std::memset(reinterpret_cast<uint8_t*>(beat.data.data()) + bytes, 0, kBeatBytes - bytes);
  }
  beat.keep = keep_of_bytes(static_cast<int>(bytes));
  beat.last = 1;
  beat.user = user;
}

inline uint32_t load16(const uint8_t* bytes) {
  return static_cast<uint32_t>(bytes[0] << 8 | bytes[1]);
}
inline uint32_t load32(const uint8_t* bytes) { return load16(bytes) << 16 | load16(bytes + 2); }
inline void store16(uint8_t* bytes, uint32_t value) {
  bytes[0] = static_cast<uint8_t>(value >> 8);
  bytes[1] = static_cast<uint8_t>(value);
}

/// A sum of 16-bit words in ones' complement: 0 only if all of them are.
inline uint32_t fold16(uint64_t sum) {
  while (sum >> 16 != 0) sum = (sum & 0xFFFF) + (sum >> 16);
  return static_cast<uint32_t>(sum);
}
/// RFC 1624, equation 3: `change` is the sum of ~m + m' over the words that change, one at least.
inline uint32_t updated_checksum(uint32_t checksum, uint64_t change) {
  const uint32_t sum = fold16((~checksum & 0xFFFF) + change);
  return sum == 0 ? 0 : ~sum & 0xFFFF;
}

/// What a frame's headers say, up to IPv4's.
struct NicHeaders {
  static constexpr uint8_t kTcp = 6, kUdp = 17;

  bool ipv4 = false;   ///< the EtherType says so, after one tag at most
  bool whole = false;  ///< IPv4's first 20 bytes are there: what follows is read
  bool sound = false;  ///< version, IHL, total length; the whole header is in the frame
  bool fragment = false;
  uint8_t tos = 0, protocol = 0;
  uint32_t ip = 0, transport = 0, end = 0;  ///< where they begin, where the packet ends

  /// Of a frame's first `size` bytes.
  static NicHeaders read(const uint8_t* frame, uint32_t size) {
    constexpr uint32_t kEthernet = 14, kTag = 4, kLeast = 20;
    NicHeaders h;
    if (size < kEthernet) return h;
    h.ip = kEthernet;
    if (load16(frame + 12) == 0x8100) h.ip += kTag;
    h.ipv4 = size >= h.ip && load16(frame + h.ip - 2) == 0x0800;
    h.whole = h.ipv4 && size >= h.ip + kLeast;
    if (!h.whole) return h;
    const uint8_t* const ip = frame + h.ip;
    const uint32_t header = 4 * (ip[0] & 15u), total = load16(ip + 2);
    h.tos = ip[1];
    h.protocol = ip[9];
    h.fragment = (load16(ip + 6) & 0x3FFF) != 0;  // more fragments, or an offset
    h.transport = h.ip + header;
    h.end = h.ip + total;
    h.sound = ip[0] >> 4 == 4 && header >= kLeast && total >= header && size >= h.transport;
    return h;
  }

  /// Where TCP's or UDP's payload begins; 0 if their header contradicts itself, the packet or the
  /// frame. Of a sound frame.
  uint32_t payload(const uint8_t* frame, uint32_t size, bool tcp) const {
    const uint32_t room = (size < end ? size : end) - transport;
    if (!tcp) return room < 8 ? 0 : transport + 8;
    if (room < 20) return 0;
    const uint32_t header = 4u * (frame[transport + 12] >> 4);
    return header < 20 || header > room ? 0 : transport + header;
  }

  /// Gives the header at `frame` another total length and protocol.
  void rewrite(uint8_t* frame, uint32_t total, uint8_t to) const {
    uint8_t* const h = frame + ip;
    uint64_t change = (~load16(h + 2) & 0xFFFF) + (~load16(h + 8) & 0xFFFF);
    store16(h + 2, total);
    h[9] = to;
    change += load16(h + 2) + load16(h + 8);
    store16(h + 10, updated_checksum(load16(h + 10), change));
  }
};

/// Byte 0 of a shim: version 2, and the CRC-4 (x^4 + x + 1) of the 28 bits of version and bytes 1
/// to 3, a nibble at a time.
inline uint8_t nic_shim_start(const uint8_t* shim) {
  constexpr uint8_t kVersion = 2;
  // What a nibble leaves: the remainder of its bits times x^4.
  constexpr std::array<uint8_t, 16> kLeft = {0x0, 0x3, 0x6, 0x5, 0xC, 0xF, 0xA, 0x9,
                                             0xB, 0x8, 0xD, 0xE, 0x7, 0x4, 0x1, 0x2};
  uint8_t crc = kLeft[kVersion];
  for (int i = 1; i < 4; ++i) {
    crc = kLeft[crc ^ shim[i] >> 4];
    crc = kLeft[crc ^ (shim[i] & 15)];
  }
  return static_cast<uint8_t>(kVersion << 4 | crc);
}

/// A flow: source and destination address, source and destination port, as on the wire.
using NicFlowKey = std::array<uint8_t, 12>;

/// How a payload is cut: bytes before the first whole float, whole floats, bytes after it.
struct NicCut {
  uint32_t head = 0, floats = 0, tail = 0;

  NicCut() = default;
  NicCut(uint32_t length, uint32_t before) : head(before) {
    if (length < head) return;
    floats = (length - head) / 4;
    tail = (length - head) % 4;
  }
  uint32_t edges() const { return head + tail; }
  uint32_t groups() const { return (floats + kLanes - 1) / kLanes; }
};

}  // namespace gw::systemc
