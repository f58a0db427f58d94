// Gradients of the named kinds: what each is for, the same for the same seed, those of version 0.1
// byte for byte.
// SPDX-License-Identifier: Apache-2.0
#include "sim/feeds/gradients.h"

#include <gtest/gtest.h>

#include <set>
#include <utility>

#include "models/reference/codec_statistics.h"
#include "sim/base/error.h"

namespace gw::sim::gradients_test {
namespace {

using reference::Tag;

std::vector<GradientPacket> packets_of(const std::string& kind, uint64_t seed, uint64_t packets) {
  return read_all(*synthesise(kind, seed, packets));
}

reference::CodecStatistics statistics_of(const std::string& kind) {
  reference::CodecStatistics statistics({.bound_exponent = 10, .mode = reference::Mode::kBounded});
  for (const GradientPacket& packet : packets_of(kind, 1, 256)) {
    statistics.add(std::span<const uint32_t>(packet.values));
  }
  return statistics;
}

TEST(Synthesise, EveryKindIsWhatItSays) {
  const auto gradients = statistics_of("gradients");
  const double n = static_cast<double>(gradients.values());
  EXPECT_NEAR(static_cast<double>(gradients.count(Tag::kZero)) / n, 0.920, 0.005);
  EXPECT_NEAR(static_cast<double>(gradients.count(Tag::kByte)) / n, 0.065, 0.005);
  EXPECT_NEAR(static_cast<double>(gradients.count(Tag::kHalf)) / n, 0.015, 0.005);
  const auto raw = statistics_of("raw");
  EXPECT_EQ(raw.count(Tag::kRaw), raw.values());
  const auto zeros = statistics_of("zeros");
  EXPECT_EQ(zeros.count(Tag::kZero), zeros.values());
  for (const char* kind : {"mixed", "irregular"}) {
    const auto mixed = statistics_of(kind);
    for (const Tag tag : {Tag::kZero, Tag::kByte, Tag::kHalf, Tag::kRaw}) {
      EXPECT_GT(mixed.count(tag) * 20, mixed.values()) << kind << " " << static_cast<int>(tag);
    }
  }
}

TEST(Synthesise, SingleHasEveryTail) {
  std::set<size_t> lengths;
  for (const GradientPacket& packet : packets_of("single", 1, 256)) {
    lengths.insert(packet.values.size());
  }
  EXPECT_EQ(lengths, (std::set<size_t>{1, 2, 3, 4, 5, 6, 7, 8}));
}

// FNV-1a of lengths and values, as version 0.1 made them.
TEST(Synthesise, TheKindsOfVersion01KeepTheirBytes) {
  const auto digest = [](const char* kind) {
    uint64_t hash = 0xCBF29CE484222325ull;
    const auto add = [&hash](uint64_t word) { hash = (hash ^ word) * 0x100000001B3ull; };
    for (const GradientPacket& packet : packets_of(kind, 5, 100)) {
      add(packet.values.size());
      for (const uint32_t value : packet.values) add(value);
    }
    return hash;
  };
  EXPECT_EQ(digest("gradients"), 0xF1964A9104019C08u);
  EXPECT_EQ(digest("uniform"), 0xF74D6AD289E13787u);
  EXPECT_EQ(digest("mixed"), 0x77A481C256AD0EF8u);
  EXPECT_EQ(digest("raw"), 0x8A4BACE643762BB4u);
  EXPECT_EQ(digest("zeros"), 0x958C820A1DD27625u);
  EXPECT_EQ(digest("single"), 0x47D4E0287A0A6C64u);
}

// What the regular kinds lack, and a lost tlast needed to be seen.
TEST(Synthesise, IrregularLacksNothing) {
  const std::vector<GradientPacket> packets = packets_of("irregular", 1, 4000);
  std::set<size_t> lengths, tails, ends_before_raw;
  std::set<uint32_t> edges;
  size_t infinities = 0, quiet = 0, signalling = 0, subnormals = 0, negative_zeros = 0;
  size_t negative = 0;  // of what is no number
  size_t previous_end = 0;
  std::set<std::pair<bool, bool>> followed;  // a packet of one class only, behind one of that sort
  bool previous_pure = false;
  const reference::CodecConfig config;
  for (const GradientPacket& packet : packets) {
    ASSERT_GE(packet.values.size(), 1u);
    ASSERT_LE(packet.values.size(), 2000u);
    lengths.insert(packet.values.size());
    tails.insert(packet.values.size() % 8);
    std::set<Tag> tags;
    for (const uint32_t value : packet.values) {
      tags.insert(reference::encode_value(value, config).tag);
      const uint32_t exponent = value >> 23 & 0xFF, mantissa = value & 0x7FFFFF;
      infinities += exponent == 255 && mantissa == 0;
      quiet += exponent == 255 && mantissa >> 22 == 1;
      signalling += exponent == 255 && mantissa != 0 && mantissa >> 22 == 0;
      subnormals += exponent == 0 && mantissa != 0;
      negative_zeros += value == 0x80000000u;
      negative += exponent == 255 && value >> 31 != 0;
      edges.insert(value & 0x7FFFFFFF);
    }
    const bool single_raw = packet.values.size() == 8 && tags == std::set<Tag>{Tag::kRaw};
    if (single_raw) ends_before_raw.insert(previous_end);
    followed.insert({previous_pure, tags.size() == 1});
    previous_pure = tags.size() == 1;
    std::vector<uint8_t> bytes;
    reference::encode(std::span<const uint32_t>(packet.values), config, bytes);
    previous_end = bytes.size() % 32;
  }
  EXPECT_GT(lengths.size(), 500u);
  EXPECT_GT(*lengths.rbegin(), 1900u);
  EXPECT_EQ(tails.size(), 8u);
  EXPECT_GE(ends_before_raw.size(), 31u) << "a single RAW group behind ends at any byte";
  EXPECT_EQ(followed.size(), 4u);
  for (uint32_t exponent = 113; exponent <= 127; ++exponent) {
    const uint32_t edge = exponent << 23;
    EXPECT_TRUE(edges.contains(edge - 1) && edges.contains(edge) && edges.contains(edge + 1))
        << exponent;
  }
  for (const size_t count : {infinities, quiet, signalling, subnormals, negative_zeros}) {
    EXPECT_GT(count, 100u);
  }
  const auto no_numbers = static_cast<double>(infinities + quiet + signalling);
  EXPECT_NEAR(static_cast<double>(infinities) / no_numbers, 0.125, 0.02);
  EXPECT_NEAR(static_cast<double>(negative) / no_numbers, 0.5, 0.02);
}

TEST(Synthesise, SameSeedSameValues) {
  for (const SynthKind& kind : synth_kinds()) {
    const auto a = packets_of(kind.name, 5, 10), b = packets_of(kind.name, 5, 10),
               c = packets_of(kind.name, 6, 10);
    ASSERT_EQ(a.size(), 10u);
    bool differs = false;
    for (size_t p = 0; p < 10; ++p) {
      EXPECT_EQ(a[p].values, b[p].values) << kind.name;
      differs |= a[p].values != c[p].values;
    }
    EXPECT_EQ(differs, std::string(kind.name) != "zeros") << kind.name;
  }
}

TEST(Synthesise, AnUnknownKindNamesTheKnown) {
  try {
    synthesise("nonsense", 1, 1);
    FAIL();
  } catch (const UsageError& error) {
    for (const SynthKind& kind : synth_kinds()) {
      EXPECT_NE(std::string(error.what()).find(kind.name), std::string::npos) << kind.name;
    }
  }
}

TEST(OpenTrace, AMissingFileIsOneSentence) {
  EXPECT_THROW(open_trace({.trace = "/nonexistent.pcap"}), InputError);
}

TEST(OpenTrace, ACaptureWithoutGradientsSaysSo) {
  const std::string path = std::string(GRADWIRE_SOURCE_DIR) + "/traces/expether-workers.pcap";
  try {
    open_gradients({.trace = path}, 1);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("holds no packet with marked gradients"),
              std::string::npos)
        << error.what();
  }
}

}  // namespace
}  // namespace gw::sim::gradients_test
