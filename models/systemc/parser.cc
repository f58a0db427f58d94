// SPDX-License-Identifier: Apache-2.0
#include "models/systemc/parser.h"

#include <boost/endian/conversion.hpp>
#include <cstring>

namespace gw::systemc {
namespace {

enum Kind : uint32_t { kNotExpEther, kPlain, kGradient, kParameter, kMalformed };
enum Reason : uint32_t {
  kNone,
  kShortFrame,
  kBadVersion,
  kBadChecksum,
  kCount,
  kTlpLength,
  kPoisoned,
  kTlpType
};

constexpr uint32_t kWholeHeader = 48;  // bytes of a frame up to the control header's end

}  // namespace

void Parser::reset() {
  ready_ = shown_ = false;
  used_ = 0;
  data_.clear();
  beat_ = bytes_ = port_ = 0;
  header_.fill(0);
  meta_.fill(0);
  verdict_head_ = verdict_tail_ = verdicts_visible_ = verdict_calendar_ = 0;
  statistics_.fill(0);
}

/// The checks of the frame's layout, in their order (models/reference/expether/frame.h): its kind,
/// and the reason above it.
uint32_t Parser::verdict() const {
  const auto& h = header_;
  const auto because = [](Reason reason) { return kMalformed | reason << 3; };
  if (!expether()) return kNotExpEther;
  if (bytes_ < kWholeHeader) return because(kShortFrame);

  const uint32_t version = h[18], type = h[19], flags = h[20], count = h[21];
  if (version != 1) return because(kBadVersion);
  // The sum of sixteen-bit words in one's complement, which knows no order of bytes and may be made
  // of longer ones (RFC 1071, 2). It is not 0: the version is in it.
  uint64_t sum = 0;
  for (size_t i = 18; i < 46; i += 4) sum += boost::endian::load_little_u32(&h[i]);
  sum += boost::endian::load_little_u16(&h[46]);
  if (sum % 0xFFFF != 0) return because(kBadChecksum);
  if (type != 1 && type != 2) return kPlain;
  if (count < 1 || count > 32) return because(kCount);
  if (bytes_ < 64) return because(kShortFrame);
  const bool three_dw = (flags & 1) != 0;
  const size_t tlp = three_dw ? 52 : 48;
  const bool known = three_dw ? h[tlp] == 0x40 || h[tlp] == 0x4A : h[tlp] == 0x60;
  if (!known || (h[tlp + 2] & 0x80) != 0) return because(kTlpType);
  if ((h[tlp + 2] & 0x40) != 0) return because(kPoisoned);
  if ((boost::endian::load_big_u16(&h[tlp + 2]) & 0x3FF) != count) return because(kTlpLength);
  if (bytes_ < 64 + 4 * count) return because(kShortFrame);
  return type == 1 ? kGradient : kParameter;
}

bool Parser::expether() const {
  return bytes_ >= 18 && boost::endian::load_big_u16(&header_[12]) == 0x8100 &&
         boost::endian::load_big_u16(&header_[16]) == 0x88B5;
}

/// Its last beat, or the deciding one, is about to be put in.
void Parser::decide() {
  const uint32_t verdict = this->verdict();
  const auto& h = header_;
  meta_ = {verdict, 0, 0, 0, port_ << 20, 0};
  if (bytes_ >= kWholeHeader && expether()) {
    using boost::endian::load_big_u16, boost::endian::load_big_u32;
    meta_ = {verdict | uint32_t{h[20]} << 8 | uint32_t{h[21]} << 16 | uint32_t{h[19]} << 24,
             load_big_u32(&h[22]),
             load_big_u32(&h[34]),
             load_big_u16(&h[30]) | uint32_t{load_big_u16(&h[32])} << 16,
             load_big_u16(&h[14]) | port_ << 20,
             load_big_u32(&h[26])};
  }
  // Those before it are still there: none can be seen before the verdict.
  const std::array<uint32_t, 6> words = meta_;
  for (uint32_t n = 0; n <= beat_; ++n) data_.back(n).meta = words;
  verdicts_[verdict_tail_++ % kVerdictDelay] = static_cast<uint8_t>(verdict);
  verdict_calendar_ |= 1u << (kVerdictDelay - 2);
}

void Parser::clock(const Beat* s, bool m_ready) {
  const bool accepted = s != nullptr && ready_;
  const bool left = shown_ && m_ready;
  if (left) {
    if (data_.front().last != 0) --verdicts_visible_;
    data_.pop();
  }
  const uint32_t appears = verdict_calendar_ & 1;
  verdict_calendar_ >>= 1;
  if (appears != 0) {  // and is counted
    const uint32_t word = verdicts_[verdict_head_++ % kVerdictDelay];
    const uint32_t kind = word & 7, reason = word >> 3;
    ++statistics_[kind];
    if (reason != 0) ++statistics_[kKinds - 1 + reason];
    ++verdicts_visible_;
  }
  if (accepted) {
    if (beat_ == 0) {
      port_ = s->meta[0] & 3;
      bytes_ = 0;
    }
    if (beat_ < 2) std::memcpy(&header_[beat_ * kBeatBytes], s->data.data(), kBeatBytes);
    const uint32_t last = s->last;
    Beat& back = data_.back();
    back = *s;
    back.user = 0;
    if (beat_ > kDecidingBeat) {
      back.meta = meta_;
    } else {
      bytes_ += static_cast<uint32_t>(bytes_of_keep(s->keep));
      if (last != 0 || beat_ == kDecidingBeat) {
        decide();
      }
    }
    beat_ = last != 0 ? 0 : beat_ + (beat_ <= kDecidingBeat);
    data_.push(kDataDelay);
  }
  data_.advance();
  used_ += accepted;
  used_ -= left;
  ready_ = used_ < kCapacity;
  shown_ = !data_.empty() && verdicts_visible_ != 0;
}

}  // namespace gw::systemc
