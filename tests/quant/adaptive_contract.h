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
#include "tests/quant/chunk_buffer_contract.h"
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
