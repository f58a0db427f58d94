// The function and the cycle contract of docs/devices/mx.md, transcribed sentence by sentence:
// queues of beats, items with time stamps, vectors of bytes, residuals written when the contract
// says; and elements found by looking for the nearest. The core takes short cuts; this does not,
// and must agree with it in every cycle.
//
// The contract's numbers and rules are fields, so that a test can break one and see that the
// comparison notices.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <deque>
#include <memory>
#include <optional>
#include <stdexcept>
#include <vector>

#include "models/axis/beat.h"
#include "models/systemc/mx.h"

namespace gw::systemc {

namespace mx_spec {

using Bytes = std::vector<uint8_t>;

inline double number(uint32_t bits) { return std::bit_cast<float>(bits); }
inline uint32_t nearest(double exact) { return std::bit_cast<uint32_t>(static_cast<float>(exact)); }
inline bool finite(uint32_t bits) { return (bits >> 23 & 255) != 255; }

/// The contract's table of elements, by format_i; how many bits, and a packet's first byte.
struct Fields {
  int fraction_bits, bias, largest;
  uint32_t x;
  int bits;
  uint8_t format;
};
inline constexpr Fields kFields[] = {
    {3, 7, 0x7E, 8, 8, 6}, {1, 1, 7, 2, 4, 7}, {2, 15, 0x7B, 15, 8, 8}};

/// What a decoder makes of an element's magnitude, before it is scaled.
inline double element(int code, const Fields& f) {
  const int exponent = code >> f.fraction_bits;
  const double fraction = (code & ((1 << f.fraction_bits) - 1)) / double(1 << f.fraction_bits);
  return exponent == 0 ? std::ldexp(fraction, 1 - f.bias)
                       : std::ldexp(1 + fraction, exponent - f.bias);
}

/// The code nearest to `magnitude`, the even one of two; the largest there is if it is beyond.
inline int nearest_code(double magnitude, const Fields& f) {
  for (int code = 0; code < f.largest; ++code) {
    const double low = magnitude - element(code, f), high = element(code + 1, f) - magnitude;
    if (low < high || (low == high && code % 2 == 0)) return code;
  }
  return f.largest;
}

}  // namespace mx_spec

class LiteralMx {
 public:
  struct Numbers {
    uint64_t value_delay = 5, merge_delay = 3, flight = 6;
    int max_used = 61;
    size_t input = 2, max_enter = 2, queue = 64;
    bool missing_keep = true, poisoned_keep = true, lanes_above_keep = true;
    bool fillers_wait = false, others_wait = false;  // for rows in flight
    bool tails_need_credit = true, surplus_needs_credit = false;
    bool raw_by_length = true, pins_at_accept = true;
    bool signs_of_zeros = true, even = true, overflow_keeps = true, tail_carries = true;
    bool no_format_is_raw = true, scale_counts = true, last_binade = true;
    int zeroing = 0;  // edges more, or fewer
  };

  explicit LiteralMx(uint32_t rows, Numbers numbers) : n_(numbers), memory_(rows) {
    if (rows == 0) n_.value_delay = 0;
  }
  explicit LiteralMx(uint32_t rows = 8192) : LiteralMx(rows, Numbers{}) {}

  void configure(MxConfig config) { pins_ = config; }
  void reset() {
    const MxConfig pins = pins_;
    const Numbers numbers = n_;
    *this = LiteralMx(static_cast<uint32_t>(memory_.size()), numbers);
    pins_ = pins;
  }
  bool s_ready() const { return ready_; }
  const Beat* m_beat() const { return queue_.empty() ? nullptr : &queue_.front().beat; }
  uint32_t raw_count() const { return raws_; }
  uint32_t error_count() const { return errors_; }

