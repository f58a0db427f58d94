// The scalar definitions against the specification by other means, and what --codec takes.
#include "models/reference/quant/values.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "tests/quant/bytes.h"

namespace gw::reference::quant::values_test {
namespace {

/// floor(|v| / t) by long division of the significands, one bit at a time.
uint64_t divided(float v, float t) {
  const auto parts = [](float x) {
    const uint32_t bits = bits_of(x) & 0x7FFFFFFF;
    const int field = static_cast<int>(bits >> 23);
    return std::pair{uint64_t{(bits & 0x7FFFFF) | (field != 0 ? 0x800000u : 0u)},
                     std::max(field, 1)};
  };
  const auto [a, ea] = parts(v);
  const auto [b, eb] = parts(t);
  if (ea - eb > 30) return UINT64_MAX;
  if (ea < eb) return (ea - eb < -30 ? 0 : a >> std::min(eb - ea, 63)) / b;
  return (a << (ea - eb)) / b;
}

TEST(QuantValues, MultiplesAreTheFloor) {
  std::mt19937_64 random(7);
  const auto uniform = [&](int low, int high) {
    return std::uniform_int_distribution<int>(low, high)(random);
  };
  size_t clipped = 0;
  for (int i = 0; i < 400'000; ++i) {
    const float t =
        round_threshold(std::ldexp(1 + std::ldexp(uniform(0, 32767), -15), uniform(-100, 99)))
            .value();
    const int near = uniform(1, 300);
    float v = static_cast<float>(near) * t;  // and its neighbours
    for (int step = uniform(-2, 2); step != 0; step += step < 0 ? 1 : -1) {
      v = std::nextafter(v, step < 0 ? 0.0f : kInf);
    }
    if (i % 4 == 0)
      v = std::ldexp(t * (1 + std::ldexp(uniform(0, 1 << 23), -23)), uniform(-30, 12));
    if (i % 2 == 0) v = -v;
    const auto m = static_cast<uint64_t>(multiples_of(v, t));
    ASSERT_EQ(m, std::min<uint64_t>(255, divided(v, t))) << v << " / " << t;
    clipped += m == 255;
    if (std::fabs(v) >= 256 * t) continue;
    // No rounding on the way: m t is exact, and so is what remains.
    const float d = static_cast<float>(m) * t;
    ASSERT_EQ(static_cast<double>(d), static_cast<double>(m) * static_cast<double>(t));
    const float r = std::fabs(v) - d;
    ASSERT_EQ(static_cast<double>(r) + static_cast<double>(d), std::fabs(static_cast<double>(v)));
  }
  EXPECT_GT(clipped, 1000u);
}

TEST(QuantValues, FixedPointAndMeans) {
  EXPECT_EQ(fixed_point(1), 1ull << 32);
  EXPECT_EQ(fixed_point(-0x1p-32f), 1u);
  EXPECT_EQ(fixed_point(0x1.fffffep-33f), 0u);
  EXPECT_EQ(fixed_point(-0x1.8p-31f), 3u);
  EXPECT_EQ(fixed_point(0x1.fffffep7f), 0xFFFFFF0000ull);
  EXPECT_EQ(fixed_point(256), (1ull << 40) - 1);
  EXPECT_EQ(fixed_point(3e38f), (1ull << 40) - 1);
  EXPECT_EQ(fixed_point(std::numeric_limits<float>::denorm_min()), 0u);

  EXPECT_EQ(bits_of(mean_of(0, 0, false)), 0u);
  EXPECT_EQ(bits_of(mean_of(0, 0, true)), 0x80000000u);
  EXPECT_EQ(bits_of(mean_of(0, 3, true)), 0x80000000u);
  EXPECT_EQ(mean_of(3ull << 32, 2, true), -1.5f);
  // The sum is rounded to 24 bits before the division: 2^24 + 1 to 2^24, 2^24 + 3 to 2^24 + 4.
  EXPECT_EQ(mean_of((1 << 24) + 1, 1, false), 0x1p-8f);
  EXPECT_EQ(mean_of((1 << 24) + 3, 1, false), 0x1.000004p-8f);
}

TEST(QuantValues, Bins) {
  EXPECT_EQ(bin_of(0x1p-28f), 0);
  EXPECT_EQ(bin_of(std::nextafter(0x1p-28f, 0.0f)), -1);
  EXPECT_EQ(bin_of(-0.0f), -1);
  EXPECT_EQ(bin_of(0x1.4p-28f), 1);
  EXPECT_EQ(bin_of(-0x1.fp-28f), 3 + 512 * 0);
  EXPECT_EQ(bin_of(1), 112);
  EXPECT_EQ(bin_of(14), 127);
  EXPECT_EQ(bin_of(3e38f), 127);
  EXPECT_EQ(bin_of(-3e38f), 127);
  EXPECT_EQ(bin_middle(0), 18u);            // 1.125 x 2^4
  EXPECT_EQ(bin_middle(1), 22u);            // 1.375 x 2^4
  EXPECT_EQ(bin_middle(112), 9ull << 29);   // 1.125
  EXPECT_EQ(bin_middle(127), 15ull << 32);  // [14, 16)
}

TEST(QuantValues, SelectionTakesWholeBinsFromTheTop) {
  std::array<uint32_t, kBins> h{};
  h[100] = 3;
  h[90] = 2;
  h[80] = 1;
  // N = 64.
  EXPECT_EQ(select_bins(h, 64, 4).taken, 3u);  // K = 4: 3, not 5
  EXPECT_EQ(select_bins(h, 64, 3).taken, 6u);  // K = 8
  EXPECT_EQ(select_bins(h, 80, 4).taken, 5u);  // K = 5
  EXPECT_EQ(select_bins(h, 64, 6).taken, 3u);  // K = 1: the first that holds a value, whole
  EXPECT_EQ(select_bins(h, 64, 6).sum, 3 * bin_middle(100));
  EXPECT_EQ(select_bins(h, 80, 4).sum, 3 * bin_middle(100) + 2 * bin_middle(90));
  EXPECT_EQ(select_bins(h, 7, 10).taken, 3u);  // K = max(1, 0)
  EXPECT_EQ(select_bins(std::array<uint32_t, kBins>{}, 64, 1).taken, 0u);
  EXPECT_EQ(select_bins(std::array<uint32_t, kBins>{}, 0, 1).taken, 0u);
}

TEST(QuantValues, EveryMxElementComesBack) {
  for (const MxElement* e : {&kE4m3, &kE2m1}) {
    const int sign = 1 << (e->exponent_bits + e->mantissa_bits);
    for (const int scale : {0, 1, 100, 127, 246}) {
      for (int code = 0; code < 2 * sign; ++code) {
        if ((code & (sign - 1)) > e->largest) continue;
        const float value = mx_decode(static_cast<uint8_t>(code), static_cast<uint8_t>(scale), *e);
        EXPECT_EQ(mx_encode(value, static_cast<uint8_t>(scale), *e), code) << scale;
      }
    }
  }
  EXPECT_EQ(mx_decode(0x7E, 127, kE4m3), 448);
  EXPECT_EQ(mx_decode(0x08, 127, kE4m3), 0x1p-6f);
  EXPECT_EQ(mx_decode(0x01, 127, kE4m3), 0x1p-9f);
  EXPECT_EQ(mx_decode(0x01, 0, kE4m3), 0x1p-136f);
  const float e2m1[] = {0, 0.5f, 1, 1.5f, 2, 3, 4, 6};
  for (uint8_t code = 0; code < 8; ++code) {
    EXPECT_EQ(mx_decode(code, 127, kE2m1), e2m1[code]);
    EXPECT_EQ(mx_decode(code | 8, 127, kE2m1), -e2m1[code]);
  }
  EXPECT_EQ(bits_of(mx_decode(3, 255, kE2m1)), 0x7FC00000u);
  EXPECT_EQ(bits_of(mx_decode(0x80, 255, kE4m3)), 0x7FC00000u);
  EXPECT_EQ(bits_of(mx_decode(0x7F, 3, kE4m3)), 0x7FC00000u);
  EXPECT_EQ(bits_of(mx_decode(0xFF, 3, kE4m3)), 0x7FC00000u);
  EXPECT_EQ(mx_decode(0xFE, 254, kE4m3), -kInf);
}

TEST(QuantValues, MxRoundsToNearestEvenAndSaturates) {
  // Between neighbouring codes: below the middle down, above up, on it to the even one.
  for (const MxElement* e : {&kE4m3, &kE2m1}) {
    for (uint8_t code = 0; code < e->largest; ++code) {
      const float low = mx_decode(code, 127, *e);
      const float high = mx_decode(static_cast<uint8_t>(code + 1), 127, *e);
      const float middle = (low + high) / 2;
      EXPECT_EQ(mx_encode(std::nextafter(middle, 0.0f), 127, *e), code);
      EXPECT_EQ(mx_encode(middle, 127, *e), code % 2 == 0 ? code : code + 1);
      EXPECT_EQ(mx_encode(std::nextafter(middle, kInf), 127, *e), code + 1);
    }
    EXPECT_EQ(mx_encode(511, 127, *e), e->largest);
  }
  EXPECT_EQ(mx_scale(std::vector<float>{0x1p-120f}, kE4m3), 0);   // field 7
  EXPECT_EQ(mx_scale(std::vector<float>{-0x1p-118f}, kE4m3), 1);  // field 9
  EXPECT_EQ(mx_scale(std::vector<float>{1, -3e38f}, kE4m3), 246);
  EXPECT_EQ(mx_scale(std::vector<float>{1, -3e38f}, kE2m1), 252);
  EXPECT_EQ(mx_scale(std::vector<float>{0, -0.0f}, kE2m1), 0);
}

TEST(QuantConfig, Words) {
  const Config qgt = config_of("qgt:t=2^-8,coding=rice");
  EXPECT_EQ(qgt, (Config{Method::kQgt, 0x1p-8f, 6, Coding::kRice, true}));
  EXPECT_EQ(config_of("wgt").threshold, 0x1p-10f);
  EXPECT_EQ(config_of("adaptive:p=10,residual=off").p, 10);
  EXPECT_FALSE(config_of("mxfp8").residual);
  EXPECT_FALSE(config_of("raw").residual);
  EXPECT_TRUE(config_of("mxfp4:residual=on").residual);
  EXPECT_TRUE(config_of("onebit").residual);
  for (const char* spec :
       {"raw", "wgt:t=0.001", "qgt:t=2^-8,coding=rice", "bgt:t=3.875", "onebit:residual=off",
        "adaptive:p=3,coding=rice", "mxfp8", "mxfp4:residual=on", "bgt:t=2^100"}) {
    const Config config = config_of(spec);
    EXPECT_EQ(config_of(config_text(config)), config) << config_text(config);
  }
  EXPECT_EQ(config_text(config_of("qgt:coding=rice,t=0.00390625")), "qgt:t=2^-8,coding=rice");
  EXPECT_EQ(config_text(config_of("bgt:t=3.875")), "bgt:t=3.875");
}

TEST(QuantConfig, ThresholdIsRoundedTo16Bits) {
  EXPECT_EQ(bits_of(config_of("wgt:t=0.001").threshold), 0x3A831200u);  // of 3A83126F
  EXPECT_EQ(bits_of(*round_threshold(0x1.0001p0)), 0x3F800000u);        // a tie, to even
  EXPECT_EQ(bits_of(*round_threshold(0x1.0003p0)), 0x3F800200u);
  EXPECT_EQ(bits_of(*round_threshold(0x1.0001000001p0)), 0x3F800100u);
  EXPECT_EQ(*round_threshold(0x1p-100), 0x1p-100f);
  EXPECT_EQ(*round_threshold(0x1p100), 0x1p100f);
  EXPECT_FALSE(round_threshold(0x1.fffffffffffffp-101));
  EXPECT_FALSE(round_threshold(0x1.0000000000001p100));
  EXPECT_FALSE(round_threshold(std::numeric_limits<double>::quiet_NaN()));
  EXPECT_FALSE(round_threshold(-1));
}

TEST(QuantConfig, RefusesWithASentence) {
  for (const auto& [spec, word] :
       std::vector<std::pair<const char*, const char*>>{{"", "no quantiser"},
                                                        {"wgtt", "no quantiser"},
                                                        {"wgt:", "colon"},
                                                        {"wgt:t=1,", "comma"},
                                                        {"wgt:t=0", "2^100"},
                                                        {"wgt:t=-1", "2^100"},
                                                        {"wgt:t=nan", "2^100"},
                                                        {"wgt:t=2^101", "2^100"},
                                                        {"wgt:t=2^-101", "2^100"},
                                                        {"wgt:t=2^", "no number"},
                                                        {"wgt:t=1x", "no number"},
                                                        {"wgt:t", "no number"},
                                                        {"wgt:coding=rice", "no coding=rice"},
                                                        {"bgt:coding=huffman", "neither"},
                                                        {"wgt:p=6", "takes no"},
                                                        {"onebit:t=1", "takes no"},
                                                        {"onebit:coding=mask", "takes no"},
                                                        {"raw:residual=on", "takes no"},
                                                        {"adaptive:p=0", "1 to 10"},
                                                        {"adaptive:p=11", "1 to 10"},
                                                        {"adaptive:p=6.5", "1 to 10"},
                                                        {"mxfp8:residual=maybe", "neither"}}) {
    const ConfigResult result = parse_config(spec);
    EXPECT_FALSE(result.config) << spec;
    EXPECT_NE(result.error.find(word), std::string::npos) << spec << ": " << result.error;
  }
}

}  // namespace
}  // namespace gw::reference::quant::values_test
