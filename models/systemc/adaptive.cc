#include "models/systemc/adaptive.h"

#include <algorithm>
#include <bit>
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
    const uint32_t at = (word & ~lanes::kSign) >> kBinBit;
    if (at >= kFirstBin) ++sides_[word >> 31].bins[std::min(at - kFirstBin, kBins - 1)];
  }
}

/// Takes a side's bins from the top down, as the scan does.
Adaptive::Selected Adaptive::select(const Side& side) const {
  Selected taken{.least = kAdaptiveNone, .count = 0, .mean = 0};
  const uint32_t most = std::max(1u, side.count >> config_.p);
  uint64_t sum = 0;
  for (uint32_t bin = kBins; bin-- > 0;) {
    const uint32_t values = side.bins[bin];
    if (values == 0) continue;
    if (taken.count != 0 && taken.count + values > most) break;
    // Its middle, (9, 11, 13, 15) / 8 2^x, x = -28 in the lowest binade, in units of 2^-32.
    const uint64_t middle = uint64_t{9 + 2 * (bin % 4)} << (1 + bin / 4);
    taken.count += values;
    sum += values * middle;
    taken.least = (kFirstBin + bin) << kBinBit;
  }
  if (taken.count == 0) return taken;
  const float rounded = static_cast<float>(sum) * 0x1p-32F;  // rounded once, to 24 bits
  taken.mean = std::bit_cast<uint32_t>(rounded / static_cast<float>(taken.count));
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
