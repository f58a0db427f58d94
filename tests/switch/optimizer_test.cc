// The optimizer in RTL, model and reference: every build of its RTL over stalls x traffic x seeds,
// and the latencies of the paper's Table 2.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <bit>

#include "models/reference/optimizer/graph.h"
#include "sim/base/error.h"
#include "tests/switch/support.h"

namespace gw::testbenches::testing::optimizer_test {
namespace {

namespace expether = reference::expether;
namespace optimizer = reference::optimizer;

/// Builds of the RTL: of each algorithm, kind and profile; few PEs, as more take longer to build
/// and the slow configurations have them. The first is the one that is linked; where
/// devices_configurations_test has one of these, it is the same, and built once for both.
struct Build {
  optimizer::Algorithm algorithm;
  int pes;
  bool iterative, fast;
  uint64_t latency;  ///< of the array, by docs/devices/optimizer.md
  uint64_t interval;
  bool subnormal = false;
  bool eps_outside = false;
};
using enum optimizer::Algorithm;
constexpr Build kBuilds[] = {
    {kSgd, 32, false, false, 21, 1},
    {kAdagrad, 2, false, false, 99, 1},
    {kAdam, 2, false, false, 137, 1, true},
    {kSmorms3, 1, false, false, 164, 1},
    {kSgd, 4, false, true, 10, 1},
    {kAdagrad, 2, false, true, 46, 1},
    {kAdam, 1, false, true, 62, 1},
    {kSmorms3, 1, false, true, 76, 1, true},
    {kSgd, 2, true, true, 13, 13, true},
    {kAdagrad, 1, true, true, 81, 81},
    {kAdam, 1, true, true, 137, 137},
    {kSmorms3, 1, true, true, 155, 155},
    // Epsilon after the root.
    {kAdagrad, 2, false, false, 111, 1, false, true},
    {kAdam, 1, false, true, 68, 1, true, true},
    {kSmorms3, 1, false, true, 76, 1, false, true},
    {kAdagrad, 1, true, true, 88, 88, true, true},
    {kAdam, 1, true, true, 144, 144, false, true},
    {kSmorms3, 1, true, true, 153, 153, false, true},
};

std::string name_of_build(const Build& b) {
  return std::string(name_of(b.algorithm)) + "_" + std::to_string(b.pes) +
         (b.iterative ? "_iterative" : "_pipelined") + (b.fast ? "_fast" : "_paper") +
         (b.subnormal ? "_subnormal" : "") + (b.eps_outside ? "_eps_outside" : "");
}

sim::RunSpec spec_of(const Build& b, uint64_t salt = 0) {
  sim::RunSpec spec =
      testing::spec_of("optimizer", {{"algorithm", std::string(name_of(b.algorithm))},
                                     {"pes", std::to_string(b.pes)},
                                     {"kind", b.iterative ? "iterative" : "pipelined"},
                                     {"profile", b.fast ? "fast" : "paper"},
                                     {"subnormal", b.subnormal ? "1" : "0"}});
  if (b.eps_outside) spec.options.set("eps-outside", "yes");
  spec.seed = seed() * 1000 + salt;
  return spec;
}

sim::Outcome run(const std::vector<std::vector<uint8_t>>& frames, const sim::RunSpec& spec) {
  return testing::run("optimizer", frames, spec);
}

class Builds : public ::testing::TestWithParam<Build> {};

TEST_P(Builds, EnginesAgreeInEveryCycleAndWithTheReference) {
  uint64_t salt = 0;
  for (const char* stall : {"none", "source:40", "sink:40", "both:40"}) {
    for (const std::string traffic : {"anything", "workers", "gradient-192", "irregular"}) {
      sim::RunSpec spec = spec_of(GetParam(), ++salt);
      spec.stall = sim::StallSpec::parse(stall);
      spec.options.set("iterations", "6").set("sequences", "7");
      for (const char* fault : {"duplicate", "reorder", "malformed", "foreign"}) {
        spec.options.set(fault, "10");
      }
      run_synth("optimizer", traffic, traffic == "workers" ? 0 : 200, spec);
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
        v = sequence == 0   ? kSpecial[random.below(std::size(kSpecial))]
            : sequence == 1 ? std::bit_cast<uint32_t>(static_cast<float>(random.unit() - 0.5))
                            : static_cast<uint32_t>(random.next());
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
  EXPECT_EQ(outcome.timeline.rows[0].offered, last_round + b.latency + 4);
}

TEST_P(Builds, PipelinedLatencyIsThatOfTheGraph) {
  const Build& b = GetParam();
  if (b.iterative) GTEST_SKIP() << "shared operators have a schedule of their own";
  const optimizer::Latencies fast{.add = 6, .mul = 4, .div = 12, .sqrt = 14, .min = 1};
  const optimizer::Graph& graph = optimizer::graph_of(
      b.algorithm, b.eps_outside ? optimizer::Epsilon::kAfterRoot : optimizer::Epsilon::kUnderRoot);
  EXPECT_EQ(b.latency, static_cast<uint64_t>(
                           optimizer::latency(graph, b.fast ? fast : optimizer::kPaperLatencies)));
}

INSTANTIATE_TEST_SUITE_P(Optimizer, Builds, ::testing::ValuesIn(kBuilds),
                         [](const auto& info) { return name_of_build(info.param); });

// Subnormal numbers are zeros or kept as the RTL is built; 0.1 built it for zeros whatever was
// asked.
TEST(Subnormal, IsWhatTheRtlIsBuiltFor) {
  const std::vector<uint32_t> tiny(32, 0x0000'0005);
  expether::Header header;
  header.tci = 10;
  header.group = 1;
  const std::vector<uint8_t> first = expether::build_gradient(header, tiny);
  header.worker = 1;
  const std::vector<uint8_t> second = expether::build_gradient(header, tiny);
  for (const char* subnormal : {"0", "1"}) {
    testing::run("aggregator", {first, second},
                 testing::spec_of("aggregator", {{"workers", "2"}, {"subnormal", subnormal}}));
    EXPECT_FALSE(HasFailure()) << subnormal;
  }
}

// Every output bit over a thousand iterations on captured gradients, and the distance to the
// textbook that the report gives.
TEST(OptimizerDrift, AThousandIterationsOnCapturedGradients) {
  for (const Build& b : kBuilds) {
    sim::RunSpec spec = spec_of(b);
    spec.seed = seed();
    spec.rtl = !b.iterative && b.fast;  // in lockstep with the RTL where that is quick
    spec.keep_rows = false;
    spec.options.set("from", std::string(GRADWIRE_SOURCE_DIR) + "/traces/hdc-ring-middle.pcap")
        .set("workers", "1")
        .set("iterations", "1000")
        .set("sequences", "4");
    const sim::Outcome outcome = run_synth("optimizer", "workers", 0, spec);
    ASSERT_TRUE(outcome.passed) << name_of_build(b);
    EXPECT_EQ(outcome.sections["optimizer"]["iterations"], 1000);
    EXPECT_EQ(outcome.sections["drift"].back()["iteration"], 1000);
    const double mean = outcome.sections["optimizer"]["ulp"]["mean"];
    EXPECT_GT(mean, 0.1) << name_of_build(b);
    EXPECT_LT(mean, 1000) << name_of_build(b);
  }
}

TEST(OptimizerModel, RunsEveryCombination) {
  for (const int pes : {1, 2, 4, 8, 16, 32, 64}) {
    for (const bool iterative : {false, true}) {
      for (const auto algorithm : optimizer::kAlgorithms) {
        for (const int kind : {0, 1, 2, 3}) {
          sim::RunSpec spec =
              spec_of({algorithm, pes, iterative, false, 0, 0, kind % 2 == 1, kind / 2 == 1});
          spec.rtl = false;
          for (const char* traffic : {"anything", "irregular"}) {
            run_synth("optimizer", traffic, 60, spec);
            ASSERT_FALSE(HasFailure()) << name_of(algorithm) << " " << pes << " " << traffic;
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace gw::testbenches::testing::optimizer_test
