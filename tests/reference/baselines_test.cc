// Truncation, Snappy and the figures that compare them with the codec.
// SPDX-License-Identifier: Apache-2.0
#include "models/reference/baselines.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>

#include "models/reference/codec_benchmark.h"
#include "models/reference/codec_statistics.h"

namespace gw::reference::baselines_test {
namespace {

constexpr CodecConfig kConfig{10, Mode::kBounded};

TEST(Truncation, ByHand) {
  EXPECT_EQ(truncate_value(0x3F812345, 16), 0x3F810000u);
  EXPECT_EQ(truncate_value(0xBFFFFFFF, 22), 0xBFC00000u);
  EXPECT_EQ(truncate_value(0x3FFFFFFF, 24), 0x3F000000u);
  const std::vector<float> values = {1.0f, -2.0f, 0.5f};  // 3F800000 C0000000 3F000000
  EXPECT_EQ(truncation_encode(values, 16),
            (std::vector<uint8_t>{0x80, 0x3F, 0x00, 0xC0, 0x00, 0x3F}));
  EXPECT_EQ(truncation_encode(values, 24), (std::vector<uint8_t>{0x3F, 0xC0, 0x3F}));
  // Ten bits each: 0x0FE, 0x300, 0x0FC.
  EXPECT_EQ(truncation_encode(values, 22), (std::vector<uint8_t>{0xFE, 0x00, 0xCC, 0x0F}));
}

TEST(Truncation, RoundTripIsTheTruncatedValue) {
  const std::vector<float> values = synthetic_values(101, kUniformMix, kConfig, 1);
  for (int dropped = 1; dropped <= 31; ++dropped) {
    const std::vector<uint8_t> stream = truncation_encode(values, dropped);
    EXPECT_EQ(stream.size(), (values.size() * static_cast<size_t>(32 - dropped) + 7) / 8);
    const auto back = truncation_decode(stream, dropped, values.size());
    ASSERT_TRUE(back);
    for (size_t i = 0; i < values.size(); ++i) {
      EXPECT_EQ(std::bit_cast<uint32_t>((*back)[i]),
                truncate_value(std::bit_cast<uint32_t>(values[i]), dropped));
    }
    EXPECT_FALSE(
        truncation_decode(std::span(stream).first(stream.size() - 1), dropped, values.size()));
  }
}

TEST(Snappy, RoundTripAndBrokenStreams) {
  const std::vector<float> values(1000, 0.25f);
  std::vector<uint8_t> stream = snappy_encode(values);
  EXPECT_LT(stream.size(), 400u);
  const SnappyResult back = snappy_decode(stream);
  EXPECT_EQ(back.values, values);
  EXPECT_EQ(back.error, "");
  for (size_t size = 0; size < stream.size(); ++size) {
    const SnappyResult cut = snappy_decode(std::span(stream).first(size));
    EXPECT_EQ(cut.error, "The stream is not valid Snappy data.") << size;
  }
  const SnappyResult odd = snappy_decode(std::vector<uint8_t>{1, 0x00, 'x'});
  EXPECT_NE(odd.error.find("1 bytes"), std::string::npos) << odd.error;
}

TEST(Figures, OfAllCodecs) {
  const std::vector<float> values = synthetic_values(20000, kHdcMix, kConfig, 2);
  const std::vector<BaselineFigures> all = measure_all(values, kConfig, 1);
  ASSERT_EQ(all.size(), 5u);
  for (const BaselineFigures& figures : all) {
    EXPECT_GT(figures.encode_gbps, 0) << figures.name;
    EXPECT_GT(figures.decode_gbps, 0) << figures.name;
  }
  CodecStatistics statistics(kConfig);
  statistics.add(values);
  EXPECT_DOUBLE_EQ(all[0].ratio, statistics.ratio());
  EXPECT_DOUBLE_EQ(all[0].max_abs_error, statistics.max_abs_error());
  EXPECT_DOUBLE_EQ(all[0].mean_abs_error, statistics.mean_abs_error());
  EXPECT_DOUBLE_EQ(all[1].ratio, 2.0);
  EXPECT_DOUBLE_EQ(all[2].ratio, 3.2);
  EXPECT_DOUBLE_EQ(all[3].ratio, 4.0);
  EXPECT_LT(all[1].max_abs_error, all[2].max_abs_error);
  EXPECT_LT(all[2].max_abs_error, all[3].max_abs_error);
  EXPECT_EQ(all[4].max_abs_error, 0);
  EXPECT_EQ(measure_snappy({}).ratio, 0);
}

TEST(Figures, SyntheticValuesHaveTheMixAskedFor) {
  for (const Mode mode : {Mode::kPaper, Mode::kBounded}) {
    const CodecConfig config{10, mode};
    CodecStatistics statistics(config);
    statistics.add(synthetic_values(200000, kHdcMix, config, 7));
    const auto share = [&](Tag tag) {
      return 100.0 * static_cast<double>(statistics.count(tag)) / 200000;
    };
    EXPECT_NEAR(share(Tag::kZero), 92.0, 0.5);
    EXPECT_NEAR(share(Tag::kByte), 6.5, 0.5);
    EXPECT_NEAR(share(Tag::kHalf), 1.5, 0.5);
    EXPECT_EQ(share(Tag::kRaw), 0);
  }
}

TEST(Benchmark, MeasuresEveryImplementation) {
  const std::vector<float> values = synthetic_values(10001, kHdcMix, kConfig, 3);
  for (const Implementation& implementation : implementations()) {
    const CodecBenchmark result = benchmark_codec(values, kConfig, implementation, 3);
    EXPECT_EQ(result.implementation, implementation.name);
    EXPECT_GT(result.memcpy_gbps, 0);
    EXPECT_NEAR(result.encode_to_memcpy, result.encode_gbps / result.memcpy_gbps, 1e-9);
    EXPECT_NEAR(result.decode_to_memcpy, result.decode_gbps / result.memcpy_gbps, 1e-9);
  }
}

}  // namespace
}  // namespace gw::reference::baselines_test
