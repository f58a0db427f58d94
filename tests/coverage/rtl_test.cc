// Lines, branches and covers of the RTL, through a build of their own.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "sim/base/error.h"
#include "sim/coverage/summary.h"
#include "sim/harness/kernel.h"
#include "sim/run/device.h"
#include "testbenches/registry.h"
#include "tests/support.h"

namespace gw::tests::rtl_test {
namespace {

using nlohmann::json;

sim::Outcome run(const std::string& name, const sim::CoverageSpec& coverage, const char* synth,
                 uint64_t packets, const char* stall = "none") {
  const sim::Device& device = testbenches::registry().device(name);
  sim::RunSpec spec;
  spec.seed = seed();
  spec.clock_mhz = device.facts().clock_mhz;
  spec.options = sim::OptionSet(device.facts().options);
  spec.coverage = coverage;
  spec.stall = sim::StallSpec::parse(stall);
  spec.cache = GW_TEST_CACHE;
  spec.quick_build = true;
  spec.stimulus = {.synth = synth, .packets = packets};
  const auto source = device.source(spec);
  sim::Outcome outcome = device.run(*source, spec, sim::Kernel::instance(), nullptr);
  EXPECT_TRUE(outcome.passed) << name << ": " << explain(outcome.failure);
  return outcome;
}

const json* named(const json& list, const char* key, const std::string& part) {
  const auto at = std::ranges::find_if(list, [&](const json& one) {
    return one[key].get<std::string>().find(part) != std::string::npos;
  });
  return at == list.end() ? nullptr : &*at;
}

TEST(Rtl, LinesAndCoversAreCountedByInstanceAndModule) {
  const sim::CoverageSpec what{.line = true, .user = true};
  const sim::Outcome few = run("compressor", what, "single", 1);
  const sim::Outcome many = run("compressor", what, "raw", 100, "both:40");
  EXPECT_TRUE(few.points.tables().empty());
  const json a = sim::coverage::summary(few.points), b = sim::coverage::summary(many.points);
  for (const json* s : {&a, &b}) {
    EXPECT_GT((*s)["branch"]["possible"], 10);
    EXPECT_GT((*s)["user"]["possible"], 5);
  }
  // The same points, whatever ran: so they add up.
  EXPECT_EQ(few.points.rtl().size(), many.points.rtl().size());
  EXPECT_LT(a["user"]["covered"], b["user"]["covered"]);
  const json* const unit = named(b["user"]["instances"], "instance", "u_alignment_unit");
  ASSERT_NE(unit, nullptr) << b["user"]["instances"];
  EXPECT_EQ((*unit)["possible"], 7);
  EXPECT_NE(named(b["user"]["modules"], "file", "rtl/codec/gw_alignment_unit.sv"), nullptr);
  // A corner that one packet of one beat cannot reach has its name.
  EXPECT_NE(named(a["user"]["modules"], "file", "gw_compressor.sv")->dump().find("CreditRunsOut"),
            std::string::npos)
      << *named(a["user"]["modules"], "file", "gw_compressor.sv");
}

TEST(Rtl, BothEnginesOfAChainCount) {
  const sim::Outcome outcome = run("codec_loop", {.user = true}, "mixed", 20);
  const json s = sim::coverage::summary(outcome.points);
  EXPECT_NE(named(s["user"]["modules"], "file", "gw_compressor.sv"), nullptr);
  EXPECT_NE(named(s["user"]["modules"], "file", "gw_decompressor.sv"), nullptr);
}

// What a bit has not done, by its name; empty: it rose and fell, or is not counted.
std::string missing(const json& summary, const std::string& name) {
  for (const json& module : summary["toggle"]["modules"]) {
    for (const json& one : module["unreached"]) {
      const auto text = one.get<std::string>();
      if (text.starts_with(name + ' ')) return text.substr(name.size() + 1);
    }
  }
  return "";
}

TEST(Rtl, BitsThatRoseAndFellAreCountedAndAddUp) {
  const sim::CoverageSpec what{.toggle = true};
  const sim::Outcome zeros = run("compressor", what, "zeros", 20);
  const sim::Outcome raw = run("compressor", what, "raw", 200, "both:40");
  EXPECT_TRUE(zeros.points.rtl().empty());
  const json a = sim::coverage::summary(zeros.points), b = sim::coverage::summary(raw.points);
  EXPECT_GT(a["toggle"]["possible"], 3000);
  EXPECT_EQ(a["toggle"]["possible"], b["toggle"]["possible"]);
  EXPECT_LT(a["toggle"]["covered"], b["toggle"]["covered"]);
  // Of packets of zeros no bit of data changes; of any packet the handshake does.
  EXPECT_EQ(missing(a, "gw_compressor.s_axis_tdata[255:0]"), "never changed");
  EXPECT_EQ(missing(a, "gw_compressor.s_axis_tvalid"), "");
  EXPECT_EQ(missing(b, "gw_compressor.s_axis_tdata[255:0]"), "");
  // Nothing is in error, so that nothing counts errors; k stays the bound that it is.
  EXPECT_EQ(missing(b, "gw_compressor.error_count_o[31:0]"), "never changed");
  EXPECT_NE(named(a["toggle"]["memories"], "name", "u_queue.even_q"), nullptr);
  EXPECT_NE(named(a["toggle"]["absent"], "name", "gw_compressor."), nullptr);
  EXPECT_NE(named(b["toggle"]["instances"], "instance", "u_alignment_unit"), nullptr);

  sim::coverage::Points both = zeros.points;
  both.add(raw.points);
  const json s = sim::coverage::summary(both);
  EXPECT_EQ(s["toggle"]["possible"], b["toggle"]["possible"]);
  EXPECT_GE(s["toggle"]["covered"], b["toggle"]["covered"]);
}

TEST(Rtl, CountingTogglesChangesNothing) {
  const sim::Outcome plain = run("compressor", {}, "mixed", 100, "both:40");
  const sim::Outcome counted = run("compressor", {.toggle = true}, "mixed", 100, "both:40");
  EXPECT_EQ(plain.timeline.cycles, counted.timeline.cycles);
  EXPECT_EQ(plain.timeline.in, counted.timeline.in);
  EXPECT_EQ(plain.timeline.out, counted.timeline.out);
  EXPECT_EQ(plain.statistics, counted.statistics);
  EXPECT_FALSE(counted.points.toggles().empty());
}

TEST(Rtl, CountingChangesNothing) {
  const sim::Outcome plain = run("decompressor", {}, "mixed", 100, "both:40");
  const sim::Outcome counted =
      run("decompressor", {.functional = true, .line = true}, "mixed", 100, "both:40");
  EXPECT_EQ(plain.timeline.cycles, counted.timeline.cycles);
  EXPECT_EQ(plain.timeline.in, counted.timeline.in);
  EXPECT_EQ(plain.timeline.out, counted.timeline.out);
  EXPECT_FALSE(counted.points.tables().empty());
  EXPECT_FALSE(counted.points.rtl().empty());
}

}  // namespace
}  // namespace gw::tests::rtl_test
