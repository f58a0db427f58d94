// Compressor and decompressor in a chain: what comes back is what a link makes of gradients.
// SPDX-License-Identifier: Apache-2.0
#include <bit>
#include <cmath>

#include "sim/feeds/stimulus.h"
#include "tests/codec/support.h"

namespace gw::tests::loop_test {
namespace {

TEST(Loop, GivesBackEveryValueWithinTheBound) {
  sim::Random random(seed());
  for (int k = 1; k <= 14; ++k) {
    const reference::CodecConfig config{.bound_exponent = k};
    std::vector<Values> packets;
    std::vector<sim::RawPacket> raw;
    for (int p = 0; p < 20; ++p) {
      packets.push_back(values_of(1 + random.below(60), random));
      raw.push_back(gradients("codec_loop", packets.back(), config));
    }
    Kept kept;
    run("codec_loop", std::move(raw), spec_of("codec_loop", {{"bound", std::to_string(k)}}), &kept);
    ASSERT_EQ(kept.packets.size(), packets.size());
    for (size_t p = 0; p < packets.size(); ++p) {
      // Whole groups come back: the lanes that were missing are +0.
      ASSERT_EQ(kept.packets[p].size(), (packets[p].size() + 7) / 8 * 32);
      Values back(kept.packets[p].size() / 4);
      std::memcpy(back.data(), kept.packets[p].data(), kept.packets[p].size());
      for (size_t i = 0; i < back.size(); ++i) {
        if (i >= packets[p].size()) {
          ASSERT_EQ(back[i], 0u);
          continue;
        }
        const uint32_t bits = packets[p][i];
        const double x = std::bit_cast<float>(bits), y = std::bit_cast<float>(back[i]);
        if ((bits >> 23 & 0xFF) >= 127) {
          ASSERT_EQ(back[i], bits) << "RAW values come back bit for bit";
        } else {
          ASSERT_LT(std::abs(x - y), std::ldexp(1.0, -k)) << std::hex << bits;
          if (back[i] != 0) ASSERT_EQ(back[i] >> 31, bits >> 31) << std::hex << bits;
        }
      }
    }
  }
}

// What the two devices make of the same packets, one after the other, by themselves.
TEST(Loop, IsTheTwoDevicesBehindEachOther) {
  sim::Random random(seed() + 1);
  std::vector<sim::RawPacket> in;
  for (int p = 0; p < 100; ++p) {
    in.push_back(packet_of(random_bytes(1 + random.below(300), random), {}, p % 7 == 0));
  }
  Kept through, compressed, decompressed;
  run("codec_loop", in, spec_of("codec_loop"), &through);
  run("compressor", in, spec_of("compressor"), &compressed);
  std::vector<sim::RawPacket> between;
  for (const Bytes& bytes : compressed.packets) between.push_back(packet_of(bytes));
  run("decompressor", between, spec_of("decompressor"), &decompressed);
  EXPECT_EQ(through.packets, decompressed.packets);
}

// Each packet has a bound and a mode of its own, which the chain hands on with it. A reset meets
// packets on their way between the two, and nothing of them is left.
TEST(Loop, AResetForgetsTheConfigurationsOfPacketsOnTheirWay) {
  sim::Random random(seed() + 3);
  std::vector<sim::RawPacket> in;
  for (int p = 0; p < 120; ++p) {
    const reference::CodecConfig config{
        .bound_exponent = static_cast<int>(1 + random.below(14)),
        .mode = random.below(2) == 0 ? reference::Mode::kBounded : reference::Mode::kPaper};
    in.push_back(gradients("codec_loop", values_of(1 + random.below(40), random, 10), config));
    in.back().own_config = true;
  }
  sim::RunSpec spec = spec_of("codec_loop");
  spec.stimulus.recorded = std::make_shared<const sim::Stimulus>(sim::Stimulus{"", in, {}});
  spec.stall = sim::StallSpec::parse("both:30");
  Kept plain_bytes;
  const sim::Outcome plain = run("codec_loop", in, spec, &plain_bytes);
  for (const uint64_t cycles : {1u, 20u, 33u, 50u, 77u, 100u, 250u, 10'000u}) {
    SCOPED_TRACE(cycles);
    spec.reset_after = cycles;
    Kept kept;
    const sim::Outcome behind = run("codec_loop", in, spec, &kept);
    ASSERT_FALSE(HasFailure());
    EXPECT_EQ(kept.packets, plain_bytes.packets);
    EXPECT_EQ(behind.timeline.rows, plain.timeline.rows);
    EXPECT_EQ(behind.timeline.cycles, plain.timeline.cycles);
  }
}

TEST(Loop, NothingIsLostUnderBackpressure) {
  for (const char* stall : {"source:50", "sink:50", "sink:95", "both:70"}) {
    sim::RunSpec spec = spec_of("codec_loop");
    spec.stall = sim::StallSpec::parse(stall);
    sim::Random random(seed() + 2);
    std::vector<sim::RawPacket> in;
    for (int p = 0; p < 200; ++p) {
      in.push_back(gradients("codec_loop", values_of(1 + random.below(50), random, 50)));
    }
    run("codec_loop", in, spec);
    ASSERT_FALSE(HasFailure()) << stall;
  }
}

}  // namespace
}  // namespace gw::tests::loop_test
