// The reference of the ring by itself: sums and their order, numbers that wrap, frames, what the
// follower of the links finds.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <bit>
#include <string>

#include "models/reference/ring/follower.h"

namespace gw::tests::ring::reference_test {
namespace {

using namespace gw::reference::ring;
namespace fp = gw::reference::fp;

Bytes of(std::initializer_list<float> values) {
  Bytes bytes;
  for (const float value : values) {
    const auto bits = std::bit_cast<uint32_t>(value);
    for (int i = 0; i < 4; ++i) bytes.push_back(static_cast<uint8_t>(bits >> 8 * i));
  }
  return bytes;
}

TEST(RingReference, SumsInTheOrderOfTheNodes) {
  // Only ((a + b) + c) + d gives 1: from the right, or as a tree, it is 0 or 2.
  Allreduce ring(4);
  EXPECT_FALSE(ring.add(3, of({1})));
  EXPECT_FALSE(ring.add(1, of({-0x1p30f})));
  EXPECT_FALSE(ring.add(0, of({0x1p30f})));
  const std::optional<Bytes> result = ring.add(2, of({0x1p-30f}));
  ASSERT_TRUE(result);
  EXPECT_EQ(*result, of({1 + 0x1p-30f}));
}

TEST(RingReference, ResultsComeInOrderWhoeverIsAhead) {
  Allreduce ring(3, fp::Subnormal::kIeee, 0xFFFF'FFFF, 1);
  EXPECT_FALSE(ring.add(2, of({100})));
  EXPECT_FALSE(ring.add(2, of({200})));
  EXPECT_FALSE(ring.add(1, of({10})));
  EXPECT_FALSE(ring.add(1, of({20})));
  EXPECT_EQ(ring.number(), 0xFFFF'FFFFu);
  EXPECT_EQ(*ring.add(0, of({1})), of({111}));
  EXPECT_EQ(*ring.partial(0xFFFF'FFFF, 1), of({11}));
  EXPECT_EQ(ring.partial(0, 0), nullptr);
  EXPECT_EQ(*ring.add(0, of({2})), of({222}));
  EXPECT_EQ(ring.number(), 1u);
  EXPECT_EQ(*ring.partial(0, 0), of({2}));
  EXPECT_EQ(ring.partial(0xFFFF'FFFF, 1), nullptr);  // long gone
}

TEST(RingReference, ChunksOfOneNumberHaveOneLength) {
  Allreduce ring(2);
  ring.add(0, of({1, 2}));
  EXPECT_FALSE(ring.add(1, of({1})));
  EXPECT_TRUE(ring.mixed());
  EXPECT_FALSE(ring.add(0, of({1})));
}

TEST(RingReference, AddsAsTheOperatorsDo) {
  const Bytes tiny = {1, 0, 0, 0};
  EXPECT_EQ(sum(tiny, tiny, fp::Subnormal::kIeee), (Bytes{2, 0, 0, 0}));
  EXPECT_EQ(sum(tiny, tiny, fp::Subnormal::kFlush), (Bytes{0, 0, 0, 0}));
  const Bytes nan = {1, 0, 0xA0, 0x7F};
  EXPECT_EQ(sum(nan, of({1}), fp::Subnormal::kIeee), (Bytes{0, 0, 0xC0, 0x7F}));
}

TEST(RingReference, CutsGradientsIntoChunks) {
  EXPECT_EQ(cut(0, 2048), std::vector<std::size_t>{});
  EXPECT_EQ(cut(2048, 2048), std::vector<std::size_t>{2048});
  EXPECT_EQ(cut(4100, 2048), (std::vector<std::size_t>{2048, 2048, 4}));
}

TEST(RingReference, NumbersWrap) {
  EXPECT_TRUE(before(0xFFFF'FFFF, 0));
  EXPECT_FALSE(before(0, 0xFFFF'FFFF));
  EXPECT_FALSE(before(5, 5));
  EXPECT_TRUE(before(0, 0x7FFF'FFFF));
}

TEST(RingReference, AFrameOnTheLink) {
  const Frame frame{.type = Type::kAgg,
                    .sender = 1,
                    .receiver = 2,
                    .session = 0x1234,
                    .addends = 2,
                    .answer_wanted = true,
                    .chunk = 0x01020304,
                    .ack = 0xA0B0C0D0,
                    .payload = of({1})};
  const Bytes bytes = encode(frame);
  Bytes want = {2, 0,    0,    0, 0, 2, 2, 0, 0, 0, 0, 1,    0x88, 0xB6, 1,
                1, 0x12, 0x34, 2, 1, 0, 4, 1, 2, 3, 4, 0xA0, 0xB0, 0xC0, 0xD0};
  want.resize(64);
  want.insert(want.end(), {0, 0, 0x80, 0x3F});
  EXPECT_EQ(bytes, want);
  const Decoded decoded = decode(bytes, 2048);
  EXPECT_EQ(decoded.error, "");
  EXPECT_EQ(decoded.frame, frame);
}

TEST(RingReference, WhatIsNoFrameIsSaidInASentence) {
  Frame frame{.type = Type::kAgg, .payload = of({1, 2})};
  const Bytes good = encode(frame);
  EXPECT_EQ(decode(good, 8).error, "");
  EXPECT_NE(decode(good, 4).error, "");
  EXPECT_NE(decode(std::span(good).first(63), 8).error, "");
  EXPECT_NE(decode({}, 8).error, "");
  for (const auto& [byte, value] : std::vector<std::pair<size_t, uint8_t>>{
           {12, 0}, {13, 0}, {14, 0}, {15, 3}, {15, 0}, {20, 1}, {21, 7}}) {
    Bytes bad = good;
    bad[byte] = value;
    EXPECT_NE(decode(bad, 8).error, "") << byte;
  }
  frame.payload = Bytes(6);
  EXPECT_NE(decode(encode(frame), 8).error, "");
}

// CRC-32 of "123456789" is 0xCBF43926.
TEST(RingReference, TheFrameCheckSequenceIsEthernets) {
  const std::string digits = "123456789";
  const Bytes bytes(digits.begin(), digits.end());
  EXPECT_EQ(fcs(bytes), 0xCBF4'3926u);
  Bytes whole = with_fcs(bytes);
  EXPECT_EQ(whole.size(), 13u);
  EXPECT_EQ(whole[9], 0x26);
  EXPECT_TRUE(fcs_holds(whole));
  for (size_t bit = 0; bit < 8 * whole.size(); ++bit) {
    whole[bit / 8] ^= static_cast<uint8_t>(1u << bit % 8);
    EXPECT_FALSE(fcs_holds(whole)) << bit;
    whole[bit / 8] ^= static_cast<uint8_t>(1u << bit % 8);
  }
  EXPECT_FALSE(fcs_holds(std::span(whole).first(3)));
}

/// Node 0 of two has sent chunk 0.
class RingFollower : public ::testing::Test {
 protected:
  static constexpr uint16_t kSession = 9;
  RingFollower() {
    follower.host(0, of({1}));
    EXPECT_EQ(follower.sent(0, true, encode(agg)), "");
  }
  std::string sent(const Frame& frame) { return follower.sent(0, true, encode(frame)); }

  Follower follower{{.nodes = 2, .number = kSession, .window = 2}};
  Frame agg{
      .type = Type::kAgg, .receiver = 1, .session = kSession, .addends = 1, .payload = of({1})};
};

TEST_F(RingFollower, HearsWhatIsRight) {
  EXPECT_EQ(sent(agg), "");
  EXPECT_EQ(follower.again(), 1u);
  follower.arrived(1, true, encode(agg));
  follower.host(1, of({2}));
  const Frame result{.type = Type::kBcast,
                     .sender = 1,
                     .session = kSession,
                     .addends = 2,
                     .ack = 1,
                     .payload = of({3})};
  EXPECT_EQ(follower.sent(1, false, encode(result)), "");
  EXPECT_EQ(sent({.receiver = 1, .session = kSession}), "");
}

TEST_F(RingFollower, FindsWhatIsWrong) {
  const auto wrong = [this](auto change) {
    Frame frame = agg;
    change(frame);
    return sent(frame);
  };
  EXPECT_EQ(wrong([](Frame& f) { f.payload = of({2}); }), "the sum");
  EXPECT_EQ(wrong([](Frame& f) { f.chunk = 2; }), "a chunk before its turn");
  EXPECT_EQ(wrong([](Frame& f) { f.chunk = 1; }), "a chunk whose sum does not exist");
  EXPECT_EQ(wrong([](Frame& f) { f.ack = 1; }), "an ack of what has not come");
  EXPECT_EQ(wrong([](Frame& f) { f.ack = ~0u; }), "an ack below an earlier one");
  EXPECT_EQ(wrong([](Frame& f) { f.addends = 2; }), "its number of addends");
  EXPECT_EQ(wrong([](Frame& f) { f.type = Type::kBcast; }), "the other direction's type");
  EXPECT_EQ(wrong([](Frame& f) { f.session = 8; }), "another session");
  EXPECT_EQ(wrong([](Frame& f) { f.receiver = 0; }), "its addresses");
  EXPECT_EQ(sent({.receiver = 1, .session = kSession, .chunk = 1}),
            "a control frame with fields of data");
  Bytes bytes = encode(agg);
  bytes[40] = 1;
  EXPECT_EQ(follower.sent(0, true, bytes), "fields that are not zero");
}

}  // namespace
}  // namespace gw::tests::ring::reference_test
