// What docs/devices/onebit.md and adaptive.md say alike of each cycle: chunks wait in a buffer
// until they are known as a whole, their items are popped one a cycle, and packets are merged of
// them. In plain C++, for the RTL's own tests; written from the contracts alone.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstdint>
#include <deque>
#include <utility>
#include <vector>

#include "tests/quant/edges_contract.h"

namespace gw::quant_rtl {

// Device: kMerge, the cycles from a pop to its merge; bits(item), what a payload item has without
// the status; waits(chunk), whether a chunk's first beat waits for more than room and its row;
// begins(chunk); known(chunk), from which cycle on a chunk's items may be popped, its last payload
// item having started in this one. Chunks must have their packets before their first beat is
// accepted.
template <class Device, class Chunk>
class ChunkBufferClockwork : public EdgesClockwork<Chunk> {
  using Edges = EdgesClockwork<Chunk>;

 public:
  explicit ChunkBufferClockwork(uint32_t rows) : Edges(rows), until_(rows, 0) {}

  // Corners seen, also in what was reset since.
  struct Seen {
    uint64_t waited_for_row = 0, waited_otherwise = 0;  // cycles
    int used = 0, items = 0, chunks = 0;
    std::vector<uint64_t> first_pops, first_merges;  // of each chunk, by cycle since reset
  };
  const Seen& seen() const { return seen_; }

  void reset() {
    Seen seen = std::move(seen_);
    device() = Device(rows_);
    seen_ = std::move(seen);
  }

  // A cycle with aresetn = 1. `chunk` and `index` say which beat was offered.
  void clock(const Chunk* chunk, size_t index, bool s_valid, bool m_ready) {
    const bool accepted = s_valid && this->s_ready();
    const bool left = this->m_valid() && m_ready;
    const bool merged = !vectors_.empty() && vectors_.front().at == cycle_;
    const int items = static_cast<int>(items_.size()), chunks = chunks_;
    seen_.items = std::max(seen_.items, items);
    seen_.chunks = std::max(seen_.chunks, chunks);
    seen_.used = std::max(seen_.used, used_);

    const bool popped = pop();
    const bool taken = start(items, chunks);
    if (merged && vectors_.front().what.first) seen_.first_merges.push_back(cycle_ - 1);
    const int entered = this->merge(left, merged ? &vectors_.front().what : nullptr);
    if (merged) vectors_.pop_front();
    used_ += 2 * popped - 2 * merged + entered - left;

    this->end_cycle(taken, accepted, chunk, index);
  }

 protected:
  struct Item {
    const Chunk* chunk = nullptr;
    uint32_t index = 0;
    bool last_payload = false, tail = false, final_item = false, keeps = false;
    uint64_t ready = 0;  // 0: not known yet
  };
  uint64_t cycle() const { return cycle_; }

 private:
  struct Vector {
    uint64_t at;
    typename Edges::Merged what;
  };
  using Edges::cycle_, Edges::in_, Edges::rows_;

  Device& device() { return static_cast<Device&>(*this); }

  // Of those that started in earlier cycles.
  bool pop() {
    if (items_.empty() || items_.front().ready == 0 || items_.front().ready > cycle_ ||
        used_ > 61) {
      return false;
    }
    const Item& item = items_.front();
    vectors_.push_back({cycle_ + Device::kMerge,
                        {.chunk = item.chunk,
                         .bits = item.tail ? 0 : device().bits(item),
                         .first = item.index == 0 && !item.tail,
                         .rounds = item.last_payload,
                         .last = item.final_item}});
    if (item.keeps) until_[item.chunk->row + item.index] = cycle_ + Device::kMerge + 5;
    if (item.index == 0 && !item.tail) seen_.first_pops.push_back(cycle_ - 1);
    chunks_ -= item.final_item;
    items_.pop_front();
    return true;
  }

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
    const bool waits = first && device().waits(c);
    seen_.waited_for_row += row_waits && room;
    seen_.waited_otherwise += waits && room;
    if (!room || row_waits || waits) return false;
    if (keeps) until_[c.row + i] = UINT64_MAX;
    if (first) device().begins(c);
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
    const uint64_t ready = device().known(*item.chunk);
    for (auto i = items_.rbegin(); i != items_.rend() && i->ready == 0; ++i) i->ready = ready;
  }

  const Chunk* chunk_ = nullptr;
  uint32_t next_ = 0;
  bool ended_ = false, surplus_ = false;
  std::deque<Item> items_;
  int chunks_ = 0;
  std::vector<uint64_t> until_;  // by row: the last cycle in which it is in flight
  std::deque<Vector> vectors_;
  int used_ = 0;
  Seen seen_;
};

}  // namespace gw::quant_rtl
