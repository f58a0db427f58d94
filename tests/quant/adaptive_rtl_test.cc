// gw_adaptive by itself, its assertions on, against docs/devices/adaptive.md: every handshake of
// every cycle, every byte as the reference has it, and what follows from both: rate and latency.
#include <Vgw_adaptive_100.h>
#include <Vgw_adaptive_1100.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <list>
#include <random>

#include "models/reference/quant/quantiser.h"
#include "tests/quant/adaptive_contract.h"

namespace gw::adaptive_contract {
namespace {

struct Stalls {
  int source = 0, sink = 0;  // percent
};

constexpr int kValueKinds = 12;

struct Kind {
  int values = 0;      // what gradients look like
  int early_late = 0;  // percent of chunks whose tlast is not where it belongs
  int residual = 0;    // percent
  int rice = 50;       // percent
  int same_row = 0;    // percent of chunks whose first row is 0
  int illegal = 0;     // percent of chunks whose p is none
};

template <class Top, uint32_t Rows>
class Bench {
 public:
  explicit Bench(uint64_t seed)
      : random_(seed), model_(Rows), quantiser_({.method = quant::Method::kAdaptive}, Rows) {
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
    cycles_ = 0;
  }

  uint32_t below(uint32_t n) { return std::uniform_int_distribution<uint32_t>(0, n - 1)(random_); }
  bool percent(int p) { return static_cast<int>(below(100)) < p; }

  uint32_t value(int kind) {
    const uint32_t bits = random_();
    const uint32_t sign = bits & 0x80000000, fraction = bits & 0x7FFFFF;
    switch (kind) {
      case 0:
        return sign | (100 + below(20)) << 23 | fraction;
      case 1:  // about the smallest bin
        return sign | (97 + below(4)) << 23 | (below(2) ? fraction : 0);
      case 2:  // about the largest
        return sign | (128 + below(6)) << 23 | (below(4) ? fraction : 0x7FFFFF);
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
      case 9:  // all bins
        return sign | (99 + below(33)) << 23 | fraction;
      case 10:  // hardly anything has a bin
        return sign | (below(300) ? 90 : 110) << 23 | fraction;
      default:
        return below(20) ? sign | below(255) << 23 | fraction : bits;
    }
  }

  Chunk chunk(const Kind& kind, uint32_t n) {
    Chunk c;
    c.n = n;
    c.residual = percent(kind.residual);
    c.rice = percent(kind.rice);
    c.p = percent(kind.illegal) ? (below(2) ? 0 : 11 + below(5)) : 1 + below(10);
    const uint32_t items = (n + 7) / 8;
    c.row = percent(kind.same_row)           ? 0
            : below(10) == 0 || items > Rows ? below(1 << 24)
            : Rows > items                   ? below(Rows - items + (below(10) == 0))
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
    const int values = kind.values < kValueKinds ? kind.values : below(kValueKinds);
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
    for (uint64_t cycle = 0; cycle < longest && idle < 1200 && !::testing::Test::HasFailure();
         ++cycle) {
      if (more && (chunks_.empty() || index_ == chunks_.back().beats.size())) {
        Chunk c;
        more = next(c);
        if (more) {
          encode(c, quantiser_);
          last_entries = c.entries;
          chunks_.push_back(std::move(c));
          index_ = 0;
        }
      }
      const bool some = !chunks_.empty() && index_ < chunks_.back().beats.size();
      step(some, stalls);
      idle = some || top_->m_axis_tvalid ? 0 : idle + 1;
      while (chunks_.size() > 300) chunks_.pop_front();
    }
  }

