// gw_adaptive by itself, its assertions on, against docs/devices/adaptive.md: every handshake of
// every cycle, every byte, and what follows from both: rate and latency.
// SPDX-License-Identifier: Apache-2.0
#include <Vgw_adaptive_100.h>
#include <Vgw_adaptive_1100.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <functional>

#include "tests/quant/adaptive_contract.h"
#include "tests/quant/chunk_bench.h"
#include "tests/sanitized.h"

namespace gw::adaptive_contract::adaptive_rtl_test {
namespace {

using quant_rtl::Stalls;

constexpr int kValueKinds = 16;

struct Kind {
  int values = 0;      // what gradients look like
  int early_late = 0;  // percent of chunks whose tlast is not where it belongs
  int residual = 0;    // percent
  int rice = 50;       // percent
  int same_row = 0;    // percent of chunks whose first row is 0
  int illegal = 0;     // percent of chunks whose p is none
};

template <class Top, uint32_t Rows>
class Bench final : public quant_rtl::ChunkBench<Top, Chunk, Clockwork> {
  using Base = quant_rtl::ChunkBench<Top, Chunk, Clockwork>;

 public:
  using Base::below, Base::percent, Base::record;
  explicit Bench(uint64_t seed) : Base(seed, Rows, 1200), residuals_(8 * Rows, 0) { this->reset(); }

  uint32_t value(int kind) {
    const uint32_t bits = random_();
    const uint32_t sign = bits & 0x80000000, fraction = bits & 0x7FFFFF;
    switch (kind) {
      case 0:
        return sign | (100 + below(20)) << 23 | fraction;
      case 1:  // the smallest bins, with and without a hidden bit
        return sign | below(4) << 23 | (below(2) ? fraction : 0);
      case 2:  // the largest
        return sign | (250 + below(5)) << 23 | (below(4) ? fraction : 0x7FFFFF);
      case 3:
        return below(60) == 0 ? sign | 0x7F800000 | (below(2) ? 0 : fraction)
                              : sign | (110 + below(8)) << 23 | fraction;
      case 4:  // subnormals and zeros
        return sign | (below(2) ? 0 : fraction >> below(24));
      case 5:  // one side
        return below(30) ? 0x3C000000 | fraction : 0;
      case 6:
        return below(200) ? 0xBC000000 | fraction : 0x80000000;
      case 7:  // sums overflow
        return sign | (250 + below(5)) << 23 | fraction;
      case 8:  // all in one bin, and perhaps one above
        return sign | (below(100) ? 0x3F000000 | (fraction & 0x1FFFFF) : 0x3FC00000);
      case 9:  // all bins of a window, and some below it
        return sign | (99 + below(34)) << 23 | fraction;
      case 10:  // hardly anything is in the window
        return sign | (below(300) ? 70 + below(3) : 103 + below(3)) << 23 | fraction;
      case 11:  // windows that reach below bin 0, or not quite
        return sign | below(34) << 23 | fraction >> (below(4) ? 0 : below(24));
      case 12:  // bins that share a word of the histogram: 128 apart, 32 exponents
        return sign | (below(2) + 32 * below(7)) << 23 | (below(2) << 21 | (fraction & 0x1FFFFF));
      case 13:  // larger and larger ones
        rising_ = (rising_ + below(3)) % 1016;
        return sign | rising_ << 21 | (fraction & 0x1FFFFF);
      case 14:  // smaller and smaller ones
        rising_ = (rising_ + 1016 - below(3)) % 1016;
        return sign | rising_ << 21 | (fraction & 0x1FFFFF);
      default:
        return below(20) ? sign | below(255) << 23 | fraction : bits;
    }
  }

  Chunk chunk(const Kind& kind, uint32_t n) {
    Chunk c;
    c.residual = percent(kind.residual);
    c.rice = percent(kind.rice);
    c.p = percent(kind.illegal) ? (below(2) ? 0 : 11 + below(5)) : 1 + below(10);
    const int values = kind.values < kValueKinds ? kind.values : below(kValueKinds);
    this->fill(c, n, percent(kind.same_row) ? 0 : this->any_row(n), kind.early_late,
               [&] { return value(values); });
    return c;
  }
  size_t last_entries = 0;  // of the last chunk that was encoded
  std::array<uint32_t, 2> last_means{};
  std::vector<uint8_t> last_packet;
  uint32_t bits() { return random_(); }

 private:
  using Base::random_, Base::top_;

  void encode_chunk(Chunk& c) override {
    encode(c, residuals_, Rows);
    last_entries = c.entries;
    last_means = c.means;
    last_packet = c.packet;
  }
  void forget() override { residuals_.assign(8 * Rows, 0); }
  void set_pins(const Chunk* c) override {
    top_->residual_i = c != nullptr ? c->residual : below(2);
    top_->coding_i = c != nullptr ? c->rice : below(2);
    top_->p_i = c != nullptr ? c->p : below(16);
  }
  uint64_t settings() const override {
    return top_->p_i | top_->coding_i << 4 | top_->residual_i << 5;
  }