  void clock(const Beat* s, bool m_ready) {
    const int edges = std::max(static_cast<int>(memory_.size()), 1) + n_.zeroing;
    if (zeroed_ < edges) {
      if (zeroed_ < static_cast<int>(memory_.size())) memory_[static_cast<size_t>(zeroed_)] = {};
      ready_ = ++zeroed_ == edges;
      return;
    }
    const bool accept = s != nullptr && ready_;
    const bool left = m_ready && !queue_.empty();
    merged_ = false;
    const std::vector<Leaving> entering = merge();
    started_ = false;
    start();
    pop();
    write();

    used_ += 2 * started_ - 2 * merged_ + static_cast<int>(entering.size()) - left;
    if (left) {
      if (queue_.front().beat.last != 0) {
        errors_ += queue_.front().beat.user;
        raws_ += queue_.front().raw;
      }
      queue_.pop_front();
    }
    queue_.insert(queue_.end(), entering.begin(), entering.end());
    if (queue_.size() > n_.queue) throw std::logic_error("output queue overflows");
    if (accept) {
      input_.push_back({*s, pins_});  // a chunk looks at what came with its first beat
    }
    ready_ = input_.size() + 1 <= n_.input;
    ++cycle_;
  }

 private:
  using Row = std::array<uint32_t, kLanes>;
  static constexpr uint64_t kOpen = ~uint64_t{0};

  struct Input {
    Beat beat;
    MxConfig config;
  };
  struct Leaving {
    Beat beat;
    bool raw;
  };
  struct Item {
    uint64_t ready = kOpen;        // the cycle
    mx_spec::Bytes header, bytes;  // a header is a first item's
    bool first = false, last = false, user = false, raw = false;
    Row after{};  // of a residual item: its residuals
    Row v{};
    std::array<bool, kLanes> keeps{};
    bool poisons = false;
  };
  using ItemRef = std::shared_ptr<Item>;
  struct InFlight {
    uint32_t row;
    uint64_t last;
    ItemRef item;
  };
  struct Chunk {
    uint8_t format;  // format_i
    bool up, residual, raw;
    uint32_t n, row, items;
    uint32_t next = 0;        // payload item
    bool ended = false;       // the tlast beat is taken
    bool not_finite = false;  // status bit 0
    bool error = false;
    uint64_t bytes = 0;
    uint8_t status() const {
      return static_cast<uint8_t>(not_finite + 2 * (bytes != 4ull * n || n == 0) + 4 * error);
    }
  };

  void start() {
    if (!chunk_) {
      if (input_.empty()) return;
      const Input& in = input_.front();
      Chunk c{};
      c.row = in.beat.meta[0] & 0xFFFFFF;
      c.n = in.beat.meta[1] & 0xFFFFF;
      const MxConfig config = n_.pins_at_accept ? in.config : pins_;
      c.format = config.format % 3;
      c.up = config.up && n_.scale_counts;
      c.residual = config.residual && !memory_.empty();
      const uint32_t rows = (c.n + 7) / 8;
      c.items = std::max(1u, rows);
      c.raw = c.n == 0 || (config.format == 3 && n_.no_format_is_raw) ||
              (c.residual && c.row + (n_.raw_by_length ? rows : 0) > memory_.size());
      chunk_ = c;
    }
    Chunk& c = *chunk_;
    if (c.next < c.items) {
      payload(c);
    } else {
      surplus(c);
    }
  }

  bool waits(const Chunk& c, bool filler) const {
    if (!n_.others_wait && (!c.residual || c.raw)) return false;
    if (filler && !n_.fillers_wait) return false;
    const uint32_t row = c.row + c.next;
    return std::ranges::any_of(in_flight_, [&](const InFlight& f) { return f.row == row; });
  }

