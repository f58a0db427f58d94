// Internal to the quantisers: bits of a packet, least significant first.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

namespace gw::reference::quant::internal {

inline void put_word(std::vector<uint8_t>& to, uint32_t word) {
  for (int i = 0; i < 4; ++i) to.push_back(static_cast<uint8_t>(word >> 8 * i));
}

inline uint32_t get_word(const uint8_t* from) {
  return uint32_t{from[0]} | uint32_t{from[1]} << 8 | uint32_t{from[2]} << 16 |
         uint32_t{from[3]} << 24;
}

/// Appends to a vector; finish() fills the last byte with zeros.
class BitWriter {
 public:
  explicit BitWriter(std::vector<uint8_t>& to) : to_(to) {}

  /// The low `count` (0..32) bits; those above are zero.
  void put(uint32_t bits, int count) {
    pending_ |= uint64_t{bits} << used_;
    used_ += count;
    for (; used_ >= 8; used_ -= 8, pending_ >>= 8) to_.push_back(static_cast<uint8_t>(pending_));
  }
  void finish() { put(0, (8 - used_) % 8); }

 private:
  std::vector<uint8_t>& to_;
  uint64_t pending_ = 0;
  int used_ = 0;  // bits of pending_, 0..7 between calls
};

/// Reads bits of a span. Beyond its end there are zeros, and ok() becomes false.
class BitReader {
 public:
  explicit BitReader(std::span<const uint8_t> from) : from_(from) {}

  uint32_t take(int count) {
    const uint32_t bits = peek() & ((1u << count) - 1);
    at_ += static_cast<size_t>(count);
    return bits;
  }
  /// At least 24 bits from here on.
  uint32_t peek() const {
    const size_t byte = at_ / 8;
    uint32_t word = 0;
    if (byte + 4 <= from_.size()) {
      word = get_word(from_.data() + byte);
    } else {
      for (size_t i = byte; i < from_.size(); ++i) word |= uint32_t{from_[i]} << 8 * (i - byte);
    }
    return word >> at_ % 8;
  }
  void skip(int count) { at_ += static_cast<size_t>(count); }
  bool ok() const { return at_ <= from_.size() * 8; }
  size_t bytes() const { return (at_ + 7) / 8; }

 private:
  std::span<const uint8_t> from_;
  size_t at_ = 0;  // in bits
};

}  // namespace gw::reference::quant::internal
