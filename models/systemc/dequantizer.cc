#include "models/systemc/dequantizer.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace gw::systemc {
namespace {

constexpr uint32_t kQuietNan = 0x7FC00000, kSignBit = 0x80000000;

bool finite_word(uint32_t word) { return (word >> 23 & 0xFF) != 0xFF; }

uint32_t word_at(const uint8_t* bytes) {
  uint32_t word;
  std::memcpy(&word, bytes, sizeof word);
  return word;
}

/// m T with a sign: one rounding, by the host's unit.
uint32_t multiple_of(uint32_t m, uint32_t t, bool negative) {
  const float product = static_cast<float>(m) * std::bit_cast<float>(t);
  return std::bit_cast<uint32_t>(product) ^ (negative ? kSignBit : 0);
}

/// An element times 2^(scale - 127); exact, or infinite.
uint32_t mx_value(uint32_t code, uint32_t scale, bool wide) {
  const int mantissa_bits = wide ? 3 : 1, exponent_bits = wide ? 4 : 2, bias = wide ? 7 : 1;
  const uint32_t magnitude = code & ((1u << (mantissa_bits + exponent_bits)) - 1);
  if (scale == 0xFF || (wide && magnitude == 0x7F)) return kQuietNan;
  const bool negative = (code >> (mantissa_bits + exponent_bits) & 1) != 0;
  const auto exponent = static_cast<int>(magnitude >> mantissa_bits);
  const uint32_t mantissa = magnitude & ((1u << mantissa_bits) - 1);
  const uint32_t units = exponent == 0 ? mantissa : mantissa | 1u << mantissa_bits;
  const double value =
      std::ldexp(static_cast<double>(units),
                 std::max(exponent, 1) - bias - mantissa_bits + static_cast<int>(scale) - 127);
  return std::bit_cast<uint32_t>(static_cast<float>(value)) | (negative ? kSignBit : 0);
}

}  // namespace

void Dequantizer::reset() {
  first_ = true;
  ready_ = false;
  held_ = head_ = 0;
  begun_ = draining_ = false;
  p_ = kHeaderBits;
  used_ = queued_ = calendar_ = out_head_ = out_tail_ = 0;
  malformed_.fill(0);
  errors_ = 0;
}

void Dequantizer::clock(const Beat* s, bool m_ready) {
  const bool left = m_ready && queued_ != 0;
  bool emitted = false;
  if (held_ != 0) {
    if (draining_) {
      draining_ = !in_[head_].last;
      drop_beat();
    } else if (used_ < kQueueBeats) {
      emitted = step();
    }
  }
  if (s != nullptr && ready_) {  // in the buffer from the next cycle on
    Input& input = in_[(head_ + held_) % kBufferBeats];
    std::memcpy(input.bytes.data(), s->data.data(), kBeatBytes);
    input.valid = static_cast<uint32_t>(valid_bytes(*s));
    input.limit = pins_.limit;
    input.last = s->last != 0;
    input.user = s->user != 0;
    first_ = input.last;
    ++held_;
  }
  ready_ = held_ < kBufferBeats;

  if (emitted) calendar_ |= 1u << kDecodeDelay;
  const uint32_t entered = calendar_ & 1;
  calendar_ >>= 1;
  used_ += (emitted ? 1u : 0u) - (left ? 1u : 0u);
  if (left) {
    errors_ += out_[out_head_].user;
    out_head_ = (out_head_ + 1) % out_.size();
  }
  queued_ += entered - (left ? 1u : 0u);
}

/// Values of the beat that is due.
uint32_t Dequantizer::below() const {
  return std::min<uint32_t>(n_ - beat_ * kLanes, static_cast<uint32_t>(kLanes));
}

void Dequantizer::drop_beat() {
  head_ = (head_ + 1) % kBufferBeats;
  --held_;
}

void Dequantizer::advance(uint32_t bits) {
  for (p_ += bits; p_ >= kBeatBits; p_ -= kBeatBits) drop_beat();
}

void Dequantizer::emit(const std::array<uint32_t, kLanes>& lanes, bool last, bool user) {
  Beat& beat = out_[out_tail_];
  out_tail_ = (out_tail_ + 1) % out_.size();
  beat.data = lanes;
  beat.keep = last ? Beat::keep_of(static_cast<int>(4 * below())) : kKeepAll;
  beat.last = last;
  beat.user = user;
}

/// The error beat in place of the one that is due.
bool Dequantizer::fail(Reason reason) {
  ++malformed_[reason];
  emit({}, true, true);
  out_[(out_tail_ + out_.size() - 1) % out_.size()].keep = kKeepAll;
  draining_ = !in_[head_].last;
  drop_beat();
  begun_ = false;
  p_ = kHeaderBits;
  return true;
}

