// The reference of the switch as it follows a run: each event bit is believed only if it may be.
// SPDX-License-Identifier: Apache-2.0
#include "testbenches/switch/oracle.h"

#include "tests/switch/support.h"

namespace gw::testbenches::testing::oracle_test {
namespace {

constexpr uint64_t served(size_t port) { return event::kServed | port << 1; }
constexpr uint64_t rx_in(size_t port) { return uint64_t{1} << (3 + port); }
constexpr uint64_t rx_out(size_t port) { return uint64_t{1} << (7 + port); }
constexpr uint64_t tx_in(size_t port) { return uint64_t{1} << (11 + port); }
constexpr uint64_t tx_out(size_t port) { return uint64_t{1} << (15 + port); }

class SwitchOracleTest : public ::testing::Test {
 protected:
  sim::PacketRef<Beat> arrives(size_t port, const std::vector<uint8_t>& frame, bool error = false) {
    sim::PacketRef<Beat> packet = sim::make_packet<Beat>(frame, error);
    packet->port = static_cast<uint32_t>(port);
    oracle_.arrives(port, packet);
    return packet;
  }
  /// Station p, on port p, introduces itself; what it floods is taken away.
  void introduce(size_t port) {
    arrives(port, ordinary(kEveryone, kHostA + port, 10));
    EXPECT_EQ(oracle_.decides(rx_in(port)), "");
    EXPECT_EQ(oracle_.decides(served(port)), "");
    for (size_t p = 0; p < 4; ++p) {
      if (p == port) continue;
      EXPECT_EQ(oracle_.decides(tx_in(p)), "");
      EXPECT_NE(oracle_.next(p), nullptr);
    }
    EXPECT_TRUE(oracle_.quiet());
  }

