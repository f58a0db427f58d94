// One node by itself, its neighbours made by hand: the cycle contract's sentences, each in cycles
// and frames. Cycle 0 is the first after reset, both links found.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <map>

#include "models/reference/ring/frame.h"
#include "models/systemc/ring/ring_nic.h"
#include "sim/harness/packet.h"

namespace gw::tests::ring::node_test {
namespace {

namespace reference = gw::reference::ring;
using reference::Bytes;
using reference::Frame;
using reference::Type;
using systemc::RingBuild;
using systemc::RingNic;
using systemc::RingPins;
using Beat = RingNic::Beat;

constexpr uint16_t kSession = 0x1234;

/// A frame, or a chunk, that left: the cycles of its first and last beat.
struct Left {
  uint64_t first = 0, last = 0;
  Bytes bytes = {};
  Frame frame() const { return reference::decode(bytes, 1 << 20).frame; }
};

class Node {
 public:
  static constexpr auto kHost = RingNic::kHost, kLeft = RingNic::kLeft, kRight = RingNic::kRight;

  Node(const RingBuild& build, RingPins pins) : nic_(build, with_session(pins)) {
    for (int edge = 0; edge < 64; ++edge) nic_.reset();
    nic_.clock({}, 0);
  }
  static RingPins with_session(RingPins pins) {
    pins.session = kSession;
    return pins;
  }

  RingNic& nic() { return nic_; }
  uint64_t now() const { return now_; }
  RingNic::Counters counters() const { return nic_.counters(); }
  uint32_t stat(size_t word) const { return nic_.statistics()[word]; }
  uint32_t stat(RingNic::Side side, RingNic::PortWord word) const {
    return nic_.statistics()[RingNic::word_of(side, word)];
  }
  uint32_t error() const { return nic_.error(); }

  /// Beats that come in, one in each cycle from `at` on.
  void put(size_t side, uint64_t at, const Bytes& bytes, bool bad = false) {
    std::vector<Beat> beats;
    sim::append_beats(beats, bytes, bad);
    put(side, at, beats);
  }
  void put(size_t side, uint64_t at, const std::vector<Beat>& beats) {
    for (const Beat& beat : beats) in_[side][at++] = beat;
  }
  void frame(size_t side, uint64_t at, const Frame& frame, bool bad = false) {
    put(side, at, reference::encode(frame), bad);
  }
  /// Until cycle `end` begins.
  void run_to(uint64_t end) {
    for (; now_ < end; ++now_) {
      std::array<const Beat*, 3> s{};
      for (size_t side = 0; side < 3; ++side) {
        const auto found = in_[side].find(now_);
        if (found != in_[side].end()) s[side] = &found->second;
      }
      if (s[kHost] != nullptr && (nic_.s_ready() & 1) == 0) refused.push_back(now_);
      for (size_t side = 0; side < 3; ++side) {
        const Beat* const beat = nic_.m_beat(side);
        if (beat == nullptr) continue;
        if (!within_[side]) out[side].push_back({.first = now_});
        Left& left = out[side].back();
        within_[side] = true;
        if ((ready >> side & 1) == 0) continue;
        const Bytes more = sim::bytes_of(std::span<const Beat>(beat, 1));
        left.bytes.insert(left.bytes.end(), more.begin(), more.end());
        left.last = now_;
        within_[side] = beat->last == 0;
      }
      nic_.clock(s, ready);
    }
  }

  std::array<std::vector<Left>, 3> out;
  std::vector<uint64_t> refused;  ///< cycles in which the host's beat was not taken
  uint32_t ready = 7;

