// Exchanges on a toy vector, against sums in binary64.
// SPDX-License-Identifier: Apache-2.0
#include "tools/training/exchange.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include "tools/training/network.h"

namespace gw::training::exchange_test {
namespace {

const std::vector<size_t> kLengths{13, 40, 8, 5, 33, 1, 64, 7, 16, 21};

Codec codec_of(const std::string& spec) {
  CodecResult result = parse_codec(spec);
  EXPECT_TRUE(result.codec) << result.error;
  return result.codec.value_or(Codec{});
}

using Gradients = std::vector<std::vector<float>>;

Gradients draw(size_t workers, size_t values, std::mt19937_64& random) {
  std::normal_distribution<float> normal(0.0f, 0.01f);
  Gradients all(workers, std::vector<float>(values));
  for (auto& one : all) {
    for (float& v : one) v = normal(random);
  }
  return all;
}

std::vector<double> exact_sum(const Gradients& all) {
  std::vector<double> sum(all.front().size());
  for (const auto& one : all) {
    for (size_t i = 0; i < one.size(); ++i) sum[i] += static_cast<double>(one[i]);
  }
  return sum;
}

/// Sum over the workers of the residual of each value, and of its magnitude.
void residuals(const Exchange& exchange, std::vector<double>& sum, std::vector<double>& size) {
  sum.assign(exchange.layout().values(), 0);
  size.assign(exchange.layout().values(), 0);
  for (size_t w = 0; w < exchange.workers(); ++w) {
    const std::span<const float> r = exchange.residuals(w);
    if (r.empty()) continue;
    for (const ChunkRange& chunk : exchange.layout().chunks()) {
      for (size_t i = 0; i < chunk.count; ++i) {
        const double v = static_cast<double>(r[chunk.row * 8 + i]);
        sum[chunk.first + i] += v;
        size[chunk.first + i] += std::fabs(v);
      }
    }
  }
}

TEST(Layout, RowsAndSlices) {
  const Layout layout(kLengths);
  EXPECT_EQ(layout.values(), std::accumulate(kLengths.begin(), kLengths.end(), size_t{0}));
  EXPECT_EQ(layout.chunks()[1].row, 2u);  // 13 values are two rows
  for (const size_t workers : {2, 3, 4, 8, 64}) {
    const std::vector<size_t> slices = layout.slices(workers);
    ASSERT_EQ(slices.size(), workers + 1);
    EXPECT_EQ(slices.front(), 0u);
    EXPECT_EQ(slices.back(), kLengths.size());
    EXPECT_TRUE(std::ranges::is_sorted(slices));
  }
}

// The owner of a chunk may send something else than the sum; all get that.
TEST(Direct, SendsWhatTheOwnerMakesOfTheSum) {
  const Layout layout(kLengths);
  std::mt19937_64 random(1);
  const Gradients gradients = draw(3, layout.values(), random);
  Exchange exchange(ExchangeKind::kDirect, codec_of("none"), 3, layout);
  std::vector<float> sums(layout.values()), delivered(layout.values());
  exchange.run(gradients, sums);
  size_t calls = 0;
  exchange.run(gradients, delivered, {}, [&](const ChunkRange& chunk, std::span<float> sum) {
    EXPECT_EQ(chunk.first, layout.chunks()[calls++].first);
    ASSERT_EQ(sum.size(), chunk.count);
    for (float& v : sum) v = 2 * v;
  });
  EXPECT_EQ(calls, kLengths.size());
  for (size_t i = 0; i < sums.size(); ++i) EXPECT_EQ(delivered[i], 2 * sums[i]) << i;
}

TEST(Layout, OfHdc) {
  const Layout layout(HdcNetwork::chunk_lengths());
  EXPECT_EQ(layout.values(), HdcNetwork::parameter_count());
  EXPECT_EQ(layout.chunks().size(), 4u * 501 + 11);
  EXPECT_EQ(layout.rows(), 144384u);  // the specification's
}

struct Case {
  ExchangeKind kind;
  size_t workers;
  std::string codec;
};

class ExchangeOf : public testing::TestWithParam<Case> {};

// All workers' g + r before = delivered sum + all r after, value by value and over all iterations.
TEST_P(ExchangeOf, GradientsNeitherComeNorGo) {
  const auto& [kind, workers, spec] = GetParam();
  const Codec codec = codec_of(spec);
  const Layout layout(kLengths);
  Exchange exchange(kind, codec, workers, layout);
  std::mt19937_64 random(7);
  std::vector<float> delivered(layout.values());
  std::vector<double> before, after, size_before, size_after;
  std::vector<double> missing(layout.values());
  double all = 0;
  residuals(exchange, before, size_before);
  for (int t = 0; t < 24; ++t) {
    const Gradients g = draw(workers, layout.values(), random);
    exchange.run(g, delivered);
    residuals(exchange, after, size_after);
    const std::vector<double> sum = exact_sum(g);
    for (size_t i = 0; i < sum.size(); ++i) {
      double size = size_before[i] + size_after[i];
      for (const auto& one : g) {
        size += std::fabs(static_cast<double>(one[i]));
        all += std::fabs(static_cast<double>(one[i]));
      }
      const double lost = sum[i] + before[i] - static_cast<double>(delivered[i]) - after[i];
      ASSERT_LE(std::fabs(lost), static_cast<double>(workers) * 0x1p-22 * size)
          << "value " << i << ", iteration " << t;
      missing[i] += sum[i] - static_cast<double>(delivered[i]);
    }
    before = after;
    size_before = size_after;
  }
  double lost = 0;
  for (size_t i = 0; i < missing.size(); ++i) lost += std::fabs(missing[i] - after[i]);
  EXPECT_LE(lost, 0x1p-22 * all);
}

std::vector<Case> conserving() {
  std::vector<Case> cases;
  for (const ExchangeKind kind : kExchanges) {
    for (const size_t workers : {2, 3, 4, 8}) {
      for (const char* codec :
           {"none", "raw", "wgt:t=2^-6", "bgt:t=2^-7", "qgt:t=2^-9", "qgt:t=2^-16",
            "qgt:t=2^-9,coding=rice", "bgt:t=2^-7,coding=rice", "onebit", "onebit-preceding",
            "adaptive:p=2", "adaptive:p=2,coding=rice", "mxfp8:residual=on", "mxfp4:residual=on"}) {
        cases.push_back({kind, workers, codec});
      }
    }
  }
  return cases;
}

std::string case_name(const testing::TestParamInfo<Case>& info) {
  std::string name =
      fmt::format("{}_{}_{}", exchange_name(info.param.kind), info.param.workers, info.param.codec);
  for (char& c : name) {
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  }
  return name;
}

INSTANTIATE_TEST_SUITE_P(All, ExchangeOf, testing::ValuesIn(conserving()), case_name);

// What is delivered, against the plain sum in binary64: at once, or in the long run.
TEST(Exchange, DeliversTheSum) {
  const Layout layout(kLengths);
  constexpr int kIterations = 64;
  for (const ExchangeKind kind : kExchanges) {
    for (const size_t workers : {2, 4}) {
      for (const auto& [spec, most] : {std::pair{"none", 1e-6},
                                       {"raw", 1e-6},
                                       {"wgt:t=2^-6", 0.1},
                                       {"bgt:t=2^-4", 0.25},
                                       {"qgt:t=2^-9", 0.02},
                                       {"onebit", 0.2},
                                       {"onebit-preceding", 0.4},
                                       {"adaptive:p=1", 0.2},
                                       {"mxfp8", 0.06},
                                       {"mxfp4", 0.4},
                                       {"mxfp8:residual=on", 0.005},
                                       {"mxfp4:residual=on", 0.05},
                                       {"inceptionn:bound=14,mode=bounded", 0.02},
                                       {"inceptionn:bound=14,mode=paper", 0.4}}) {
        std::mt19937_64 random(3);
        const Gradients g = draw(workers, layout.values(), random);
        Exchange exchange(kind, codec_of(spec), workers, layout);
        std::vector<double> total(layout.values());
        std::vector<float> delivered(layout.values());
        for (int t = 0; t < kIterations; ++t) {
          exchange.run(g, delivered);
          for (size_t i = 0; i < total.size(); ++i) total[i] += static_cast<double>(delivered[i]);
        }
        const std::vector<double> sum = exact_sum(g);
        double error = 0, size = 0;
        for (size_t i = 0; i < sum.size(); ++i) {
          error += std::pow(total[i] / kIterations - sum[i], 2);
          size += sum[i] * sum[i];
        }
        EXPECT_LE(std::sqrt(error / size), most)
            << exchange_name(kind) << " " << workers << " " << spec;
      }
    }
  }
}

// Floats are summed in the order that is promised, to the bit.
TEST(Exchange, NoneIsTheSumInItsOrder) {
  const Layout layout(kLengths);
  std::mt19937_64 random(5);
  for (const size_t workers : {2, 3, 4, 8}) {
    const Gradients g = draw(workers, layout.values(), random);
    const std::vector<size_t> slices = layout.slices(workers);
    for (const ExchangeKind kind : kExchanges) {
      Exchange exchange(kind, codec_of("none"), workers, layout);
      std::vector<float> delivered(layout.values());
      exchange.run(g, delivered);
      for (size_t owner = 0; owner < workers; ++owner) {
        const size_t first = kind == ExchangeKind::kOnce ? 0 : owner;
        for (size_t c = slices[owner]; c < slices[owner + 1]; ++c) {
          const ChunkRange& chunk = layout.chunks()[c];
          for (size_t i = chunk.first; i < chunk.first + chunk.count; ++i) {
            float sum = g[first][i];
            for (size_t w = 1; w < workers; ++w) sum += g[(first + w) % workers][i];
            ASSERT_EQ(delivered[i], sum) << exchange_name(kind) << " value " << i;
          }
        }
      }
    }
  }
}

TEST(Exchange, BytesAreThoseOfAllLinks) {
  const Layout layout(kLengths);
  std::mt19937_64 random(5);
  const Gradients g = draw(4, layout.values(), random);
  std::vector<float> delivered(layout.values());
  const uint64_t floats = 4 * layout.values();
  for (const auto& [kind, times] :
       {std::pair{ExchangeKind::kOnce, 4}, {ExchangeKind::kDirect, 6}, {ExchangeKind::kRing, 6}}) {
    Exchange exchange(kind, codec_of("none"), 4, layout);
    std::vector<uint64_t> by_chunk(kLengths.size());
    const Traffic traffic = exchange.run(g, delivered, by_chunk);
    EXPECT_EQ(traffic.bytes, static_cast<uint64_t>(times) * floats);
    EXPECT_EQ(traffic.payload_bits, 8 * traffic.bytes);
    EXPECT_EQ(traffic.values, 4 * layout.values());  // each worker encodes each value once
    EXPECT_EQ(std::accumulate(by_chunk.begin(), by_chunk.end(), uint64_t{0}), traffic.bytes);
  }
}

// Worked by hand: T = 1, two workers, each with 3 everywhere.
TEST(Exchange, DirectSparesTheOwnersSliceAndScalesTheSums) {
  const std::vector<size_t> lengths{4, 4};
  const Layout layout(lengths);
  const Gradients g(2, std::vector<float>(8, 3.0f));
  std::vector<float> delivered(8);
  Exchange plain(ExchangeKind::kDirect, codec_of("bgt:t=1"), 2, layout);
  plain.run(g, delivered);
  EXPECT_EQ(delivered, std::vector<float>(8, 1.0f));
  EXPECT_EQ(plain.residuals(0)[0], 3.0f);  // owner of the first chunk: 3 + 1 - 1
  EXPECT_EQ(plain.residuals(1)[0], 2.0f);
  EXPECT_EQ(plain.residuals(0)[8], 2.0f);
  EXPECT_EQ(plain.residuals(1)[8], 3.0f);
  Exchange scaled(ExchangeKind::kDirect, codec_of("bgt:t=1"), 2, layout, 4);
  scaled.run(g, delivered);
  EXPECT_EQ(delivered, std::vector<float>(8, 4.0f));
  EXPECT_EQ(scaled.residuals(0)[0], 0.0f);
  EXPECT_EQ(scaled.residuals(1)[0], 2.0f);
}

// The ring quantises partial sums: 3 leaves as 1, 1 + 3 as 1, with what is left at each hop.
TEST(Exchange, RingLeavesResidualsAtEachHop) {
  const std::vector<size_t> lengths{4, 4, 4};
  const Layout layout(lengths);
  const Gradients g(3, std::vector<float>(12, 3.0f));
  std::vector<float> delivered(12);
  Exchange ring(ExchangeKind::kRing, codec_of("bgt:t=1"), 3, layout);
  ring.run(g, delivered);
  EXPECT_EQ(delivered, std::vector<float>(12, 1.0f));
  EXPECT_EQ(ring.residuals(0)[0], 2.0f);  // block 0 begins at worker 0
  EXPECT_EQ(ring.residuals(1)[0], 3.0f);
  EXPECT_EQ(ring.residuals(2)[0], 3.0f);
  EXPECT_EQ(ring.residuals(1)[8], 2.0f);  // block 1 at worker 1
}

TEST(Exchange, RingErrorOfInceptionnIsAtMostABoundAHop) {
  const Layout layout(kLengths);
  std::mt19937_64 random(11);
  for (const size_t workers : {2, 4, 8, 16}) {
    Exchange exchange(ExchangeKind::kRing, codec_of("inceptionn:bound=10,mode=bounded"), workers,
                      layout);
    std::vector<float> delivered(layout.values());
    for (int t = 0; t < 8; ++t) {
      const Gradients g = draw(workers, layout.values(), random);
      exchange.run(g, delivered);
      const std::vector<double> sum = exact_sum(g);
      for (size_t i = 0; i < sum.size(); ++i) {
        ASSERT_LE(std::fabs(sum[i] - static_cast<double>(delivered[i])),
                  static_cast<double>(workers) * (0x1p-10 + 1e-7));
      }
    }
  }
}

TEST(Exchange, Names) {
  for (const ExchangeKind kind : kExchanges) EXPECT_EQ(parse_exchange(exchange_name(kind)), kind);
  EXPECT_FALSE(parse_exchange("star"));
}

}  // namespace
}  // namespace gw::training::exchange_test
