// The dequantizer's core once more, by hand alone: packets worked out by hand, what is malformed,
// the contract's steps by their cycles, and what the quantisers' cores make, read back.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "models/systemc/dequantizer.h"
#include "models/systemc/threshold.h"
#include "tests/systemc/quantiser_bench.h"

namespace gw::systemc::dequantizer_steps_test {
namespace {

constexpr uint32_t kUnit = 0x3F80'0000, kMinus = 0x8000'0000;

std::vector<Beat> beats_of(const PacketBytes& bytes, bool user = false) {
  std::vector<Beat> beats(std::max<size_t>(1, (bytes.size() + 31) / 32));
  for (size_t i = 0; i < beats.size(); ++i) {
    const size_t size = std::min<size_t>(32, bytes.size() - 32 * i);
    if (size != 0) std::memcpy(beats[i].data.data(), bytes.data() + 32 * i, size);
    beats[i].last = i + 1 == beats.size();
    if (beats[i].last != 0) beats[i].keep = keep_of_bytes(static_cast<int>(size));
  }
  beats.back().user = user;
  return beats;
}

struct DequantizerBench : Bench<Dequantizer> {
  struct Decoded {
    Values values;
    bool user;
    friend bool operator==(const Decoded&, const Decoded&) = default;
  };
  std::vector<Decoded> packets() const {
    std::vector<Decoded> all;
    bool within = false;
    for (const Departure& d : left) {
      if (!within) all.emplace_back();
      const int lanes = bytes_of_keep(d.beat.keep) / 4;
      EXPECT_EQ(d.beat.keep, keep_of_bytes(4 * lanes));
      if (d.beat.last == 0) {
        EXPECT_EQ(lanes, 8);
        EXPECT_EQ(d.beat.user, 0);
      }
      for (int i = lanes; i < kLanes; ++i) EXPECT_EQ(d.beat.data[i], 0u);
      all.back().values.insert(all.back().values.end(), d.beat.data.begin(),
                               d.beat.data.begin() + lanes);
      all.back().user = d.beat.user != 0;
      within = d.beat.last == 0;
    }
    EXPECT_FALSE(within);
    return all;
  }
  Decoded one(const PacketBytes& bytes, bool user = false) {
    left.clear();
    send(beats_of(bytes, user));
    drain();
    const auto all = packets();
    EXPECT_EQ(all.size(), 1u);
    return all.empty() ? Decoded{} : all.front();
  }
  /// The reason's count goes up, and no other; the packet ends with an error beat.
  void malformed(size_t reason, const PacketBytes& bytes, size_t beats_before = 0) {
    const auto counts = [&] {
      std::array<uint32_t, Dequantizer::kReasons> all{};
      for (size_t i = 0; i < all.size(); ++i) all[i] = device.malformed_count(i);
      return all;
    };
    auto want = counts();
    ++want[reason];
    const uint32_t errors = device.error_count();
    const Decoded decoded = one(bytes);
    EXPECT_EQ(counts(), want) << "reason " << reason;
    EXPECT_EQ(device.error_count(), errors + 1);
    EXPECT_TRUE(decoded.user);
    EXPECT_EQ(decoded.values.size(), 8 * (beats_before + 1));
    EXPECT_TRUE(std::all_of(decoded.values.end() - 8, decoded.values.end(),
                            [](uint32_t v) { return v == 0; }));
    // The next packet is decoded as if nothing had been.
    EXPECT_EQ(one(packet_bytes(4, 0, 1, kUnit, kMinus, {1, 0})).values, (Values{kUnit}));
  }
};

using Decoded = DequantizerBench::Decoded;

// ---------------------------------------------------------------- values

TEST(DequantizerSteps, TheWorkedExample) {
  const Values want = {kUnit, kUnit | kMinus, 0, 0, 0, 0, 0, 0, 0, 0};
  DequantizerBench bench;
  EXPECT_EQ(bench.one(packet_bytes(2, 0, 10, kUnit, 0, {3, 2, 0, 0, 0})), (Decoded{want, false}));
  EXPECT_EQ(bench.one(packet_bytes(2, 7, 10, kUnit, 0, {0x00, 0x80, 0x10, 0})),
            (Decoded{want, false}));
}

TEST(DequantizerSteps, FormatsByHand) {
  DequantizerBench bench;
  EXPECT_EQ(bench.one(packet_bytes(0, 0, 2, 0, 0, {0, 0, 0x80, 0x7F, 1, 2, 3, 4, 0})).values,
            (Values{0x7F80'0000, 0x0403'0201}));
  EXPECT_EQ(bench.one(packet_bytes(1, 0, 3, kUnit, 0, {4, 1, 2, 3, 4, 0})).values,
            (Values{0, 0, 0x0403'0201}));
  // m T is rounded: 3 x (1 + 2^-23) is halfway, to the even; 255 x 2^127 is infinite.
  EXPECT_EQ(bench.one(packet_bytes(3, 0, 2, kUnit + 1, 0, {3, 2, 3, 1, 0})).values,
            (Values{binary32(3.0F * (1 + 0x1p-23F)), (kUnit + 1) | kMinus}));
  EXPECT_EQ(bench.one(packet_bytes(3, 0, 1, 0x7F00'0000, 0, {1, 1, 255, 0})).values,
            (Values{0xFF80'0000}));
  EXPECT_EQ(bench.one(packet_bytes(4, 0, 9, 0x1111'1111, 0x9111'1111, {0b10, 0b1, 0})).values,
            (Values{0x9111'1111, 0x1111'1111, 0x9111'1111, 0x9111'1111, 0x9111'1111, 0x9111'1111,
                    0x9111'1111, 0x9111'1111, 0x1111'1111}));
  EXPECT_EQ(bench.one(packet_bytes(5, 0, 3, 0x1111'1111, 0x9111'1111, {5, 4, 0})).values,
            (Values{0x1111'1111, 0, 0x9111'1111}));
  PacketBytes fp8 = packet_bytes(6, 0, 4, 0, 0, {127, 0x38, 0x81, 0x7F, 0x7E});
  fp8.resize(16 + 33 + 1);
  EXPECT_EQ(bench.one(fp8).values, (Values{kUnit, binary32(-0x1p-9F), 0x7FC0'0000, binary32(448)}));
  fp8[16] = 254;
  EXPECT_EQ(bench.one(fp8).values[3], 0x7F80'0000u);
  fp8[16] = 255;
  EXPECT_EQ(bench.one(fp8).values, Values(4, 0x7FC0'0000));
  fp8[16] = 0;
  EXPECT_EQ(bench.one(fp8).values[1], binary32(-0x1p-136F));
  // E5M2: 1, the least subnormal, NaN, infinite, the largest, its neighbours above.
  PacketBytes e5 =
      packet_bytes(8, 0, 8, 0, 0, {127, 0x3C, 0x81, 0x7D, 0xFC, 0x7B, 0x7F, 0xFE, 0x7C});
  e5.resize(16 + 33 + 1);
  EXPECT_EQ(bench.one(e5).values, (Values{kUnit, binary32(-0x1p-16F), 0x7FC0'0000, 0xFF80'0000,
                                          binary32(57344), 0x7FC0'0000, 0x7FC0'0000, 0x7F80'0000}));
  e5[16] = 254;
  EXPECT_EQ(bench.one(e5).values[4], 0x7F80'0000u);
  e5[16] = 255;
  EXPECT_EQ(bench.one(e5).values, Values(8, 0x7FC0'0000));
  e5[16] = 0;
  EXPECT_EQ(bench.one(e5).values[1], binary32(-0x1p-143F));
  EXPECT_EQ(bench.one(e5).values[3], 0xFF80'0000u);
  PacketBytes fp4 = packet_bytes(7, 0, 4, 0, 0, {128, 0x21, 0xF8});
  fp4.resize(16 + 17 + 1);
  EXPECT_EQ(bench.one(fp4).values, (Values{kUnit, binary32(2), kMinus, binary32(-12)}));
}

TEST(DequantizerSteps, StatusAndUser) {
  DequantizerBench bench;
  const auto user = [&](int status, bool in) {
    return bench.one(packet_bytes(4, 0, 1, kUnit, kMinus, {1, status}), in).user;
  };
  EXPECT_FALSE(user(0, false));
  EXPECT_TRUE(user(1, false));
  EXPECT_TRUE(user(4, false));
  EXPECT_TRUE(user(0, true));
  EXPECT_EQ(bench.device.error_count(), 3u);
  // What is not malformed: runs that could be longer, gaps in the long form, padding that is set.
  Values want(16, 0);
  EXPECT_EQ(bench.one(packet_bytes(2, 0, 16, kUnit, 0, {0, 0, 0, 0, 0})).values, want);
  EXPECT_EQ(bench.one(packet_bytes(2, 1, 16, kUnit, 0, {0xFF, 0x7F, 0x08, 0x00, 0xF8, 0})).values,
            want);
}

// ---------------------------------------------------------------- malformed

TEST(DequantizerSteps, MalformedByReason) {
  using D = Dequantizer;
  DequantizerBench bench;
  bench.malformed(D::kShort, packet_bytes(4, 0, 1, kUnit, kMinus, {}));
  bench.malformed(D::kShort, {});
  bench.malformed(D::kFormat, packet_bytes(9, 99, 0, 1, 1, {0, 0}));
  bench.malformed(D::kCoding, packet_bytes(2, 16, 1, kUnit, 0, {1, 0, 0}));
  bench.malformed(D::kCoding, packet_bytes(1, 1, 1, kUnit, 0, {1, 0, 0}));
  for (const uint8_t format : {0, 4, 6, 7, 8}) {
    bench.malformed(D::kCoding, packet_bytes(format, 1, 1, 0, 0, {1, 0, 0}));
  }
  bench.malformed(D::kReserved, packet_bytes(2, 0, 0, kUnit, 1, {1, 0, 0}));
  bench.malformed(D::kReserved, packet_bytes(6, 0, 0, kUnit, 0, {1, 0, 0}));
  PacketBytes reserved = packet_bytes(4, 0, 1, kUnit, kMinus, {1, 0});
  reserved[3] = 1;
  bench.malformed(D::kReserved, reserved);
  bench.malformed(D::kCount, packet_bytes(2, 0, 0, 0x7F80'0000, 0, {1, 0, 0}));
  bench.malformed(D::kLimit, packet_bytes(2, 0, 4097, 0x7F80'0000, 0, {1, 0, 0}));
  bench.malformed(D::kNotFinite, packet_bytes(2, 0, 1, 0x7F80'0000, 0, {1, 0, 0}));
  bench.malformed(D::kNotFinite, packet_bytes(4, 0, 1, 0, 0xFFC0'0000, {1, 0, 0}));
  bench.malformed(D::kStatus, packet_bytes(4, 0, 1, kUnit, kMinus, {1, 8}));
  // Payload: too short, too long, a run, a mask bit or a sign too many, m = 0.
  bench.malformed(D::kPayload, packet_bytes(4, 0, 9, kUnit, kMinus, {1}));  // it is the status
  bench.malformed(D::kPayload, packet_bytes(4, 0, 9, kUnit, kMinus, {1, 0}), 1);
  bench.malformed(D::kPayload, packet_bytes(4, 0, 1, kUnit, kMinus, {1, 0, 0}));
  bench.malformed(D::kPayload, packet_bytes(2, 0, 9, kUnit, 0, {0, 2, 0}));
  bench.malformed(D::kPayload, packet_bytes(2, 0, 1, kUnit, 0, {2, 0, 0}));
  bench.malformed(D::kPayload, packet_bytes(2, 0, 2, kUnit, 0, {1, 2, 0}));
  bench.malformed(D::kPayload, packet_bytes(3, 0, 2, kUnit, 0, {1, 0, 0, 0}));
  // Rice: a gap beyond n, m = 0, no end.
  bench.malformed(D::kPayload, packet_bytes(2, 1, 2, kUnit, 0, {0b0111, 0}));
  bench.malformed(D::kPayload, packet_bytes(3, 1, 2, kUnit, 0, {0, 0, 0, 0}));
  bench.malformed(D::kPayload, packet_bytes(2, 15, 20, kUnit, 0, {0}));
  PacketBytes many = packet_bytes(4, 0, 1, kUnit, kMinus, {1, 0});
  many.resize(1000);  // drained
  bench.malformed(D::kPayload, many);
  many[0] = 9;
  bench.malformed(D::kFormat, many);
}

// A packet cut where its last beat is full: nothing of the next one is taken for its payload.
TEST(DequantizerSteps, CutAtABeat) {
  DequantizerBench bench;
  PacketBytes cut = packet_bytes(4, 0, 8 * 17, kUnit, kMinus, {});
  cut.resize(32, 0xFF);
  const auto whole = packet_bytes(4, 0, 1, kUnit, kMinus, {1, 0});
  bench.send(beats_of(cut));
  bench.send(beats_of(whole));
  bench.drain();
  const auto all = bench.packets();
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].values.size(), 16u * 8);  // fifteen beats, for the last byte is the status
  EXPECT_TRUE(all[0].user);
  EXPECT_EQ(all[1], (Decoded{{kUnit}, false}));
  EXPECT_EQ(bench.device.malformed_count(Dequantizer::kPayload), 1u);
}

TEST(DequantizerSteps, TheLimitIsThatOfTheFirstBeat) {
  DequantizerBench bench;
  bench.device.configure({.limit = 8});
  bench.send(beats_of(packet_bytes(4, 0, 9, kUnit, kMinus, {0, 0, 0})));
  while (bench.accepted.empty()) bench.step();
  bench.device.configure({.limit = 9});
  bench.send(beats_of(packet_bytes(4, 0, 9, kUnit, kMinus, {0, 0, 0})));
  bench.drain();
  EXPECT_EQ(bench.device.malformed_count(Dequantizer::kLimit), 1u);
  EXPECT_EQ(bench.packets().at(1).values.size(), 9u);
}

// ---------------------------------------------------------------- cycles

TEST(DequantizerSteps, LatencyAndRate) {
  DequantizerBench bench;
  bench.send(beats_of(packet_bytes(4, 0, 1, kUnit, kMinus, {1, 0})));
  bench.drain();
  EXPECT_EQ(bench.accepted, (Cycles{1}));
  EXPECT_EQ(bench.left_cycles(), (Cycles{9}));
  // Signs of 64 beats come in five: a beat a cycle leaves; credit is enough for that.
  bench.reset();
  PacketBytes bits = packet_bytes(4, 0, 8 * 64, kUnit, kMinus, {});
  bits.resize(16 + 64 + 1);
  for (int i = 0; i < 4; ++i) bench.send(beats_of(bits));
  bench.drain();
  EXPECT_EQ(bench.left_cycles(), range(9, 9 + 4 * 64 - 1));
}

// A token is read while the queue holds 23 beats or fewer, and enters it six cycles later: so 30
// are read before one leaves. Of RAW each takes a beat.
TEST(DequantizerSteps, RoomyAreTwentyThreeBeats) {
  DequantizerBench bench;
  bool open = false;
  bench.sink_gate = [&](uint64_t) { return open; };
  PacketBytes raw = packet_bytes(0, 0, 8 * 60, 0, 0, {});
  raw.resize(16 + 4 * 8 * 60 + 1);
  bench.send(beats_of(raw));
  bench.run(200);
  EXPECT_EQ(bench.accepted.size(), 30u + 4);
  open = true;
  bench.drain();
  const Cycles left = bench.left_cycles();
  ASSERT_EQ(left.size(), 60u);
  EXPECT_EQ(left[59] - left[0], 59u);
}

// A step is made while the list holds 23 items or fewer: here each delivers one, of one beat. 26
// beats are in the queue or on their way to it when it is roomy no more, then 26 items in the list.
TEST(DequantizerSteps, TheListHoldsTwentyThreeItemsAndWhatIsOnItsWay) {
  DequantizerBench bench;
  bool open = false;
  bench.sink_gate = [&](uint64_t) { return open; };
  // Gaps of 8, k = 3: 10 and three zeros, and a sign. 9 ones or more would be alone; so q = 15, in
  // full, and one a step.
  const uint32_t codes = 120;
  PacketBytes bytes = packet_bytes(2, 1, 16 * codes, kUnit, 0, {});
  uint64_t held = 0;
  int count = 0;
  const auto put = [&](uint64_t bits, int length) {
    for (int i = 0; i < length; ++i) {
      held |= (bits >> i & 1) << count;
      if (++count == 8) {
        bytes.push_back(static_cast<uint8_t>(held));
        held = count = 0;
      }
    }
  };
  for (uint32_t i = 0; i < codes; ++i) put(0x7FFF | (i == 0 ? 8 : 7) << 15, 36);
  put(0x7FFF | uint64_t{16 * codes - 8 * codes - 1} << 15, 35);
  put(0, (8 - count) % 8);
  bytes.push_back(0);
  bench.send(beats_of(bytes));
  bench.run(400);
  // Code i is an entry in beat i + 1 and finishes beat i: 52 steps, 1,872 bits, so that the place
  // is in word 29, 32 of the packet's beats of 4; two words are at hand from it on, one is in the
  // antechamber, and p is at the next: words 29, 30 and 31 are fetched, 32 lies at p.
  // Word w is in beat (w + 2) / 4: p is in beat 8; it and three more are in the buffer.
  EXPECT_EQ(bench.accepted.size(), 8u + 4);
  open = true;
  bench.drain();
  EXPECT_EQ(bench.packets().at(0).values.size(), 16u * codes);
  EXPECT_FALSE(bench.packets().at(0).user);
}

// k = 0: a gap of 0 is a zero, then a sign.
TEST(DequantizerSteps, RiceTakesTwoCodesAStep) {
  const auto steps = [](uint32_t n, std::initializer_list<int> rest) {
    DequantizerBench bench;
    bench.send(beats_of(packet_bytes(2, 1, n, kUnit, 0, rest)));
    bench.drain();
    EXPECT_EQ(bench.packets().at(0).values.size(), n);
    EXPECT_FALSE(bench.packets().at(0).user);
    return bench.left_cycles().back() - 8;  // 1: the first step delivers it
  };
  EXPECT_EQ(steps(1, {0b000, 0}), 1u);       // one entry and the end
  EXPECT_EQ(steps(1, {0b01, 0}), 1u);        // the end, and something behind it
  EXPECT_EQ(steps(2, {0b00000, 0}), 2u);     // two entries; the end
  EXPECT_EQ(steps(8, {0, 0, 0, 0}), 5u);     // eight entries, and 17 bits
  EXPECT_EQ(steps(9, {0xFF, 0x01, 0}), 2u);  // the end, of a gap of 9: beat 0, then beat 1
  EXPECT_EQ(steps(9, {0xFF, 0x00, 0}), 2u);  // an entry in beat 1, and the end: the same two
}

// The second code goes along if the first has seven ones or fewer, and both fourteen.
TEST(DequantizerSteps, WhichCodesGoInPairs) {
  const auto steps = [](std::initializer_list<int> gaps, uint32_t n) {
    PacketBytes bytes = packet_bytes(2, 1, n, kUnit, 0, {});
    std::vector<bool> bits;  // as they are sent
    for (const int gap : gaps) {
      bits.insert(bits.end(), static_cast<size_t>(gap), true);
      bits.insert(bits.end(), 2, false);  // and the sign
    }
    bits.pop_back();  // the end has none
    bits.resize((bits.size() + 7) / 8 * 8);
    for (size_t i = 0; i < bits.size(); i += 8) {
      uint8_t byte = 0;
      for (size_t j = 0; j < 8; ++j) byte = static_cast<uint8_t>(byte | bits[i + j] << j);
      bytes.push_back(byte);
    }
    bytes.push_back(0);
    DequantizerBench bench;
    bench.send(beats_of(bytes));
    bench.drain();
    EXPECT_FALSE(bench.packets().at(0).user);
    EXPECT_EQ(bench.packets().at(0).values.size(), n);
    return bench.left_cycles();
  };
  // An entry in beat 0, then the end, which finishes both: in the same step, or a cycle later.
  EXPECT_EQ(steps({7, 7}, 15), (Cycles{9, 10}));
  EXPECT_EQ(steps({7, 8}, 16), (Cycles{10, 11}));  // 15 ones
  EXPECT_EQ(steps({6, 8}, 15), (Cycles{9, 10}));
  EXPECT_EQ(steps({6, 9}, 16), (Cycles{10, 11}));
}

TEST(DequantizerSteps, DrainsABeatACycle) {
  DequantizerBench bench;
  PacketBytes bad(32 * 10, 0xFF);
  bench.send(beats_of(bad));
  bench.send(beats_of(packet_bytes(4, 0, 1, kUnit, kMinus, {1, 0})));
  bench.drain();
  // Accepted in 1 .. 11; the error step in 2, drained in 3 .. 11, decoded in 12.
  EXPECT_EQ(bench.accepted, range(1, 11));
  EXPECT_EQ(bench.left_cycles(), (Cycles{9, 19}));
}

TEST(DequantizerSteps, ResetForgets) {
  DequantizerBench bench;
  bench.malformed(Dequantizer::kStatus, packet_bytes(4, 0, 1, kUnit, kMinus, {1, 8}));
  bench.send(beats_of(PacketBytes(320, 0)));
  bench.run(5);
  bench.reset();
  EXPECT_FALSE(bench.device.s_ready());
  EXPECT_EQ(bench.device.malformed_count(Dequantizer::kStatus), 0u);
  EXPECT_EQ(bench.device.error_count(), 0u);
  EXPECT_EQ(bench.one(packet_bytes(4, 0, 1, kUnit, kMinus, {1, 0})).values, (Values{kUnit}));
}

// ---------------------------------------------------------------- what the threshold core makes

TEST(DequantizerSteps, ReadsBackWhatThresholdMakes) {
  for (uint64_t seed = 1; seed <= 6; ++seed) {
    sim::Random random(seed);
    QuantiserBench<Threshold> encoder(8, ThresholdConfig{});
    DequantizerBench decoder;
    decoder.sink_gate = [&](uint64_t) { return seed % 2 == 0 || random.below(3) != 0; };
    decoder.source_gate = [&](uint64_t) { return seed % 3 == 0 || random.below(3) != 0; };
    std::vector<Decoded> want;
    for (int p = 0; p < 60; ++p) {
      const auto n = 1 + random.below(400);
      const uint32_t field = 118 + random.below(10);
      const ThresholdConfig c{static_cast<uint8_t>(1 + random.below(3)), random.below(2) != 0,
                              field << 23, false};
      const float t = std::bit_cast<float>(c.threshold);
      Values g(n), d(n);
      for (uint32_t i = 0; i < n; ++i) {
        g[i] = (static_cast<uint32_t>(random.next()) & 0x807F'FFFF) | (115 + random.below(9)) << 23;
        const float value = std::bit_cast<float>(g[i]);
        const float m = std::min(255.0F, std::floor(std::fabs(value) / t));  // T is a power of two
        const float sent = c.method == 1 ? value : std::copysign(c.method == 2 ? t : m * t, value);
        d[i] = m < 1 ? 0 : binary32(sent);
      }
      decoder.send(beats_of(encoder.one(mx_packet(g, n, random.below(8)), c).bytes));
      // Rice that does not fit its rows is RAW.
      const bool raw = (encoder.packets().at(0).bytes[0]) == 0;
      want.push_back({raw ? g : d, false});
    }
    decoder.drain();
    const auto got = decoder.packets();
    ASSERT_EQ(got.size(), want.size());
    for (size_t i = 0; i < got.size(); ++i) ASSERT_EQ(got[i], want[i]) << seed << " " << i;
  }
}

}  // namespace
}  // namespace gw::systemc::dequantizer_steps_test
