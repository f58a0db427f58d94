// A packet on its way through a run: as a feed gives it, or as a reference says that it must leave.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <boost/smart_ptr/intrusive_ptr.hpp>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "models/axis/beat.h"

namespace gw::sim {

/// What a device is told with a packet's first beat: a word for each entry of P::kPinsOfPacket.
using PacketConfig = std::array<uint32_t, 12>;

/// What is known of a packet beside its bytes.
struct PacketFacts {
  // Of a packet that goes in.
  uint64_t id = 0;            ///< counted by its feed over all ports, from 0
  uint32_t trace_number = 0;  ///< 1-based number in the trace; 0: none
  bool measured = true;       ///< false: before the device knows where everyone is
  bool hostile = false;       ///< breaks the stream profile on purpose: its beats are not checked
  int64_t time_ns = 0;        ///< paced ports: when its preamble begins on the wire
  uint32_t gap = 0;  ///< other ports: cycles after the packet before it in which it is not offered
  PacketConfig config{};

  /// What the reference did to make it: a place in Device::Facts::actions, and how many times its
  /// size it takes uncompressed.
  static constexpr uint32_t kNoAction = UINT32_MAX;
  uint32_t action = kNoAction;
  double ratio = 1;

  // Noted by the loop: cycles of a packet that went in. So it is on its way only once at a time.
  uint64_t accepted = 0, accepted_last = 0, triggered = 0;
  /// Set by the oracle when the packet arrives: which of its beats completes the first beat that
  /// leaves for it, if that is so.
  static constexpr uint32_t kNoTrigger = UINT32_MAX;
  uint32_t trigger = kNoTrigger;
  uint32_t port = 0;  ///< the input port

  friend bool operator==(const PacketFacts&, const PacketFacts&) = default;
};

/// Runs are single-threaded: references are counted without locks, and what nobody refers to any
/// more is kept, with the room that it has, for the thread's next packet.
template <class Beat>
struct Packet : PacketFacts {
  std::vector<Beat> beats;
  std::vector<uint32_t>
      values;  ///< what it stands for, where its bytes do not say (encoded gradients)
  /// Of a packet that leaves: the one that made it.
  boost::intrusive_ptr<Packet> source;

  uint64_t bytes() const {
    uint64_t sum = 0;
    for (const Beat& beat : beats) sum += static_cast<uint64_t>(valid_bytes(beat));
    return sum;
  }

  /// Nobody refers to a copy yet.
  struct References {
    References() = default;
    References(const References&) {}
    References& operator=(const References&) { return *this; }
    ~References() = default;
    uint32_t count = 0;
  };
  References references;
};

template <class Beat>
using PacketRef = boost::intrusive_ptr<Packet<Beat>>;

/// Packets that nobody refers to, of one thread.
template <class Beat>
class SparePackets {
 public:
#ifdef GW_SANITIZED
  static constexpr size_t kMost = 0;  // who looks at one that is gone is to be seen
#else
  static constexpr size_t kMost = 256;
#endif

  ~SparePackets() { over_ = true; }

  static PacketRef<Beat> take() {
    if (over_) return PacketRef<Beat>(new Packet<Beat>);
    auto& spare = of_this_thread().packets_;
    if (spare.empty()) return PacketRef<Beat>(new Packet<Beat>);
    PacketRef<Beat> packet(spare.back().release());
    spare.pop_back();
    return packet;
  }
  static void keep(std::unique_ptr<Packet<Beat>> packet) {
    packet->source.reset();  // which may be kept, too
    // After the thread's own objects what was static still lets go of packets.
    if (over_ || packet->beats.capacity() > kMostBeats) return;
    auto& spare = of_this_thread().packets_;
    if (spare.size() == kMost) return;
    static_cast<PacketFacts&>(*packet) = {};
    packet->beats.clear();
    packet->values = std::vector<uint32_t>();  // always moved into: its room is of no use
    spare.push_back(std::move(packet));
  }

 private:
  static constexpr size_t kMostBeats = 1024;  // of a jumbo frame there are 282

  SparePackets() { packets_.reserve(kMost); }
  static SparePackets& of_this_thread() {
    thread_local SparePackets spare;
    return spare;
  }

  static inline thread_local bool over_ = false;
  std::vector<std::unique_ptr<Packet<Beat>>> packets_;
};

template <class Beat>
void intrusive_ptr_add_ref(Packet<Beat>* packet) noexcept {
  ++packet->references.count;
}
template <class Beat>
void intrusive_ptr_release(Packet<Beat>* packet) noexcept {
  if (--packet->references.count == 0) {
    SparePackets<Beat>::keep(std::unique_ptr<Packet<Beat>>(packet));
  }
}

/// Without a beat.
template <class Beat>
PacketRef<Beat> make_packet() {
  return SparePackets<Beat>::take();
}

/// Cuts bytes into beats: full ones, then one cut short by tkeep; unused bytes are zero. No bytes
/// make one beat with tkeep = 0.
template <class Beat>
void append_beats(std::vector<Beat>& beats, std::span<const uint8_t> bytes, bool user = false,
                  const std::array<uint32_t, 6>& meta = {}) {
  constexpr size_t kBytes = sizeof(Beat::data);
  const size_t before = beats.size();
  const size_t full = bytes.empty() ? 0 : (bytes.size() - 1) / kBytes;  // before the last
  beats.resize(before + full + 1);
  Beat* beat = beats.data() + before;
  const uint8_t* from = bytes.data();
  for (size_t i = 0; i < full; ++i, ++beat, from += kBytes) {
    std::memcpy(beat->data.data(), from, kBytes);
    beat->keep = Beat::keep_of(static_cast<int>(kBytes));
    beat->meta = meta;
  }
  const size_t rest = bytes.size() - full * kBytes;
  if (rest != 0) std::memcpy(beat->data.data(), from, rest);
  beat->keep = Beat::keep_of(static_cast<int>(rest));
  beat->last = 1;
  beat->user = user;
  beat->meta = meta;
}

template <class Beat>
PacketRef<Beat> make_packet(std::span<const uint8_t> bytes, bool user = false,
                            const std::array<uint32_t, 6>& meta = {}) {
  PacketRef<Beat> packet = make_packet<Beat>();
  packet->beats.reserve(bytes.size() / sizeof(Beat::data) + 1);
  append_beats(packet->beats, bytes, user, meta);
  return packet;
}

/// The valid bytes of beats.
template <class Beat>
std::vector<uint8_t> bytes_of(std::span<const Beat> beats) {
  constexpr size_t kBytes = sizeof(Beat::data);
  std::vector<uint8_t> bytes(beats.size() * kBytes);
  size_t size = 0;
  for (const Beat& beat : beats) {
    std::memcpy(bytes.data() + size, beat.data.data(), kBytes);
    size += static_cast<size_t>(valid_bytes(beat));
  }
  bytes.resize(size);
  return bytes;
}

template <class Beat>
std::vector<uint8_t> bytes_of(const Packet<Beat>& packet) {
  return bytes_of(std::span<const Beat>(packet.beats));
}

}  // namespace gw::sim
