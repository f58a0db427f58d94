// SPDX-License-Identifier: Apache-2.0
#include "models/systemc/onebit.h"

#include <bit>

#include "models/systemc/lane_words.h"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpsabi"

namespace gw::systemc {
namespace {

constexpr double kOneBitUnit = 0x1p32;      // Q counts 2^-32
constexpr double kOneBitMost = 0x1p40 - 1;  // and saturates there
constexpr uint32_t kOneBitSign = 0x8000'0000;

/// The mean of `count` values that sum up to `sum` units.
uint32_t onebit_mean(uint64_t sum, uint32_t count) {
  if (count == 0) return 0;
  const float rounded = static_cast<float>(sum) * 0x1p-32F;  // rounded once, to 24 bits
  return std::bit_cast<uint32_t>(rounded / static_cast<float>(count));
}

}  // namespace

OneBit::OneBit(uint32_t rows, OneBitConfig config) : BufferedQuantiser(rows, config) { reset(); }

void OneBit::decide(Chunk& chunk) {
  chunk.ready = now_ + kMeanDelay;
  chunk.means = {onebit_mean(sides_[0].sum, sides_[0].count),
                 onebit_mean(sides_[1].sum, sides_[1].count) | kOneBitSign};
}

/// v, its signs, and what it adds to the sides.
void OneBit::quantise(const Payload& payload, Item& item) {
  if (payload.beat == nullptr) {  // +0, which counts
    item.values = {};
    sides_[0].count += payload.below;
    return;
  }
  const lanes::Values in = residual_
                               ? lanes::values_of(*payload.beat, payload.present, memory_[item.row])
                               : lanes::values_of(*payload.beat, payload.present);
  not_finite_ |= lanes::any(in.refused);
  item.values = lanes::bits<Row>(in.v);
  const Words below_zero = lanes::bits<Words>(in.v > kOneBitSign);
  item.negative = static_cast<uint8_t>(lanes::mask_bits(below_zero));
  const auto negatives = static_cast<uint32_t>(std::popcount(item.negative));
  sides_[0].count += payload.below - negatives;
  sides_[1].count += negatives;

  const auto all = lanes::bits<std::array<float, kLanes>>(in.v & ~lanes::kSign);
  uint64_t sum = 0, negative_sum = 0;
  const auto negative = lanes::bits<std::array<uint32_t, kLanes>>(below_zero);
  for (int i = 0; i < kLanes; ++i) {
    const double units = std::min(static_cast<double>(all[i]) * kOneBitUnit, kOneBitMost);
    const auto whole = static_cast<uint64_t>(static_cast<int64_t>(units));
    sum += whole;
    negative_sum += whole & (uint64_t{0} - (negative[i] & 1));
  }
  sides_[0].sum += sum - negative_sum;
  sides_[1].sum += negative_sum;
}

/// The residuals that an item leaves.
void OneBit::keep(const Item& item, const Chunk& chunk) {
  const Words values = lanes::bits<Words>(item.values);
  const Words below_zero = lanes::bits<Words>(values > kOneBitSign);
  const Words means = lanes::select(below_zero, Words{} + chunk.means[1], Words{} + chunk.means[0]);
  lanes::leave(memory_[item.row], values, means, item.present);
  free_at_[item.row] = now_ + kFreeDelay;
}

}  // namespace gw::systemc

#pragma GCC diagnostic pop
