// What the tests of the quantisers share: chunks, runs.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <bit>
#include <cstring>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "sim/base/random.h"
#include "sim/feeds/source.h"
#include "sim/harness/kernel.h"
#include "sim/run/device.h"
#include "testbenches/quant/devices.h"
#include "testbenches/quant/options.h"
#include "testbenches/quant/ports.h"
#include "tests/support.h"

namespace gw::tests {

using Words = std::vector<uint32_t>;
using Settings = std::initializer_list<std::pair<const char*, std::string>>;

inline const sim::Device& quantiser(const std::string& name) {
  static const sim::Registry kRegistry = [] {
    sim::Registry registry;
    testbenches::add_quant_devices(registry);
    return registry;
  }();
  return kRegistry.device(name);
}
inline const sim::Device& mx() { return quantiser("mx"); }

/// A memory of 64 rows, so that reset is short and rows come again.
inline sim::RunSpec spec_of(const sim::Device& device, Settings settings = {}) {
  sim::RunSpec spec;
  spec.seed = seed();
  spec.clock_mhz = device.facts().clock_mhz;
  spec.cache = GW_TEST_CACHE;
  spec.quick_build = true;
  spec.options = sim::OptionSet(device.facts().options);
  if (spec.options.knows("rows")) spec.options.set("rows", "64");
  for (const auto& [option, value] : settings) spec.options.set(option, value);
  spec.keep_rows = true;
  return spec;
}
inline sim::RunSpec mx_spec(Settings settings = {}) { return spec_of(mx(), settings); }

inline uint32_t bits(float value) { return std::bit_cast<uint32_t>(value); }

/// A chunk as it is announced.
inline sim::RawPacket chunk(const Words& values, const sim::RunSpec& spec, uint32_t row = 0,
                            const sim::Device& device = mx()) {
  sim::RawPacket packet;
  packet.bytes.resize(4 * values.size());
  if (!values.empty()) std::memcpy(packet.bytes.data(), values.data(), packet.bytes.size());
  packet.own_config = true;
  packet.config = device.packet_config(spec);
  packet.meta = testbenches::ChunkUser::word(row, static_cast<uint32_t>(values.size()));
  return packet;
}

inline sim::RawPacket announced(sim::RawPacket packet, uint32_t n) {
  const auto row = static_cast<uint32_t>(packet.meta) & testbenches::ChunkUser::kRowMask;
  packet.meta = testbenches::ChunkUser::word(row, n);
  return packet;
}

/// A gradient of a trained network, mostly; `odd` of a hundred are zeros, subnormal or not finite.
inline uint32_t gradient_of(sim::Random& random, uint32_t odd = 0) {
  const auto any = static_cast<uint32_t>(random.next());
  const uint32_t draw = random.below(100);
  if (draw >= odd) return (any & 0x807F'FFFF) | (100 + random.below(30)) << 23;
  switch (random.below(8)) {
    case 0:
      return any & 0x8000'0000;
    case 1:
      return any & 0x807F'FFFF;
    case 2:
      return (any & 0x807F'FFFF) | 254u << 23;
    case 3:
      return (any & 0x807F'FFFF) | 1u << 23;
    case 4:
      return (any & 0x8000'0000) | 255u << 23;
    case 5:
      return any | 255u << 23;
    default:
      return any;
  }
}

inline Words gradients_of(size_t count, sim::Random& random, uint32_t odd = 0) {
  Words values(count);
  for (uint32_t& value : values) value = gradient_of(random, odd);
  return values;
}

/// Keeps what leaves.
class Kept final : public sim::PacketWriter {
 public:
  void write(const sim::Passage&, const std::vector<uint8_t>& bytes) override {
    packets.push_back(bytes);
  }
  void close() override {}
  std::vector<std::vector<uint8_t>> packets;
};

inline sim::Outcome run(std::vector<sim::RawPacket> packets, const sim::RunSpec& spec,
                        Kept* kept = nullptr, const sim::Device& device = mx()) {
  const size_t count = packets.size();
  sim::ListSource source(std::move(packets));
  sim::Outcome outcome = device.run(source, spec, sim::Kernel::instance(), kept);
  EXPECT_TRUE(outcome.passed) << explain(outcome.failure);
  if (outcome.passed) EXPECT_EQ(outcome.timeline.packets_out(), count);
  return outcome;
}

}  // namespace gw::tests