  NetworkSpec net_ = [] {
    NetworkSpec net;
    net.workers = 1;
    net.pes = 1;
    return net;
  }();
  SwitchOracle oracle_{net_, 1};
};

TEST_F(SwitchOracleTest, NothingIsDroppedWhereThereIsRoom) {
  arrives(2, ordinary(kEveryone, kHostA, 10));
  EXPECT_FALSE(oracle_.quiet());
  EXPECT_EQ(oracle_.decides(rx_in(2)), "");
  EXPECT_EQ(oracle_.decides(served(2)), "");
  EXPECT_EQ(oracle_.next(0), nullptr);  // not in the queue yet
  EXPECT_EQ(oracle_.decides(tx_in(0) | tx_out(1) | tx_in(3)),
            "TX queue 1: a frame dropped, there was room");
}

TEST_F(SwitchOracleTest, WhatLeavesHasItsMaker) {
  const auto maker = arrives(2, ordinary(kEveryone, kHostA, 10, 77));
  EXPECT_EQ(oracle_.decides(rx_in(2)), "");
  EXPECT_EQ(oracle_.decides(served(2)), "");
  EXPECT_EQ(oracle_.decides(tx_in(0) | tx_in(1) | tx_in(3)), "");
  EXPECT_FALSE(oracle_.quiet());
  for (const size_t p : {0u, 1u, 3u}) {
    const auto peeked = oracle_.peek(p), owed = oracle_.next(p);
    ASSERT_NE(owed, nullptr);
    EXPECT_EQ(peeked, owed);
    EXPECT_EQ(owed->source, maker);
    EXPECT_EQ(owed->bytes(), 77u);
    EXPECT_EQ(oracle_.next(p), nullptr);
  }
  EXPECT_TRUE(oracle_.quiet());
  const nlohmann::json ports = oracle_.findings()["ports"];
  EXPECT_EQ(ports[2]["frames_in"], 1);
  EXPECT_EQ(ports[2]["frames_out"], 0);
  EXPECT_EQ(ports[3]["frames_out"], 1);
  EXPECT_EQ(ports[3]["bytes_out"], 77);
}

TEST_F(SwitchOracleTest, NoEventWithoutAFrame) {
  for (size_t p = 0; p < 4; ++p) {
    const std::string n = std::to_string(p);
    EXPECT_EQ(oracle_.decides(served(p)), "a frame of port " + n + " served, none committed");
    EXPECT_EQ(oracle_.decides(rx_in(p)), "RX queue " + n + ": a frame committed, none");
    EXPECT_EQ(oracle_.decides(rx_out(p)), "RX queue " + n + ": a frame dropped, none");
    EXPECT_EQ(oracle_.decides(tx_in(p)), "TX queue " + n + ": a frame committed, none");
    EXPECT_EQ(oracle_.decides(tx_out(p)), "TX queue " + n + ": a frame dropped, none");
  }
}

TEST_F(SwitchOracleTest, OneEventAFrame) {
  arrives(1, ordinary(kEveryone, kHostA, 10));
  EXPECT_EQ(oracle_.decides(rx_in(0)), "RX queue 0: a frame committed, none");
  EXPECT_EQ(oracle_.decides(rx_in(1) | rx_out(1)),
            "RX queue 1: a frame committed and dropped, one of both");
  EXPECT_EQ(oracle_.decides(rx_in(1)), "");
  EXPECT_EQ(oracle_.decides(rx_in(1)), "RX queue 1: a frame committed, none");
  EXPECT_EQ(oracle_.decides(served(1)), "");
  EXPECT_EQ(oracle_.decides(served(1)), "a frame of port 1 served, none committed");
  EXPECT_EQ(oracle_.decides(tx_in(1)),
            "TX queue 1: a frame committed, none");  // where it came from
  EXPECT_EQ(oracle_.decides(tx_in(0)), "");
  EXPECT_EQ(oracle_.decides(tx_in(0)), "TX queue 0: a frame committed, none");
}

TEST_F(SwitchOracleTest, WhatAnRxQueueHasToDropMayNotComeIn) {
  arrives(0, ordinary(kEveryone, kHostA, 10, 59));
  EXPECT_EQ(oracle_.decides(rx_in(0)), "RX queue 0: a frame committed, it is too short");
  arrives(1, ordinary(kEveryone, kHostA, 10, 9019));
  EXPECT_EQ(oracle_.decides(rx_in(1)), "RX queue 1: a frame committed, it is too long");
  arrives(2, ordinary(kEveryone, kHostA, 10, 64), true);
  EXPECT_EQ(oracle_.decides(rx_in(2)), "RX queue 2: a frame committed, it is in error");
}

TEST_F(SwitchOracleTest, DropsAreBelievedWhereTheyHaveToBe) {
  arrives(0, ordinary(kEveryone, kHostA, 10, 59));
  arrives(1, ordinary(kEveryone, kHostA, 10, 9019));
  arrives(2, ordinary(kEveryone, kHostA, 10, 64), true);
  arrives(3, ordinary(kEveryone, kHostA, 10, 60));
  EXPECT_EQ(oracle_.decides(rx_out(0) | rx_out(1) | rx_out(2)), "");
  EXPECT_EQ(oracle_.decides(rx_out(3)), "RX queue 3: a frame dropped, there was room");
  const auto statistics = oracle_.statistics();
  EXPECT_EQ(statistics[26 + 1], 1u);
  EXPECT_EQ(statistics[26 + 13], 0u);
}

TEST_F(SwitchOracleTest, BothSidesOfAPortDropAtOnce) {
  for (int i = 0; i < 3; ++i) {
    arrives(0, ordinary(kEveryone, kHostA, 10, i == 1 ? 230 * 32 : 9018));
    EXPECT_EQ(oracle_.decides(rx_in(0)), "");
    EXPECT_EQ(oracle_.decides(served(0)), "");
  }
  EXPECT_EQ(oracle_.decides(tx_in(1)), "");
  EXPECT_EQ(oracle_.decides(tx_in(1)), "");
  arrives(1, ordinary(kEveryone, kHostB, 10, 59));
  EXPECT_EQ(oracle_.decides(rx_out(1) | tx_out(1)), "");
  const auto statistics = oracle_.statistics();
  EXPECT_EQ(statistics[26 + 4 + 1], 1u);
  EXPECT_EQ(statistics[26 + 4 + 3], 1u);
}

TEST_F(SwitchOracleTest, AQueueOf512BeatsMayDropTheSecondJumboFrame) {
  // 282 and 230 beats fit beside one another, 282 and 231 may not.
  arrives(0, ordinary(kEveryone, kHostA, 10, 9018));
  EXPECT_EQ(oracle_.decides(rx_in(0)), "");
  arrives(0, ordinary(kEveryone, kHostA, 10, 230 * 32));
  EXPECT_EQ(oracle_.decides(rx_out(0)), "RX queue 0: a frame dropped, there was room");
  arrives(0, ordinary(kEveryone, kHostA, 10, 231 * 32));
  EXPECT_EQ(oracle_.decides(rx_out(0)), "");
  // Served, it may still be on its way out.
  EXPECT_EQ(oracle_.decides(served(0)), "");
  arrives(0, ordinary(kEveryone, kHostA, 10, 231 * 32));
  EXPECT_EQ(oracle_.decides(rx_out(0)), "");
  arrives(0, ordinary(kEveryone, kHostA, 10, 60));
  EXPECT_EQ(oracle_.decides(rx_in(0)), "");
  EXPECT_EQ(oracle_.decides(served(0)), "");  // now the one before is out
  arrives(0, ordinary(kEveryone, kHostA, 10, 231 * 32));
  EXPECT_EQ(oracle_.decides(rx_out(0)), "RX queue 0: a frame dropped, there was room");
}

TEST_F(SwitchOracleTest, AnOutputQueueMayDropWhatDoesNotFitBesideTheFramesBefore) {
  for (int i = 0; i < 3; ++i) {
    arrives(0, ordinary(kEveryone, kHostA, 10, i == 1 ? 230 * 32 : 9018));
    EXPECT_EQ(oracle_.decides(rx_in(0)), "");
    EXPECT_EQ(oracle_.decides(served(0)), "");
  }
  EXPECT_EQ(oracle_.decides(tx_in(1) | tx_in(2) | tx_in(3)), "");
  EXPECT_EQ(oracle_.decides(tx_in(1)), "");
  EXPECT_EQ(oracle_.decides(tx_out(2)), "TX queue 2: a frame dropped, there was room");
  EXPECT_EQ(oracle_.decides(tx_out(1)), "");
  EXPECT_EQ(oracle_.findings()["ports"][1]["tx_dropped"], 1);
}

TEST_F(SwitchOracleTest, FramesThatAreFilteredOweNothingButWork) {
  introduce(1);
  EXPECT_EQ(oracle_.busy(), 0u);
  // Station 1 sends to itself.
  std::vector<uint8_t> frame = gradient(5, 0);
  frame[5] = frame[11] = 2;
  for (int i = 0; i < 2; ++i) {
    arrives(1, frame);
    EXPECT_EQ(oracle_.decides(rx_in(1)), "");
    EXPECT_EQ(oracle_.decides(served(1)), "");
    EXPECT_TRUE(oracle_.quiet());
    // Complete with its one worker, 32 rounds of one PE; the second time a duplicate, which is not.
    EXPECT_EQ(oracle_.busy(), 32u + 21 + 32);
  }
  EXPECT_EQ(oracle_.findings()["lookup"]["filtered"], 2);
  introduce(2);
  EXPECT_EQ(oracle_.busy(), 0u);  // it has left, and so have those before it
}

TEST_F(SwitchOracleTest, CountsWhatTheDeviceDecided) {
  introduce(0);
  introduce(3);
  const auto statistics = oracle_.statistics();
  ASSERT_EQ(statistics.size(), device("switch").facts().statistics.size());
  const auto word = [&](const char* name) {
    const auto& names = device("switch").facts().statistics;
    return statistics[static_cast<size_t>(std::ranges::find(names, name) - names.begin())];
  };
  EXPECT_EQ(word("port0_rx_frames"), 1u);
  EXPECT_EQ(word("port1_rx_frames"), 0u);
  EXPECT_EQ(word("port0_tx_frames"), 1u);
  EXPECT_EQ(word("port1_tx_frames"), 2u);
  EXPECT_EQ(word("flooded"), 2u);
  EXPECT_EQ(word("not_expether"), 2u);
  EXPECT_EQ(word("aggregator_interlock_cycles"), std::nullopt);
}

}  // namespace
}  // namespace gw::testbenches::testing::oracle_test