  std::vector<uint32_t> residuals_;
  uint32_t rising_ = 0;
};

template <class T>
class AdaptiveRtl : public ::testing::Test {};
template <class T, uint32_t R>
struct Point {
  using Top = T;
  static constexpr uint32_t kRows = R;
  using Tried = Bench<Top, kRows>;
};
using Points = ::testing::Types<Point<Vgw_adaptive_100, 100>, Point<Vgw_adaptive_1100, 1100>>;
TYPED_TEST_SUITE(AdaptiveRtl, Points);

TYPED_TEST(AdaptiveRtl, EveryCycleAndByteIsTheContracts) {
  const Stalls stalls[] = {{0, 0}, {30, 0}, {0, 30}, {30, 30}, {0, 60}};
  uint64_t left = 0, waited = 0, histograms = 0;
  for (int seed = 1; seed <= tests::rounds(72); ++seed) {
    typename TypeParam::Tried bench(seed);
    for (int episode = 0; episode < 3; ++episode) {  // all but the last end by a reset amid traffic
      const Kind kind{seed % (kValueKinds + 1), seed % 3 == 0 ? 0 : 30,
                      seed % 4 == 0 ? 0 : 90,   seed % 3 * 50,
                      seed % 7 == 0 ? 60 : 10,  seed % 2 * 5};
      const uint32_t largest = seed % 5 == 0 ? 1000 : seed % 5 == 1 ? 12 : 300;
      int chunks = 60;
      bench.run(
          [&](Chunk& c) {
            const uint32_t n = bench.below(20) == 0    ? 0
                               : bench.below(100) == 0 ? 4095 + bench.below(4)
                               : bench.below(3) == 0   ? 1 + bench.below(40)
                                                       : 1 + bench.below(largest);
            c = bench.chunk(kind, n);
            return chunks-- > 0;
          },
          stalls[seed % 5], episode < 2 ? TypeParam::kRows + 20 + bench.below(400) : 1000000);
      ASSERT_FALSE(::testing::Test::HasFailure()) << "seed " << seed << ", episode " << episode;
      if (episode < 2) bench.reset();
    }
    left += bench.left();
    waited += bench.model().seen().waited_for_row;
    histograms += bench.model().seen().waited_otherwise;
  }
  EXPECT_GT(left, tests::rounds(15000u));
  EXPECT_GT(waited, tests::rounds(5000u));
  EXPECT_GT(histograms, tests::rounds(5000u));
}

// The contract's figures, worked out by hand. A chunk of B beats, back to back: its first beat is
// accepted in cycle a, its items start in a+1 .. a+B, so s' = a+B, b = a+B+9, and it is ready in
// b+92 = a+B+101. Its vector is merged in a+B+106; what that completes can leave in a+B+107.
TYPED_TEST(AdaptiveRtl, Latency) {
  for (const uint32_t beats : {1U, 2U, 15U, 64U, 100U, 512U}) {
    typename TypeParam::Tried bench(1);
    int chunks = 1;
    bench.run(
        [&](Chunk& c) {
          c = bench.chunk({}, 8 * beats);
          return chunks-- > 0;
        },
        {});
    ASSERT_EQ(bench.model().seen().first_pops.size(), 1u);
    EXPECT_EQ(bench.model().seen().first_pops[0] - bench.accepted_at[0], beats + 101);
    EXPECT_EQ(bench.model().seen().first_merges[0] - bench.accepted_at[0], beats + 106);
    // Of one item the first output beat is the last one, and leaves in the cycle after the merge.
    if (beats == 1) {
      ASSERT_EQ(bench.left_at.size(), 1u);
      EXPECT_EQ(bench.left_at[0] - bench.accepted_at[0], 108u);
    }
  }
}

// All values of one bin are sent, so that every group has two bytes: 16 of header and eight groups
// fill a beat. Item i is merged in a+B+106+i, i = 7, and the beat leaves in the cycle after that.
TYPED_TEST(AdaptiveRtl, FirstBeatLeavesWhenEightGroupsFillIt) {
  for (const uint32_t beats : {8U, 64U, 300U}) {
    typename TypeParam::Tried bench(1);
    int chunks = 1;
    bench.run(
        [&](Chunk& c) {
          Kind kind;
          kind.rice = 0;
          c = bench.chunk(kind, 8 * beats);
          for (Beat& beat : c.beats) beat.data.fill(0x3F000000);
          return chunks-- > 0;
        },
        {});
    ASSERT_FALSE(bench.left_at.empty());
    EXPECT_EQ(bench.left_at[0] - bench.accepted_at[0], beats + 106 + 7 + 1);
  }
}

// Chunks of one size, back to back, on rows that are not in flight. From 64 beats on: a beat a
// cycle. Shorter ones: a chunk's first item starts in e-7 at the earliest, e being the end of the
// scan of the chunk two before it; its last one in e-7+B-1, so that its scan may begin in e+B+1,
// and for B <= 64 not later than behind the scan in between, e+65. So scans follow each other, and
// each chunk takes their 64 cycles.
TYPED_TEST(AdaptiveRtl, Rate) {
  for (const uint32_t beats :
       {1U, 2U, 7U, 20U, 40U, 55U, 56U, 57U, 60U, 63U, 64U, 65U, 90U, 300U}) {
    for (const bool ragged : {false, true}) {
      typename TypeParam::Tried bench(5);
      const uint32_t n = 8 * beats - (ragged ? 3 : 0);
      const uint64_t packets = tests::rounds(60u);
      uint64_t chunks = packets;
      bench.run(
          [&](Chunk& c) {
            c = bench.chunk({}, n);
            c.p = 6;
            return chunks-- > 0;
          },
          {});
      ASSERT_FALSE(::testing::Test::HasFailure()) << "n " << n;
      const auto& at = bench.accepted_at;
      ASSERT_EQ(at.size(), packets * beats);
      // From the fifth chunk's first beat on, so that what is filled first does not count.
      const uint64_t cycles = at[(packets - 1) * beats] - at[4 * beats];
      if (beats >= 64) {
        EXPECT_EQ(at.back() - at[0], packets * beats - 1) << "n " << n;
      } else {
        EXPECT_EQ(cycles, 64 * (packets - 5)) << "n " << n;
      }
    }
  }
}

// K, the first bin that holds a value, one that ends it, the window, means: chunks whose selection
// is known by hand.
TYPED_TEST(AdaptiveRtl, SelectionByHand) {
  struct Case {
    uint32_t p;
    std::array<std::pair<uint32_t, int>, 3> runs;  // value, how often
    size_t sent;
    uint32_t mean;  // of the positive side
  };
  const Case cases[] = {
      // K = 4: 1 + 3; (1 x 9/8 2 + 3 x 9/8) / 4
      {1, {{{0x40000000, 1}, {0x3F800000, 3}, {0x3E000000, 4}}}, 4, 0x3FB40000},
      // 1 + 4 is one too many
      {1, {{{0x40000000, 1}, {0x3F800000, 4}, {0x3E000000, 3}}}, 1, 0x40100000},
      // the first bin, whatever it holds
      {3, {{{0x40000000, 5}, {0x3F800000, 1}, {0x3E000000, 10}}}, 5, 0x40100000},
      // one of each sign
      {10, {{{0x40000000, 1}, {0xC0000000, 1}, {0xBF800000, 20}}}, 2, 0x40100000},
      // K = 9 of each side; zeros count, but have no bin
      {1, {{{0x30000000, 9}, {0xB0000000, 9}, {0, 9}}}, 18, 0x30100000},
      {1, {{{0, 9}, {0x80000000, 9}, {0, 3}}}, 0, 0},  // nothing has one
      {1, {{{0x7F000000, 3}, {0x41800000, 3}, {0x3E000000, 12}}}, 3, 0x7F100000},
      // K = 2: 127 bins below the largest one is in the window, 128 is not; of an even and an odd
      // one
      {1, {{{0x50000000, 1}, {0x40200000, 1}, {0, 2}}}, 2, 0x4F900000},
      {1, {{{0x50000000, 1}, {0x40000000, 1}, {0, 2}}}, 1, 0x50100000},
      {1, {{{0x50200000, 1}, {0x40400000, 1}, {0, 2}}}, 2, 0x4FB00000},
      {1, {{{0x50200000, 1}, {0x40200000, 1}, {0, 2}}}, 1, 0x50300000},
      // a side whose values are all below the window of the other one
      {1, {{{0xD0000000, 1}, {0x3F000000, 4}, {0, 0}}}, 1, 0},
      // subnormals: the smallest bin's middle is 2^-129, the next one's three times that
      {1, {{{0x00000001, 4}, {0, 4}, {0, 0}}}, 4, 0x00100000},
      {1, {{{0x00200000, 1}, {0x00000001, 2}, {0, 2}}}, 1, 0x00300000},
      // (3 + 1 + 1) / 3 2^-129 to nearest even
      {1, {{{0x00200000, 1}, {0x00000001, 2}, {0, 4}}}, 3, 0x001AAAAB},
      // (7 + 9) / 2 2^-129: two subnormal bits and a normal one
      {1, {{{0x00600000, 1}, {0x00800000, 1}, {0, 2}}}, 2, 0x00800000},
  };
  for (const Case& one : cases) {
    for (const int rice : {0, 100}) {
      typename TypeParam::Tried bench(3);
      int chunks = 1;
      bench.run(
          [&](Chunk& c) {
            std::vector<uint32_t> values;
            for (const auto& [value, times] : one.runs) values.insert(values.end(), times, value);
            Kind kind;
            kind.rice = rice;
            c = bench.chunk(kind, static_cast<uint32_t>(values.size()));
            c.p = one.p;
            for (size_t i = 0; i < values.size(); ++i) c.beats[i / 8].data[i % 8] = values[i];
            return chunks-- > 0;
          },
          {});
      EXPECT_EQ(bench.last_entries, one.sent)
          << "case " << &one - cases << ", p " << one.p << ", " << one.runs[0].first;
      EXPECT_EQ(bench.last_means[0], one.mean) << "case " << &one - cases;
    }
  }
}

// What is sent does not depend on how large the gradients are: the same chunk times 2^s, from where
// the window ends above subnormals up to where it ends below infinity, is the same packet but for
// its means, which are times 2^s.
TYPED_TEST(AdaptiveRtl, ScalingByPowersOfTwoChangesNothing) {
  typename TypeParam::Tried bench(11);
  std::vector<uint32_t> values(1000);
  for (uint32_t& v : values) {
    const uint32_t bits = bench.bits();
    v = (bits & 0x807FFFFF) | (40 + bench.below(20) + bench.below(20)) << 23;
  }
  std::vector<uint8_t> first;
  std::array<uint32_t, 2> means{};
  for (uint32_t s = 0; s <= 160; s += 8) {
    int chunks = 1;
    std::vector<uint8_t> packet;
    bench.run(
        [&](Chunk& c) {
          if (chunks-- == 0) return false;
          Kind kind;
          kind.rice = 0;
          c = bench.chunk(kind, 1000);
          c.p = 6;
          for (size_t i = 0; i < values.size(); ++i)
            c.beats[i / 8].data[i % 8] = values[i] + (s << 23);
          return true;
        },
        {});
    packet = bench.last_packet;
    if (s == 0) means = bench.last_means;
    EXPECT_EQ(bench.last_means[0], means[0] + (s << 23));
    EXPECT_EQ(bench.last_means[1], means[1] + (s << 23));
    std::fill(packet.begin() + 8, packet.begin() + 16, 0);
    packet.back() = 0;
    if (s == 0) first = packet;
    EXPECT_EQ(packet, first) << "2^" << s;
    EXPECT_GT(bench.last_entries, 8u);
    EXPECT_LT(bench.last_entries, 17u);
  }
}

// Whoever does not listen fills the buffer: with 1,024 items, or with 64 chunks (RAW ones, which
// need no histogram).
TYPED_TEST(AdaptiveRtl, BufferFillsAndCreditRunsOut) {
  typename TypeParam::Tried bench(1);
  for (const uint32_t n : {8U, 9U, 4096U}) {
    int chunks = n == 4096 ? 12 : 200;
    bench.run(
        [&](Chunk& c) {
          Kind kind;
          kind.rice = 0;
          kind.illegal = n == 4096 ? 0 : 90;
          c = bench.chunk(kind, n);
          if (n == 4096) {  // all is sent
            for (Beat& beat : c.beats) beat.data.fill(0x3F000000);
          }
          return chunks-- > 0;
        },
        {0, n == 4096 ? 99 : 97});
  }
  EXPECT_GE(bench.model().seen().used, 63);
  EXPECT_EQ(bench.model().seen().items, 1024);
  EXPECT_EQ(bench.model().seen().chunks, 64);
}

// The same row again and again, also by beats that arrive while it is written.
TYPED_TEST(AdaptiveRtl, OneRow) {
  typename TypeParam::Tried bench(3);
  for (const int idle : {0, 50, 90, 97}) {
    int chunks = 150;
    bench.run(
        [&](Chunk& c) {
          c = bench.chunk({.residual = 100, .same_row = 100}, 1 + bench.below(24));
          return chunks-- > 0;
        },
        {idle, 0});
  }
  EXPECT_GT(bench.model().seen().waited_for_row, 5000u);
}

TYPED_TEST(AdaptiveRtl, Recorded) {
  typename TypeParam::Tried bench(7);
  quant_rtl::record_run<Chunk>(bench, TypeParam::kRows, [&](int episode) {
    constexpr int kEpisodes[] = {kValueKinds, 9, 11, 12};
    return bench.chunk({kEpisodes[episode], 30, 80, 50, 20, 5}, bench.below(90));
  });
}

}  // namespace
}  // namespace gw::adaptive_contract::adaptive_rtl_test
