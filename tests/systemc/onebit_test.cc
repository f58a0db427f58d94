// The one-bit quantiser's core: bytes worked out by hand, the contract rule by rule, and the bytes
// of random packets against an encoder that goes value by value.
// SPDX-License-Identifier: Apache-2.0
#include "models/systemc/onebit.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "tests/sanitized.h"
#include "tests/systemc/quantiser_bench.h"

namespace gw::systemc::onebit_test {
namespace {

constexpr OneBitConfig kFresh{false}, kKept{true};
constexpr uint32_t kBitOne = 0x3F80'0000;
using OneBitBench = QuantiserBench<OneBit>;

Values onebit_floats(std::initializer_list<float> values) {
  Values bits;
  for (const float v : values) bits.push_back(binary32(v));
  return bits;
}

// ---------------------------------------------------------------- bytes

TEST(OneBit, MeansByHand) {
  OneBitBench bench(8, kFresh);
  // 1, 3, +0, -0 and 0.5 above: 4.5 / 5; -1 and -2 below.
  EXPECT_EQ(bench.one(mx_packet(onebit_floats({1, -1, 3, 0, -0.0F, -2, 0.5F})), kFresh).bytes,
            packet_bytes(4, 0, 7, binary32(4.5F / 5), binary32(-1.5F), {0b1011101, 0}));
  // An empty side: +0, and -0.
  EXPECT_EQ(bench.one(mx_packet({kBitOne}), kFresh).bytes,
            packet_bytes(4, 0, 1, kBitOne, 0x8000'0000, {1, 0}));
  EXPECT_EQ(bench.one(mx_packet({kBitOne | 0x8000'0000}), kFresh).bytes,
            packet_bytes(4, 0, 1, 0, binary32(-1.0F), {0, 0}));
  // Q counts 2^-32 and saturates at 2^40 - 1, which 24 bits round to 2^40: 256.
  EXPECT_EQ(bench.one(mx_packet(onebit_floats({0x1p-33F, -1000})), kFresh).bytes,
            packet_bytes(4, 0, 2, 0, binary32(-256.0F), {1, 0}));
  // Nine values, of which the last has a byte of its own.
  EXPECT_EQ(bench.one(mx_packet(Values(9, kBitOne)), kFresh).bytes,
            packet_bytes(4, 0, 9, kBitOne, 0x8000'0000, {0xFF, 1, 0}));
}

TEST(OneBit, ResidualsByHand) {
  OneBitBench bench(8, kFresh);
  EXPECT_EQ(bench.one(mx_packet(onebit_floats({1, 3, -1}), 3, 5), kKept).bytes,
            packet_bytes(4, 0, 3, binary32(2), binary32(-1), {3, 0}));
  // Left: -1, 1, 0.
  EXPECT_EQ(bench.one(mx_packet({0, 0, 0}, 3, 5), kKept).bytes,
            packet_bytes(4, 0, 3, binary32(0.5F), binary32(-1), {6, 0}));
  // Left: 0, 0.5, -0.5; the third does not come: it counts as +0, and its residual stays.
  EXPECT_EQ(bench.one(mx_packet({0, 0}, 3, 5), kKept).bytes,
            packet_bytes(4, 0, 3, binary32(0.5F / 3), 0x8000'0000, {7, 2}));
  const auto packet = bench.one(mx_packet({binary32(0), 0, 0}, 3, 5), kKept);
  EXPECT_EQ(packet.bytes[15], 0xBE);  // -1/6, 1/3 and still -0.5: the mean below is -1/3
  EXPECT_EQ(packet.bytes[16], 2);
  // Infinity: the residual instead, and a status.
  EXPECT_EQ(bench.one(mx_packet({kBitOne, 0x7F80'0000}, 2, 0), kKept).bytes,
            packet_bytes(4, 0, 2, binary32(0.5F), 0x8000'0000, {3, 1}));
}

TEST(OneBit, WhatLeavesRaw) {
  OneBitBench bench(1024, kFresh);
  const auto format = [&](uint32_t n, uint32_t row, OneBitConfig config) {
    return bench.one(mx_packet(Values(n, kBitOne), n, row), config).bytes.at(0);
  };
  EXPECT_EQ(format(0, 0, kFresh), 0);
  EXPECT_EQ(format(4096, 0, kKept), 4);
  EXPECT_EQ(format(4097, 0, kFresh), 0);
  EXPECT_EQ(format(9, 1022, kKept), 4);
  EXPECT_EQ(format(9, 1023, kKept), 0);
  EXPECT_EQ(format(9, 1023, kFresh), 4);
  EXPECT_EQ(bench.device.raw_count(), 3u);
  EXPECT_EQ(bench.one(mx_packet(Values(9000, kBitOne)), kFresh).bytes.size(), 36017u);
}

// ---------------------------------------------------------------- cycles

TEST(OneBit, LatencyAndRate) {
  for (const uint32_t beats : {1u, 2u, 15u, 16u, 17u, 100u}) {
    OneBitBench bench(8, kFresh);
    bench.send(mx_packet(Values(8 * beats, kBitOne)));
    bench.drain();
    EXPECT_EQ(bench.accepted.front(), 8u);
    // Popped B + 32 behind the first beat; sixteen bytes of signs fill the first output beat.
    EXPECT_EQ(bench.left.front().cycle, 8 + beats + 32 + std::min(beats, 16u) + 3) << beats;
  }
  for (const uint32_t n : {1u, 8u, 9u, 300u, 4096u}) {
    OneBitBench bench(8, kFresh);
    const uint32_t beats = (n + 7) / 8;
    for (int i = 0; i < 40; ++i) bench.send(mx_packet(Values(n, kBitOne)));
    bench.drain();
    EXPECT_EQ(bench.accepted, range(8, 8 + 40 * beats - 1)) << n;
  }
}

// RAW does not wait for means, but for V; a tail, too.
TEST(OneBit, RawAndTails) {
  OneBitBench bench(8, kKept);
  bench.send(mx_packet({kBitOne}, 1, 8));
  bench.drain();
  EXPECT_EQ(bench.left_cycles(), (Cycles{8 + 1 + 6 + 3 + 1}));
  bench.reset();
  bench.send(mx_packet(Values(8 * 60, kBitOne), 1));
  bench.drain();
  // Its 60th beat is the tail, started in 68: ready in 74, its payload item, started in 9, in 41.
  EXPECT_EQ(bench.left_cycles(), (Cycles{74 + 4}));
  EXPECT_EQ(bench.packets().at(0).bytes, packet_bytes(4, 0, 1, kBitOne, 0x8000'0000, {1, 2}));
}

TEST(OneBit, RowsInFlight) {
  const auto second = [](OneBitConfig a, OneBitConfig b, uint32_t row) {
    OneBitBench bench(8, a);
    bench.send(mx_packet({kBitOne}, 1, 3));
    while (bench.accepted.empty()) bench.step();
    bench.device.configure(b);
    bench.send(mx_packet({kBitOne}, 1, row));
    bench.drain();
    return bench.packets().at(1).first - 36;  // its start, where nothing else holds it
  };
  EXPECT_EQ(second(kKept, kKept, 4), 10u);
  EXPECT_EQ(second(kFresh, kKept, 3), 10u);
  EXPECT_EQ(second(kKept, kFresh, 3), 10u);
  // Started in 9, popped in 41, in flight to 49.
  EXPECT_EQ(second(kKept, kKept, 3), 50u);
}

// 64 chunks are in the buffer, not 65, and 1,024 items, where there is no credit to pop them.
TEST(OneBit, TheBufferIsFull) {
  OneBitBench bench(8, kFresh);
  bench.sink_gate = [](uint64_t) { return false; };
  for (int i = 0; i < 300; ++i) bench.send(mx_packet({kBitOne}));
  bench.run(1000);
  // With 61 beats in the queue there is credit, with 62 there is none; 64 chunks more are in the
  // buffer, and two beats in the input queue.
  EXPECT_EQ(bench.accepted.size(), 62u + 64 + 2);
  bench.sink_gate = [](uint64_t) { return true; };
  bench.drain();
  EXPECT_EQ(bench.packets().size(), 300u);

  OneBitBench items(8, kFresh);
  items.sink_gate = [](uint64_t) { return false; };
  items.send(mx_packet(Values(9 * 8192, kBitOne)));  // RAW: 62 items pop, 1,024 wait
  items.run(3000);
  EXPECT_EQ(items.accepted.size(), 62u + 1024 + 2);
  items.sink_gate = [](uint64_t) { return true; };
  items.drain();
  EXPECT_EQ(items.packets().at(0).bytes.size(), 4 * 9 * 8192 + 17u);
}

TEST(OneBit, ResetForgets) {
  OneBitBench bench(8, kKept);
  bench.one(mx_packet(onebit_floats({1, 3})), kKept);
  bench.send(mx_packet(Values(64, kBitOne)));
  bench.run(20);
  bench.reset();
  EXPECT_FALSE(bench.device.s_ready());
  EXPECT_EQ(bench.one(mx_packet({0, 0}), kKept).bytes,
            packet_bytes(4, 0, 2, 0, 0x8000'0000, {3, 0}));
}

// ---------------------------------------------------------------- random packets, value by value

/// The page's sentences, a value at a time.
class OneBitByValue {
 public:
  explicit OneBitByValue(uint32_t rows) : residuals_(8 * rows), rows_(rows) {}

  PacketBytes packet(const std::vector<Beat>& beats, OneBitConfig c) {
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
    const bool raw = n == 0 || n > 4096 || (c.residual && row + (n + 7) / 8 > rows_);
    PacketBytes out = packet_bytes(raw ? 0 : 4, 0, n, 0, 0, {});
    if (raw) {
      for (const uint32_t word : g) {
        for (int b = 0; b < 4; ++b) out.push_back(static_cast<uint8_t>(word >> (8 * b)));
        strange |= !finite(word);
      }
    } else {
      Values v(n, 0);
      uint64_t sum[2] = {0, 0}, count[2] = {0, 0};
      for (uint32_t j = 0; j < n; ++j) {
        if (came[j]) {
          const uint32_t r = c.residual ? residuals_[8 * row + j] : 0;
          v[j] = c.residual ? binary32(number(g[j]) + number(r)) : g[j];
          if (!finite(g[j]) || !finite(v[j])) v[j] = r, strange = true;
        }
        const bool negative = number(v[j]) < 0;
        const long double units = std::floor(std::ldexp((long double)std::fabs(number(v[j])), 32));
        sum[negative] += static_cast<uint64_t>(std::min(units, std::ldexp(1.0L, 40) - 1));
        ++count[negative];
        if (j % 8 == 0) out.push_back(0);
        out.back() |= static_cast<uint8_t>(!negative << j % 8);
      }
      float mean[2];
      for (int side = 0; side < 2; ++side) {
        const double rounded = static_cast<float>(sum[side]);
        // A quotient of 24 and 13 bits is rounded twice as once: a double has 53.
        mean[side] =
            count[side] == 0
                ? 0.0F
                : static_cast<float>(std::ldexp(rounded, -32) / static_cast<double>(count[side]));
        const uint32_t word = binary32(mean[side]) | (side == 1 ? 0x8000'0000 : 0);
        for (size_t b = 0; b < 4; ++b) {
          out[8 + 4 * static_cast<size_t>(side) + b] = static_cast<uint8_t>(word >> (8 * b));
        }
      }
      for (uint32_t j = 0; c.residual && j < n; ++j) {
        if (!came[j]) continue;
        const bool negative = number(v[j]) < 0;
        residuals_[8 * row + j] = binary32(number(v[j]) - (negative ? -mean[1] : mean[0]));
      }
    }
    const bool error = (beats.back().user_word() >> 52 & 1) != 0;
    out.push_back(static_cast<uint8_t>(strange + 2 * (n == 0 || bytes != 4ull * n) + 4 * error));
    return out;
  }

 private:
  Values residuals_;
  uint32_t rows_;
};

TEST(OneBitBytes, AsValueByValue) {
  std::map<int, int> formats;
  for (uint64_t seed = 1; seed <= tests::rounds(12u); ++seed) {
    const uint32_t rows = seed % 2 == 0 ? 8 : 100;
    OneBitBench bench(rows, kFresh);
    OneBitByValue by_value(rows);
    MxTraffic traffic(seed, rows);
    std::vector<PacketBytes> want;
    const uint32_t stall = seed % 3;
    bench.source_gate = [&](uint64_t) { return stall != 1 || traffic.below(3) != 0; };
    bench.sink_gate = [&](uint64_t) { return stall != 2 || traffic.below(3) != 0; };
    for (int p = 0; p < 300; ++p) {
      const auto beats = traffic.packet();
      const OneBitConfig c{!traffic.one_in(3)};
      want.push_back(by_value.packet(beats, c));
      ++formats[want.back()[0]];
      const size_t before = bench.accepted.size();
      bench.send(beats);
      bench.device.configure(c);
      while (bench.accepted.size() == before) bench.step();
      bench.device.configure({!c.residual});
      while (bench.accepted.size() < before + beats.size()) bench.step();
    }
    bench.drain();
    const auto got = bench.packets();
    ASSERT_EQ(got.size(), want.size());
    for (size_t p = 0; p < want.size(); ++p) ASSERT_EQ(got[p].bytes, want[p]) << seed << " " << p;
  }
  EXPECT_GT(formats[0], tests::rounds(100));
  EXPECT_GT(formats[4], tests::rounds(500));
}

}  // namespace
}  // namespace gw::systemc::onebit_test
