// gw_onebit by itself, its assertions on, against docs/devices/onebit.md: every handshake of every
// cycle, every byte as the reference has it, and what follows from both: rate and latency.
// SPDX-License-Identifier: Apache-2.0
#include <Vgw_onebit_100.h>
#include <Vgw_onebit_1100.h>
#include <gtest/gtest.h>

#include <bit>
#include <cstdio>
#include <cstdlib>
#include <functional>

#include "models/reference/quant/quantiser.h"
#include "tests/quant/chunk_bench.h"
#include "tests/quant/onebit_contract.h"
#include "tests/sanitized.h"

namespace gw::onebit_contract::onebit_rtl_test {
namespace {

using quant_rtl::Stalls;

constexpr int kValueKinds = 9;

struct Kind {
  int values = 0;      // what gradients look like
  int early_late = 0;  // percent of chunks whose tlast is not where it belongs
  int residual = 0;    // percent
  int same_row = 0;    // percent of chunks whose first row is 0
};

template <class Top, uint32_t Rows>
class Bench final : public quant_rtl::ChunkBench<Top, Chunk, Clockwork> {
  using Base = quant_rtl::ChunkBench<Top, Chunk, Clockwork>;

 public:
  using Base::below, Base::percent, Base::record;
  explicit Bench(uint64_t seed)
      : Base(seed, Rows, 1200), quantiser_({.method = reference::quant::Method::kOneBit}, Rows) {
    this->reset();
  }

  uint32_t value(int kind) {
    const uint32_t bits = random_();
    const uint32_t sign = bits & 0x80000000, fraction = bits & 0x7FFFFF;
    switch (kind) {
      case 0:
        return sign | (100 + below(20)) << 23 | fraction;
      case 1:  // about the smallest that a sum knows of
        return sign | (92 + below(8)) << 23 | (below(2) ? fraction : 0);
      case 2:  // about the largest
        return sign | (131 + below(6)) << 23 | (below(4) ? fraction : 0x7FFFFF);
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
      default:
        return below(20) ? sign | below(255) << 23 | fraction : bits;
    }
  }

  Chunk chunk(const Kind& kind, uint32_t n) {
    Chunk c;
    c.residual = percent(kind.residual);
    const int values = kind.values < kValueKinds ? kind.values : below(kValueKinds);
    this->fill(c, n, percent(kind.same_row) ? 0 : this->any_row(n), kind.early_late,
               [&] { return value(values); });
    return c;
  }

 private:
  using Base::random_, Base::top_;

  void encode_chunk(Chunk& c) override {
    std::vector<float> values;
    uint64_t bytes = 0;
    for (const Beat& beat : c.beats) {
      const int count = beat.last ? std::countr_one(beat.keep) : 32;
      for (int i = 0; i < count / 4; ++i) values.push_back(mx_contract::as_float(beat.data[i]));
      bytes += count;
    }
    quantiser_.configure({.method = reference::quant::Method::kOneBit, .residual = c.residual});
    reference::quant::Chunk chunk;
    chunk.values = values;
    chunk.row = c.row;
    chunk.announced = c.n;
    chunk.ragged = bytes % 4 != 0;
    chunk.error = c.error;
    const auto report = quantiser_.encode(chunk, c.packet);
    c.raw = report.method == reference::quant::Method::kRaw;
    c.status = report.status;
  }

  void forget() override { quantiser_.reset(); }
  void set_pins(const Chunk* c) override {
    top_->residual_i = c != nullptr ? c->residual : below(2);
  }
  uint64_t settings() const override { return top_->residual_i; }

