// The devices that are fed with frames: RTL, model and reference over stalls x traffic x seeds,
// and the cycles that their contracts promise.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstring>
#include <set>
#include <tuple>

#include "sim/base/error.h"
#include "tests/sanitized.h"
#include "tests/switch/support.h"

namespace gw::testbenches::testing::frames_test {
namespace {

namespace expether = reference::expether;

using Point =
    std::tuple<const char*, const char*, const char*, uint64_t>;  // device, stall, traffic, seed

class FrameMatrix : public ::testing::TestWithParam<Point> {};

TEST_P(FrameMatrix, EnginesAgreeInEveryCycleAndWithTheReference) {
  const auto& [name, stall, traffic, salt] = GetParam();
  // Few sequence numbers, so that they follow one another closely, and everything that goes wrong.
  sim::RunSpec spec = spec_of(name, {{"workers", std::to_string(1 + salt * 5 % 16)},
                                     {"iterations", "6"},
                                     {"sequences", "5"},
                                     {"loss", "15"},
                                     {"duplicate", "15"},
                                     {"reorder", "15"},
                                     {"malformed", "10"},
                                     {"foreign", "10"}});
  if (spec.options.knows("depth")) spec.options.set("depth", salt % 2 == 0 ? "1024" : "4");
  spec.seed = seed() * 1000 + salt;
  spec.stall = sim::StallSpec::parse(stall);
  const uint64_t frames = traffic == std::string("workers") ? 0 : 400;
  const sim::Outcome both = run_synth(name, traffic, frames, spec);
  EXPECT_GT(both.timeline.packets_out(), 30u);
  EXPECT_EQ(both.timeline.packets_out(), both.timeline.in[0].packets);
  for (const bool rtl : {true, false}) {
    sim::RunSpec one = spec;
    one.rtl = rtl;
    one.model = !rtl;
    const sim::Outcome alone = run_synth(name, traffic, frames, one);
    EXPECT_TRUE(same_passages(alone, both)) << (rtl ? "rtl" : "model");
    EXPECT_EQ(alone.statistics, both.statistics);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Devices, FrameMatrix,
    ::testing::Combine(::testing::Values("parser", "aggregator"),
                       ::testing::Values("none", "source:40", "sink:40", "both:40"),
                       ::testing::Values("anything", "workers", "gradient-192", "ordinary-60",
                                         "irregular"),
                       ::testing::Range<uint64_t>(1, 1 + (tests::kSanitized ? 1 : 6))),
    [](const ::testing::TestParamInfo<Point>& info) {
      std::string name = std::string(std::get<0>(info.param)) + "_" + std::get<1>(info.param) +
                         "_" + std::get<2>(info.param) + "_seed" +
                         std::to_string(std::get<3>(info.param));
      for (char& c : name) c = c == ':' || c == '-' ? '_' : c;
      return name;
    });

// Any interleaving, duplication and loss gives the reference's sums: many small orders, each
// checked frame by frame.
TEST(AggregatorProperty, AnyOrderOfFramesGivesTheReferencesSums) {
  sim::Random random(seed());
  for (int round = 0; round < 60; ++round) {
    sim::RunSpec spec =
        spec_of("aggregator", {{"workers", std::to_string(1 + random.below(16))}, {"depth", "3"}});
    spec.seed = seed() + static_cast<uint64_t>(round);
    spec.stall = sim::StallSpec::parse(round % 2 == 0 ? "none" : "both:30");
    std::vector<std::vector<uint8_t>> frames;
    for (int i = 0; i < 150; ++i) {
      std::vector<uint8_t> frame =
          gradient(random.below(4), static_cast<uint16_t>(random.below(17)), 1 + random.below(32),
                   0xFFFF'FFFE + static_cast<uint32_t>(i / 50) + random.below(2));
      for (size_t at = expether::kPayloadOffset; at + 4 <= frame.size(); at += 4) {
        const auto value = static_cast<uint32_t>(random.next());
        std::memcpy(&frame[at], &value, 4);
      }
      frames.push_back(std::move(frame));
    }
    run("aggregator", frames, spec);
    if (HasFailure()) return;
  }
}

/// Frames that are whole and right but for how many values they announce: 1 to 32 are taken, none
/// and more are not.
TEST(Count, OfValuesHasItsBounds) {
  std::vector<std::vector<uint8_t>> frames;
  std::vector<bool> good;
  for (const size_t count : {1, 2, 31, 32, 33, 34, 63, 64, 128, 255, 0}) {
    std::vector<uint8_t> frame = gradient(7, 0, 32);
    frame.resize(expether::kPayloadOffset + 4 * std::max<size_t>(count, 32), 0);
    frame[expether::kCountOffset] = static_cast<uint8_t>(count);
    frame[expether::kTlp4Offset + 3] =
        static_cast<uint8_t>(count);  // of its length; the upper two bits are zero
    frame[expether::kChecksumOffset] = frame[expether::kChecksumOffset + 1] = 0;
    const uint16_t sum = expether::checksum(frame);
    frame[expether::kChecksumOffset] = static_cast<uint8_t>(sum >> 8);
    frame[expether::kChecksumOffset + 1] = static_cast<uint8_t>(sum);
    const expether::Classified what = expether::classify(frame);
    const bool taken = count >= 1 && count <= 32;
    ASSERT_EQ(what.kind, taken ? expether::Kind::kGradient : expether::Kind::kMalformed) << count;
    ASSERT_EQ(what.reason, taken ? expether::Reason::kNone : expether::Reason::kCount) << count;
    frames.push_back(std::move(frame));
  }
  run("parser", frames, spec_of("parser"));
}

/// The port that a frame came in by is in the tuser that it leaves with.
TEST(Tuser, CarriesThePort) {
  class Ports final : public sim::PacketWriter {
   public:
    void write(const sim::Passage&, const std::vector<uint8_t>&) override { ++frames; }
    void close() override {}
    int frames = 0;
  } seen;
  std::vector<sim::RawPacket> packets;
  for (uint32_t port = 0; port < 4; ++port) {
    packets.push_back({.bytes = gradient(port, 0), .meta = port});
  }
  sim::ListSource source(packets);
  // The reference expects it; RTL and model, both told, have to agree.
  const sim::Outcome outcome =
      device("parser").run(source, spec_of("parser"), sim::Kernel::instance(), &seen);
  EXPECT_TRUE(outcome.passed) << explain(outcome.failure);
  EXPECT_EQ(seen.frames, 4);
  const reference::expether::Classified what = expether::classify(packets[3].bytes);
  EXPECT_EQ(reference::meta_of(what, 3)[4] >> 20, 3u);
}

// One processing element serves one port at line rate, not four: whatever waits in front of it,
// waits whole, and whole frames are dropped where they come in.
TEST(Switch, LosesNoBeatBehindAnOptimizerThatIsTooSlow) {
  sim::RunSpec spec = spec_of("switch", {{"pes", "1"}, {"profile", "fast"}, {"workers", "1"}});
  spec.rtl = false;
  const sim::Outcome outcome = run_synth("switch", "gradient-192", 1500, spec);
  EXPECT_GT(outcome.timeline.packets_out(), 600u);
  EXPECT_LT(outcome.timeline.packets_out(), 1200u);
}

TEST(Refused, WhatNoSwitchHas) {
  const auto refused = [](const std::string& name, const char* option, const char* value) {
    try {
      device(name).check(spec_of(name, {{option, value}}));
    } catch (const sim::UsageError& error) {
      return std::string(error.what());
    }
    return std::string("taken");
  };
  EXPECT_EQ(refused("aggregator", "workers", "17"), "--workers 17 is not between 1 and 16");
  EXPECT_EQ(refused("aggregator", "depth", "0"), "--depth 0 is not between 1 and 1024");
  EXPECT_EQ(refused("optimizer", "pes", "3"), "--pes 3 is not a power of two from 1 to 64");
  EXPECT_EQ(refused("optimizer", "pes", "128"), "--pes 128 is not between 1 and 64");
  EXPECT_EQ(refused("switch", "lr", "nan"), "--lr nan is not between -1e+30 and 1e+30");
  EXPECT_EQ(refused("switch", "beta1", "1.5"), "--beta1 1.5 is not between 0 and 1");
  EXPECT_EQ(refused("switch", "kind", "serial"), "--kind 'serial' is not pipelined or iterative");
  EXPECT_EQ(refused("switch", "loss", "101"), "--loss 101 is not between 0 and 100");
  // Each device has what it understands, and refuses the rest.
  EXPECT_THROW(spec_of("parser", {{"pes", "4"}}), sim::UsageError);
  EXPECT_THROW(spec_of("aggregator", {{"algorithm", "adam"}}), sim::UsageError);
  EXPECT_THROW(spec_of("optimizer", {{"depth", "4"}}), sim::UsageError);
  EXPECT_EQ(refused("parser", "workers", "2"), "taken");  // of the traffic
}

}  // namespace
}  // namespace gw::testbenches::testing::frames_test
