// The adaptive quantiser's core: bytes worked out by hand, the contract rule by rule, and the bytes
// of random packets against an encoder that goes value by value.
// SPDX-License-Identifier: Apache-2.0
#include "models/systemc/adaptive.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>

#include "tests/sanitized.h"
#include "tests/systemc/quantiser_bench.h"

namespace gw::systemc::adaptive_test {
namespace {

constexpr AdaptiveConfig kHalf{1, false, false}, kHalfKept{1, false, true};
constexpr AdaptiveConfig kOneOf{10, false, false}, kOneOfRice{10, true, false};
constexpr uint32_t kAdaptiveOne = 0x3F80'0000, kMinusZero = 0x8000'0000;
constexpr uint32_t kBegin = Adaptive::kLeastRows;  // the first beat's cycle, with so many rows
using AdaptiveBench = QuantiserBench<Adaptive>;

Cycles since_begin(Cycles cycles) {
  for (uint64_t& cycle : cycles) cycle -= kBegin;
  return cycles;
}

Values adaptive_floats(std::initializer_list<float> values) {
  Values bits;
  for (const float v : values) bits.push_back(binary32(v));
  return bits;
}

// ---------------------------------------------------------------- bytes

TEST(Adaptive, SelectionByHand) {
  AdaptiveBench bench(kBegin, kHalf);
  // Six above, K = 3: 8, 4, 2, the middles of whose bins are 9, 4.5, 2.25. Two below, K = 1: that
  // of -16 is -18.
  EXPECT_EQ(bench.one(mx_packet(adaptive_floats({8, 4, 2, 1, -16, -1, 0.5F, 0.25F})), kHalf).bytes,
            packet_bytes(5, 0, 8, binary32(15.75F / 3), binary32(-18), {0x17, 0x10, 0}));
  // K = 2: 8, and the two of the next bin would be three. What is behind it would fit, but is over.
  EXPECT_EQ(bench.one(mx_packet(adaptive_floats({1, 0.5F, 8, 1})), kHalf).bytes,
            packet_bytes(5, 0, 4, binary32(9), kMinusZero, {4, 0, 0}));
  // K = 1, but the first bin that holds values is taken, with all four of them.
  EXPECT_EQ(bench.one(mx_packet(Values(4, kAdaptiveOne)), kOneOf).bytes,
            packet_bytes(5, 0, 4, binary32(1.125F), kMinusZero, {0xF, 0, 0}));
  EXPECT_EQ(bench.one(mx_packet(Values(4, kAdaptiveOne | kMinusZero)), kOneOf).bytes,
            packet_bytes(5, 0, 4, 0, binary32(-1.125F), {0xF, 0xF, 0}));
  // Zeros count for K, -0 above: 3 of 6, the middles 11/8, 9/8, 9/8 over three: not exact.
  EXPECT_EQ(bench.one(mx_packet(adaptive_floats({1, 1.25F, 0, -0.0F, 1, 0})), kHalf).bytes,
            packet_bytes(5, 0, 6, binary32(29.0F / 8 / 3), kMinusZero, {0x13, 0, 0}));
  // K of five is two: of three values in two bins the upper one alone.
  EXPECT_EQ(bench.one(mx_packet(adaptive_floats({1, 1.25F, 0, -0.0F, 1})), kHalf).bytes,
            packet_bytes(5, 0, 5, binary32(1.375F), kMinusZero, {2, 0, 0}));
}

TEST(Adaptive, EndsOfTheBins) {
  AdaptiveBench bench(kBegin, kHalf);
  // The middle that a value is received as, bit by bit: the ends of the bins of subnormal numbers,
  // the least normal one, the largest.
  const std::pair<uint32_t, uint32_t> middles[] = {
      {0x0000'0001, 0x0010'0000},   {0x001F'FFFF, 0x0010'0000},      {0x0020'0000, 0x0030'0000},
      {0x007F'FFFF, 0x0070'0000},   {0x0080'0000, 0x0090'0000},      {0x7F7F'FFFF, 0x7F70'0000},
      {binary32(14), binary32(15)}, {binary32(14) - 1, binary32(13)}};
  for (const auto& [value, middle] : middles) {
    EXPECT_EQ(bench.one(mx_packet({value}), kHalf).bytes,
              packet_bytes(5, 0, 1, middle, kMinusZero, {1, 0, 0}));
    EXPECT_EQ(bench.one(mx_packet({value | kMinusZero}), kHalf).bytes,
              packet_bytes(5, 0, 1, 0, middle | kMinusZero, {1, 1, 0}));
  }
  // A zero has no bin, whatever the others have.
  EXPECT_EQ(bench.one(mx_packet({1, 0, kMinusZero, 0}), kHalf).bytes,
            packet_bytes(5, 0, 4, 0x0010'0000, kMinusZero, {1, 0, 0}));
  // A mean that is no multiple of 2^-149: 5 2^20 / 3 of them.
  EXPECT_EQ(bench.one(mx_packet({1, 2, 0x0020'0000, 0, 0, 0}), kHalf).bytes,
            packet_bytes(5, 0, 6, 1'747'627, kMinusZero, {7, 0, 0}));
  // A sum that is no number of binary32.
  EXPECT_EQ(bench.one(mx_packet(Values(8, 0x7F7F'FFFF)), kHalf).bytes,
            packet_bytes(5, 0, 8, 0x7F70'0000, kMinusZero, {0xFF, 0, 0}));
}

// 128 bins from the largest value down, that of 15: [2^-28, 1.25 2^-28) is the last.
TEST(Adaptive, TheWindow) {
  AdaptiveBench bench(kBegin, kHalf);
  const uint32_t least = binary32(0x1p-28F);
  // A sum of more than 24 bits: 15 and 2^-28's middle, which is lost.
  EXPECT_EQ(bench.one(mx_packet({binary32(15), least, 0, 0}), kHalf).bytes,
            packet_bytes(5, 0, 4, binary32(7.5F), kMinusZero, {3, 0, 0}));
  EXPECT_EQ(bench.one(mx_packet({binary32(15), least - 1, 0, 0}), kHalf).bytes,
            packet_bytes(5, 0, 4, binary32(15), kMinusZero, {1, 0, 0}));
  // One window for both sides: 16 has the next bin, so that nothing below zero is sent.
  EXPECT_EQ(bench.one(mx_packet({binary32(15), least | kMinusZero}), kHalf).bytes,
            packet_bytes(5, 0, 2, binary32(15), binary32(-0x1.2p-28F), {3, 2, 0}));
  EXPECT_EQ(bench.one(mx_packet({binary32(16), least | kMinusZero}), kHalf).bytes,
            packet_bytes(5, 0, 2, binary32(18), kMinusZero, {1, 0, 0}));
  // It is a chunk's own.
  EXPECT_EQ(bench.one(mx_packet({0, least | kMinusZero}), kHalf).bytes,
            packet_bytes(5, 0, 2, 0, binary32(-0x1.2p-28F), {2, 2, 0}));
  // Where the largest value has a low bin, it ends at the lowest.
  EXPECT_EQ(bench.one(mx_packet({0x0FC0'0000, 1, 0, 0}), kHalf).bytes[16], 3);  // bin 126
  EXPECT_EQ(bench.one(mx_packet({0x0FE0'0000, 1, 0, 0}), kHalf).bytes[16], 3);
  EXPECT_EQ(bench.one(mx_packet({0x1000'0000, 1, 0, 0}), kHalf).bytes[16], 1);
}

TEST(Adaptive, ResidualsByHand) {
  AdaptiveBench bench(kBegin, kHalf);
  EXPECT_EQ(bench.one(mx_packet(adaptive_floats({8, 1}), 2, 5), kHalfKept).bytes,
            packet_bytes(5, 0, 2, binary32(9), kMinusZero, {1, 0, 0}));
  // Left: -1, and all of 1.
  EXPECT_EQ(bench.one(mx_packet({0, 0}, 2, 5), kHalfKept).bytes,
            packet_bytes(5, 0, 2, binary32(1.125F), binary32(-1.125F), {3, 1, 0}));
  // Left: 1/8, -1/8; the second does not come: it counts as +0, and its residual stays.
  EXPECT_EQ(bench.one(mx_packet({binary32(2)}, 2, 5), kHalfKept).bytes,
            packet_bytes(5, 0, 2, binary32(2.25F), kMinusZero, {1, 0, 2}));
  // Left: 2 1/8 - 2 1/4, and still -1/8. Infinity: the residual instead, and a status.
  EXPECT_EQ(bench.one(mx_packet({0x7F80'0000, 0}, 2, 5), kHalfKept).bytes,
            packet_bytes(5, 0, 2, 0, binary32(-0.125F * 1.125F), {3, 3, 1}));
}

TEST(Adaptive, CodesByHand) {
  AdaptiveBench bench(kBegin, kHalf);
  Values ten = adaptive_floats({1, -2});
  ten.resize(10);
  // Two of ten: k = 1. 0 0 +, 0 0 -, and 1111 0 0 for the eight that follow.
  EXPECT_EQ(bench.one(mx_packet(ten), kOneOfRice).bytes,
            packet_bytes(5, 2, 10, binary32(1.125F), binary32(-2.25F), {0xE0, 3, 0}));
  EXPECT_EQ(bench.one(mx_packet(ten), kOneOf).bytes,
            packet_bytes(5, 0, 10, binary32(1.125F), binary32(-2.25F), {3, 2, 0, 0, 0}));
  // None of four: k = 14.
  EXPECT_EQ(bench.one(mx_packet({0, 0, 0, 0}), kOneOfRice).bytes,
            packet_bytes(5, 15, 4, 0, kMinusZero, {8, 0, 0}));
  // All of four: k = 0. Four times 0 +, and 0.
  EXPECT_EQ(bench.one(mx_packet(Values(4, kAdaptiveOne)), kOneOfRice).bytes,
            packet_bytes(5, 1, 4, binary32(1.125F), kMinusZero, {0, 0, 0}));
  // 510 groups between the first and the last value: 256 and 254.
  Values ends(4096);
  ends.front() = kAdaptiveOne;
  ends.back() = kAdaptiveOne | kMinusZero;
  EXPECT_EQ(bench.one(mx_packet(ends), kOneOf).bytes,
            packet_bytes(5, 0, 4096, binary32(1.125F), binary32(-1.125F),
                         {1, 0, 0, 255, 0, 253, 0x80, 0x80, 0}));
  // k = 10, 3 x 2 x 2^10 <= 8192: gap 0: 0, ten zeros, +; gap 4094: 1110 and 1022; -; gap 0, of
  // eleven bits: 12 + 15 + 11.
  EXPECT_EQ(
      bench.one(mx_packet(ends), kOneOfRice).bytes,
      packet_bytes(5, 11, 4096, binary32(1.125F), binary32(-1.125F), {0, 0x70, 0xFE, 0x07, 0, 0}));
}

TEST(Adaptive, WhatLeavesRaw) {
  AdaptiveBench bench(1024, kHalf);
  const auto format = [&](uint32_t n, uint32_t row, AdaptiveConfig config) {
    return bench.one(mx_packet(Values(n, kAdaptiveOne), n, row), config).bytes.at(0);
  };
  EXPECT_EQ(format(0, 0, kHalf), 0);
  EXPECT_EQ(format(4096, 0, kHalfKept), 5);
  EXPECT_EQ(format(4097, 0, kHalf), 0);
  EXPECT_EQ(format(9, 1022, kHalfKept), 5);
  EXPECT_EQ(format(9, 1023, kHalfKept), 0);
  EXPECT_EQ(format(9, 1023, kHalf), 5);
  for (const uint8_t p : {0, 11, 12, 15}) EXPECT_EQ(format(9, 0, {p, true, true}), 0) << +p;
  for (const uint8_t p : {1, 2, 9, 10}) EXPECT_EQ(format(9, 0, {p, true, true}), 5) << +p;
  EXPECT_EQ(bench.device.raw_count(), 7u);
  EXPECT_EQ(bench.one(mx_packet(Values(9000, kAdaptiveOne)), kHalf).bytes.size(), 36017u);
}

// ---------------------------------------------------------------- cycles

TEST(Adaptive, Latency) {
  for (const uint32_t beats : {1u, 2u, 7u, 8u, 9u, 63u, 64u, 100u, 512u}) {
    AdaptiveBench bench(kBegin, kHalf);
    bench.send(mx_packet(Values(8 * beats, kAdaptiveOne)));
    bench.run(1200);
    EXPECT_EQ(bench.accepted.front(), kBegin);
    // Popped B + 101 behind the first beat, merged 5 later; eight masks fill the first output beat.
    ASSERT_FALSE(bench.left.empty());
    EXPECT_EQ(bench.left.front().cycle, kBegin + beats + 101 + std::min(beats, 8u) - 1 + 5 + 1)
        << beats;
  }
}

TEST(Adaptive, Rate) {
  for (const uint32_t beats : {64u, 65u, 100u, 512u}) {
    AdaptiveBench bench(kBegin, kHalf);
    for (int i = 0; i < 40; ++i) bench.send(mx_packet(Values(8 * beats, kAdaptiveOne)));
    bench.run(kBegin + 40 * beats + 10);
    EXPECT_EQ(bench.accepted, range(kBegin, kBegin + 40 * beats - 1)) << beats;
  }
  // Shorter ones wait for the scans: 64 cycles each, one behind the other. The first begins
  // 1 + B - 1 + 9 behind the first beat; its last items are popped 92 + B - 1 later, and leave 6
  // cycles later.
  for (const uint32_t beats : {1u, 2u, 33u, 63u}) {
    AdaptiveBench bench(kBegin, kHalf);
    for (int i = 0; i < 40; ++i) bench.send(mx_packet(Values(8 * beats, 0)));
    bench.run(40 * 69 + 200);
    const auto packets = bench.packets();
    ASSERT_EQ(packets.size(), 40u) << beats;
    for (uint64_t i = 0; i < 40; ++i) {
      ASSERT_EQ(packets[i].last, kBegin + 9 + beats + 64 * i + 92 + beats - 1 + 6)
          << beats << " " << i;
    }
  }
}

// Two histograms: the third chunk starts seven cycles before the first one's scan ends. Cycles are
// counted from the first beat's: started in 1, scanned from 10 to 73.
TEST(Adaptive, HistogramsAreTwo) {
  AdaptiveBench bench(kBegin, kHalf);
  for (int i = 0; i < 6; ++i) bench.send(mx_packet({kAdaptiveOne}));
  bench.run(700);
  // The input queue has the third and the fourth; the third starts in 66, the fourth in 130.
  EXPECT_EQ(since_begin(bench.accepted), (Cycles{0, 1, 2, 3, 67, 131}));

  // RAW needs none, and is none of the two before.
  AdaptiveBench raw(kBegin, kHalf);
  for (const uint32_t n : {1u, 1u, 0u, 0u, 1u, 1u, 1u}) {
    raw.send(mx_packet(Values(n, kAdaptiveOne)));
  }
  raw.run(700);
  EXPECT_EQ(since_begin(raw.accepted), (Cycles{0, 1, 2, 3, 4, 5, 67}));
  EXPECT_EQ(raw.packets().size(), 7u);
}

// RAW does not wait for the scan, but for V; a tail, too.
TEST(Adaptive, RawAndTails) {
  AdaptiveBench bench(kBegin, kHalfKept);
  bench.send(mx_packet({kAdaptiveOne}, 1, 64));
  bench.drain();
  EXPECT_EQ(since_begin(bench.left_cycles()), (Cycles{1 + 6 + 5 + 1}));
  for (const auto& [beats, cycle] : {std::pair{60u, 103u}, std::pair{200u, 206u}}) {
    bench.reset();
    bench.send(mx_packet(Values(8 * beats, kAdaptiveOne), 1));
    bench.run(400);
    // Its payload item, started in 1, is ready in 1 + 9 + 92 = 102; the tail six cycles behind its
    // start, and behind that item.
    EXPECT_EQ(since_begin(bench.left_cycles()), (Cycles{cycle + 6}));
    EXPECT_EQ(bench.packets().at(0).bytes,
              packet_bytes(5, 0, 1, binary32(1.125F), kMinusZero, {1, 0, 2}));
  }
}

TEST(Adaptive, RowsInFlight) {
  const auto second = [](AdaptiveConfig a, AdaptiveConfig b, uint32_t row) {
    AdaptiveBench bench(kBegin, a);
    bench.send(mx_packet({kAdaptiveOne}, 1, 3));
    while (bench.accepted.empty()) bench.step();
    bench.device.configure(b);
    bench.send(mx_packet({kAdaptiveOne}, 1, row));
    bench.run(400);
    return bench.packets().at(1).first - kBegin;
  };
  // Its scan begins behind the first one's, from 10 to 73.
  EXPECT_EQ(second(kHalfKept, kHalfKept, 4), 74u + 92 + 6);
  EXPECT_EQ(second(kHalf, kHalfKept, 3), 74u + 92 + 6);
  EXPECT_EQ(second(kHalfKept, kHalf, 3), 74u + 92 + 6);
  // Started in 1, popped in 102, in flight to 112: the second starts in 113.
  EXPECT_EQ(second(kHalfKept, kHalfKept, 3), 113u + 9 + 92 + 6);
}

// 64 chunks are in the buffer, not 65, and 1,024 items, where there is no credit to pop them.
TEST(Adaptive, TheBufferIsFull) {
  AdaptiveBench bench(kBegin, kHalf);
  bench.sink_gate = [](uint64_t) { return false; };
  for (int i = 0; i < 200; ++i) bench.send(mx_packet({kAdaptiveOne}));
  bench.run(140 * 64);
  // With 61 beats in the queue there is credit, with 62 there is none; 64 chunks more are in the
  // buffer, and two beats in the input queue.
  EXPECT_EQ(bench.accepted.size(), 62u + 64 + 2);
  bench.sink_gate = [](uint64_t) { return true; };
  bench.run(200 * 64);
  EXPECT_EQ(bench.packets().size(), 200u);

  AdaptiveBench items(kBegin, kHalf);
  items.sink_gate = [](uint64_t) { return false; };
  items.send(mx_packet(Values(9 * 8192, kAdaptiveOne)));  // RAW: 62 items pop, 1,024 wait
  items.run(3000);
  EXPECT_EQ(items.accepted.size(), 62u + 1024 + 2);
  items.sink_gate = [](uint64_t) { return true; };
  items.drain();
  EXPECT_EQ(items.packets().at(0).bytes.size(), 4 * 9 * 8192 + 17u);
}

TEST(Adaptive, ResetForgets) {
  AdaptiveBench bench(kBegin, kHalfKept);
  bench.one(mx_packet(adaptive_floats({1, 3})), kHalfKept);
  bench.send(mx_packet(Values(64, kAdaptiveOne)));
  bench.send(mx_packet({kAdaptiveOne}));
  bench.run(84);  // two scans are due
  bench.reset();
  EXPECT_FALSE(bench.device.s_ready());
  bench.send(mx_packet({kAdaptiveOne}));
  bench.run(250);
  EXPECT_EQ(since_begin(bench.left_cycles()), (Cycles{1 + 9 + 92 + 6}));
  bench.reset();
  // Of 1 - 9/8 nothing is left.
  EXPECT_EQ(bench.one(mx_packet({0, 0}), kHalfKept).bytes,
            packet_bytes(5, 0, 2, 0, kMinusZero, {0, 0, 0}));
}

// ---------------------------------------------------------------- random packets, value by value

/// The page's sentences, a value at a time.
class AdaptiveByValue {
 public:
  explicit AdaptiveByValue(uint32_t rows) : residuals_(8 * rows), rows_(rows) {}

  PacketBytes packet(const std::vector<Beat>& beats, AdaptiveConfig c) {
    const uint64_t user = beats.front().user_word();
    const uint32_t row = user & 0xFF'FFFF, n = user >> 32 & 0xF'FFFF;
    Values g(n, 0);
    std::vector<bool> came(n, false);
    uint64_t bytes = 0;
    for (const Beat& beat : beats) {
      const auto valid = static_cast<uint32_t>(valid_bytes(beat));
      for (uint32_t i = 0; i < valid / 4; ++i) {
        const uint64_t j = 8 * (&beat - beats.data()) + i;
        if (j < n) g[j] = beat.data[i], came[j] = true;
      }
      bytes += valid;
    }
    bool strange = false;
    const auto finite = [](uint32_t word) { return (word >> 23 & 255) != 255; };
    const auto number = [](uint32_t word) { return std::bit_cast<float>(word); };
    const bool raw =
        n == 0 || n > 4096 || c.p < 1 || c.p > 10 || (c.residual && row + (n + 7) / 8 > rows_);
    PacketBytes out = packet_bytes(raw ? 0 : 5, 0, n, 0, 0, {});
    if (raw) {
      for (const uint32_t word : g) {
        for (int b = 0; b < 4; ++b) out.push_back(static_cast<uint8_t>(word >> (8 * b)));
        strange |= !finite(word);
      }
    } else {
      Values v(n, 0);
      std::vector<uint32_t> tops[2];  // bits 30:21 and one more; 0 of zeros
      uint32_t top = 0;
      for (uint32_t j = 0; j < n; ++j) {
        if (came[j]) {
          const uint32_t r = c.residual ? residuals_[8 * row + j] : 0;
          v[j] = c.residual ? binary32(number(g[j]) + number(r)) : g[j];
          if (!finite(g[j]) || !finite(v[j])) v[j] = r, strange = true;
        }
        const uint32_t bin = number(v[j]) == 0 ? 0 : 1 + (v[j] << 1 >> 22);
        tops[number(v[j]) < 0].push_back(bin);
        top = std::max(top, bin);
      }
      // By sorting: of equal ones all or none, and the largest whatever their number.
      uint32_t least[2] = {~0u, ~0u};
      float mean[2] = {0, 0};
      size_t taken[2] = {0, 0};
      for (int side = 0; side < 2; ++side) {
        std::vector<uint32_t>& all = tops[side];
        std::sort(all.begin(), all.end(), std::greater<>());
        const size_t most = std::max<size_t>(1, all.size() >> c.p);
        long double sum = 0;
        for (size_t from = 0; from < all.size() && all[from] != 0 && all[from] + 128 > top;) {
          size_t to = from;
          while (to < all.size() && all[to] == all[from]) ++to;
          if (from != 0 && to > most) break;
          // The middle of what has these bits: an eighth above its least.
          const long double middle = number((all[from] - 1) << 21 | 1u << 20);
          sum += static_cast<long double>(to - from) * middle;
          least[side] = all[from];
          taken[side] = from = to;
        }
        if (taken[side] == 0) continue;
        int exponent = 0;  // not that of binary32: the sum may be too large for it
        const auto rounded = static_cast<float>(std::frexp(sum, &exponent));
        mean[side] = static_cast<float>(std::ldexp(static_cast<double>(rounded), exponent) /
                                        static_cast<double>(taken[side]));
      }
      for (int side = 0; side < 2; ++side) {
        const uint32_t word = binary32(mean[side]) | (side == 1 ? kMinusZero : 0);
        for (size_t b = 0; b < 4; ++b) {
          out[8 + 4 * static_cast<size_t>(side) + b] = static_cast<uint8_t>(word >> (8 * b));
        }
      }
      std::vector<int> sent(n, 0);  // or the sign
      for (uint32_t j = 0; j < n; ++j) {
        const bool negative = number(v[j]) < 0;
        if (number(v[j]) != 0 && 1 + (v[j] << 1 >> 22) >= least[negative])
          sent[j] = negative ? -1 : 1;
        if (!c.residual || !came[j]) continue;
        const float d = sent[j] == 0 ? 0.0F : negative ? -mean[1] : mean[0];
        residuals_[8 * row + j] = binary32(number(v[j]) - d);
      }
      if (c.rice) {
        put_rice(out, sent, taken[0] + taken[1]);
      } else {
        put_masks(out, sent);
      }
    }
    const bool error = (beats.back().user_word() >> 52 & 1) != 0;
    out.push_back(static_cast<uint8_t>(strange + 2 * (n == 0 || bytes != 4ull * n) + 4 * error));
    return out;
  }

 private:
  static void put_masks(PacketBytes& out, const std::vector<int>& sent) {
    for (size_t from = 0, empty = 0; from < sent.size(); from += 8) {
      int mask = 0, signs = 0;
      for (size_t j = from; j < std::min(from + 8, sent.size()); ++j) {
        mask |= (sent[j] != 0) << (j - from);
        signs |= (sent[j] < 0) << (j - from);
      }
      if (mask != 0) {
        out.push_back(static_cast<uint8_t>(mask));
        out.push_back(static_cast<uint8_t>(signs));
        empty = 0;
      } else if (empty == 0 || empty == 256) {
        out.insert(out.end(), {0, 0});
        empty = 1;
      } else {
        out.back() = static_cast<uint8_t>(empty++);
      }
    }
  }
  static void put_rice(PacketBytes& out, const std::vector<int>& sent, size_t entries) {
    int k = 14;
    while (k > 0 && 3 * (entries << k) > 2 * sent.size()) --k;
    out[1] = static_cast<uint8_t>(1 + k);
    size_t count = 0, gap = 0;
    const auto bit = [&](bool one) {
      if (count++ % 8 == 0) out.push_back(0);
      out.back() |= static_cast<uint8_t>(one << (count - 1) % 8);
    };
    const auto put_gap = [&] {
      const bool escape = gap >> k >= 15;
      for (size_t i = 0; i < std::min<size_t>(gap >> k, 15); ++i) bit(true);
      if (!escape) bit(false);
      for (int i = 0; i < (escape ? 20 : k); ++i) bit(gap >> i & 1);
      gap = 0;
    };
    for (const int sign : sent) {
      if (sign == 0) {
        ++gap;
      } else {
        put_gap();
        bit(sign < 0);
      }
    }
    put_gap();
  }

  Values residuals_;
  uint32_t rows_;
};

TEST(AdaptiveBytes, AsValueByValue) {
  std::map<int, int> formats;
  for (uint64_t seed = 1; seed <= tests::rounds(12u); ++seed) {
    const uint32_t rows = seed % 2 == 0 ? 64 : 100;
    AdaptiveBench bench(rows, kHalf);
    AdaptiveByValue by_value(rows);
    MxTraffic traffic(seed, rows);
    std::vector<PacketBytes> want;
    const uint32_t stall = seed % 3;
    bench.source_gate = [&](uint64_t) { return stall != 1 || traffic.below(3) != 0; };
    bench.sink_gate = [&](uint64_t) { return stall != 2 || traffic.below(3) != 0; };
    for (int p = 0; p < 300; ++p) {
      const auto beats = traffic.packet();
      const AdaptiveConfig c{static_cast<uint8_t>(traffic.below(12)), traffic.one_in(2),
                             !traffic.one_in(3)};
      want.push_back(by_value.packet(beats, c));
      ++formats[want.back()[0]];
      const size_t before = bench.accepted.size();
      bench.send(beats);
      bench.device.configure(c);
      while (bench.accepted.size() == before) bench.step();
      bench.device.configure({0, !c.rice, !c.residual});
      while (bench.accepted.size() < before + beats.size()) bench.step();
    }
    bench.drain();
    const auto got = bench.packets();
    ASSERT_EQ(got.size(), want.size());
    for (size_t p = 0; p < want.size(); ++p) ASSERT_EQ(got[p].bytes, want[p]) << seed << " " << p;
  }
  EXPECT_GT(formats[0], tests::rounds(100));
  EXPECT_GT(formats[5], tests::rounds(500));
}

}  // namespace
}  // namespace gw::systemc::adaptive_test
