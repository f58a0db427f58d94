// Streams that no compressor made: cut, corrupted, random. No hang, no crash, the fault is flagged
// and counted, and the packet after it is right. The harness compares every beat with the
// reference, whatever the bytes are.
#include <gtest/gtest.h>

#include "models/reference/codec.h"
#include "sim/harness/kernel.h"
#include "tests/devices/support.h"

namespace gw::tests {
namespace {

using Bytes = std::vector<uint8_t>;

Bytes encoded(size_t values, sim::Random& random, const reference::CodecConfig& config) {
  Bytes bytes;
  const sim::GradientPacket packet = packet_of(values, random);
  reference::encode(std::span<const uint32_t>(packet.values), config, bytes);
  return bytes;
}

void run(const char* name, const std::vector<Bytes>& packets, const char* stall = "none") {
  const sim::StreamDevice& device = sim::stream_device(name);
  sim::RunSpec spec;
  spec.seed = seed();
  spec.stall = sim::StallSpec::parse(stall);
  const sim::Stimulus stimulus = device.stimulus_from_bytes(packets, spec);
  const sim::Outcome outcome = device.run(stimulus, spec, sim::Kernel::instance());
  ASSERT_TRUE(outcome.passed) << name << " " << stall << ": " << explain(outcome.failure);
}

TEST(Streams, EveryTruncationOfACompressedPacket) {
  sim::Random random(seed());
  const reference::CodecConfig config;
  for (const char* stall : {"none", "both:30"}) {
    std::vector<Bytes> packets;
    for (int repeat = 0; repeat < 4; ++repeat) {
      const Bytes whole = encoded(40, random, config);
      for (size_t n = 1; n <= whole.size(); ++n) {
        packets.emplace_back(whole.begin(), whole.begin() + static_cast<ptrdiff_t>(n));
        packets.push_back(encoded(9, random, config));  // the packet after it is whole
      }
    }
    run("decompressor", packets, stall);
  }
}

TEST(Streams, FlippedBits) {
  sim::Random random(seed() + 1);
  const reference::CodecConfig config;
  std::vector<Bytes> packets;
  for (int i = 0; i < 500; ++i) {
    Bytes bytes = encoded(1 + random.below(80), random, config);
    for (uint32_t flips = 1 + random.below(8); flips > 0; --flips) {
      bytes[random.below(static_cast<uint32_t>(bytes.size()))] ^=
          static_cast<uint8_t>(1u << random.below(8));
    }
    packets.push_back(std::move(bytes));
    packets.push_back(encoded(9, random, config));
  }
  run("decompressor", packets);
  run("decompressor", packets, "both:40");
}

TEST(Streams, RandomBytes) {
  sim::Random random(seed() + 2);
  std::vector<Bytes> packets;
  for (int i = 0; i < 1000; ++i) {
    Bytes bytes(1 + random.below(200));
    for (uint8_t& b : bytes) b = static_cast<uint8_t>(random.next());
    packets.push_back(std::move(bytes));
  }
  run("decompressor", packets);
  run("decompressor", packets, "source:50");
  run("decompressor", packets, "sink:50");
}

TEST(Streams, OnlyRawTags) {
  // Groups of 34 bytes begin at every byte of a beat, also where they span three.
  sim::Random random(seed() + 3);
  std::vector<Bytes> packets;
  for (int lead = 0; lead < 33; ++lead) {
    Bytes bytes;
    for (int i = 0; i < lead; ++i)
      bytes.insert(bytes.end(), {0x01, 0x00, 0x40});  // one BYTE value: 3 bytes
    for (int i = 0; i < 40; ++i) {
      bytes.insert(bytes.end(), {0xFF, 0xFF});
      for (int b = 0; b < 32; ++b) bytes.push_back(static_cast<uint8_t>(random.next()));
    }
    packets.push_back(std::move(bytes));
  }
  for (const char* stall : {"none", "source:50", "sink:50", "both:70"})
    run("decompressor", packets, stall);
}

TEST(Streams, FloatsThatAreCutAreFlagged) {
  sim::Random random(seed() + 4);
  std::vector<Bytes> packets;
  for (size_t n = 1; n <= 130; ++n) {
    Bytes bytes(n);
    for (uint8_t& b : bytes) b = static_cast<uint8_t>(random.next());
    packets.push_back(std::move(bytes));
  }
  run("compressor", packets);
  run("compressor", packets, "both:50");
}

TEST(Streams, ADeviceCountsItsBadPackets) {
  const reference::CodecConfig config;
  sim::Random random(seed() + 5);
  const sim::StreamDevice& device = sim::stream_device("decompressor");
  sim::RunSpec spec;
  const Bytes good = encoded(16, random, config);
  const Bytes cut(good.begin(), good.end() - 1);
  const sim::Stimulus stimulus = device.stimulus_from_bytes({good, cut, good, cut, cut}, spec);
  uint64_t flagged = 0;
  for (const Beat& beat : stimulus.expected.beats) flagged += beat.last & beat.user;
  EXPECT_EQ(flagged, 3u);
  EXPECT_TRUE(device.run(stimulus, spec, sim::Kernel::instance()).passed);
}

}  // namespace
}  // namespace gw::tests
