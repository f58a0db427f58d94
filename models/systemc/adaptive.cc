// SPDX-License-Identifier: Apache-2.0
#include "models/systemc/adaptive.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>

#include "models/systemc/lane_words.h"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpsabi"

namespace gw::systemc {
namespace {

constexpr uint32_t kAdaptiveNone = lanes::kExponent;  // no value that is sent is as large

/// Lanes whose values are sent.
Words adaptive_sent(const Words& values, const std::array<uint32_t, 2>& least) {
  const Words below_zero = lanes::bits<Words>(values > lanes::kSign);
  const Words from = lanes::select(below_zero, Words{} + least[1], Words{} + least[0]);
  return lanes::bits<Words>((values & ~lanes::kSign) >= from);
}

}  // namespace

Adaptive::Adaptive(uint32_t rows, AdaptiveConfig config) : BufferedQuantiser(rows, config) {
  if (rows < kLeastRows) std::abort();
  reset();
}

/// Empty histograms. What is not between the ends is empty already.
void Adaptive::open(const AdaptiveConfig&) {
  for (Side& side : sides_) {
    if (bottom_ <= top_) std::fill(&side.bins[bottom_], &side.bins[top_] + 1, uint16_t{0});
    side.count = 0;
  }
  top_ = 0;
  bottom_ = kBins;
}

/// v, its signs, and the bins that it counts in.
void Adaptive::quantise(const Payload& payload, Item& item) {
  if (payload.beat == nullptr) {  // +0, which counts, in no bin
    item.values = {};
    sides_[0].count += payload.below;
    return;
  }
  const lanes::Values in = residual_
                               ? lanes::values_of(*payload.beat, payload.present, memory_[item.row])
                               : lanes::values_of(*payload.beat, payload.present);
  not_finite_ |= lanes::any(in.refused);
  item.values = lanes::bits<Row>(in.v);
  item.negative = static_cast<uint8_t>(lanes::mask_bits(lanes::bits<Words>(in.v > lanes::kSign)));
  const auto negatives = static_cast<uint32_t>(std::popcount(item.negative));
  sides_[0].count += payload.below - negatives;
  sides_[1].count += negatives;
  for (const uint32_t word : item.values.words) {
    const uint32_t magnitude = word & ~lanes::kSign;
    if (magnitude == 0) continue;
    const uint32_t at = magnitude >> kBinBit;
    ++sides_[word >> 31].bins[at];
    top_ = std::max(top_, at);
    bottom_ = std::min(bottom_, at);
  }
}

/// Takes a side's bins from the top down, as the scan does.
Adaptive::Selected Adaptive::select(const Side& side) const {
  Selected taken{.least = kAdaptiveNone, .count = 0, .mean = 0};
  if (bottom_ > top_) return taken;
  const uint32_t most = std::max(1u, side.count >> config_.p);
  const uint32_t last = top_ < kWindow ? 0 : top_ - (kWindow - 1);
  // Subnormal numbers have the exponent of the field above theirs.
  const auto exponent = [](uint32_t bin) { return std::max(bin / 4, 1u); };
  uint64_t sum = 0;  // in eighths of the lowest binade's width
  for (uint32_t bin = top_ + 1; bin-- > last;) {
    const uint32_t values = side.bins[bin];
    if (values == 0) continue;
    if (taken.count != 0 && taken.count + values > most) break;
    const uint64_t middle = (bin < 4 ? 1 : 9) + 2 * (bin % 4);
    taken.count += values;
    sum += values * (middle << (exponent(bin) - exponent(last)));
    taken.least = std::max(bin << kBinBit, 1u);  // a zero is not sent
  }
  if (taken.count == 0) return taken;
  const auto rounded = static_cast<float>(sum);  // to 24 bits
  const double mean = static_cast<double>(rounded) / taken.count;
  const int eighth = static_cast<int>(exponent(last)) - 127 - 3;
  taken.mean = std::bit_cast<uint32_t>(static_cast<float>(std::ldexp(mean, eighth)));
  return taken;
}

void Adaptive::decide(Chunk& chunk) {
  const uint64_t begin = std::max(now_ + kScanDelay, scan_ + 1);
  scan_before_ = scan_;
  scan_ = begin + kScanCycles - 1;
  chunk.ready = begin + kMeanDelay;
  const Selected positive = select(sides_[0]), negative = select(sides_[1]);
  chunk.means = {positive.mean, negative.mean | lanes::kSign};
  chunk.extra = {
      .least = {positive.least, negative.least},
      .rice = config_.rice,
      .k = static_cast<uint8_t>(SentCode::k_of(positive.count + negative.count, chunk.n))};
}

uint32_t Adaptive::put(const Item& item, const Chunk& chunk, uint8_t* out) {
  if (item.first) {
    code_.begin();
    code_item_ = 0;
  }
  const uint32_t sent =
      lanes::mask_bits(adaptive_sent(lanes::bits<Words>(item.values), chunk.extra.least));
  const uint32_t signs = item.negative & sent;
  if (!chunk.extra.rice) {
    return code_.mask(out, sent, true, signs, item.last_payload, [](uint8_t* at) { return at; });
  }
  return code_.rice(out, tail_bits(), chunk.extra.k, code_item_++, sent,
                    item.last_payload ? chunk.n : 0, 1,
                    [signs](uint32_t lane) { return uint64_t{signs >> lane & 1}; });
}

void Adaptive::keep(const Item& item, const Chunk& chunk) {
  const Words values = lanes::bits<Words>(item.values);
  const Words below_zero = lanes::bits<Words>(values > lanes::kSign);
  const Words means = lanes::select(below_zero, Words{} + chunk.means[1], Words{} + chunk.means[0]);
  const Words sent = adaptive_sent(values, chunk.extra.least);
  lanes::leave(memory_[item.row], values, means & sent, item.present);
  free_at_[item.row] = now_ + kFreeDelay;
}

}  // namespace gw::systemc

#pragma GCC diagnostic pop
