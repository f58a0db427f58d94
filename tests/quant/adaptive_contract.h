// What docs/devices/adaptive.md says of gw_adaptive's cycles, in plain C++, over packets of the
// reference: which values a packet sends says its decoder, how many bits an item then has the page.
// For the RTL's own test; written from the contract alone.
#pragma once
#include <algorithm>
#include <bit>
#include <cstdint>
#include <deque>
#include <vector>

#include "models/reference/quant/decoder.h"
#include "models/reference/quant/quantiser.h"
#include "tests/quant/mx_contract.h"

namespace gw::adaptive_contract {

using mx_contract::as_float;
using mx_contract::Beat;
namespace quant = reference::quant;

struct Chunk {
  uint32_t n = 0, row = 0;
  uint32_t p = 0;
  bool rice = false, residual = false, error = false;
  std::vector<Beat> beats;
  // What follows from it.
  bool raw = false;
  std::vector<uint8_t> packet;
  std::vector<uint32_t> bits;  // of each payload item, without the status
  uint8_t status = 0;
  size_t entries = 0;
};

// Bits of a gap in Rice code.
inline uint32_t gap_bits(uint32_t gap, int k) { return (gap >> k) < 15 ? (gap >> k) + 1 + k : 35; }

// The chunk's packet and what each of its items has of it.
inline void encode(Chunk& c, quant::Quantiser& quantiser) {
  const bool plain = c.p < 1 || c.p > 10;
  quant::Config config;
  config.method = plain ? quant::Method::kRaw : quant::Method::kAdaptive;
  if (!plain) config.p = static_cast<int>(c.p);
  config.coding = c.rice && !plain ? quant::Coding::kRice : quant::Coding::kMask;
  config.residual = c.residual && !plain;
  quantiser.configure(config);
  std::vector<float> values;
  uint64_t bytes = 0;
  for (const Beat& beat : c.beats) {
    const int count = beat.last ? std::countr_one(beat.keep) : 32;
    bytes += count;
    for (int i = 0; i < count / 4; ++i) values.push_back(as_float(beat.data[i]));
  }
  quant::Chunk chunk;
  chunk.values = values;
  chunk.row = c.row;
  chunk.announced = c.n;
  chunk.ragged = bytes % 4 != 0;
  chunk.error = c.error;
  const auto report = quantiser.encode(chunk, c.packet);
  c.raw = report.method == quant::Method::kRaw;
  c.status = report.status;
  c.entries = report.entries;

  // What is sent of a side whose mean is zero the decoder's values do not show, but bins begin at
  // 2^-28: a mean of values sent is never zero.
  std::vector<float> sent;
  quant::Decoded decoded;
  if (!c.raw) decoded = quant::decode_packet(c.packet, quant::kMaxValues, sent);
  uint32_t gap = 0, count = 0;
  bool run = false;
  c.bits.clear();
  for (uint32_t first = 0; first == 0 || first < c.n; first += 8) {
    const uint32_t end = std::min(c.n, first + 8);
    const bool last = first + 8 >= c.n;
    uint32_t bits = 0;
    if (c.raw) {
      bits = 32 * (end - first);
    } else if (c.rice) {
      for (uint32_t j = first; j < end; ++j) {
        if (sent[j] == 0) {
          ++gap;
          continue;
        }
        bits += gap_bits(gap, decoded.k) + 1;
        gap = 0;
      }
      if (last) bits += gap_bits(gap, decoded.k);
    } else if (std::any_of(sent.begin() + first, sent.begin() + end,
                           [](float x) { return x != 0; })) {
      bits = (run ? 8 : 0) + 16;
      run = false;
    } else {
      if (run) {
        ++count;
      } else {
        bits = 8;
        run = true;
        count = 0;
      }
      if (count == 255 || last) {
        bits += 8;
        run = false;
      }
    }
    c.bits.push_back(bits);
  }
}

// The cycle contract. Chunks must be encoded before their first beat is accepted.
class Clockwork {
 public:
  explicit Clockwork(uint32_t rows) : rows_(rows), until_(rows, 0) {}

