// The device ring_nic, its model alone: options, figures of its report, what is refused.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "sim/base/error.h"
#include "sim/harness/kernel.h"
#include "sim/run/run.h"
#include "testbenches/ring/devices.h"
#include "tests/support.h"

namespace gw::tests::device_test {
namespace {

const sim::Device& device() {
  static const sim::Registry kRegistry = [] {
    sim::Registry all;
    testbenches::add_ring_devices(all);
    return all;
  }();
  return kRegistry.device("ring_nic");
}

sim::RunSpec spec_of(std::initializer_list<std::pair<const char*, const char*>> options) {
  sim::RunSpec spec;
  spec.rtl = false;
  spec.clock_mhz = device().facts().clock_mhz;
  spec.options = sim::OptionSet(device().facts().options);
  for (const auto& [name, value] : options) spec.options.set(name, value);
  return spec;
}
nlohmann::json report_of(const sim::RunSpec& spec) {
  sim::RunOptions options;
  options.spec = spec;
  return sim::run(device(), options);
}

TEST(RingDevice, OneBeatHasThePapersLatency) {
  const nlohmann::json report = report_of(spec_of({{"bytes", "64"}}));
  EXPECT_TRUE(report["pass"]) << report.dump(1);
  EXPECT_EQ(report["ring"]["latency_ns"]["max"], 1860);
  EXPECT_EQ(report["ring"]["processing_cycles"], 25);
  EXPECT_EQ(report["ring"]["hops"], 2);
  EXPECT_EQ(report["ring"]["frames"]["agg"], 1);
  EXPECT_EQ(report["ring"]["frames"]["bcast"], 1);
  const nlohmann::json four = report_of(spec_of({{"bytes", "64"}, {"nodes", "4"}}));
  EXPECT_EQ(four["ring"]["latency_ns"]["max"], 5532);
}

TEST(RingDevice, AsFastAsTheHostWithAWindowThatIsLargeEnough) {
  const nlohmann::json fast = report_of(spec_of({{"bytes", "4194304"}}));
  EXPECT_TRUE(fast["pass"]);
  EXPECT_GT(fast["ring"]["algbw_gbps"].get<double>(), 0.99 * 95 * 0.99);
  EXPECT_LT(fast["ring"]["algbw_gbps"].get<double>(), 95.5);
  const nlohmann::json slow = report_of(spec_of({{"bytes", "4194304"}, {"window", "4"}}));
  EXPECT_TRUE(slow["pass"]);
  EXPECT_LT(slow["ring"]["algbw_gbps"].get<double>(), 50);
}

TEST(RingDevice, UnderFaultsStallsAndSkew) {
  sim::RunSpec spec = spec_of({{"nodes", "5"},
                               {"bytes", "100000"},
                               {"ops", "2"},
                               {"loss", "2"},
                               {"corrupt", "2"},
                               {"skew", "500"},
                               {"dead", "left2:5000-9000"}});
  spec.stimulus.synth = "irregular";
  spec.stall = sim::StallSpec::parse("both:30");
  spec.reset_after = 3000;
  const nlohmann::json report = report_of(spec);
  EXPECT_TRUE(report["pass"]) << report["failure"].dump(1);
  EXPECT_GT(report["ring"]["frames"]["again"], 10);
  EXPECT_GT(report["ring"]["dropped"]["bad"], 10);
}

TEST(RingDevice, ALinkDeadForEverIsASentenceAndExitCodeOne) {
  const nlohmann::json report = report_of(spec_of({{"dead", "right0:1000"}}));
  EXPECT_FALSE(report["pass"]);
  EXPECT_EQ(sim::exit_code(report), 1);
  EXPECT_NE(report.dump().find("neighbour does not answer"), std::string::npos);
}

TEST(RingDevice, WhatNoRingCanDoIsRefused) {
  for (const auto& [name, value] :
       std::vector<std::pair<const char*, const char*>>{{"nodes", "9"},
                                                        {"nodes", "1"},
                                                        {"chunk", "2046"},
                                                        {"chunk", "16384"},
                                                        {"bytes", "6"},
                                                        {"window", "129"},
                                                        {"window", "0"},
                                                        {"link-gbps", "0"},
                                                        {"host-in-gbps", "0"},
                                                        {"loss", "101"},
                                                        {"dead", "right1:0"},
                                                        {"dead", "left0:0"},
                                                        {"dead", "up0:0"},
                                                        {"dead", "right0"},
                                                        {"dead", "right0:5-x"}}) {
    EXPECT_THROW(report_of(spec_of({{name, value}})), sim::UsageError) << name << " " << value;
  }
}

}  // namespace
}  // namespace gw::tests::device_test
