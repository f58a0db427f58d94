// What failures of one cause share, and which cycles are shown around one.
// SPDX-License-Identifier: Apache-2.0
#include "sim/run/bucket.h"

#include <gtest/gtest.h>

#include <string>

#include "sim/run/run.h"
#include "testbenches/registry.h"

namespace gw::sim::bucket_test {
namespace {

std::string bucket(FailureKind kind, const std::string& text, const std::string& port = "m_axis") {
  Failure failure;
  failure.kind = kind;
  failure.cycle = 99;
  failure.port = port;
  failure.engine_a = "rtl";
  failure.value_a = text;
  failure.text = text;
  return bucket_of(testbenches::registry().device("compressor"), RunSpec(), failure);
}

TEST(Bucket, HoldsNoNumbersButThoseOfNames) {
  for (const auto& [said, kept] : {std::pair{"at 4711 ps", "at # ps"},
                                   {"7", "#"},
                                   {"", ""},
                                   {"12ab or 0x1F, 3", "# or #, #"},
                                   {"u_fifo2.count_q3 is 12", "u_fifo2.count_q3 is #"},
                                   {"slot_0 [5]", "slot_0 [#]"}}) {
    const std::string rule = *kept == '\0' ? "" : std::string(": ") + kept;
    EXPECT_EQ(bucket(FailureKind::kStopped, said),
              "compressor, own RTL, stopped, m_axis, rtl" + rule);
    EXPECT_EQ(bucket(FailureKind::kReference, said, "event"),
              "compressor, own RTL, reference, event, rtl" + rule);
  }
  EXPECT_EQ(bucket(FailureKind::kReference, "12"), "compressor, own RTL, reference, m_axis, rtl");
  EXPECT_EQ(bucket(FailureKind::kProtocol, "rule 7"),
            "compressor, own RTL, protocol, m_axis, rtl: rule 7");
}

TEST(Bucket, NamesTheRtl) {
  RunSpec spec;
  EXPECT_EQ(rtl_of(spec), "own RTL");
  spec.netlist = "xilinx";
  EXPECT_EQ(rtl_of(spec), "xilinx netlist");
  spec.user_rtl.top = "mine";
  EXPECT_EQ(rtl_of(spec), "mine");
  spec.rtl = false;
  EXPECT_EQ(rtl_of(spec), "no RTL");
  EXPECT_EQ(bucket_text({"a", "", "b"}), "a, b");
}

TEST(Window, LiesAroundTheFailureAndBeginsAtZero) {
  EXPECT_EQ(FailureWindow::of({.cycle = 1000}).from, 800);
  EXPECT_EQ(FailureWindow::of({.cycle = 1000}).to, 1020);
  EXPECT_EQ(FailureWindow::of({.cycle = 7}).from, 0);
  EXPECT_EQ(FailureWindow::of({.cycle = 7}).to, 27);
  // A hang: what moved last is in it.
  EXPECT_EQ(FailureWindow::of({.cycle = 100'500, .moved = 400}).from, 200);
  EXPECT_EQ(FailureWindow::of({.cycle = 100'500, .moved = 400}).to, 100'520);
}

}  // namespace
}  // namespace gw::sim::bucket_test