  bool s_ready() const { return ready_; }
  bool m_valid() const { return !out_.empty(); }
  bool m_last() const { return out_.front().last; }
  bool m_user() const { return out_.front().last && (out_.front().chunk->status & 4) != 0; }
  uint32_t m_bytes() const { return out_.front().bytes; }
  const uint8_t* m_data() const { return out_.front().chunk->packet.data() + out_.front().from; }
  uint32_t raw_count() const { return raw_; }
  uint32_t error_count() const { return error_; }
  // Corners seen, also in what was reset since.
  struct Seen {
    uint64_t waited_for_row = 0, waited_for_histogram = 0;  // cycles
    int used = 0, items = 0, chunks = 0;
    std::vector<uint64_t> first_pops, first_merges;  // of each chunk, by cycle since reset
  };
  const Seen& seen() const { return seen_; }

  void reset() {
    Seen seen = std::move(seen_);
    *this = Clockwork(rows_);
    seen_ = std::move(seen);
  }

  // A cycle with aresetn = 1. `chunk` and `index` say which beat was offered.
  void clock(const Chunk* chunk, size_t index, bool s_valid, bool m_ready) {
    const bool accepted = s_valid && ready_;
    const bool left = m_valid() && m_ready;
    const bool merged = !vectors_.empty() && vectors_.front().at == cycle_;
    const int items = static_cast<int>(items_.size()), chunks = chunks_;
    seen_.items = std::max(seen_.items, items);
    seen_.chunks = std::max(seen_.chunks, chunks);
    seen_.used = std::max(seen_.used, used_);

    // Pop: of those that started in earlier cycles.
    bool popped = false;
    if (items > 0 && items_.front().ready != 0 && items_.front().ready <= cycle_ && used_ <= 61) {
      const Item& item = items_.front();
      vectors_.push_back({cycle_ + 5, item});
      if (item.keeps) until_[item.chunk->row + item.index] = cycle_ + 10;
      if (item.index == 0 && !item.tail) seen_.first_pops.push_back(cycle_ - 1);
      chunks_ -= item.final_item;
      items_.pop_front();
      popped = true;
    }

    const bool taken = start(items, chunks);

    // Merge.
    if (left) {
      if (out_.front().last) {
        raw_ += out_.front().chunk->raw;
        error_ += (out_.front().chunk->status & 4) != 0;
      }
      out_.pop_front();
    }
    int entered = 0;
    if (flush_) {
      out_.push_back(flushed_);
      flush_ = false;
      ++entered;
    }
    if (merged) {
      const Item item = vectors_.front().item;
      vectors_.pop_front();
      if (item.index == 0 && !item.tail) {
        x_ = 128, given_ = 0;
        seen_.first_merges.push_back(cycle_ - 1);
      }
      uint32_t total = x_ + (item.tail ? 0 : item.chunk->bits[item.index]);
      if (item.last_payload) total = (total + 7) / 8 * 8;
      if (item.final_item) total += 8;
      const uint32_t beats = item.final_item ? (total + 255) / 256 : total / 256;
      for (uint32_t b = 0; b < beats; ++b) {
        const uint32_t size = std::min<uint32_t>(256, total) / 8;
        const Out out{item.chunk, given_, size, item.final_item && b + 1 == beats};
        given_ += size;
        total -= 8 * size;
        if (entered == 2) {
          flush_ = true;
          flushed_ = out;
        } else {
          out_.push_back(out);
          ++entered;
        }
      }
      x_ = total;
    }
    used_ += 2 * popped - 2 * merged + entered - left;

    if (taken) in_.pop_front();
    if (accepted) in_.push_back({chunk, index});
    ++since_reset_;
    ready_ = since_reset_ >= rows_ && in_.size() <= 1;
    ++cycle_;
  }

