// gw_mx by itself, its assertions on, against docs/devices/mx.md: every handshake of every cycle,
// every byte, and what follows from both: rate and latency.
#include <Vgw_mx_0.h>
#include <Vgw_mx_100.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <functional>
#include <list>
#include <random>

#include "tests/quant/mx_contract.h"

namespace gw::mx_contract {
namespace {

struct Stalls {
  int source = 0, sink = 0;  // percent
};

struct Kind {
  int values = 0;      // what gradients look like
  int early_late = 0;  // percent of chunks whose tlast is not where it belongs
  int residual = 0;    // percent
  uint32_t largest = 300;
};

template <class Top, uint32_t Rows>
class Bench {
 public:
  explicit Bench(uint64_t seed) : random_(seed), model_(Rows), residuals_(8 * Rows, 0) {
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
    residuals_.assign(8 * Rows, 0);
    chunks_.clear();
    next_ = {};
    index_ = 0;
    offered_ = false;
    top_->aresetn = 1;
    cycles_ = 0;
  }

  uint32_t below(uint32_t n) { return std::uniform_int_distribution<uint32_t>(0, n - 1)(random_); }
  bool percent(int p) { return static_cast<int>(below(100)) < p; }

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
      default:
        return below(20) ? sign | below(255) << 23 | fraction : bits;
    }
  }

