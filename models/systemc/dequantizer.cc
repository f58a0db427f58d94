// SPDX-License-Identifier: Apache-2.0
#include "models/systemc/dequantizer.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace gw::systemc {
namespace {

constexpr uint32_t kQuietNan = 0x7FC00000, kSignBit = 0x80000000;
constexpr uint32_t kEscapeOnes = 15, kLongGapBits = 20;  // a gap that is written in full
constexpr uint32_t kPairOnes = 14, kPairFirstOnes = 7;   // up to here two codes are read at once

bool finite_bits(uint32_t word) { return (word >> 23 & 0xFF) != 0xFF; }

uint32_t word_at(const uint8_t* bytes) {
  uint32_t word;
  std::memcpy(&word, bytes, sizeof word);
  return word;
}

/// m T, one rounding, by the host's unit.
uint32_t multiple_of(uint32_t m, uint32_t t) {
  return std::bit_cast<uint32_t>(static_cast<float>(m) * std::bit_cast<float>(t));
}

constexpr double power_of_two(int exponent) {
  return std::bit_cast<double>(static_cast<uint64_t>(exponent + 1023) << 52);
}

/// What codes of an MX element stand for, their sign aside.
template <int kExponentBits, int kMantissaBits, int kBias>
constexpr auto mx_magnitudes() {
  std::array<double, size_t{1} << (kExponentBits + kMantissaBits)> all{};
  for (size_t code = 0; code < all.size(); ++code) {
    const int exponent = static_cast<int>(code >> kMantissaBits);
    const auto mantissa = static_cast<double>(code & ((1u << kMantissaBits) - 1));
    const double units = exponent == 0 ? mantissa : mantissa + (1 << kMantissaBits);
    all[code] = units * power_of_two(std::max(exponent, 1) - kBias - kMantissaBits);
  }
  return all;
}
constexpr auto kE4m3 = mx_magnitudes<4, 3, 7>();
constexpr auto kE2m1 = mx_magnitudes<2, 1, 1>();
constexpr auto kE5m2 = mx_magnitudes<5, 2, 15>();

/// An element times 2^(scale - 127): exact, or infinite.
template <class Magnitudes>
uint32_t mx_value(const Magnitudes& magnitudes, uint32_t code, uint32_t scale) {
  const auto count = static_cast<uint32_t>(magnitudes.size());
  const double value = magnitudes[code & (count - 1)] * power_of_two(static_cast<int>(scale) - 127);
  return std::bit_cast<uint32_t>(static_cast<float>(value)) | ((code & count) != 0 ? kSignBit : 0);
}
uint32_t mxfp8_value(uint32_t code, uint32_t scale) {
  return scale == 0xFF || (code & 0x7F) == 0x7F ? kQuietNan : mx_value(kE4m3, code, scale);
}
uint32_t mxfp8_e5m2_value(uint32_t code, uint32_t scale) {
  const uint32_t magnitude = code & 0x7F;
  if (scale == 0xFF || magnitude > 0x7C) return kQuietNan;
  if (magnitude == 0x7C) return 0x7F80'0000 | (code & 0x80) << 24;
  return mx_value(kE5m2, code, scale);
}
uint32_t mxfp4_value(uint32_t code, uint32_t scale) {
  return scale == 0xFF ? kQuietNan : mx_value(kE2m1, code, scale);
}

}  // namespace

void Dequantizer::reset() {
  first_ = true;
  ready_ = false;
  held_ = head_ = lasts_ = 0;
  bytes_.fill(0);
  next_packet();
  item_calendar_ = listed_ = list_head_ = list_tail_ = 0;
  queued_ = calendar_ = out_head_ = out_entered_ = out_tail_ = 0;
  malformed_.fill(0);
  errors_ = 0;
}

