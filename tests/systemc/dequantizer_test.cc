// The dequantizer's model against its contract, by hand, and against the reference's decoder on
// packets that the reference's encoders made, whole and damaged.
// SPDX-License-Identifier: Apache-2.0
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
#include "tests/sanitized.h"

namespace gw::systemc::dequantizer_test {
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
      {packet(9, 0, 8, 0, 0, {1}), Dequantizer::kFormat, 0},
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

/// Packets of every format and coding, some of them damaged, as beats with junk in what does not
/// count.
class Traffic {
 public:
  struct Packet {
    std::vector<float> values;  // those that leave, of a malformed one in front of its error beat
    bool ok, user;
    size_t reason;  // from 0 on
  };

  explicit Traffic(uint64_t seed) : random_(seed) {}

  uint32_t below(uint64_t n) { return static_cast<uint32_t>(random_() % n); }
  void add() {
    Bytes bytes = encoded();
    if (below(3) == 0) damage(bytes);
    const bool user = below(5) == 0;
    Packet& packet = packets.emplace_back();
    const quant::Decoded decoded = quant::decode_groups(bytes, 4096, packet.values);
    packet.ok = decoded.ok();
    packet.user = !decoded.ok() || decoded.status != 0 || user;
    packet.reason = static_cast<size_t>(decoded.reason) - (packet.ok ? 0 : 1);
    send(bytes, user);
  }

  std::vector<Packet> packets;
  std::vector<Beat> beats;

 private:
  uint8_t junk() { return static_cast<uint8_t>(random_()); }
  Bytes encoded() {
    quant::Config config;
    config.method = static_cast<quant::Method>(below(quant::kMethods));
    config.threshold =
        *quant::round_threshold(std::ldexp(1.0 + below(200) / 256.0, -static_cast<int>(below(8))));
    config.p = 1 + static_cast<int>(below(10));
    if (quant::has_coding(config.method, quant::Coding::kRice) && below(3) != 0) {
      config.coding = quant::Coding::kRice;
    }
    config.residual = false;
    quant::Quantiser quantiser(config, 512);
    std::vector<float> values(1 + (below(4) == 0 ? below(4000) : below(200)));
    const uint32_t sparse = 1u << below(7);
    for (float& v : values) {
      const float wide = static_cast<float>(static_cast<int>(below(2000)) - 1000);
      v = below(sparse) != 0 ? wide * 1e-5f : wide / static_cast<float>(1 + below(1000));
    }
    Bytes bytes;
    quant::Chunk chunk;
    chunk.values = values;
    quantiser.encode(chunk, bytes);
    return bytes;
  }
  void damage(Bytes& bytes) {
    switch (below(7)) {
      case 0:
        bytes.resize(below(bytes.size() + 1));
        break;
      case 1:
        for (uint32_t more = 1 + below(200); more != 0; --more) bytes.push_back(junk());
        break;
      case 2:
        bytes[below(16)] ^= static_cast<uint8_t>(1u << below(8));
        break;
      case 3:
        for (size_t i = 16; i < bytes.size(); ++i) {
          if (below(20) == 0) bytes[i] = junk();
        }
        break;
      case 4:  // another k, or one where there is none
        bytes[1] = static_cast<uint8_t>(below(16));
        break;
      case 5:  // n = 0, or what is not finite where there is a T or a mean
        std::fill_n(bytes.begin() + (below(2) == 0 ? 4 : 8), 4, below(2) == 0 ? 0 : 0xFF);
        break;
      default:
        bytes[below(bytes.size())] ^= static_cast<uint8_t>(1u << below(8));
    }
  }
  void send(const Bytes& bytes, bool user) {
    const bool empty = !bytes.empty() && bytes.size() % kBeatBytes == 0 && below(2) != 0;
    const size_t count =
        std::max<size_t>(1, (bytes.size() + kBeatBytes - 1) / kBeatBytes) + (empty ? 1 : 0);
    for (size_t i = 0; i < count; ++i) {
      const size_t at = i * kBeatBytes;
      const size_t size = at < bytes.size() ? std::min<size_t>(kBeatBytes, bytes.size() - at) : 0;
      Beat& beat = beats.emplace_back();
      for (uint32_t& word : beat.data) word = static_cast<uint32_t>(random_());
      if (size != 0) std::memcpy(beat.data.data(), bytes.data() + at, size);
      beat.last = i + 1 == count;
      beat.user = beat.last != 0 ? user : below(2) != 0;
      beat.keep = static_cast<uint32_t>(random_());
      if (beat.last != 0) {  // anything above its lowest zero
        const uint32_t hole = size < kBeatBytes ? 1u << size : 0;
        beat.keep = (beat.keep | keep_of_bytes(static_cast<int>(size))) & ~hole;
      }
    }
  }

