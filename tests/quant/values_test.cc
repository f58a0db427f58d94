// The scalar definitions against the specification by other means, and what --codec takes.
// SPDX-License-Identifier: Apache-2.0
#include "models/reference/quant/values.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <random>

#include "tests/quant/bytes.h"
#include "tests/sanitized.h"

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
  EXPECT_EQ(bin_of(0.0f), -1);
  EXPECT_EQ(bin_of(-0.0f), -1);
  EXPECT_EQ(bin_of(std::numeric_limits<float>::denorm_min()), 0);
  EXPECT_EQ(bin_of(0x1p-127f), 2);  // half of the least binade: the other half of it is subnormal
  EXPECT_EQ(bin_of(0x1p-126f), 4);
  EXPECT_EQ(bin_of(-0x1.fp-126f), 7);
  EXPECT_EQ(bin_of(1), 508);
  EXPECT_EQ(bin_of(std::nextafter(1.0f, 0.0f)), 507);
  EXPECT_EQ(bin_of(-14), 523);
  EXPECT_EQ(bin_of(0x1.fffffep127f), 1019);
  EXPECT_EQ(bin_of(-0x1.fffffep127f), 1019);
  EXPECT_EQ(bin_middle(508), 1.125);
  EXPECT_EQ(bin_middle(523), 15);  // [14, 16)
  EXPECT_EQ(bin_middle(1019), 0x1.ep127);
  EXPECT_EQ(bin_middle(4), 0x1.2p-126);
  EXPECT_EQ(bin_middle(3), 0x1.cp-127);  // [1.5, 2) 2^-127
  EXPECT_EQ(bin_middle(0), 0x1p-129);    // [0, 2^-128)
  for (int bin = 1; bin < 1020; ++bin) {
    const float low = std::bit_cast<float>(static_cast<uint32_t>(bin) << 21);
    const float next = bin == 1019 ? 0 : std::bit_cast<float>(static_cast<uint32_t>(bin + 1) << 21);
    ASSERT_EQ(bin_of(low), bin);
    if (bin != 1019) ASSERT_EQ(bin_middle(bin), (double{low} + double{next}) / 2) << bin;
  }
}

TEST(QuantValues, SelectionTakesWholeBinsFromTheTop) {
  std::array<uint32_t, kBins> h{};
  h[600] = 3;
  h[590] = 2;
  h[580] = 1;
  const auto select = [&](size_t values, int p, int top = 600) {
    return select_bins(h, values, p, top);
  };
  // N = 64.
  EXPECT_EQ(select(64, 4).taken, 3u);  // K = 4: 3, not 5
  EXPECT_EQ(select(64, 3).taken, 6u);  // K = 8
  EXPECT_EQ(select(80, 4).taken, 5u);  // K = 5
  EXPECT_EQ(select(80, 4).from, 590);
  EXPECT_EQ(select(64, 6).taken, 3u);  // K = 1: the first that holds a value, whole
  EXPECT_EQ(select(64, 6).sum, 3 * bin_middle(600));
  EXPECT_EQ(select(80, 4).sum, 3 * bin_middle(600) + 2 * bin_middle(590));
  EXPECT_EQ(select(7, 10).taken, 3u);  // K = max(1, 0)
  // 128 bins from the top of either side down: the largest, and the one 127 below it.
  EXPECT_EQ(select(64, 3, 707).taken, 6u);
  EXPECT_EQ(select(64, 3, 708).taken, 5u);
  EXPECT_EQ(select(64, 3, 727).taken, 3u);
  EXPECT_EQ(select(64, 3, 728).taken, 0u);
  EXPECT_EQ(select(64, 3, 728).from, kBins);
  EXPECT_EQ(select(64, 3, -1).taken, 0u);
  EXPECT_EQ(select_bins(std::array<uint32_t, kBins>{}, 0, 1, 5).taken, 0u);
  // The lowest window does not go below bin 0.
  std::array<uint32_t, kBins> low{};
  low[0] = 5;
  EXPECT_EQ(select_bins(low, 5, 1, 0).taken, 5u);
  EXPECT_EQ(select_bins(low, 5, 1, 127).taken, 5u);
  EXPECT_EQ(select_bins(low, 5, 1, 128).taken, 0u);
}

