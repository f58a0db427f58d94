// The ring's RTL and model, written from the page by two hands, in lockstep: every pin of every
// node in every cycle, counters included.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "sim/harness/kernel.h"
#include "sim/run/run.h"
#include "testbenches/ring/devices.h"
#include "tests/support.h"

namespace gw::tests::rtl_lockstep_test {
namespace {

struct Row {
  std::vector<std::pair<const char*, const char*>> options;
  const char* synth = "gradients";
  const char* stall = "none";
  uint64_t reset_after = 0;
};

TEST(RingRtl, IsTheModelInEveryCycle) {
  sim::Registry registry;
  testbenches::add_ring_devices(registry);
  const sim::Device& device = registry.device("ring_nic");
  const std::vector<Row> rows = {
      {{{"bytes", "64"}}},
      {{{"bytes", "64"}, {"nodes", "8"}}},
      {{{"bytes", "300000"}}},
      {{{"nodes", "8"}, {"bytes", "100000"}, {"window", "20"}}, "irregular"},
      {{{"nodes", "5"},
        {"bytes", "100000"},
        {"loss", "2"},
        {"corrupt", "2"},
        {"skew", "500"},
        {"dead", "left2:5000-9000"}},
       "irregular",
       "both:30",
       3000},
      {{{"nodes", "3"}, {"bytes", "40000"}, {"chunk", "100"}, {"window", "3"}, {"loss", "5"}},
       "irregular",
       "sink:50"},
      {{{"nodes", "3"}, {"bytes", "40000"}, {"link-ns", "0"}, {"timeout", "200"}, {"corrupt", "8"}},
       "irregular",
       "source:50"}};
  for (const Row& row : rows) {
    sim::RunOptions options;
    sim::RunSpec& spec = options.spec;
    spec.seed = seed();
    spec.clock_mhz = device.facts().clock_mhz;
    spec.options = sim::OptionSet(device.facts().options);
    spec.stimulus.synth = row.synth;
    spec.stall = sim::StallSpec::parse(row.stall);
    spec.reset_after = row.reset_after;
    std::string words;
    for (const auto& [name, value] : row.options) {
      spec.options.set(name, value);
      words += std::string(" --") + name + " " + value;
    }
    const nlohmann::json report = sim::run(device, options);
    EXPECT_TRUE(report["pass"].get<bool>()) << words << "\n"
                                            << report.value("failure", nlohmann::json()).dump(1);
    EXPECT_GT(report["checks"]["lockstep_cycles"].get<uint64_t>(), 500u) << words;
  }
}

}  // namespace
}  // namespace gw::tests::rtl_lockstep_test
