// The dequantizer's model against its contract, by hand, and against the reference's decoder on
// packets that the reference's encoders made, whole and damaged.
#include "models/systemc/dequantizer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <random>
#include <vector>

#include "models/reference/quant/decoder.h"
#include "models/reference/quant/quantiser.h"

namespace gw::systemc {
namespace {

namespace quant = reference::quant;
using Bytes = std::vector<uint8_t>;

/// A packet of n values: header, payload, status.
Bytes packet(uint8_t format, uint8_t coding, uint32_t n, uint32_t first, uint32_t second,
             const Bytes& payload, uint8_t status = 0) {
  Bytes bytes = {format, coding, 0, 0};
  for (const uint32_t word : {n, first, second}) {
    for (int i = 0; i < 4; ++i) bytes.push_back(static_cast<uint8_t>(word >> 8 * i));
  }
  bytes.insert(bytes.end(), payload.begin(), payload.end());
  bytes.push_back(status);
  return bytes;
}

std::vector<Beat> beats_of(const Bytes& bytes) {
  std::vector<Beat> beats;
  for (size_t at = 0; at == 0 || at < bytes.size(); at += kBeatBytes) {
    const size_t count = std::min<size_t>(kBeatBytes, bytes.size() - at);
    Beat& beat = beats.emplace_back();
    if (count != 0) std::memcpy(beat.data.data(), bytes.data() + at, count);
    beat.last = at + count == bytes.size();
    beat.keep = Beat::keep_of(static_cast<int>(count));
  }
  return beats;
}

struct Left {
  uint64_t cycle;
  Beat beat;
};

/// Offers a beat a cycle, takes all; cycle 0 is the first with tready.
struct Bench {
  Dequantizer device;
  uint64_t now = 0;
  std::vector<uint64_t> accepted;
  std::vector<Left> left;

