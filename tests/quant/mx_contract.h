// What docs/devices/mx.md says of gw_mx, in plain C++: packets of chunks (values), and each cycle's
// handshakes (time). For the RTL's own test; written from the contract alone.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <deque>
#include <vector>

#include "tests/quant/edges_contract.h"

namespace gw::mx_contract {

struct Beat {
  std::array<uint32_t, 8> data{};
  uint32_t keep = 0xFFFFFFFF;
  bool last = false;
  uint64_t user = 0;
};

struct Chunk {
  uint32_t n = 0, row = 0;
  int format = 0;   // as format_i: 0 E4M3, 1 E2M1, 2 E5M2, 3 none
  bool up = false;  // scale_i
  bool residual = false, error = false;
  bool fp4() const { return format == 1; }
  std::vector<Beat> beats;
  // What follows from it.
  bool raw = false;
  uint64_t bytes_came = 0;
  std::vector<uint8_t> packet;
  uint8_t status = 0;
};

inline bool finite(uint32_t x) { return (x >> 23 & 0xFF) != 0xFF; }
inline float as_float(uint32_t x) { return std::bit_cast<float>(x); }
inline uint32_t as_bits(float x) { return std::bit_cast<uint32_t>(x); }

// Of an element without sign what it stands for: mantissa of `bits` bits, exponents from `bias` on.
inline double element_value(int code, int bits, int bias) {
  const int exponent = code >> bits, fraction = code & ((1 << bits) - 1);
  return exponent == 0 ? std::ldexp(fraction, 1 - bias - bits)
                       : std::ldexp((1 << bits) + fraction, exponent - bias - bits);
}

// All elements' values without sign, in their order.
inline std::vector<double> element_values(int top, int bits, int bias) {
  std::vector<double> values;
  for (int code = 0; code <= top; ++code) values.push_back(element_value(code, bits, bias));
  return values;
}

// An element's format: the largest code, bits of the fraction, bias, the header's byte.
struct Element {
  int top, bits, bias, byte;
  double value(int code) const { return element_value(code, bits, bias); }
};
constexpr Element kElements[] = {{0x7E, 3, 7, 6}, {7, 1, 1, 7}, {0x7B, 2, 15, 8}};

// Nearest even among all that there are, by search.
inline int nearest(double x, int format) {
  static const auto kAll = [] {
    std::array<std::vector<double>, 3> all;
    for (int f = 0; f < 3; ++f)
      all[f] = element_values(kElements[f].top, kElements[f].bits, kElements[f].bias);
    return all;
  }();
  const std::vector<double>& values = kAll[format];
  const auto over = std::upper_bound(values.begin() + 1, values.end(), x);
  if (over == values.end()) return static_cast<int>(values.size()) - 1;
  const int low = static_cast<int>(over - values.begin()) - 1;
  const double below = x - over[-1], above = *over - x;
  return below < above || (below == above && low % 2 == 0) ? low : low + 1;
}

// The chunk's packet; residuals are read and written.
inline void encode(Chunk& c, std::vector<uint32_t>& residuals, uint32_t rows) {
  const uint32_t items = (c.n + 7) / 8;
  const bool residual = c.residual && rows > 0;
  c.raw = c.n == 0 || c.format == 3 || (residual && uint64_t{c.row} + items > rows);
  std::vector<uint32_t> g(c.n, 0);
  std::vector<bool> here(c.n, false);
  c.bytes_came = 0;
  for (size_t b = 0; b < c.beats.size(); ++b) {
    const Beat& beat = c.beats[b];
    const int count = beat.last ? std::countr_one(beat.keep) : 32;
    c.bytes_came += count;
    for (int i = 0; i < count / 4; ++i) {
      if (8 * b + i >= c.n) continue;
      g[8 * b + i] = beat.data[i];
      here[8 * b + i] = true;
    }
  }
  c.status = c.error ? 4 : 0;
  if (c.n == 0 || c.bytes_came != 4ULL * c.n) c.status |= 2;
  std::vector<uint8_t>& p = c.packet;
  p.assign(16, 0);
  p[0] = c.raw ? 0 : kElements[c.format].byte;
  for (int i = 0; i < 4; ++i) p[4 + i] = c.n >> 8 * i & 0xFF;
  if (c.raw) {
    for (uint32_t x : g) {
      if (!finite(x)) c.status |= 1;
      for (int i = 0; i < 4; ++i) p.push_back(x >> 8 * i & 0xFF);
    }
    p.push_back(c.status);
    return;
  }
  for (uint32_t first = 0; first < c.n; first += 32) {
    std::array<uint32_t, 32> v{};
    bool poisoned = false;
    int e = 0;
    double largest = 0;
    for (uint32_t j = first; j < std::min(c.n, first + 32); ++j) {
      uint32_t& out = v[j - first];
      if (!here[j]) continue;
      const uint32_t r = residual ? residuals[8 * c.row + j] : 0;
      if (!finite(g[j])) {
        poisoned = true;
        out = r;
        c.status |= 1;
      } else if (residual) {
        out = as_bits(as_float(g[j]) + as_float(r));
        if (!finite(out)) {
          out = r;
          c.status |= 1;
        }
      } else {
        out = g[j];
      }
      e = std::max<int>(e, out >> 23 & 0xFF);
      largest = std::max(largest, std::fabs(static_cast<double>(as_float(out))));
    }
    const Element& kind = kElements[c.format];
    constexpr int kLess[] = {8, 2, 15};
    int s = std::max(0, e - kLess[c.format]);
    if (c.up) {
      s = 0;
      while (s < 254 - kLess[c.format] && std::ldexp(largest, 127 - s) > kind.value(kind.top)) ++s;
    }
    p.push_back(poisoned ? 255 : s);
    std::array<uint8_t, 32> element{};
    for (uint32_t j = 0; j < 32; ++j) {
      const double x = std::ldexp(std::fabs(static_cast<double>(as_float(v[j]))), 127 - s);
      const int code = nearest(x, c.format);
      const bool negative = v[j] >> 31;
      element[j] = poisoned ? 0 : code | (negative ? (c.fp4() ? 8 : 0x80) : 0);
      if (residual && !poisoned && first + j < c.n && here[first + j]) {
        const double d = std::ldexp(kind.value(code), s - 127);
        residuals[8 * c.row + first + j] =
            as_bits(as_float(v[j]) - static_cast<float>(negative ? -d : d));
      }
    }
    for (int j = 0; j < 32; j += c.fp4() ? 2 : 1)
      p.push_back(c.fp4() ? element[j] | element[j + 1] << 4 : element[j]);
  }
  p.push_back(c.status);
}

// The cycle contract. Chunks must be encoded before their first beat is accepted.
class Clockwork : public quant_rtl::EdgesClockwork<Chunk> {
 public:
  explicit Clockwork(uint32_t rows) : EdgesClockwork(rows), v_(rows > 0 ? 5 : 0) {}

