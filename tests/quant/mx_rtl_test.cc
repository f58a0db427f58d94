// gw_mx by itself, its assertions on, against docs/devices/mx.md: every handshake of every cycle,
// every byte, and what follows from both: rate and latency.
// SPDX-License-Identifier: Apache-2.0
#include <Vgw_mx_0.h>
#include <Vgw_mx_100.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <functional>

#include "tests/quant/chunk_bench.h"
#include "tests/quant/mx_contract.h"
#include "tests/sanitized.h"

namespace gw::mx_contract::mx_rtl_test {
namespace {

using quant_rtl::Stalls;

constexpr int kValueKinds = 8;  // and what else there is

struct Kind {
  int values = 0;      // what gradients look like
  int early_late = 0;  // percent of chunks whose tlast is not where it belongs
  int residual = 0;    // percent
  uint32_t largest = 300;
};

template <class Top, uint32_t Rows>
class Bench final : public quant_rtl::ChunkBench<Top, Chunk, Clockwork> {
  using Base = quant_rtl::ChunkBench<Top, Chunk, Clockwork>;

 public:
  using Base::below, Base::percent, Base::record;
  explicit Bench(uint64_t seed) : Base(seed, Rows, 60), residuals_(8 * Rows, 0) { this->reset(); }

  uint32_t value(int kind) {
    const uint32_t bits = random_();
    const uint32_t sign = bits & 0x80000000;
    const uint32_t fraction = below(3) == 0   ? bits & 0x7F0000
                              : below(4) == 0 ? bits & 0x7FFFFF & ~(0xFFFFF >> below(12))
                                              : bits & 0x7FFFFF;
    switch (kind) {
      case 0:
        return sign | (100 + below(14)) << 23 | fraction;
      case 1:
        return sign | below(24) << 23 | fraction >> (below(2) ? below(24) : 0);
      case 2:
        return sign | (245 + below(10)) << 23 | fraction | (below(4) ? 0 : 0x7FFFFF);
      case 3:
        return below(60) == 0 ? sign | 0x7F800000 | (below(2) ? 0 : fraction)
                              : sign | (110 + below(8)) << 23 | fraction;
      case 4:
        return sign | (below(4) ? 0 : 0x00000001 << below(23));
      case 5:
        return sign | (below(3) ? 0 : fraction >> below(24));
      case 6: {  // at what is the largest element of a block, an ulp beside it, or far below
        const uint32_t most = below(2) ? 0x600000 : 0x400000;
        return sign | (below(3) ? 120 - below(40) : 120) << 23 | (most + below(3) - 1);
      }
      case 7: {  // the same where the scale is about zero
        const uint32_t most = below(2) ? 0x600000 : 0x400000;
        return sign | below(20) << 23 | (most + below(3) - 1);
      }
      default:
        return below(20) ? sign | below(255) << 23 | fraction : bits;
    }
  }

  Chunk chunk(const Kind& kind, uint32_t n, int format) {
    Chunk c;
    c.format = format;
    c.up = below(2);
    c.residual = percent(kind.residual);
    const int values = kind.values < kValueKinds ? kind.values : below(kValueKinds + 1);
    this->fill(c, n, below(4) == 0 ? 0 : this->any_row(n), kind.early_late,
               [&] { return value(values); });
    return c;
  }

 private:
  using Base::random_, Base::top_;

  void encode_chunk(Chunk& c) override { encode(c, residuals_, Rows); }
  void forget() override { residuals_.assign(8 * Rows, 0); }
  void set_pins(const Chunk* c) override {
    top_->format_i = c != nullptr ? c->format : below(4);
    top_->scale_i = c != nullptr ? c->up : below(2);
    top_->residual_i = c != nullptr ? c->residual : below(2);
  }
  uint64_t settings() const override {
    return top_->format_i | top_->scale_i << 2 | top_->residual_i << 3;
  }

