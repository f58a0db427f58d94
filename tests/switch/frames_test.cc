// The devices that are fed with frames: RTL, model and reference over stalls x traffic x seeds,
// and the cycles that their contracts promise.
#include <gtest/gtest.h>

#include <cstring>
#include <set>
#include <tuple>

#include "models/reference/expether/frame.h"
#include "sim/base/error.h"
#include "sim/harness/kernel.h"
#include "sim/run/run.h"
#include "sim/feeds/frames.h"
#include "tests/devices/support.h"

namespace gw::tests {
namespace {

namespace expether = reference::expether;

std::vector<std::vector<uint8_t>> bytes_of(const sim::FrameSource& source) {
  std::vector<std::vector<uint8_t>> frames;
  for (const sim::Frame& frame : source.frames) frames.push_back(frame.bytes);
  return frames;
}

/// Few sequence numbers, so that they follow one another closely, and everything that goes wrong.
sim::TrafficOptions rough_traffic(int workers) {
  sim::TrafficOptions traffic;
  traffic.workers = workers;
  traffic.iterations = 6;
  traffic.sequences = 5;
  traffic.loss = traffic.duplicate = traffic.reorder = 15;
  traffic.malformed = traffic.foreign = 10;
  return traffic;
}

using Point =
    std::tuple<const char*, const char*, const char*, uint64_t>;  // device, stall, traffic, seed

class FrameMatrix : public testing::TestWithParam<Point> {};

TEST_P(FrameMatrix, EnginesAgreeInEveryCycleAndWithTheReference) {
  const auto& [name, stall, traffic, salt] = GetParam();
  const sim::StreamDevice& device = sim::stream_device(name);
  sim::RunSpec spec;
  spec.seed = seed() * 1000 + salt;
  spec.stall = sim::StallSpec::parse(stall);
  spec.clock_mhz = device.clock_mhz();
  spec.network.workers = 1 + static_cast<int>(salt * 5 % 16);
  spec.network.depth = salt % 2 == 0 ? sim::kNetworkDepth : 4;
  sim::TrafficOptions options = rough_traffic(spec.network.workers);
  const auto frames = bytes_of(sim::synthesise_frames(
      traffic, spec.seed, traffic == std::string("workers") ? 0 : 400, options));
  const sim::Stimulus stimulus = device.stimulus_from_bytes(frames, spec);
  sim::Kernel& kernel = sim::Kernel::instance();

  const sim::Outcome both = device.run(stimulus, spec, kernel);
  ASSERT_TRUE(both.passed) << explain(both.failure);
  EXPECT_EQ(both.counters.input_beats, stimulus.input.beats.size());
  EXPECT_EQ(both.counters.output_beats, stimulus.expected.beats.size());
  for (const bool rtl : {true, false}) {
    sim::RunSpec one = spec;
    one.rtl = rtl;
    one.model = !rtl;
    const sim::Outcome alone = device.run(stimulus, one, kernel);
    ASSERT_TRUE(alone.passed) << (rtl ? "rtl: " : "model: ") << explain(alone.failure);
    EXPECT_EQ(alone.accept_cycles, both.accept_cycles);
    EXPECT_EQ(alone.offer_cycles, both.offer_cycles);
    EXPECT_EQ(alone.statistics, both.statistics);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Devices, FrameMatrix,
    testing::Combine(testing::Values("parser", "aggregator"),
                     testing::Values("none", "source:40", "sink:40", "both:40"),
                     testing::Values("anything", "workers", "gradient-192", "ordinary-60"),
                     testing::Range<uint64_t>(1, 7)),
    [](const testing::TestParamInfo<Point>& info) {
      std::string name = std::string(std::get<0>(info.param)) + "_" + std::get<1>(info.param) +
                         "_" + std::get<2>(info.param) + "_seed" +
                         std::to_string(std::get<3>(info.param));
      for (char& c : name) c = c == ':' || c == '-' ? '_' : c;
      return name;
    });

/// A gradient frame with `count` values.
std::vector<uint8_t> gradient(uint32_t sequence, uint16_t worker, size_t count = 32,
                              uint32_t iteration = 1) {
  expether::Header header;
  header.destination = 0x020000000001;
  header.source = 0x020000000002;
  header.tci = 10;
  header.group = 1;
  header.sequence = sequence;
  header.worker = worker;
  header.iteration = iteration;
  return expether::build_gradient(header, std::vector<uint32_t>(count, 0x3F80'0000));
}

sim::Outcome run(const char* name, const std::vector<std::vector<uint8_t>>& frames,
                 const sim::RunSpec& spec) {
  const sim::StreamDevice& device = sim::stream_device(name);
  const sim::Outcome outcome =
      device.run(device.stimulus_from_bytes(frames, spec), spec, sim::Kernel::instance());
  EXPECT_TRUE(outcome.passed) << explain(outcome.failure);
  return outcome;
}

TEST(FrameFigures, ParserTakesFourCyclesFromTheDecidingBeatAndNeverPauses) {
  const std::vector<std::vector<uint8_t>> frames(20, gradient(0, 0));
  const sim::Outcome outcome = run("parser", frames, {});
  EXPECT_EQ(outcome.offer_cycles[0], 9u);
  EXPECT_EQ(outcome.counters.last_output, 9u + 20 * 6 - 1);
  for (size_t p = 1; p < frames.size(); ++p) {
    EXPECT_EQ(outcome.offer_cycles[p], outcome.offer_cycles[p - 1] + 6);
  }
}

TEST(FrameFigures, AggregatorLetsDifferentSequencesFollowWithoutAGap) {
  std::vector<std::vector<uint8_t>> frames;
  for (uint32_t s = 0; s < 20; ++s) frames.push_back(gradient(s, 0));
  const sim::Outcome outcome = run("aggregator", frames, {});
  EXPECT_EQ(outcome.offer_cycles[0], 9u + 9);  // the parser's, and AddLatency + 4
  EXPECT_EQ(outcome.counters.last_output, 9u + 9 + 20 * 6 - 1);
}

TEST(FrameFigures, AggregatorSpacesOneSequenceByTheAdder) {
  std::vector<std::vector<uint8_t>> frames;
  for (uint16_t w = 0; w < 8; ++w) frames.push_back(gradient(7, w));
  sim::RunSpec spec;
  spec.network.workers = 8;
  const sim::Outcome outcome = run("aggregator", frames, spec);
  for (size_t p = 1; p < frames.size(); ++p) {
    EXPECT_EQ(outcome.offer_cycles[p], outcome.offer_cycles[p - 1] + 8);  // AddLatency + 3
  }
  EXPECT_EQ(outcome.statistics.back(), 2u * 7);  // interlock cycles: 8 instead of 6, seven times
}

TEST(FrameFigures, EveryKindAndReasonOccursInTheMatrix) {
  const auto source = sim::synthesise_frames("anything", seed(), 400, rough_traffic(3));
  std::set<expether::Kind> kinds;
  std::set<expether::Reason> reasons;
  for (const sim::Frame& frame : source.frames) {
    const auto what = expether::classify(frame.bytes);
    kinds.insert(what.kind);
    reasons.insert(what.reason);
  }
  EXPECT_EQ(kinds.size(), expether::kKindCount);
  EXPECT_EQ(reasons.size(), expether::kReasonCount);
}

// Any interleaving, duplication and loss gives the reference's sums: many small orders, each
// checked frame by frame.
TEST(AggregatorProperty, AnyOrderOfFramesGivesTheReferencesSums) {
  sim::Random random(seed());
  for (int round = 0; round < 60; ++round) {
    sim::RunSpec spec;
    spec.network.workers = 1 + static_cast<int>(random.below(16));
    spec.network.depth = 3;
    spec.seed = seed() + static_cast<uint64_t>(round);
    spec.stall = sim::StallSpec::parse(round % 2 == 0 ? "none" : "both:30");
    std::vector<std::vector<uint8_t>> frames;
    for (int i = 0; i < 150; ++i) {
      std::vector<uint8_t> frame =
          gradient(random.below(4), static_cast<uint16_t>(random.below(17)), 1 + random.below(32),
                   0xFFFF'FFFE + static_cast<uint32_t>(i / 50) + random.below(2));
      for (size_t at = expether::kPayloadOffset; at + 4 <= frame.size(); at += 4) {
        const uint32_t value =
            random.below(8) == 0 ? static_cast<uint32_t>(random.next()) : value_of(random, 60);
        std::memcpy(&frame[at], &value, 4);
      }
      frames.push_back(std::move(frame));
    }
    run("aggregator", frames, spec);
    if (HasFailure()) return;
  }
}

TEST(FrameErrors, ConfigurationsThatNoSwitchHasAreRefused) {
  sim::RunSpec spec;
  spec.network.workers = 17;
  EXPECT_THROW(sim::device("aggregator").check(spec), sim::UsageError);
  spec.network.workers = 3;
  spec.network.depth = 0;
  EXPECT_THROW(sim::device("aggregator").check(spec), sim::UsageError);
}

}  // namespace
}  // namespace gw::tests