 private:
  struct In {
    const Chunk* chunk;
    size_t index;
    bool last() const { return chunk->beats[index].last; }
  };
  struct Item {
    const Chunk* chunk = nullptr;
    uint32_t index = 0;
    bool last_payload = false, tail = false, final_item = false, keeps = false;
    uint64_t ready = 0;
  };
  struct Vector {
    uint64_t at;
    Item item;
  };
  struct Out {
    const Chunk* chunk;
    uint32_t from, bytes;
    bool last;
  };

  // Whether a beat is taken.
  bool start(int items, int chunks) {
    if (in_.empty() && !(chunk_ != nullptr && ended_ && !surplus_)) return false;
    const Chunk& c = chunk_ != nullptr ? *chunk_ : *in_.front().chunk;
    if (surplus_) {
      if (!in_.front().last()) return true;
      if (items > 1023) return false;
      add(Item{.chunk = &c, .tail = true, .final_item = true});
      chunk_ = nullptr;
      surplus_ = ended_ = false;
      return true;
    }
    const bool first = chunk_ == nullptr;
    const uint32_t i = first ? 0 : next_;
    const bool filler = !first && ended_;
    const bool keeps = c.residual && !c.raw && !filler;
    const bool room = items <= 1023 && (!first || chunks <= 63);
    const bool row_waits = keeps && until_[c.row + i] >= cycle_;
    // Ends of scans of chunks that are not RAW, those that have begun; 0: not known yet.
    const size_t begun = scan_ends_.size();
    const bool histogram_waits =
        first && !c.raw && begun >= 2 &&
        (scan_ends_[begun - 2] == 0 || scan_ends_[begun - 2] >= cycle_ + 8);
    seen_.waited_for_row += row_waits && room;
    seen_.waited_for_histogram += histogram_waits && room;
    if (!room || row_waits || histogram_waits) return false;
    if (keeps) until_[c.row + i] = UINT64_MAX;
    if (first && !c.raw) {
      scan_ends_.push_back(0);
      if (scan_ends_.size() > 3) scan_ends_.pop_front();
    }
    chunks_ += first;
    chunk_ = &c;
    if (!filler) ended_ = in_.front().last();
    next_ = i + 1;
    const bool last_payload = i + 1 == std::max<uint32_t>(1, (c.n + 7) / 8);
    add(Item{.chunk = &c,
             .index = i,
             .last_payload = last_payload,
             .final_item = last_payload && ended_,
             .keeps = keeps});
    if (last_payload && ended_) {
      chunk_ = nullptr;
      ended_ = false;
    } else if (last_payload) {
      surplus_ = true;
    }
    return !filler;
  }

  void add(Item item) {
    if (item.tail || item.chunk->raw) item.ready = cycle_ + 5 + 1;
    items_.push_back(item);
    if (!item.last_payload || item.chunk->raw) return;
    const uint64_t begin = std::max(cycle_ + 9, scan_end_ + 1);
    scan_end_ = begin + 63;
    scan_ends_.back() = scan_end_;
    for (auto i = items_.rbegin(); i != items_.rend() && i->ready == 0; ++i) i->ready = begin + 92;
  }

  uint32_t rows_;
  uint64_t cycle_ = 1;
  uint32_t since_reset_ = 0;
  bool ready_ = false;
  std::deque<In> in_;
  const Chunk* chunk_ = nullptr;
  uint32_t next_ = 0;
  bool ended_ = false, surplus_ = false;
  std::deque<Item> items_;
  int chunks_ = 0;
  uint64_t scan_end_ = 0;
  std::deque<uint64_t> scan_ends_;
  std::vector<uint64_t> until_;  // by row: the last cycle in which it is in flight
  std::deque<Vector> vectors_;
  std::deque<Out> out_;
  bool flush_ = false;
  Out flushed_{};
  uint32_t x_ = 0, given_ = 0;
  int used_ = 0;
  uint32_t raw_ = 0, error_ = 0;
  Seen seen_;
};

}  // namespace gw::adaptive_contract