  Bench() { device.clock(nullptr, true); }
  void cycle(const Beat* s, bool ready = true) {
    if (const Beat* m = device.m_beat(); m != nullptr && ready) left.push_back({now, *m});
    if (s != nullptr && device.s_ready()) accepted.push_back(now);
    device.clock(s, ready);
    ++now;
  }
  void run(const std::vector<Bytes>& packets, int after = 40) {
    for (const Bytes& bytes : packets) {
      for (const Beat& beat : beats_of(bytes)) {
        for (bool done = false; !done;) {
          done = device.s_ready();
          cycle(&beat);
        }
      }
    }
    for (int i = 0; i < after; ++i) cycle(nullptr);
  }
  std::vector<uint64_t> cycles() const {
    std::vector<uint64_t> all;
    for (const Left& l : left) all.push_back(l.cycle);
    return all;
  }
};

constexpr uint32_t kOne = 0x3F800000, kMinusTwo = 0xC0000000;
Bytes one_bit(uint32_t n, const Bytes& signs, uint8_t status = 0) {
  return packet(4, 0, n, kOne, kMinusTwo, signs, status);
}

// docs/devices/dequantizer-timing.json.
TEST(DequantizerByHand, TwoPacketsOfOneBitValues) {
  Bench b;
  b.run({one_bit(16, {0xFF, 0x01}), one_bit(16, {0x00, 0x80})});
  EXPECT_EQ(b.accepted, (std::vector<uint64_t>{0, 1}));
  EXPECT_EQ(b.cycles(), (std::vector<uint64_t>{8, 9, 10, 11}));
  EXPECT_EQ(b.left[0].beat.data,
            (std::array<uint32_t, 8>{kOne, kOne, kOne, kOne, kOne, kOne, kOne, kOne}));
  EXPECT_EQ(b.left[1].beat.data[0], kOne);
  EXPECT_EQ(b.left[1].beat.data[1], kMinusTwo);
  EXPECT_EQ(b.left[3].beat.data[7], kOne);
  for (size_t i = 0; i < 4; ++i) EXPECT_EQ(b.left[i].beat.last, i % 2) << i;
}

TEST(DequantizerByHand, TheLastBeatIsCutAndTellsOfTheStatus) {
  Bench b;
  b.run({one_bit(3, {0x05}, 1), one_bit(8, {0x05})});
  ASSERT_EQ(b.left.size(), 2u);
  EXPECT_EQ(b.left[0].beat.keep, 0xFFFu);
  EXPECT_EQ(b.left[0].beat.user, 1);
  EXPECT_EQ(b.left[0].beat.data[3], 0u);
  EXPECT_EQ(b.left[1].beat.keep, kKeepAll);
  EXPECT_EQ(b.left[1].beat.user, 0);
  EXPECT_EQ(b.device.error_count(), 1u);
  for (size_t i = 0; i < Dequantizer::kReasons; ++i) EXPECT_EQ(b.device.malformed_count(i), 0u);
}

// One-beat packets in, one-beat packets out, a cycle each: nothing is lost between packets.
TEST(DequantizerByHand, OneBeatPacketsBackToBack) {
  Bench b;
  b.run(std::vector<Bytes>(100, one_bit(8, {0x0F})));
  ASSERT_EQ(b.left.size(), 100u);
  for (size_t i = 0; i < 100; ++i) {
    EXPECT_EQ(b.accepted[i], i);
    EXPECT_EQ(b.left[i].cycle, i + 8);
  }
}

// 256 groups in two bytes: beats leave one a cycle, the input waits.
TEST(DequantizerByHand, ARunOfEmptyGroups) {
  Bench b;
  b.run({packet(2, 0, 2048, kOne, 0, {0x00, 0xFF}), one_bit(8, {0xFF})}, 300);
  ASSERT_EQ(b.left.size(), 257u);
  for (size_t i = 0; i < 257; ++i) EXPECT_EQ(b.left[i].cycle, i + 8);
  EXPECT_EQ(b.left[255].beat.last, 1);
  EXPECT_EQ(b.left[255].beat.data, (std::array<uint32_t, 8>{}));
}

// docs/formats/quantised-packets.md, worked examples.
TEST(DequantizerByHand, WorkedExamples) {
  Bench b;
  b.run({packet(2, 0, 10, kOne, 0, {0x03, 0x02, 0x00, 0x00}),
         packet(2, 7, 10, kOne, 0, {0x00, 0x80, 0x10})});
  ASSERT_EQ(b.left.size(), 4u);
  for (const size_t first : {0u, 2u}) {
    EXPECT_EQ(b.left[first].beat.data, (std::array<uint32_t, 8>{kOne, 0xBF800000}));
    EXPECT_EQ(b.left[first + 1].beat.data, (std::array<uint32_t, 8>{}));
    EXPECT_EQ(b.left[first + 1].beat.keep, 0xFFu);
  }
}

// Rice: two entries a cycle, so that a beat of eight takes four cycles.
TEST(DequantizerByHand, RiceTakesTwoEntriesACycle) {
  std::mt19937 random(5);
  std::vector<float> values(4096);
  for (float& v : values) v = random() % 2 == 0 ? 1.5f : -1.5f;
  quant::Config config;
  config.method = quant::Method::kBgt;
  config.coding = quant::Coding::kRice;
  config.threshold = 1;
  quant::Quantiser quantiser(config, 1024);
  Bytes bytes;
  quant::Chunk chunk;
  chunk.values = values;
  quantiser.encode(chunk, bytes);
  Bench b;
  b.run({bytes}, 3000);
  ASSERT_EQ(b.left.size(), 512u);
  const uint64_t cycles = b.left.back().cycle - b.accepted.front();
  EXPECT_LE(cycles, 4096 / 2 + 16u);
  EXPECT_GE(cycles, 4096 / 2u);
}

TEST(DequantizerByHand, MalformedPacketsEndAndTheNextOneIsRight) {
  const uint32_t nan = 0x7FC00000;
  const Bytes good = one_bit(8, {0x0F});
  struct Case {
    Bytes bytes;
    size_t reason, before;
  };
  Bytes reserved = good;
  reserved[2] = 1;
  Bytes longer = one_bit(16, {1, 2});
  longer.insert(longer.end(), 200, 0);
  const std::vector<Case> cases = {
      {Bytes(16, 0), Dequantizer::kShort, 0},
      {{}, Dequantizer::kShort, 0},
      {packet(8, 0, 8, 0, 0, {1}), Dequantizer::kFormat, 0},
      {packet(4, 1, 8, 0, 0, {1}), Dequantizer::kCoding, 0},
      {packet(1, 1, 8, kOne, 0, {0, 0}), Dequantizer::kCoding, 0},
      {packet(2, 16, 8, kOne, 0, {0, 0}), Dequantizer::kCoding, 0},
      {reserved, Dequantizer::kReserved, 0},
      {packet(2, 0, 8, kOne, 1, {0, 0}), Dequantizer::kReserved, 0},
      {packet(0, 0, 8, 1, 0, Bytes(32)), Dequantizer::kReserved, 0},
      {one_bit(0, {}), Dequantizer::kCount, 0},
      {one_bit(4097, Bytes(513)), Dequantizer::kLimit, 0},
      {packet(4, 0, 8, nan, 0, {1}), Dequantizer::kNotFinite, 0},
      {one_bit(16, {1}), Dequantizer::kPayload, 1},
      {one_bit(16, {1, 2, 3}), Dequantizer::kPayload, 1},
      {longer, Dequantizer::kPayload, 1},
      {one_bit(512, Bytes(15)), Dequantizer::kPayload, 15},  // ends with a beat
      {packet(2, 0, 16, kOne, 0, {0x00, 0x02}), Dequantizer::kPayload, 0},
      {packet(2, 0, 4, kOne, 0, {0x10, 0x00}), Dequantizer::kPayload, 0},
      {packet(2, 0, 8, kOne, 0, {0x01, 0x02}), Dequantizer::kPayload, 0},
      {packet(3, 0, 8, kOne, 0, {0x01, 0x00, 0x00}), Dequantizer::kPayload, 0},
      {packet(2, 1, 8, kOne, 0, {0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF}), Dequantizer::kPayload, 0},
      {one_bit(8, {0x0F}, 0x08), Dequantizer::kStatus, 0},
  };
  for (size_t i = 0; i < cases.size(); ++i) {
    SCOPED_TRACE(i);
    Bench b;
    b.run({cases[i].bytes, good});
    ASSERT_EQ(b.left.size(), cases[i].before + 2);
    const Beat& error = b.left[cases[i].before].beat;
    EXPECT_EQ(error.last, 1);
    EXPECT_EQ(error.user, 1);
    EXPECT_EQ(error.keep, kKeepAll);
    EXPECT_EQ(error.data, (std::array<uint32_t, 8>{}));
    for (size_t r = 0; r < Dequantizer::kReasons; ++r) {
      EXPECT_EQ(b.device.malformed_count(r), r == cases[i].reason ? 1u : 0u) << r;
    }
    EXPECT_EQ(b.device.error_count(), 1u);
    EXPECT_EQ(b.left.back().beat.data[4], kMinusTwo);
    EXPECT_EQ(b.left.back().beat.last, 1);
    EXPECT_EQ(b.left.back().beat.user, 0);
  }
}

TEST(DequantizerByHand, TheLimitBelongsToThePacket) {
  Dequantizer device({.limit = 8});
  device.clock(nullptr, true);
  const Beat beat = beats_of(one_bit(16, {1, 2}))[0];
  device.configure({.limit = 16});
  device.clock(&beat, true);
  device.configure({.limit = 8});
  device.clock(&beat, true);
  for (int i = 0; i < 20; ++i) device.clock(nullptr, true);
  EXPECT_EQ(device.malformed_count(Dequantizer::kLimit), 1u);
  EXPECT_EQ(device.error_count(), 1u);
}

TEST(DequantizerByHand, TheQueueHoldsThirtyTwoBeats) {
  Bench b;
  const std::vector<Beat> beats = beats_of(packet(2, 0, 2048, kOne, 0, {0x00, 0xFF}));
  b.cycle(&beats[0], false);
  for (int i = 0; i < 100; ++i) b.cycle(nullptr, false);
  for (int i = 0; i < 32; ++i) b.cycle(nullptr, true);
  EXPECT_EQ(b.left.size(), 32u);
  EXPECT_EQ(b.left.back().cycle - b.left.front().cycle, 31u);
}

TEST(DequantizerByHand, ResetForgetsEverything) {
  Bench b;
  const std::vector<Beat> beats = beats_of(one_bit(512, Bytes(64)));
  for (const Beat& beat : beats) b.cycle(&beat);
  b.device.reset();
  EXPECT_FALSE(b.device.s_ready());
  EXPECT_EQ(b.device.m_beat(), nullptr);
  b.left.clear();
  b.cycle(nullptr);
  b.run({one_bit(8, {0x0F})});
  ASSERT_EQ(b.left.size(), 1u);
  EXPECT_EQ(b.left[0].beat.last, 1);
}

/// What the reference makes of a packet is what leaves; the reason is the same.
TEST(DequantizerModel, DecodesAsTheReference) {
  std::mt19937 random(1);
  const auto below = [&](uint32_t n) { return static_cast<uint32_t>(random() % n); };
  Bench b;
  uint64_t whole = 0, damaged = 0;
  for (int t = 0; t < 20'000; ++t) {
    SCOPED_TRACE(t);
    quant::Config config;
    config.method = static_cast<quant::Method>(below(8));
    config.threshold =
        *quant::round_threshold(std::ldexp(1.0 + below(200) / 256.0, -static_cast<int>(below(8))));
    config.p = 1 + static_cast<int>(below(10));
    if (quant::has_coding(config.method, quant::Coding::kRice) && below(2) != 0) {
      config.coding = quant::Coding::kRice;
    }
    config.residual = false;
    quant::Quantiser quantiser(config, 512);
    std::vector<float> values(1 + (below(4) == 0 ? below(4000) : below(100)));
    const uint32_t sparse = 1u << below(6);
    for (float& v : values) {
      const float wide = static_cast<float>(static_cast<int>(below(2000)) - 1000);
      v = below(sparse) != 0 ? wide * 1e-5f : wide / static_cast<float>(1 + below(1000));
    }
    Bytes bytes;
    quant::Chunk chunk;
    chunk.values = values;
    quantiser.encode(chunk, bytes);
    if (below(4) == 0) {
      switch (const uint32_t how = below(4)) {
        case 0:
          bytes.resize(below(static_cast<uint32_t>(bytes.size()) + 1));
          break;
        case 1:
          bytes.insert(bytes.end(), 1 + below(80), static_cast<uint8_t>(random()));
          break;
        default: {
          const size_t reach = how == 2 ? 16 : bytes.size();
          bytes[below(static_cast<uint32_t>(reach))] ^= static_cast<uint8_t>(1u << below(8));
        }
      }
    }
    std::vector<float> expected;
    const quant::Decoded decoded = quant::decode_packet(bytes, 4096, expected);

    std::array<uint32_t, Dequantizer::kReasons> before{};
    for (size_t r = 0; r < before.size(); ++r) before[r] = b.device.malformed_count(r);
    b.left.clear();
    const std::vector<Beat> beats = beats_of(bytes);
    size_t next = 0;
    for (int guard = 0; next < beats.size() || b.left.empty() || b.left.back().beat.last == 0;) {
      ASSERT_LT(++guard, 100'000) << "a hang";
      const Beat* const s = next < beats.size() && below(8) != 0 ? &beats[next] : nullptr;
      if (s != nullptr && b.device.s_ready()) ++next;
      b.cycle(s, below(8) != 0);
    }
    std::vector<uint32_t> got;
    for (const Left& l : b.left) {
      const auto lanes = static_cast<size_t>(bytes_of_keep(l.beat.keep)) / 4;
      got.insert(got.end(), l.beat.data.begin(), l.beat.data.begin() + static_cast<long>(lanes));
    }
    for (size_t r = 0; r < before.size(); ++r) {
      const bool counted = !decoded.ok() && static_cast<size_t>(decoded.reason) == r + 1;
      ASSERT_EQ(b.device.malformed_count(r) - before[r], counted ? 1u : 0u) << r;
    }
    const Beat& last = b.left.back().beat;
    if (decoded.ok()) {
      ++whole;
      ASSERT_EQ(got.size(), expected.size());
      ASSERT_EQ(std::memcmp(got.data(), expected.data(), 4 * got.size()), 0);
      ASSERT_EQ(last.user != 0, decoded.status != 0);
    } else {
      ++damaged;
      ASSERT_EQ(last.user, 1);
    }
  }
  EXPECT_GT(whole, 10'000u);
  EXPECT_GT(damaged, 2'000u);
}

}  // namespace
}  // namespace gw::systemc
