// A quantiser's RTL by itself: offers chunks, compares every handshake and byte of every cycle with
// the clockwork of its contract. What one quantiser has of its own - settings, values, who makes
// the packets - its test adds.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>
#include <verilated.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <list>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "tests/quant/mx_contract.h"

namespace gw::quant_rtl {

struct Stalls {
  int source = 0, sink = 0;  // percent
};

/// Chunk: n, row, error and beats as in mx_contract.h. Clockwork: of that chunk's contract.
/// A test's own constructor ends with reset().
template <class Top, class Chunk, class Clockwork>
class ChunkBench {
 public:
  /// `quiet`: for so many cycles nothing comes when all has come.
  ChunkBench(uint64_t seed, uint32_t rows, uint64_t quiet)
      : random_(seed), model_(rows), rows_(rows), quiet_(quiet) {
    context_.randSeed(static_cast<int>(seed % 1000) + 1);
    context_.randReset(2);
    top_ = std::make_unique<Top>(&context_);
    top_->aclk = 0;
    top_->s_axis_tvalid = 0;
    top_->m_axis_tready = 0;
  }
  virtual ~ChunkBench() { top_->final(); }

  /// One cycle in reset; whatever was under way is gone.
  void reset() {
    top_->aresetn = 0;
    top_->s_axis_tvalid = 0;
    if (record != nullptr) std::fprintf(record, "0\n");
    edge();
    model_.reset();
    forget();
    chunks_.clear();
    index_ = 0;
    offered_ = false;
    top_->aresetn = 1;
    cycles_ = 0;
  }

  uint32_t below(uint32_t n) { return std::uniform_int_distribution<uint32_t>(0, n - 1)(random_); }
  bool percent(int p) { return static_cast<int>(below(100)) < p; }

  /// Offers chunks for as long as `next` gives some, and then waits for what they become.
  void run(const std::function<bool(Chunk&)>& next, Stalls stalls, uint64_t longest = 10'000'000) {
    bool more = true;
    uint64_t idle = 0;
    for (uint64_t cycle = 0; cycle < longest && idle < quiet_ && !::testing::Test::HasFailure();
         ++cycle) {
      if (more && (chunks_.empty() || index_ == chunks_.back().beats.size())) {
        Chunk c;
        more = next(c);
        if (more) {
          encode_chunk(c);
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

  uint64_t accepted() const { return accepted_at.size(); }
  uint64_t left() const { return left_at.size(); }
  const Clockwork& model() const { return model_; }
  std::vector<uint64_t> accepted_at, left_at;  // cycles, since reset, of all beats
  FILE* record = nullptr;                      // each cycle's pins, for the bench in Icarus

 protected:
  /// What becomes of the chunk, before its first beat is offered.
  virtual void encode_chunk(Chunk& c) = 0;
  /// Residuals are zero again.
  virtual void forget() = 0;
  /// Settings, which count with first beats only; null: with nothing.
  virtual void set_pins(const Chunk* c) = 0;
  /// The same in one word, for `record`; icarus.sh says which bits are which.
  virtual uint64_t settings() const = 0;

  /// n values announced from a row on, and bytes that are so many, or in `early_late` percent
  /// others.
  void fill(Chunk& c, uint32_t n, uint32_t row, int early_late,
            const std::function<uint32_t()>& value) {
    c.n = n;
    c.row = row;
    c.error = percent(5);
    uint64_t bytes = 4ULL * n;
    if (n == 0 || percent(early_late)) {
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
    uint64_t beats = std::max<uint64_t>(1, (bytes + 31) / 32);
    // An end without bytes behind whole beats, too.
    if (bytes % 32 == 0 && bytes > 0 && percent(early_late)) ++beats;
    for (uint64_t b = 0; b < beats; ++b) {
      mx_contract::Beat beat;
      for (uint32_t& x : beat.data) x = value();
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
  }
  /// A row that n values fit behind, or now and then do not.
  uint32_t any_row(uint32_t n) {
    const uint32_t items = (n + 7) / 8;
    if (below(10) == 0 || items > rows_) return below(2) ? below(1 << 24) : below(3 * rows_ + 1);
    return rows_ > items ? below(rows_ - items + (below(10) == 0)) : 0;
  }

  std::mt19937 random_;
  VerilatedContext context_;
  std::unique_ptr<Top> top_;

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
    set_pins(offered_ && index_ == 0 ? c : nullptr);
    if (offered_) {
      const mx_contract::Beat& beat = c->beats[index_];
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
    compare(m_ready);
    if (record != nullptr) record_cycle();
    const bool accepts = offered_ && model_.s_ready();
    model_.clock(c, index_, offered_, m_ready);
    if (accepts) {
      accepted_at.push_back(cycles_);
      ++index_;
      offered_ = false;
    }
    edge();
    ++cycles_;
  }

  void compare(bool m_ready) {
    ASSERT_EQ(top_->s_axis_tready, model_.s_ready()) << "cycle " << cycles_;
    ASSERT_EQ(top_->m_axis_tvalid, model_.m_valid()) << "cycle " << cycles_;
    ASSERT_EQ(top_->raw_count_o, model_.raw_count()) << "cycle " << cycles_;
    ASSERT_EQ(top_->error_count_o, model_.error_count()) << "cycle " << cycles_;
    if (!model_.m_valid()) return;
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

  void record_cycle() {
    std::fprintf(record, "1 %lx %x %x %lx %x %x ", static_cast<unsigned long>(settings()),
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

  Clockwork model_;
  const uint32_t rows_;
  const uint64_t quiet_;
  std::list<Chunk> chunks_;
  size_t index_ = 0;
  bool offered_ = false;
  uint64_t cycles_ = 0;
};

/// A run that Icarus repeats (icarus.sh), written to GW_VECTORS.ROWS: four episodes behind a reset,
/// the second of which is cut short by the next one's. `chunk` makes one of an episode.
template <class Chunk, class Bench>
void record_run(Bench& bench, uint32_t rows, const std::function<Chunk(int episode)>& chunk) {
  const char* path = std::getenv("GW_VECTORS");
  if (path == nullptr) GTEST_SKIP() << "GW_VECTORS is not set";
  FILE* file = std::fopen((path + ("." + std::to_string(rows))).c_str(), "w");
  ASSERT_NE(file, nullptr);
  bench.record = file;
  for (int episode = 0; episode < 4; ++episode) {
    bench.reset();
    int chunks = 50;
    bench.run(
        [&](Chunk& c) {
          c = chunk(episode);
          return chunks-- > 0;
        },
        {20, 25}, episode == 1 ? rows + 100 : 1'000'000);
  }
  bench.record = nullptr;
  ASSERT_EQ(std::fclose(file), 0);
}

}  // namespace gw::quant_rtl
