// What docs/devices/threshold.md says of gw_threshold's cycles, in plain C++, over packets of the
// reference: which values a packet sends says its decoder, how many bits an item then has the page.
// For the RTL's own test.
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <deque>
#include <vector>

#include "models/reference/quant/decoder.h"
#include "models/reference/quant/quantiser.h"
#include "tests/quant/edges_contract.h"
#include "tests/quant/mx_contract.h"

namespace gw::threshold_contract {

using mx_contract::as_bits;
using mx_contract::as_float;
using mx_contract::Beat;
using mx_contract::finite;
namespace quant = reference::quant;

struct Chunk {
  uint32_t n = 0, row = 0;
  uint32_t method = 0, coding = 0, threshold = 0;
  bool residual = false, error = false;
  std::vector<Beat> beats;
  // What follows from it.
  bool raw = false;
  std::vector<uint8_t> packet;
  std::vector<uint32_t> bits;  // of each payload item, without the status
  uint8_t status = 0;
  int k = -1;  // of Rice codes
  uint32_t longest_gap = 0;
  bool rice() const { return !raw && coding == 1 && method >= 2; }
};

inline bool legal(uint32_t t) {
  const float value = as_float(t);
  return (t & 0xFF) == 0 && value >= 0x1p-100f && value <= 0x1p100f;
}

// Bits of a gap in Rice code.
inline uint32_t gap_bits(uint32_t gap, int k) { return (gap >> k) < 15 ? (gap >> k) + 1 + k : 35; }

// The chunk's packet and what each of its items has of it.
inline void encode(Chunk& c, quant::Quantiser& quantiser) {
  const bool plain = c.method == 0 || !legal(c.threshold);
  quant::Config config;
  config.method = plain ? quant::Method::kRaw : static_cast<quant::Method>(c.method);
  if (!plain) config.threshold = as_float(c.threshold);
  config.coding =
      c.coding == 1 && c.method != 1 && !plain ? quant::Coding::kRice : quant::Coding::kMask;
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

  std::vector<float> sent;
  quant::Decoded decoded;
  if (!c.raw) decoded = quant::decode_packet(c.packet, quant::kMaxValues, sent);
  c.k = decoded.k;
  uint32_t gap = 0;
  bool run = false;
  uint32_t count = 0;
  c.bits.clear();
  for (uint32_t first = 0; first == 0 || first < c.n; first += 8) {
    const uint32_t end = std::min(c.n, first + 8);
    const bool last = first + 8 >= c.n;
    uint32_t bits = 0;
    if (c.raw) {
      bits = 32 * (end - first);
    } else if (c.rice()) {
      for (uint32_t j = first; j < end; ++j) {
        if (sent[j] == 0) {
          c.longest_gap = std::max(c.longest_gap, ++gap);
          continue;
        }
        bits += gap_bits(gap, decoded.k) + 1 + (c.method == 3 ? 8 : 0);
        gap = 0;
      }
      if (last) bits += gap_bits(gap, decoded.k);
    } else {
      uint32_t some = 0;
      for (uint32_t j = first; j < end; ++j) some += sent[j] != 0;
      if (some != 0) {
        bits = (run ? 8 : 0) + 8;
        if (c.method != 1) bits += 8;
        bits += some * (c.method == 1 ? 32 : c.method == 3 ? 8 : 0);
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
    }
    c.bits.push_back(bits);
  }
}

// The cycle contract. Chunks must be encoded before their first beat is accepted.
class Clockwork : public quant_rtl::EdgesClockwork<Chunk> {
 public:
  explicit Clockwork(uint32_t rows) : EdgesClockwork(rows) {}

  uint64_t waited_for_row() const { return waited_for_row_; }
  uint64_t waited_for_k() const { return waited_for_k_; }
  int most_used() const { return most_used_; }

  void reset() { *this = Clockwork(rows_); }

  // A cycle with aresetn = 1. `chunk` and `index` say which beat was offered.
  void clock(const Chunk* chunk, size_t index, bool s_valid, bool m_ready) {
    const bool accepted = s_valid && s_ready();
    const bool left = m_valid() && m_ready;
    bool started = false, taken = false;
    while (!rows_in_flight_.empty() && rows_in_flight_.front().until < cycle_)
      rows_in_flight_.pop_front();
    while (!k_in_flight_.empty() && k_in_flight_.front().until < cycle_) k_in_flight_.pop_front();

    // Start, or a surplus beat.
    if (!in_.empty() || (chunk_ != nullptr && ended_ && !surplus_)) {
      const Chunk& c = chunk_ != nullptr ? *chunk_ : *in_.front().chunk;
      const bool credit = used_ <= 61;
      if (surplus_) {
        if (!in_.front().last()) {
          taken = true;
        } else if (credit) {
          vectors_.push_back(
              {cycle_ + 15,
               {.chunk = &c, .bits = 0, .first = false, .rounds = false, .last = true}});
          started = taken = true;
          chunk_ = nullptr;
          surplus_ = false;
        }
      } else {
        const bool first = chunk_ == nullptr;
        const uint32_t i = first ? 0 : next_;
        const bool filler = !first && ended_;
        const bool keeps = c.residual && !c.raw && !filler;
        const bool row_wait = keeps && holds(rows_in_flight_, c.row + i);
        const bool k_wait = first && c.rice() && holds(k_in_flight_, c.row);
        waited_for_row_ += credit && row_wait;
        waited_for_k_ += credit && k_wait && !row_wait;
        if (credit && !row_wait && !k_wait) {
          chunk_ = &c;
          if (!filler) {
            taken = true;
            ended_ = in_.front().last();
          }
          next_ = i + 1;
          const bool last_payload = next_ == c.bits.size();
          vectors_.push_back({cycle_ + 15,
                              {.chunk = &c,
                               .bits = c.bits[i],
                               .first = first,
                               .rounds = last_payload,
                               .last = last_payload && ended_}});
          if (keeps) rows_in_flight_.push_back({c.row + i, cycle_ + 18});
          if (last_payload && !c.raw && c.row < rows_) k_in_flight_.push_back({c.row, cycle_ + 18});
          started = true;
          if (last_payload && ended_)
            chunk_ = nullptr, ended_ = false;
          else if (last_payload)
            surplus_ = true;
        }
      }
    }

    // Merge.
    const bool merged = !vectors_.empty() && vectors_.front().at == cycle_;
    const int entered = merge(left, merged ? &vectors_.front().what : nullptr);
    if (merged) vectors_.pop_front();
    used_ += 2 * started - 2 * merged + entered - left;
    most_used_ = std::max(most_used_, used_);

    end_cycle(taken, accepted, chunk, index);
  }

 private:
  struct Vector {
    uint64_t at;
    Merged what;
  };
  struct Flight {
    uint32_t row;
    uint64_t until;
  };
  static bool holds(const std::deque<Flight>& flights, uint32_t row) {
    return std::any_of(flights.begin(), flights.end(),
                       [&](const Flight& f) { return f.row == row; });
  }

  uint64_t waited_for_row_ = 0, waited_for_k_ = 0;
  const Chunk* chunk_ = nullptr;
  uint32_t next_ = 0;
  bool ended_ = false, surplus_ = false;
  std::deque<Flight> rows_in_flight_, k_in_flight_;
  std::deque<Vector> vectors_;
  int used_ = 0, most_used_ = 0;
};

}  // namespace gw::threshold_contract
