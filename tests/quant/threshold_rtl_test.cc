// gw_threshold by itself, its assertions on, against docs/devices/threshold.md: every handshake of
// every cycle, every byte (of the reference), and what follows from both: rate and latency.
#include <Vgw_threshold_100.h>
#include <Vgw_threshold_131072.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <functional>
#include <list>
#include <random>
#include <set>

#include "tests/quant/threshold_contract.h"

namespace gw::threshold_contract {
namespace {

struct Stalls {
  int source = 0, sink = 0;  // percent
};

struct Kind {
  int values = 0;      // what gradients look like
  int early_late = 0;  // percent of chunks whose tlast is not where it belongs
  int residual = 0;    // percent
  uint32_t largest = 300;
  int method = 4, coding = 2;  // 4, 2: any
};

template <class Top, uint32_t kRows>
class Bench {
 public:
  explicit Bench(uint64_t seed) : random_(seed), model_(kRows), quantiser_(quant::Config{}, kRows) {
    context_.randSeed(static_cast<int>(seed % 1000) + 1);
    context_.randReset(2);
    top_ = std::make_unique<Top>(&context_);
    top_->aclk = 0;
    top_->s_axis_tvalid = 0;
    top_->m_axis_tready = 0;
    reset();
  }
  ~Bench() { top_->final(); }

  /// One cycle in reset; whatever was under way is gone.
  void reset() {
    top_->aresetn = 0;
    top_->s_axis_tvalid = 0;
    if (record != nullptr) std::fprintf(record, "0\n");
    edge();
    model_.reset();
    quantiser_.reset();
    chunks_.clear();
    index_ = 0;
    offered_ = false;
    top_->aresetn = 1;
  }

  uint32_t below(uint32_t n) { return std::uniform_int_distribution<uint32_t>(0, n - 1)(random_); }
  bool percent(int p) { return static_cast<int>(below(100)) < p; }

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
    c.n = n;
    c.method = kind.method < 4 ? kind.method : below(8) == 0 ? 0 : 1 + below(3);
    c.coding = kind.coding < 2 ? kind.coding : below(2);
    c.threshold = threshold();
    c.residual = percent(kind.residual);
    const uint32_t items = (c.n + 7) / 8;
    c.row = below(10) == 0 || items > kRows ? (below(2) ? below(1 << 24) : below(3 * kRows))
            : below(4) == 0                 ? 0
            : kRows > items                 ? below(kRows - items + (below(10) == 0))
                                            : 0;
    c.error = percent(5);
    uint64_t bytes = 4ULL * n;
    if (n == 0 || percent(kind.early_late)) {
      switch (below(5)) {
        case 0:
          bytes = below(4 * n + 1);
          break;
        case 1:
          bytes += below(100);
          break;
        case 2:
          bytes = bytes / 32 * 32 + below(33);
          break;
        case 3:
          bytes = (bytes + 31) / 32 * 32 + 32 * below(3);
          break;
        default:
          bytes = bytes < 4 ? 0 : bytes - below(4);
      }
    }
    const int values = kind.values < 8 ? kind.values : below(8);
    uint64_t beats = std::max<uint64_t>(1, (bytes + 31) / 32);
    // An end without bytes behind whole beats, too.
    if (bytes % 32 == 0 && bytes > 0 && percent(kind.early_late)) ++beats;
    for (uint64_t b = 0; b < beats; ++b) {
      Beat beat;
      for (uint32_t& x : beat.data) x = value(values, c.threshold);
      beat.user = uint64_t{random_()} << 32 | random_();
      beat.keep = random_();
      if (b == 0) beat.user = (beat.user & ~0xFFFFF00FFFFFFULL) | c.row | uint64_t{n} << 32;
      if (b + 1 == beats) {
        const uint64_t left = bytes - std::min(bytes, 32 * b);
        beat.last = true;
        beat.keep = left >= 32
                        ? 0xFFFFFFFF
                        : ((1U << left) - 1) | ((uint64_t{random_()} << (left + 1)) & 0xFFFFFFFF);
        beat.user = (beat.user & ~(1ULL << 52)) | uint64_t{c.error} << 52;
      }
      c.beats.push_back(beat);
    }
    return c;
  }