TEST(QuantValues, MeansOfBins) {
  EXPECT_EQ(bits_of(mean_of_bins({}, false)), 0u);
  EXPECT_EQ(bits_of(mean_of_bins({}, true)), 0x80000000u);
  EXPECT_EQ(mean_of_bins({.taken = 2, .sum = 3}, true), -1.5f);
  // The sum is rounded to 24 bits before the division: 2^24 + 1 to 2^24, 2^24 + 3 to 2^24 + 4.
  EXPECT_EQ(mean_of_bins({.taken = 1, .sum = 0x1000001}, false), 0x1p24f);
  EXPECT_EQ(mean_of_bins({.taken = 2, .sum = 0x1000003p100}, false), 0x1.000004p123f);
  // A sum beyond binary32 has a mean within it; the largest there is.
  EXPECT_EQ(mean_of_bins({.taken = 4096, .sum = 4096 * 0x1.ep127}, false), 0x1.ep127f);
  // Subnormal means are rounded once: 1.5 units of the last place, and 2.5, to even.
  EXPECT_EQ(mean_of_bins({.taken = 2, .sum = 0x3p-149}, false), 0x2p-149f);
  EXPECT_EQ(mean_of_bins({.taken = 2, .sum = 0x5p-149}, false), 0x2p-149f);
  EXPECT_EQ(mean_of_bins({.taken = 3, .sum = 0x1p-129}, false), static_cast<float>(0x1p-129 / 3));

  // By integers: nearest even of a / b in units of the result's last place.
  std::mt19937_64 random(14);
  size_t subnormal = 0;
  for (int i = 0; i < 200'000; ++i) {
    const uint64_t a = (random() & 0xFFFFFF) | 1u << 23, b = 1 + random() % 4096;
    const int scale = -static_cast<int>(random() % 30) - 140;  // of a's unit
    // Units of 2^-149, or of the quotient's own last place where it is normal.
    int unit = -149;
    for (int normal = -149; normal < 0; ++normal) {
      if (std::ldexp(static_cast<double>(a) / static_cast<double>(b), scale) <
          std::ldexp(1.0, normal + 24)) {
        unit = normal;
        break;
      }
    }
    const int shift = scale - unit;  // a 2^shift / b units
    const unsigned __int128 top = static_cast<unsigned __int128>(a) << std::max(shift, 0);
    const unsigned __int128 below = static_cast<unsigned __int128>(b) << std::max(-shift, 0);
    auto whole = static_cast<uint64_t>(top / below);
    const unsigned __int128 twice = (top % below) * 2;
    if (twice > below || (twice == below && whole % 2 != 0)) ++whole;
    const float expected = std::ldexp(static_cast<float>(whole), unit);
    ASSERT_EQ(mean_of_bins({.taken = b, .sum = std::ldexp(static_cast<double>(a), scale)}, false),
              expected)
        << a << " 2^" << scale << " / " << b;
    subnormal += expected < 0x1p-126f;
  }
  EXPECT_GT(subnormal, 10'000u);
}

TEST(QuantValues, EveryMxElementComesBack) {
  for (const MxElement* e : {&kE4m3, &kE2m1, &kE5m2}) {
    const int sign = 1 << (e->exponent_bits + e->mantissa_bits);
    for (const int scale : {0, 1, 100, 127, 239}) {
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
  EXPECT_EQ(mx_decode(0x7B, 127, kE5m2), 57344);
  EXPECT_EQ(mx_decode(0x04, 127, kE5m2), 0x1p-14f);
  EXPECT_EQ(mx_decode(0x01, 0, kE5m2), 0x1p-143f);
  EXPECT_EQ(mx_decode(0x7B, 239, kE5m2), 0x1.cp127f);
  EXPECT_EQ(mx_decode(0xFB, 240, kE5m2), -kInf);
  EXPECT_EQ(mx_decode(0x7C, 0, kE5m2), kInf);
  EXPECT_EQ(mx_decode(0xFC, 3, kE5m2), -kInf);
  for (const int code : {0x7D, 0x7E, 0x7F, 0xFD, 0xFE, 0xFF}) {
    EXPECT_EQ(bits_of(mx_decode(static_cast<uint8_t>(code), 127, kE5m2)), 0x7FC00000u) << code;
  }
  EXPECT_EQ(bits_of(mx_decode(0x7C, 255, kE5m2)), 0x7FC00000u);
}

/// A format by IEEE 754's words alone, in double: which codes are finite, and what they stand for.
struct Foreign {
  const MxElement& element;
  int exponent_bits, fraction_bits, bias;
  int finite;  // codes from 0 up that are, without the sign

  double value(int code) const {
    const int exponent = code >> fraction_bits, fraction = code % (1 << fraction_bits);
    return exponent == 0
               ? fraction * std::pow(2.0, 1 - bias - fraction_bits)
               : (1 + fraction / std::pow(2.0, fraction_bits)) * std::pow(2.0, exponent - bias);
  }
};
const Foreign kForeign[] = {{kE4m3, 4, 3, 7, 0x7F}, {kE2m1, 2, 1, 1, 8}, {kE5m2, 5, 2, 15, 0x7C}};

/// The nearest code of all, of two as near the even one.
int nearest(const Foreign& f, double scaled) {
  int best = 0;
  for (int code = 1; code < f.finite; ++code) {
    const double now = std::fabs(f.value(code) - scaled), was = std::fabs(f.value(best) - scaled);
    if (now < was || (now == was && code % 2 == 0)) best = code;
  }
  return best;
}

TEST(QuantValues, MxIsTheNearestOfAllElements) {
  std::mt19937 random(11);
  for (const Foreign& f : kForeign) {
    for (int code = 0; code < f.finite; ++code) {
      for (const int scale : {0, 3, 127, 200}) {
        const auto expected = static_cast<float>(f.value(code) * std::pow(2.0, scale - 127));
        ASSERT_EQ(mx_decode(static_cast<uint8_t>(code), static_cast<uint8_t>(scale), f.element),
                  expected)
            << code;
      }
    }
    for (int i = 0; i < 20'000; ++i) {
      const int scale = static_cast<int>(random() % 240);
      const double unit = static_cast<double>(random()) * 0x1p-32;
      // From half the smallest element to beyond the largest, and ties between two of them.
      const double span = std::log2(f.value(f.finite - 1)) + 1 - std::log2(f.value(1)) + 3;
      const int low = static_cast<int>(random() % (static_cast<uint32_t>(f.finite) - 1));
      const double scaled = i % 3 == 0 ? (f.value(low) + f.value(low + 1)) / 2
                                       : f.value(1) / 8 * std::pow(2.0, unit * span);
      const auto v = static_cast<float>(scaled * std::pow(2.0, scale - 127));
      if (!std::isfinite(v)) continue;
      const double exact = static_cast<double>(v) * std::pow(2.0, 127 - scale);
      const int sign = i % 2;
      ASSERT_EQ(mx_encode(sign != 0 ? -v : v, static_cast<uint8_t>(scale), f.element),
                nearest(f, exact) | sign << (f.exponent_bits + f.fraction_bits))
          << v << " under " << scale;
    }
  }
}

TEST(QuantValues, MxScalesByBruteForce) {
  std::mt19937 random(12);
  size_t more = 0, zero = 0;
  for (const Foreign& f : kForeign) {
    const double most = f.value(f.finite - 1);
    const auto top = static_cast<int>(std::floor(std::log2(most)));
    for (int i = 0; i < 20'000; ++i) {
      float v = std::bit_cast<float>(static_cast<uint32_t>(random() % 0x7F800000));
      if (i % 4 == 0) {  // the largest element under any scale, and a step beside it
        v = static_cast<float>(most * std::pow(2.0, static_cast<int>(random() % 250) - 130));
        if (!std::isfinite(v)) continue;
        v = i % 3 == 0 ? v : std::nextafter(v, i % 3 == 1 ? 0.0f : 0x1.fffffep127f);
      }
      if (i % 64 == 5) v = std::ldexp(v, -140);
      const std::vector<float> block = {v / 2, -v, 0};
      int up = 0;
      while (up<254 - top&& static_cast<double>(v) * std::pow(2.0, 127 - up)> most) ++up;
      int exponent = 0;
      std::frexp(v, &exponent);
      ASSERT_EQ(mx_scale(block, f.element), v == 0 ? 0 : std::max(0, exponent + 126 - top)) << v;
      more += up > mx_scale(block, f.element);
      zero += up == 0;
    }
  }
  EXPECT_GT(more, 5000u);
  EXPECT_GT(zero, 500u);
}

/// OCP's scale is by the exponent alone, so that significands beyond 1.75 saturate: of standard
/// normal values one block in six has such a largest one.
TEST(QuantValues, FloorClipsOneGaussianBlockInSixAndUpNone) {
  std::mt19937_64 random(13);
  std::normal_distribution<float> normal(0, 1);
  const size_t blocks = tests::rounds(100'000u);
  for (const MxElement* e : {&kE4m3, &kE5m2}) {
    size_t floor = 0, up = 0;
    for (size_t b = 0; b < blocks; ++b) {
      std::vector<float> block(kMxBlock);
      for (float& x : block) x = normal(random);
      const auto clips = [&](ScaleRule rule) {
        const uint8_t scale = mx_scale(block, *e, rule);
        const float most = mx_decode(e->largest, scale, *e);
        return std::ranges::any_of(block, [&](float x) { return std::fabs(x) > most; });
      };
      floor += clips(ScaleRule::kFloor);
      up += clips(ScaleRule::kUp);
    }
    const double share = static_cast<double>(floor) / static_cast<double>(blocks);
    std::printf("MXFP8 blocks that clip: floor %.2f %%, up %zu of %zu\n", 100 * share, up, blocks);
    EXPECT_NEAR(share, 0.170, 0.005);
    EXPECT_EQ(up, 0u);
  }
}

TEST(QuantValues, MxRoundsToNearestEvenAndSaturates) {
  // Between neighbouring codes: below the middle down, above up, on it to the even one.
  for (const MxElement* e : {&kE4m3, &kE2m1, &kE5m2}) {
    for (uint8_t code = 0; code < e->largest; ++code) {
      const float low = mx_decode(code, 127, *e);
      const float high = mx_decode(static_cast<uint8_t>(code + 1), 127, *e);
      const float middle = (low + high) / 2;
      EXPECT_EQ(mx_encode(std::nextafter(middle, 0.0f), 127, *e), code);
      EXPECT_EQ(mx_encode(middle, 127, *e), code % 2 == 0 ? code : code + 1);
      EXPECT_EQ(mx_encode(std::nextafter(middle, kInf), 127, *e), code + 1);
    }
    EXPECT_EQ(mx_encode(65535, 127, *e), e->largest);
  }
  EXPECT_EQ(mx_scale(std::vector<float>{0x1p-120f}, kE4m3), 0);   // field 7
  EXPECT_EQ(mx_scale(std::vector<float>{-0x1p-118f}, kE4m3), 1);  // field 9
  EXPECT_EQ(mx_scale(std::vector<float>{1, -3e38f}, kE4m3), 246);
  EXPECT_EQ(mx_scale(std::vector<float>{1, -3e38f}, kE2m1), 252);
  EXPECT_EQ(mx_scale(std::vector<float>{0, -0.0f}, kE2m1), 0);
  EXPECT_EQ(mx_scale(std::vector<float>{1, -3e38f}, kE5m2), 239);
  EXPECT_EQ(mx_scale(std::vector<float>{0, -0.0f}, kE5m2, ScaleRule::kUp), 0);
  EXPECT_EQ(mx_scale(std::vector<float>{-1.75f}, kE4m3, ScaleRule::kUp), 119);
  EXPECT_EQ(mx_scale(std::vector<float>{1, -0x1.c00002p0f}, kE4m3, ScaleRule::kUp), 120);
  EXPECT_EQ(mx_scale(std::vector<float>{1.5f}, kE2m1, ScaleRule::kUp), 125);
  EXPECT_EQ(mx_scale(std::vector<float>{0x1.800002p0f}, kE2m1, ScaleRule::kUp), 126);
  EXPECT_EQ(mx_scale(std::vector<float>{0x1.fffffep127f}, kE5m2, ScaleRule::kUp), 239);
  // 2^(127 - 247) of the largest number would round to 256, which stands for 2^128.
  EXPECT_EQ(mx_scale(std::vector<float>{0x1.fffffep127f}, kE4m3, ScaleRule::kUp), 246);
  EXPECT_EQ(mx_scale(std::vector<float>{0x1.fffffep126f}, kE4m3, ScaleRule::kUp), 246);
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
  EXPECT_EQ(config_of("mxfp8-e5m2").method, Method::kMxfp8E5m2);
  EXPECT_EQ(config_of("mxfp4:scale=up").scale, ScaleRule::kUp);
  EXPECT_EQ(config_of("mxfp4:scale=floor"), config_of("mxfp4"));
  for (const char* spec :
       {"raw", "wgt:t=0.001", "qgt:t=2^-8,coding=rice", "bgt:t=3.875", "onebit:residual=off",
        "adaptive:p=3,coding=rice", "mxfp8", "mxfp4:residual=on", "bgt:t=2^100", "mxfp8-e5m2",
        "mxfp8-e5m2:scale=up", "mxfp4:scale=up,residual=on"}) {
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
                                                        {"mxfp8:scale=down", "neither"},
                                                        {"onebit:scale=up", "takes no"},
                                                        {"mxfp8-e4m3", "no quantiser"},
                                                        {"mxfp8:residual=maybe", "neither"}}) {
    const ConfigResult result = parse_config(spec);
    EXPECT_FALSE(result.config) << spec;
    EXPECT_NE(result.error.find(word), std::string::npos) << spec << ": " << result.error;
  }
}

}  // namespace
}  // namespace gw::reference::quant::values_test
