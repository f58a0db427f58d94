// RTL with wires from pins to pins: from tready to tready (comb_ready), from tvalid to tready and
// to tvalid (comb_valid), in a ring (comb_loop).
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "tests/program.h"

namespace gw::tests::settle_test {
namespace {

using nlohmann::json;
using testing::HasSubstr;

class Settle : public ProgramTest {
 protected:
  static std::string rtl(const std::string& top, const std::string& option = "rtl") {
    return fmt::format("--{} {}/tests/waves/{}.f --{} {} ", option, GRADWIRE_SOURCE_DIR, top,
                       option == "rtl" ? "top" : option + "-top", top);
  }
  Ended compressor(const std::string& arguments) const {
    return gradwire(
        "run compressor --synth mixed --packets 40 --quick-build --quiet --json r.json " +
        arguments);
  }
  json report() const { return json::parse(text_of(path("r.json"))); }
};

TEST_F(Settle, ReadyMayFollowReadyAndValid) {
  for (const char* top : {"comb_ready", "comb_valid"}) {
    for (const char* stall : {"none", "source:40", "sink:40", "both:30"}) {
      const std::string run =
          fmt::format("{} --check reference,protocol --stall {} ", rtl(top), stall);
      ASSERT_EQ(compressor(run).code, 0) << top << stall << report().value("failure", json());
      // Another loop of the harness, the same cycles.
      const json cycles = report()["cycles"];
      ASSERT_EQ(compressor(run + "--coverage functional").code, 0) << top << stall;
      EXPECT_EQ(report()["cycles"], cycles);
    }
  }
}

TEST_F(Settle, BesideRtlWhoseOutputsAreRegisters) {
  // A sink that never stalls makes no difference between the two.
  const std::string stall = "--stall source:30 ";
  EXPECT_EQ(compressor(rtl("comb_ready", "against") + stall).code, 0);
  EXPECT_EQ(compressor(rtl("comb_ready") + stall).code, 0);
  EXPECT_EQ(compressor(rtl("comb_ready", "against") + "--stall sink:30").code, 1);
  EXPECT_EQ(report()["failure"]["kind"], "engines disagree");
  EXPECT_THAT(report()["failure"]["lines"][0], HasSubstr("s_axis_tready"));
}

TEST_F(Settle, ABenchThatIsRecordedReplaysInIcarus) {
  for (const char* top : {"comb_ready", "comb_valid"}) {
    ASSERT_EQ(compressor(rtl(top) + "--check reference --stall both:30 --sv-bench " + top).code, 0);
    const Ended replayed = shell(fmt::format("{}/run.sh", top));
    EXPECT_EQ(replayed.code, 0) << replayed.out << replayed.err;
    EXPECT_THAT(replayed.out, HasSubstr("PASS cycles="));
  }
}

/// The first in the place of the compressor; what it breaks is not Arm's.
TEST_F(Settle, ReadyMayBeHighInReset) {
  const std::string run = rtl("ready_in_reset") + "--check reference,protocol";
  ASSERT_EQ(compressor(run).code, 0);
  EXPECT_EQ(report()["check"], json({"reference", "protocol"}));
  ASSERT_EQ(compressor(run + ",profile").code, 1);
  EXPECT_EQ(report()["failure"]["kind"], "rule of the profile broken");
  EXPECT_THAT(report()["bucket"], HasSubstr("profile, s_axis, rtl: tready is high in reset"));
  EXPECT_EQ(report()["checks"]["profile_violations"], 1);
  // A capsule knows that it was asked for.
  ASSERT_EQ(compressor(run + ",profile --capsule-out c").code, 1);
  EXPECT_EQ(gradwire("replay c --quiet").code, 1);
}

TEST_F(Settle, TheProfileIsOnForTheProjectsOwn) {
  ASSERT_EQ(compressor("").code, 0);
  EXPECT_EQ(report()["check"], json({"model", "reference", "protocol", "profile"}));
  ASSERT_EQ(compressor("--check reference,protocol").code, 0);
  EXPECT_EQ(report()["check"], json({"reference", "protocol"}));
  ASSERT_EQ(compressor(rtl("comb_ready") + "--engine rtl").code, 0);
  EXPECT_EQ(report()["check"], json({"reference", "protocol"}));
}

/// Sparse beats, a null one with tlast after the last byte: only bytes and borders are as they
/// were.
TEST_F(Settle, BeatsMayBeCutAndFilledAsOneLikes) {
  const std::string run = rtl("sparse_beats") + "--stall both:30 --check reference,protocol";
  ASSERT_EQ(compressor(run).code, 0);
  const json sparse = report();
  ASSERT_EQ(compressor("--stall both:30").code, 0);
  EXPECT_EQ(sparse["bytes_out"], report()["bytes_out"]);
  EXPECT_GT(sparse["beats_out"], report()["beats_out"]);
  ASSERT_EQ(compressor(run + ",profile").code, 1);
}

TEST_F(Settle, ALoopThatFindsNoValueIsASentence) {
  ASSERT_EQ(compressor(rtl("comb_loop") + "--check reference,protocol").code, 0);
  ASSERT_EQ(compressor(rtl("comb_loop") + "--check reference,protocol --stall sink:30").code, 1);
  const json failure = report()["failure"];
  EXPECT_EQ(failure["kind"], "the RTL stopped the simulation");
  EXPECT_THAT(failure["lines"][1], HasSubstr("a combinational loop finds no value"));
  EXPECT_GT(failure["cycle"], 0);
}

}  // namespace
}  // namespace gw::tests::settle_test
