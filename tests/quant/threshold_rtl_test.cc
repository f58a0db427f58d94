// gw_threshold by itself, its assertions on, against docs/devices/threshold.md: every handshake of
// every cycle, every byte (of the reference), and what follows from both: rate and latency.
// SPDX-License-Identifier: Apache-2.0
#include <Vgw_threshold_100.h>
#include <Vgw_threshold_131072.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <functional>
#include <set>

#include "tests/quant/chunk_bench.h"
#include "tests/quant/threshold_contract.h"
#include "tests/sanitized.h"

namespace gw::threshold_contract::threshold_rtl_test {
namespace {

using quant_rtl::Stalls;

struct Kind {
  int values = 0;      // what gradients look like
  int early_late = 0;  // percent of chunks whose tlast is not where it belongs
  int residual = 0;    // percent
  uint32_t largest = 300;
  int method = 4, coding = 2;  // 4, 2: any
};

template <class Top, uint32_t Rows>
class Bench final : public quant_rtl::ChunkBench<Top, Chunk, Clockwork> {
  using Base = quant_rtl::ChunkBench<Top, Chunk, Clockwork>;

 public:
  using Base::below, Base::percent, Base::record;
  explicit Bench(uint64_t seed) : Base(seed, Rows, 60), quantiser_(quant::Config{}, Rows) {
    this->reset();
  }

  uint32_t threshold() {
    switch (below(24)) {
      case 0:
        return random_();  // hardly ever legal
      case 1:
        return 27U << 23;
      case 2:
        return 227U << 23;
      case 3:
        return (227U << 23) + 256 * (1 - below(3));  // and beside it
      case 4:
        return (27U << 23) - 256 * below(2) + 256 * below(2);
      case 5:
        return (120U << 23) | below(256) | below(2) << 31;
      case 6:
        return (27 + below(200)) << 23 | (random_() & 0x7FFF00);
      default:
        return (118 + below(4)) << 23 | (below(3) ? random_() & 0x7FFF00 : 0);
    }
  }

  uint32_t value(int kind, uint32_t t) {
    const uint32_t bits = random_(), sign = bits & 0x80000000;
    const uint32_t e = t >> 23 & 0xFF;
    switch (kind) {
      case 0:  // about T
        return sign | std::clamp<int>(static_cast<int>(e + below(6)) - 3, 0, 254) << 23 |
               (bits & 0x7FFFFF);
      case 1:  // now and then
        return below(40) ? sign | (bits & 0x7FFFFF) >> below(24)
                         : sign | std::min(254U, e + below(12)) << 23 | (bits & 0x7FFFFF);
      case 2: {  // m T, or one unit of the last place from it
        if (!legal(t)) return bits;
        const float m = below(3) ? below(256) : below(520);
        return sign | (as_bits(as_float(t) * m) + (m == 0 ? 0 : below(3)) - (m == 0 ? 0 : 1));
      }
      case 3:  // all of them
        return sign | std::min(254U, e + 1 + below(9)) << 23 | (bits & 0x7FFFFF);
      case 4:  // none
        return sign | (bits & 0x7FFFFF) >> below(24);
      case 5:  // what is not finite, or becomes so
        return below(12) == 0 ? sign | 0x7F800000 | (below(2) ? 0 : bits & 0x7FFFFF)
               : below(3)     ? sign | 254U << 23 | (bits & 0x7FFFFF)
                              : sign | std::min(254U, e + below(8)) << 23 | (bits & 0x7FFFFF);
      case 6:  // very seldom
        return below(600) ? sign
                          : sign | std::min(254U, e + 2 + below(8)) << 23 | (bits & 0x7FFFFF);
      default:
        return bits;
    }
  }

  Chunk chunk(const Kind& kind, uint32_t n) {
    Chunk c;
    c.method = kind.method < 4 ? kind.method : below(8) == 0 ? 0 : 1 + below(3);
    c.coding = kind.coding < 2 ? kind.coding : below(2);
    c.threshold = threshold();
    c.residual = percent(kind.residual);
    const int values = kind.values < 8 ? kind.values : below(8);
    this->fill(c, n, below(4) == 0 ? 0 : this->any_row(n), kind.early_late,
               [&] { return value(values, c.threshold); });
    return c;
  }
  std::set<int> ks;  // of Rice codes
  uint32_t longest_gap = 0;

 private:
  using Base::random_, Base::top_;

  void encode_chunk(Chunk& c) override {
    encode(c, quantiser_);
    ks.insert(c.k);
    longest_gap = std::max(longest_gap, c.longest_gap);
  }
  void forget() override { quantiser_.reset(); }
  void set_pins(const Chunk* c) override {
    top_->method_i = c != nullptr ? c->method : below(4);
    top_->coding_i = c != nullptr ? c->coding : below(2);
    top_->threshold_i = c != nullptr ? c->threshold : below(2) ? threshold() : random_();
    top_->residual_i = c != nullptr ? c->residual : below(2);
  }
  uint64_t settings() const override {
    return top_->threshold_i |
           uint64_t(top_->method_i | top_->coding_i << 2 | top_->residual_i << 3) << 32;
  }