  uint64_t waited() const { return waited_; }
  int most_used() const { return most_used_; }

  void reset() {
    const uint32_t rows = rows_;
    const uint64_t cycle = cycle_;
    const int most = most_used_;
    *this = Clockwork(rows);
    cycle_ = cycle + 1;
    most_used_ = most;
  }

  // A cycle with aresetn = 1. `chunk` and `index` say which beat was offered.
  void clock(const Chunk* chunk, size_t index, bool s_valid, bool m_ready) {
    const bool accepted = s_valid && s_ready();
    const bool left = m_valid() && m_ready;
    bool started = false, taken = false;
    const bool beat = !in_.empty();

    // Start, or a surplus beat.
    if (beat || (chunk_ != nullptr && ended_ && !surplus_)) {
      const Chunk& c = chunk_ != nullptr ? *chunk_ : *in_.front().chunk;
      const uint32_t payload = std::max<uint32_t>(1, (c.n + 7) / 8);
      if (surplus_) {
        if (!in_.front().last()) {
          taken = true;
        } else if (used_ <= 61) {
          start(Item{.chunk = &c, .tail = true, .final_item = true});
          started = taken = true;
          chunk_ = nullptr;
          surplus_ = false;
        }
      } else {
        const bool first = chunk_ == nullptr;
        const uint32_t i = first ? 0 : next_;
        const bool filler = !first && ended_;
        const bool keeps = c.residual && rows_ > 0 && !c.raw && !filler;
        const bool hazard =
            keeps && std::any_of(flight_.begin(), flight_.end(),
                                 [&](const Flight& f) { return f.row == c.row + i; });
        waited_ += hazard && used_ <= 61;
        if (used_ <= 61 && !hazard) {
          chunk_ = &c;
          if (!filler) {
            taken = true;
            ended_ = in_.front().last();
          }
          next_ = i + 1;
          const bool last_payload = i + 1 == payload;
          start(Item{.chunk = &c,
                     .index = i,
                     .last_payload = last_payload,
                     .final_item = last_payload && ended_,
                     .keeps = keeps});
          started = true;
          if (last_payload && ended_)
            chunk_ = nullptr, ended_ = false;
          else if (last_payload)
            surplus_ = true;
        }
      }
    }
    const bool merged = !vectors_.empty() && vectors_.front().at == cycle_;

    // Pop: of those that started earlier. Then rows that are written at the end of this cycle are
    // free.
    if (!items_.empty() && items_.front().ready != 0 && items_.front().ready <= cycle_) {
      const Item& item = items_.front();
      vectors_.push_back({cycle_ + 3,
                          {.chunk = item.chunk,
                           .bits = 8 * bytes(item),
                           .first = item.index == 0 && !item.tail,
                           .rounds = false,
                           .last = item.final_item}});
      if (item.keeps) {
        for (Flight& f : flight_) {
          if (f.until == 0) {
            f.until = cycle_ + 6;
            break;
          }
        }
      }
      items_.pop_front();
    }
    while (!flight_.empty() && flight_.front().until != 0 && flight_.front().until <= cycle_)
      flight_.pop_front();

    // Merge.
    const int entered = merge(left, merged ? &vectors_.front().what : nullptr);
    if (merged) vectors_.pop_front();
    used_ += 2 * started - 2 * merged + entered - left;
    most_used_ = std::max(most_used_, used_);

    end_cycle(taken, accepted, chunk, index);
  }