  Chunk chunk(const Kind& kind, uint32_t n, bool fp4) {
    Chunk c;
    c.n = n;
    c.fp4 = fp4;
    c.residual = percent(kind.residual);
    const uint32_t items = (n + 7) / 8;
    c.row = below(10) == 0 || items > Rows ? below(1 << 24)
            : below(4) == 0                ? 0
            : Rows > items                 ? below(Rows - items + (below(10) == 0))
                                           : 0;
    c.error = percent(5);
    uint64_t bytes = 4ULL * n;
    if (n == 0 || percent(kind.early_late)) {
      switch (below(4)) {
        case 0:
          bytes = below(4 * n + 1);
          break;
        case 1:
          bytes += below(100);
          break;
        case 2:
          bytes = bytes / 32 * 32 + below(33);
          break;
        default:
          bytes = bytes < 4 ? 0 : bytes - below(4);
      }
    }
    const int values = kind.values < 7 ? kind.values : below(7);
    uint64_t beats = std::max<uint64_t>(1, (bytes + 31) / 32);
    // An end without bytes behind whole beats, too.
    if (bytes % 32 == 0 && bytes > 0 && percent(kind.early_late)) ++beats;
    for (uint64_t b = 0; b < beats; ++b) {
      Beat beat;
      for (uint32_t& x : beat.data) x = value(values);
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
  void run(const std::function<bool(Chunk&)>& next, Stalls stalls, uint64_t longest = 1000000) {
    bool more = true;
    uint64_t idle = 0;
    for (uint64_t cycle = 0; cycle < longest && idle < 60 && !::testing::Test::HasFailure();
         ++cycle) {
      if (more && (chunks_.empty() || index_ == chunks_.back().beats.size())) {
        Chunk c;
        more = next(c);
        if (more) {
          encode(c, residuals_, Rows);
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

  uint64_t accepted() const { return accepted_; }
  uint64_t left() const { return left_; }
  uint64_t cycles() const { return cycles_; }
  const Clockwork& model() const { return model_; }
  uint64_t first_accepted() const { return first_accepted_; }
  uint64_t last_accepted() const { return last_accepted_; }
  std::vector<uint64_t> accepted_at, left_at;  // cycles of all beats
  FILE* record = nullptr;                      // each cycle's pins, for gw_mx_tb.sv

 private:
  void edge() {
    top_->aclk = 0;
    top_->eval();
    context_.timeInc(1);
    top_->aclk = 1;
    top_->eval();
    context_.timeInc(1);
  }

  void step(bool some, Stalls stalls) {
    offered_ = some && (offered_ || !percent(stalls.source));
    const bool m_ready = !percent(stalls.sink);
    const Chunk* c = some ? &chunks_.back() : nullptr;
    const bool first = index_ == 0;
    top_->s_axis_tvalid = offered_;
    top_->m_axis_tready = m_ready;
    // Configuration counts with first beats only.
    top_->format_i = offered_ && first ? c->fp4 : below(2);
    top_->residual_i = offered_ && first ? c->residual : below(2);
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
      if (m_ready) {
        ++left_;
        left_at.push_back(cycles_);
      }
    }
    if (record != nullptr) {
      std::fprintf(record, "1 %x %x %x %x %lx %x %x ", top_->format_i, top_->residual_i,
                   top_->s_axis_tvalid, top_->s_axis_tkeep,
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
      if (accepted_++ == 0) first_accepted_ = cycles_;
      last_accepted_ = cycles_;
      accepted_at.push_back(cycles_);
      ++index_;
      offered_ = false;
    }
    edge();
    ++cycles_;
  }

  std::mt19937 random_;
  VerilatedContext context_;
  std::unique_ptr<Top> top_;
  Clockwork model_;
  std::vector<uint32_t> residuals_;
  std::list<Chunk> chunks_;
  Chunk next_;
  size_t index_ = 0;
  bool offered_ = false;
  uint64_t accepted_ = 0, left_ = 0, cycles_ = 0, first_accepted_ = 0, last_accepted_ = 0;
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
  for (int seed = 1; seed <= 80; ++seed) {
    Bench<typename TypeParam::Top, TypeParam::kRows> bench(seed);
    for (int episode = 0; episode < 3; ++episode) {  // all but the last end by a reset amid traffic
      const Kind kind{seed % 8, seed % 3 == 0 ? 0 : 30, seed % 4 == 0 ? 0 : 90,
                      seed % 5 == 0   ? 1000U
                      : seed % 5 == 1 ? 12U
                                      : 300U};
      int chunks = 60;
      bench.run(
          [&](Chunk& c) {
            const uint32_t n = bench.below(20) == 0  ? 0
                               : bench.below(3) == 0 ? 1 + bench.below(40)
                                                     : 1 + bench.below(kind.largest);
            c = bench.chunk(kind, n, bench.below(2));
            return chunks-- > 0;
          },
          stalls[seed % 5], episode < 2 ? TypeParam::kRows + 20 + bench.below(400) : 1000000);
      ASSERT_FALSE(::testing::Test::HasFailure()) << "seed " << seed << ", episode " << episode;
      if (episode < 2) bench.reset();
    }
    left += bench.left();
  }
  EXPECT_GT(left, 20000u);
}

// Packets of one size, back to back: one beat a cycle where the output port can carry what leaves.
TYPED_TEST(MxRtl, ABeatACycleAtEverySize) {
  for (const bool fp4 : {false, true}) {
    Bench<typename TypeParam::Top, TypeParam::kRows> bench(5);
    for (uint32_t n = 1; n <= 300; ++n) {
      const uint32_t beats = (n + 7) / 8;
      const uint32_t bytes = 17 + (n + 31) / 32 * (fp4 ? 17 : 33);
      if ((bytes + 31) / 32 > beats) continue;
      const uint64_t before = bench.accepted(), packets = 40;
      int chunks = packets;
      uint32_t row = 0;
      bench.run(
          [&](Chunk& c) {
            c = bench.chunk({0, 0, 0, 300}, n, fp4);
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
        c = bench.chunk({}, 32, false);
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
        c = bench.chunk({0, 0, 0, 9}, 1 + bench.below(9), false);
        return chunks-- > 0;
      },
      {0, 70});
  EXPECT_GE(bench.model().most_used(), 63);
}

// A run that Icarus repeats (icarus.sh): written to GW_MX_VECTORS.ROWS.
TYPED_TEST(MxRtl, Recorded) {
  const char* path = std::getenv("GW_MX_VECTORS");
  if (path == nullptr) GTEST_SKIP() << "GW_MX_VECTORS is not set";
  FILE* file = std::fopen((path + ("." + std::to_string(TypeParam::kRows))).c_str(), "w");
  ASSERT_NE(file, nullptr);
  Bench<typename TypeParam::Top, TypeParam::kRows> bench(7);
  bench.record = file;
  for (int episode = 0; episode < 4; ++episode) {
    bench.reset();
    int chunks = 50;
    bench.run(
        [&](Chunk& c) {
          c = bench.chunk({episode == 0 ? 7 : 5 + episode, 30, 80, 100}, bench.below(90),
                          bench.below(2));
          return chunks-- > 0;
        },
        {20, 25}, episode == 1 ? TypeParam::kRows + 100 : 1000000);
  }
  std::fclose(file);
}

}  // namespace
}  // namespace gw::mx_contract
