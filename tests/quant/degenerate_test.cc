// Degenerate inputs, one test each; and of random ones, that what was to be sent is what is
// received and what stays behind.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "tests/quant/bytes.h"

namespace gw::reference::quant::degenerate_test {
namespace {

const std::vector<std::string>& specs() {
  static const std::vector<std::string> kSpecs = {"wgt:t=0.001",
                                                  "bgt:t=0.001",
                                                  "bgt:t=2^-9,coding=rice",
                                                  "qgt:t=0.001",
                                                  "qgt:t=2^-12",
                                                  "qgt:t=0.001,coding=rice",
                                                  "onebit",
                                                  "adaptive:p=3",
                                                  "adaptive",
                                                  "adaptive:p=2,coding=rice",
                                                  "mxfp8:residual=on",
                                                  "mxfp4:residual=on",
                                                  "mxfp8-e5m2:residual=on",
                                                  "mxfp8:scale=up,residual=on",
                                                  "mxfp4:scale=up",
                                                  "mxfp8-e5m2:scale=up,residual=on",
                                                  "mxfp8",
                                                  "mxfp4",
                                                  "onebit:residual=off",
                                                  "qgt:t=2^-9,residual=off"};
  return kSpecs;
}

/// Encodes `g` at row 1 and checks the packet against v = g + r of before: d + r' = v, where r' is
/// rounded once. Gives what is received.
std::vector<float> follow(Quantiser& quantiser, const std::vector<float>& g, ChunkReport& report) {
  const std::vector<float> before(quantiser.residuals().begin(), quantiser.residuals().end());
  std::vector<uint8_t> packet;
  report = quantiser.encode(g, 1, packet);
  EXPECT_EQ(report.bytes, packet.size());
  std::vector<float> d;
  const Decoded header = decode_packet(packet, kMaxValues, d);
  EXPECT_TRUE(header.ok()) << reason_name(header.reason);
  EXPECT_EQ(header.n, g.size());
  EXPECT_EQ(header.method, report.method);
  EXPECT_EQ(header.entries, report.entries);
  EXPECT_EQ(header.k, report.k);
  EXPECT_EQ(header.status, report.status);
  const bool residual = quantiser.config().residual && report.method != Method::kRaw;
  for (size_t i = 0; i < quantiser.residuals().size(); ++i) {
    const float after = quantiser.residuals()[i];
    const size_t at = i - kLanes;
    if (i < kLanes || at >= g.size() || !residual || at >= d.size() || std::isnan(d[at])) {
      EXPECT_EQ(bits_of(after), bits_of(before[i])) << "residual " << i << " is not of the chunk";
      continue;
    }
    const float sum = g[at] + before[i];
    const float v = std::isfinite(g[at]) && std::isfinite(sum) ? sum : before[i];
    const auto rest = static_cast<float>(static_cast<double>(v) - static_cast<double>(d[at]));
    EXPECT_EQ(after, rest) << "value " << at << " of " << g.size();
  }
  return d;
}

TEST(QuantDegenerate, RandomValuesAreSentOrKept) {
  std::mt19937_64 random(11);
  std::normal_distribution<float> normal(0, 0.002f);
  for (const std::string& spec : specs()) {
    SCOPED_TRACE(spec);
    for (const size_t n : {1u, 7u, 8u, 9u, 31u, 32u, 33u, 255u, 1000u, 4095u, 4096u}) {
      Quantiser quantiser(config_of(spec), rows_of(n) + 2);
      for (int iteration = 0; iteration < 5; ++iteration) {
        std::vector<float> g(n);
        for (float& x : g) x = iteration == 3 ? normal(random) * 100 : normal(random);
        ChunkReport report;
        const std::vector<float> d = follow(quantiser, g, report);
        EXPECT_EQ(report.method, quantiser.config().method);
        EXPECT_EQ(report.status, 0);
        if (HasFailure()) return;
      }
    }
  }
}

TEST(QuantDegenerate, NothingIsLostBelow256T) {
  std::mt19937_64 random(12);
  std::normal_distribution<double> normal(0, 0.01);
  for (const char* spec : {"bgt:t=0.001", "qgt:t=0.001", "wgt:t=0.001", "qgt:t=0.000123"}) {
    Quantiser quantiser(config_of(spec), 600);
    std::vector<float> before(4096);
    size_t sums = 0;
    for (int iteration = 0; iteration < 20; ++iteration) {
      std::vector<float> g(4096);
      for (float& x : g) x = static_cast<float>(normal(random));
      const std::vector<float> d = decoded(encoded(quantiser, g));
      for (size_t i = 0; i < g.size(); ++i) {
        const double v = static_cast<double>(g[i] + before[i]);
        before[i] = quantiser.residuals()[i];
        if (std::fabs(v) >= 256.0 * static_cast<double>(quantiser.config().threshold)) continue;
        ++sums;
        ASSERT_EQ(static_cast<double>(d[i]) + static_cast<double>(before[i]), v) << spec;
      }
    }
    EXPECT_GT(sums, 60'000u) << spec;
  }
}

TEST(QuantDegenerate, AllZeroOfEitherSign) {
  for (const float zero : {0.0f, -0.0f}) {
    for (const std::string& spec : specs()) {
      SCOPED_TRACE(spec);
      Quantiser quantiser(config_of(spec), 8);
      ChunkReport report;
      for (const float d : follow(quantiser, std::vector<float>(40, zero), report)) {
        EXPECT_EQ(d, 0.0f);
      }
      if (is_sparse(quantiser.config().method)) EXPECT_EQ(report.entries, 0u);
    }
  }
  // -0 is one of the non-negative: all bits 1, and its sign does not reach the mean.
  Quantiser quantiser(config_of("onebit"), 8);
  EXPECT_EQ(hex(encoded(quantiser, std::vector<float>(8, -0.0f))),
            hex(bytes_of("04 00 0000 08000000 00000000 00000080 FF 00")));
}

TEST(QuantDegenerate, AllEqualAndOneSideEmpty) {
  for (const float value : {0.25f, -0.25f}) {
    for (const std::string& spec : specs()) {
      SCOPED_TRACE(spec);
      Quantiser quantiser(config_of(spec), 8);
      ChunkReport report;
      const std::vector<float> d = follow(quantiser, std::vector<float>(40, value), report);
      EXPECT_EQ(report.entries, 40u);  // the first bin that holds a value is taken whole
      for (const float x : d) EXPECT_EQ(std::signbit(x), std::signbit(value));
    }
  }
  Quantiser onebit(config_of("onebit"), 8);
  EXPECT_EQ(hex(encoded(onebit, std::vector<float>(8, -0.25f))),
            hex(bytes_of("04 00 0000 08000000 00000000 000080BE 00 00")));
}

TEST(QuantDegenerate, OneSpikeAgainAndAgain) {
  Quantiser quantiser(config_of("bgt:t=1"), 8);
  std::vector<float> g(16);
  g[3] = 10;
  for (int i = 1; i <= 20; ++i) {
    encoded(quantiser, g);
    EXPECT_EQ(quantiser.residuals()[3], 9.0f * static_cast<float>(i));  // grows without limit
  }
  Quantiser clipped(config_of("qgt:t=1"), 8);
  g[3] = 300;
  for (int i = 1; i <= 20; ++i) {
    encoded(clipped, g);
    EXPECT_EQ(clipped.residuals()[3], 45.0f * static_cast<float>(i));
  }
}

TEST(QuantDegenerate, Sizes) {
  for (const std::string& spec : specs()) {
    SCOPED_TRACE(spec);
    for (const size_t n : {size_t{4096}, size_t{4097}}) {
      Quantiser quantiser(config_of(spec), rows_of(n) + 1);
      ChunkReport report;
      follow(quantiser, std::vector<float>(n, 0.01f), report);
      const bool buffered = has_means(quantiser.config().method);
      EXPECT_EQ(report.method, buffered && n > 4096 ? Method::kRaw : quantiser.config().method);
    }
    // The residuals of the last row are there, those behind it are not.
    Quantiser quantiser(config_of(spec), 3);
    std::vector<uint8_t> packet;
    const std::vector<float> g(9, 0.01f);
    const Method method = quantiser.config().method;
    EXPECT_EQ(quantiser.encode(g, 1, packet).method, method);
    const bool needs = quantiser.config().residual;
    EXPECT_EQ(quantiser.encode(g, 2, packet).method, needs ? Method::kRaw : method);
    if (needs) {
      EXPECT_EQ(decoded(packet), g);
    }
  }
  // Rice codes of `threshold` remember k by row, with or without residuals.
  Quantiser rice(config_of("bgt:coding=rice,residual=off"), 3);
  std::vector<uint8_t> packet;
  EXPECT_EQ(rice.encode(std::vector<float>(9), 2, packet).method, Method::kRaw);
}

TEST(QuantDegenerate, OnTheThresholdAndOneUlpBelow) {
  const float t = config_of("qgt:t=0.001").threshold;
  for (const int m : {1, 2, 3, 100, 254, 255, 256, 1000}) {
    const float on = static_cast<float>(m) * t;
    for (const float sign : {1.0f, -1.0f}) {
      const float below = std::nextafter(on, 0.0f);
      Quantiser qgt(config_of("qgt:t=0.001"), 8);
      const std::vector<float> d = decoded(encoded(qgt, {sign * on, sign * below}));
      EXPECT_EQ(d[0], sign * static_cast<float>(std::min(m, 255)) * t) << m;
      EXPECT_EQ(std::fabs(d[1]), static_cast<float>(std::min(m - 1, 255)) * t) << m;
      Quantiser bgt(config_of("bgt:t=0.001"), 8);
      EXPECT_EQ(decoded(encoded(bgt, {sign * on}))[0], sign * t);
      EXPECT_EQ(std::fabs(decoded(encoded(bgt, {sign * below}))[0]), m == 1 ? 0 : t);
      Quantiser wgt(config_of("wgt:t=0.001"), 8);
      EXPECT_EQ(decoded(encoded(wgt, {sign * on}))[0], sign * on);
      EXPECT_EQ(decoded(encoded(wgt, {sign * below}))[0], m == 1 ? 0 : sign * below);
    }
  }
}

TEST(QuantDegenerate, SubnormalValues) {
  const float tiny = std::numeric_limits<float>::denorm_min();
  for (const std::string& spec : specs()) {
    SCOPED_TRACE(spec);
    Quantiser quantiser(config_of(spec), 8);
    ChunkReport report;
    for (int i = 0; i < 3; ++i) {
      follow(quantiser, {tiny, -tiny, 0x1p-127f, -0x1p-126f, 3 * tiny, 1e-30f}, report);
    }
    EXPECT_EQ(report.status, 0);
    if (is_threshold(quantiser.config().method) && quantiser.config().residual) {
      EXPECT_EQ(quantiser.residuals()[kLanes], 3 * tiny);
    }
  }
}

TEST(QuantDegenerate, NotFiniteLeavesResidualsAlone) {
  for (const std::string& spec : specs()) {
    SCOPED_TRACE(spec);
    for (const float bad : {kNan, kInf, -kInf}) {
      Quantiser quantiser(config_of(spec), 16);
      ChunkReport report;
      std::vector<float> g(40, 0.0003f);
      follow(quantiser, g, report);
      EXPECT_EQ(report.status, 0);
      g[33] = bad;
      const std::vector<float> d = follow(quantiser, g, report);
      EXPECT_EQ(report.status, kStatusNotFinite);
      for (const float r : quantiser.residuals()) EXPECT_TRUE(std::isfinite(r));
      if (is_mx(quantiser.config().method)) {
        EXPECT_FALSE(std::isnan(d[31]));
        for (size_t i = 32; i < 40; ++i) EXPECT_EQ(bits_of(d[i]), 0x7FC00000u);
      } else {
        for (const float x : d) EXPECT_TRUE(std::isfinite(x));
      }
    }
  }
}

TEST(QuantDegenerate, OverflowOfTheSum) {
  for (const char* spec : {"bgt:t=1", "qgt:t=1", "onebit", "adaptive:p=1", "mxfp8:residual=on",
                           "mxfp8:scale=up,residual=on", "mxfp8-e5m2:scale=up,residual=on"}) {
    SCOPED_TRACE(spec);
    Quantiser quantiser(config_of(spec), 16);
    ChunkReport report;
    quantiser.residuals()[kLanes] = 3e38f;
    const std::vector<float> d = follow(quantiser, {3e38f, -1}, report);
    EXPECT_EQ(report.status, kStatusNotFinite);  // v = r; a block of MX is not poisoned by it
    EXPECT_TRUE(std::isfinite(d[0]) && std::isfinite(quantiser.residuals()[kLanes]));
  }
}

// Rounded to the element above it would be 2^128: residuals would be infinite ever after.
TEST(QuantDegenerate, TheLargestNumberOfAll) {
  for (const char* format : {"mxfp8", "mxfp4", "mxfp8-e5m2"}) {
    for (const char* rest : {":residual=on", ":scale=up,residual=on"}) {
      SCOPED_TRACE(std::string(format) + rest);
      Quantiser quantiser(config_of(std::string(format) + rest), 16);
      ChunkReport report;
      const std::vector<float> d = follow(quantiser, {0x1.fffffep127f, -0x1.fffffep127f}, report);
      EXPECT_TRUE(std::isfinite(d[0]) && std::isfinite(d[1]));
      EXPECT_TRUE(std::isfinite(quantiser.residuals()[kLanes]));
    }
  }
}

TEST(QuantDegenerate, RawSaysWhatIsNotFinite) {
  Quantiser quantiser(config_of("onebit"), 1);
  std::vector<uint8_t> packet;
  const ChunkReport report = quantiser.encode(std::vector<float>(9, kNan), 0, packet);
  EXPECT_EQ(report.method, Method::kRaw);
  EXPECT_EQ(report.status, kStatusNotFinite);
  EXPECT_EQ(all_bits(decoded(packet)), std::vector<uint32_t>(9, bits_of(kNan)));
}

TEST(QuantDegenerate, EarlyAndLateEnd) {
  for (const std::string& spec : specs()) {
    SCOPED_TRACE(spec);
    Quantiser quantiser(config_of(spec), 16);
    std::ranges::fill(quantiser.residuals(), 0.0001f);
    std::vector<float> g(12, 0.5f);
    Chunk chunk;
    chunk.values = g;
    chunk.announced = 20;
    std::vector<uint8_t> packet;
    EXPECT_EQ(quantiser.encode(chunk, packet).status, kStatusLength);
    EXPECT_EQ(decoded(packet).size(), 20u);
    for (size_t i = 12; i < 32; ++i) EXPECT_EQ(quantiser.residuals()[i], 0.0001f) << i;

    quantiser.reset();
    chunk.announced = 5;
    EXPECT_EQ(quantiser.encode(chunk, packet).status, kStatusLength);
    EXPECT_EQ(decoded(packet).size(), 5u);
    for (size_t i = 5; i < 32; ++i) EXPECT_EQ(quantiser.residuals()[i], 0) << i;

    chunk.announced = 12;
    chunk.ragged = chunk.error = true;
    EXPECT_EQ(quantiser.encode(chunk, packet).status, kStatusLength | kStatusError);
  }
}

TEST(QuantDegenerate, NothingAnnounced) {
  for (const std::string& spec : specs()) {
    Quantiser quantiser(config_of(spec), 16);
    const std::vector<float> g(3, 1.0f);
    Chunk chunk;
    chunk.values = g;
    chunk.announced = 0;
    std::vector<uint8_t> packet;
    quantiser.encode(chunk, packet);
    EXPECT_EQ(hex(packet), "00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 02") << spec;
    std::vector<float> out;
    EXPECT_EQ(decode_packet(packet, kMaxValues, out).reason, Reason::kCount);
  }
}

TEST(QuantDegenerate, TheLargestChunk) {
  Quantiser quantiser(config_of("bgt:t=1,coding=rice"), rows_of(kMaxValues));
  std::vector<float> g(kMaxValues);
  g.back() = 2;
  const std::vector<uint8_t> packet = encoded(quantiser, g);
  g.back() = 1;
  EXPECT_EQ(decoded(packet), g);
}

}  // namespace
}  // namespace gw::reference::quant::degenerate_test
