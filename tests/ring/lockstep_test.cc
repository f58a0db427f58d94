// Rings in the one loop: feed, oracle, two engines in lockstep, what is said of a divergence
// within.
// SPDX-License-Identifier: Apache-2.0
#include "sim/harness/lockstep.h"

#include <gtest/gtest.h>

#include <memory>

#include "sim/harness/chain.h"
#include "testbenches/ring/feed.h"
#include "testbenches/ring/model.h"
#include "testbenches/ring/oracle.h"
#include "tests/support.h"

namespace gw::tests::lockstep_test {
namespace {

using namespace gw::testbenches;
using Beat = RingPorts::Beat;

/// A node whose next beat to the right, from a cycle on, has another bit; or none.
class BentNode : public RingNodeModel {
 public:
  using RingNodeModel::RingNodeModel;
  uint64_t bends_in = UINT64_MAX;
  void reset() {
    RingNodeModel::reset();
    now_ = 0;
    bent_in = UINT64_MAX;
  }
  void boot(const sim::Boot& boot) {
    RingNodeModel::boot(boot);
    now_ = 0;
  }
  const Beat* m_beat(size_t port) const {
    const Beat* const beat = RingNodeModel::m_beat(port);
    if (beat == nullptr || port != RingNodePorts::kRight || now_ < bends_in) return beat;
    bent_ = *beat;
    bent_.data[9] ^= 4;
    bent_in = std::min(bent_in, now_);
    return &bent_;
  }
  void clock(const sim::Offered<RingNodePorts>& offered, uint32_t m_ready) {
    RingNodeModel::clock(offered, m_ready);
    ++now_;
  }
  mutable uint64_t bent_in = UINT64_MAX;

