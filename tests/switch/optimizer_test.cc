// The optimizer in RTL, model and reference: every build of its RTL over stalls x traffic x seeds,
// and the latencies of the paper's Table 2.
#include <gtest/gtest.h>

#include <bit>
#include <tuple>

#include "models/reference/expether/frame.h"
#include "models/reference/optimizer/graph.h"
#include "sim/base/error.h"
#include "sim/harness/kernel.h"
#include "sim/feeds/frames.h"
#include "tests/devices/support.h"

namespace gw::tests {
namespace {

namespace expether = reference::expether;
namespace optimizer = reference::optimizer;

/// The builds of the RTL that the default configuration holds.
struct Build {
  optimizer::Algorithm algorithm;
  int pes;
  bool iterative, fast;
  uint64_t latency;  ///< of the array, by docs/devices/optimizer.md
  uint64_t interval;
};
using enum optimizer::Algorithm;
constexpr Build kBuilds[] = {
    {kSgd, 32, false, false, 21, 1},  {kAdagrad, 2, false, false, 99, 1},
    {kAdam, 2, false, false, 137, 1}, {kSmorms3, 1, false, false, 164, 1},
    {kSgd, 4, false, true, 10, 1},    {kAdagrad, 1, false, true, 46, 1},
    {kAdam, 4, false, true, 62, 1},   {kSmorms3, 1, false, true, 76, 1},
    {kSgd, 8, true, true, 13, 13},    {kAdagrad, 1, true, true, 81, 81},
    {kAdam, 2, true, true, 137, 137}, {kSmorms3, 1, true, true, 155, 155},
    {kSgd, 64, true, false, 24, 24},
};

std::string name_of_build(const Build& b) {
  return std::string(name_of(b.algorithm)) + "_" + std::to_string(b.pes) +
         (b.iterative ? "_iterative" : "_pipelined") + (b.fast ? "_fast" : "_paper");
}

sim::RunSpec spec_of(const Build& b, uint64_t salt = 0) {
  sim::RunSpec spec;
  spec.seed = seed() * 1000 + salt;
  spec.clock_mhz = 200;
  spec.network.algorithm = b.algorithm;
  spec.network.pes = b.pes;
  spec.network.iterative = b.iterative;
  spec.network.fast = b.fast;
  return spec;
}

std::vector<std::vector<uint8_t>> bytes_of(const sim::FrameSource& source) {
  std::vector<std::vector<uint8_t>> frames;
  for (const sim::Frame& frame : source.frames) frames.push_back(frame.bytes);
  return frames;
}

sim::Outcome run(const std::vector<std::vector<uint8_t>>& frames, const sim::RunSpec& spec) {
  const sim::StreamDevice& device = sim::stream_device("optimizer");
  const sim::Outcome outcome =
      device.run(device.stimulus_from_bytes(frames, spec), spec, sim::Kernel::instance());
  EXPECT_TRUE(outcome.passed) << explain(outcome.failure);
  return outcome;
}

class Builds : public testing::TestWithParam<Build> {};

TEST_P(Builds, EnginesAgreeInEveryCycleAndWithTheReference) {
  uint64_t salt = 0;
  for (const char* stall : {"none", "source:40", "sink:40", "both:40"}) {
    for (const char* traffic : {"anything", "workers", "gradient-192"}) {
      sim::RunSpec spec = spec_of(GetParam(), ++salt);
      spec.stall = sim::StallSpec::parse(stall);
      sim::TrafficOptions options;
      options.iterations = 6;
      options.sequences = 7;
      options.duplicate = options.reorder = options.malformed = options.foreign = 10;
      const auto frames = bytes_of(sim::synthesise_frames(
          traffic, spec.seed, traffic == std::string("workers") ? 0 : 200, options));
      run(frames, spec);
      ASSERT_FALSE(HasFailure()) << stall << " " << traffic << " seed " << spec.seed;
    }
  }
}

/// Gradient frames of one sequence number each, as bits.
std::vector<uint8_t> gradient(uint32_t sequence, uint32_t iteration,
                              const std::vector<uint32_t>& values) {
  expether::Header header;
  header.tci = 10;
  header.sequence = sequence;
  header.iteration = iteration;
  return expether::build_gradient(header, values);
}

TEST_P(Builds, SpecialValuesAndManyIterations) {
  sim::Random random(seed());
  const sim::RunSpec spec = spec_of(GetParam(), 99);
  constexpr uint32_t kSpecial[] = {0,           0x8000'0000, 0x7F80'0000, 0xFF80'0000, 0x7FC0'0000,
                                   0x7F80'0001, 0x0000'0001, 0x007F'FFFF, 0x0080'0000, 0x7F7F'FFFF};
  std::vector<std::vector<uint8_t>> frames;
  for (uint32_t iteration = 1; iteration <= 30; ++iteration) {
    for (uint32_t sequence = 0; sequence < 3; ++sequence) {
      std::vector<uint32_t> values(1 + random.below(32));
      for (uint32_t& v : values) {
        v = sequence == 0 ? kSpecial[random.below(std::size(kSpecial))] : value_of(random, 10);
        if (sequence == 2) v = static_cast<uint32_t>(random.next());
      }
      frames.push_back(gradient(sequence, iteration, values));
    }
  }
  run(frames, spec);
}

// Latency from the cycle in which a frame is complete to its first beat: rounds, array, three
// cycles before and one behind (docs/devices/optimizer.md). The parser adds four cycles before.
TEST_P(Builds, LatencyIsTheTables) {
  const Build& b = GetParam();
  const std::vector<uint32_t> values(32, std::bit_cast<uint32_t>(0.5f));
  const sim::Outcome outcome = run({gradient(3, 1, values)}, spec_of(b));
  const uint64_t rounds = b.pes >= 32 ? 1 : 32 / static_cast<uint64_t>(b.pes);
  const uint64_t parser = 9;             // first beat in to first beat at the core
  const uint64_t gathered = parser + 6;  // the core has all six beats
  const uint64_t iteration = b.algorithm == kAdam ? 24 : 0;
  const uint64_t last_round = gathered + iteration + (rounds - 1) * b.interval;
  EXPECT_EQ(outcome.offer_cycles[0], last_round + b.latency + 4);
}

TEST_P(Builds, PipelinedLatencyIsThatOfTheGraph) {
  const Build& b = GetParam();
  if (b.iterative) GTEST_SKIP() << "shared operators have a schedule of their own";
  const optimizer::Latencies fast{.add = 6, .mul = 4, .div = 12, .sqrt = 14, .min = 1};
  EXPECT_EQ(b.latency,
            static_cast<uint64_t>(optimizer::latency(optimizer::graph_of(b.algorithm),
                                                     b.fast ? fast : optimizer::kPaperLatencies)));
}

INSTANTIATE_TEST_SUITE_P(Optimizer, Builds, testing::ValuesIn(kBuilds),
                         [](const auto& info) { return name_of_build(info.param); });

// Every output bit over a thousand iterations on captured gradients, and the distance to the
// textbook that the report gives.
TEST(OptimizerDrift, AThousandIterationsOnCapturedGradients) {
  sim::TrafficOptions options;
  options.gradients_trace = std::string(GRADWIRE_SOURCE_DIR) + "/traces/hdc-ring-middle.pcap";
  options.workers = 1;
  options.iterations = 1000;
  options.sequences = 4;
  const auto frames = bytes_of(sim::synthesise_frames("workers", seed(), 0, options));
  for (const Build& b : kBuilds) {
    sim::RunSpec spec = spec_of(b);
    spec.rtl = !b.iterative && b.fast;  // in lockstep with the RTL where that is quick
    const sim::StreamDevice& device = sim::stream_device("optimizer");
    const sim::Stimulus stimulus = device.stimulus_from_bytes(frames, spec);
    const sim::Outcome outcome = device.run(stimulus, spec, sim::Kernel::instance());
    ASSERT_TRUE(outcome.passed) << name_of_build(b) << " " << explain(outcome.failure);
    EXPECT_EQ(stimulus.findings["optimizer"]["iterations"], 1000);
    EXPECT_EQ(stimulus.findings["drift"].back()["iteration"], 1000);
    const double mean = stimulus.findings["optimizer"]["ulp"]["mean"];
    EXPECT_GT(mean, 0.1) << name_of_build(b);
    EXPECT_LT(mean, 1000) << name_of_build(b);
  }
}

TEST(OptimizerModel, RunsWhatTheRtlWasNotBuiltFor) {
  for (const int pes : {1, 2, 4, 8, 16, 32, 64}) {
    for (const bool iterative : {false, true}) {
      for (const auto algorithm : optimizer::kAlgorithms) {
        for (const auto subnormal :
             {reference::fp::Subnormal::kFlush, reference::fp::Subnormal::kIeee}) {
          sim::RunSpec spec = spec_of({algorithm, pes, iterative, false, 0, 0});
          spec.rtl = false;
          spec.network.subnormal = subnormal;
          run(bytes_of(sim::synthesise_frames("anything", seed(), 60, {})), spec);
          ASSERT_FALSE(HasFailure()) << name_of(algorithm) << " " << pes;
        }
      }
    }
  }
}

TEST(OptimizerErrors, WhatCannotRunIsRefused) {
  const sim::Device& device = sim::device("optimizer");
  sim::RunSpec spec = spec_of(kBuilds[0]);
  spec.network.pes = 3;
  EXPECT_THROW(device.check(spec), sim::UsageError);
  spec.network.pes = 128;
  EXPECT_THROW(device.check(spec), sim::UsageError);
  spec.network.pes = 16;  // legal, but not in this build
  EXPECT_THROW(device.check(spec), sim::UsageError);
  spec.rtl = false;
  EXPECT_NO_THROW(device.check(spec));
}

}  // namespace
}  // namespace gw::tests