void Dequantizer::clock(const Beat* s, bool m_ready) {
  const bool left = m_ready && queued_ != 0;
  const bool roomy = queued_ <= kRoomyBeats;
  if (draining_) {
    if (held_ != 0 && drop_beat()) next_packet();
  } else if (begun_ || held_ != 0) {
    if (!begun_) begin();
    if (is_rice_) {
      rice(roomy);
    } else if (roomy && held_ != 0) {
      plain();
    }
  }
  if (s != nullptr && ready_) accept(*s);
  ready_ = held_ < kBufferBeats;

  if (left) {
    errors_ += out_[out_head_].user;
    out_head_ = (out_head_ + 1) % kOutBeats;
    --queued_;
  }
  if ((calendar_ & 1) != 0) {
    if (const uint8_t reason = reasons_[out_entered_]; reason != kNone) ++malformed_[reason];
    out_entered_ = (out_entered_ + 1) % kOutBeats;
    ++queued_;
  }
  calendar_ >>= 1;
}

// ---------------------------------------------------------------- input buffer

void Dequantizer::accept(const Beat& beat) {
  const uint32_t slot = (head_ + held_) % kBufferBeats;
  in_[slot] = {.valid = static_cast<uint32_t>(valid_bytes(beat)),
               .limit = pins_.limit,
               .user = beat.user != 0};
  std::memcpy(&bytes_[slot * kBeatBytes], beat.data.data(), kBeatBytes);
  std::memcpy(&bytes_[(slot + kBufferBeats) * kBeatBytes], beat.data.data(), kBeatBytes);
  if (beat.last != 0) lasts_ |= 1u << held_;
  first_ = beat.last != 0;
  ++held_;
}

/// The oldest beat leaves; whether it was the packet's last.
bool Dequantizer::drop_beat() {
  const bool last = (lasts_ & 1) != 0;
  head_ = (head_ + 1) % kBufferBeats;
  lasts_ >>= 1;
  --held_;
  return last;
}

// ---------------------------------------------------------------- packets

/// The packet at hand is over, and the next one is.
void Dequantizer::next_packet() {
  begun_ = draining_ = is_rice_ = false;
  p_ = kHeaderBytes;
}

/// Values of a beat.
uint32_t Dequantizer::below(uint32_t beat) const {
  return std::min<uint32_t>(n_ - beat * kLanes, static_cast<uint32_t>(kLanes));
}

/// Reads the header of the packet whose first beat is the oldest.
void Dequantizer::begin() {
  const uint8_t* const h = bytes();
  begun_ = true;
  dead_ = false;
  beat_ = 0;
  header_reason_ = header_reason(h);
  if (header_reason_ != kNone) {
    beats_ = 1;
    return;
  }
  format_ = static_cast<Format>(h[0]);
  n_ = word_at(h + 4);
  first_word_ = word_at(h + 8);
  second_word_ = word_at(h + 12);
  beats_ = (n_ + kLanes - 1) / kLanes;
  run_ = 0;
  scale_ = 0;
  if (h[1] == 0) return;
  is_rice_ = true;
  k_ = h[1] - 1u;
  fetched_ = waits_ = end_known_ = false;
  fetched_words_ = arrived_words_ = place_ = next_ = emitted_ = 0;
  end_bits_ = ~0u;
  lanes_ = {};
}

/// What is wrong with it, in the order in which it is looked for.
uint8_t Dequantizer::header_reason(const uint8_t* h) const {
  const Input& input = in_[head_];
  if ((lasts_ & 1) != 0 && input.valid <= kHeaderBytes) return kShort;
  if (h[0] > kMxfp8E5m2) return kFormat;
  const bool threshold = h[0] == kWgt || h[0] == kBgt || h[0] == kQgt;
  const bool means = h[0] == kOneBit || h[0] == kAdaptive;
  const bool has_rice = h[0] == kBgt || h[0] == kQgt || h[0] == kAdaptive;
  if (h[1] > (has_rice ? 15 : 0)) return kCoding;
  const uint32_t n = word_at(h + 4), first = word_at(h + 8), second = word_at(h + 12);
  if (h[2] != 0 || h[3] != 0) return kReserved;
  if (!means && (second != 0 || (!threshold && first != 0))) return kReserved;
  if (n == 0) return kCount;
  if (n > input.limit) return kLimit;
  if (!finite_bits(first) || !finite_bits(second)) return kNotFinite;
  return kNone;
}