  quant::Quantiser quantiser_;
};

constexpr uint32_t kFewRows = 100;
using ThresholdBench = Bench<Vgw_threshold_100, kFewRows>;

TEST(ThresholdRtl, EveryCycleAndByteIsTheContracts) {
  const Stalls stalls[] = {{0, 0}, {30, 0}, {0, 30}, {30, 30}, {0, 60}};
  uint64_t left = 0, waited_for_row = 0, waited_for_k = 0;
  for (int seed = 1; seed <= tests::rounds(120); ++seed) {
    ThresholdBench bench(seed);
    for (int episode = 0; episode < 3; ++episode) {  // all but the last end by a reset amid traffic
      const Kind kind{seed % 9, seed % 3 == 0 ? 0 : 30, seed % 4 == 0 ? 0 : 90,
                      seed % 5 == 0   ? 1000U
                      : seed % 5 == 1 ? 12U
                                      : 300U};
      int chunks = 60;
      bench.run(
          [&](Chunk& c) {
            const uint32_t n = bench.below(20) == 0  ? 0
                               : bench.below(3) == 0 ? 1 + bench.below(40)
                                                     : 1 + bench.below(kind.largest);
            c = bench.chunk(kind, n);
            return chunks-- > 0;
          },
          stalls[seed % 5], episode < 2 ? kFewRows + 20 + bench.below(400) : 10000000);
      ASSERT_FALSE(::testing::Test::HasFailure()) << "seed " << seed << ", episode " << episode;
      waited_for_row += bench.model().waited_for_row();
      waited_for_k += bench.model().waited_for_k();
      if (episode < 2) bench.reset();
    }
    left += bench.left();
  }
  EXPECT_GT(left, tests::rounds(20000u));
  EXPECT_GT(waited_for_row, tests::rounds(1000u));
  EXPECT_GT(waited_for_k, tests::rounds(1000u));
}

// Long chunks of nearly nothing: long gaps, runs of 256 groups, every k.
TEST(ThresholdRtl, LongGapsAndRuns) {
  for (int seed = 1; seed <= tests::rounds(12); ++seed) {
    ThresholdBench bench(seed);
    int chunks = 12;
    bench.run(
        [&](Chunk& c) {
          const Kind kind{bench.below(2) ? 6 : 4, 0, 0, 0, 4, bench.below(3) ? 1 : 0};
          const uint32_t most[] = {100, 800, 800, 2048 * 8 + 2000, 60000};
          c = bench.chunk(kind, 1 + bench.below(most[bench.below(5)]));
          if (bench.below(3)) {
            c.threshold = 120 << 23;
            if (c.n <= 8 * kFewRows) {
              c.row = 0;
              c.beats[0].user &= ~0xFFFFFFULL;
            }
          }
          return chunks-- > 0;
        },
        {});
    ASSERT_FALSE(::testing::Test::HasFailure()) << "seed " << seed;
  }
}

// Gaps of 20 bits, and every k.
TEST(ThresholdRtl, LongestChunks) {
  Bench<Vgw_threshold_131072, 131072> bench(3);
  int chunks = 0;
  bench.run(
      [&](Chunk& c) {
        const bool longest = chunks % 40 == 39;
        const uint32_t n = longest ? (1 << 20) - 1 - bench.below(9)
                                   : 20 + bench.below(bench.below(2) ? 60000 : 2000);
        c = bench.chunk({4, 0, 0, 0, 2 + static_cast<int>(bench.below(2)), 1}, n);
        c.threshold = 120 << 23;
        c.row = 0;
        c.beats[0].user &= ~0xFFFFFFULL;
        // Values are far apart, or a few beside each other.
        const uint32_t step = longest ? n / (1 + chunks / 80) : 1 + (2 * n >> bench.below(16));
        for (uint32_t j = bench.below(step); j < n;
             j += bench.below(4) ? step + bench.below(2) : 1 + bench.below(2 * step))
          c.beats[j / 8].data[j % 8] = (bench.below(2) << 31) | (123 << 23);
        return chunks++ < (tests::kSanitized ? 40 : 119);
      },
      {});
  ASSERT_FALSE(::testing::Test::HasFailure());
  for (int k = 0; k <= 14; ++k) {
    EXPECT_TRUE(tests::kSanitized || bench.ks.contains(k)) << "k " << k;
  }
  EXPECT_GT(bench.longest_gap, 1U << 19);
}

// The same rows again and again: what is left of a value counts in its next chunk.
TEST(ThresholdRtl, ResidualsOverManyChunks) {
  for (uint32_t method = 1; method <= 3; ++method) {
    for (uint32_t coding = 0; coding < 2; ++coding) {
      ThresholdBench bench(10 * method + coding);
      int chunks = 120;
      bench.run(
          [&](Chunk& c) {
            c = bench.chunk({chunks % 40 < 20 ? 0 : 1, 0, 100, 0, static_cast<int>(method),
                             static_cast<int>(coding)},
                            200);
            c.threshold = 121 << 23 | 0x123400;
            c.row = 25 * (chunks % 3);
            c.beats[0].user = (c.beats[0].user & ~0xFFFFFFULL) | c.row;
            return chunks-- > 0;
          },
          {});
      ASSERT_FALSE(::testing::Test::HasFailure()) << "method " << method << ", coding " << coding;
      EXPECT_EQ(bench.model().raw_count(), 0u);
    }
  }
}

// The longest vectors: floats of whole groups, at every place of a burst, with a status that is not
// zero, and here and there an empty group.
TEST(ThresholdRtl, FloatsAtEveryPlace) {
  ThresholdBench bench(9);
  for (int seed = 0; seed < tests::rounds(12); ++seed) {
    uint32_t n = 1;
    bool short_one = false;
    bench.run(
        [&](Chunk& c) {
          c = bench.chunk({3, 0, 0, 0, bench.below(4) ? 1 : 0, 0},
                          short_one ? 1 + bench.below(8) : n);
          c.threshold = 120 << 23;
          for (Beat& beat : c.beats) {
            for (uint32_t& x : beat.data)
              x = (bench.below(2) << 31) | (121 + bench.below(3)) << 23 | bench.below(1 << 23);
            if (bench.below(12) == 0) beat.data = {};
          }
          c.error = bench.below(4) != 0;
          c.beats.back().user = (c.beats.back().user & ~(1ULL << 52)) | uint64_t{c.error} << 52;
          // A short one behind it, whose end finds the one before it still leaving.
          short_one = !short_one && bench.below(2);
          if (!short_one) n += bench.below(3) ? 8 - n % 8 : 1;
          return n < 700;
        },
        {seed % 3 == 1 ? 30 : 0, seed % 3 == 2 ? 70 : 0});
    ASSERT_FALSE(::testing::Test::HasFailure()) << "seed " << seed;
  }
}

// Packets of one size, back to back: one beat a cycle where the output port can carry what leaves.
TEST(ThresholdRtl, ABeatACycleAtEverySize) {
  for (int method = 1; method <= 3; ++method) {
    for (int coding = 0; coding < (method == 1 ? 1 : 2); ++coding) {
      ThresholdBench bench(5);
      for (uint32_t n = 9; n <= 160; n += tests::kSanitized ? 13 : 1) {
        const uint32_t beats = (n + 7) / 8, packets = 40;
        const uint64_t before = bench.accepted(), left_before = bench.left();
        int chunks = packets;
        uint32_t row = 0;
        bench.run(
            [&](Chunk& c) {
              c = bench.chunk({6, 0, 0, 0, method, coding}, n);
              c.threshold = 120 << 23;
              c.residual = true;
              c.row = row;
              c.beats[0].user = (c.beats[0].user & ~0xFFFFFFULL) | row;
              row = row + 2 * beats <= kFewRows ? row + beats : 0;
              return chunks-- > 0;
            },
            {});
        ASSERT_FALSE(::testing::Test::HasFailure()) << "n " << n;
        ASSERT_EQ(bench.accepted() - before, packets * beats);
        if (bench.left() - left_before > packets * beats) continue;
        const auto& at = bench.accepted_at;
        EXPECT_EQ(at.back() - at[at.size() - packets * beats], packets * beats - 1)
            << "n " << n << ", method " << method << ", coding " << coding;
      }
    }
  }
}

// From the beat that completes an output beat: 17 cycles, and one more for the packet's short end.
TEST(ThresholdRtl, Latency) {
  for (int method = 0; method <= 3; ++method) {
    ThresholdBench bench(1);
    int chunks = 1;
    bench.run(
        [&](Chunk& c) {
          c = bench.chunk({3, 0, 0, 0, method, 0}, 8);
          c.threshold = 120 << 23;
          return chunks-- > 0;
        },
        {});
    ASSERT_EQ(bench.accepted_at.size(), 1u);
    ASSERT_GE(bench.left_at.size(), 1u);
    EXPECT_EQ(bench.left_at[0] - bench.accepted_at[0], 17u) << "method " << method;
  }
}

TEST(ThresholdRtl, CreditRunsOut) {
  ThresholdBench bench(1);
  int chunks = 300;
  bench.run(
      [&](Chunk& c) {
        c = bench.chunk({3, 0, 0, 0, 1, 0}, 1 + bench.below(9));
        return chunks-- > 0;
      },
      {0, 70});
  EXPECT_GE(bench.model().most_used(), 63);
}

TEST(ThresholdRtl, Recorded) {
  ThresholdBench bench(7);
  quant_rtl::record_run<Chunk>(bench, kFewRows, [&](int episode) {
    return bench.chunk({episode == 0 ? 8 : episode - 1, 30, 80, 100}, bench.below(90));
  });
}

}  // namespace
}  // namespace gw::threshold_contract::threshold_rtl_test
