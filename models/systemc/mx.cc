// SPDX-License-Identifier: Apache-2.0
#include "models/systemc/mx.h"

#include <algorithm>
#include <cstdlib>

#include "models/systemc/group_codec.h"  // vectors of eight lanes

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpsabi"

namespace gw::systemc {
namespace {

constexpr uint32_t kMxSign = 0x8000'0000;
constexpr uint32_t kMxExponent = 0x7F80'0000;
constexpr uint32_t kMxFraction = 0x007F'FFFF;
constexpr uint32_t kMxLastField = 254;  // of finite numbers
constexpr uint32_t kMxPoison = 255;     // the scale of a block that is none

template <class To, class From>
To mx_bits(const From& from) {
  static_assert(sizeof(To) == sizeof(From));
  To to;
  std::memcpy(&to, &from, sizeof to);
  return to;
}

bool mx_any(const Words& mask) {
  const auto quads = mx_bits<std::array<uint64_t, 4>>(mask);
  return (quads[0] | quads[1] | quads[2] | quads[3]) != 0;
}

/// All ones in the first `lanes` lanes.
Words mx_first(uint32_t lanes) {
  constexpr Words kLane = {0, 1, 2, 3, 4, 5, 6, 7};
  return mx_bits<Words>(kLane < lanes);
}

Words mx_not_finite(const Words& values) {
  return mx_bits<Words>((values & kMxExponent) == kMxExponent);
}

Words mx_select(const Words& mask, const Words& a, const Words& b) {
  return (a & mask) | (b & ~mask);
}

/// 2^exponent, -127..127; the least is a subnormal number.
float mx_power(int exponent) {
  return std::bit_cast<float>(exponent == -127 ? 0x0040'0000u
                                               : static_cast<uint32_t>(exponent + 127) << 23);
}

void mx_store32(uint8_t* bytes, uint32_t word) { std::memcpy(bytes, &word, sizeof word); }

}  // namespace

Mx::Mx(uint32_t rows, MxConfig config)
    : memory_(rows),
      free_at_(rows),
      zeroes_(std::max(rows, 1u)),
      value_delay_(rows != 0 ? kResidualDelay : 0),
      pins_(config) {
  if (rows != 0 && (rows < kMinRows || rows > kMaxRows)) std::abort();
  reset();
}

void Mx::reset() {
  zeroed_ = 0;
  first_ = true;
  ready_ = false;
  in_used_ = in_head_ = 0;
  phase_ = Phase::kBetween;
  fillers_ = false;
  block_.items = block_.taken = 0;
  block_.magnitudes = {};
  block_.poisoned = false;
  now_ = pop_ = 0;
  used_ = queued_ = 0;
  calendar_ = 0;
  head_ = tail_ = 0;
  raws_ = errors_ = 0;
  front_ = Beat{};
  sideband_.fill(Sideband{});
}

void Mx::zero_row() {
  if (zeroed_ < memory_.size()) {
    memory_[zeroed_] = {};
    free_at_[zeroed_] = 0;
  }
  ready_ = ++zeroed_ == zeroes_;
}

/// What the cycle does with the input queue and the chunk; whether an item starts.
bool Mx::start() {
  if (fillers_) {
    if (used_ > kMaxUsed) return false;
    start_payload(nullptr);
    return true;
  }
  const Input& input = in_[in_head_];
  if (phase_ == Phase::kSurplus) {
    const bool tail = input.beat.last != 0;
    if (tail && used_ > kMaxUsed) return false;
    heard(input.beat);
    if (tail) {
      bytes_[tail_] = static_cast<uint8_t>(status());
      merge(1, true);
      wrap();
      phase_ = Phase::kBetween;
    }
    take();
    return tail;
  }
  if (phase_ == Phase::kBetween) begin(input);
  if (used_ > kMaxUsed || !start_payload(&input.beat)) return false;
  take();
  return true;
}

void Mx::take() {
  in_head_ = (in_head_ + 1) % kInputBeats;
  --in_used_;
}

/// Of a packet's first beat, before its item starts.
void Mx::begin(const Input& input) {
  const uint64_t user = input.beat.user_word();
  n_ = user >> 32 & 0xF'FFFF;
  row_ = user & 0xFF'FFFF;
  items_ = std::max((n_ + kLanes - 1) / kLanes, 1u);
  item_ = 0;
  residual_ = input.config.residual && !memory_.empty();
  constexpr std::array kFormats = {kFp8, kFp4, kFp8E5m2, kRaw};
  const Format asked = kFormats[input.config.format & 3];
  const bool raw = n_ == 0 || asked == kRaw || (residual_ && row_ + items_ > memory_.size());
  format_ = raw ? kRaw : asked;
  up_ = input.config.up;
  residual_ &= !raw;
  not_finite_ = error_ = false;
  bytes_in_ = 0;
  phase_ = Phase::kPayload;
}

/// What a beat says of the packet as a whole, when it is taken.
void Mx::heard(const Beat& beat) {
  bytes_in_ += static_cast<uint32_t>(valid_bytes(beat));
  if (beat.last != 0) error_ = (beat.user_word() >> 52 & 1) != 0;
}

uint32_t Mx::status() const {
  const bool disagree = n_ == 0 || bytes_in_ != uint64_t{4} * n_;
  return not_finite_ | disagree << 1 | error_ << 2;
}

/// The next payload item; without a beat a filler, which always starts. False: its row is in
/// flight.
bool Mx::start_payload(const Beat* beat) {
  if (residual_ && beat != nullptr && now_ < free_at_[row_ + item_]) return false;
  uint32_t present = 0;
  const uint32_t below = std::min<uint32_t>(n_ - kLanes * item_, kLanes);
  bool ended = true;
  if (beat != nullptr) {
    heard(*beat);
    present = std::min(below, static_cast<uint32_t>(valid_bytes(*beat)) / 4);
    ended = beat->last != 0;
  }
  const bool last_payload = item_ + 1 == items_;
  if (format_ == kRaw) {
    put_raw(beat, below, present, last_payload && ended);
  } else {
    put_values(beat, present);
    if (last_payload || block_.items == kBlockItems) close_block(last_payload && ended);
  }
  wrap();
  ++item_;
  if (last_payload) phase_ = ended ? Phase::kBetween : Phase::kSurplus;
  fillers_ = ended && !last_payload;
  return true;
}

uint8_t* Mx::put_header() {
  uint8_t* const out = &bytes_[tail_];
  std::memset(out, 0, kHeaderBytes);
  out[0] = format_;
  mx_store32(out + 4, n_);
  tail_ += kHeaderBytes;
  return out + kHeaderBytes;
}

void Mx::put_raw(const Beat* beat, uint32_t below, uint32_t present, bool last) {
  uint8_t* out = item_ == 0 ? put_header() : &bytes_[tail_];
  Words values{};
  if (beat != nullptr) values = mx_bits<Words>(beat->data) & mx_first(present);
  not_finite_ |= mx_any(mx_not_finite(values));
  std::memcpy(out, &values, sizeof values);
  out += 4 * below;
  if (last) *out = static_cast<uint8_t>(status());
  merge(4 * below + last, last);
}

/// Adds an item's values to the block.
void Mx::put_values(const Beat* beat, uint32_t present) {
  Row& row = block_.values[block_.items];
  if (beat == nullptr) {
    row = {};
    ++block_.items;
    return;
  }
  const Words here = mx_first(present);
  const Words gradients = mx_bits<Words>(beat->data) & here;
  const Words bad = mx_not_finite(gradients);
  Words values = gradients & ~bad;
  if (residual_) {
    const Words residuals = mx_bits<Words>(memory_[row_ + item_]);
    const Words sums = mx_bits<Words>(mx_bits<Floats>(gradients) + mx_bits<Floats>(residuals));
    const Words refused = mx_not_finite(sums);  // of a gradient that is not finite, also
    values = mx_select(refused, residuals, sums) & here;
    not_finite_ |= mx_any(refused & here);
    block_.present[block_.items] = mx_bits<Row>(here);
  }
  const bool poisoned = mx_any(bad);
  not_finite_ |= poisoned;
  block_.poisoned |= poisoned;
  row = mx_bits<Row>(values);
  const Words magnitudes = values & ~kMxSign, most = mx_bits<Words>(block_.magnitudes);
  block_.magnitudes = mx_bits<Row>(magnitudes > most ? magnitudes : most);
  ++block_.items;
  ++block_.taken;
}

/// Quantises the block whose last item starts. last: that item is the packet's last.
void Mx::close_block(bool last) {
  const bool fp4 = format_ == kFp4;
  // What is added carries into the exponent field from beyond the largest element's fraction on.
  // In the last binade it must not: an element could stand for what is infinite.
  const uint32_t above = !up_ ? 0 : fp4 ? kMxFraction >> 1 : kMxFraction >> 2;
  const uint32_t largest = *std::ranges::max_element(block_.magnitudes.words);
  const uint32_t fields = std::min((largest + above) >> 23, kMxLastField);
  const uint32_t top = format_ == kFp8 ? 8 : fp4 ? 2 : 15;
  const uint32_t scale = block_.poisoned ? kMxPoison : fields > top ? fields - top : 0;
  const uint32_t element_bytes = fp4 ? kLanes / 2 : kLanes;
  const uint32_t items = block_.items;
  const uint32_t first_item = item_ + 1 - items;
  const bool ends = item_ + 1 == items_;

  uint8_t* out = first_item == 0 ? put_header() : &bytes_[tail_];
  *out++ = static_cast<uint8_t>(scale);
  const uint32_t filling = ends ? (kBlockItems - items) * element_bytes : 0;
  if (block_.poisoned) {
    std::memset(out, 0, kBlockItems * element_bytes);
    out += items * element_bytes;
  } else {
    for (uint32_t i = 0; i < items; ++i) {
      out = format_ == kFp8 ? put_elements<3, 7, 0x7E>(i, scale, out)
            : fp4           ? put_elements<1, 1, 0x7>(i, scale, out)
                            : put_elements<2, 15, 0x7B>(i, scale, out);
    }
    std::memset(out, 0, filling);
  }
  out += filling;
  if (last) *out = static_cast<uint8_t>(status());

  for (uint32_t i = 0; i < items; ++i) {
    const bool final = i + 1 == items;
    const uint32_t bytes = (i == 0) + element_bytes + (final ? filling + last : 0);
    const uint64_t popped = merge(bytes, final && last);
    if (residual_ && i < block_.taken) free_at_[row_ + first_item + i] = popped + kFreeDelay;
  }
  block_.items = block_.taken = 0;
  block_.magnitudes = {};
  block_.poisoned = false;
}

/// One item's elements, of a sign, 7 - kMantissa (of MXFP4 3 - kMantissa) bits of exponent biased
/// by kBias, and kMantissa bits; the residuals that they leave, where they are kept.
///
/// An element is rounded in the number's own bits if it is normal; if it is subnormal, by adding
/// what makes its last place the unit of the sum. The larger of them has no rounding to do below
/// its own unit, so each is right where it is taken.
template <int kMantissa, int kBias, uint32_t kMost>
uint8_t* Mx::put_elements(uint32_t item, uint32_t scale, uint8_t* out) {
  constexpr int kShift = 23 - kMantissa;
  constexpr uint32_t kOffset = static_cast<uint32_t>(127 - kBias) << kMantissa;
  constexpr uint32_t kLeastNormal = static_cast<uint32_t>(128 - kBias) << 23;  // 2^(1 - kBias)
  constexpr int kUnit = 1 - kBias - kMantissa;                                 // of a subnormal
  const int exponent = static_cast<int>(scale) - 127;

  const Words values = mx_bits<Words>(block_.values[item]);
  const Words signs = values & kMxSign;
  const Floats scaled = mx_bits<Floats>(values ^ signs) * mx_power(-exponent);
  const Words bits = mx_bits<Words>(scaled);
  const Words normal =
      ((bits + (bits >> kShift & 1) + ((1u << (kShift - 1)) - 1)) >> kShift) - kOffset;
  const Words subnormal = mx_bits<Words>(scaled + mx_power(23 + kUnit)) -
                          static_cast<uint32_t>(150 + kUnit) * (1u << 23);
  Words codes = bits < kLeastNormal ? subnormal : normal;
  codes = codes > kMost ? Words{} + kMost : codes;

  if (residual_ && item < block_.taken) {
    const Words large = (codes + kOffset) << kShift;
    const Words small =
        mx_bits<Words>(__builtin_convertvector(mx_bits<Integers>(codes), Floats) * mx_power(kUnit));
    const Words magnitude = codes >= (1u << kMantissa) ? large : small;
    const Floats decoded =
        mx_bits<Floats>(mx_bits<Words>(mx_bits<Floats>(magnitude) * mx_power(exponent)) | signs);
    Row& row = memory_[row_ + item_ + 1 - block_.items + item];
    row = mx_bits<Row>(mx_select(mx_bits<Words>(block_.present[item]),
                                 mx_bits<Words>(mx_bits<Floats>(values) - decoded),
                                 mx_bits<Words>(row)));
  }

  if constexpr (kMantissa != 1) {
    using Bytes = uint8_t __attribute__((vector_size(8)));
    const Bytes bytes = __builtin_convertvector(codes | signs >> 24, Bytes);
    std::memcpy(out, &bytes, sizeof bytes);
    return out + sizeof bytes;
  } else {
    constexpr Words kPlace = {0, 4, 8, 12, 16, 20, 24, 28};
    const auto nibbles = mx_bits<std::array<uint32_t, kLanes>>((codes | signs >> 28) << kPlace);
    uint32_t word = 0;
    for (const uint32_t nibble : nibbles) word |= nibble;
    mx_store32(out, word);
    return out + sizeof word;
  }
}

/// Schedules the next item's vector, `bytes` that are written already after tail_; last: the
/// packet's last. The cycle in which the item is popped.
uint64_t Mx::merge(uint32_t bytes, bool last) {
  pop_ = std::max(pop_ + 1, now_ + value_delay_ + 1);
  const auto at = 4 * static_cast<uint32_t>(pop_ + kMergeDelay - now_);
  const uint32_t residual = tail_ % kBeatBytes;  // the contract's x when this vector is merged
  const uint32_t total = residual + bytes;
  if (!last) {
    calendar_ += uint64_t{(total / kBeatBytes) | kMerge} << at;
    tail_ += bytes;
    return pop_;
  }
  // What can already stand in the merge cycle's entry is the flush of the packet before.
  const uint32_t completed = (total + kBeatBytes - 1) / kBeatBytes;
  const uint32_t room = kMaxEnter - (calendar_ >> at & kEnterMask);
  const uint32_t now = std::min(completed, room);
  calendar_ += uint64_t{now | kMerge} << at;
  calendar_ += uint64_t{completed - now} << (at + 4);  // 0, or 1: flushed in the cycle after

  // Pad the last beat with zeros; the next packet starts after it.
  std::memset(&bytes_[tail_ + bytes], 0, kBeatBytes);
  tail_ += completed * kBeatBytes - residual;
  sideband_[(tail_ / kBeatBytes - 1) % kRingBeats] = {
      .keep = keep_of_bytes(static_cast<int>(total - (completed - 1) * kBeatBytes)),
      .last = 1,
      .user = error_,
      .raw = format_ == kRaw};
  return pop_;
}

void Mx::wrap() {
  if (tail_ < kRingBytes) [[likely]]
    return;
  std::memcpy(bytes_.data(), &bytes_[kRingBytes], kSlackBytes);
  tail_ -= kRingBytes;
}

}  // namespace gw::systemc

#pragma GCC diagnostic pop