  /// Offers chunks for as long as `next` gives some, and then waits for what they become.
  void run(const std::function<bool(Chunk&)>& next, Stalls stalls, uint64_t longest = 10000000) {
    bool more = true;
    uint64_t idle = 0;
    for (uint64_t cycle = 0; cycle < longest && idle < 60 && !::testing::Test::HasFailure();
         ++cycle) {
      if (more && (chunks_.empty() || index_ == chunks_.back().beats.size())) {
        Chunk c;
        more = next(c);
        if (more) {
          encode(c, quantiser_);
          ks.insert(c.k);
          longest_gap = std::max(longest_gap, c.longest_gap);
          chunks_.push_back(std::move(c));
          index_ = 0;
        }
      }
      const bool some = !chunks_.empty() && index_ < chunks_.back().beats.size();
      step(some, stalls);
      idle = some || top_->m_axis_tvalid ? 0 : idle + 1;
      while (chunks_.size() > 200) chunks_.pop_front();
    }
  }

  uint64_t accepted() const { return accepted_at.size(); }
  uint64_t left() const { return left_at.size(); }
  const Clockwork& model() const { return model_; }
  std::vector<uint64_t> accepted_at, left_at;  // cycles of all beats
  std::set<int> ks;                            // of Rice codes
  uint32_t longest_gap = 0;
  FILE* record = nullptr;  // each cycle's pins, for gw_threshold_tb.sv

 private:
  void edge() {
    top_->aclk = 0;
    top_->eval();
    context_.timeInc(1);
    top_->aclk = 1;
    top_->eval();
    context_.timeInc(1);
    ++cycles_;
  }

  void step(bool some, Stalls stalls) {
    offered_ = some && (offered_ || !percent(stalls.source));
    const bool m_ready = !percent(stalls.sink);
    const Chunk* c = some ? &chunks_.back() : nullptr;
    const bool first = index_ == 0;
    top_->s_axis_tvalid = offered_;
    top_->m_axis_tready = m_ready;
    // Settings count with first beats only.
    const bool settings = offered_ && first;
    top_->method_i = settings ? c->method : below(4);
    top_->coding_i = settings ? c->coding : below(2);
    top_->threshold_i = settings ? c->threshold : below(2) ? threshold() : random_();
    top_->residual_i = settings ? c->residual : below(2);
    if (offered_) {
      const Beat& beat = c->beats[index_];
      for (int i = 0; i < 8; ++i) top_->s_axis_tdata[i] = beat.data[i];
      top_->s_axis_tkeep = beat.keep;
      top_->s_axis_tlast = beat.last;
      top_->s_axis_tuser = beat.user & ((1ULL << 53) - 1);
    } else {
      for (int i = 0; i < 8; ++i) top_->s_axis_tdata[i] = random_();
      top_->s_axis_tkeep = random_();
      top_->s_axis_tlast = below(2);
    }
    top_->aclk = 0;
    top_->eval();
    ASSERT_EQ(top_->s_axis_tready, model_.s_ready()) << "cycle " << cycles_;
    ASSERT_EQ(top_->m_axis_tvalid, model_.m_valid()) << "cycle " << cycles_;
    ASSERT_EQ(top_->raw_count_o, model_.raw_count()) << "cycle " << cycles_;
    ASSERT_EQ(top_->error_count_o, model_.error_count()) << "cycle " << cycles_;
    if (model_.m_valid()) {
      const uint32_t bytes = model_.m_bytes();
      ASSERT_EQ(top_->m_axis_tlast, model_.m_last()) << "cycle " << cycles_;
      ASSERT_EQ(top_->m_axis_tuser, model_.m_user()) << "cycle " << cycles_;
      ASSERT_EQ(top_->m_axis_tkeep, bytes == 32 ? 0xFFFFFFFF : (1U << bytes) - 1)
          << "cycle " << cycles_;
      for (uint32_t i = 0; i < 32; ++i) {
        const uint8_t is = top_->m_axis_tdata[i / 4] >> 8 * (i % 4);
        ASSERT_EQ(is, i < bytes ? model_.m_data()[i] : 0) << "cycle " << cycles_ << ", byte " << i;
      }
      if (m_ready) left_at.push_back(cycles_);
    }
    if (record != nullptr) {
      std::fprintf(record, "1 %x %x %x %x %x %x %lx %x %x ", top_->method_i, top_->coding_i,
                   top_->threshold_i, top_->residual_i, top_->s_axis_tvalid, top_->s_axis_tkeep,
                   static_cast<unsigned long>(top_->s_axis_tuser), top_->s_axis_tlast,
                   top_->m_axis_tready);
      for (int i = 7; i >= 0; --i) std::fprintf(record, "%08x", top_->s_axis_tdata[i]);
      std::fprintf(record, " %x %x %x %x %x %x %x ", top_->s_axis_tready, top_->m_axis_tvalid,
                   top_->m_axis_tkeep, top_->m_axis_tlast, top_->m_axis_tuser, top_->raw_count_o,
                   top_->error_count_o);
      for (int i = 7; i >= 0; --i) std::fprintf(record, "%08x", top_->m_axis_tdata[i]);
      std::fprintf(record, "\n");
    }
    const bool accepts = offered_ && model_.s_ready();
    model_.clock(c, index_, offered_, m_ready);
    if (accepts) {
      accepted_at.push_back(cycles_);
      ++index_;
      offered_ = false;
    }
    edge();
  }

