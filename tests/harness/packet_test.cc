// Bytes cut into beats and back, for both widths, and the queues that packets wait in.
// SPDX-License-Identifier: Apache-2.0
#include "sim/harness/packet.h"

#include <gtest/gtest.h>

#include "sim/feeds/source.h"
#include "tests/harness/toys.h"

namespace gw::sim::toys::packet_test {
namespace {

template <class Beat>
class Packets : public testing::Test {};
using Widths = testing::Types<gw::Beat, gw::BasicBeat<16>>;
TYPED_TEST_SUITE(Packets, Widths);

TYPED_TEST(Packets, BytesAreCutIntoBeatsAndBack) {
  using Beat = TypeParam;
  constexpr size_t kBytes = Beat::kBytes;
  Random random(1);
  for (size_t n = 1; n <= 3 * kBytes + 1; ++n) {
    const std::vector<uint8_t> bytes = irregular_bytes(random, n);
    const PacketRef<Beat> packet = make_packet<Beat>(bytes, true, {5, 6});
    ASSERT_EQ(packet->beats.size(), (n + kBytes - 1) / kBytes);
    for (size_t i = 0; i < packet->beats.size(); ++i) {
      const Beat& beat = packet->beats[i];
      const bool last = i + 1 == packet->beats.size();
      EXPECT_EQ(beat.last, last);
      EXPECT_EQ(beat.user, last) << "an error is told with tlast";
      EXPECT_EQ(beat.meta, (std::array<uint32_t, 6>{5, 6}));
      EXPECT_EQ(bytes_of_keep(beat.keep), last ? (n - 1) % kBytes + 1 : kBytes);
    }
    EXPECT_EQ(bytes_of(*packet), bytes);
    EXPECT_EQ(packet->bytes(), n);
    // What tkeep leaves out is zero.
    const auto* end = reinterpret_cast<const uint8_t*>(packet->beats.back().data.data());
    for (size_t i = (n - 1) % kBytes + 1; i < kBytes; ++i) EXPECT_EQ(end[i], 0);
  }
}

/// A packet with something in each of its fields.
template <class Beat>
PacketRef<Beat> told(const PacketRef<Beat>& source) {
  PacketRef<Beat> packet = make_packet<Beat>(std::vector<uint8_t>(100, 0xFF), true, {7});
  packet->id = packet->trace_number = packet->gap = packet->port = packet->trigger = 3;
  packet->accepted = packet->accepted_last = packet->triggered = packet->action = 5;
  packet->measured = false;
  packet->hostile = true;
  packet->time_ns = 9;
  packet->config.fill(1);
  packet->ratio = 2;
  packet->values = {1, 2};
  packet->source = source;
  return packet;
}

TYPED_TEST(Packets, WhatIsUsedAgainIsAsNew) {
  using Beat = TypeParam;
  const PacketRef<Beat> fresh(new Packet<Beat>);
  PacketRef<Beat> source = make_packet<Beat>();
  PacketRef<Beat> first = told(source);
  const Packet<Beat>* place = first.get();
  first.reset();
  EXPECT_EQ(source->references.count, 1u) << "what is kept holds nobody";
  const PacketRef<Beat> again = make_packet<Beat>();
  if (SparePackets<Beat>::kMost > 0) {
    ASSERT_EQ(again.get(), place) << "the room is used again";
    EXPECT_GT(again->beats.capacity(), 0u);
  }
  EXPECT_TRUE(again->beats.empty());
  EXPECT_TRUE(again->values.empty());
  EXPECT_EQ(again->source, nullptr);
  EXPECT_EQ(static_cast<const PacketFacts&>(*again), static_cast<const PacketFacts&>(*fresh));
}

TYPED_TEST(Packets, WhatIsVeryLongIsNotKept) {
  using Beat = TypeParam;
  PacketRef<Beat> longest = make_packet<Beat>(std::vector<uint8_t>(size_t{1} << 20));
  longest.reset();
  EXPECT_LT(make_packet<Beat>()->beats.capacity(), 2000u);
}

TYPED_TEST(Packets, ACopyIsReferredToByNobody) {
  using Beat = TypeParam;
  const PacketRef<Beat> one = told<Beat>(nullptr);
  const PacketRef<Beat> other = one;
  const PacketRef<Beat> copy(new Packet<Beat>(*one));
  EXPECT_EQ(one->references.count, 2u);
  EXPECT_EQ(copy->references.count, 1u);
  *copy = *one;
  EXPECT_EQ(copy->references.count, 1u);
}

TYPED_TEST(Packets, NoBytesAreABeatWithoutAny) {
  const PacketRef<TypeParam> packet = make_packet<TypeParam>({});
  ASSERT_EQ(packet->beats.size(), 1u);
  EXPECT_EQ(packet->beats[0].keep, 0u);
  EXPECT_EQ(packet->beats[0].last, 1);
}

TYPED_TEST(Packets, KeepAndBytesAreInverse) {
  for (int n = 0; n <= TypeParam::kBytes; ++n) {
    EXPECT_EQ(bytes_of_keep(TypeParam::keep_of(n)), n);
    EXPECT_EQ(TypeParam::keep_of(n) & (TypeParam::keep_of(n) + 1), 0u);
  }
}

TEST(PreparedFeeds, AreFedAgain) {
  using State = Feed<gw::Beat>::State;
  Random random(2);
  PreparedFeed<gw::Beat> feed;
  feed.add(1, irregular_packet<gw::Beat>(random, 10));
  feed.add(0, irregular_packet<gw::Beat>(random, 20));
  feed.add(1, irregular_packet<gw::Beat>(random, 30));
  for (int round = 0; round < 2; ++round) {
    EXPECT_EQ(feed.next(1, 0).packet->id, 0u);
    EXPECT_EQ(feed.next(0, 0).packet->id, 1u);
    EXPECT_EQ(feed.next(1, 0).packet->id, 2u);
    for (const size_t port : {0, 1, 7}) EXPECT_EQ(feed.next(port, 0).state, State::kOver);
    feed.rewind();
  }
  EXPECT_EQ(feed.packets(), 3u);
}

TEST(SourceFeeds, DealPacketsOutToPorts) {
  using State = Feed<gw::Beat>::State;
  std::vector<RawPacket> raw(5);
  const uint32_t ports[] = {2, 0, 2, 2, 0};
  for (uint32_t i = 0; i < 5; ++i) {
    raw[i].bytes = {static_cast<uint8_t>(i), 9};
    raw[i].port = ports[i];
    raw[i].time_ns = 100 * i;
    raw[i].own_config = true;
    raw[i].config = {i, 1, 2, 3};
    raw[i].values = {i + 7};
  }
  ListSource source(raw);
  SourceFeed<gw::Beat> feed(source, 3);
  for (const uint32_t i : {1u, 4u}) {
    const auto packet = feed.next(0, 0).packet;
    ASSERT_NE(packet, nullptr);
    EXPECT_EQ(packet->id, i);
    EXPECT_EQ(packet->time_ns, 100 * i);
    EXPECT_EQ(packet->config[0], i);
    EXPECT_EQ(packet->values, std::vector<uint32_t>{i + 7});
    EXPECT_EQ(bytes_of(*packet), raw[i].bytes);
  }
  EXPECT_EQ(feed.next(1, 0).state, State::kOver);
  for (const uint32_t i : {0u, 2u, 3u}) EXPECT_EQ(feed.next(2, 0).packet->id, i);
  EXPECT_EQ(feed.next(2, 0).state, State::kOver);
}

TEST(QueueOracles, OweInOrderAndPeek) {
  struct Owing : QueueOracle<gw::Beat> {
    Owing() : QueueOracle(2) {}
    void arrives(size_t port, const PacketRef<gw::Beat>& packet) override { owe(port, packet); }
  } oracle;
  Random random(3);
  const auto first = irregular_packet<gw::Beat>(random, 5);
  const auto second = irregular_packet<gw::Beat>(random, 6);
  EXPECT_TRUE(oracle.quiet());
  oracle.arrives(1, first);
  oracle.arrives(1, second);
  EXPECT_FALSE(oracle.quiet());
  EXPECT_EQ(oracle.peek(0), nullptr);
  EXPECT_EQ(oracle.next(0), nullptr);
  EXPECT_EQ(oracle.peek(1), first);
  EXPECT_EQ(oracle.next(1), first);
  EXPECT_EQ(oracle.next(1), second);
  EXPECT_TRUE(oracle.quiet());
}

}  // namespace
}  // namespace gw::sim::toys::packet_test
