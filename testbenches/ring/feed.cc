// SPDX-License-Identifier: Apache-2.0
#include "testbenches/ring/feed.h"

#include <algorithm>
#include <bit>

#include "sim/base/random.h"

namespace gw::testbenches {

std::vector<uint8_t> RingFeed::values(const RingLoad& load, uint32_t node, uint64_t number) {
  const uint64_t within = number % load.chunks() * load.chunk;
  std::vector<uint8_t> bytes(std::min<uint64_t>(load.chunk, load.bytes - within));
  sim::Random random(load.seed, "gradient", number * RingPorts::kMost + node);
  for (size_t at = 0; at < bytes.size(); at += 4) {
    // About normal with a deviation of 2^-7: the sum of four draws.
    double sum = -2;
    for (int draw = 0; draw < 4; ++draw) sum += random.unit();
    auto word = std::bit_cast<uint32_t>(static_cast<float>(sum / 64));
    if (load.irregular && random.below(2) == 0) {
      word = static_cast<uint32_t>(random.next());
      if (random.below(4) == 0) word &= 0x807F'FFFF;  // subnormal, or zero
      if (random.below(8) == 0) word |= 0x7F80'0000;  // infinite, or NaN
    }
    for (size_t i = 0; i < 4; ++i) bytes[at + i] = static_cast<uint8_t>(word >> 8 * i);
  }
  return bytes;
}

RingFeed::Next RingFeed::next(size_t port, uint64_t cycle) {
  const bool there = port < load_.nodes;
  if (!there || next_[port] == load_.operations * load_.chunks()) return {};
  if (port < load_.skew.size() && cycle < load_.skew[port]) return {State::kNotYet, {}};
  const uint64_t number = next_[port]++;
  auto packet = sim::make_packet<Beat>(values(load_, static_cast<uint32_t>(port), number));
  packet->id = number * load_.nodes + port;
  packet->port = static_cast<uint32_t>(port);
  return {State::kPacket, std::move(packet)};
}

}  // namespace gw::testbenches
