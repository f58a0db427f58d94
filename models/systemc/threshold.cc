// SPDX-License-Identifier: Apache-2.0
#include "models/systemc/threshold.h"

#include <bit>

#include "models/systemc/lane_words.h"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpsabi"

namespace gw::systemc {
namespace {

constexpr uint32_t kThresholdLeast = (127u - 100) << 23;  // 2^-100
constexpr uint32_t kThresholdMost = (127u + 100) << 23;   // 2^100
constexpr uint32_t kThresholdZeros = 0xFF;                // low bits that have to be zero

bool threshold_legal(uint32_t t) {
  return (t & kThresholdZeros) == 0 && kThresholdLeast <= t && t <= kThresholdMost;
}

}  // namespace

Threshold::Threshold(uint32_t rows, ThresholdConfig config)
    : Quantiser(rows, config), k_(rows), k_free_at_(rows) {
  if (rows == 0) std::abort();
  reset();
}

void Threshold::begin(const ThresholdConfig& config) {
  threshold_ = config.threshold;
  const bool coded = config.rice && config.method != kWgt;
  const bool raw = n_ == 0 || config.method == kRaw || !threshold_legal(threshold_) ||
                   (!rows_fit() && (config.residual || coded));
  method_ = raw ? kRaw : static_cast<Method>(config.method);
  residual_ = config.residual && !raw;
  rice_ = coded && !raw;
  sent_ = 0;
  code_.begin();
}

void Threshold::put_chunk_header() {
  if (method_ == kRaw) {
    put_header(kRaw, n_);
    return;
  }
  uint8_t* const header = put_header(method_, n_) - kHeaderBytes;
  std::memcpy(header + 8, &threshold_, sizeof threshold_);
  if (rice_) {
    k_now_ = k_[row_];
    header[1] = static_cast<uint8_t>(1 + k_now_);
  }
  *out() = 0;  // Rice adds to it
}

void Threshold::payload(const Payload& item) {
  if (item_ == 0) put_chunk_header();
  if (method_ == kRaw) {
    put_raw(item);
    return;
  }
  const uint32_t sent = item.beat != nullptr ? quantise(item) : 0;
  uint32_t bits = rice_ ? put_rice(sent, item) : put_mask(sent, item);
  sent_ += static_cast<uint32_t>(std::popcount(sent));
  if (item.last_payload && row_ < rows()) leave_k();
  if (!item.last) {
    merge(kMergeDelay, bits);
    return;
  }
  out()[(tail_bits() + bits) / 8] = static_cast<uint8_t>(status());
  merge_last(kMergeDelay, bits + 8, error_, false);
}

void Threshold::tail() {
  *out() = static_cast<uint8_t>(status());
  merge_last(kMergeDelay, 8, error_, method_ == kRaw);
}

void Threshold::put_raw(const Payload& item) {
  Words values{};
  if (item.beat != nullptr) {
    values = lanes::bits<Words>(item.beat->data) & lanes::first(item.present);
  }
  not_finite_ |= lanes::any(lanes::not_finite(values));
  uint8_t* const at = out();
  std::memcpy(at, &values, sizeof values);
  if (!item.last) {
    merge(kMergeDelay, 32 * item.below);
    return;
  }
  at[4 * item.below] = static_cast<uint8_t>(status());
  merge_last(kMergeDelay, 32 * item.below + 8, error_, true);
}

/// v, what is sent (a bit a lane) and its multiples and signs; the residuals that it leaves.
///
/// A quotient that is rounded up to an integer is found by the product, which is exact: T has 16
/// bits, m eight.
uint32_t Threshold::quantise(const Payload& item) {
  Row& row = residual_ ? memory_[row_ + item_] : values_;
  const lanes::Values in = residual_ ? lanes::values_of(*item.beat, item.present, row)
                                     : lanes::values_of(*item.beat, item.present);
  not_finite_ |= lanes::any(in.refused);
  const Words signs = in.v & lanes::kSign;
  const Words magnitudes = in.v ^ signs;
  const Words sent = lanes::bits<Words>(magnitudes >= threshold_);
  const auto t = std::bit_cast<float>(threshold_);
  Words decoded = in.v;  // by magnitude, BGT and QGT
  if (method_ == kBgt) {
    decoded = (Words{} + threshold_) | signs;
  } else if (method_ == kQgt) {
    const Floats v = lanes::bits<Floats>(magnitudes);
    Floats quotient = v / t;
    const Floats most = Floats{} + 255.0F;
    quotient = quotient < most ? quotient : most;
    const Integers whole = __builtin_convertvector(quotient, Integers);
    const Integers above = __builtin_convertvector(whole, Floats) * t > v;  // 0, or -1
    const Integers m = whole + above;
    multiples_ = lanes::bits<Row>(m);
    decoded = lanes::bits<Words>(__builtin_convertvector(m, Floats) * t) | signs;
  }
  if (residual_) {
    const Words left =
        lanes::bits<Words>(lanes::bits<Floats>(in.v) - lanes::bits<Floats>(decoded & sent));
    row = lanes::bits<Row>(lanes::select(in.present, left, lanes::bits<Words>(row)));
    free_at_[row_ + item_] = now_ + kFreeDelay;
  }
  values_ = lanes::bits<Row>(in.v);
  const uint32_t mask = lanes::mask_bits(sent);
  negative_ = lanes::mask_bits(lanes::bits<Words>(signs != 0)) & mask;
  return mask;
}

uint32_t Threshold::put_mask(uint32_t sent, const Payload& item) {
  const auto put_values = [this, sent](uint8_t* at) {
    if (method_ == kBgt) return at;
    for (uint32_t rest = sent; rest != 0; rest &= rest - 1) {
      const auto lane = static_cast<uint32_t>(std::countr_zero(rest));
      if (method_ == kQgt) {
        *at++ = static_cast<uint8_t>(multiples_.words[lane]);
      } else {
        std::memcpy(at, &values_.words[lane], 4);
        at += 4;
      }
    }
    return at;
  };
  return code_.mask(out(), sent, method_ != kWgt, negative_, item.last_payload, put_values);
}

uint32_t Threshold::put_rice(uint32_t sent, const Payload& item) {
  const bool multiples = method_ == kQgt;
  return code_.rice(out(), tail_bits(), k_now_, item_, sent, item.last_payload ? n_ : 0,
                    multiples ? 9 : 1, [this, multiples](uint32_t lane) {
                      const uint64_t sign = negative_ >> lane & 1;
                      return multiples ? sign | uint64_t{multiples_.words[lane]} << 1 : sign;
                    });
}

/// Rice's parameter for the next packet that begins at this row.
void Threshold::leave_k() {
  k_[row_] = static_cast<uint8_t>(SentCode::k_of(sent_, n_));
  k_free_at_[row_] = now_ + kFreeDelay;
}

}  // namespace gw::systemc

#pragma GCC diagnostic pop
