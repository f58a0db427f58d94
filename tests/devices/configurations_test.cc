// RTL that is built when it is asked for: what the optimizer can be configured to, in lockstep with
// model and reference. By default a pairwise choice with at most 4 PEs, so that each two values of
// two parameters meet; all there are is for slow runs.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "sim/harness/kernel.h"
#include "testbenches/registry.h"
#include "tests/support.h"

namespace gw::tests::configurations_test {
namespace {

struct Configuration {
  std::string device, algorithm, kind, profile;
  int pes;
  int subnormal;
};

std::string name_of(const Configuration& c) {
  return c.algorithm + "_" + c.kind + "_" + c.profile + "_" + std::to_string(c.pes) +
         (c.subnormal != 0 ? "_subnormal" : "_flush") + "_" + c.device;
}

void PrintTo(const Configuration& c, std::ostream* out) { *out << name_of(c); }

constexpr const char* kAlgorithms[] = {"sgd", "adagrad", "adam", "smorms3"};
constexpr const char* kKinds[] = {"pipelined", "iterative"};
constexpr const char* kProfiles[] = {"paper", "fast"};

/// Eight runs that hold all pairs of a parameter with four values and four with two.
std::vector<Configuration> pairwise() {
  std::vector<Configuration> all;
  for (int a = 0; a < 4; ++a) {
    for (int flip = 0; flip < 2; ++flip) {
      const auto two = [&](int mask) { return (std::popcount(unsigned(a & mask)) + flip) % 2; };
      all.push_back({.device = "optimizer",
                     .algorithm = kAlgorithms[a],
                     .kind = kKinds[two(0)],
                     .profile = kProfiles[two(1)],
                     .pes = two(3) != 0 ? 2 : 1,
                     .subnormal = two(2)});
    }
  }
  // And the whole switch.
  all.push_back({"switch", "adagrad", "pipelined", "paper", 1, 0});
  return all;
}

std::vector<Configuration> every_one() {
  std::vector<Configuration> all;
  for (const char* algorithm : kAlgorithms) {
    for (const char* kind : kKinds) {
      for (const char* profile : kProfiles) {
        for (int pes = 1; pes <= 64; pes *= 2) {
          for (const int subnormal : {0, 1}) {
            all.push_back({"optimizer", algorithm, kind, profile, pes, subnormal});
          }
        }
        all.push_back({"switch", algorithm, kind, profile, 4, 0});
      }
    }
  }
  return all;
}

class Configurations : public testing::TestWithParam<Configuration> {};

TEST_P(Configurations, RunInLockstep) {
  const Configuration& c = GetParam();
  const sim::Device& device = testbenches::registry().device(c.device);
  sim::RunSpec spec;
  spec.clock_mhz = device.facts().clock_mhz;
  spec.cache = GW_TEST_CACHE;
  spec.quick_build = true;
  spec.options = sim::OptionSet(device.facts().options);
  spec.options.set("algorithm", c.algorithm)
      .set("kind", c.kind)
      .set("profile", c.profile)
      .set("pes", std::to_string(c.pes))
      .set("subnormal", std::to_string(c.subnormal))
      .set("lr", "0.05");
  for (const char* fault : {"duplicate", "reorder", "malformed", "foreign"}) {
    spec.options.set(fault, "10");
  }
  uint64_t salt = 0;
  for (const char* stall : {"none", "both:40"}) {
    for (const sim::SynthKind& kind : device.facts().stimuli) {
      spec.seed = seed() * 1000 + ++salt;
      spec.stall = sim::StallSpec::parse(stall);
      spec.stimulus = {.synth = kind.name, .packets = 40};
      const auto source = device.source(spec);
      const sim::Outcome outcome = device.run(*source, spec, sim::Kernel::instance());
      ASSERT_TRUE(outcome.passed) << stall << " " << kind.name << " seed " << spec.seed << "\n"
                                  << explain(outcome.failure);
      EXPECT_GT(outcome.timeline.packets_out(), 0u) << stall << " " << kind.name;
      EXPECT_EQ(outcome.timeline.lockstep_cycles, outcome.timeline.cycles);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Pairwise, Configurations, testing::ValuesIn(pairwise()),
                         [](const auto& info) { return name_of(info.param); });
INSTANTIATE_TEST_SUITE_P(DISABLED_All, Configurations, testing::ValuesIn(every_one()),
                         [](const auto& info) { return name_of(info.param); });

TEST(Pairwise, HoldsEveryPair) {
  const auto values = [](const Configuration& c) {
    return std::array<std::string, 5>{c.algorithm, c.kind, c.profile, c.pes > 1 ? "several" : "one",
                                      std::to_string(c.subnormal)};
  };
  std::set<std::tuple<size_t, size_t, std::string, std::string>> pairs;
  for (const Configuration& c : pairwise()) {
    EXPECT_LE(c.pes, 4);
    for (size_t i = 0; i < 5; ++i) {
      for (size_t j = i + 1; j < 5; ++j) pairs.insert({i, j, values(c)[i], values(c)[j]});
    }
  }
  // 4 pairings of the algorithm with 4 x 2 values, 6 of the others with 2 x 2.
  EXPECT_EQ(pairs.size(), 4u * 8 + 6 * 4);
}

}  // namespace
}  // namespace gw::tests::configurations_test
