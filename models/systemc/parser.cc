#include "models/systemc/parser.h"

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

/// The checks of the frame's layout, in their order (models/reference/expether/frame.h).
Parser::Words Parser::verdict() const {
  const auto& h = header_;
  const auto at16 = [&h](size_t i) { return static_cast<uint32_t>(h[i] << 8 | h[i + 1]); };
  const auto at32 = [&](size_t i) { return at16(i) << 16 | at16(i + 2); };
  Words words{};
  words[4] = port_ << 20;
  const auto decide = [&words](Kind kind, Reason reason = kNone) {
    words[0] |= kind | reason << 3;
    return words;
  };
  if (bytes_ < 18 || at16(12) != 0x8100 || at16(16) != 0x88B5) return decide(kNotExpEther);
  if (bytes_ < 48) return decide(kMalformed, kShortFrame);

  const uint32_t version = h[18], type = h[19], flags = h[20], count = h[21];
  words[0] = flags << 8 | count << 16 | type << 24;
  words[1] = at32(22);
  words[2] = at32(34);
  words[3] = at16(30) | at16(32) << 16;
  words[4] |= at16(14);
  words[5] = at32(26);
  if (version != 1) return decide(kMalformed, kBadVersion);
  uint32_t sum = 0;
  for (size_t i = 18; i < 48; i += 2) sum += at16(i);
  sum = (sum & 0xFFFF) + (sum >> 16);
  sum = (sum & 0xFFFF) + (sum >> 16);
  if (sum != 0xFFFF) return decide(kMalformed, kBadChecksum);
  if (type != 1 && type != 2) return decide(kPlain);
  if (count < 1 || count > 32) return decide(kMalformed, kCount);
  if (bytes_ < 64) return decide(kMalformed, kShortFrame);
  const bool three_dw = (flags & 1) != 0;
  const size_t tlp = three_dw ? 52 : 48;
  const bool known = three_dw ? h[tlp] == 0x40 || h[tlp] == 0x4A : h[tlp] == 0x60;
  if (!known || (h[tlp + 2] & 0x80) != 0) return decide(kMalformed, kTlpType);
  if ((h[tlp + 2] & 0x40) != 0) return decide(kMalformed, kPoisoned);
  if ((at16(tlp + 2) & 0x3FF) != count) return decide(kMalformed, kTlpLength);
  if (bytes_ < 64 + 4 * count) return decide(kMalformed, kShortFrame);
  return decide(type == 1 ? kGradient : kParameter);
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
    back.data = s->data;
    back.keep = s->keep;
    back.last = s->last;
    back.user = 0;
    if (beat_ > kDecidingBeat) {
      back.meta = meta_;
    } else {
      bytes_ += static_cast<uint32_t>(bytes_of_keep(s->keep));
      if (last != 0 || beat_ == kDecidingBeat) {
        meta_ = verdict();
        // Those before it are still there: none can be seen before the verdict.
        for (uint32_t n = 0; n <= beat_; ++n) data_.back(n).meta = meta_;
        verdicts_[verdict_tail_++ % kVerdictDelay] = static_cast<uint8_t>(meta_[0]);
        verdict_calendar_ |= 1u << (kVerdictDelay - 2);
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