// ---------------------------------------------------------------- plain

/// A cycle in which the buffer is not empty and the output queue is roomy.
void Dequantizer::plain() {
  Token token{};
  const bool header_bad = header_reason_ != kNone;
  const bool masks = !header_bad && masked();
  const uint8_t* const at = bytes() + p_;
  const bool opens_run = masks && run_ == 0 && at[0] == 0;
  if (masks) {
    if (!mask_token(at, token)) return;
  } else if (!header_bad) {
    dense_token(at, token);
  }
  const uint32_t behind = p_ + token.bytes;
  if (!ends() && (behind + 1) / kBeatBytes >= held_) return;

  const bool final = final_beat();
  if (!dead_) {
    uint8_t reason = header_reason_, status = 0;
    if (!header_bad) {
      // Where the end is not in the buffer, the packet goes on.
      const uint32_t size = ends() ? end() : ~0u;
      if (token.bad || size < behind + 1 || (final && size > behind + 1)) {
        reason = kPayload;
      } else if (final) {
        status = bytes()[behind];
        if ((status & 0xF8) != 0) reason = kStatus;
      }
    }
    if (reason != kNone) {
      put(kTokenDelay, reason);
      dead_ = true;
    } else {
      put_beat(kTokenDelay, beat_, token.lanes, final, final && (status != 0 || end_user()));
    }
  }
  if (masks) run_ = opens_run ? at[1] : run_ == 0 ? 0 : run_ - 1;
  ++beat_;

  // How many beats leave, perhaps the packet's last among them.
  uint32_t leaving = behind / kBeatBytes + (final ? 1 : 0);
  p_ = behind % kBeatBytes;
  for (; leaving != 0; --leaving) {
    if (drop_beat()) {
      next_packet();
      return;
    }
  }
  draining_ = final;
}

/// RAW, ONEBIT, MX.
void Dequantizer::dense_token(const uint8_t* at, Token& token) {
  const uint32_t values = below(beat_);
  if (format_ == kRaw) {
    token.bytes = 4 * values;
    std::memcpy(token.lanes.data(), at, token.bytes);
    return;
  }
  if (format_ == kOneBit) {
    token.bytes = 1;
    for (uint32_t i = 0; i < values; ++i) {
      token.lanes[i] = (at[0] >> i & 1) != 0 ? first_word_ : second_word_;
    }
    return;
  }
  const bool opens = beat_ % 4 == 0;
  const uint32_t each = format_ == kMxfp4 ? 4 : 8;
  token.bytes = (opens ? 1 : 0) + each * (final_beat() ? 4 - beat_ % 4 : 1);
  // Whether the token will be read is not known yet; until then its scale is the same.
  if (opens) scale_ = *at++;
  for (uint32_t i = 0; i < values; ++i) {
    token.lanes[i] = format_ == kMxfp8 ? mxfp8_value(at[i], scale_)
                     : format_ == kMxfp4
                         ? mxfp4_value(static_cast<uint32_t>(at[i / 2]) >> 4 * (i % 2), scale_)
                         : mxfp8_e5m2_value(at[i], scale_);
  }
}

