// Parser, aggregator, optimizer and switch as no run drives them, RTL and model edge by edge:
// resets in mid-frame, behind which the rest of the frame comes or another one; random start
// values; pins that no configuration has.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <set>

#include "models/reference/aggregator/aggregator.h"
#include "tests/switch/pair.h"

namespace gw::testbenches::testing::pins_test {
namespace {

namespace expether = reference::expether;

constexpr reference::Blocks kParser = {};
constexpr reference::Blocks kAggregator = {.aggregation = true};
constexpr reference::Blocks kOptimizer = {.optimization = true};
constexpr reference::Blocks kSwitch = {.aggregation = true, .optimization = true, .lookup = true};

using ParserModel = FrameModel<systemc::Parser>;
using AggregatorModel = FrameModel<systemc::Aggregator>;
using OptimizerModel = FrameModel<systemc::Optimizer>;

sim::RunSpec aggregator_spec() {
  return spec_of("aggregator", {{"workers", "3"}, {"depth", "4"}, {"sequences", "5"}});
}

std::vector<std::vector<Beat>> traffic(uint64_t salt) {
  TrafficOptions options;
  options.workers = 3;
  options.sequences = 5;
  options.iterations = 12;
  options.first_iteration = 0xFFFF'FFFA;  // iterations wrap
  options.duplicate = options.reorder = options.foreign = options.malformed = 10;
  std::vector<std::vector<Beat>> all;
  for (const sim::Frame& frame : synthesise_frames("workers", salt, 0, options).frames) {
    sim::append_beats<Beat>(all.emplace_back(), frame.bytes);
  }
  return all;
}

/// Random pauses on both sides, and at some cycle or other a reset of one or several edges. The
/// frames are dealt to the ports in turn, which offer nearly a beat a cycle together.
template <class P, class M>
void reset_in_mid_frame(Pair<P, M>& pair, uint64_t salt, uint32_t resets) {
  constexpr size_t kIn = sim::kInputsOf<P>, kOut = sim::kOutputsOf<P>;
  sim::Random random(salt);
  const std::vector<std::vector<Beat>> frames = traffic(salt);
  struct Input {
    size_t frame = 0, beat = 0;
    bool offering = false;
  };
  std::array<Input, kIn> inputs;
  for (size_t port = 0; port < kIn; ++port) inputs[port].frame = port;
  uint32_t done = 0, cut = 0;
  uint64_t next_reset = 0;
  for (uint64_t since = 0; done < resets || since < 3000; ++since) {
    if (since == next_reset && done < resets) {
      cut += std::ranges::any_of(inputs, [](const Input& input) { return input.beat != 0; });
      for (uint64_t edges = 1 + random.below(3); edges > 0; --edges) pair.reset();
      ++done;
      // The slots' clearing takes 1,024 cycles; half of the resets come soon behind the one before.
      next_reset = random.below(2) == 0 ? 1 + random.below(80) : 1100 + random.below(500);
      since = 0;
      for (Input& input : inputs) {
        input.offering = false;
        if (random.below(2) == 0) input.beat = 0;
      }
    }
    sim::Offered<P> offered{};
    for (size_t port = 0; port < kIn; ++port) {
      Input& input = inputs[port];
      input.offering = input.offering || random.below(10 * kIn) < 9;
      if (input.offering) offered[port] = &frames[input.frame % frames.size()][input.beat];
    }
    uint32_t m_ready = 0;
    for (size_t port = 0; port < kOut; ++port) m_ready |= uint32_t{random.below(8) != 0} << port;
    const uint32_t s_ready = pair.s_ready();
    pair.clock(offered, m_ready);
    if (::testing::Test::HasFatalFailure()) return;
    for (size_t port = 0; port < kIn; ++port) {
      Input& input = inputs[port];
      if (!input.offering || (s_ready >> port & 1) == 0) continue;
      input.offering = false;
      const bool last = offered[port]->last != 0;
      input.frame += last ? kIn : 0;
      input.beat = last ? 0 : input.beat + 1;
    }
  }
  for (int i = 0; i < 3000; ++i) pair.clock({}, (1u << kOut) - 1);
  if (::testing::Test::HasFatalFailure()) return;
  pair.compare_statistics();
  EXPECT_GT(cut, resets / 5);
  EXPECT_GT(pair.left.size(), 1000u);
}

/// A reset in each cycle of a frame's way through the array: what was written back before it stays,
/// what was not is lost. The next frame of the same sequence number shows which.
TEST(Reset, LosesTheRoundsThatAreNotWrittenBack) {
  expether::Header header;
  header.sequence = 3;
  header.iteration = 1;
  header.flags = expether::kFlagComplete;
  const std::vector<uint8_t> bytes =
      expether::build_gradient(header, std::vector<uint32_t>(32, 0x3F80'0000));
  std::vector<Beat> frame;
  sim::append_beats<Beat>(frame, bytes);
  const sim::RunSpec spec = spec_of("optimizer", {{"pes", "4"}, {"profile", "fast"}});
  Pair<FramePorts, OptimizerModel> pair(
      "optimizer", kOptimizer, spec,
      OptimizerModel(optimizer_config(network_spec(spec.options)), std::span<const uint32_t>{}));
  const auto send = [&pair, &frame] {
    for (size_t beat = 0; beat < frame.size();) {
      const bool taken = pair.s_ready() != 0;
      pair.clock({&frame[beat]}, 1);
      if (HasFatalFailure()) return;
      beat += taken;
    }
  };
  std::set<uint32_t> shown;
  for (int wait = 0; wait < 100 && !HasFatalFailure(); ++wait) {
    send();
    for (int i = 0; i < wait && !HasFatalFailure(); ++i) pair.clock({}, 1);
    pair.reset();
    pair.left.clear();
    send();
    for (int i = 0; i < 200 && !HasFatalFailure(); ++i) pair.clock({}, 1);
    ASSERT_EQ(pair.left.size(), frame.size()) << "the second frame, and it alone";
    shown.insert(pair.left.back().data[0]);
  }
  EXPECT_GT(shown.size(), 100u / 2) << "parameters go on from reset to reset";
}

class Start : public ::testing::TestWithParam<uint64_t> {};

TEST_P(Start, ParserFromRandomRegisters) {
  sim::RunSpec spec = spec_of("parser");
  spec.seed = seed() + GetParam();
  Pair<FramePorts, ParserModel> pair("parser", kParser, spec, ParserModel(), true);
  reset_in_mid_frame(pair, spec.seed, 30);
}

TEST_P(Start, AggregatorFromRandomRegisters) {
  sim::RunSpec spec = aggregator_spec();
  spec.seed = seed() + GetParam();
  Pair<FramePorts, AggregatorModel> pair(
      "aggregator", kAggregator, spec,
      AggregatorModel(aggregation_config(network_spec(spec.options))), true);
  reset_in_mid_frame(pair, spec.seed, 30);
}

void optimizer(Settings settings, uint64_t salt, bool traced) {
  sim::RunSpec spec = spec_of("optimizer", settings);
  spec.seed = seed() + salt;
  Pair<FramePorts, OptimizerModel> pair(
      "optimizer", kOptimizer, spec,
      OptimizerModel(optimizer_config(network_spec(spec.options)), std::span<const uint32_t>{}),
      traced);
  reset_in_mid_frame(pair, spec.seed, 60);
}

TEST_P(Start, OptimizerFromRandomRegisters) {
  optimizer({{"pes", "4"}, {"profile", "fast"}}, GetParam(), true);
}

TEST_P(Start, AdamIsResetInMidFrame) {
  optimizer({{"algorithm", "adam"}, {"pes", "2"}}, GetParam(), false);
}

TEST_P(Start, SwitchFromRandomRegisters) {
  sim::RunSpec spec = spec_of(
      "switch",
      {{"workers", "3"}, {"depth", "4"}, {"sequences", "5"}, {"pes", "2"}, {"profile", "fast"}});
  spec.seed = seed() + GetParam();
  Pair<SwitchPorts, QuietSwitchModel> pair("switch", kSwitch, spec,
                                           QuietSwitchModel(network_spec(spec.options)), true);
  reset_in_mid_frame(pair, spec.seed, 30);
}

INSTANTIATE_TEST_SUITE_P(Seeds, Start, ::testing::Range<uint64_t>(1, 5));

/// Frames that all ports get, among frames of one beat, which are too short: RX queues commit and
/// drop in every second cycle, output queues that hardly empty commit and drop, too.
TEST(AtOnce, WhatBothSidesOfAPortDoIsCounted) {
  constexpr size_t kPorts = SwitchPorts::kPorts, kOfPorts = 26;
  sim::RunSpec spec = spec_of(
      "switch",
      {{"workers", "3"}, {"depth", "4"}, {"sequences", "5"}, {"pes", "2"}, {"profile", "fast"}});
  spec.seed = seed() + 1;
  Pair<SwitchPorts, QuietSwitchModel> pair("switch", kSwitch, spec,
                                           QuietSwitchModel(network_spec(spec.options)), true);
  sim::Random random(spec.seed);
  std::array<std::vector<Beat>, kPorts> frames;
  std::array<size_t, kPorts> at{};
  std::array<std::array<uint32_t, 4>, kPorts> counted{};
  std::array<std::array<uint32_t, 4>, kPorts> together{};  // rx dropped + 2 * tx dropped
  const auto look = [&] {
    const uint64_t events = pair.probe();
    for (size_t p = 0; p < kPorts; ++p) {
      const bool rx_in = event::rx_committed(events, p), rx_out = event::rx_dropped(events, p);
      const bool tx_in = event::tx_committed(events, p), tx_out = event::tx_dropped(events, p);
      const std::array<bool, 4> all = {rx_in, rx_out, tx_in, tx_out};
      for (size_t i = 0; i < all.size(); ++i) counted[p][i] += all[i];
      if ((rx_in || rx_out) && (tx_in || tx_out)) ++together[p][rx_out + 2 * tx_out];
    }
  };
  for (int cycle = 0; cycle < 8000; ++cycle) {
    sim::Offered<SwitchPorts> offered{};
    for (size_t p = 0; p < kPorts; ++p) {
      if (at[p] == frames[p].size()) {
        frames[p].clear();
        at[p] = 0;
        const size_t bytes = random.below(2) == 0 ? 32 : 60 + random.below(100);
        sim::append_beats<Beat>(frames[p], ordinary(kEveryone, kHostA + p, -1, bytes));
      }
      offered[p] = &frames[p][at[p]++];
    }
    look();
    pair.clock(offered, cycle < 2000 ? 0 : static_cast<uint32_t>(random.below(16)));
    ASSERT_FALSE(HasFatalFailure());
  }
  for (int i = 0; i < 3000; ++i) {
    look();
    pair.clock({}, (1u << kPorts) - 1);
    ASSERT_FALSE(HasFatalFailure());
  }
  pair.compare_statistics();
  const std::vector<uint32_t> statistics = pair.statistics();
  for (size_t p = 0; p < kPorts; ++p) {
    for (size_t i = 0; i < 4; ++i) {
      EXPECT_EQ(statistics.at(kOfPorts + 4 * p + i), counted[p][i]) << "port " << p << ", " << i;
      EXPECT_GT(together[p][i], 0u) << "port " << p << ", " << i;
    }
  }
}

/// More workers or slots than there are count as all there are; none, as none.
TEST(IllegalPins, OfTheAggregatorAreClipped) {
  for (const uint32_t workers : {0u, 1u, 16u, 17u, 20u, 31u}) {
    for (const uint32_t depth : {0u, 1u, 1024u, 1025u, 2047u}) {
      const sim::RunSpec spec = aggregator_spec();
      systemc::AggregationConfig config = aggregation_config(network_spec(spec.options));
      config.workers = workers;
      config.depth = depth;
      Pair<FramePorts, AggregatorModel> pair("aggregator", kAggregator, spec,
                                             AggregatorModel(config));
      pair.pin("workers_i", workers);
      pair.pin("depth_i", depth);
      reference::Aggregator aggregator({.workers = static_cast<int>(std::clamp(workers, 1u, 16u)),
                                        .group = static_cast<uint16_t>(config.group),
                                        .depth = std::clamp<size_t>(depth, 1, 1024)});
      sim::Random random(seed() + 100 * workers + depth);
      std::vector<uint32_t> expected;
      for (int i = 0; i < 120; ++i) {
        constexpr uint32_t kSequences[] = {0, 1, 1023, 1024, 1025, 2047, 2048};
        // Every worker in turn, so that some frames complete their sequence number.
        const uint32_t sequence = kSequences[i < 40 ? 0 : random.below(7)];
        const auto worker = static_cast<uint16_t>(i < 40 ? i % 33 : random.below(33));
        std::vector<uint8_t> frame = gradient(sequence, worker);
        std::vector<uint32_t> values(32, 0);
        reference::Aggregator::Outcome outcome =
            aggregator.accept({static_cast<uint16_t>(config.group), worker, sequence, 1}, values);
        if (workers == 0) {
          outcome = {reference::Aggregation::kBadWorker, false};
        } else if (depth == 0 && outcome.action != reference::Aggregation::kBadWorker) {
          outcome = {reference::Aggregation::kOutOfRange, false};
        }
        expected.push_back(1 + static_cast<uint32_t>(outcome.action) + 8 * outcome.complete);
        std::vector<Beat> beats;
        sim::append_beats<Beat>(beats, frame);
        for (size_t at = 0; at < beats.size();) {
          const bool taken = pair.s_ready() != 0;
          pair.clock({&beats[at]}, 1);
          ASSERT_FALSE(HasFatalFailure()) << "W " << workers << " depth " << depth;
          at += taken;
        }
      }
      for (int i = 0; i < 100; ++i) pair.clock({nullptr}, 1);
      ASSERT_FALSE(HasFatalFailure()) << "W " << workers << " depth " << depth;
      pair.compare_statistics();
      std::vector<uint32_t> seen;
      for (size_t i = 0; i < pair.left.size(); ++i) {
        if (i != 0 && pair.left[i - 1].last == 0) continue;
        seen.push_back((pair.left[i].meta[4] >> 16 & 7) + 8 * (pair.left[i].meta[0] >> 6 & 1));
      }
      EXPECT_EQ(seen, expected) << "W " << workers << " depth " << depth;
    }
  }
}

}  // namespace
}  // namespace gw::testbenches::testing::pins_test