  std::mt19937 random_;
  VerilatedContext context_;
  std::unique_ptr<Top> top_;
  Clockwork model_;
  quant::Quantiser quantiser_;
  std::list<Chunk> chunks_;
  size_t index_ = 0;
  bool offered_ = false;
  uint64_t cycles_ = 0;
};

constexpr uint32_t kFewRows = 100;
using ThresholdBench = Bench<Vgw_threshold_100, kFewRows>;

TEST(ThresholdRtl, EveryCycleAndByteIsTheContracts) {
  const Stalls stalls[] = {{0, 0}, {30, 0}, {0, 30}, {30, 30}, {0, 60}};
  uint64_t left = 0, waited_for_row = 0, waited_for_k = 0;
  for (int seed = 1; seed <= 120; ++seed) {
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
  EXPECT_GT(left, 20000u);
  EXPECT_GT(waited_for_row, 1000u);
  EXPECT_GT(waited_for_k, 1000u);
}

// Long chunks of nearly nothing: long gaps, runs of 256 groups, every k.
TEST(ThresholdRtl, LongGapsAndRuns) {
  for (int seed = 1; seed <= 12; ++seed) {
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
        return chunks++ < 119;
      },
      {});
  ASSERT_FALSE(::testing::Test::HasFailure());
  for (int k = 0; k <= 14; ++k) EXPECT_TRUE(bench.ks.contains(k)) << "k " << k;
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
  for (int seed = 0; seed < 12; ++seed) {
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
      for (uint32_t n = 9; n <= 160; ++n) {
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

// A run that Icarus repeats (icarus.sh): written to GW_THRESHOLD_VECTORS.
TEST(ThresholdRtl, Recorded) {
  const char* path = std::getenv("GW_THRESHOLD_VECTORS");
  if (path == nullptr) GTEST_SKIP() << "GW_THRESHOLD_VECTORS is not set";
  FILE* file = std::fopen(path, "w");
  ASSERT_NE(file, nullptr);
  ThresholdBench bench(7);
  bench.record = file;
  for (int episode = 0; episode < 4; ++episode) {
    bench.reset();
    int chunks = 50;
    bench.run(
        [&](Chunk& c) {
          c = bench.chunk({episode == 0 ? 8 : episode - 1, 30, 80, 100}, bench.below(90));
          return chunks-- > 0;
        },
        {20, 25}, episode == 1 ? kFewRows + 100 : 10000000);
  }
  std::fclose(file);
}

}  // namespace
}  // namespace gw::threshold_contract
