// The optimizer and its host: writes of cells and registers at any time, RTL and model in lockstep.
// No write-back may be lost, and registers count from the next iteration on.
#include "testbenches/common/stream_rtl.h"  // verilated.h before SystemC
//
#include <Vgw_optimizer_adam_2_pipelined_paper.h>
#include <Vgw_optimizer_adam_2_pipelined_paper___024root.h>
#include <Vgw_optimizer_sgd_4_pipelined_fast.h>
#include <Vgw_optimizer_sgd_4_pipelined_fast___024root.h>
#include <gtest/gtest.h>

#include <bit>
#include <cstring>

#include "sim/stimulus.h"
#include "sim/traffic.h"
#include "testbenches/optimizer/variant.h"
#include "tests/devices/support.h"

namespace gw::tests {
namespace {

using reference::optimizer::Algorithm;

sim::RunSpec spec_of(Algorithm algorithm, int pes, bool fast) {
  sim::RunSpec spec;
  spec.network.algorithm = algorithm;
  spec.network.pes = pes;
  spec.network.fast = fast;
  spec.clock_mhz = 200;
  return spec;
}

/// RTL and model, which see the same and must show the same.
template <class V>
class Pair {
 public:
  explicit Pair(const sim::RunSpec& spec) : rtl_("gw_optimizer", spec) {
    model_.configure(testbenches::optimizer_config(spec),
                     sim::initial_parameters(spec.network, spec.seed));
    for (int edge = 0; edge < 3; ++edge) rtl_.reset();
    rtl_.prepare();
    model_.reset();
    model_.clock(nullptr, false);
  }

  /// The host writes in this cycle.
  void write(uint32_t address, uint32_t data) {
    rtl_.top().cfg_valid_i = 1;
    rtl_.top().cfg_address_i = address;
    rtl_.top().cfg_data_i = data;
    model_.write(address, data);
  }
  void clock(const Beat* s, bool m_ready) {
    ASSERT_EQ(rtl_.s_ready(), model_.s_ready()) << "cycle " << cycle;
    const Beat* const a = rtl_.m_beat();
    const Beat* const b = model_.m_beat();
    ASSERT_EQ(a != nullptr, b != nullptr) << "cycle " << cycle;
    if (a != nullptr) {
      const char* const difference = sim::first_difference(*a, *b);
      ASSERT_EQ(difference, nullptr) << "cycle " << cycle << " " << difference;
      if (m_ready) left.push_back(*a);
    }
    rtl_.clock(s, m_ready);
    model_.clock(s, m_ready);
    rtl_.top().cfg_valid_i = 0;
    ++cycle;
  }
  bool s_ready() const { return model_.s_ready(); }
  void expect_equal_statistics() {
    const auto a = rtl_.statistics(), b = model_.statistics();
    ASSERT_EQ(a.size(), b.size());
    for (size_t i = 0; i < a.size(); ++i) EXPECT_EQ(a[i], b[i]) << "counter " << i;
  }
  /// The frame goes in, and out.
  void pass(const std::vector<uint8_t>& frame) {
    sim::BeatStream stream;
    stream.append_bytes(frame, false, {});
    for (size_t at = 0; at < stream.beats.size();) {
      const bool taken = s_ready();
      clock(&stream.beats[at], true);
      if (testing::Test::HasFatalFailure()) return;
      at += taken;
    }
    for (int i = 0; i < 400; ++i) clock(nullptr, true);
  }

  uint64_t cycle = 0;
  std::vector<Beat> left;

