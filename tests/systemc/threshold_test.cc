// The threshold quantiser's core: bytes worked out by hand, the contract rule by rule, and the
// bytes of random packets against an encoder that goes value by value.
// SPDX-License-Identifier: Apache-2.0
#include "models/systemc/threshold.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "tests/sanitized.h"
#include "tests/systemc/quantiser_bench.h"

namespace gw::systemc::threshold_test {
namespace {

constexpr uint32_t kThresholdOne = 0x3F80'0000;
constexpr ThresholdConfig kWgt{1, false, kThresholdOne, false},
    kBgt{2, false, kThresholdOne, false}, kQgt{3, false, kThresholdOne, false};
constexpr ThresholdConfig kBgtRice{2, true, kThresholdOne, true},
    kQgtRice{3, true, kThresholdOne, true};
constexpr ThresholdConfig kBgtKept{2, false, kThresholdOne, true};

using ThresholdBench = QuantiserBench<Threshold>;

Values floats(std::initializer_list<float> values) {
  Values bits;
  for (const float v : values) bits.push_back(binary32(v));
  return bits;
}

const Values kExample = floats({1, -2, 0.5F, 0, 0, 0, 0, 0, 0, 0.25F});

// ---------------------------------------------------------------- bytes

TEST(Threshold, TheWorkedExample) {
  ThresholdBench bench(8, kBgt);
  EXPECT_EQ(bench.one(mx_packet(kExample), kBgtKept).bytes,
            packet_bytes(2, 0, 10, kThresholdOne, 0, {0x03, 0x02, 0x00, 0x00, 0x00}));
  // Residuals 0, -1, 0.5, 0 ... 0.25: with -1 of lane 1 nothing is left there, lane 2 reaches 1.
  EXPECT_EQ(bench.one(mx_packet(floats({0, 0, 0.5F, 0, 0, 0, 0, 0, 0, 0.75F})), kBgtKept).bytes,
            packet_bytes(2, 0, 10, kThresholdOne, 0, {0x06, 0x02, 0x02, 0x00, 0x00}));
}

TEST(Threshold, TheWorkedExampleInRice) {
  ThresholdBench bench(8, kBgt);
  EXPECT_EQ(bench.one(mx_packet(kExample), kBgtRice).bytes,
            packet_bytes(2, 7, 10, kThresholdOne, 0, {0x00, 0x80, 0x10, 0x00}));
  EXPECT_EQ(bench.one(mx_packet({0, 0}, 2, 1), kBgtRice).bytes[1], 7);  // another row
  // Two of ten were sent: k = 1. Now -1 of lane 1: gap 1 is 0 1, negative 1; gap 8 is 11110 0.
  EXPECT_EQ(bench.one(mx_packet(Values(10, 0)), kBgtRice).bytes,
            packet_bytes(2, 2, 10, kThresholdOne, 0, {0b1111'1'1'0 | 0, 0x00, 0x00}));
}

TEST(Threshold, WgtAndQgtByHand) {
  ThresholdBench bench(8, kWgt);
  EXPECT_EQ(bench.one(mx_packet(floats({0.5F, -1.5F, 300})), kWgt).bytes,
            packet_bytes(1, 0, 3, kThresholdOne, 0, {0x06, 0, 0, 0xC0, 0xBF, 0, 0, 0x96, 0x43, 0}));
  // m is at most 255; just below 2 is 1.
  EXPECT_EQ(bench.one(mx_packet(floats({300, -2, std::nextafter(2.0F, 0.0F)})), kQgt).bytes,
            packet_bytes(3, 0, 3, kThresholdOne, 0, {0x07, 0x02, 255, 2, 1, 0}));
  // Rice, k = 6: gap 0 (0, 000000), sign 0, m = 3; gap 1 (0, 100000), sign 1, m = 1; gap 0.
  ThresholdConfig rice = kQgtRice;
  rice.residual = false;
  EXPECT_EQ(bench.one(mx_packet(floats({3.5F, 0, -1}), 3, 5), rice).bytes,
            packet_bytes(3, 7, 3, kThresholdOne, 0, {0x00, 0x03, 0x82, 0x01, 0x00, 0x00}));
  // T = 2^-100 and the largest float: clipped, not infinite.
  EXPECT_EQ(bench.one(mx_packet({0x7F7F'FFFF}), ThresholdConfig{3, false, 27u << 23, false}).bytes,
            packet_bytes(3, 0, 1, 27u << 23, 0, {0x01, 0x00, 255, 0}));
}

TEST(Threshold, RunsOfEmptyGroups) {
  ThresholdBench bench(8, kWgt);
  const auto payload = [&](uint32_t groups, bool then_one) {
    Values values(8 * groups, 0);
    if (then_one) values.push_back(kThresholdOne);
    auto bytes = bench.one(mx_packet(values), kBgt).bytes;
    return PacketBytes(bytes.begin() + 16, bytes.end() - 1);
  };
  EXPECT_EQ(payload(1, false), (PacketBytes{0, 0}));
  EXPECT_EQ(payload(2, true), (PacketBytes{0, 1, 1, 0}));
  EXPECT_EQ(payload(256, false), (PacketBytes{0, 255}));
  EXPECT_EQ(payload(257, false), (PacketBytes{0, 255, 0, 0}));
  EXPECT_EQ(payload(257, true), (PacketBytes{0, 255, 0, 0, 1, 0}));
}

TEST(Threshold, WhatLeavesRaw) {
  ThresholdBench bench(8, kWgt);
  const auto format = [&](ThresholdConfig config, uint32_t row, uint32_t n = 9) {
    return bench.one(mx_packet(Values(n, kThresholdOne), n, row), config).bytes.at(0);
  };
  EXPECT_EQ(format({0, false, kThresholdOne, false}, 0), 0);
  EXPECT_EQ(format(kWgt, 0, 0), 0);
  for (const uint32_t t : {0u, (27u << 23) - 256, (227u << 23) + 256, kThresholdOne | 0x80,
                           kThresholdOne | 0x8000'0000, 0x7F80'0000u, 0x7FC0'0000u}) {
    EXPECT_EQ(format({1, false, t, false}, 0), 0) << t;
  }
  EXPECT_EQ(format({1, false, 27u << 23, false}, 0), 1);
  EXPECT_EQ(format({1, false, 227u << 23, false}, 0), 1);
  EXPECT_EQ(format(kBgtKept, 6), 2);
  EXPECT_EQ(format(kBgtKept, 7), 0);
  EXPECT_EQ(format(kBgt, 7), 2);
  EXPECT_EQ(format({2, true, kThresholdOne, false}, 7), 0);
  EXPECT_EQ(format({1, true, kThresholdOne, false}, 7), 1);  // of WGT mask
  EXPECT_EQ(bench.device.raw_count(), 11u);
  EXPECT_EQ(bench.one(mx_packet({kThresholdOne, 0x7F80'0000}), ThresholdConfig{}).bytes,
            packet_bytes(0, 0, 2, 0, 0, {0, 0, 0x80, 0x3F, 0, 0, 0x80, 0x7F, 1}));
}

// ---------------------------------------------------------------- cycles

TEST(Threshold, LatencyAndRate) {
  for (const ThresholdConfig config : {kWgt, kBgt, kQgt, kBgtRice, kQgtRice}) {
    ThresholdBench bench(8, config);
    bench.send(mx_packet({kThresholdOne}, 1, 0));
    bench.drain();
    EXPECT_EQ(bench.accepted, (Cycles{8}));
    EXPECT_EQ(bench.left_cycles(), (Cycles{8 + 17}));
  }
  // A beat a cycle in packets of every size.
  for (const uint32_t n : {1u, 7u, 8u, 9u, 64u, 100u}) {
    ThresholdBench bench(4096, kBgt);
    for (int i = 0; i < 50; ++i) bench.send(mx_packet(Values(n, 0), n, 0));
    bench.drain();
    EXPECT_EQ(bench.accepted, range(4096, 4096 + 50 * ((n + 7) / 8) - 1)) << n;
  }
}

// A WGT item of 35 bytes behind a header: 51 bytes are two beats, the second a cycle later only if
// something else enters; 128 + 280 bits are two beats of one cycle.
TEST(Threshold, TwoBeatsEnterAtOnce) {
  ThresholdBench bench(8, kWgt);
  bench.send(mx_packet(Values(8, kThresholdOne)));
  bench.send(mx_packet(Values(8, kThresholdOne)));
  bench.drain();
  EXPECT_EQ(bench.left_cycles(), (Cycles{25, 26, 27, 28}));
}

TEST(Threshold, RowsInFlight) {
  constexpr uint64_t t = 8;
  const auto second = [](ThresholdConfig a, ThresholdConfig b, uint32_t row) {
    ThresholdBench bench(8, a);
    bench.send(mx_packet({0}, 1, 3));
    while (bench.accepted.empty()) bench.step();
    bench.device.configure(b);
    bench.send(mx_packet({0}, 1, row));
    bench.drain();
    return bench.packets().at(1).first - 16;  // its start
  };
  EXPECT_EQ(second(kBgtKept, kBgtKept, 4), t + 2);
  EXPECT_EQ(second(kBgtKept, kBgt, 3), t + 2);
  EXPECT_EQ(second(kBgt, kBgtKept, 3), t + 2);
  // Started in t+1, in flight to t+19.
  EXPECT_EQ(second(kBgtKept, kBgtKept, 3), t + 20);
  // k: of any chunk that is not RAW, for Rice only.
  ThresholdConfig rice = kBgtRice;
  rice.residual = false;
  EXPECT_EQ(second(kWgt, rice, 3), t + 20);
  EXPECT_EQ(second(rice, rice, 3), t + 20);
  EXPECT_EQ(second(rice, kBgt, 3), t + 2);
  EXPECT_EQ(second(rice, rice, 4), t + 2);
  EXPECT_EQ(second({0, true, kThresholdOne, true}, rice, 3), t + 2);
}

TEST(Threshold, FillersTailsAndStatus) {
  ThresholdBench bench(8, kBgt);
  auto packet = bench.one(mx_packet({kThresholdOne}, 17, 0, true), kBgt);
  EXPECT_EQ(packet.bytes, packet_bytes(2, 0, 17, kThresholdOne, 0, {1, 0, 0, 1, 6}));
  EXPECT_TRUE(packet.user);
  packet = bench.one(mx_packet(Values(17, kThresholdOne), 1, 0), kBgt);
  EXPECT_EQ(packet.bytes, packet_bytes(2, 0, 1, kThresholdOne, 0, {1, 0, 2}));
  packet = bench.one(mx_packet({0x7FC0'0000, kThresholdOne}), kBgt);
  EXPECT_EQ(packet.bytes, packet_bytes(2, 0, 2, kThresholdOne, 0, {2, 0, 1}));
  EXPECT_EQ(bench.device.error_count(), 1u);
}

TEST(Threshold, CreditEndsWhatNothingTakes) {
  ThresholdBench bench(8, kWgt);
  bench.sink_gate = [](uint64_t) { return false; };
  bench.send(mx_packet(Values(8000, kThresholdOne), 8000));
  bench.run(200);
  // 33 bytes an item: when the queue and what is on the way may exceed 64 beats, items end.
  const size_t taken = bench.accepted.size();
  EXPECT_GE(taken, 58u);
  EXPECT_LE(taken, 64u);
  bench.sink_gate = [](uint64_t) { return true; };
  bench.drain();
  EXPECT_EQ(bench.packets().at(0).bytes.size(), 16u + 33 * 1000 + 1);
}

TEST(Threshold, ResetForgetsResidualsAndK) {
  ThresholdBench bench(8, kBgtRice);
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(bench.one(mx_packet(kExample), kBgtRice).bytes,
              packet_bytes(2, 7, 10, kThresholdOne, 0, {0x00, 0x80, 0x10, 0x00}));
    bench.reset();
    EXPECT_FALSE(bench.device.s_ready());
    bench.run(8);
    EXPECT_TRUE(bench.device.s_ready());
  }
}

// ---------------------------------------------------------------- random packets, value by value

/// The page's sentences, a value at a time, a bit at a time.
class ByValue {
 public:
  explicit ByValue(uint32_t rows) : residuals_(8 * rows), k_(rows, 6), rows_(rows) {}

  PacketBytes packet(const std::vector<Beat>& beats, const ThresholdConfig& c) {
    const uint64_t user = beats.front().user_word();
    const uint32_t row = user & 0xFF'FFFF, n = user >> 32 & 0xF'FFFF;
    std::vector<uint32_t> g(n, 0);
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
    const bool error = (beats.back().user_word() >> 52 & 1) != 0;
    const auto finite = [](uint32_t word) { return (word >> 23 & 255) != 255; };
    const double t = std::bit_cast<float>(c.threshold);
    const bool legal = (c.threshold & 0x8000'00FF) == 0 && t >= 0x1p-100 && t <= 0x1p100;
    const bool rice = c.rice && c.method != 1;
    const bool fits = row + (n + 7) / 8 <= rows_;
    const bool raw = n == 0 || c.method == 0 || !legal || (!fits && (c.residual || rice));
    bits_.clear();
    byte(raw ? 0 : c.method);
    byte(rice && !raw ? 1 + k_[row] : 0);
    byte(0), byte(0);
    put(n, 32);
    put(raw ? 0 : c.threshold, 32);
    put(0, 32);
    if (raw) {
      for (const uint32_t word : g) {
        put(word, 32);
        strange |= !finite(word);
      }
    } else {
      std::vector<int> m(n, 0);
      std::vector<uint32_t> v(n, 0);
      uint32_t count = 0;
      for (uint32_t j = 0; j < n; ++j) {
        if (!came[j]) continue;
        uint32_t* const r = c.residual ? &residuals_[8 * row + j] : nullptr;
        const float sum = std::bit_cast<float>(g[j]) + std::bit_cast<float>(r ? *r : 0);
        v[j] = r ? binary32(sum) : g[j];
        if (!finite(g[j]) || !finite(v[j])) {
          strange = true;
          v[j] = r ? *r : 0;
        }
        const double value = std::bit_cast<float>(v[j]);
        m[j] = static_cast<int>(std::min(255.0L, std::floor(std::fabs((long double)value) / t)));
        double d = c.method == 1 ? value : std::copysign(c.method == 2 ? t : m[j] * t, value);
        if (m[j] == 0) d = 0;
        count += m[j] != 0;
        if (r) *r = binary32(static_cast<float>(value) - static_cast<float>(d));
      }
      rice ? code(v, m, c.method, k_[row]) : mask(v, m, c.method);
      if (row < rows_) {
        k_[row] = 14;
        while (k_[row] != 0 && (uint64_t{3} * count << k_[row]) > 2 * uint64_t{n}) --k_[row];
      }
    }
    byte(strange + 2 * (n == 0 || bytes != 4ull * n) + 4 * error);
    PacketBytes out(bits_.size() / 8);
    for (size_t i = 0; i < bits_.size(); ++i) out[i / 8] |= static_cast<uint8_t>(bits_[i] << i % 8);
    return out;
  }

 private:
  void put(uint64_t code, uint32_t length) {
    for (uint32_t i = 0; i < length; ++i) bits_.push_back(code >> i & 1);
  }
  void byte(uint32_t value) { put(value, 8); }
  void mask(const Values& v, const std::vector<int>& m, int method) {
    const auto empty = [&](size_t group) {
      for (size_t j = 8 * group; j < std::min(8 * group + 8, v.size()); ++j) {
        if (m[j] != 0) return false;
      }
      return true;
    };
    const size_t groups = (v.size() + 7) / 8;
    for (size_t group = 0; group < groups; ++group) {
      if (empty(group)) {
        uint32_t more = 0;
        while (more < 255 && group + 1 < groups && empty(group + 1)) ++group, ++more;
        byte(0), byte(more);
        continue;
      }
      uint32_t lanes = 0, signs = 0;
      for (size_t j = 8 * group; j < std::min(8 * group + 8, v.size()); ++j) {
        lanes |= uint32_t{m[j] != 0} << j % 8;
        signs |= uint32_t{m[j] != 0 && v[j] >> 31 != 0} << j % 8;
      }
      byte(lanes);
      if (method != 1) byte(signs);
      for (size_t j = 8 * group; j < std::min(8 * group + 8, v.size()); ++j) {
        if (m[j] == 0 || method == 2) continue;
        method == 1 ? put(v[j], 32) : byte(static_cast<uint32_t>(m[j]));
      }
    }
  }
  void gap(uint32_t value, uint32_t k) {
    if (value >> k < 15) {
      for (uint32_t i = 0; i < value >> k; ++i) put(1, 1);
      put(0, 1);
      put(value, k);
    } else {
      put(0x7FFF, 15);
      put(value, 20);
    }
  }
  void code(const Values& v, const std::vector<int>& m, int method, uint32_t k) {
    uint32_t next = 0;
    for (uint32_t j = 0; j < v.size(); ++j) {
      if (m[j] == 0) continue;
      gap(j - next, k);
      put(v[j] >> 31, 1);
      if (method == 3) byte(static_cast<uint32_t>(m[j]));
      next = j + 1;
    }
    gap(static_cast<uint32_t>(v.size()) - next, k);
    while (bits_.size() % 8 != 0) put(0, 1);
  }

  Values residuals_;
  std::vector<uint8_t> k_;
  uint32_t rows_;
  std::vector<bool> bits_;
};

TEST(ThresholdBytes, AsValueByValue) {
  std::map<int, int> formats;
  int rice = 0;
  for (uint64_t seed = 1; seed <= tests::rounds(12u); ++seed) {
    const uint32_t rows = seed % 2 == 0 ? 8 : 100;
    ThresholdBench bench(rows, ThresholdConfig{});
    ByValue by_value(rows);
    MxTraffic traffic(seed, rows);
    std::vector<PacketBytes> want;
    const uint32_t stall = seed % 3;
    bench.source_gate = [&](uint64_t) { return stall != 1 || traffic.below(3) != 0; };
    bench.sink_gate = [&](uint64_t) { return stall != 2 || traffic.below(3) != 0; };
    for (int p = 0; p < 300; ++p) {
      auto beats = traffic.packet();
      ThresholdConfig c{static_cast<uint8_t>(traffic.below(16) == 0 ? 0 : 1 + traffic.below(3)),
                        traffic.one_in(2), traffic.below(1 << 15) << 8, !traffic.one_in(3)};
      c.threshold |= (96 + traffic.below(50)) << 23;
      if (traffic.one_in(30)) c.threshold |= 1u << traffic.below(32);
      want.push_back(by_value.packet(beats, c));
      ++formats[want.back()[0]];
      rice += want.back()[1] != 0;
      // The pins show it until the first beat is accepted.
      const size_t before = bench.accepted.size();
      bench.send(beats);
      bench.device.configure(c);
      while (bench.accepted.size() == before) bench.step();
      while (bench.accepted.size() < before + beats.size()) {
        bench.device.configure({static_cast<uint8_t>(traffic.below(4)), traffic.one_in(2),
                                kThresholdOne, traffic.one_in(2)});
        bench.step();
      }
    }
    bench.drain();
    const auto got = bench.packets();
    ASSERT_EQ(got.size(), want.size());
    for (size_t p = 0; p < want.size(); ++p) ASSERT_EQ(got[p].bytes, want[p]) << seed << " " << p;
  }
  for (const int format : {0, 1, 2, 3}) EXPECT_GT(formats[format], tests::rounds(100));
  EXPECT_GT(rice, tests::rounds(500));
}

}  // namespace
}  // namespace gw::systemc::threshold_test
