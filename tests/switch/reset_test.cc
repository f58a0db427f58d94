// What a reset in mid-frame leaves of a frame is no frame: the switch, RTL and model in lockstep.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tests/switch/pair.h"

namespace gw::testbenches::testing::reset_test {
namespace {

constexpr reference::Blocks kBlocks = {.aggregation = true, .optimization = true, .lookup = true};

class SwitchPair : public Pair<SwitchPorts, QuietSwitchModel> {
 public:
  SwitchPair()
      : SwitchPair(spec_of("switch", {{"algorithm", "adam"}, {"pes", "4"}, {"profile", "fast"}})) {}

  /// An edge with a beat at port 0, or none.
  void edge(const Beat* s) { clock({s, nullptr, nullptr, nullptr}, 0xF); }

 private:
  explicit SwitchPair(const sim::RunSpec& spec)
      : Pair("switch", kBlocks, spec, QuietSwitchModel(network_spec(spec.options))) {}
};

/// A frame of `beats` full beats, for a station that nobody knows: it is flooded to three ports.
std::vector<Beat> frame_of(size_t beats) {
  std::vector<uint8_t> bytes(beats * kBeatBytes);
  for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<uint8_t>(2 * i);
  std::vector<Beat> all;
  sim::append_beats<Beat>(all, bytes);
  return all;
}

// 40 beats, reset after 14 of them; the source goes on at once, at 10GbE's pace, or not at all.
void cut_frame(int pause, int reset_edges, bool waits) {
  SwitchPair pair;
  const std::vector<Beat> frame = frame_of(40);
  for (size_t i = 0; i < 14; ++i) pair.edge(&frame[i]);
  ASSERT_FALSE(::testing::Test::HasFatalFailure());
  for (int i = 0; i < reset_edges; ++i) pair.reset();
  pair.left.clear();
  size_t next = 14;
  for (int c = 0; next < frame.size(); ++c) {
    const bool offers = waits || c % (pause + 1) == 0;
    pair.edge(offers ? &frame[next] : nullptr);
    ASSERT_FALSE(::testing::Test::HasFatalFailure());
    next += offers && c > 0;  // not ready in the cycle behind reset
  }
  for (int i = 0; i < 2500; ++i) pair.edge(nullptr);
  ASSERT_FALSE(::testing::Test::HasFatalFailure());
  EXPECT_EQ(pair.left.size(), 0u) << "the rest of the frame left the switch";
  EXPECT_EQ(pair.statistics()[26 + 1], 1u) << "dropped frames of port 0";

  for (const Beat& beat : frame) pair.edge(&beat);  // whole frames pass
  for (int i = 0; i < 2500; ++i) pair.edge(nullptr);
  pair.compare_statistics();
  EXPECT_EQ(pair.left.size(), 3 * frame.size());
  EXPECT_EQ(pair.statistics()[26 + 0], 1u) << "frames of port 0";
}

TEST(Reset, WhatWaitsIsNoFrame) { cut_frame(0, 3, true); }
TEST(Reset, WhatGoesOnAtLineRateIsNoFrame) { cut_frame(5, 4, false); }
TEST(Reset, WhatGoesOnAtOnceIsNoFrame) { cut_frame(0, 1, false); }

// A source that was reset as well has been idle: its first frame is taken at once.
TEST(Reset, FirstFrameIsTakenAtOnce) {
  SwitchPair pair;
  const std::vector<Beat> frame = frame_of(40);
  for (size_t i = 0; i < 14; ++i) pair.edge(&frame[i]);
  for (int i = 0; i < 8; ++i) pair.reset();
  pair.left.clear();
  pair.edge(nullptr);
  for (const Beat& beat : frame) pair.edge(&beat);
  for (int i = 0; i < 2500; ++i) pair.edge(nullptr);
  ASSERT_FALSE(HasFatalFailure());
  EXPECT_EQ(pair.left.size(), 3 * frame.size());
}

// What waits may be a frame's last beat alone, with another frame close behind.
TEST(Reset, BehindALastBeatAFrameIsTakenAtOnce) {
  SwitchPair pair;
  const std::vector<Beat> frame = frame_of(40);
  for (size_t i = 0; i + 1 < frame.size(); ++i) pair.edge(&frame[i]);
  for (int i = 0; i < 2; ++i) pair.reset();
  pair.left.clear();
  for (int i = 0; i < 2; ++i) pair.edge(&frame.back());  // not ready in the first
  for (const Beat& beat : frame) pair.edge(&beat);
  for (int i = 0; i < 2500; ++i) pair.edge(nullptr);
  ASSERT_FALSE(HasFatalFailure());
  pair.compare_statistics();
  EXPECT_EQ(pair.left.size(), 3 * frame.size());
}

}  // namespace
}  // namespace gw::testbenches::testing::reset_test