 private:
  testbenches::StreamRtl<V, false, testbenches::OptimizerPins> rtl_;
  systemc::Optimizer model_;
};

sim::FrameSource frames_of(uint64_t seed, uint32_t sequences, uint32_t iterations) {
  sim::TrafficOptions options;
  options.sequences = sequences;
  options.iterations = iterations;
  options.duplicate = options.reorder = options.foreign = 5;
  return sim::synthesise_frames("workers", seed, 0, options);
}

/// Cells, a row at a time and in order, and registers are written in bursts all through the
/// traffic.
template <class V>
void writes_at_any_time(const sim::RunSpec& spec) {
  Pair<V> pair(spec);
  sim::Random random(seed() * 31 + 7);
  const uint32_t lanes = static_cast<uint32_t>(spec.network.pes);
  sim::BeatStream stream;
  for (const sim::Frame& frame : frames_of(seed(), 6, 30).frames) {
    stream.append_bytes(frame.bytes, false, {});
  }
  ASSERT_GT(stream.beats.size(), 2000u);
  size_t next = 0;
  uint32_t address = 0, cells = 0;
  uint64_t rows = 0, registers = 0;
  bool offering = false;
  for (int idle = 0; idle < 5000;) {
    const uint32_t phase = static_cast<uint32_t>(pair.cycle / 700 % 4);
    if (phase != 0 && cells == 0 && random.below(phase == 1 ? 3 : 40) == 0) {
      address = 1u << 31 | random.below(4) << 28 | (random.below(6 * 32 / lanes) * lanes);
      cells = lanes;
      ++rows;
    }
    if (cells > 0) {
      pair.write(address++, std::bit_cast<uint32_t>(0.001f * static_cast<float>(random.below(99))));
      --cells;
    } else if (phase == 3 && random.below(60) == 0) {
      pair.write(random.below(9), std::bit_cast<uint32_t>(0.3f + 0.01f * random.below(60)));
      ++registers;
    }
    offering = next < stream.beats.size() && (offering || random.below(8) != 0);
    const bool taken = offering && pair.s_ready();
    pair.clock(offering ? &stream.beats[next] : nullptr, random.below(10) != 0);
    if (testing::Test::HasFatalFailure()) return;
    if (taken) {
      ++next;
      offering = false;
    }
    idle = next == stream.beats.size() ? idle + 1 : 0;
  }
  pair.expect_equal_statistics();
  EXPECT_EQ(pair.left.size(), stream.beats.size());
  EXPECT_GT(rows, 100u);
  EXPECT_GT(registers, 10u);
}

TEST(Host, WritesSgdAtAnyTime) {
  writes_at_any_time<Vgw_optimizer_sgd_4_pipelined_fast>(spec_of(Algorithm::kSgd, 4, true));
}

TEST(Host, WritesAdamAtAnyTime) {
  writes_at_any_time<Vgw_optimizer_adam_2_pipelined_paper>(spec_of(Algorithm::kAdam, 2, false));
}

/// One gradient frame of an iteration, for sequence number 0.
std::vector<uint8_t> gradient_frame(uint32_t iteration) {
  sim::TrafficOptions options;
  options.workers = 1;
  options.sequences = 1;
  options.iterations = 1;
  options.first_iteration = iteration;
  for (const sim::Frame& frame : sim::synthesise_frames("workers", 3, 0, options).frames) {
    if (frame.measured) return frame.bytes;
  }
  return {};
}

// While a frame is computed, the host begins to write another sequence number's row in every cycle,
// each time from another cycle on, so that write-backs meet them. The parameters that left in the
// frame are those that the next frame starts from: its gradient is 0, so that it shows them.
TEST(Host, WriteBackIsNotLost) {
  Pair<Vgw_optimizer_sgd_4_pipelined_fast> pair(spec_of(Algorithm::kSgd, 4, true));
  for (uint32_t begin = 0; begin < 60; ++begin) {
    sim::BeatStream stream;
    stream.append_bytes(gradient_frame(2 * begin + 1), false, {});
    ASSERT_EQ(stream.beats.size(), 6u);
    std::vector<uint8_t> zero = gradient_frame(2 * begin + 2);
    std::fill(zero.begin() + 64, zero.end(), uint8_t{0});
    pair.left.clear();
    size_t next = 0;
    for (uint32_t c = 0; c < 200; ++c) {
      // A write of a row's last cell alone writes the row.
      if (c >= begin && c < begin + 100) pair.write(1u << 31 | 0x203, 0x3F80'0000 + c);
      const bool offered = next < stream.beats.size();
      const bool taken = offered && pair.s_ready();
      pair.clock(offered ? &stream.beats[next] : nullptr, true);
      ASSERT_FALSE(HasFatalFailure());
      next += taken;
    }
    ASSERT_EQ(pair.left.size(), 6u);
    const std::vector<Beat> shown = pair.left;
    pair.pass(zero);
    ASSERT_EQ(pair.left.size(), 12u);
    for (size_t beat = 2; beat < 6; ++beat) {
      ASSERT_EQ(pair.left[6 + beat].data, shown[beat].data)
          << "begin " << begin << " beat " << beat;
    }
  }
}

// lr is written between two frames of an iteration: the second one still has the old one, the next
// iteration the new one.
TEST(Host, RegistersChangeBetweenIterations) {
  std::vector<uint8_t> zero = gradient_frame(1), one = gradient_frame(1), two = gradient_frame(2);
  for (auto* frame : {&zero, &one, &two}) {
    for (size_t i = 64; i < 192; i += 4) {
      const uint32_t g = std::bit_cast<uint32_t>(frame == &zero ? 0.0f : 1.0f);
      std::memcpy(&(*frame)[i], &g, 4);
    }
  }
  const auto value = [](const Beat& beat) { return std::bit_cast<float>(beat.data[0]); };
  Pair<Vgw_optimizer_sgd_4_pipelined_fast> pair(spec_of(Algorithm::kSgd, 4, true));
  const auto theta = [&](const std::vector<uint8_t>& frame) {
    pair.left.clear();
    pair.pass(frame);
    return pair.left.size() == 6 ? value(pair.left[2]) : 1e9f;
  };
  pair.write(0, std::bit_cast<uint32_t>(0.5f));
  pair.clock(nullptr, true);
  const float start = theta(zero);
  pair.write(0, std::bit_cast<uint32_t>(0.25f));
  pair.clock(nullptr, true);
  EXPECT_FLOAT_EQ(theta(one), start - 0.5f);
  EXPECT_FLOAT_EQ(theta(two), start - 0.75f);
}

}  // namespace
}  // namespace gw::tests