  void payload(Chunk& c) {
    const bool filler = c.ended;
    if (!filler && input_.empty()) return;
    if (used_ > n_.max_used || waits(c, filler)) return;
    auto item = std::make_shared<Item>();
    item->first = c.next == 0;
    item->raw = c.raw;
    if (item->first) {
      item->header = {static_cast<uint8_t>(c.raw ? 0 : mx_spec::kFields[c.format].format), 0, 0, 0};
      for (int b = 0; b < 4; ++b) item->header.push_back(static_cast<uint8_t>(c.n >> (8 * b)));
      item->header.resize(16);
    }
    Row g{};
    std::array<bool, kLanes> came{};
    if (!filler) {
      const Beat beat = input_.front().beat;
      input_.pop_front();
      int bytes = 0;
      while (bytes < kBeatBytes && (beat.last == 0 || (beat.keep >> bytes & 1) != 0)) ++bytes;
      c.bytes += static_cast<uint64_t>(bytes);
      for (int i = 0; i < kLanes; ++i) {
        came[i] = 4 * i + 4 <= bytes && 8 * c.next + static_cast<uint32_t>(i) < c.n;
        if (came[i]) g[i] = beat.data[i];
      }
      if (beat.last != 0) {
        c.ended = true;
        c.error = (beat.meta[1] >> 20 & 1) != 0;
      }
    }
    const uint32_t index = c.next++;
    const bool last_payload = c.next == c.items;
    started_ = true;
    items_.push_back(item);
    for (int i = 0; i < kLanes; ++i) {
      if (!mx_spec::finite(g[i])) c.not_finite = item->poisons = true;
    }
    if (c.raw) {
      for (uint32_t i = 0; i < 8 && 8 * index + i < c.n; ++i) {
        for (int b = 0; b < 4; ++b) {
          item->bytes.push_back(static_cast<uint8_t>(g[i] >> (8 * b)));
        }
      }
      item->ready = cycle_ + n_.value_delay + 1;
    } else {
      if (c.residual && !filler) {
        in_flight_.push_back({c.row + index, kOpen, item});
      }
      const Row r = c.residual && !filler ? memory_.at(c.row + index) : Row{};
      for (int i = 0; i < kLanes; ++i) {
        item->keeps[i] = came[i] || (!filler && !n_.missing_keep);
        if (8 * index + static_cast<uint32_t>(i) >= c.n) {
          item->keeps[i] = !filler && !n_.lanes_above_keep;
        }
        uint32_t sum =
            c.residual ? mx_spec::nearest(mx_spec::number(g[i]) + mx_spec::number(r[i])) : g[i];
        if (!mx_spec::finite(g[i]) || !mx_spec::finite(sum)) {
          if (came[i]) c.not_finite = true;
          sum = n_.overflow_keeps ? r[i] : 0;
        }
        item->v[i] = came[i] ? sum : 0;
      }
      item->after = r;
      block_.push_back(item);
      if (last_payload || block_.size() == 4) close_block(c, last_payload);
    }
    if (last_payload && c.ended) finish(c, *item);
  }

  void surplus(Chunk& c) {
    if (input_.empty()) return;
    const Beat beat = input_.front().beat;
    const bool credit = beat.last != 0 ? n_.tails_need_credit : n_.surplus_needs_credit;
    if (credit && used_ > n_.max_used) return;
    input_.pop_front();
    int bytes = 0;
    while (bytes < kBeatBytes && (beat.last == 0 || (beat.keep >> bytes & 1) != 0)) ++bytes;
    c.bytes += static_cast<uint64_t>(bytes);
    if (beat.last == 0) return;
    c.error = (beat.meta[1] >> 20 & 1) != 0;
    auto item = std::make_shared<Item>();
    item->raw = c.raw;
    item->ready = cycle_ + n_.value_delay + 1;
    items_.push_back(item);
    started_ = true;
    finish(c, *item);
  }

  void finish(Chunk& c, Item& item) {
    item.bytes.push_back(n_.tail_carries ? c.status() : static_cast<uint8_t>(c.status() & 5));
    item.last = true;
    item.user = c.error;
    chunk_.reset();
  }

  void close_block(const Chunk& c, bool last_payload) {
    const mx_spec::Fields& f = mx_spec::kFields[c.format];
    const double most = mx_spec::element(f.largest, f);
    uint32_t e = 0;
    double largest = 0;
    bool poisoned = false;
    for (const ItemRef& item : block_) {
      poisoned |= item->poisons;
      for (const uint32_t v : item->v) {
        e = std::max(e, v >> 23 & 255);
        largest = std::max(largest, std::fabs(mx_spec::number(v)));
      }
    }
    uint32_t s = e < f.x ? 0 : e - f.x;
    if (c.up) {
      const uint32_t last = n_.last_binade ? 254 - f.x : 254;
      for (s = 0; s < last && std::ldexp(largest, 127 - static_cast<int>(s)) > most;) ++s;
    }
    if (poisoned) s = 255;
    const int exponent = static_cast<int>(s) - 127;
    block_.front()->bytes.push_back(static_cast<uint8_t>(s));
    for (const ItemRef& item : block_) {
      item->ready = cycle_ + n_.value_delay + 1;
      std::array<int, kLanes> codes{};
      for (int i = 0; i < kLanes; ++i) {
        const uint32_t v = item->v[i];
        const bool negative = v >> 31 != 0;
        if (!poisoned) {
          const double magnitude = std::ldexp(std::fabs(mx_spec::number(v)), -exponent);
          int code = mx_spec::nearest_code(magnitude, f);
          if (!n_.even && magnitude > mx_spec::element(code, f) && code < 7 &&
              magnitude - mx_spec::element(code, f) == mx_spec::element(code + 1, f) - magnitude) {
            ++code;
          }
          const double d = std::ldexp(mx_spec::element(code, f), exponent);
          if (item->keeps[i]) {
            item->after[i] = mx_spec::nearest(mx_spec::number(v) - (negative ? -d : d));
          }
          if (negative && (code != 0 || n_.signs_of_zeros)) code |= 1 << (f.bits - 1);
          codes[i] = code;
        } else if (!n_.poisoned_keep) {
          item->after[i] = 0;
        }
      }
      for (int i = 0; i < kLanes; i += 8 / f.bits) {
        item->bytes.push_back(
            static_cast<uint8_t>(f.bits == 4 ? codes[i] | codes[i + 1] << 4 : codes[i]));
      }
    }
    if (last_payload) {
      block_.back()->bytes.resize(block_.back()->bytes.size() +
                                  (4 - block_.size()) * static_cast<size_t>(f.bits));
    }
    block_.clear();
  }

