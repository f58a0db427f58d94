// What a reset in mid-frame leaves of a frame is no frame: the switch, RTL and model in lockstep.
#include "testbenches/common/stream_rtl.h"  // verilated.h before SystemC
//
#include <Vgw_switch_adam_4_pipelined_fast.h>
#include <Vgw_switch_adam_4_pipelined_fast___024root.h>
#include <gtest/gtest.h>

#include "sim/stimulus.h"
#include "testbenches/switch/variant.h"
#include "tests/devices/support.h"

namespace gw::tests {
namespace {

using Beats = std::array<const Beat*, sim::kPorts>;

/// RTL and model, which see the same, in reset too, and must show the same.
class Pair {
 public:
  Pair() : rtl_("gw_switch", spec_) {
    model_.configure(testbenches::aggregation_config(spec_), testbenches::optimizer_config(spec_),
                     sim::initial_parameters(spec_.network, spec_.seed));
    for (int edge = 0; edge < 3; ++edge) rtl_.reset();
    model_.reset();
    rtl_.prepare();
    model_.prepare();
  }

  /// An edge; in reset a port may offer a beat all the same.
  void edge(const Beat* s, bool reset) {
    compare();
    if (testing::Test::HasFatalFailure()) return;
    if (reset) {
      rtl_.reset(s != nullptr ? 1 : 0);
      model_.reset(s != nullptr ? 1 : 0);
    } else {
      const Beats beats{s, nullptr, nullptr, nullptr};
      rtl_.clock(beats, 0xF);
      model_.clock(beats, 0xF);
    }
  }
  uint64_t left = 0;  // beats, on all ports
  std::span<const uint32_t> statistics() const { return model_.statistics(); }

  void compare() {
    for (int port = 0; port < sim::kPorts; ++port) {
      ASSERT_EQ(rtl_.s_ready(port), model_.s_ready(port));
      const Beat* const a = rtl_.m_beat(port);
      const Beat* const b = model_.m_beat(port);
      ASSERT_EQ(a != nullptr, b != nullptr);
      if (a == nullptr) continue;
      ASSERT_EQ(a->data, b->data);
      ASSERT_EQ(a->last, b->last);
      ++left;
    }
    ASSERT_EQ(rtl_.events(), model_.events());
  }
  /// Counters, while all is idle.
  void compare_statistics() {
    const auto a = rtl_.statistics(), b = model_.statistics();
    for (size_t i = 0; i < a.size(); ++i) ASSERT_EQ(a[i], b[i]) << "counter " << i;
  }

 private:
  static sim::RunSpec spec() {
    sim::RunSpec spec;
    spec.network.algorithm = reference::optimizer::Algorithm::kAdam;
    spec.network.pes = 4;
    spec.network.fast = true;
    spec.clock_mhz = 200;
    return spec;
  }
  const sim::RunSpec spec_ = spec();
  testbenches::SwitchRtl<Vgw_switch_adam_4_pipelined_fast, false> rtl_;
  systemc::Switch model_;
};

/// A frame of `beats` full beats, for a station that nobody knows: it is flooded to three ports.
std::vector<Beat> frame_of(size_t beats) {
  std::vector<uint8_t> bytes(beats * kBeatBytes);
  for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<uint8_t>(2 * i);
  sim::BeatStream stream;
  stream.append_bytes(bytes, false, {});
  return stream.beats;
}

// 40 beats, reset after 14 of them; the source goes on at once, at 10GbE's pace, or not at all.
void cut_frame(int pause, int reset_edges, bool waits) {
  Pair pair;
  const std::vector<Beat> frame = frame_of(40);
  for (size_t i = 0; i < 14; ++i) pair.edge(&frame[i], false);
  ASSERT_FALSE(testing::Test::HasFatalFailure());
  for (int i = 0; i < reset_edges; ++i) {
    pair.edge(waits || i % 6 == 5 ? &frame[14] : nullptr, true);
  }
  pair.left = 0;
  size_t next = 14;
  for (int c = 0; next < frame.size(); ++c) {
    const bool offers = waits || c % (pause + 1) == 0;
    pair.edge(offers ? &frame[next] : nullptr, false);
    ASSERT_FALSE(testing::Test::HasFatalFailure());
    next += offers && c > 0;  // not ready in the cycle behind reset
  }
  for (int i = 0; i < 2500; ++i) pair.edge(nullptr, false);
  ASSERT_FALSE(testing::Test::HasFatalFailure());
  EXPECT_EQ(pair.left, 0u) << "the rest of the frame left the switch";
  EXPECT_EQ(pair.statistics()[26 + 1], 1u) << "dropped frames of port 0";

  for (const Beat& beat : frame) pair.edge(&beat, false);  // whole frames pass
  for (int i = 0; i < 2500; ++i) pair.edge(nullptr, false);
  pair.compare_statistics();
  EXPECT_EQ(pair.left, 3 * frame.size());
  EXPECT_EQ(pair.statistics()[26 + 0], 1u) << "frames of port 0";
}

TEST(Reset, WhatWaitsIsNoFrame) { cut_frame(0, 3, true); }
TEST(Reset, WhatGoesOnAtLineRateIsNoFrame) { cut_frame(5, 4, false); }
TEST(Reset, WhatGoesOnAtOnceIsNoFrame) { cut_frame(0, 1, false); }

// A source that was reset as well has been idle: its first frame is taken at once.
TEST(Reset, FirstFrameIsTakenAtOnce) {
  Pair pair;
  const std::vector<Beat> frame = frame_of(40);
  for (size_t i = 0; i < 14; ++i) pair.edge(&frame[i], false);
  for (int i = 0; i < 8; ++i) pair.edge(nullptr, true);
  pair.left = 0;
  pair.edge(nullptr, false);
  for (const Beat& beat : frame) pair.edge(&beat, false);
  for (int i = 0; i < 2500; ++i) pair.edge(nullptr, false);
  ASSERT_FALSE(HasFatalFailure());
  EXPECT_EQ(pair.left, 3 * frame.size());
}

}  // namespace
}  // namespace gw::tests
