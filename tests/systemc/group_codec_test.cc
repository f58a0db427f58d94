// The models' codec, against hand-worked vectors and against the
// transcription of the specification.
// SPDX-License-Identifier: Apache-2.0
#include "models/systemc/group_codec.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "tests/sanitized.h"
#include "tests/systemc/spec_codec.h"
#include "tests/systemc/stimulus.h"

namespace gw::systemc::group_codec_test {
namespace {

uint32_t bits(float f) { return std::bit_cast<uint32_t>(f); }
float number(uint32_t b) { return std::bit_cast<float>(b); }

std::vector<uint8_t> encode(const spec::Lanes& lanes, CodecConfig config) {
  Words words;
  std::memcpy(&words, lanes.data(), sizeof words);
  std::vector<uint8_t> bytes(kMaxGroupBytes);
  bytes.resize(static_cast<size_t>(GroupCodec(config).encode(words, bytes.data())));
  return bytes;
}

spec::Lanes decode(std::vector<uint8_t> bytes, CodecConfig config) {
  const auto tags = static_cast<uint32_t>(bytes[0] | bytes[1] << 8);
  EXPECT_EQ(static_cast<size_t>(group_bytes(tags)), bytes.size());
  bytes.resize(kMaxGroupBytes, 0xA5);  // must not matter
  spec::Lanes lanes;
  GroupCodec(config).decode(bytes.data(), tags, lanes);
  return lanes;
}

using Bytes = std::vector<uint8_t>;

// k = 10: B = 117 (2^-10), T = 122 (2^-5).
TEST(GroupCodec, HandVectorBounded) {
  const spec::Lanes lanes = {bits(1.5f),      bits(0.0f),      bits(0.5f),        bits(-0.75f),
                             bits(0x1.8p-6f), bits(-0x1p-10f), bits(-0x1.fp-11f), bits(-2.0f)};
  // 1.5 RAW, 0 ZERO, 0.5 HALF 0x4000, -0.75 HALF 0xE000, then below 2^-5: 1.5 x 2^-6 BYTE .1100000,
  // -2^-10 BYTE .0000100 (5 places below the ceiling), ZERO, RAW.
  const Bytes expected = {0xA3, 0xC5,              // tags 3,0,2,2 and 1,1,0,3
                          0x00, 0x00, 0xC0, 0x3F,  // 1.5
                          0x00, 0x40, 0x00, 0xE0,  //
                          0x60, 0x84,              //
                          0x00, 0x00, 0x00, 0xC0};
  EXPECT_EQ(encode(lanes, {10, true}), expected);
  spec::Lanes back = lanes;
  back[6] = 0;
  EXPECT_EQ(decode(expected, {10, true}), back);
}

TEST(GroupCodec, HandVectorPaper) {
  // In mode paper BYTE starts below 1.0: 1.5 x 2^-6 keeps .0000011, and 2^-10 nothing but its sign.
  const spec::Lanes lanes = {bits(0x1.8p-6f), bits(-0x1p-10f), bits(0x1p-7f), 0, 0, 0, 0, 0};
  const Bytes expected = {0x15, 0x00, 0x03, 0x80, 0x01};
  EXPECT_EQ(encode(lanes, {10, false}), expected);
  spec::Lanes back = lanes;
  back[1] = 0x80000000;  // Algorithm 3 leaves it undefined, the specification keeps the sign
  EXPECT_EQ(decode(expected, {10, false}), back);
}

/// Values around every threshold, one ulp apart, and the odd ones, with both signs.
std::vector<uint32_t> edges() {
  std::vector<uint32_t> values = {0, 1, 0x7FFFFF, 0x7F800000, 0x7F800001, 0x7FC00000, 0x7FFFFFFF};
  for (uint32_t e = 1; e < 255; ++e) {
    for (uint32_t m : {0u, 1u, 0x3FFFFFu, 0x400000u, 0x7FFFFEu, 0x7FFFFFu}) {
      values.push_back(e << 23 | m);
    }
  }
  const size_t positive = values.size();
  for (size_t i = 0; i < positive; ++i) values.push_back(values[i] | 0x80000000);
  return values;
}

TEST(GroupCodec, EqualsSpecification) {
  size_t cases = 0;
  std::mt19937 random(1);
  for (int k = kMinBound; k <= kMaxBound; ++k) {
    for (bool bounded : {false, true}) {
      const CodecConfig config{static_cast<uint8_t>(k), bounded};
      std::vector<uint32_t> values = edges();
      for (int i = 0; i < tests::rounds(80000); ++i) values.push_back(value_of(i % 4, k, random));
      for (int i = 0; i < tests::rounds(20000); ++i)
        values.push_back(static_cast<uint32_t>(random()));
      std::shuffle(values.begin(), values.end(), random);
      for (size_t i = 0; i + kLanes <= values.size(); i += kLanes) {
        spec::Lanes lanes;
        std::copy_n(values.begin() + static_cast<long>(i), kLanes, lanes.begin());
        const Bytes bytes = encode(lanes, config);
        ASSERT_EQ(bytes, spec::encode_group(lanes, config)) << "k " << k << " bounded " << bounded;
        const spec::Lanes back = decode(bytes, config);
        ASSERT_EQ(back, spec::decode_group(bytes.data(), config)) << "k " << k;
        for (int l = 0; l < kLanes; ++l) {
          const float x = number(lanes[l]);
          if (back[l] != 0) {
            ASSERT_EQ(back[l] >> 31, lanes[l] >> 31);
          }
          if (std::abs(x) < 1 && bounded) {
            ASSERT_LT(std::abs(double{number(back[l])} - x), std::ldexp(1.0, -k)) << x;
          } else if (!(std::abs(x) < 1)) {
            ASSERT_EQ(back[l], lanes[l]);
          }
        }
        if (bounded) {
          ASSERT_EQ(encode(back, config), bytes);
        }
        cases += kLanes;
      }
    }
  }
  EXPECT_GT(cases, 28u * tests::rounds(100000u));
}

TEST(GroupCodec, DecodesEveryPayload) {
  for (int k = kMinBound; k <= kMaxBound; ++k) {
    for (bool bounded : {false, true}) {
      const CodecConfig config{static_cast<uint8_t>(k), bounded};
      for (uint32_t payload = 0; payload < 65536; payload += tests::kSanitized ? 5 : 1) {
        // HALF, BYTE in lanes of both halves; unreachable payloads too (corrupted streams).
        const auto low = static_cast<uint8_t>(payload), high = static_cast<uint8_t>(payload >> 8);
        const Bytes bytes = {0x06, 0x90, low, high, low, high, low, high};
        ASSERT_EQ(decode(bytes, config), spec::decode_group(bytes.data(), config)) << payload;
      }
    }
  }
}

TEST(GroupCodec, EveryTagWord) {
  std::mt19937 random(2);
  for (uint32_t tags = 0; tags < 65536; tags += tests::kSanitized ? 5 : 1) {
    spec::Lanes lanes;
    for (int i = 0; i < kLanes; ++i) lanes[i] = value_of(tags >> (2 * i) & 3, 9, random);
    const Bytes bytes = encode(lanes, {9, true});
    ASSERT_EQ(bytes[0] | bytes[1] << 8, static_cast<int>(tags));
    ASSERT_EQ(bytes, spec::encode_group(lanes, {9, true}));
    ASSERT_EQ(decode(bytes, {9, true}), spec::decode_group(bytes.data(), {9, true}));
  }
}

TEST(GroupCodecDeathTest, RefusesBoundsOutOfRange) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(GroupCodec({16, true}), "exponent 16 is not in 0..15");
}

// The shortcut, for every exponent and class.
TEST(GroupCodec, ReceivedIsDecodedEncoded) {
  std::mt19937 random(4);
  for (int k = 0; k <= kMaxPins; ++k) {
    for (const bool bounded : {true, false}) {
      const CodecConfig config{static_cast<uint8_t>(k), bounded};
      for (uint32_t exponent = 0; exponent < 256; ++exponent) {
        spec::Lanes lanes;
        for (uint32_t& v : lanes) {
          v = (static_cast<uint32_t>(random()) & 0x807FFFFF) | exponent << 23;
        }
        lanes[0] |= 0x7FFFFF;
        lanes[1] &= ~0x7FFFFFu;
        lanes[7] = static_cast<uint32_t>(random());
        Words words;
        std::memcpy(&words, lanes.data(), sizeof words);
        words = GroupCodec(config).received(words);
        spec::Lanes received;
        std::memcpy(received.data(), &words, sizeof words);
        ASSERT_EQ(received, decode(encode(lanes, config), config))
            << "k " << k << ", exponent " << exponent;
      }
    }
  }
}

}  // namespace
}  // namespace gw::systemc::group_codec_test