  reference::quant::Quantiser quantiser_;
};

template <class T>
class OnebitRtl : public ::testing::Test {};
template <class T, uint32_t R>
struct Point {
  using Top = T;
  static constexpr uint32_t kRows = R;
  using Tried = Bench<Top, kRows>;
};
using Points = ::testing::Types<Point<Vgw_onebit_100, 100>, Point<Vgw_onebit_1100, 1100>>;
TYPED_TEST_SUITE(OnebitRtl, Points);

TYPED_TEST(OnebitRtl, EveryCycleAndByteIsTheContracts) {
  const Stalls stalls[] = {{0, 0}, {30, 0}, {0, 30}, {30, 30}, {0, 60}};
  uint64_t left = 0, waited = 0;
  for (int seed = 1; seed <= tests::rounds(90); ++seed) {
    typename TypeParam::Tried bench(seed);
    for (int episode = 0; episode < 3; ++episode) {  // all but the last end by a reset amid traffic
      const Kind kind{seed % (kValueKinds + 1), seed % 3 == 0 ? 0 : 30, seed % 4 == 0 ? 0 : 90,
                      seed % 7 == 0 ? 60 : 10};
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
  }
  EXPECT_GT(left, tests::rounds(15000u));
  EXPECT_GT(waited, tests::rounds(5000u));
}

// Chunks of one size, back to back, on rows that are not in flight: one beat a cycle.
TYPED_TEST(OnebitRtl, ABeatACycleAtEverySize) {
  typename TypeParam::Tried bench(5);
  for (uint32_t n = 1; n <= 300; n += tests::kSanitized ? 13 : n < 80 ? 1 : 37) {
    const uint32_t beats = (n + 7) / 8;
    const uint64_t before = bench.accepted(), packets = tests::rounds(200u);
    int chunks = packets;
    uint32_t row = 0;
    const bool residual = beats + 60 < TypeParam::kRows / 3;
    bench.run(
        [&](Chunk& c) {
          c = bench.chunk({}, n);
          if (residual) {
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

// B + 32 cycles from a chunk's first beat to the pop of its first item, min(B, 16) + 3 to the first
// output beat.
TYPED_TEST(OnebitRtl, Latency) {
  for (const uint32_t beats : {1U, 2U, 15U, 16U, 17U, 100U, 512U}) {
    typename TypeParam::Tried bench(1);
    int chunks = 1;
    bench.run(
        [&](Chunk& c) {
          c = bench.chunk({}, 8 * beats);
          return chunks-- > 0;
        },
        {});
    ASSERT_FALSE(bench.left_at.empty());
    EXPECT_EQ(bench.left_at[0] - bench.accepted_at[0], beats + 32 + std::min(beats, 16U) + 3);
  }
}

// Whoever does not listen fills the buffer: with 1,024 items, or with 64 chunks.
TYPED_TEST(OnebitRtl, BufferFillsAndCreditRunsOut) {
  typename TypeParam::Tried bench(1);
  for (const uint32_t n : {8U, 9U, 4096U}) {
    int chunks = n == 4096 ? 12 : 300;
    bench.run(
        [&](Chunk& c) {
          c = bench.chunk({}, n);
          return chunks-- > 0;
        },
        {0, n == 4096 ? 99 : 97});
  }
  EXPECT_GE(bench.model().seen().used, 63);
  EXPECT_EQ(bench.model().seen().items, 1024);
  EXPECT_EQ(bench.model().seen().chunks, 64);
}

// The same row again and again, also by beats that arrive while it is written.
TYPED_TEST(OnebitRtl, OneRow) {
  typename TypeParam::Tried bench(3);
  for (const int idle : {0, 50, 90, 97}) {
    int chunks = 150;
    bench.run(
        [&](Chunk& c) {
          c = bench.chunk({0, 0, 100, 100}, 1 + bench.below(24));
          return chunks-- > 0;
        },
        {idle, 0});
  }
  EXPECT_GT(bench.model().seen().waited_for_row, 5000u);
}

TYPED_TEST(OnebitRtl, Recorded) {
  typename TypeParam::Tried bench(8);
  quant_rtl::record_run<Chunk>(bench, TypeParam::kRows, [&](int episode) {
    return bench.chunk({episode == 0 ? kValueKinds : 2 + episode, 30, 80, 20}, bench.below(90));
  });
}

}  // namespace
}  // namespace gw::onebit_contract::onebit_rtl_test