 private:
  RingNic nic_;
  uint64_t now_ = 0;
  std::array<std::map<uint64_t, Beat>, 3> in_;
  std::array<bool, 3> within_{};
};

/// `count` values, all with these bits.
Bytes chunk(size_t count, float value) {
  Bytes bytes;
  const auto bits = std::bit_cast<uint32_t>(value);
  for (size_t i = 0; i < 4 * count; ++i) bytes.push_back(static_cast<uint8_t>(bits >> 8 * (i % 4)));
  return bytes;
}
Frame agg(uint8_t sender, uint32_t number, Bytes payload, uint32_t ack = 0) {
  return {.type = Type::kAgg,
          .sender = sender,
          .receiver = static_cast<uint8_t>(sender + 1),
          .session = kSession,
          .addends = static_cast<uint8_t>(sender + 1),
          .chunk = number,
          .ack = ack,
          .payload = std::move(payload)};
}
Frame bcast(uint8_t sender, uint8_t nodes, uint32_t number, Bytes payload, uint32_t ack = 0) {
  Frame frame = agg(sender, number, std::move(payload), ack);
  frame.type = Type::kBcast;
  frame.receiver = static_cast<uint8_t>(sender - 1);
  frame.addends = nodes;
  return frame;
}
Frame control(uint8_t sender, uint8_t receiver, uint32_t ack, bool asks = false) {
  return {.sender = sender,
          .receiver = receiver,
          .session = kSession,
          .answer_wanted = asks,
          .ack = ack};
}

constexpr RingBuild kSmall = {.slots_log2 = 2, .beats_log2 = 1, .add_latency = 5};
constexpr RingPins kFirst = {.node = 0, .nodes = 2, .window = 4, .timeout = 1000};
constexpr RingPins kMiddle = {.node = 1, .nodes = 3, .window = 4, .timeout = 1000};
constexpr RingPins kLast = {.node = 1, .nodes = 2, .window = 4, .timeout = 1000};

TEST(RingNode, LatenciesAreThoseThatThePageDerives) {
  for (const uint32_t adders : {1, 5, 6, 12}) {
    RingBuild build = kSmall;
    build.add_latency = adders;
    const Bytes one = chunk(16, 1), two = chunk(16, 2), three = chunk(16, 3);
    {  // host in -> AGG header 5, payload 6; BCAST in -> host out 6
      Node node(build, kFirst);
      node.put(Node::kHost, 0, one);
      node.frame(Node::kRight, 99, bcast(1, 2, 0, three, 1));
      node.run_to(150);
      ASSERT_EQ(node.out[Node::kRight].size(), 2u);
      EXPECT_EQ(node.out[Node::kRight][0].first, 5u);
      EXPECT_EQ(node.out[Node::kRight][0].last, 6u);
      EXPECT_EQ(node.out[Node::kRight][0].bytes, reference::encode(agg(0, 0, one)));
      EXPECT_EQ(node.out[Node::kRight][1].bytes, reference::encode(control(0, 1, 1)));
      ASSERT_EQ(node.out[Node::kHost].size(), 1u);
      EXPECT_EQ(node.out[Node::kHost][0].first, 100u + 6);
      EXPECT_EQ(node.out[Node::kHost][0].bytes, three);
    }
    {  // AGG in -> BCAST header A+7, payload A+8, host out A+8
      Node node(build, kLast);
      node.put(Node::kHost, 0, one);
      node.frame(Node::kLeft, 99, agg(0, 0, two));
      node.run_to(130);
      ASSERT_EQ(node.out[Node::kLeft].size(), 2u);  // the first is the ack of chunk 0
      EXPECT_EQ(node.out[Node::kLeft][0].bytes, reference::encode(control(1, 0, 1)));
      EXPECT_EQ(node.out[Node::kLeft][0].first, 100u + 5);
      EXPECT_EQ(node.out[Node::kLeft][1].first, 100u + adders + 7);
      EXPECT_EQ(node.out[Node::kLeft][1].last, 100u + adders + 8);
      EXPECT_EQ(node.out[Node::kLeft][1].bytes, reference::encode(bcast(1, 2, 0, three, 1)));
      ASSERT_EQ(node.out[Node::kHost].size(), 1u);
      EXPECT_EQ(node.out[Node::kHost][0].first, 100u + adders + 8);
      EXPECT_EQ(node.out[Node::kHost][0].bytes, three);
      EXPECT_TRUE(node.out[Node::kRight].empty());
    }
    {  // AGG in -> AGG header A+7, payload A+8; BCAST in -> BCAST header 5, payload 6
      Node node(build, kMiddle);
      node.put(Node::kHost, 0, one);
      node.frame(Node::kLeft, 99, agg(0, 0, two));
      node.frame(Node::kRight, 199, bcast(2, 3, 0, three, 1));
      node.run_to(210);
      ASSERT_GE(node.out[Node::kRight].size(), 1u);
      EXPECT_EQ(node.out[Node::kRight][0].first, 100u + adders + 7);
      EXPECT_EQ(node.out[Node::kRight][0].last, 100u + adders + 8);
      EXPECT_EQ(node.out[Node::kRight][0].bytes, reference::encode(agg(1, 0, three)));
      ASSERT_EQ(node.out[Node::kLeft].size(), 2u);  // the first is the ack of chunk 0
      EXPECT_EQ(node.out[Node::kLeft][0].bytes, reference::encode(control(1, 0, 1)));
      EXPECT_EQ(node.out[Node::kLeft][1].first, 200u + 5);
      EXPECT_EQ(node.out[Node::kLeft][1].last, 200u + 6);
      EXPECT_EQ(node.out[Node::kLeft][1].bytes, reference::encode(bcast(1, 3, 0, three, 1)));
    }
    {  // duplicate in -> control 6
      Node node(build, kLast);
      node.frame(Node::kLeft, 9, agg(0, 0, two));
      node.frame(Node::kLeft, 99, agg(0, 0, two));
      node.run_to(120);
      ASSERT_EQ(node.out[Node::kLeft].size(), 2u);
      EXPECT_EQ(node.out[Node::kLeft][1].first, 100u + 6);
      EXPECT_EQ(node.out[Node::kLeft][1].bytes, reference::encode(control(1, 0, 1)));
      EXPECT_EQ(node.stat(Node::kLeft, RingNic::kTaken), 1u);
      EXPECT_EQ(node.stat(Node::kLeft, RingNic::kDuplicate), 1u);
    }
  }
}

// A sum waits for both, and for the room of its result.
TEST(RingNode, ASumWaitsForHostNeighbourAndWindow) {
  RingPins pins = kMiddle;
  pins.window = 2;
  Node node(kSmall, pins);
  for (uint32_t k = 0; k < 2; ++k) {
    node.frame(Node::kLeft, 10 * k, agg(0, k, chunk(16, 1)));
  }
  node.run_to(60);
  EXPECT_EQ(node.counters().summing, 0u);  // no chunk of the host
  for (const uint64_t at : {60, 61, 80}) node.put(Node::kHost, at, chunk(16, 2));
  node.run_to(100);
  EXPECT_TRUE(node.refused.empty());
  EXPECT_EQ(node.counters().summing, 2u);
  EXPECT_EQ(node.counters().loaded, 3u);
  node.frame(Node::kLeft, 100, agg(0, 2, chunk(16, 1)));
  node.run_to(150);
  EXPECT_EQ(node.counters().link[1].expect, 3u);
  EXPECT_EQ(node.counters().summing, 2u);  // no result has been given
  // Result 0: given, but its frame to the left is not acknowledged, then it is.
  node.frame(Node::kRight, 150, bcast(2, 3, 0, chunk(16, 3), 1));
  node.run_to(200);
  EXPECT_EQ(node.counters().given, 1u);
  EXPECT_EQ(node.counters().free, 2u);
  node.frame(Node::kLeft, 200, control(0, 1, 1));
  node.run_to(250);
  EXPECT_EQ(node.counters().free, 3u);
  EXPECT_EQ(node.counters().summing, 3u);
  EXPECT_EQ(node.error(), 0u);
}

// Free goes with the frame to the right, too: it may have to be sent again.
TEST(RingNode, AResultIsNotDoneBeforeItsSumIsAcknowledged) {
  RingPins pins = kMiddle;
  pins.window = 1;
  Node node(kSmall, pins);
  node.put(Node::kHost, 0, chunk(16, 2));
  node.frame(Node::kLeft, 0, agg(0, 0, chunk(16, 1)));
  node.frame(Node::kRight, 100, bcast(2, 3, 0, chunk(16, 3), 0));  // its ack is still 0
  node.frame(Node::kLeft, 150, control(0, 1, 1));
  node.run_to(200);
  EXPECT_EQ(node.counters().given, 1u);
  EXPECT_EQ(node.counters().link[1].acked, 1u);
  EXPECT_EQ(node.counters().free, 1u);
  node.frame(Node::kRight, 200, control(2, 1, 1));
  node.run_to(250);
  EXPECT_EQ(node.counters().free, 2u);
}

// Gradients of node 0 stay until they are acknowledged; of another node until they are read.
TEST(RingNode, TheHostsSlotsAreFreeWhenNobodyNeedsThem) {
  RingPins pins = kFirst;
  pins.window = 1;
  Node node(kSmall, pins);
  node.put(Node::kHost, 0, chunk(16, 2));
  node.run_to(50);
  EXPECT_EQ(node.counters().limit, 1u);
  EXPECT_EQ(node.nic().s_ready() & 1, 0u);
  node.frame(Node::kRight, 50, control(1, 0, 1));
  node.run_to(100);
  EXPECT_EQ(node.counters().limit, 2u);
  EXPECT_EQ(node.nic().s_ready() & 1, 1u);
  // It may be loaded, but is not sent: its result has not come.
  node.put(Node::kHost, 100, chunk(16, 2));
  node.run_to(200);
  EXPECT_EQ(node.stat(Node::kRight, RingNic::kData), 1u);

  pins = kMiddle;
  pins.window = 1;
  Node middle(kSmall, pins);
  middle.put(Node::kHost, 0, chunk(16, 2));
  middle.run_to(50);
  EXPECT_EQ(middle.counters().limit, 1u);
  middle.frame(Node::kLeft, 50, agg(0, 0, chunk(16, 1)));
  middle.run_to(100);
  EXPECT_EQ(middle.counters().limit, 2u);
}

// A frame that is being sent holds its slot though its ack has come.
TEST(RingNode, AFrameInProgressHoldsItsSlot) {
  RingBuild build = kSmall;
  build.beats_log2 = 4;
  RingPins pins = kFirst;
  pins.window = 1;
  pins.timeout = 40;
  Node node(build, pins);
  const Bytes long_chunk = chunk(16 * 16, 2);
  node.put(Node::kHost, 0, long_chunk);
  // Sent by cycle 40; again after 40 more, in the midst of which the ack comes. The link stands.
  while (node.stat(Node::kRight, RingNic::kAgain) == 0) node.run_to(node.now() + 1);
  const uint64_t begun = node.now();
  node.ready = 7 & ~(1u << Node::kRight);
  node.frame(Node::kRight, begun, control(1, 0, 1));
  node.run_to(begun + 20);
  EXPECT_EQ(node.counters().link[2].acked, 1u);
  EXPECT_EQ(node.counters().link[2].base, 0u);
  EXPECT_EQ(node.counters().limit, 1u);
  node.ready = 7;
  node.run_to(begun + 60);
  EXPECT_EQ(node.counters().limit, 2u);
  EXPECT_EQ(node.out[Node::kRight][1].bytes, node.out[Node::kRight][0].bytes);
}

TEST(RingNode, OfABadFrameNothingIsBelieved) {
  for (const bool ack_only : {false, true}) {
    Node node(kSmall, kFirst);
    node.put(Node::kHost, 0, chunk(16, 2));
    const Frame frame = ack_only ? control(1, 0, 1, true) : bcast(1, 2, 0, chunk(16, 3), 1);
    node.frame(Node::kRight, 100, frame, /*bad=*/true);
    node.run_to(150);
    EXPECT_EQ(node.counters().link[2].acked, 0u);
    EXPECT_EQ(node.counters().link[2].expect, 0u);
    EXPECT_EQ(node.stat(Node::kRight, RingNic::kBad), 1u);
    EXPECT_EQ(node.stat(Node::kRight, RingNic::kControl), 0u);
    EXPECT_EQ(node.out[Node::kHost].size(), 0u);
    // The same, good: as if nothing had been.
    node.frame(Node::kRight, 150, frame);
    node.run_to(200);
    EXPECT_EQ(node.counters().link[2].acked, 1u);
    EXPECT_EQ(node.counters().link[2].expect, ack_only ? 0u : 1u);
    EXPECT_EQ(node.error(), 0u);
  }
}

// The ack counts after the verdict, not when the header is there.
TEST(RingNode, AnAckCountsThreeCyclesAfterTheFramesEnd) {
  RingBuild build = kSmall;
  build.beats_log2 = 3;
  Node node(build, kFirst);
  node.put(Node::kHost, 0, chunk(8 * 16, 2));
  node.frame(Node::kRight, 100, bcast(1, 2, 0, chunk(8 * 16, 3), 1));
  node.run_to(108 + 2);  // u = 108
  EXPECT_EQ(node.counters().link[2].expect, 1u);
  EXPECT_EQ(node.counters().link[2].acked, 0u);
  node.run_to(108 + 3);
  EXPECT_EQ(node.counters().link[2].acked, 1u);
}

// Nothing is written where something is: the payload of a frame without room, even of one that ends
// badly. (A left neighbour that takes ack for more than it is.)
TEST(RingNode, ASlotThatIsUsedIsNotWritten) {
  RingPins pins = kLast;
  pins.window = 1;
  RingBuild build = kSmall;
  build.slots_log2 = 0;
  Node node(build, pins);
  node.frame(Node::kLeft, 0, agg(0, 0, chunk(16, 1)));
  node.frame(Node::kLeft, 20, agg(0, 1, chunk(16, 100)), /*bad=*/true);
  node.run_to(50);
  EXPECT_EQ(node.counters().link[1].expect, 1u);
  EXPECT_EQ(node.counters().limit, 1u);
  node.put(Node::kHost, 50, chunk(16, 2));
  node.run_to(100);
  ASSERT_EQ(node.out[Node::kHost].size(), 1u);
  EXPECT_EQ(node.out[Node::kHost][0].bytes, chunk(16, 3));
  EXPECT_EQ(node.error(), 0u);

  // The same of results: host 0 has not taken result 0 yet, and nothing more has been sent.
  Node first(build, {.node = 0, .nodes = 2, .window = 1, .timeout = 1000});
  first.put(Node::kHost, 0, chunk(16, 1));
  first.run_to(20);
  first.ready = 7 & ~1u;
  first.frame(Node::kRight, 20, bcast(1, 2, 0, chunk(16, 3), 1));
  first.frame(Node::kRight, 22, bcast(1, 2, 1, chunk(16, 100), 1), /*bad=*/true);
  first.run_to(40);
  first.ready = 7;
  first.run_to(60);
  ASSERT_EQ(first.out[Node::kHost].size(), 1u);
  EXPECT_EQ(first.out[Node::kHost][0].bytes, chunk(16, 3));
  EXPECT_EQ(first.error(), 0u);
}

TEST(RingNode, AGoodFrameWithoutRoomIsAnError) {
  RingPins pins = kLast;
  pins.window = 1;
  Node node(kSmall, pins);
  node.frame(Node::kLeft, 0, agg(0, 0, chunk(16, 1)));
  node.frame(Node::kLeft, 20, agg(0, 1, chunk(16, 1)));
  node.run_to(20 + 1 + 2);  // the verdict is in cycle 22
  EXPECT_EQ(node.error(), 0x10u);
  EXPECT_EQ(node.counters().link[1].expect, 1u);

  Node first(kSmall, kFirst);
  first.frame(Node::kRight, 0, bcast(1, 2, 0, chunk(16, 1)));
  first.run_to(3);
  EXPECT_EQ(first.error(), 0x10u);
  // An ack of what has not been sent: a cycle later.
  Node other(kSmall, kFirst);
  other.frame(Node::kRight, 0, control(1, 0, 1));
  other.run_to(2);
  EXPECT_EQ(other.error(), 0u);
  other.run_to(3);
  EXPECT_EQ(other.error(), 0x10u);
  EXPECT_EQ(other.counters().link[2].acked, 0u);
}

TEST(RingNode, AGapIsDroppedADuplicateAnswered) {
  Node node(kSmall, kLast);
  node.frame(Node::kLeft, 0, agg(0, 1, chunk(16, 1)));
  node.run_to(30);
  EXPECT_EQ(node.stat(Node::kLeft, RingNic::kGap), 1u);
  EXPECT_EQ(node.counters().link[1].expect, 0u);
  EXPECT_TRUE(node.out[Node::kLeft].empty());
  node.frame(Node::kLeft, 30, agg(0, 0, chunk(16, 1)));
  node.run_to(80);
  ASSERT_EQ(node.out[Node::kLeft].size(), 1u);  // told != expect
  node.frame(Node::kLeft, 80, agg(0, 0, chunk(16, 5)));
  node.put(Node::kHost, 100, chunk(16, 2));
  node.run_to(150);
  ASSERT_EQ(node.out[Node::kLeft].size(), 3u);
  EXPECT_EQ(node.out[Node::kLeft][1].frame(), control(1, 0, 1));
  EXPECT_EQ(node.out[Node::kLeft][2].frame(), bcast(1, 2, 0, chunk(16, 3), 1));
  EXPECT_EQ(node.counters().link[1].expect, 1u);
  // A dropped frame changes one counter only.
  EXPECT_EQ(node.stat(Node::kLeft, RingNic::kTaken), 1u);
  EXPECT_EQ(node.stat(Node::kLeft, RingNic::kGap), 1u);
  EXPECT_EQ(node.stat(Node::kLeft, RingNic::kDuplicate), 1u);
}

TEST(RingNode, ATimeOutGoesBackAndNoSooner) {
  RingPins pins = kFirst;
  pins.timeout = 100;
  Node node(kSmall, pins);
  for (uint32_t k = 0; k < 3; ++k) node.put(Node::kHost, k, chunk(16, static_cast<float>(k)));
  node.frame(Node::kRight, 60, control(1, 0, 1));  // chunk 0 came; progress in cycle 62
  node.run_to(62 + 100 + 3);
  ASSERT_EQ(node.out[Node::kRight].size(), 3u);
  node.run_to(300);
  ASSERT_GE(node.out[Node::kRight].size(), 5u);
  // Waiting began in 63, timed out in 162, the header was issued in 163.
  EXPECT_EQ(node.out[Node::kRight][3].first, 166u);
  EXPECT_EQ(node.out[Node::kRight][3].frame().chunk, 1u);
  EXPECT_EQ(node.out[Node::kRight][4].frame().chunk, 2u);
  EXPECT_EQ(node.out[Node::kRight][3].bytes, node.out[Node::kRight][1].bytes);
  EXPECT_EQ(node.stat(Node::kRight, RingNic::kTimeouts), 2u);  // 162, 262
  EXPECT_EQ(node.stat(Node::kRight, RingNic::kAgain), 4u);
}

// An ack of what is to be sent again: that is not sent again.
TEST(RingNode, AnAckPullsNextForward) {
  RingPins pins = kFirst;
  pins.timeout = 100;
  Node node(kSmall, pins);
  for (uint32_t k = 0; k < 3; ++k) node.put(Node::kHost, k, chunk(16, 1));
  node.run_to(50);
  node.ready = 7 & ~(1u << Node::kRight);
  while (node.stat(Node::kRight, RingNic::kAgain) == 0) node.run_to(node.now() + 1);
  // While frames of chunk 0 are sent the neighbour's ack of all three comes.
  node.frame(Node::kRight, node.now(), control(1, 0, 3));
  node.run_to(node.now() + 4);
  EXPECT_EQ(node.counters().link[2].acked, 3u);
  EXPECT_EQ(node.counters().link[2].next, 3u);
  EXPECT_EQ(node.counters().link[2].top, 3u);
}

TEST(RingNode, WhoWaitsAsksAndWhoIsAskedAnswers) {
  RingPins pins = kLast;
  pins.timeout = 100;
  Node node(kSmall, pins);
  node.put(Node::kHost, 0, chunk(16, 1));
  node.run_to(1000);
  // loaded > expect from cycle 2 on: asks after each hundred.
  ASSERT_GE(node.out[Node::kLeft].size(), 9u);
  for (const Left& left : node.out[Node::kLeft]) {
    EXPECT_EQ(left.frame(), control(1, 0, 0, /*asks=*/true));
  }
  EXPECT_EQ(node.out[Node::kLeft][0].first, 2 + 100 + 3u);
  EXPECT_EQ(node.error(), 0u);
  node.run_to(2 + 1600);
  EXPECT_EQ(node.error(), 1u);  // 16 in a row
  EXPECT_EQ(node.stat(Node::kLeft, RingNic::kTimeouts), 16u);

  // Any good frame is progress while nothing of its own waits for an ack.
  Node heard(kSmall, pins);
  heard.put(Node::kHost, 0, chunk(16, 1));
  for (uint64_t at = 500; at < 10'000; at += 500) {
    heard.frame(Node::kLeft, at, control(0, 1, 0, /*asks=*/true));
  }
  heard.run_to(10'000);
  EXPECT_EQ(heard.error(), 0u);
  size_t answers = 0;
  for (const Left& left : heard.out[Node::kLeft]) answers += !left.frame().answer_wanted;
  EXPECT_EQ(answers, 19u);
}

// But not while it does: the neighbour lives, its data do not pass.
TEST(RingNode, FramesWithoutAnAckAreNoProgressForData) {
  RingPins pins = kFirst;
  pins.timeout = 100;
  Node node(kSmall, pins);
  node.put(Node::kHost, 0, chunk(16, 1));
  for (uint64_t at = 50; at < 3000; at += 50) node.frame(Node::kRight, at, control(1, 0, 0));
  node.run_to(3000);
  EXPECT_EQ(node.error(), 2u);
}

TEST(RingNode, FramesOfAnotherSessionAreForeign) {
  Node node(kSmall, kLast);
  Frame frame = agg(0, 0, chunk(16, 1));
  frame.session = kSession + 1;
  node.frame(Node::kLeft, 0, frame);
  frame.type = Type::kControl;
  frame.answer_wanted = true;
  frame.payload.clear();
  node.frame(Node::kLeft, 10, frame);
  node.run_to(60);
  EXPECT_EQ(node.counters().link[1].expect, 0u);
  EXPECT_EQ(node.stat(Node::kLeft, RingNic::kForeign), 2u);
  EXPECT_TRUE(node.out[Node::kLeft].empty());
}

// Every field that is looked at, and those that are not.
TEST(RingNode, AHeaderIsRightInAllThatIsLookedAt) {
  const Bytes good = reference::encode(agg(0, 0, chunk(17, 1)));
  struct Row {
    size_t byte;
    uint8_t value;
    bool taken;
  };
  const std::vector<Row> rows = {
      {0, 0xFF, true},  {11, 9, true},    {12, 0x89, false}, {13, 0, false},  {14, 2, false},
      {15, 2, false},   {15, 3, false},   {16, 0, false},    {17, 0, false},  {18, 2, false},
      {19, 0xFE, true}, {20, 1, false},   {21, 64, false},   {21, 69, false}, {21, 72, false},
      {30, 1, true},    {63, 0xFF, true}, {25, 1, false}};
  for (const Row& row : rows) {
    Node node(kSmall, kLast);
    Bytes bytes = good;
    bytes[row.byte] = row.value;
    node.put(Node::kLeft, 0, bytes);
    node.run_to(10);
    EXPECT_EQ(node.counters().link[1].expect, row.taken ? 1u : 0u) << row.byte;
    const bool gap = row.byte == 25;
    EXPECT_EQ(node.stat(Node::kLeft, RingNic::kForeign), row.taken || gap ? 0u : 1u) << row.byte;
    EXPECT_EQ(node.error(), 0u);
  }
  // A header alone, cut short; a chunk longer than a slot; tkeep with a hole below the tlast.
  Node node(kSmall, kLast);
  Bytes cut = reference::encode(control(0, 1, 0));
  cut.resize(60);
  node.put(Node::kLeft, 0, cut);
  node.frame(Node::kLeft, 10, agg(0, 0, chunk(33, 1)));
  std::vector<Beat> beats;
  sim::append_beats(beats, good);
  beats.back().keep = 0xFD;  // one byte
  node.put(Node::kLeft, 20, beats);
  beats.back().keep = 0xFF0F;  // four: the lowest zero counts
  beats[0].keep = 0;           // not on tlast: does not count
  node.put(Node::kLeft, 30, beats);
  node.run_to(40);
  EXPECT_EQ(node.stat(Node::kLeft, RingNic::kForeign), 3u);
  EXPECT_EQ(node.stat(Node::kLeft, RingNic::kTaken), 1u);
}

TEST(RingNode, ChunksThatDifferInLengthAreAnError) {
  Node node(kSmall, kLast);
  node.put(Node::kHost, 0, chunk(16, 1));
  node.frame(Node::kLeft, 0, agg(0, 0, chunk(15, 1)));
  node.run_to(4);
  EXPECT_EQ(node.error(), 4u);
  EXPECT_EQ(node.counters().summing, 0u);

  Node first(kSmall, kFirst);
  first.put(Node::kHost, 0, chunk(16, 1));
  first.frame(Node::kRight, 50, bcast(1, 2, 0, chunk(15, 1), 1));
  first.run_to(51 + 1);
  EXPECT_EQ(first.error(), 0u);
  first.run_to(51 + 2);
  EXPECT_EQ(first.error(), 4u);
  EXPECT_EQ(first.counters().link[2].expect, 1u);
}

TEST(RingNode, AChunkOfTheHostIsWholeValuesAndFits) {
  for (const size_t bytes : {1, 2, 3, 5, 63, 65, 129, 130, 132, 1000}) {
    Node node(kSmall, kFirst);
    node.put(Node::kHost, 0, Bytes(bytes, 1));
    const uint64_t t = (bytes + 63) / 64 - 1;
    node.run_to(t + 1);
    EXPECT_EQ(node.error(), 0u);
    EXPECT_EQ(node.nic().s_ready() & 1, 1u);
    node.run_to(t + 2);
    EXPECT_EQ(node.error(), 8u) << bytes;
    EXPECT_EQ(node.nic().s_ready() & 1, 0u);
    node.run_to(t + 50);
    EXPECT_TRUE(node.out[Node::kRight].empty());
  }
  for (const size_t bytes : {4, 60, 64, 68, 124, 128}) {
    Node node(kSmall, kFirst);
    node.put(Node::kHost, 0, Bytes(bytes, 1));
    node.run_to(50);
    EXPECT_EQ(node.error(), 0u);
    ASSERT_EQ(node.out[Node::kRight].size(), 1u);
    EXPECT_EQ(node.out[Node::kRight][0].bytes.size(), 64 + bytes);
  }
}

// What was begun ends, nothing starts, frames that come are judged as ever.
TEST(RingNode, AnErrorStopsWhatHasNotBegun) {
  const auto wrong = [](Node& node, uint64_t at) { node.put(Node::kHost, at, Bytes(3)); };
  {  // no frame: data, then an answer
    Node node(kSmall, kFirst);
    wrong(node, 0);
    node.frame(Node::kRight, 10, control(1, 0, 0, /*asks=*/true));
    node.run_to(100);
    EXPECT_EQ(node.error(), 8u);
    EXPECT_EQ(node.stat(Node::kRight, RingNic::kControlIn), 1u);
    EXPECT_TRUE(node.out[Node::kRight].empty());
  }
  {  // no result to the host
    Node node(kSmall, kFirst);
    node.put(Node::kHost, 0, chunk(16, 1));
    wrong(node, 20);
    node.frame(Node::kRight, 30, bcast(1, 2, 0, chunk(16, 3), 1));
    node.run_to(100);
    EXPECT_EQ(node.counters().link[2].expect, 1u);
    EXPECT_TRUE(node.out[Node::kHost].empty());
    EXPECT_EQ(node.stat(RingNic::kResults), 0u);
  }
  {  // no sum
    Node node(kSmall, kLast);
    node.put(Node::kHost, 0, chunk(16, 1));
    wrong(node, 20);
    node.frame(Node::kLeft, 30, agg(0, 0, chunk(16, 3)));
    node.run_to(100);
    EXPECT_EQ(node.counters().link[1].expect, 1u);
    EXPECT_EQ(node.stat(RingNic::kSums), 0u);
  }
  {  // a frame that has begun goes out whole, and so does a result
    RingBuild build = kSmall;
    build.beats_log2 = 5;
    Node node(build, kFirst);
    node.put(Node::kHost, 0, chunk(32 * 16, 1));
    wrong(node, 35);  // in error from 37 on; the frame has begun in 33
    node.run_to(100);
    EXPECT_EQ(node.error(), 8u);
    ASSERT_EQ(node.out[Node::kRight].size(), 1u);
    EXPECT_EQ(node.out[Node::kRight][0].bytes, reference::encode(agg(0, 0, chunk(32 * 16, 1))));
  }
}

// A link is found when it was silent for 64 cycles, in reset or out, or when a frame has ended.
TEST(RingNode, ALinkIsLostAfterReset) {
  for (const uint32_t silent : {0, 1, 62, 63, 64, 65}) {
    for (const uint32_t in_reset : {1, 10, 64}) {
      RingNic nic(kSmall, Node::with_session(kLast));
      std::vector<Beat> beats;
      sim::append_beats(beats, reference::encode(agg(0, 0, chunk(16, 1))));
      for (uint32_t i = 0; i < in_reset; ++i) nic.reset(/*offered=*/1u << RingNic::kLeft);
      nic.clock({nullptr, &beats[1], nullptr}, 7);  // the end of a frame that nobody saw begin
      const bool ended = silent == 0;
      EXPECT_EQ(nic.statistics()[RingNic::word_of(RingNic::kLeft, RingNic::kBad)], 0u);
      nic.clock({}, 7);
      EXPECT_EQ(nic.statistics()[RingNic::word_of(RingNic::kLeft, RingNic::kBad)], 1u);
      if (!ended) {
        // Again, without an end: silence alone.
        for (uint32_t i = 0; i < in_reset; ++i) nic.reset(1u << RingNic::kLeft);
        for (uint32_t i = 0; i < silent; ++i) nic.clock({}, 7);
      }
      for (const Beat& beat : beats) nic.clock({nullptr, &beat, nullptr}, 7);
      for (int i = 0; i < 4; ++i) nic.clock({}, 7);
      const bool found = ended || silent >= 64;
      EXPECT_EQ(nic.counters().link[1].expect, found ? 1u : 0u) << silent << " " << in_reset;
    }
  }
  // Silence in reset counts.
  RingNic nic(kSmall, Node::with_session(kLast));
  for (int i = 0; i < 63; ++i) nic.reset();
  std::vector<Beat> beats;
  sim::append_beats(beats, reference::encode(agg(0, 0, chunk(16, 1))));
  for (const Beat& beat : beats) nic.clock({nullptr, &beat, nullptr}, 7);
  for (int i = 0; i < 4; ++i) nic.clock({}, 7);
  EXPECT_EQ(nic.counters().link[1].expect, 1u);
}

// Ends of the chain: what comes at a port without a neighbour does not count.
TEST(RingNode, APortWithoutANeighbourHearsNothing) {
  Node node(kSmall, kLast);
  node.frame(Node::kRight, 0, control(0, 1, 7, true));
  node.put(Node::kRight, 10, Bytes(64, 1), true);
  node.run_to(50);
  EXPECT_EQ(node.error(), 0u);
  for (size_t word = RingNic::word_of(RingNic::kRight, RingNic::kData); word < RingNic::kStatistics;
       ++word) {
    EXPECT_EQ(node.stat(word), 0u);
  }
  EXPECT_EQ(node.nic().s_ready() >> 1, 3u);
}

// Credit: eight beats in each queue, whatever the sink does.
TEST(RingNode, AQueueHoldsEightBeats) {
  RingBuild build = kSmall;
  build.beats_log2 = 5;
  Node node(build, kFirst);
  node.ready = 0;
  Bytes values;
  for (uint32_t i = 0; i < 32 * 16; ++i) {
    const Bytes more = chunk(1, static_cast<float>(i));
    values.insert(values.end(), more.begin(), more.end());
  }
  node.put(Node::kHost, 0, values);
  node.run_to(100);
  node.ready = 7;
  node.run_to(200);
  ASSERT_EQ(node.out[Node::kRight].size(), 1u);
  EXPECT_EQ(node.out[Node::kRight][0].first, 31 + 5u);
  // Eight wait; a place counts as free the cycle after it is, and what takes it leaves three later.
  EXPECT_EQ(node.out[Node::kRight][0].last, 100u + 32);
  EXPECT_EQ(node.out[Node::kRight][0].bytes, reference::encode(agg(0, 0, values)));
}

}  // namespace
}  // namespace gw::tests::ring::node_test