/// A group in mask code; false: not even all of it is in the buffer.
bool Dequantizer::mask_token(const uint8_t* at, Token& token) {
  if (run_ != 0) return true;
  const uint32_t sent = at[0], next = at[1];
  if (sent == 0) {
    token.bytes = 2;
    token.bad = beat_ + next >= beats_;
    return true;
  }
  const bool signs = format_ != kWgt;
  const uint32_t each = format_ == kWgt ? 4 : format_ == kQgt ? 1 : 0;
  token.bytes = 1 + (signs ? 1 : 0) + each * static_cast<uint32_t>(std::popcount(sent));
  if (!ends() && p_ + token.bytes >= held_ * kBeatBytes) return false;
  token.bad =
      static_cast<uint32_t>(std::bit_width(sent)) > below(beat_) || (signs && (next & ~sent) != 0);
  at += signs ? 2 : 1;
  for (size_t i = 0; i < kLanes; ++i) {
    if ((sent >> i & 1) == 0) continue;
    const bool negative = signs && (next >> i & 1) != 0;
    if (format_ == kWgt) {
      token.lanes[i] = word_at(at);
    } else if (format_ == kAdaptive) {
      token.lanes[i] = negative ? second_word_ : first_word_;
    } else {
      const uint32_t magnitude = format_ == kQgt ? multiple_of(*at, first_word_) : first_word_;
      token.bad |= format_ == kQgt && *at == 0;
      token.lanes[i] = magnitude ^ (negative ? kSignBit : 0);
    }
    at += each;
  }
  return true;
}

// ---------------------------------------------------------------- Rice

void Dequantizer::rice(bool roomy) {
  const uint32_t at_hand = arrived_words_ - place_ / kWordBits;
  const bool steps = at_hand != 0 && listed_ <= kRoomyItems;
  const bool moves = waits_ && at_hand < hand_.size();

  listed_ += item_calendar_ & 1;  // delivered
  item_calendar_ >>= 1;
  const bool over = roomy && listed_ != 0 && emit();

  if (steps) step();
  if (moves) {
    hand_[arrived_words_++ % hand_.size()] = antechamber_;
    waits_ = false;
  }
  if (!waits_ && !fetched_ && held_ != 0 && (p_ <= kWordBytes || held_ > 1 || (lasts_ & 1) != 0)) {
    fetch();
  }

  if (over) {
    item_calendar_ = listed_ = 0;
    list_head_ = list_tail_ = 0;
    draining_ = true;
  }
}

void Dequantizer::fetch() {
  const uint8_t* const at = bytes() + p_;
  const bool in_last = (lasts_ & 1) != 0;
  std::memcpy(&antechamber_, at, sizeof antechamber_);
  if (in_last && p_ + kWordBytes == kBeatBytes) antechamber_.high = 0;
  if (!end_known_ && (lasts_ & 3) != 0) {
    end_known_ = true;
    end_bits_ = 8 * (kWordBytes * fetched_words_ + end() - p_ - 1);
    status_ = bytes()[end() - 1];
    user_ = end_user();
  }
  waits_ = true;
  ++fetched_words_;
  p_ += kWordBytes;
  if (p_ != kBeatBytes) return;
  if (in_last) {
    fetched_ = true;
  } else {
    drop_beat();
    p_ = 0;
  }
}

/// The code `at` bits after the word's first.
Dequantizer::Code Dequantizer::code_at(const Word& word, uint32_t at) const {
  const uint64_t bits = at == 0          ? word.low
                        : at < kWordBits ? word.low >> at | word.high << (kWordBits - at)
                                         : word.high >> (at - kWordBits);
  Code code;
  code.ones = std::min(static_cast<uint32_t>(std::countr_one(bits)), kEscapeOnes);
  if (code.ones < kEscapeOnes) {
    code.bare = code.ones + 1 + k_;
    code.gap =
        code.ones << k_ | (static_cast<uint32_t>(bits >> (code.ones + 1)) & ((1u << k_) - 1));
  } else {
    code.bare = kEscapeOnes + kLongGapBits;
    code.gap = static_cast<uint32_t>(bits >> kEscapeOnes) & ((1u << kLongGapBits) - 1);
  }
  code.negative = (bits >> code.bare & 1) != 0;
  code.m = format_ == kQgt ? static_cast<uint32_t>(bits >> (code.bare + 1)) & 0xFF : 1;
  code.whole = code.bare + (format_ == kQgt ? 9 : 1);
  return code;
}

