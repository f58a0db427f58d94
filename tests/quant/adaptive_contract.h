// What docs/devices/adaptive.md says of gw_adaptive, in plain C++: packets of chunks (values), and
// each cycle's handshakes (time). For the RTL's own test; written from the contract alone.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <deque>
#include <vector>

#include "tests/quant/chunk_buffer_contract.h"
#include "tests/quant/mx_contract.h"

namespace gw::adaptive_contract {

using mx_contract::as_bits;
using mx_contract::as_float;
using mx_contract::Beat;
using mx_contract::finite;

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
  std::array<uint32_t, 2> means{};
};

// Bits of a payload, from bit 0 of byte 0 up.
struct Bits {
  std::vector<uint8_t>& bytes;
  uint64_t count = 0;
  void put(uint64_t value, int width) {
    for (int i = 0; i < width; ++i, ++count) {
      if (count % 8 == 0) bytes.push_back(0);
      bytes.back() |= (value >> i & 1) << count % 8;
    }
  }
  // A gap in Rice code.
  void gap(uint32_t gap, int k) {
    const uint32_t q = gap >> k;
    if (q < 15) {
      put((1U << q) - 1, static_cast<int>(q) + 1);
      put(gap & ((1U << k) - 1), k);
    } else {
      put(0x7FFF, 15);
      put(gap, 20);
    }
  }
};

// A value's bin, or none: -1.
inline int bin_of(uint32_t v) {
  return (v & 0x7FFFFFFF) == 0 ? -1 : static_cast<int>(v >> 21 & 0x3FF);
}
inline bool negative(uint32_t v) { return v >> 31 && v != 0x80000000; }

// What of the values of one side is sent: all whose bin is at least `from`. And their mean.
struct Side {
  int from = 1024;
  uint32_t mean = 0;
};
inline Side select(const std::vector<uint32_t>& v, bool side, uint32_t p, int top) {
  std::array<uint64_t, 1024> counts{};
  uint64_t all = 0;
  for (const uint32_t x : v) {
    if (negative(x) != side) continue;
    ++all;
    if (bin_of(x) >= 0) ++counts[bin_of(x)];
  }
  Side result;
  const uint64_t wanted = std::max<uint64_t>(1, all >> p);
  const int bottom = std::max(0, top - 127);
  uint64_t taken = 0, sum = 0;
  // Middles in units of that of the smallest binade looked at, whose exponent field is at least 1.
  const int unit = std::max(1, bottom >> 2);
  for (int bin = top; bin >= bottom && top >= 0; --bin) {
    const uint64_t count = counts[bin];
    if (taken > 0 && taken + count > wanted) break;
    if (count == 0) continue;
    taken += count;
    result.from = bin;
    const int exponent = bin >> 2, quarter = bin & 3;
    sum += count * (exponent > 0 ? uint64_t(9 + 2 * quarter) << (exponent - unit)
                                 : uint64_t(1 + 2 * quarter));
  }
  if (taken == 0) return result;
  // To 24 bits, nearest even; a double holds that, and the quotient is far enough from where two
  // roundings would differ from one (24 bits by 13).
  const int drop = std::max(0, 64 - std::countl_zero(sum) - 24);
  uint64_t rounded = sum >> drop;
  if (drop > 0) {
    const uint64_t rest = sum & ((uint64_t{1} << drop) - 1), half = uint64_t{1} << (drop - 1);
    rounded += rest > half || (rest == half && (rounded & 1) != 0);
  }
  const double quotient = static_cast<double>(rounded) / static_cast<double>(taken);
  result.mean = as_bits(static_cast<float>(std::ldexp(quotient, drop + unit - 130)));
  return result;
}