/// Behind the last value: a status byte has to be left, and nothing else.
bool Dequantizer::close(uint32_t bits, const std::array<uint32_t, kLanes>& lanes) {
  const int rest = window_.avail - static_cast<int>(bits);
  if (!window_.end && rest < 16) return false;
  if (rest != 8) return fail(kPayload);
  const uint8_t status = window_.bytes[(p_ + bits) / 8];
  if ((status & 0xF8) != 0) return fail(kStatus);
  emit(lanes, true, status != 0 || window_.user);
  while (!in_[head_].last) drop_beat();
  drop_beat();
  begun_ = false;
  p_ = kHeaderBits;
  return true;
}

void Dequantizer::look() {
  uint32_t bytes = 0;
  window_.end = window_.user = false;
  for (uint32_t i = 0; i < std::min(held_, kWindowBeats) && !window_.end; ++i) {
    const Input& input = in_[(head_ + i) % kBufferBeats];
    std::memcpy(&window_.bytes[i * kBeatBytes], input.bytes.data(), kBeatBytes);
    bytes += input.valid;
    window_.end = input.last;
    window_.user = input.user;
  }
  window_.avail = static_cast<int>(bytes * 8) - static_cast<int>(p_);
  if (window_.avail < 0) window_.avail = 0;
  window_.room = window_.avail - 8;
}

/// Reads the header of the packet whose first beat is the oldest; false: it is malformed.
bool Dequantizer::begin() {
  const Input& input = in_[head_];
  const auto bad = [this](Reason reason) {
    fail(reason);
    return false;
  };
  beat_ = 0;
  beats_ = 1;
  n_ = 0;
  if (input.last && input.valid < 17) return bad(kShort);
  const uint8_t* const h = input.bytes.data();
  if (h[0] > kMxfp4) return bad(kFormat);
  format_ = static_cast<Format>(h[0]);
  const bool threshold = format_ == kWgt || format_ == kBgt || format_ == kQgt;
  const bool means = format_ == kOneBit || format_ == kAdaptive;
  k_ = static_cast<int>(h[1]) - 1;
  const bool has_rice = format_ == kBgt || format_ == kQgt || format_ == kAdaptive;
  if (h[1] != 0 && (!has_rice || h[1] > 15)) return bad(kCoding);
  first_word_ = word_at(h + 8);
  second_word_ = word_at(h + 12);
  if (h[2] != 0 || h[3] != 0 || (!means && second_word_ != 0) ||
      (!means && !threshold && first_word_ != 0)) {
    return bad(kReserved);
  }
  n_ = word_at(h + 4);
  if (n_ == 0) return bad(kCount);
  if (n_ > input.limit) return bad(kLimit);
  if (!finite_word(first_word_) || !finite_word(second_word_)) return bad(kNotFinite);
  beats_ = (n_ + kLanes - 1) / kLanes;
  run_ = next_ = 0;
  scale_ = 0;
  lanes_ = {};
  begun_ = true;
  return true;
}

bool Dequantizer::step() {
  if (!begun_ && !begin()) return true;
  look();
  return k_ >= 0 ? rice() : plain();
}

/// The lanes of a group in mask code, and the bits that it takes; false: nothing is emitted but
/// perhaps the error beat.
bool Dequantizer::mask(uint32_t& bits, std::array<uint32_t, kLanes>& lanes, bool& wait,
                       bool& error) {
  bits = 0;
  if (run_ != 0) {
    if (window_.room >= 0) return true;
    (window_.end ? error : wait) = true;
    return false;
  }
  if (window_.room < 16) {
    (window_.end ? error : wait) = true;
    return false;
  }
  const uint8_t* at = &window_.bytes[p_ / 8];
  const unsigned sent = at[0], next = at[1];
  if (sent == 0) {
    if (beat_ + next >= beats_) {
      error = true;
      return false;
    }
    bits = 16;
  } else {
    const bool signs = format_ != kWgt;
    if (static_cast<uint32_t>(std::bit_width(sent)) > below() || (signs && (next & ~sent) != 0)) {
      error = true;
      return false;
    }
    const uint32_t each = format_ == kWgt ? 4 : format_ == kQgt ? 1 : 0;
    bits = 8 * (1 + (signs ? 1 : 0) + each * static_cast<uint32_t>(std::popcount(sent)));
    if (window_.room < static_cast<int>(bits)) {
      (window_.end ? error : wait) = true;
      return false;
    }
    at += signs ? 2 : 1;
    for (size_t i = 0; i < kLanes; ++i) {
      if ((sent >> i & 1) == 0) continue;
      const bool negative = signs && (next >> i & 1) != 0;
      switch (format_) {
        case kWgt:
          lanes[i] = word_at(at);
          break;
        case kAdaptive:
          lanes[i] = negative ? second_word_ : first_word_;
          break;
        default: {
          const uint32_t m = each == 1 ? *at : 1;
          if (m == 0) error = true;
          lanes[i] = multiple_of(m, first_word_, negative);
        }
      }
      at += each;
    }
    return !error;
  }
  return true;
}

