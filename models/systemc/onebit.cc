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

OneBit::OneBit(uint32_t rows, OneBitConfig config) : Quantiser(rows, config), ring_(kBufferItems) {
  if (rows == 0) std::abort();
  reset();
}

void OneBit::clear() { ring_head_ = items_in_ = chunk_head_ = chunks_in_ = 0; }

void OneBit::begin(const OneBitConfig& config) {
  raw_ = n_ == 0 || n_ > kMostValues || (config.residual && !rows_fit());
  residual_ = config.residual && !raw_;
}

/// Pops an item, and counts it and the one that started.
uint32_t OneBit::step(uint32_t started) {
  // What has started in this cycle is not popped in it: it is not ready.
  const uint32_t popped = used_ <= kMaxUsed && items_in_ != 0 && pop();
  items_in_ += started;
  return popped;
}

void OneBit::payload(const Payload& payload) {
  Item& item = next_item();
  item.first = item_ == 0;
  item.last = payload.last;
  item.waits = !raw_;
  item.below = static_cast<uint8_t>(payload.below);
  item.present = static_cast<uint8_t>(payload.present);
  item.negative = 0;
  item.residual = residual_ && payload.beat != nullptr;
  item.row = row_ + item_;
  item.ready = now_ + kValueDelay + 1;
  if (item.first) {
    chunk_ = &chunks_[(chunk_head_ + chunks_in_) % kBufferChunks];
    ++chunks_in_;
    *chunk_ = {n_, raw_, {}, kNever};
    sides_ = {};
  }
  if (raw_) {
    Words values{};
    if (payload.beat != nullptr) {
      values = lanes::bits<Words>(payload.beat->data) & lanes::first(payload.present);
    }
    not_finite_ |= lanes::any(lanes::not_finite(values));
    item.values = lanes::bits<Row>(values);
  } else {
    quantise(payload, item);
    if (payload.last_payload) {
      chunk_->ready = now_ + kMeanDelay;
      chunk_->means = {onebit_mean(sides_[0].sum, sides_[0].count),
                       onebit_mean(sides_[1].sum, sides_[1].count) | kOneBitSign};
    }
  }
  item.status = static_cast<uint8_t>(status());
}

void OneBit::tail() {
  Item& item = next_item();
  item.first = item.waits = item.residual = false;
  item.last = true;
  item.below = item.present = item.negative = 0;
  item.ready = now_ + kValueDelay + 1;
  item.status = static_cast<uint8_t>(status());
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
  if (residual_) free_at_[item.row] = kNever;  // until it is popped
}

/// The oldest item, if it is ready.
bool OneBit::pop() {
  const Item& item = ring_[ring_head_];
  const Chunk& chunk = chunks_[chunk_head_];
  if (now_ < (item.waits ? chunk.ready : item.ready)) return false;
  uint8_t* at = out();
  if (item.first) {
    at = put_header(chunk.raw ? kRaw : kOneBit, chunk.n);
    std::memcpy(at - 8, chunk.means.data(), sizeof chunk.means);
  }
  uint32_t bytes = 0;
  if (item.waits) {
    at[bytes++] = static_cast<uint8_t>(~item.negative & ((1u << item.below) - 1));
    if (item.residual) keep(item, chunk);
  } else if (item.below != 0) {
    std::memcpy(at, &item.values, sizeof item.values);
    bytes = 4 * item.below;
  }
  ring_head_ = (ring_head_ + 1) % kBufferItems;
  --items_in_;
  if (!item.last) {
    merge(kMergeDelay, 8 * bytes);
    return true;
  }
  at[bytes++] = item.status;
  merge_last(kMergeDelay, 8 * bytes, (item.status & 4) != 0, chunk.raw);
  chunk_head_ = (chunk_head_ + 1) % kBufferChunks;
  --chunks_in_;
  return true;
}

/// The residuals that an item leaves.
void OneBit::keep(const Item& item, const Chunk& chunk) {
  const Words values = lanes::bits<Words>(item.values);
  const Words below_zero = lanes::bits<Words>(values > kOneBitSign);
  const Words means = lanes::select(below_zero, Words{} + chunk.means[1], Words{} + chunk.means[0]);
  const Words left = lanes::bits<Words>(lanes::bits<Floats>(values) - lanes::bits<Floats>(means));
  Row& row = memory_[item.row];
  row = lanes::bits<Row>(lanes::select(lanes::first(item.present), left, lanes::bits<Words>(row)));
  free_at_[item.row] = now_ + kFreeDelay;
}

}  // namespace gw::systemc

#pragma GCC diagnostic pop