 private:
  struct Item {
    const Chunk* chunk = nullptr;
    uint32_t index = 0;
    bool last_payload = false, tail = false, final_item = false, keeps = false;
    uint64_t ready = 0;
  };
  struct Vector {
    uint64_t at;
    Merged what;
  };
  struct Flight {
    uint32_t row;
    uint64_t until;
  };

  void start(Item item) {
    const Chunk& c = *item.chunk;
    if (item.keeps) flight_.push_back({c.row + item.index, 0});
    const uint64_t ready = cycle_ + v_ + 1;
    if (item.tail || c.raw) {
      item.ready = ready;
      items_.push_back(item);
      return;
    }
    items_.push_back(item);
    if (item.last_payload || item.index % 4 == 3) {
      for (auto i = items_.rbegin(); i != items_.rend() && i->ready == 0; ++i) i->ready = ready;
    }
  }

  static uint32_t bytes(const Item& item) {
    const Chunk& c = *item.chunk;
    if (item.tail) return 0;
    if (c.raw) return 4 * (std::min(c.n, 8 * item.index + 8) - 8 * item.index);
    const uint32_t place = item.index % 4;
    return (place == 0) + (c.fp4() ? 4 : 8) * (item.last_payload ? 4 - place : 1);
  }

  int v_;
  uint64_t waited_ = 0;
  const Chunk* chunk_ = nullptr;
  uint32_t next_ = 0;
  bool ended_ = false, surplus_ = false;
  std::deque<Item> items_;
  std::deque<Flight> flight_;
  std::deque<Vector> vectors_;
  int used_ = 0, most_used_ = 0;
};

}  // namespace gw::mx_contract
