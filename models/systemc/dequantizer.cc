#include "models/systemc/dequantizer.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace gw::systemc {
namespace {

constexpr uint32_t kDequantizerNan = 0x7FC0'0000;
constexpr uint32_t kDequantizerSign = 0x8000'0000;
constexpr uint32_t kShortestPacket = 17;
constexpr uint32_t kWholeCodes = 96;  // bits that hold two codes of Rice, whatever they are
constexpr uint32_t kUnaryOnes = 15;   // of a gap's long form
constexpr uint32_t kStatusZeros = 0xF8;

bool dequantizer_finite(uint32_t bits) { return (~bits & 0x7F80'0000) != 0; }

/// What E4M3 and E2M1 codes stand for, before they are scaled.
constexpr auto kDequantizerE4m3 = [] {
  std::array<float, 256> values{};
  for (int code = 0; code < 128; ++code) {
    const int exponent = code >> 3;
    float value = exponent == 0 ? static_cast<float>(code & 7) * 0x1p-9F
                                : static_cast<float>(8 + (code & 7)) * 0x1p-9F;
    for (int i = 1; i < exponent; ++i) value *= 2;
    values[static_cast<size_t>(code)] = value;
    values[static_cast<size_t>(code + 128)] = -value;
  }
  values[0x7F] = values[0xFF] = std::bit_cast<float>(kDequantizerNan);
  return values;
}();
constexpr std::array<float, 16> kDequantizerE2m1 = {0.0F,  0.5F,  1.0F,  1.5F,  2.0F,  3.0F,
                                                    4.0F,  6.0F,  -0.0F, -0.5F, -1.0F, -1.5F,
                                                    -2.0F, -3.0F, -4.0F, -6.0F};

}  // namespace

void Dequantizer::reset() {
  first_ = true;
  ready_ = false;
  held_ = bursts_ = end_bit_ = 0;
  end_ = draining_ = false;
  forget();
  out_head_ = out_tail_ = visible_ = used_ = entering_ = 0;
  malformed_ = {};
  errors_ = 0;
}

void Dequantizer::clock(const Beat* s, bool m_ready) {
  const bool left = m_ready && visible_ != 0;
  const uint32_t used = used_;
  if (held_ != 0) {
    if (draining_) {
      draining_ = !burst_[0].last;
      leave(1);
    } else if (used <= kMaxUsed) {
      step();
    }
  }
  if (s != nullptr && ready_) {
    std::memcpy(&bytes_[held_ * kBeatBytes], s->data.data(), kBeatBytes);
    burst_[held_] = {8 * static_cast<uint32_t>(valid_bytes(*s)), pins_.limit, s->last != 0,
                     s->last != 0 && s->user != 0};
    first_ = s->last != 0;
    ++held_;
    refresh();
  }
  ready_ = held_ < kBufferBeats;
  if (left) {
    const Beat& beat = out_[out_head_];
    errors_ += beat.last & beat.user;
    out_head_ = (out_head_ + 1) % kOutBeats;
    --visible_;
    --used_;
  }
  visible_ += entering_ & 1;
  entering_ >>= 1;
}

/// What the window holds, of the beats that are there.
void Dequantizer::refresh() {
  bursts_ = end_bit_ = 0;
  end_ = false;
  while (bursts_ < std::min(held_, kWindowBeats) && !end_) {
    end_ = burst_[bursts_].last;
    end_bit_ += burst_[bursts_].bits;
    ++bursts_;
  }
}

void Dequantizer::leave(uint32_t beats) {
  if (beats == 0) return;
  held_ -= beats;
  std::memmove(bytes_.data(), &bytes_[beats * kBeatBytes], held_ * kBeatBytes);
  std::copy_n(burst_.begin() + beats, held_, burst_.begin());
  refresh();
}

/// Before a packet's first step.
void Dequantizer::forget() {
  begun_ = false;
  p_ = kHeaderBits;
  beat_ = run_ = next_ = 0;
  values_ = {};
}

uint64_t Dequantizer::word(uint32_t bit) const {
  uint64_t word;
  std::memcpy(&word, &bytes_[bit / 8], sizeof word);
  return word >> (bit % 8);
}

/// Reads the header; false: it is malformed.
bool Dequantizer::begin(Reason& reason) {
  const auto bad = [&](Reason what) {
    reason = what;
    return false;
  };
  if (end_ && end_bit_ < 8 * kShortestPacket) return bad(kShort);
  std::array<uint32_t, 4> header;
  std::memcpy(header.data(), bytes_.data(), sizeof header);
  const uint32_t format = header[0] & 0xFF, coding = header[0] >> 8 & 0xFF;
  if (format > kFp4) return bad(kFormat);
  const bool threshold = kWgt <= format && format <= kQgt;
  const bool means = format == kOneBit || format == kAdaptive;
  const bool coded = format == kBgt || format == kQgt || format == kAdaptive;
  if (coding > (coded ? 15 : 0)) return bad(kCoding);
  if (header[0] >> 16 != 0 || (!threshold && !means && header[2] != 0) ||
      (!means && header[3] != 0)) {
    return bad(kReserved);
  }
  if (header[1] == 0) return bad(kCount);
  if (header[1] > burst_[0].limit) return bad(kLimit);
  if (!dequantizer_finite(header[2]) || !dequantizer_finite(header[3])) return bad(kNotFinite);
  format_ = static_cast<uint8_t>(format);
  rice_ = coding != 0;
  k_ = coding - rice_;
  n_ = header[1];
  beats_ = (n_ + kLanes - 1) / kLanes;
  words_ = {header[2], header[3]};
  begun_ = true;
  return true;
}

void Dequantizer::step() {
  Reason reason{};
  if (!begun_ && !begin(reason)) {
    error(reason);
  } else if (rice_) {
    step_rice();
  } else if (format_ == kRaw || format_ == kOneBit || format_ >= kFp8) {
    step_fixed();
  } else {
    step_mask();
  }
}

/// RAW, ONEBIT and MX: beats whose length is known.
void Dequantizer::step_fixed() {
  const uint32_t lanes = below();
  const uint32_t item = format_ == kFp8 ? 64 : 32;  // bits of MX's elements
  const uint32_t in_block = beat_ % 4;
  const bool scale = format_ >= kFp8 && in_block == 0;
  uint32_t length = 8;
  if (format_ == kRaw) {
    length = 32 * lanes;
  } else if (format_ >= kFp8) {
    length = (scale ? 8 : 0) + item * (final() ? kBeatBits / 64 - in_block : 1);
  }
  if (p_ + length > end_bit_) {
    if (end_) error(kPayload);
    return;
  }
  if (final() && !end_ && end_bit_ - p_ - length < 16) return;
  if (format_ == kRaw) {
    std::memcpy(values_.data(), &bytes_[p_ / 8], 4 * lanes);
  } else if (format_ == kOneBit) {
    const uint32_t bits = field(p_, 8);
    for (uint32_t i = 0; i < lanes; ++i) values_[i] = words_[~bits >> i & 1];
  } else {
    if (scale) scale_ = field(p_, 8);
    put_elements(p_ + (scale ? 8 : 0), lanes);
  }
  if (final()) {
    close(p_ + length);
  } else {
    next_beat(p_ + length);
  }
}

void Dequantizer::put_elements(uint32_t at, uint32_t lanes) {
  if (scale_ == 255) {
    std::fill_n(values_.begin(), lanes, kDequantizerNan);
    return;
  }
  // 2^(scale - 127): the least is a subnormal number. Products are exact, or infinite.
  const auto power = std::bit_cast<float>(scale_ == 0 ? 0x0040'0000u : scale_ << 23);
  const uint8_t* const in = &bytes_[at / 8];
  std::array<float, kLanes> elements;
  for (uint32_t i = 0; i < kLanes; ++i) {
    elements[i] =
        format_ == kFp8 ? kDequantizerE4m3[in[i]] : kDequantizerE2m1[in[i / 2] >> (i % 2 * 4) & 15];
  }
  for (float& element : elements) element *= power;
  std::memcpy(values_.data(), elements.data(), 4 * lanes);
}

/// Of a value that is sent by sign and, of QGT, multiple.
inline uint32_t Dequantizer::sent_value(bool negative, uint32_t m) const {
  if (format_ == kAdaptive) return words_[negative];
  uint32_t value = words_[0];
  if (format_ == kQgt) {
    value = std::bit_cast<uint32_t>(static_cast<float>(m) * std::bit_cast<float>(value));
  }
  return negative ? value ^ kDequantizerSign : value;
}

void Dequantizer::step_mask() {
  const uint32_t lanes = below();
  uint32_t length = 0, mask = 0, signs = 0, run = run_;
  if (run_ == 0) {
    if (p_ + 16 > end_bit_) {
      if (end_) error(kPayload);
      return;
    }
    mask = field(p_, 8);
    const uint32_t second = field(p_ + 8, 8);
    const bool wrong = mask == 0 ? beat_ + second >= beats_
                                 : mask >> lanes != 0 || (format_ != kWgt && (second & ~mask) != 0);
    if (wrong) return error(kPayload);
    const auto count = static_cast<uint32_t>(std::popcount(mask));
    if (mask == 0) {
      length = 16;
      run = second + 1;  // with this group
    } else {
      signs = second;
      length = format_ == kWgt ? 8 + 32 * count : format_ == kQgt ? 16 + 8 * count : 16;
    }
    if (p_ + length > end_bit_) {
      if (end_) error(kPayload);
      return;
    }
    const uint8_t* in = &bytes_[p_ / 8];
    if (format_ == kQgt && std::any_of(in + 2, in + 2 + count, [](uint8_t m) { return m == 0; })) {
      return error(kPayload);
    }
    if (final() && !end_ && end_bit_ - p_ - length < 16) return;
    in += format_ == kWgt ? 1 : 2;
    for (uint32_t rest = mask; rest != 0; rest &= rest - 1) {
      const auto lane = static_cast<uint32_t>(std::countr_zero(rest));
      if (format_ == kWgt) {
        std::memcpy(&values_[lane], in, 4);
        in += 4;
      } else {
        values_[lane] = sent_value((signs >> lane & 1) != 0, format_ == kQgt ? *in++ : 0);
      }
    }
  } else if (final() && !end_ && avail() < 16) {
    return;
  }
  if (final()) return close(p_ + length);
  run_ = run - (run != 0);
  next_beat(p_ + length);
}

Dequantizer::Code Dequantizer::code(uint32_t at, uint32_t next) const {
  constexpr Code kBad{true, false, 0, 0, 0};
  if (at >= end_bit_) return kBad;
  uint64_t bits = word(at);
  const auto ones = std::min<uint32_t>(static_cast<uint32_t>(std::countr_one(bits)), kUnaryOnes);
  uint32_t gap, length;
  if (ones == kUnaryOnes) {
    gap = static_cast<uint32_t>(bits >> kUnaryOnes) & 0xF'FFFF;
    length = kUnaryOnes + 20;
  } else {
    gap = ones << k_ | (static_cast<uint32_t>(bits >> (ones + 1)) & ((1u << k_) - 1));
    length = ones + 1 + k_;
  }
  const uint32_t index = next + gap;
  if (index > n_) return kBad;
  if (index == n_) {
    return {at + length > end_bit_, true, index, 0, at + length};
  }
  bits >>= length;
  const uint32_t m = bits >> 1 & 0xFF;
  const uint32_t behind = at + length + (format_ == kQgt ? 9 : 1);
  if (behind > end_bit_ || (format_ == kQgt && m == 0)) return kBad;
  return {false, false, index, sent_value((bits & 1) != 0, m), behind};
}

void Dequantizer::step_rice() {
  if (!end_ && avail() < kWholeCodes) return;
  const Code one = code(p_, next_);
  if (one.bad) return error(kPayload);
  const auto in_beat = [&](const Code& c, uint32_t beat) {
    return !c.bad && !c.end && c.index / kLanes == beat;
  };
  if (!in_beat(one, beat_)) {  // the end, or behind this beat
    if (final()) {
      const uint32_t at = (one.behind + 7) / 8 * 8;
      if (!end_ && end_bit_ - at < 16) return;
      return close(at);
    }
    uint32_t at = p_;
    if (in_beat(one, beat_ + 1)) {
      put(one);
      next_ = one.index + 1;
      at = one.behind;
      const Code two = code(at, next_);
      if (in_beat(two, beat_ + 1)) {
        put(two);
        next_ = two.index + 1;
        at = two.behind;
      }
    }
    return next_beat(at);
  }
  put(one);
  next_ = one.index + 1;
  uint32_t at = one.behind;
  const Code two = code(at, next_);
  const bool taken = in_beat(two, beat_) || in_beat(two, beat_ + 1);
  const bool emits = !two.bad && !in_beat(two, beat_) && !final();
  if (taken) {
    put(two);
    next_ = two.index + 1;
    at = two.behind;
  }
  if (emits) return next_beat(at);
  advance(at);
}

/// The packet ends at that bit, but for the status; the beat that is due is its last.
void Dequantizer::close(uint32_t at) {
  if (end_bit_ - at != 8) return error(kPayload);
  const uint32_t status = field(at, 8);
  if ((status & kStatusZeros) != 0) return error(kStatus);
  emit(true, status != 0 || burst_[bursts_ - 1].user);
  leave(bursts_);
  forget();
}

/// The beat that is due is emitted, the next one begins; what is read ends at that bit.
void Dequantizer::next_beat(uint32_t at) {
  emit(false, false);
  std::copy_n(values_.begin() + kLanes, kLanes, values_.begin());
  std::fill_n(values_.begin() + kLanes, kLanes, 0);
  ++beat_;
  advance(at);
}

/// The beats wholly passed leave the buffer. The packet's last stays: it leaves with the packet.
void Dequantizer::advance(uint32_t at) {
  uint32_t passed = 0;
  while (at >= kBeatBits && !burst_[passed].last) {
    at -= kBeatBits;
    ++passed;
  }
  p_ = at;
  leave(passed);
}

void Dequantizer::emit(bool last, bool user) {
  Beat& beat = out_[out_tail_];
  std::copy_n(values_.begin(), kLanes, beat.data.begin());
  beat.keep = last ? keep_of_bytes(static_cast<int>(4 * below())) : kKeepAll;
  beat.last = last;
  beat.user = user;
  out_tail_ = (out_tail_ + 1) % kOutBeats;
  entering_ |= 1u << kDecodeDelay;
  ++used_;
}

void Dequantizer::error(Reason reason) {
  Beat& beat = out_[out_tail_];
  beat = Beat{};
  beat.last = beat.user = 1;
  out_tail_ = (out_tail_ + 1) % kOutBeats;
  entering_ |= 1u << kDecodeDelay;
  ++used_;
  ++malformed_[reason];
  draining_ = !burst_[0].last;
  leave(1);
  forget();
}

}  // namespace gw::systemc