/// Reads one or two codes. What becomes of them is settled here, for nothing that comes later
/// changes it, and delivered later.
void Dequantizer::step() {
  const Word& word = hand_[place_ / kWordBits % hand_.size()];
  const uint32_t at = place_ % kWordBits;
  const Code one = code_at(word, at);
  const Code two = code_at(word, std::min(at + one.whole, 2 * kWordBits - 1));
  const bool pair = one.ones <= kPairFirstOnes && one.ones + two.ones <= kPairOnes;
  if (!dead_) {
    Item& item = list_[list_tail_];
    item.beats = item.emitted = item.tail_at = 0;
    item.last = item.user = false;
    item.reason = kNone;
    if (judge(one, place_, item) && pair) judge(two, place_ + one.whole, item);
    if (item.beats != 0) {
      list_tail_ = (list_tail_ + 1) % kListItems;
      item_calendar_ |= 1u << (kStepDelay - 1);
    }
  }
  place_ += one.whole + (pair ? two.whole : 0);
}

/// A code at a place of the payload; whether the next one counts.
bool Dequantizer::judge(const Code& code, uint32_t place, Item& item) {
  const uint32_t index = next_ + code.gap;
  if (index < n_ && place + code.whole <= end_bits_ && code.m != 0) {
    if (index / kLanes != beat_) finish(item, index / kLanes - beat_);
    const uint32_t magnitude = format_ == kQgt ? multiple_of(code.m, first_word_) : first_word_;
    lanes_[index % kLanes] = format_ == kAdaptive ? (code.negative ? second_word_ : first_word_)
                                                  : magnitude ^ (code.negative ? kSignBit : 0);
    next_ = index + 1;
    return true;
  }
  dead_ = true;
  item.last = true;
  if (index == n_ && place + code.bare <= end_bits_) {
    finish(item, beats_ - beat_);
    if ((place + code.bare + 7) / 8 * 8 != end_bits_) {
      item.reason = kPayload;
    } else if ((status_ & 0xF8) != 0) {
      item.reason = kStatus;
    } else {
      item.user = status_ != 0 || user_;
    }
  } else {
    finish(item, 1);
    item.reason = kPayload;
  }
  return false;
}

/// The beat of the entry before is finished, and those after it, `beats` in all.
void Dequantizer::finish(Item& item, uint32_t beats) {
  if (item.beats == 0) {
    item.head = lanes_;
  } else {
    item.tail_at = item.beats;
    item.tail = lanes_;
  }
  item.beats += beats;
  lanes_ = {};
  beat_ += beats;
}

/// The oldest finished beat; whether it ends the packet.
bool Dequantizer::emit() {
  Item& item = list_[list_head_];
  const uint32_t index = item.emitted++;
  const bool whole = item.emitted == item.beats;
  const bool last = whole && item.last;
  if (last && item.reason != kNone) {
    put(kEmitDelay, item.reason);
  } else {
    const bool tail = index != 0 && index == item.tail_at;
    put_beat(kEmitDelay, emitted_,
             index == 0 ? item.head
             : tail     ? item.tail
                        : Lanes{},
             last, last && item.user);
  }
  ++emitted_;
  if (whole) {
    list_head_ = (list_head_ + 1) % kListItems;
    --listed_;
  }
  return last;
}

// ---------------------------------------------------------------- output queue

/// The place of a beat that enters the queue `delay` cycles from now; as it is, an error beat.
Beat& Dequantizer::put(int delay, uint8_t reason) {
  Beat& beat = out_[out_tail_];
  reasons_[out_tail_] = reason;
  out_tail_ = (out_tail_ + 1) % kOutBeats;
  calendar_ |= 1u << delay;
  beat.data = {};
  beat.keep = kKeepAll;
  beat.last = beat.user = 1;
  return beat;
}

void Dequantizer::put_beat(int delay, uint32_t index, const Lanes& lanes, bool last, bool user) {
  Beat& beat = put(delay, kNone);
  beat.data = lanes;
  if (last) beat.keep = keep_of_bytes(static_cast<int>(4 * below(index)));
  beat.last = last;
  beat.user = user;
}

}  // namespace gw::systemc