bool Dequantizer::plain() {
  std::array<uint32_t, kLanes> lanes{};
  uint32_t bits = 0;
  const uint8_t* const at = &window_.bytes[p_ / 8];
  const uint32_t values = below();
  if (format_ == kWgt || format_ == kBgt || format_ == kQgt || format_ == kAdaptive) {
    bool wait = false, error = false;
    if (!mask(bits, lanes, wait, error)) return error ? fail(kPayload) : false;
  } else {
    const bool opens = beat_ % 4 == 0;
    if (format_ == kRaw) {
      bits = 32 * values;
    } else if (format_ == kOneBit) {
      bits = 8;
    } else {
      const uint32_t each = format_ == kMxfp8 ? 64 : 32;
      bits = (opens ? 8 : 0) + each * (final_beat() ? 4 - beat_ % 4 : 1);
    }
    if (window_.room < static_cast<int>(bits)) return window_.end ? fail(kPayload) : false;
    for (uint32_t i = 0; i < values; ++i) {
      if (format_ == kRaw) {
        lanes[i] = word_at(at + 4 * i);
      } else if (format_ == kOneBit) {
        lanes[i] = (at[0] >> i & 1) != 0 ? first_word_ : second_word_;
      } else {
        if (opens) scale_ = at[0];
        const uint8_t* const elements = at + (opens ? 1 : 0);
        lanes[i] = format_ == kMxfp8
                       ? mx_value(elements[i], scale_, true)
                       : mx_value(static_cast<uint32_t>(elements[i / 2]) >> 4 * (i % 2) & 0xF,
                                  scale_, false);
      }
    }
  }
  if (final_beat()) return close(bits, lanes);
  const bool masked = format_ == kWgt || format_ == kBgt || format_ == kQgt || format_ == kAdaptive;
  if (masked) run_ = run_ != 0 ? run_ - 1 : at[0] == 0 ? at[1] : 0;
  emit(lanes, false, false);
  ++beat_;
  advance(bits);
  return true;
}

/// 57 bits from bit `at` of the window on.
uint64_t Dequantizer::bits_at(uint32_t at) const {
  uint64_t word;
  std::memcpy(&word, &window_.bytes[at / 8], sizeof word);
  return word >> at % 8;
}

/// The code `at` bits behind p; `next` is the index behind the entry before.
Dequantizer::Code Dequantizer::code_at(uint32_t at, uint32_t next) const {
  constexpr uint32_t kEscape = 15, kLongGap = 20;
  const Code bad{.kind = Code::kBad, .index = 0, .length = 0, .value = 0};
  if (static_cast<int>(at) >= window_.room) return bad;
  const uint32_t there = static_cast<uint32_t>(window_.room) - at;
  const uint64_t bits = bits_at(p_ + at);
  const auto ones = std::min(static_cast<uint32_t>(std::countr_one(bits)), kEscape);
  const auto k = static_cast<uint32_t>(k_);
  uint32_t length, gap;
  if (ones < kEscape) {
    length = ones + 1 + k;
    gap = ones << k | (static_cast<uint32_t>(bits >> (ones + 1)) & ((1u << k) - 1));
  } else {
    length = kEscape + kLongGap;
    gap = static_cast<uint32_t>(bits >> kEscape) & ((1u << kLongGap) - 1);
  }
  if (length > there || next + gap > n_) return bad;
  if (next + gap == n_) return {.kind = Code::kEnd, .index = n_, .length = length, .value = 0};
  const bool negative = (bits >> length & 1) != 0;
  const auto m = format_ == kQgt ? static_cast<uint32_t>(bits >> (length + 1)) & 0xFF : 1u;
  length += format_ == kQgt ? 9 : 1;
  if (length > there || m == 0) return bad;
  const uint32_t value = format_ == kAdaptive ? (negative ? second_word_ : first_word_)
                                              : multiple_of(m, first_word_, negative);
  return {.kind = Code::kEntry, .index = next + gap, .length = length, .value = value};
}

bool Dequantizer::rice() {
  if (!window_.end && window_.avail < kRiceReadBits) return false;
  const Code one = code_at(0, next_);
  if (one.kind == Code::kBad) return fail(kPayload);
  const auto in_beat = [this](const Code& code) {
    return code.kind == Code::kEntry && code.index / kLanes == beat_;
  };
  uint32_t taken = 0;
  const auto take = [&](const Code& code) {
    lanes_[code.index % kLanes] = code.value;
    next_ = code.index + 1;
    taken += code.length;
  };
  const auto let_go = [this] {
    emit(lanes_, false, false);
    lanes_ = {};
    ++beat_;
  };
  bool emitted = false;
  if (!in_beat(one)) {
    if (final_beat()) return close((p_ + one.length + 7) / 8 * 8 - p_, lanes_);
    let_go();
    emitted = true;
    if (in_beat(one)) {
      take(one);
      if (const Code two = code_at(taken, next_); in_beat(two)) take(two);
    }
  } else {
    take(one);
    const Code two = code_at(taken, next_);
    if (in_beat(two)) {
      take(two);
    } else if (two.kind == Code::kEntry || (two.kind == Code::kEnd && !final_beat())) {
      let_go();
      emitted = true;
      if (in_beat(two)) take(two);
    }
  }
  advance(taken);
  return emitted;
}

}  // namespace gw::systemc
