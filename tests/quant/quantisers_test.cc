// Every quantiser as a device, with each of its methods: degenerate chunks (section 7 of the
// quantisers' specification), in lockstep and against the reference; counters and status.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "tests/quant/support.h"

namespace gw::tests::quantisers_test {
namespace {

constexpr uint32_t kInfinity = 0x7F80'0000, kNan = 0x7FC0'0000, kMinusZero = 0x8000'0000;
constexpr uint32_t kSmallest = 1, kLargest = 0x7F7F'FFFF;

struct Variant {
  std::string device;
  std::vector<std::pair<const char*, std::string>> settings;
};
std::string name_of(const Variant& v) {
  std::string name = v.device;
  for (const auto& [option, value] : v.settings) name += std::string("_") + option + "_" + value;
  std::erase_if(name, [](char c) { return c == '-' || c == '^'; });
  return name;
}
void PrintTo(const Variant& v, std::ostream* out) { *out << name_of(v); }

std::vector<Variant> variants() {
  std::vector<Variant> all;
  for (const char* residual : {"off", "on"}) {
    for (const char* format : {"mxfp8", "mxfp4", "mxfp8-e5m2"}) {
      all.push_back({"mx", {{"format", format}, {"residual", residual}}});
    }
    all.push_back({"mx", {{"scale", "up"}, {"residual", residual}}});
    all.push_back({"threshold", {{"method", "wgt"}, {"residual", residual}}});
    for (const char* coding : {"mask", "rice"}) {
      for (const char* method : {"bgt", "qgt"}) {
        all.push_back(
            {"threshold", {{"method", method}, {"coding", coding}, {"residual", residual}}});
      }
    }
    all.push_back({"onebit", {{"residual", residual}}});
    for (const char* coding : {"mask", "rice"}) {
      all.push_back({"adaptive", {{"coding", coding}, {"residual", residual}}});
    }
  }
  all.push_back({"mx", {{"rows", "0"}}});
  return all;
}

class Degenerate : public testing::TestWithParam<Variant> {
 protected:
  const sim::Device& device() const { return quantiser(GetParam().device); }
  sim::RunSpec spec() const {
    sim::RunSpec spec = spec_of(device());
    for (const auto& [option, value] : GetParam().settings) spec.options.set(option, value);
    return spec;
  }
  bool set(const char* option, const char* value) const {
    return spec().options.knows(option) && spec().options.word(option) == value;
  }
  /// A chunk whose rows are not there leaves as RAW.
  bool needs_rows() const {
    return set("residual", "on") || (GetParam().device == "threshold" && set("coding", "rice"));
  }
  /// It holds 4,096 values.
  bool has_buffer() const {
    return GetParam().device == "onebit" || GetParam().device == "adaptive";
  }
  sim::RawPacket chunk(const Words& values, const sim::RunSpec& spec, uint32_t row = 0) const {
    return tests::chunk(values, spec, row, device());
  }
  sim::Outcome run(const std::vector<sim::RawPacket>& packets, const sim::RunSpec& spec,
                   Kept* kept = nullptr) const {
    return tests::run(packets, spec, kept, device());
  }
};
INSTANTIATE_TEST_SUITE_P(Quantisers, Degenerate, testing::ValuesIn(variants()),
                         [](const auto& info) { return name_of(info.param); });

TEST_P(Degenerate, ValuesOfEveryKindInChunksOfEveryLength) {
  const float t = 0x1p-10f;  // the threshold where there is one
  const auto below = [](float x) { return bits(std::nextafter(x, 0.0f)); };
  const std::vector<Words> kinds = {
      {0},
      {kMinusZero},
      {0, 0, 0, kMinusZero},
      {bits(0.1f)},  // all equal, one side alone
      {bits(-3.5f)},
      {kSmallest},
      {0x007F'FFFF, 0x807F'FFFF},
      {kLargest},
      {kLargest, kSmallest},
      {kInfinity},
      {0, 0, 0, kNan},
      {bits(448), bits(449), bits(6), bits(6.5f)},
      {bits(1), bits(-1e-30f), bits(1e30f)},
      {bits(t), below(t), bits(-t), bits(2 * t), below(2 * t), bits(-7 * t), below(-7 * t)},
      {bits(255 * t), below(255 * t), bits(256 * t), below(256 * t), bits(-300 * t),
       bits(1e6f * t)},
      {0, 0, 0, 0, 0, 0, 0, 0, 0, bits(-1.5f)},  // groups of which nothing is sent
      {bits(1000.0f), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0},
      {bits(255.0f), bits(256.0f), bits(-257.0f), bits(0x1p-32f), below(0x1p-32f)}};
  std::vector<sim::RawPacket> packets;
  for (const size_t n : {1u, 7u, 8u, 9u, 31u, 32u, 33u, 100u, 512u}) {
    for (const Words& kind : kinds) {
      Words values(n);
      for (size_t i = 0; i < n; ++i) values[i] = kind[i % kind.size()];
      // Twice at the same rows: v overflows, residuals grow, subnormal sums.
      packets.push_back(chunk(values, spec()));
      packets.push_back(chunk(values, spec()));
    }
  }
  const sim::Outcome outcome = run(packets, spec());
  EXPECT_EQ(outcome.statistics, (std::vector<uint32_t>{0, 0}));
}

TEST_P(Degenerate, OneSpikeAgainAndAgain) {
  std::vector<sim::RawPacket> packets;
  for (int p = 0; p < 100; ++p) {
    Words values(40);
    values[13] = bits(p % 7 == 0 ? -0.75f : 0.5f);
    packets.push_back(chunk(values, spec(), 3));
  }
  run(packets, spec());
}

TEST_P(Degenerate, LengthsAroundThoseThatAreBuffered) {
  sim::Random random(seed());
  std::vector<sim::RawPacket> packets;
  for (const size_t n : {4095u, 4096u, 4097u}) {
    packets.push_back(chunk(gradients_of(n, random, 2), spec()));
  }
  const sim::Outcome outcome = run(packets, spec());
  // 512 rows do not fit into 64.
  const uint32_t raws = needs_rows() ? 3 : has_buffer() ? 1 : 0;
  EXPECT_EQ(outcome.statistics, (std::vector<uint32_t>{raws, 0}));
}

TEST_P(Degenerate, NoValuesAnnounced) {
  sim::Random random(seed());
  std::vector<sim::RawPacket> packets;
  for (const size_t n : {1u, 8u, 9u, 64u}) {
    packets.push_back(announced(chunk(gradients_of(n, random), spec()), 0));
    packets.push_back(chunk(gradients_of(n, random), spec()));
  }
  Kept kept;
  const sim::Outcome outcome = run(packets, spec(), &kept);
  EXPECT_EQ(outcome.statistics, (std::vector<uint32_t>{4, 0}));
  std::vector<uint8_t> empty(17);
  empty.back() = 2;
  for (size_t p = 0; p < kept.packets.size(); p += 2) EXPECT_EQ(kept.packets[p], empty) << p;
}

TEST_P(Degenerate, EarlyAndLateEnds) {
  sim::Random random(seed());
  std::vector<sim::RawPacket> packets;
  for (const uint32_t n : {1u, 8u, 9u, 31u, 32u, 33u, 70u}) {
    for (const uint32_t says : {1u, 2u, 7u, 8u, 9u, 24u, 32u, 33u, 64u, 65u, 200u}) {
      packets.push_back(announced(chunk(gradients_of(n, random, 3), spec(), n % 8), says));
      if (random.below(3) == 0) packets.back().bytes.resize(4 * n - 1 - random.below(3));
    }
  }
  Kept kept;
  run(packets, spec(), &kept);
  for (size_t p = 0; p < packets.size(); ++p) {
    const bool wrong = packets[p].bytes.size() != (packets[p].meta >> 32) * 4;
    EXPECT_EQ((kept.packets[p].back() & 2) != 0, wrong) << p;
  }
}

TEST_P(Degenerate, ErrorsLeaveWithTheirPacketsAndAreCounted) {
  sim::Random random(seed());
  std::vector<sim::RawPacket> packets;
  uint32_t errors = 0;
  for (int p = 0; p < 60; ++p) {
    packets.push_back(chunk(gradients_of(1 + random.below(80), random), spec(), random.below(50)));
    packets.back().error = random.below(2) == 0;
    errors += packets.back().error;
  }
  Kept kept;
  const sim::Outcome outcome = run(packets, spec(), &kept);
  EXPECT_EQ(outcome.statistics.at(1), errors);
  for (size_t p = 0; p < packets.size(); ++p) {
    EXPECT_EQ(kept.packets[p].back(), packets[p].error ? 4 : 0) << p;
  }
}

TEST_P(Degenerate, TheLongestAnnouncement) {
  sim::Random random(seed());
  sim::RunSpec one = spec();
  const std::vector<sim::RawPacket> packets = {
      announced(chunk(gradients_of(9, random), one), 0xF'FFFF),
      chunk(gradients_of(9, random), one)};
  Kept kept;
  const sim::Outcome outcome = run(packets, one, &kept);
  const bool raw = needs_rows() || has_buffer();
  EXPECT_EQ(outcome.statistics.at(0), raw ? 1u : 0u);
  const size_t size = kept.packets.front().size(), blocks = (0xF'FFFFu + 31) / 32;
  if (raw) EXPECT_EQ(size, 17 + 4 * 0xF'FFFFu);
  if (!raw && GetParam().device == "mx") {
    EXPECT_EQ(size, 17 + (set("format", "mxfp4") ? 17 : 33) * blocks);
  }
  // Runs of 256 empty groups, two bytes each, and little else.
  if (!raw && GetParam().device == "threshold") EXPECT_LT(size, 17 + 2 * 512 + 80u);
}

TEST_P(Degenerate, AChunkThatDoesNotFitLeavesAsRawAndLosesNothing) {
  sim::Random random(seed());
  const Words values = gradients_of(24, random);
  const sim::RunSpec one = spec();
  Kept kept;
  const sim::Outcome outcome = run(
      {chunk(values, one, 61), chunk(values, one, 62), chunk(values, one, 0xFF'FFFF)}, one, &kept);
  EXPECT_EQ(outcome.statistics, (std::vector<uint32_t>{needs_rows() ? 2u : 0u, 0}));
  EXPECT_NE(kept.packets[0][0], 0);
  for (size_t p = 1; p < 3 && needs_rows(); ++p) {
    ASSERT_EQ(kept.packets[p].size(), 17 + 96u);
    EXPECT_EQ(kept.packets[p][0], 0);
    EXPECT_EQ(std::memcmp(kept.packets[p].data() + 16, values.data(), 96), 0);
  }
}

// ---- Of single devices

// Gaps where Rice code changes its form: 15 x 2^k - 1 is the longest short one.
TEST(Gaps, AroundTheirLongForm) {
  const sim::Device& device = quantiser("threshold");
  for (const char* method : {"bgt", "qgt"}) {
    // RTL that is linked: more rows.
    const sim::RunSpec spec = spec_of(
        device, {{"method", method}, {"coding", "rice"}, {"residual", "off"}, {"rows", "8192"}});
    std::vector<sim::RawPacket> packets;
    std::vector<size_t> sizes;
    for (int k = 0; k <= 8; ++k) {
      // The packet before makes k what it is: 3 c 2^k <= 2 n for the first time, of 768 values.
      Words before(768);
      for (size_t i = 0; i < 512u >> k; ++i) before[i] = bits(1);
      for (const int more : {-2, -1, 0, 1}) {
        const auto gap = static_cast<size_t>((15 << k) + more);
        Words values(gap + 1);
        values.back() = bits(-1);
        packets.push_back(chunk(before, spec, 100, device));
        packets.push_back(chunk(values, spec, 100, device));
      }
    }
    Kept kept;
    run(packets, spec, &kept, device);
    for (size_t p = 1; p < packets.size(); p += 2) {
      const auto k = static_cast<int>((p - 1) / 8);
      ASSERT_EQ(kept.packets[p][1], 1 + k) << p;
      const size_t gap = packets[p].bytes.size() / 4 - 1, q = gap >> k;
      // Gap, sign and m, a gap of nothing that ends it.
      const size_t entry = q >= 15 ? 15 + 20 : q + 1 + static_cast<size_t>(k);
      const size_t all = entry + (method[0] == 'q' ? 9 : 1) + 1 + static_cast<size_t>(k);
      EXPECT_EQ(kept.packets[p].size(), 17 + (all + 7) / 8) << "k " << k << " packet " << p;
    }
  }
}

TEST(ThresholdPinsOfAPacket, AnIllegalThresholdLeavesAsRaw) {
  const sim::Device& device = quantiser("threshold");
  const sim::RunSpec spec = spec_of(device, {{"method", "bgt"}});
  std::vector<sim::RawPacket> packets;
  // Legal: 2^-100 and 2^100, no bit of the low eight.
  const std::vector<std::pair<uint32_t, bool>> thresholds = {{27u << 23, true},
                                                             {227u << 23, true},
                                                             {(27u << 23) - 256, false},
                                                             {(227u << 23) + 256, false},
                                                             {(227u << 23) - 256, true},
                                                             {bits(1) + 1, false},
                                                             {bits(1) + 128, false},
                                                             {bits(1) + 256, true},
                                                             {bits(-1), false},
                                                             {0, false},
                                                             {kInfinity, false},
                                                             {kNan, false},
                                                             {256, false},
                                                             {kMinusZero, false}};
  for (const auto& [t, legal] : thresholds) {
    packets.push_back(chunk({bits(1), bits(-2)}, spec, 0, device));
    packets.back().config[2] = t;
  }
  // And a method that there is not.
  packets.push_back(chunk({bits(1), bits(-2)}, spec, 0, device));
  packets.back().config[0] = 0;
  Kept kept;
  run(packets, spec, &kept, device);
  for (size_t p = 0; p < packets.size(); ++p) {
    const bool legal = p < thresholds.size() && thresholds[p].second;
    EXPECT_EQ(kept.packets[p][0], legal ? 2 : 0) << p;
  }
}

}  // namespace
}  // namespace gw::tests::quantisers_test