  uint64_t accepted() const { return accepted_; }
  uint64_t left() const { return left_; }
  const Clockwork& model() const { return model_; }
  std::vector<uint64_t> accepted_at, left_at;  // cycles of all beats
  size_t last_entries = 0;                     // of the last chunk that was encoded
  FILE* record = nullptr;                      // each cycle's pins, for gw_adaptive_tb.sv

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
    top_->s_axis_tvalid = offered_;
    top_->m_axis_tready = m_ready;
    // Configuration counts with first beats only.
    const bool counts = offered_ && index_ == 0;
    top_->residual_i = counts ? c->residual : below(2);
    top_->coding_i = counts ? c->rice : below(2);
    top_->p_i = counts ? c->p : below(16);
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
      std::fprintf(record, "1 %x %x %x %x %x %lx %x %x ", top_->p_i, top_->coding_i,
                   top_->residual_i, top_->s_axis_tvalid, top_->s_axis_tkeep,
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
      ++accepted_;
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
  quant::Quantiser quantiser_;
  std::list<Chunk> chunks_;
  size_t index_ = 0;
  bool offered_ = false;
  uint64_t accepted_ = 0, left_ = 0, cycles_ = 0;
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
  for (int seed = 1; seed <= 72; ++seed) {
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
    histograms += bench.model().seen().waited_for_histogram;
  }
  EXPECT_GT(left, 15000u);
  EXPECT_GT(waited, 5000u);
  EXPECT_GT(histograms, 5000u);
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
      const uint64_t packets = 60;
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

// K, the first bin that holds a value, one that ends it: chunks whose selection is known by hand.
TYPED_TEST(AdaptiveRtl, SelectionByHand) {
  struct Case {
    uint32_t p;
    std::array<std::pair<uint32_t, int>, 3> runs;  // value, how often
    size_t sent;
  };
  const Case cases[] = {
      {1, {{{0x40000000, 1}, {0x3F800000, 3}, {0x3E000000, 4}}}, 4},  // K = 4: 1 + 3
      {1, {{{0x40000000, 1}, {0x3F800000, 4}, {0x3E000000, 3}}}, 1},  // 1 + 4 is one too many
      {3,
       {{{0x40000000, 5}, {0x3F800000, 1}, {0x3E000000, 10}}},
       5},  // the first bin, whatever it holds
      {10, {{{0x40000000, 1}, {0xC0000000, 1}, {0xBF800000, 20}}}, 2},  // one of each sign
      {1,
       {{{0x30000000, 4}, {0x317FFFFF, 2}, {0x31800000, 2}}},
       2},  // K = 4; below 2^-28 counts, but has no bin
      {1, {{{0x30000000, 9}, {0xB0000000, 9}, {0, 3}}}, 0},  // nothing has one
      {1,
       {{{0x7F000000, 3}, {0x41800000, 3}, {0x3E000000, 12}}},
       6},  // all from 16 on are in the last bin, 3 + 3 <= 9
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
      EXPECT_EQ(bench.last_entries, one.sent) << "p " << one.p << ", " << one.runs[0].first;
    }
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

// A run that Icarus repeats (icarus.sh): written to GW_ADAPTIVE_VECTORS.ROWS.
TYPED_TEST(AdaptiveRtl, Recorded) {
  const char* path = std::getenv("GW_ADAPTIVE_VECTORS");
  if (path == nullptr) GTEST_SKIP() << "GW_ADAPTIVE_VECTORS is not set";
  FILE* file = std::fopen((path + ("." + std::to_string(TypeParam::kRows))).c_str(), "w");
  ASSERT_NE(file, nullptr);
  typename TypeParam::Tried bench(7);
  bench.record = file;
  for (int episode = 0; episode < 4; ++episode) {
    bench.reset();
    int chunks = 50;
    bench.run(
        [&](Chunk& c) {
          c = bench.chunk({episode == 0 ? kValueKinds : 7 + episode, 30, 80, 50, 20, 5},
                          bench.below(90));
          return chunks-- > 0;
        },
        {20, 25}, episode == 1 ? TypeParam::kRows + 100 : 1000000);
  }
  std::fclose(file);
}

}  // namespace
}  // namespace gw::adaptive_contract
