// The scalar value and group functions against the codec page: vectors by hand, the table of
// errors, the properties, the numeric edges.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <map>

#include "models/reference/codec.h"
#include "models/reference/codec_statistics.h"
#include "tests/reference/codec_test_util.h"
#include "tests/sanitized.h"

namespace gw::reference::codec_value_test {
namespace {

constexpr CodecConfig kPaper10{10, Mode::kPaper};
constexpr CodecConfig kBounded10{10, Mode::kBounded};

uint32_t bits_of(float value) { return std::bit_cast<uint32_t>(value); }
double value_of(uint32_t bits) { return std::bit_cast<float>(bits); }

TEST(CodecConfig, MakeRefusesBoundsOutsideTheRangeWithASentence) {
  for (const int k : {-1, 0, 15, 23, 1000}) {
    for (const Mode mode : {Mode::kPaper, Mode::kBounded}) {
      const CodecConfigResult result = CodecConfig::make(k, mode);
      EXPECT_FALSE(result.config) << k;
      EXPECT_NE(result.error.find(std::to_string(k)), std::string::npos) << result.error;
      EXPECT_NE(result.error.find("from 1 to 14"), std::string::npos) << result.error;
    }
  }
  for (int k = 1; k <= 14; ++k) {
    const CodecConfigResult result = CodecConfig::make(k, Mode::kPaper);
    ASSERT_TRUE(result.config) << result.error;
    EXPECT_EQ(*result.config, (CodecConfig{k, Mode::kPaper}));
    EXPECT_EQ(result.error, "");
  }
}

TEST(CodecConfig, ThresholdsAndBound) {
  // k: B, T = B + ceil(k / 2)
  const std::map<int, std::pair<int, int>> expected = {
      {1, {126, 127}}, {2, {125, 126}},  {5, {122, 125}},  {6, {121, 124}},
      {8, {119, 123}}, {10, {117, 122}}, {13, {114, 121}}, {14, {113, 120}}};
  for (const auto& [k, thresholds] : expected) {
    const CodecConfig config{k, Mode::kPaper};
    EXPECT_EQ(config.byte_from(), thresholds.first) << k;
    EXPECT_EQ(config.half_from(), thresholds.second) << k;
    EXPECT_EQ(config.bound(), std::pow(2.0, -k)) << k;
  }
}

TEST(CodecConfig, ModeNames) {
  for (const Mode mode : {Mode::kPaper, Mode::kBounded}) {
    EXPECT_EQ(parse_mode(mode_name(mode)), mode);
  }
  EXPECT_FALSE(parse_mode("Bounded"));
  EXPECT_FALSE(parse_mode(""));
}

TEST(CodecConfigDeathTest, InvalidBoundInAStreamFunctionAbortsLoudly) {
  std::vector<uint8_t> out;
  EXPECT_DEATH(encode(std::vector<float>(8), CodecConfig{15, Mode::kPaper}, out), "exponent 15");
  EXPECT_DEATH(decode(out, CodecConfig{0, Mode::kBounded}), "exponent 0");
}

struct Vector {
  float value;
  CodecConfig config;
  EncodedValue encoded;
  float decoded;
};

// k = 10: ZERO below 2^-10, BYTE from 2^-10, HALF from 2^-5, RAW from 1.
const Vector kVectors[] = {
    {1.0f, kBounded10, {Tag::kRaw, 0x3F800000}, 1.0f},
    {-3.5f, kBounded10, {Tag::kRaw, 0xC0600000}, -3.5f},
    // 0.5: sh = 0x800000 >> 1 = 0x400000; HALF keeps sh[22:8] = 0x4000.
    {0.5f, kBounded10, {Tag::kHalf, 0x4000}, 0.5f},
    {-0.5f, kPaper10, {Tag::kHalf, 0xC000}, -0.5f},
    // 0.75 = 1.1b x 2^-1: sh = 0xC00000 >> 1 = 0x600000.
    {0.75f, kBounded10, {Tag::kHalf, 0x6000}, 0.75f},
    // 2^-5, the first HALF: sh = 0x800000 >> 5 = 0x040000.
    {0x1p-5f, kBounded10, {Tag::kHalf, 0x0400}, 0x1p-5f},
    // Just below 1: all kept bits are ones, the others are cut off.
    {0x0.FFFFFFp0f, kBounded10, {Tag::kHalf, 0x7FFF}, 0x0.FFFEp0f},
    // 2^-6, BYTE: paper shifts by 6, sh = 0x020000, sh[22:16] = 2; bounded by T - e = 1, 0x40.
    {0x1p-6f, kPaper10, {Tag::kByte, 0x02}, 0x1p-6f},
    {-0x1p-6f, kBounded10, {Tag::kByte, 0xC0}, -0x1p-6f},
    // 2^-7 is the last that survives in paper mode; bounded shifts by 2.
    {0x1p-7f, kPaper10, {Tag::kByte, 0x01}, 0x1p-7f},
    {0x1p-7f, kBounded10, {Tag::kByte, 0x20}, 0x1p-7f},
    // Below 2^-7 paper mode has no bits left and keeps only the sign.
    {-0x1.8p-8f, kPaper10, {Tag::kByte, 0x80}, -0.0f},
    {-0x1.8p-8f, kBounded10, {Tag::kByte, 0x98}, -0x1.8p-8f},
    // 2^-10, the first BYTE: bounded shifts by 5, sh = 0x040000, sh[22:16] = 4.
    {0x1p-10f, kBounded10, {Tag::kByte, 0x04}, 0x1p-10f},
    {0x1.FFFFFEp-10f, kBounded10, {Tag::kByte, 0x07}, 0x1.Cp-10f},
    {0x1.FFFFFEp-11f, kBounded10, {Tag::kZero, 0}, 0.0f},
    {-0x1.FFFFFEp-11f, kBounded10, {Tag::kZero, 0}, 0.0f},
    // k = 1: no HALF at all, BYTE is [0.5, 1).
    {0.5f, {1, Mode::kBounded}, {Tag::kByte, 0x40}, 0.5f},
    {0.25f, {1, Mode::kBounded}, {Tag::kZero, 0}, 0.0f},
    // k = 14: BYTE is [2^-14, 2^-7), HALF from there.
    {0x1p-14f, {14, Mode::kBounded}, {Tag::kByte, 0x01}, 0x1p-14f},
    {0x1p-14f, {14, Mode::kPaper}, {Tag::kByte, 0x00}, 0.0f},
    {0x1p-7f, {14, Mode::kBounded}, {Tag::kHalf, 0x0100}, 0x1p-7f},
};

TEST(CodecValue, VectorsByHand) {
  for (const Vector& v : kVectors) {
    SCOPED_TRACE(testing::Message() << v.value << ", " << describe(v.config));
    EXPECT_EQ(encode_value(bits_of(v.value), v.config), v.encoded);
    EXPECT_EQ(decode_value(v.encoded, v.config), bits_of(v.decoded));
  }
}

TEST(CodecValue, MagnitudeOfZerosKeepsTheSign) {
  for (const CodecConfig config : all_configs()) {
    EXPECT_EQ(decode_value({Tag::kByte, 0x00}, config), 0u);
    EXPECT_EQ(decode_value({Tag::kByte, 0x80}, config), 0x80000000u);
    EXPECT_EQ(decode_value({Tag::kHalf, 0x0000}, config), 0u);
    EXPECT_EQ(decode_value({Tag::kHalf, 0x8000}, config), 0x80000000u);
  }
}

TEST(CodecValue, EveryPayloadDecodesToTheFractionItIs) {
  for (const CodecConfig config : all_configs()) {
    const int top = config.mode == Mode::kBounded ? config.half_from() : 127;
    for (uint32_t n = 0; n < 0x80; ++n) {
      EXPECT_EQ(value_of(decode_value({Tag::kByte, n}, config)), std::ldexp(n, top - 127 - 7));
      EXPECT_EQ(decode_value({Tag::kByte, n | 0x80}, config),
                decode_value({Tag::kByte, n}, config) | 0x80000000u);
    }
    for (uint32_t n = 0; n < 0x8000; ++n) {
      ASSERT_EQ(value_of(decode_value({Tag::kHalf, n}, config)), std::ldexp(n, -15));
    }
  }
}

TEST(CodecValue, RawIsBitIdenticalAndBelowTheBoundIsZero) {
  for (const CodecConfig config : all_configs()) {
    for (const uint32_t bits : edge_values()) {
      const int exponent = static_cast<int>(bits >> 23 & 0xFF);
      const EncodedValue encoded = encode_value(bits, config);
      if (exponent >= 127) {
        EXPECT_EQ(encoded, (EncodedValue{Tag::kRaw, bits}));
        EXPECT_EQ(decode_value(encoded, config), bits);
      } else if (exponent < config.byte_from()) {
        EXPECT_EQ(encoded, (EncodedValue{Tag::kZero, 0}));
        EXPECT_EQ(decode_value(encoded, config), 0u);
      } else {
        EXPECT_EQ(encoded.tag, exponent >= config.half_from() ? Tag::kHalf : Tag::kByte);
      }
    }
  }
}

/// Calls `visit` for a stratified sample of all floats: every exponent, both signs, the mantissas
/// that matter for 7 and 15 kept bits at any shift, and evenly spaced ones.
template <typename Visit>
void stratified_sweep(Visit visit) {
  constexpr uint32_t kSpace = 0x3FFD * (tests::kSanitized ? 5 : 1);
  for (uint32_t sign_and_exponent = 0; sign_and_exponent < 512; ++sign_and_exponent) {
    const uint32_t base = sign_and_exponent << 23;
    for (uint32_t bit = 0; bit < 24; ++bit) {
      const uint32_t power = (1u << bit) & 0x7FFFFF;
      visit(base | power);
      visit(base | ((power - 1) & 0x7FFFFF));
      visit(base | (0x7FFFFF & ~power));
    }
    for (uint32_t mantissa = 0; mantissa < 0x800000; mantissa += kSpace) {
      visit(base | mantissa);
    }
  }
}

TEST(CodecValue, Properties) {
  for (const CodecConfig config : all_configs()) {
    SCOPED_TRACE(describe(config));
    size_t cases = 0;
    size_t failures = 0;
    stratified_sweep([&](uint32_t bits) {
      ++cases;
      const EncodedValue encoded = encode_value(bits, config);
      const uint32_t decoded = decode_value(encoded, config);
      bool ok = payload_bytes(encoded.tag) == 4 ||
                encoded.payload >> (8 * payload_bytes(encoded.tag)) == 0;
      // The sign is never flipped; ZERO alone forgets it.
      ok = ok && (encoded.tag == Tag::kZero ? decoded == 0 : decoded >> 31 == bits >> 31);
      if (config.mode == Mode::kBounded) {
        ok = ok && encode_value(decoded, config) == encoded;
        if (std::isfinite(value_of(bits))) {
          ok = ok && std::fabs(value_of(decoded) - value_of(bits)) < config.bound();
        }
      }
      if (!ok && ++failures <= 20) ADD_FAILURE() << std::hex << bits;
    });
    EXPECT_GT(cases, tests::rounds(200000u));
  }
}

TEST(CodecValue, TableOfMaximumErrors) {
  // Largest error over the bound, as a limit from below: paper mode 2^(k - 7) from k = 8 on.
  for (const CodecConfig config : all_configs()) {
    double worst = 0;
    stratified_sweep([&](uint32_t bits) {
      const double value = value_of(bits);
      if (!(value >= 0 && value < 1)) return;
      const double decoded = value_of(decode_value(encode_value(bits, config), config));
      worst = std::max(worst, std::fabs(decoded - value));
    });
    const int k = config.bound_exponent;
    const double expected = config.mode == Mode::kPaper && k > 7 ? std::pow(2.0, k - 7) : 1.0;
    EXPECT_LT(worst / config.bound(), expected) << describe(config);
    EXPECT_GT(worst / config.bound(), expected * 0.9999) << describe(config);
  }
}

TEST(CodecValue, ByteAloneInBoundedModeAsInTheTable) {
  for (const auto& [k, exponent] : {std::pair{6, -10}, {8, -11}, {10, -12}, {14, -14}}) {
    const CodecConfig config{k, Mode::kBounded};
    double worst = 0;
    stratified_sweep([&](uint32_t bits) {
      const EncodedValue encoded = encode_value(bits, config);
      if (encoded.tag != Tag::kByte) return;
      worst = std::max(worst, std::fabs(value_of(decode_value(encoded, config)) - value_of(bits)));
    });
    EXPECT_LT(worst, std::ldexp(1.0, exponent)) << k;
    EXPECT_GT(worst, std::ldexp(0.9999, exponent)) << k;
  }
}

TEST(CodecGroup, LayoutByHand) {
  // Lanes 0..7: RAW, ZERO, HALF, BYTE, ZERO, BYTE, HALF, RAW.
  const std::array<uint32_t, 8> values = {bits_of(1.0f),    bits_of(0.0f),      bits_of(-0.5f),
                                          bits_of(0x1p-6f), bits_of(-0x1p-20f), bits_of(-0x1p-10f),
                                          bits_of(0.75f),   0x7FC12345u};
  const EncodedGroup group = encode_group(values, kBounded10);
  const std::vector<uint8_t> expected = {
      0b01'10'00'11, 0b11'10'01'00,              // tags, lane 0 lowest
      0x00,          0x00,          0x80, 0x3F,  // lane 0
      0x00,          0xC0,                       // lane 2
      0x40,                                      // lane 3
      0x84,                                      // lane 5
      0x00,          0x60,                       // lane 6
      0x45,          0x23,          0xC1, 0x7F,  // lane 7
  };
  EXPECT_EQ(std::vector<uint8_t>(group.bytes.begin(),
                                 group.bytes.begin() + static_cast<std::ptrdiff_t>(group.size)),
            expected);
  const auto decoded = decode_group(expected, kBounded10);
  ASSERT_TRUE(decoded);
  std::array<uint32_t, 8> back = values;
  back[4] = 0;
  EXPECT_EQ(*decoded, back);
  for (size_t size = 0; size < expected.size(); ++size) {
    EXPECT_FALSE(decode_group(std::span(expected).first(size), kBounded10)) << size;
  }
}

TEST(CodecGroup, SizesOfAllTags) {
  EXPECT_EQ(encoded_group_bytes(0), 2);
  EXPECT_EQ(encoded_group_bytes(0x5555), 10);
  EXPECT_EQ(encoded_group_bytes(0xAAAA), 18);
  EXPECT_EQ(encoded_group_bytes(0xFFFF), 34);
  for (uint32_t tags = 0; tags < 0x10000; ++tags) {
    int bytes = 2;
    for (uint32_t rest = tags; rest != 0; rest >>= 2) bytes += std::array{0, 1, 2, 4}[rest & 3];
    ASSERT_EQ(encoded_group_bytes(static_cast<uint16_t>(tags)), bytes);
  }
}

TEST(CodecStatistics, CountsByHand) {
  const std::vector<float> values = {0.0f,     0x1p-11f, 0x1p-6f,  0.5f,       2.0f,
                                     INFINITY, NAN,      0x1p-30f, 0x1.01p-10f};
  CodecStatistics statistics(kBounded10);
  statistics.add(values);
  EXPECT_EQ(statistics.values(), 9u);
  EXPECT_EQ(statistics.finite_values(), 7u);
  EXPECT_EQ(statistics.count(Tag::kZero), 3u);
  EXPECT_EQ(statistics.count(Tag::kByte), 2u);
  EXPECT_EQ(statistics.count(Tag::kHalf), 1u);
  EXPECT_EQ(statistics.count(Tag::kRaw), 3u);
  EXPECT_EQ(statistics.encoded_bytes(), 2u * 2 + 2 * 1 + 1 * 2 + 3 * 4);
  EXPECT_DOUBLE_EQ(statistics.ratio(), 36.0 / 20);
  EXPECT_EQ(statistics.max_abs_error(), 0x1p-11);
  EXPECT_DOUBLE_EQ(statistics.mean_abs_error(), (0x1p-11 + 0x1p-30 + 0x0.01p-10) / 7);
  EXPECT_TRUE(statistics.bound_held());

  std::vector<uint8_t> stream;
  encode(values, kBounded10, stream);
  EXPECT_EQ(stream.size(), statistics.encoded_bytes());

  CodecStatistics twice = statistics;
  twice.merge(statistics);
  EXPECT_EQ(twice.values(), 18u);
  EXPECT_DOUBLE_EQ(twice.ratio(), statistics.ratio());
  EXPECT_DOUBLE_EQ(twice.mean_abs_error(), statistics.mean_abs_error());
}

TEST(CodecStatistics, PaperModeBreaksItsBoundAndSaysSo) {
  CodecStatistics paper(kPaper10);
  CodecStatistics bounded(kBounded10);
  const std::vector<float> values = {0x1.8p-8f};
  paper.add(values);
  bounded.add(values);
  EXPECT_FALSE(paper.bound_held());
  EXPECT_EQ(paper.max_abs_error(), 0x1.8p-8);
  EXPECT_TRUE(bounded.bound_held());
  EXPECT_EQ(paper.encoded_bytes(), bounded.encoded_bytes());
}

TEST(CodecStatistics, NothingCounted) {
  const CodecStatistics statistics(kBounded10);
  EXPECT_EQ(statistics.ratio(), 0);
  EXPECT_EQ(statistics.mean_abs_error(), 0);
  EXPECT_TRUE(statistics.bound_held());
}

}  // namespace
}  // namespace gw::reference::codec_value_test
