// What the contracts of all quantisers say alike of their two ends: the input buffer, and packets
// merged of what becomes of a chunk's items. In plain C++, for the RTL's own tests.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>

namespace gw::quant_rtl {

// What is between the ends, a contract adds. Chunks must have their packets before their first beat
// is accepted.
template <class Chunk>
class EdgesClockwork {
 public:
  bool s_ready() const { return ready_; }
  bool m_valid() const { return !out_.empty(); }
  bool m_last() const { return out_.front().last; }
  bool m_user() const { return out_.front().last && (out_.front().chunk->status & 4) != 0; }
  uint32_t m_bytes() const { return out_.front().bytes; }
  const uint8_t* m_data() const { return out_.front().chunk->packet.data() + out_.front().from; }
  uint32_t raw_count() const { return raw_; }
  uint32_t error_count() const { return error_; }

 protected:
  explicit EdgesClockwork(uint32_t rows) : rows_(rows) {}

  struct In {
    const Chunk* chunk;
    size_t index;
    bool last() const { return chunk->beats[index].last; }
  };
  // What is merged in a cycle: of the payload so many bits, without the status.
  struct Merged {
    const Chunk* chunk;
    uint32_t bits;
    bool first;   // of its packet: behind the header
    bool rounds;  // the payload's last: zeros fill the byte
    bool last;    // the status follows
  };

  // The output side of a cycle, `merged` or null. How many beats enter the output queue.
  int merge(bool left, const Merged* merged) {
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
    if (merged == nullptr) return entered;
    if (merged->first) waiting_ = 128, given_ = 0;
    uint32_t total = waiting_ + merged->bits;
    if (merged->rounds) total = (total + 7) / 8 * 8;
    if (merged->last) total += 8;
    const uint32_t beats = merged->last ? (total + 255) / 256 : total / 256;
    for (uint32_t b = 0; b < beats; ++b) {
      const uint32_t size = std::min<uint32_t>(256, total) / 8;
      const Out out{merged->chunk, given_, size, merged->last && b + 1 == beats};
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
    waiting_ = total;
    return entered;
  }

  // The input side, and with it the cycle's end.
  void end_cycle(bool taken, bool accepted, const Chunk* chunk, size_t index) {
    if (taken) in_.pop_front();
    if (accepted) in_.push_back({chunk, index});
    ++since_reset_;
    ready_ = since_reset_ >= std::max<uint32_t>(1, rows_) && in_.size() <= 1;
    ++cycle_;
  }

  uint32_t rows_;
  uint64_t cycle_ = 1;
  std::deque<In> in_;

 private:
  struct Out {
    const Chunk* chunk;
    uint32_t from, bytes;
    bool last;
  };

  uint32_t since_reset_ = 0;
  bool ready_ = false;
  std::deque<Out> out_;
  bool flush_ = false;
  Out flushed_{};
  uint32_t waiting_ = 0, given_ = 0;  // of the packet: bits in the merge, bytes gone from it
  uint32_t raw_ = 0, error_ = 0;
};

}  // namespace gw::quant_rtl