  std::vector<uint32_t> residuals_;
};

template <class T>
class MxRtl : public ::testing::Test {};
template <class T, uint32_t R>
struct Point {
  using Top = T;
  static constexpr uint32_t kRows = R;
};
using Points = ::testing::Types<Point<Vgw_mx_0, 0>, Point<Vgw_mx_100, 100>>;
TYPED_TEST_SUITE(MxRtl, Points);

TYPED_TEST(MxRtl, EveryCycleAndByteIsTheContracts) {
  const Stalls stalls[] = {{0, 0}, {30, 0}, {0, 30}, {30, 30}, {0, 60}};
  uint64_t left = 0;
  for (int seed = 1; seed <= tests::rounds(80); ++seed) {
    Bench<typename TypeParam::Top, TypeParam::kRows> bench(seed);
    for (int episode = 0; episode < 3; ++episode) {  // all but the last end by a reset amid traffic
      const Kind kind{seed % (kValueKinds + 2), seed % 3 == 0 ? 0 : 30, seed % 4 == 0 ? 0 : 90,
                      seed % 5 == 0   ? 1000U
                      : seed % 5 == 1 ? 12U
                                      : 300U};
      int chunks = 60;
      bench.run(
          [&](Chunk& c) {
            const uint32_t n = bench.below(20) == 0  ? 0
                               : bench.below(3) == 0 ? 1 + bench.below(40)
                                                     : 1 + bench.below(kind.largest);
            c = bench.chunk(kind, n, bench.below(20) == 0 ? 3 : bench.below(3));
            return chunks-- > 0;
          },
          stalls[seed % 5], episode < 2 ? TypeParam::kRows + 20 + bench.below(400) : 1000000);
      ASSERT_FALSE(::testing::Test::HasFailure()) << "seed " << seed << ", episode " << episode;
      if (episode < 2) bench.reset();
    }
    left += bench.left();
  }
  EXPECT_GT(left, tests::rounds(20000u));
}

// Packets of one size, back to back: one beat a cycle where the output port can carry what leaves.
TYPED_TEST(MxRtl, ABeatACycleAtEverySize) {
  for (const int format : {0, 1, 2}) {
    Bench<typename TypeParam::Top, TypeParam::kRows> bench(5);
    for (uint32_t n = 1; n <= 300; n += tests::kSanitized ? 13 : 1) {
      const uint32_t beats = (n + 7) / 8;
      const uint32_t bytes = 17 + (n + 31) / 32 * (format == 1 ? 17 : 33);
      if ((bytes + 31) / 32 > beats) continue;
      const uint64_t before = bench.accepted(), packets = 40;
      int chunks = packets;
      uint32_t row = 0;
      bench.run(
          [&](Chunk& c) {
            c = bench.chunk({0, 0, 0, 300}, n, format);
            if (TypeParam::kRows > 0 && beats <= 50) {  // rows that are not in flight
              c.residual = true;
              c.row = row;
              c.beats[0].user = (c.beats[0].user & ~0xFFFFFFULL) | row;
              row = row + 2 * beats <= TypeParam::kRows ? row + beats : 0;
            }
            return chunks-- > 0;
          },
          {});
      ASSERT_FALSE(::testing::Test::HasFailure()) << "n " << n;
      ASSERT_EQ(bench.accepted() - before, packets * beats);
      const auto& at = bench.accepted_at;
      EXPECT_EQ(at.back() - at[at.size() - packets * beats], packets * beats - 1) << "n " << n;
    }
  }
}

// From the beat that completes an output beat: 14 cycles, 9 without residuals.
TYPED_TEST(MxRtl, Latency) {
  Bench<typename TypeParam::Top, TypeParam::kRows> bench(1);
  int chunks = 1;
  bench.run(
      [&](Chunk& c) {
        c = bench.chunk({}, 32, 0);
        return chunks-- > 0;
      },
      {});
  ASSERT_EQ(bench.accepted_at.size(), 4u);
  ASSERT_EQ(bench.left_at.size(), 2u);
  // The block's last beat completes 16 + 1 + 8 + ... bytes: the second item is merged a cycle
  // behind the first one.
  EXPECT_LE(bench.left_at[0] - bench.accepted_at[3], TypeParam::kRows > 0 ? 13u : 8u);
  EXPECT_EQ(bench.left_at[1] - bench.accepted_at[3], TypeParam::kRows > 0 ? 14u : 9u);
}

TYPED_TEST(MxRtl, CreditRunsOut) {
  Bench<typename TypeParam::Top, TypeParam::kRows> bench(1);
  int chunks = 300;
  bench.run(
      [&](Chunk& c) {
        c = bench.chunk({0, 0, 0, 9}, 1 + bench.below(9), 0);
        return chunks-- > 0;
      },
      {0, 70});
  EXPECT_GE(bench.model().most_used(), 63);
}

TYPED_TEST(MxRtl, Recorded) {
  Bench<typename TypeParam::Top, TypeParam::kRows> bench(7);
  quant_rtl::record_run<Chunk>(bench, TypeParam::kRows, [&](int episode) {
    return bench.chunk({episode == 0 ? kValueKinds : 5 + episode, 30, 80, 100}, bench.below(90),
                       bench.below(3));
  });
}

}  // namespace
}  // namespace gw::mx_contract::mx_rtl_test
