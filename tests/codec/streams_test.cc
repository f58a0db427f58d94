// Streams of every shape, also those that no compressor made: cut, corrupted, random, in any order,
// each with a configuration of its own. No hang, no crash, a fault is flagged and counted, and the
// packet after it is right. RTL and model agree in every cycle, every beat is the reference's.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "tests/codec/support.h"
#include "tests/sanitized.h"

namespace gw::tests::streams_test {
namespace {

using reference::CodecConfig;
using reference::Mode;

constexpr const char* kStalls[] = {"none", "source:50", "sink:50", "both:40"};

void run_stalled(const std::string& name, const std::vector<sim::RawPacket>& packets) {
  for (const char* stall : kStalls) {
    SCOPED_TRACE(stall);
    sim::RunSpec spec = spec_of(name);
    spec.stall = sim::StallSpec::parse(stall);
    run(name, packets, spec);
    ASSERT_FALSE(testing::Test::HasFailure());
  }
}

CodecConfig any_config(sim::Random& random) {
  return {.bound_exponent = static_cast<int>(1 + random.below(14)),
          .mode = random.below(2) == 0 ? Mode::kBounded : Mode::kPaper};
}

class Streams : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Codec, Streams,
                         testing::Values("compressor", "decompressor", "codec_loop"),
                         [](const auto& info) { return std::string(info.param); });

TEST_P(Streams, EveryLengthAndTailInEveryOrder) {
  // 1 to 4 beats with every tail, then the largest that an Ethernet frame of 9,018 bytes carries;
  // upwards, downwards, drawn.
  sim::Random random(seed());
  std::vector<size_t> lengths;
  for (size_t n = 1; n <= 32; ++n) lengths.push_back(n);
  for (size_t n = 32; n >= 1; --n) lengths.push_back(n);
  for (int i = 0; i < 100; ++i) lengths.push_back(1 + random.below(32));
  lengths.insert(lengths.begin() + 40, (9018 - 54) / 4);
  lengths.push_back((9018 - 54) / 4);
  std::vector<sim::RawPacket> packets;
  for (size_t i = 0; i < lengths.size(); ++i) {
    packets.push_back(gradients(GetParam(), values_of(lengths[i], random, i % 3 == 0 ? 90 : 20)));
  }
  run_stalled(GetParam(), packets);
}

TEST_P(Streams, EveryBoundAndMode) {
  for (int k = 1; k <= 14; ++k) {
    for (const Mode mode : {Mode::kBounded, Mode::kPaper}) {
      sim::Random random(seed() + static_cast<uint64_t>(k));
      const CodecConfig config{.bound_exponent = k, .mode = mode};
      Values edges;
      for (const int exponent : {config.byte_from(), config.half_from(), 127, 1, 255}) {
        for (const int ulp : {-1, 0, 1}) {
          const auto bits = (static_cast<uint32_t>(exponent) << 23) + static_cast<uint32_t>(ulp);
          edges.push_back(bits);
          edges.push_back(bits | 0x80000000u);
        }
      }
      std::vector<sim::RawPacket> packets = {gradients(GetParam(), edges, config)};
      for (int p = 0; p < 10; ++p) {
        packets.push_back(gradients(GetParam(), values_of(1 + random.below(90), random), config));
      }
      sim::RunSpec spec = spec_of(GetParam());
      spec.stall = sim::StallSpec::parse(kStalls[k % 4]);
      run(GetParam(), packets, spec);
      ASSERT_FALSE(HasFailure()) << "k " << k << " " << reference::mode_name(mode);
    }
  }
}

// A packet whose last group begins at every byte of a beat and is of every class, then a single
// group, RAW of 34 bytes or less: what is left of the one is flushed while the other comes.
TEST_P(Streams, ASingleGroupBehindEveryEnd) {
  sim::Random random(seed() + 7);
  constexpr uint32_t kOf[] = {0, 0x3B000000, 0x3E000000, 0x40490FDB};  // ZERO BYTE HALF RAW
  const auto group = [](Values& values, uint32_t value) { values.insert(values.end(), 8, value); };
  std::vector<sim::RawPacket> packets;
  for (size_t position = 0; position < 32; ++position) {
    for (const uint32_t last : kOf) {
      for (const uint32_t behind : kOf) {
        Values values;
        size_t bytes = position < 4 ? position + 32 : position;
        if (bytes % 2 != 0) {
          values = {kOf[1], 0, 0, 0, 0, 0, 0, 0};  // 3 bytes
          bytes -= 3;
        }
        for (; bytes > 0; bytes -= 2) group(values, 0);
        ASSERT_EQ(encoded(values).size() % 32, position);
        group(values, last);
        packets.push_back(gradients(GetParam(), values));
        for (uint32_t n = 1 + random.below(2); n > 0; --n) {
          packets.push_back(gradients(GetParam(), Values(8, behind)));
        }
      }
    }
  }
  run_stalled(GetParam(), packets);
}

// tkeep as no source may drive it: what counts then, the contracts say.
TEST_P(Streams, EveryTkeep) {
  sim::Random random(seed() + 9);
  std::vector<sim::RawPacket> packets;
  const auto add = [&](size_t count, const sim::OddBeat& odd) {
    sim::RawPacket packet = gradients(GetParam(), values_of(count, random, 90));
    packet.odd = {odd};
    const size_t beats = (packet.bytes.size() + 31) / 32;
    packet.odd[0].beat = static_cast<uint32_t>(
        odd.beat == 0 ? beats - 1 : random.below(static_cast<uint32_t>(beats)));
    if (packet.odd[0].beat + 1 == beats) packet.odd[0].user = false;
    packets.push_back(std::move(packet));
    packets.push_back(gradients(GetParam(), values_of(1 + random.below(16), random)));
  };
  for (const size_t count : {8, 24}) {
    for (uint32_t gap = 0; gap < 32; ++gap) add(count, {.keep = ~(1u << gap)});
    for (uint32_t kept = 0; kept < 32; ++kept) add(count, {.keep = (1u << kept) - 1});
    for (int i = 0; i < 60; ++i) add(count, {.keep = static_cast<uint32_t>(random.next())});
  }
  // Before the last beat neither tkeep nor tuser counts.
  for (int i = 0; i < 40; ++i) {
    add(40, {.beat = 1, .keep = static_cast<uint32_t>(random.next()), .user = i % 2 == 0});
  }
  run_stalled(GetParam(), packets);
}

TEST(OddTkeep, OfTheCompressorByHand) {
  const Values values = {0x3F800000, 0x40000000, 0x40400000, 0x40800000,
                         0x40A00000, 0x40C00000, 0x40E00000, 0x41000000};
  const auto leaves = [&](uint32_t keep) {
    sim::RawPacket packet = gradients("compressor", values);
    packet.odd = {{.beat = 0, .keep = keep}};
    Kept kept;
    const sim::Outcome outcome = run("compressor", {packet}, spec_of("compressor"), &kept);
    EXPECT_EQ(outcome.timeline.rows.at(0).error, true) << std::hex << keep;
    return kept.packets.at(0);
  };
  // A byte of lane 1 is missing: it is ZERO, and lane 2 is where it was.
  Values holed = values;
  holed[1] = 0;
  EXPECT_EQ(leaves(0xFFFF'FFEF), encoded(holed));
  EXPECT_EQ(leaves(0), encoded(Values(8, 0)));
  EXPECT_EQ(leaves(0xFF00'0000), encoded({0, 0, 0, 0, 0, 0, values[6], values[7]}));
}

TEST(OddTkeep, OfTheDecompressorByHand) {
  const Values values(16, 0x3F800000);  // two groups of 34 bytes: 32, 32 and 4
  const auto run_of = [&](sim::OddBeat odd) {
    sim::RawPacket packet = gradients("decompressor", values);
    packet.odd = {odd};
    Kept kept;
    const sim::Outcome outcome = run("decompressor", {packet}, spec_of("decompressor"), &kept);
    EXPECT_TRUE(outcome.timeline.rows.at(0).error);
    return kept.packets.at(0);
  };
  const Bytes group = floats(Values(8, 0x3F800000)), error(32, 0);
  const auto joined = [](Bytes a, const Bytes& b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
  };
  // Valid are the bytes below the lowest zero: the stream is cut there.
  EXPECT_EQ(run_of({.beat = 2, .keep = 0b1101}), joined(group, error));
  EXPECT_EQ(run_of({.beat = 2, .keep = 0}), joined(group, error));
}

// What ends with a beat without a byte does not end where a group ends, whatever came before.
TEST(OddTkeep, AnEmptyEndBehindAWholeGroup) {
  sim::RawPacket packet = packet_of(Bytes(33, 0));  // 16 groups of ZERO, and a byte
  packet.values = Values(128, 0);
  packet.odd = {{.beat = 1, .keep = 0}};
  Kept kept;
  const sim::Outcome outcome = run("decompressor", {packet}, spec_of("decompressor"), &kept);
  EXPECT_TRUE(outcome.timeline.rows.at(0).error);
  EXPECT_EQ(kept.packets.at(0), Bytes(17 * 32, 0)) << "16 groups and the error beat";
}

TEST_P(Streams, TheIrregularStimulus) {
  for (uint64_t salt = 1; salt <= rounds(3u); ++salt) {
    for (const char* stall : kStalls) {
      sim::RunSpec spec = spec_of(GetParam(), {{"bound", std::to_string(3 * salt)}});
      spec.seed = seed() * 1000 + salt;
      spec.stall = sim::StallSpec::parse(stall);
      spec.stimulus = {.synth = "irregular", .packets = 200};
      const auto source = device(GetParam()).source(spec);
      const sim::Outcome outcome = device(GetParam()).run(*source, spec, sim::Kernel::instance());
      ASSERT_TRUE(outcome.passed) << stall << " seed " << spec.seed << "\n"
                                  << explain(outcome.failure);
      EXPECT_EQ(outcome.timeline.packets_out(), 200u);
    }
  }
}

// Bound and mode are sampled with a packet's first beat, and belong to that packet.
class Configured : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Codec, Configured,
                         testing::Values("compressor", "decompressor", "codec_loop"),
                         [](const auto& info) { return std::string(info.param); });

TEST_P(Configured, EachPacketHasItsOwnBoundAndMode) {
  sim::Random random(seed() + 8);
  std::vector<sim::RawPacket> packets;
  for (int p = 0; p < 600; ++p) {
    const Values values = values_of(1 + random.below(40), random, 5);
    packets.push_back(gradients(GetParam(), values, any_config(random)));
  }
  run_stalled(GetParam(), packets);
}

TEST(Decompressor, EveryTruncationOfACompressedPacket) {
  sim::Random random(seed());
  std::vector<sim::RawPacket> packets;
  for (int repeat = 0; repeat < 4; ++repeat) {
    const Bytes whole = encoded(values_of(40, random));
    for (size_t n = 1; n <= whole.size(); ++n) {
      packets.push_back(packet_of({whole.begin(), whole.begin() + static_cast<ptrdiff_t>(n)}));
      // The packet after it is whole.
      packets.push_back(packet_of(encoded(values_of(1 + random.below(20), random))));
    }
  }
  run_stalled("decompressor", packets);
}

TEST(Decompressor, FlippedBits) {
  sim::Random random(seed() + 1);
  std::vector<sim::RawPacket> packets;
  for (int i = 0; i < 500; ++i) {
    Bytes bytes = encoded(values_of(1 + random.below(80), random));
    for (uint32_t flips = 1 + random.below(8); flips > 0; --flips) {
      bytes[random.below(static_cast<uint32_t>(bytes.size()))] ^=
          static_cast<uint8_t>(1u << random.below(8));
    }
    packets.push_back(packet_of(std::move(bytes)));
    packets.push_back(packet_of(encoded(values_of(9, random))));
  }
  run_stalled("decompressor", packets);
}

TEST(Decompressor, RandomBytes) {
  sim::Random random(seed() + 2);
  std::vector<sim::RawPacket> packets;
  for (int i = 0; i < 1000; ++i) {
    packets.push_back(
        packet_of(random_bytes(1 + random.below(200), random), {}, random.below(8) == 0));
  }
  run_stalled("decompressor", packets);
}

TEST(Decompressor, OnlyRawTags) {
  // Groups of 34 bytes begin at every byte of a beat, also where they span three.
  sim::Random random(seed() + 3);
  std::vector<sim::RawPacket> packets;
  for (int lead = 0; lead < 33; ++lead) {
    Bytes bytes;
    for (int i = 0; i < lead; ++i) {
      bytes.insert(bytes.end(), {0x01, 0x00, 0x40});  // one BYTE value: 3 bytes
    }
    for (int i = 0; i < 40; ++i) {
      bytes.insert(bytes.end(), {0xFF, 0xFF});
      const Bytes group = random_bytes(32, random);
      bytes.insert(bytes.end(), group.begin(), group.end());
    }
    packets.push_back(packet_of(std::move(bytes)));
  }
  run_stalled("decompressor", packets);
}

TEST(Compressor, FloatsThatAreCutAreFlagged) {
  sim::Random random(seed() + 4);
  std::vector<sim::RawPacket> packets;
  for (size_t n = 1; n <= 130; ++n) {
    packets.push_back(packet_of(random_bytes(n, random), any_config(random)));
  }
  for (int i = 0; i < 300; ++i) {
    packets.push_back(packet_of(random_bytes(1 + random.below(130), random), any_config(random),
                                random.below(5) == 0));
  }
  run_stalled("compressor", packets);
}

TEST(Loop, ErrorsAndCutFloatsComeThrough) {
  sim::Random random(seed() + 5);
  std::vector<sim::RawPacket> packets;
  for (int i = 0; i < 300; ++i) {
    packets.push_back(
        packet_of(random_bytes(1 + random.below(130), random), {}, random.below(5) == 0));
  }
  run_stalled("codec_loop", packets);
}

TEST(Decompressor, OnlyBadPacketsAreFlagged) {
  sim::Random random(seed() + 6);
  const Bytes good = encoded(values_of(16, random));
  const Bytes cut(good.begin(), good.end() - 1);
  Kept kept;
  run("decompressor", {packet_of(good), packet_of(cut), packet_of(good), packet_of(cut)},
      spec_of("decompressor"), &kept);
  ASSERT_EQ(kept.packets.size(), 4u);
  EXPECT_EQ(kept.packets[0].size(), 64u);
  EXPECT_EQ(kept.packets[0], kept.packets[2]);
  // A group that was whole, then the beat of zeros that says so.
  ASSERT_EQ(kept.packets[1].size(), 64u);
  EXPECT_TRUE(
      std::equal(kept.packets[1].begin(), kept.packets[1].begin() + 32, kept.packets[0].begin()));
  EXPECT_EQ(Bytes(kept.packets[1].begin() + 32, kept.packets[1].end()), Bytes(32, 0));
}

}  // namespace
}  // namespace gw::tests::streams_test
