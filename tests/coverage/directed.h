// Packets that no stimulus of the program makes: in error, cut, of lengths that no host sends. They
// reach what is left of the coverage tables.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "models/reference/codec.h"
#include "models/reference/expether/frame.h"
#include "sim/base/random.h"
#include "sim/feeds/source.h"

namespace gw::tests {

/// A run of them.
struct Directed {
  std::string device, stall;
  std::vector<std::pair<std::string, std::string>> options = {};
  std::vector<sim::RawPacket> packets;
};

/// A value of any class, often where one ends.
inline uint32_t any_value(sim::Random& random) {
  const auto bits = static_cast<uint32_t>(random.next());
  const auto with_exponent = [&](uint32_t e) { return (bits & 0x807F'FFFF) | e << 23; };
  switch (random.below(8)) {
    case 0:
      return bits & 0x8000'0000;
    case 1:
      return with_exponent(0);
    case 2:
      return with_exponent(255);
    case 3:
      return (bits & 0x8000'0000) | 0x7F80'0000;
    case 4:
      return with_exponent(127 + random.below(128));
    case 5:
      return with_exponent(1 + random.below(112));
    case 6:
      return ((113 + random.below(15)) << 23) + random.below(3) - 1;
    default:
      return with_exponent(113 + random.below(14));
  }
}

/// Bound and mode, another in each packet.
inline sim::PacketConfig any_config(sim::Random& random) {
  return {1 + random.below(14), random.below(2)};
}

/// Floats, in error or cut in every other packet.
inline sim::RawPacket odd_floats(sim::Random& random) {
  sim::RawPacket packet;
  packet.own_config = true;
  packet.config = any_config(random);
  packet.bytes.resize(4 * (1 + random.below(random.below(8) == 0 ? 300 : 40)));
  for (size_t at = 0; at < packet.bytes.size(); at += 4) {
    const uint32_t value = any_value(random);
    std::memcpy(&packet.bytes[at], &value, 4);
  }
  if (random.below(3) == 0) packet.bytes.resize(packet.bytes.size() - 1 - random.below(3));
  packet.error = random.below(4) == 0;
  return packet;
}

/// Chunks of which some come otherwise than announced, at few rows.
inline sim::RawPacket odd_chunk(sim::Random& random) {
  sim::RawPacket packet = odd_floats(random);
  packet.config = {random.below(2), random.below(2)};
  uint32_t n = static_cast<uint32_t>((packet.bytes.size() + 3) / 4);
  switch (random.below(8)) {
    case 0:
      n = random.below(100);
      break;
    case 1:
      n += random.below(9);
      break;
    case 2:
      n -= random.below(std::min(n, 9u));
      break;
    default:
      break;
  }
  const uint32_t row = random.below(20) == 0 ? 8192 - random.below(20) : random.below(3) * 512;
  packet.meta = row | uint64_t{n} << 32;
  packet.gap = random.below(3) == 0 ? random.below(40) : 0;
  return packet;
}

/// A chunk of which some values are sent, all alike, so far from one another that Rice code of
/// `adaptive` has any k and any gap.
inline sim::RawPacket sparse_chunk(sim::Random& random) {
  const uint32_t k = random.below(12);
  const uint32_t most = 8192 / (3u << k);  // values sent that still make k
  const uint32_t sent = random.below(20) == 0 ? 0 : 1 + random.below(std::min(most, 60u));
  const uint32_t least = std::max(1u, ((3 * sent << k) + 1) / 2);
  const uint32_t n = std::max(sent, std::min(4096u, least + random.below((3 * sent << k) / 2 + 1)));
  // One long gap, before an entry or behind the last; what is left over comes first.
  static constexpr uint32_t kQuotients[] = {0, 1, 13, 14, 15, 16};
  const uint32_t free = n - sent;
  const uint32_t gap = std::min(free, (kQuotients[random.below(6)] << k) + random.below(1u << k));
  const uint32_t place = random.below(3) == 0 ? sent : random.below(sent + 1);
  std::vector<uint32_t> values(n);
  const uint32_t negatives =
      std::array{0u, sent, 1u, sent - std::min(sent, 1u), random.below(sent + 1)}[random.below(5)];
  uint32_t at = random.below(4) == 0 ? 0 : free - gap;
  for (uint32_t entry = 0; entry < sent; ++entry) {
    if (entry == place) at += gap;
    values[at++] = 0x3F80'0000 | (entry < negatives ? 0x8000'0000 : 0);
  }
  sim::RawPacket packet;
  packet.bytes.resize(4 * size_t{n});
  std::memcpy(packet.bytes.data(), values.data(), packet.bytes.size());
  packet.meta = uint64_t{n} << 32;
  return packet;
}

/// Groups of any codes, also of those that no compressor makes; in error or cut in every other
/// packet, now and then without a byte.
inline sim::RawPacket odd_groups(sim::Random& random) {
  sim::RawPacket packet;
  packet.own_config = true;
  packet.config = any_config(random);
  std::vector<uint8_t>& bytes = packet.bytes;
  const uint32_t raw = random.below(9);  // of eight lanes
  size_t last = 0;
  for (uint32_t group = 1 + random.below(random.below(8) == 0 ? 60 : 8); group > 0; --group) {
    last = bytes.size();
    uint32_t tags = 0;
    for (int lane = 0; lane < 8; ++lane) {
      tags |= (random.below(8) < raw ? 3 : random.below(4)) << (2 * lane);
    }
    bytes.push_back(static_cast<uint8_t>(tags));
    bytes.push_back(static_cast<uint8_t>(tags >> 8));
    for (int lane = 0; lane < 8; ++lane) {
      const uint32_t tag = tags >> (2 * lane) & 3;
      uint32_t payload = tag == 3 ? any_value(random) : static_cast<uint32_t>(random.next());
      if (tag != 3 && random.below(3) == 0) payload &= 0x8080;  // no bits, or a sign alone
      // Bytes of ones: each reads as the tags of four RAW lanes.
      if (raw == 8 && group % 2 == 0) payload = ~uint32_t{0};
      for (uint32_t byte = 0; byte < (tag == 3 ? 4 : tag); ++byte) {
        bytes.push_back(static_cast<uint8_t>(payload >> (8 * byte)));
      }
    }
  }
  switch (random.below(8)) {
    case 0:
      bytes.resize(last + 1);
      break;
    case 1:
      bytes.resize(last + 2 + random.below(static_cast<uint32_t>(bytes.size() - last - 1)));
      break;
    case 2:
      if (random.below(4) == 0) bytes.clear();
      packet.hostile = bytes.empty();  // tkeep = 0 breaks the profile
      break;
    case 3:
      packet.error = true;
      break;
    default:
      break;
  }
  return packet;
}

/// Frames of any length from one byte on, in error or not, on four ports; `gap`: of a port between
/// two, at most, in nanoseconds.
inline std::vector<sim::RawPacket> odd_frames(size_t count, uint32_t gap, sim::Random& random) {
  std::vector<sim::RawPacket> all;
  std::array<int64_t, 4> free{};
  while (all.size() < count) {
    // The port that is farthest behind: times never fall.
    const auto port =
        static_cast<uint32_t>(std::min_element(free.begin(), free.end()) - free.begin());
    sim::RawPacket packet;
    packet.port = port;
    packet.time_ns = free[port];
    reference::expether::Header header;
    header.destination = 0x0200'0000'0001 + random.below(4);
    header.source = 0x0200'0000'0001 + port;
    header.group = 1;
    header.worker = static_cast<uint16_t>(random.below(3));
    header.sequence = random.below(16);
    header.iteration = 1 + static_cast<uint32_t>(all.size() / 64);
    std::vector<uint32_t> values(1 + random.below(32), 0x3F80'0000);
    packet.bytes = reference::expether::build_gradient(header, values);
    const uint32_t what = random.below(8);
    if (what == 0) packet.bytes.resize(1 + random.below(59));
    if (what == 1) packet.bytes.resize(9019 + random.below(40));
    if (what == 2) packet.bytes.resize(60 + random.below(200));
    packet.error = what == 3;
    const double wire = (static_cast<double>(packet.bytes.size()) + 24) * 0.8;
    free[port] += static_cast<int64_t>(wire) + 1 + random.below(gap);
    all.push_back(std::move(packet));
  }
  return all;
}

inline std::vector<Directed> directed_runs(uint64_t seed) {
  sim::Random random(seed);
  std::vector<Directed> all;
  for (const char* stall : {"none", "source:40", "sink:60", "both:30"}) {
    for (const std::string device : {"compressor", "codec_loop", "decompressor", "mx"}) {
      Directed run{.device = device, .stall = stall, .packets = {}};
      for (int i = 0; i < 6'000; ++i) {
        run.packets.push_back(device == "decompressor" ? odd_groups(random)
                              : device == "mx"         ? odd_chunk(random)
                                                       : odd_floats(random));
      }
      all.push_back(std::move(run));
    }
  }
  for (const uint32_t gap : {1u, 100u, 5000u}) {
    all.push_back({.device = "switch",
                   .stall = "sink:30",
                   .options = {{"pes", "2"}},
                   .packets = odd_frames(2'000, gap, random)});
  }
  for (const char* stall : {"none", "source:40", "sink:60", "both:30"}) {
    for (const std::string device : {"threshold", "onebit", "adaptive"}) {
      Directed run{.device = device, .stall = stall, .packets = {}};
      for (int i = 0; i < 6'000; ++i) {
        const bool sparse = device == "adaptive" && random.below(8) == 0;
        run.packets.push_back(sparse ? sparse_chunk(random) : odd_chunk(random));
        if (device == "adaptive") {
          run.packets.back().config = {
              random.below(16) == 0 ? random.below(16) : 1 + random.below(10), random.below(2),
              sparse ? 0 : random.below(2)};
        }
        if (device != "threshold") continue;
        // T about where the values are.
        run.packets.back().config = {random.below(16) == 0 ? 0 : 1 + random.below(3),
                                     random.below(2), (110 + random.below(30)) << 23,
                                     random.below(2)};
      }
      all.push_back(std::move(run));
    }
  }
  return all;
}

}  // namespace gw::tests