// The chunk's packet and what each of its items has of it; residuals are read and written.
inline void encode(Chunk& c, std::vector<uint32_t>& residuals, uint32_t rows) {
  const uint32_t items = (c.n + 7) / 8;
  c.raw = c.n == 0 || c.n > 4096 || c.p < 1 || c.p > 10 ||
          (c.residual && uint64_t{c.row} + items > rows);
  std::vector<uint32_t> v(c.n, 0), g(c.n, 0);
  std::vector<bool> here(c.n, false);
  uint64_t bytes = 0;
  for (size_t b = 0; b < c.beats.size(); ++b) {
    const int count = c.beats[b].last ? std::countr_one(c.beats[b].keep) : 32;
    bytes += count;
    for (int i = 0; i < count / 4; ++i) {
      if (8 * b + i >= c.n) continue;
      g[8 * b + i] = c.beats[b].data[i];
      here[8 * b + i] = true;
    }
  }
  c.status = (c.error ? 4 : 0) | (c.n == 0 || bytes != 4ULL * c.n ? 2 : 0);
  c.bits.clear();
  c.entries = 0;
  std::vector<uint8_t>& packet = c.packet;
  packet.assign(16, 0);
  for (int i = 0; i < 4; ++i) packet[4 + i] = c.n >> 8 * i & 0xFF;
  if (c.raw) {
    for (uint32_t j = 0; j < c.n; ++j) {
      if (!finite(g[j])) c.status |= 1;
      for (int i = 0; i < 4; ++i) packet.push_back(g[j] >> 8 * i & 0xFF);
    }
    for (uint32_t first = 0; first == 0 || first < c.n; first += 8)
      c.bits.push_back(32 * (std::min(c.n, first + 8) - first));
    packet.push_back(c.status);
    return;
  }
  int top = -1;
  for (uint32_t j = 0; j < c.n; ++j) {
    if (here[j]) {
      const uint32_t r = c.residual ? residuals[8 * c.row + j] : 0;
      v[j] = !c.residual ? g[j] : as_bits(as_float(g[j]) + as_float(r));
      if (!finite(g[j]) || !finite(v[j])) {
        v[j] = r;
        c.status |= 1;
      }
    }
    top = std::max(top, bin_of(v[j]));
  }
  const Side sides[2] = {select(v, false, c.p, top), select(v, true, c.p, top)};
  std::vector<bool> sent(c.n);
  for (uint32_t j = 0; j < c.n; ++j) {
    const Side& side = sides[negative(v[j])];
    sent[j] = bin_of(v[j]) >= side.from;
    c.entries += sent[j];
    if (c.residual && here[j]) {
      const float d = sent[j] ? as_float(side.mean) : 0;
      residuals[8 * c.row + j] = as_bits(as_float(v[j]) - (negative(v[j]) ? -d : d));
    }
  }
  int k = 0;
  while (k < 14 && (3ULL * c.entries << (k + 1)) <= 2ULL * c.n) ++k;
  packet[0] = 5;
  packet[1] = c.rice ? 1 + k : 0;
  c.means = {sides[0].mean, sides[1].mean | 0x80000000};
  for (int i = 0; i < 8; ++i) packet[8 + i] = c.means[i / 4] >> 8 * (i % 4) & 0xFF;
  Bits payload{packet};
  uint32_t gap = 0;
  int run = -1;  // empty groups after the first one of a run
  for (uint32_t first = 0; first < c.n; first += 8) {
    const uint64_t before = payload.count;
    const uint32_t end = std::min(c.n, first + 8);
    const bool last = first + 8 >= c.n;
    if (c.rice) {
      for (uint32_t j = first; j < end; ++j) {
        if (!sent[j]) {
          ++gap;
          continue;
        }
        payload.gap(gap, k);
        payload.put(negative(v[j]), 1);
        gap = 0;
      }
      if (last) payload.gap(gap, k);
    } else {
      uint32_t mask = 0, signs = 0;
      for (uint32_t j = first; j < end; ++j) {
        mask |= uint32_t{sent[j]} << (j - first);
        signs |= uint32_t{sent[j] && negative(v[j])} << (j - first);
      }
      if (mask == 0 && run < 0) {
        payload.put(0, 8);
        run = 0;
      } else if (mask == 0) {
        ++run;
      }
      if (run >= 0 && (mask != 0 || run == 255 || last)) {
        payload.put(run, 8);
        run = -1;
      }
      if (mask != 0) payload.put(mask | signs << 8, 16);
    }
    c.bits.push_back(static_cast<uint32_t>(payload.count - before));
  }
  packet.push_back(c.status);
}

// The cycle contract.
class Clockwork final : public quant_rtl::ChunkBufferClockwork<Clockwork, Chunk> {
 public:
  using ChunkBufferClockwork::ChunkBufferClockwork;

 private:
  friend ChunkBufferClockwork;
  static constexpr int kMerge = 5;

  static uint32_t bits(const Item& item) { return item.chunk->bits[item.index]; }
  // There are two histograms.
  bool waits(const Chunk& c) const {
    const size_t begun = scan_ends_.size();
    return !c.raw && begun >= 2 &&
           (scan_ends_[begun - 2] == 0 || scan_ends_[begun - 2] >= cycle() + 8);
  }
  void begins(const Chunk& c) {
    if (c.raw) return;
    scan_ends_.push_back(0);
    if (scan_ends_.size() > 3) scan_ends_.pop_front();
  }
  uint64_t known(const Chunk&) {
    const uint64_t begin = std::max(cycle() + 9, scan_end_ + 1);
    scan_end_ = begin + 63;
    scan_ends_.back() = scan_end_;
    return begin + 92;
  }

  uint64_t scan_end_ = 0;
  // Ends of scans of chunks that are not RAW, those that have begun; 0: not known yet.
  std::deque<uint64_t> scan_ends_;
};

}  // namespace gw::adaptive_contract