 private:
  mutable Beat bent_;
  uint64_t now_ = 0;
};

class Nodes {
 public:
  static constexpr uint32_t kTimeout = 300;
  Nodes(uint32_t nodes, const sim::LinkSpec& link, uint32_t timeout = kTimeout) {
    const systemc::RingBuild build{.slots_log2 = 3, .beats_log2 = 2, .add_latency = 3};
    for (uint32_t i = 0; i < nodes; ++i) {
      const systemc::RingPins pins{.node = static_cast<uint8_t>(i),
                                   .nodes = static_cast<uint8_t>(nodes),
                                   .session = 3,
                                   .window = 4,
                                   .timeout = timeout};
      all.push_back(std::make_unique<BentNode>(build, pins));
      pointers.push_back(all.back().get());
    }
    ring = std::make_unique<sim::Ring<RingPorts, BentNode>>(pointers, link);
  }
  std::vector<std::unique_ptr<BentNode>> all;
  std::vector<BentNode*> pointers;
  std::unique_ptr<sim::Ring<RingPorts, BentNode>> ring;
};

struct Result {
  sim::Failure failure;
  sim::Timeline timeline;
};
Result run(Nodes& a, Nodes& b, const RingLoad& load, const sim::Drive& drive = {}) {
  RingFeed feed(load);
  RingOracle oracle(load.nodes, true, 17 * Nodes::kTimeout);
  sim::Lockstep lockstep(*a.ring, *b.ring, feed, oracle, drive, "rtl", "model");
  lockstep.reset();
  while (lockstep.advance(64)) {
  }
  return {lockstep.failure(), lockstep.timeline()};
}

TEST(RingLockstep, AnyNumberOfNodesUnderStallsAndFaults) {
  for (uint32_t nodes = 2; nodes <= 8; nodes += 3) {
    for (const char* stall : {"none", "both:40"}) {
      for (const double percent : {0, 4}) {
        const sim::LinkSpec link{
            .delay = 7, .loss = percent, .corrupt = percent, .scramble = true, .seed = nodes};
        Nodes a(nodes, link), b(nodes, link);
        const RingLoad load{.nodes = nodes,
                            .bytes = 1000,
                            .chunk = 256,
                            .operations = 10,
                            .irregular = percent != 0,
                            .skew = {0, 500}};
        const Result r = run(a, b, load, {.stall = sim::StallSpec::parse(stall)});
        ASSERT_EQ(r.failure.kind, sim::FailureKind::kNone) << explain(r.failure);
        // A thousand bytes are three whole chunks and one of 232; to each host.
        EXPECT_EQ(r.timeline.packets_out(), nodes * 4 * 10);
        for (uint32_t i = 0; i < nodes; ++i) EXPECT_EQ(r.timeline.out[i].bytes, 10'000u);
      }
    }
  }
}

TEST(RingLockstep, ADivergenceWithinNamesNodeSideCycleAndBothBeats) {
  for (const uint64_t cycle : {20, 137, 400}) {
    for (size_t node = 0; node < 2; ++node) {
      const sim::LinkSpec link{.delay = 50};
      Nodes a(3, link), b(3, link);
      b.all[node]->bends_in = cycle;
      const Result r = run(a, b, {.nodes = 3, .bytes = 20'000, .chunk = 256});
      const std::string port = "node" + std::to_string(node) + ".m_axis_right";
      EXPECT_EQ(r.failure.kind, sim::FailureKind::kLockstep);
      EXPECT_EQ(r.failure.port, port);
      EXPECT_EQ(r.failure.signal, "tdata");
      EXPECT_EQ(r.failure.cycle, b.all[node]->bent_in);
      std::string words;
      for (const std::string& line : r.failure.lines) words += line + "\n";
      EXPECT_NE(words.find("rtl shows at " + port + ": "), std::string::npos) << words;
      EXPECT_NE(words.find("model shows at " + port + ": "), std::string::npos) << words;
      if (cycle == 20 && node == 1) continue;  // what is there then is an ack
      EXPECT_TRUE(words.find("AGG of chunk ") != std::string::npos ||
                  words.find("a chunk's beat") != std::string::npos ||
                  words.find("control, ack ") != std::string::npos)
          << words;
    }
  }
}

// Node 0 of the second ring waits longer before it sends again: its counter of time-outs, word 22.
TEST(RingLockstep, ACounterThatDiffersIsNamed) {
  const sim::LinkSpec link{.delay = 50, .dead = {{.from = 20, .to = 1000}}};
  Nodes a(2, link), b(2, link, Nodes::kTimeout + 10);
  const Result r = run(a, b, {.nodes = 2, .bytes = 5000, .chunk = 256});
  EXPECT_EQ(r.failure.kind, sim::FailureKind::kLockstep);
  EXPECT_EQ(r.failure.port, "node0");
  EXPECT_EQ(r.failure.signal, "stat_o@704");
  EXPECT_EQ(r.failure.value_a, "00000001");
  EXPECT_EQ(r.failure.value_b, "00000000");
}

TEST(RingLockstep, ADeadLinkIsASentenceThatNamesTheNode) {
  const sim::LinkSpec link{.delay = 5, .dead = {{.from = 200}}};
  Nodes a(2, link), b(2, link);
  const Result r = run(a, b, {.nodes = 2, .bytes = 20'000, .chunk = 256});
  EXPECT_EQ(r.failure.kind, sim::FailureKind::kStopped);
  EXPECT_NE(r.failure.text.find("neighbour does not answer (error_o = "), std::string::npos)
      << r.failure.text;
  EXPECT_EQ(r.failure.text.substr(0, 5), "node ");
}

TEST(RingLockstep, AWrongSumIsFoundByTheReference) {
  const sim::LinkSpec link{.delay = 5};
  Nodes a(2, link), b(2, link);
  // Both alike, in a payload: the receiver's FCS does not see it.
  for (Nodes* nodes : {&a, &b}) nodes->all[0]->bends_in = 30;
  const Result r = run(a, b, {.nodes = 2, .bytes = 2000, .chunk = 256});
  EXPECT_NE(r.failure.kind, sim::FailureKind::kNone);
  EXPECT_NE(r.failure.kind, sim::FailureKind::kLockstep);
}

TEST(RingOracle, ScoresOrdersOfAdditions) {
  RingOracle oracle(4, true, 0);
  const std::vector<float> column = {0x1p24f, 1, 1, -0x1p24f};
  for (size_t node = 0; node < 4; ++node) {
    auto packet = sim::make_packet<Beat>(std::vector<uint8_t>(4));
    packet->beats[0].data[0] = std::bit_cast<uint32_t>(column[node]);
    EXPECT_FALSE(node == 3 && oracle.quiet());
    oracle.arrives(node, packet);
  }
  // The exact sum is 2; in order it is 0, as is Algorithm 1's of a block that begins at node 0; the
  // tree has 2^24 + (2 - ...).
  const double place = 0x1p-22;
  EXPECT_EQ(oracle.ring().max, 2 / place);
  EXPECT_EQ(oracle.algorithm1().max, 2 / place);
  EXPECT_EQ(oracle.ring().values, 1u);
  EXPECT_EQ(oracle.peek(3)->beats[0].data[0], 0u);
  EXPECT_FALSE(oracle.quiet());
  for (size_t node = 0; node < 4; ++node) EXPECT_NE(oracle.next(node), nullptr);
  EXPECT_TRUE(oracle.quiet());
}

TEST(RingFeed, DrawsTheSameWhoeverAsksFirst) {
  const RingLoad load{.nodes = 2, .bytes = 100, .chunk = 64, .operations = 2, .skew = {0, 10}};
  RingFeed feed(load);
  EXPECT_EQ(feed.next(1, 5).state, sim::Feed<Beat>::State::kNotYet);
  EXPECT_EQ(feed.next(2, 5).state, sim::Feed<Beat>::State::kOver);
  for (uint64_t number = 0; number < 4; ++number) {
    const auto next = feed.next(1, 10);
    ASSERT_EQ(next.state, sim::Feed<Beat>::State::kPacket);
    EXPECT_EQ(sim::bytes_of(*next.packet), RingFeed::values(load, 1, number));
    EXPECT_EQ(next.packet->bytes(), number % 2 == 0 ? 64u : 36u);
  }
  EXPECT_EQ(feed.next(1, 10).state, sim::Feed<Beat>::State::kOver);
  EXPECT_NE(RingFeed::values(load, 0, 0), RingFeed::values(load, 1, 0));
  EXPECT_NE(RingFeed::values(load, 0, 0), RingFeed::values(load, 0, 2));
}

}  // namespace
}  // namespace gw::tests::lockstep_test