  std::mt19937_64 random_;
};

/// What the reference makes of packets is what leaves, float by float, also in front of an error
/// beat; packets come back to back, both ends stall.
TEST(DequantizerModel, DecodesAsTheReference) {
  uint64_t whole = 0, damaged = 0, within = 0;
  std::array<uint64_t, Dequantizer::kReasons> reasons{};
  for (uint64_t round = 1; round <= tests::rounds(400u); ++round) {
    SCOPED_TRACE(round);
    Traffic traffic(round);
    for (int i = 0; i < 50; ++i) traffic.add();
    const uint32_t source = 1 + traffic.below(4), sink = 1 + traffic.below(4);
    Bench b;
    std::array<uint32_t, Dequantizer::kReasons> counts{};
    uint32_t errors = 0;
    std::vector<uint32_t> got;
    const Beat* offered = nullptr;
    size_t next = 0, done = 0;
    for (uint64_t guard = 0; done < traffic.packets.size(); ++guard) {
      ASSERT_LT(guard, 2'000'000u) << "a hang";
      if (offered == nullptr && next < traffic.beats.size() && traffic.below(source) == 0) {
        offered = &traffic.beats[next++];
      }
      const bool taken = offered != nullptr && b.device.s_ready();
      const bool pause = round % 50 == 0 && guard % 600 < 300;
      b.left.clear();
      b.cycle(offered, !pause && traffic.below(sink) == 0);
      if (taken) offered = nullptr;
      if (b.left.empty()) continue;
      const Beat& beat = b.left.front().beat;
      const int lanes = bytes_of_keep(beat.keep) / 4;
      ASSERT_EQ(beat.keep, keep_of_bytes(4 * lanes));
      for (auto i = static_cast<size_t>(lanes); i < kLanes; ++i) ASSERT_EQ(beat.data[i], 0u);
      got.insert(got.end(), beat.data.begin(), beat.data.begin() + lanes);
      if (beat.last == 0) {
        ASSERT_EQ(lanes, kLanes);
        ASSERT_EQ(beat.user, 0);
        continue;
      }
      const Traffic::Packet& want = traffic.packets[done++];
      ASSERT_EQ(beat.user != 0, want.user);
      errors += want.user;
      if (want.ok) {
        ++whole;
        ASSERT_EQ(got.size(), want.values.size());
      } else {
        ++damaged;
        within += !want.values.empty();
        ++counts[want.reason];
        ++reasons[want.reason];
        ASSERT_EQ(got.size(), want.values.size() + kLanes);
        for (const uint32_t word : beat.data) ASSERT_EQ(word, 0u);
      }
      for (size_t i = 0; i < want.values.size(); ++i) {
        ASSERT_EQ(got[i], std::bit_cast<uint32_t>(want.values[i])) << i;
      }
      got.clear();
    }
    for (int i = 0; i < 40; ++i) b.cycle(nullptr);
    for (size_t r = 0; r < counts.size(); ++r) ASSERT_EQ(b.device.malformed_count(r), counts[r]);
    ASSERT_EQ(b.device.error_count(), errors);
  }
  EXPECT_GT(whole, tests::rounds(10'000u));
  EXPECT_GT(damaged, tests::rounds(3'000u));
  EXPECT_GT(within, tests::rounds(1'000u));
  for (size_t r = 0; r < reasons.size(); ++r) EXPECT_GT(reasons[r], tests::rounds(10u)) << r;
}

// Words are fetched as their bytes and the beat behind them come: where a beat is missing, so are
// the words behind its half.
TEST(DequantizerByHand, ARiceWordWaitsForTheBeatBehind) {
  // 40 entries, k = 0, a gap of 0 each: 80 bits and the end's 1, in 11 bytes; 28 in all, one beat.
  const Bytes whole = packet(2, 1, 40, kOne, 0, Bytes(11));
  Bench alone;
  alone.run({whole});
  ASSERT_EQ(alone.left.size(), 5u);
  EXPECT_EQ(alone.left[0].cycle, 8u + 4);  // four steps make a beat, its end is seen in the fifth
  // 100 values in two beats: the second comes ten cycles later, and the first word waits for it.
  const std::vector<Beat> beats = beats_of(packet(2, 1, 100, kOne, 0, Bytes(26)));
  ASSERT_EQ(beats.size(), 2u);
  Bench late;
  late.cycle(&beats[0]);
  for (int i = 1; i < 11; ++i) late.cycle(nullptr);
  late.cycle(&beats[1]);
  for (int i = 0; i < 100; ++i) late.cycle(nullptr);
  ASSERT_EQ(late.left.size(), 13u);
  EXPECT_EQ(late.left[0].cycle, 11u + 8 + 4);
}

// A count changes in the cycle behind the one in which the error beat enters the queue: six behind
// the token, which is read in the cycle behind the beat's arrival.
TEST(DequantizerByHand, WhenCountsChange) {
  Bench b;
  const std::vector<Beat> beats = beats_of(one_bit(8, {0x0F}, 0x08));
  b.cycle(&beats[0], false);
  for (int cycle = 1; cycle < 20; ++cycle) {
    SCOPED_TRACE(cycle);
    EXPECT_EQ(b.device.malformed_count(Dequantizer::kStatus), cycle >= 8 ? 1u : 0u);
    EXPECT_EQ(b.device.error_count(), cycle >= 16 ? 1u : 0u);
    b.cycle(nullptr, cycle == 15);
  }
}

TEST(DequantizerByHand, ResetWithinRice) {
  const std::vector<Beat> beats = beats_of(packet(2, 1, 2000, kOne, 0, Bytes(500)));
  for (size_t cut = 1; cut < beats.size(); ++cut) {
    SCOPED_TRACE(cut);
    Bench b;
    for (size_t i = 0; i < cut; ++i) b.cycle(&beats[i]);
    b.device.reset();
    b.left.clear();
    b.cycle(nullptr);
    b.run({packet(2, 1, 1, kOne, 0, {0}), one_bit(8, {0x0F})});
    ASSERT_EQ(b.left.size(), 2u);
    EXPECT_EQ(b.left[0].beat.data[0], kOne);
    EXPECT_EQ(b.left[0].beat.keep, 0xFu);
    EXPECT_EQ(b.left[1].beat.data[4], kMinusTwo);
    EXPECT_EQ(b.device.error_count(), 0u);
  }
}

}  // namespace
}  // namespace gw::systemc::dequantizer_test
