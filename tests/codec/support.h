// What the tests of the codec's devices share: devices by name, packets of chosen lengths and
// classes, runs.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "models/reference/codec.h"
#include "sim/base/random.h"
#include "sim/feeds/source.h"
#include "sim/harness/kernel.h"
#include "sim/run/device.h"
#include "testbenches/codec/devices.h"
#include "testbenches/codec/options.h"
#include "tests/support.h"

namespace gw::tests {

using Bytes = std::vector<uint8_t>;
using Values = std::vector<uint32_t>;

inline const sim::Device& device(const std::string& name) {
  static const sim::Registry kRegistry = [] {
    sim::Registry registry;
    testbenches::add_codec_devices(registry);
    return registry;
  }();
  return kRegistry.device(name);
}

using Settings = std::initializer_list<std::pair<const char*, std::string>>;

inline sim::RunSpec spec_of(const std::string& name, Settings settings = {}) {
  sim::RunSpec spec;
  spec.seed = seed();
  spec.clock_mhz = device(name).facts().clock_mhz;
  spec.options = sim::OptionSet(device(name).facts().options);
  for (const auto& [option, value] : settings) spec.options.set(option, value);
  spec.keep_rows = true;
  return spec;
}

/// A value of a random class; `raw_percent` of them RAW.
inline uint32_t value_of(sim::Random& random, uint32_t raw_percent = 20) {
  const uint32_t r = static_cast<uint32_t>(random.next());
  const uint32_t draw = random.below(100);
  const auto with_exponent = [r](uint32_t e) { return (r & 0x807FFFFFu) | (e << 23); };
  if (draw < raw_percent) return with_exponent(127 + random.below(129));
  if (draw < raw_percent + 5) return r & 0x80000000u;
  if (draw < 60) return with_exponent(random.below(113));
  return with_exponent(113 + random.below(14));
}

inline Values values_of(size_t count, sim::Random& random, uint32_t raw_percent = 20) {
  Values values;
  for (size_t i = 0; i < count; ++i) values.push_back(value_of(random, raw_percent));
  return values;
}

inline Bytes random_bytes(size_t count, sim::Random& random) {
  Bytes bytes(count);
  for (uint8_t& b : bytes) b = static_cast<uint8_t>(random.next() >> 56);
  return bytes;
}

inline Bytes floats(const Values& values) {
  Bytes bytes(values.size() * 4);
  if (!bytes.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

inline Bytes encoded(const Values& values, const reference::CodecConfig& config = {}) {
  Bytes bytes;
  reference::encode(std::span<const uint32_t>(values), config, bytes);
  return bytes;
}

inline sim::RawPacket packet_of(Bytes bytes, const reference::CodecConfig& config = {},
                                bool error = false) {
  sim::RawPacket packet;
  packet.bytes = std::move(bytes);
  packet.own_config = true;
  packet.config = testbenches::packet_config(config);
  packet.error = error;
  return packet;
}

/// Gradients as the device takes them: floats, or encoded groups.
inline sim::RawPacket gradients(const std::string& name, const Values& values,
                                const reference::CodecConfig& config = {}) {
  sim::RawPacket packet =
      packet_of(name == "decompressor" ? encoded(values, config) : floats(values), config);
  packet.values = values;
  return packet;
}

/// Keeps what leaves.
class Kept final : public sim::PacketWriter {
 public:
  void write(const sim::Passage&, const Bytes& bytes) override { packets.push_back(bytes); }
  void close() override {}
  std::vector<Bytes> packets;
};

inline sim::Outcome run(const std::string& name, std::vector<sim::RawPacket> packets,
                        const sim::RunSpec& spec, Kept* kept = nullptr) {
  const size_t count = packets.size();
  sim::ListSource source(std::move(packets));
  sim::Outcome outcome = device(name).run(source, spec, sim::Kernel::instance(), kept);
  EXPECT_TRUE(outcome.passed) << name << ": " << explain(outcome.failure);
  if (outcome.passed) EXPECT_EQ(outcome.timeline.packets_out(), count) << name;
  return outcome;
}

}  // namespace gw::tests
