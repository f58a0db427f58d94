// What docs/devices/onebit.md says of each cycle's handshakes, in plain C++. For the RTL's own
// test; written from the contract alone. What a chunk's packet is the reference says.
#pragma once
#include <algorithm>
#include <cstdint>
#include <deque>
#include <vector>

#include "tests/quant/mx_contract.h"

namespace gw::onebit_contract {

using mx_contract::Beat;
using mx_contract::Chunk;

// Chunks must have their packets before their first beat is accepted.
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
    uint64_t waited = 0;  // cycles for a row in flight
    int used = 0, items = 0, chunks = 0;
  };
  const Seen& seen() const { return seen_; }

  void reset() {
    const Seen seen = seen_;
    const uint64_t cycle = cycle_;
    *this = Clockwork(rows_);
    seen_ = seen;
    cycle_ = cycle + 1;
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
      vectors_.push_back({cycle_ + 3, item, bytes(item)});
      if (item.keeps) until_[item.chunk->row + item.index] = cycle_ + 8;
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
      const Vector& vector = vectors_.front();
      const bool last = vector.item.final_item;
      if (vector.item.index == 0 && !vector.item.tail) x_ = 16, given_ = 0;
      uint32_t total = x_ + vector.bytes;
      const uint32_t beats = last ? (total + 31) / 32 : total / 32;
      for (uint32_t b = 0; b < beats; ++b) {
        const uint32_t size = std::min<uint32_t>(32, total);
        const Out out{vector.item.chunk, given_, size, last && b + 1 == beats};
        given_ += size;
        total -= size;
        if (entered == 2) {
          flush_ = true;
          flushed_ = out;
        } else {
          out_.push_back(out);
          ++entered;
        }
      }
      x_ = total;
      vectors_.pop_front();
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
    uint32_t bytes;
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
    const bool waits = keeps && until_[c.row + i] >= cycle_;
    seen_.waited += waits && room;
    if (!room || waits) return false;
    if (keeps) until_[c.row + i] = UINT64_MAX;
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
    if (!item.last_payload) return;
    for (auto i = items_.rbegin(); i != items_.rend() && i->ready == 0; ++i) i->ready = cycle_ + 32;
  }

  static uint32_t bytes(const Item& item) {
    const Chunk& c = *item.chunk;
    const uint32_t status = item.final_item ? 1 : 0;
    if (item.tail) return status;
    if (!c.raw) return status + 1;
    return status + 4 * (std::min(c.n, 8 * item.index + 8) - 8 * item.index);
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

}  // namespace gw::onebit_contract