  void pop() {
    if (items_.empty() || items_.front()->ready > cycle_) return;
    const ItemRef item = items_.front();
    items_.pop_front();
    popped_.push_back({cycle_ + n_.merge_delay, item});
    for (InFlight& f : in_flight_) {
      if (f.item == item) f.last = cycle_ + n_.flight;
    }
  }

  /// Residuals that are written in this cycle.
  void write() {
    while (!in_flight_.empty() && in_flight_.front().last == cycle_) {
      memory_.at(in_flight_.front().row) = in_flight_.front().item->after;
      in_flight_.pop_front();
    }
  }

  static Beat beat_of_bytes(const mx_spec::Bytes& bytes, size_t at, size_t size) {
    Beat beat;
    std::memcpy(beat.data.data(), bytes.data() + at, size);
    beat.keep = keep_of_bytes(static_cast<int>(size));
    return beat;
  }

  std::vector<Leaving> merge() {
    std::vector<Leaving> entering;
    if (flush_) {
      entering.push_back(*flush_);
      flush_.reset();
    }
    merged_ = !popped_.empty() && popped_.front().cycle == cycle_;
    if (!merged_) return entering;
    const Item& item = *popped_.front().item;
    if (item.first) {
      if (!residual_.empty()) throw std::logic_error("a packet begins in another one");
      residual_ = item.header;
    }
    residual_.insert(residual_.end(), item.bytes.begin(), item.bytes.end());
    const size_t total = residual_.size();
    const size_t beats = item.last ? (total + 31) / 32 : total / 32;
    size_t at = 0;
    for (size_t i = 0; i < beats; ++i) {
      const bool ends = item.last && i + 1 == beats;
      const size_t size = std::min<size_t>(32, total - at);
      Leaving out{beat_of_bytes(residual_, at, size), ends && item.raw};
      out.beat.last = ends;
      out.beat.user = ends && item.user;
      at += size;
      if (entering.size() == n_.max_enter) {
        if (!ends) throw std::logic_error("the beat left over is not the packet's last");
        flush_ = out;
      } else {
        entering.push_back(out);
      }
    }
    residual_.erase(residual_.begin(), residual_.begin() + static_cast<long>(at));
    if (residual_.size() > 31) throw std::logic_error("residual exceeds 31 bytes");
    popped_.pop_front();
    return entering;
  }

  struct Popped {
    uint64_t cycle;  // in which it is merged
    ItemRef item;
  };

  Numbers n_;
  std::vector<Row> memory_;
  int zeroed_ = 0;
  uint64_t cycle_ = 0;
  MxConfig pins_;
  bool ready_ = false, started_ = false, merged_ = false;
  int used_ = 0;
  std::deque<Input> input_;
  std::optional<Chunk> chunk_;
  std::vector<ItemRef> block_;
  std::deque<ItemRef> items_;
  std::deque<Popped> popped_;
  std::deque<InFlight> in_flight_;
  mx_spec::Bytes residual_;
  std::optional<Leaving> flush_;
  std::deque<Leaving> queue_;
  uint32_t raws_ = 0, errors_ = 0;
};

}  // namespace gw::systemc
