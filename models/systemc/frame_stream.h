// What the models of the switch's blocks share: a queue whose beats become visible at a known
// cycle, the metadata words of m_axis_tuser, the checksum of a control header.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <cstring>

#include "models/axis/beat.h"

namespace gw::systemc {

/// Fields of Beat::meta, as docs/devices/parser.md lays them out.
struct Meta {
  static constexpr uint32_t kKindGradient = 2;
  static constexpr uint32_t kComplete = 1u << 6;
  static constexpr uint32_t kOptimised = 1u << 19;

  static uint32_t kind(const Beat& b) { return b.meta[0] & 7; }
  static bool complete(const Beat& b) { return (b.meta[0] & kComplete) != 0; }
  static uint32_t count(const Beat& b) { return b.meta[0] >> 16 & 0xFF; }
  static uint32_t sequence(const Beat& b) { return b.meta[1]; }
  static uint32_t iteration(const Beat& b) { return b.meta[2]; }
  static uint32_t worker(const Beat& b) { return b.meta[3] & 0xFFFF; }
  static uint32_t group(const Beat& b) { return b.meta[3] >> 16; }
};

/// Beats in order; each can be seen from a cycle on that was fixed when it was put in.
///
/// `advance` ends a cycle. What was put in during cycle c with a delay of d is visible from cycle
/// c + d on; delays do not change while beats are on their way. 2 <= d <= 33.
template <uint32_t kSize>
class DelayedQueue {
  static_assert((kSize & (kSize - 1)) == 0);

 public:
  void clear() { head_ = tail_ = visible_ = calendar_ = 0; }
  bool empty() const { return visible_ == 0; }
  Beat& front() { return ring_[head_ % kSize]; }
  const Beat& front() const { return ring_[head_ % kSize]; }
  void pop() {
    ++head_;
    --visible_;
  }
  /// The place of the next beat, which push() puts in, or of the n-th one before it.
  Beat& back(uint32_t n = 0) { return ring_[(tail_ - n) % kSize]; }
  void push(uint32_t delay) {
    ++tail_;
    put_ = uint64_t{1} << (delay - 2);
  }
  void advance() {
    visible_ += static_cast<uint32_t>(calendar_ & 1);
    calendar_ = calendar_ >> 1 | put_;
    put_ = 0;
  }

 private:
  std::array<Beat, kSize> ring_;
  uint32_t head_ = 0, tail_ = 0, visible_ = 0;
  uint64_t calendar_ = 0, put_ = 0;
};

/// The control header's checksum, of its thirty bytes with the checksum taken as zero: `header`
/// points at byte 18 of the frame.
inline uint16_t header_checksum(const uint8_t* header) {
  uint32_t sum = 0;
  for (int i = 0; i < 28; i += 2) sum += static_cast<uint32_t>(header[i] << 8 | header[i + 1]);
  sum = (sum & 0xFFFF) + (sum >> 16);
  sum = (sum & 0xFFFF) + (sum >> 16);
  return static_cast<uint16_t>(~sum);
}

}  // namespace gw::systemc
