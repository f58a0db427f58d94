// What the codec's report says of the values: counted anew here, one value at a time, with the
// scalar definition of the codec; only those that have left; the sample that it states.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>
#include <cmath>
#include <set>

#include "testbenches/codec/report.h"
#include "tests/codec/support.h"

namespace gw::tests::score_test {
namespace {

using nlohmann::json;
using reference::CodecConfig;
using reference::Mode;
using reference::Tag;

struct Count {
  uint64_t tags[4] = {};
  uint64_t values = 0, finite = 0, bytes = 0;
  double max = 0, sum = 0;
};

/// Packet by packet, value by value.
Count recount(const std::vector<Values>& packets, const CodecConfig& config) {
  Count count;
  for (const Values& values : packets) {
    for (const uint32_t bits : values) {
      const reference::EncodedValue value = reference::encode_value(bits, config);
      ++count.tags[static_cast<size_t>(value.tag)];
      ++count.values;
      count.bytes += static_cast<uint64_t>(reference::payload_bytes(value.tag));
      const double x = std::bit_cast<float>(bits);
      if (!std::isfinite(x)) continue;
      ++count.finite;
      const double back = std::bit_cast<float>(reference::decode_value(value, config));
      count.max = std::max(count.max, std::abs(back - x));
      count.sum += std::abs(back - x);
    }
    count.bytes += 2 * ((values.size() + 7) / 8);
  }
  return count;
}

void expect_section(const json& section, const Count& count, const CodecConfig& config) {
  EXPECT_EQ(section.at("tags")["zero"], count.tags[0]);
  EXPECT_EQ(section.at("tags")["byte"], count.tags[1]);
  EXPECT_EQ(section.at("tags")["half"], count.tags[2]);
  EXPECT_EQ(section.at("tags")["raw"], count.tags[3]);
  EXPECT_DOUBLE_EQ(section.at("ratio"),
                   4.0 * static_cast<double>(count.values) / static_cast<double>(count.bytes));
  EXPECT_DOUBLE_EQ(section.at("max_abs_error"), count.max);
  EXPECT_EQ(section.at("bound_held"), count.max < std::ldexp(1.0, -config.bound_exponent));
}

std::vector<Values> any_packets(uint64_t salt, size_t count) {
  sim::Random random(seed() * 100 + salt);
  std::vector<Values> packets;
  for (size_t p = 0; p < count; ++p) packets.push_back(values_of(1 + random.below(99), random));
  return packets;
}

class Score : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Codec, Score, testing::Values("compressor", "decompressor", "codec_loop"),
                         [](const auto& info) { return std::string(info.param); });

TEST_P(Score, EqualsARecountValueByValue) {
  for (const Mode mode : {Mode::kBounded, Mode::kPaper}) {
    for (const int k : {1, 6, 9, 10, 14}) {
      const CodecConfig config{.bound_exponent = k, .mode = mode};
      const std::vector<Values> packets = any_packets(static_cast<uint64_t>(k), 40);
      std::vector<sim::RawPacket> raw;
      for (const Values& values : packets) raw.push_back(gradients(GetParam(), values, config));
      const json sections =
          run(GetParam(), std::move(raw),
              spec_of(GetParam(), {{"bound", std::to_string(k)},
                                   {"mode", std::string(reference::mode_name(mode))}}))
              .sections;
      const Count count = recount(packets, config);
      const json& compression = sections["compression"];
      expect_section(compression, count, config);
      EXPECT_EQ(compression.at("values"), count.values);
      EXPECT_NEAR(compression.at("mean_abs_error"), count.sum / static_cast<double>(count.finite),
                  1e-12);
      EXPECT_DOUBLE_EQ(compression.at("bound"), std::ldexp(1.0, -k));
      EXPECT_FALSE(compression.contains("sample_values")) << "all were looked at";
      // Paper mode breaks its promise from k = 8 on.
      EXPECT_EQ(compression.at("bound_held"), mode == Mode::kBounded || k < 8);

      std::vector<int> bounds;
      for (const json& row : compression.at("by_bound")) {
        const CodecConfig other{.bound_exponent = row.at("bound"), .mode = mode};
        bounds.push_back(other.bound_exponent);
        expect_section(row, recount(packets, other), other);
        EXPECT_EQ(row.contains("paper_percent"), other.bound_exponent == 6 ||
                                                     other.bound_exponent == 8 ||
                                                     other.bound_exponent == 10);
      }
      std::vector<int> expected = {6, 8, 10};
      if (k != 6 && k != 10) expected.push_back(k);
      std::sort(expected.begin(), expected.end());
      EXPECT_EQ(bounds, expected);

      uint64_t histogram = 0;
      for (const json& row : sections["plots"]["value_exponents"]) {
        histogram += row[1].get<uint64_t>();
      }
      EXPECT_EQ(histogram, count.values);
    }
  }
}

/// A packet as it leaves for the values that made it.
struct Left {
  sim::PacketRef<Beat> packet;
  explicit Left(const Values& values) : packet(new sim::Packet<Beat>) {
    packet->source = sim::make_packet<Beat>(Bytes(4));
    packet->source->config = testbenches::packet_config({});
    packet->source->values = values;
  }
};

// Values count when their packet leaves: what a device drops is not scored.
TEST(CodecScore, WhatHasNotLeftIsNotScored) {
  testbenches::CodecScore score({});
  json nothing;
  score.report(nothing);
  EXPECT_TRUE(nothing.is_null()) << nothing;

  const std::vector<Values> packets = any_packets(50, 20);
  std::vector<Values> left;
  for (size_t p = 0; p < packets.size(); p += 2) {
    score.left({}, *Left(packets[p]).packet);
    left.push_back(packets[p]);
  }
  json sections;
  score.report(sections);
  expect_section(sections["compression"], recount(left, {}), {});
}

// All values count for tags, ratio and error; the table of bounds, the baselines and the histogram
// are those of the first 2^20, up to the end of the packet that reaches it.
TEST(CodecScore, TheSampleIsTheFirstMillion) {
  testbenches::CodecScore score({});
  sim::Random random(seed());
  constexpr size_t kPacket = 1000, kPackets = 1200;
  std::vector<Values> packets;
  for (size_t p = 0; p < kPackets; ++p) {
    // What comes behind the sample is all RAW.
    packets.push_back(p < 1049 ? values_of(kPacket, random, 0) : Values(kPacket, 0x40490FDB));
    score.left({}, *Left(packets.back()).packet);
  }
  json sections;
  score.report(sections);
  const json& compression = sections["compression"];
  expect_section(compression, recount(packets, {}), {});
  EXPECT_EQ(compression.at("values"), kPacket * kPackets);
  // 1,048 packets are 1,048,000 values, short of 2^20 = 1,048,576.
  EXPECT_EQ(compression.at("sample_values"), 1'049'000);
  packets.resize(1049);
  for (const json& row : compression.at("by_bound")) {
    const CodecConfig other{.bound_exponent = row.at("bound")};
    expect_section(row, recount(packets, other), other);
  }
  uint64_t histogram = 0;
  for (const json& row : sections["plots"]["value_exponents"]) histogram += row[1].get<uint64_t>();
  EXPECT_EQ(histogram, 1'049'000u);
}

TEST(CodecScore, BaselinesAndPaperBesideIt) {
  testbenches::CodecScore score({});
  sim::Random random(seed());
  score.left({}, *Left(values_of(5000, random)).packet);
  json sections;
  score.report(sections);
  std::set<std::string> names;
  for (const json& row : sections["baselines"]) {
    names.insert(row.at("name"));
    EXPECT_GT(row.at("ratio"), 0);
    EXPECT_GT(row.at("encode_gbps"), 0);
  }
  EXPECT_TRUE(names.contains("codec, as one stream"));
  EXPECT_GE(names.size(), 5u);  // Snappy, three truncations
  // Table III, HDC at 2^-10: 92.0, 6.5, 1.5, 0.0 percent; 2, 10, 18, 34 bits: 2.76 in the mean.
  EXPECT_EQ(sections["paper"]["table3"]["zero"], 92.0);
  EXPECT_NEAR(sections["paper"]["ratio_fig14"], 32 / 2.76, 1e-9);
  EXPECT_EQ(sections["plots"]["class_limits"],
            (json{{"zero_below", -10}, {"byte_below", -5}, {"raw_from", 0}}));
}

}  // namespace
}  // namespace gw::tests::score_test
