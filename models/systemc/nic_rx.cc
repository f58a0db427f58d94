// SPDX-License-Identifier: Apache-2.0
#include "models/systemc/nic_rx.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace gw::systemc {
namespace {

constexpr uint32_t kDetailsDelay = 4;  // from the deciding beat on
constexpr uint32_t kUnpackDelay = 6;   // from the details on
constexpr uint32_t kQuoteDelay = 6;    // from the beat on by which a quote is judged
constexpr uint32_t kIcmpHeader = 8;
constexpr uint32_t kLargestPacket = 9004;

/// As far as its four bytes say: nic_tx can have made it.
bool is_shim(const uint8_t* shim, bool tcp) {
  const uint32_t bound = shim[1] >> 2 & 15u, head = shim[1] & 3u;
  if (shim[0] != nic_shim_start(shim) || (shim[1] & 0x40) != 0) return false;
  if (bound < kMinBound || bound > kMaxBound || (!tcp && head != 0)) return false;
  return NicCut(load16(shim + 2), head).floats != 0;
}

}  // namespace

void NicRx::reset() {
  first_ = true;
  ready_ = false;
  now_ = 0;
  accepted_ = visible_ = head_ = front_ = 0;
  begun_ = front_frame_ = finished_ = 0;
  stream_next_ = sent_ = 0;
  stream_sent_ = false;
  stream_ = {};
  flush_ = false;
  decompressor_.reset();
  issue_ = bytes_out_ = 0;
  packet_taken_ = bad_stream_ = ended_ = false;
  next_.fill(0);
  output_.clear();
  forgets_ = false;
  statistics_.fill(0);
}

// Everything looks at the state as it is at the start of the cycle, so what accepts beats comes
// last.
void NicRx::clock(const Beat* s, bool m_ready) {
  forgets_ = false;
  const bool taken = finished_ != begun_ && leave();
  decompressor_.clock(feed(), taken);
  output_.clock(m_ready);

  visible_ = accepted_;
  if (s != nullptr && ready_) accept(*s);
  ++now_;
  ready_ = accepted_ - head_ < kOriginalBeats && accepted_ - front_ < kFrontBeats &&
           begun_ - finished_ < kFrames;
}

// ---------------------------------------------------------------------------------------------
// What comes in

void NicRx::accept(const Beat& beat) {
  if (first_) {
    Frame& f = frame(begun_++);
    f.class_at = f.front_at = f.leaves_at = kNever;
    f.first = accepted_;
    f.beats = 0;
    f.quote = f.forget = false;
    f.config = pins_;
  }
  Frame& f = frame(begun_ - 1);
  const uint32_t number = accepted_ - f.first;
  first_ = beat.last != 0;
  if (!first_) {
    originals_.put(accepted_++, beat.data);
    if (number + 1 == kNicHeaderBeats) judge(f, kNicHeaderBeats * kBeatBytes);
    if (f.quote && number + 1 == kNicQuoteBeats) judge_quote(f, kNicQuoteBeats * kBeatBytes);
    return;
  }
  Beat end = beat;
  end_frame(end, static_cast<uint32_t>(std::countr_one(beat.keep)), false);
  originals_.put(accepted_++, end.data);
  f.beats = number + 1;
  f.size = number * kBeatBytes + static_cast<uint32_t>(bytes_of_keep(end.keep));
  f.user = beat.user != 0;
  if (f.beats <= kNicHeaderBeats) judge(f, f.size);
  if (f.quote && f.beats <= kNicQuoteBeats) judge_quote(f, f.size);
}

/// Class and details: the frame's first `size` bytes are there.
void NicRx::judge(Frame& f, uint32_t size) {
  f.class_at = now_ + (accepted_ - f.first == kNicHeaderBeats ? 2 : 3);
  const uint64_t details_at = now_ + kDetailsDelay;
  const uint8_t* const bytes = originals_.at(f.first);
  const NicHeaders& h = f.headers = NicHeaders::read(bytes, size);
  f.tcp = h.protocol == f.config.protocol_tcp;
  if (!h.whole || h.fragment || (!f.tcp && h.protocol != f.config.protocol_udp)) {
    f.action = kPassed;
    f.quote = is_quote(f, bytes, size);
    f.front_at = f.class_at;
    if (!f.quote) f.leaves_at = f.class_at;
    return;
  }
  f.action = judge_shim(f, bytes, size);
  f.front_at = details_at;
  f.leaves_at = f.action == kBadShim ? details_at : details_at + kUnpackDelay;
}

/// Class `quote`: an ICMP error whose quoted header has one of the protocols, were it a header.
bool NicRx::is_quote(const Frame& f, const uint8_t* bytes, uint32_t size) const {
  const NicHeaders& h = f.headers;
  if (!h.whole || h.fragment || h.protocol != 1) return false;
  if (bytes[h.ip] >> 4 != 4 || h.transport < h.ip + 20) return false;
  const uint32_t quoted = h.transport + kIcmpHeader;
  if (quoted + 10 > size) return false;
  const uint8_t type = bytes[h.transport], protocol = bytes[quoted + 9];
  return (type == 3 || type == 11 || type == 12) &&
         (protocol == f.config.protocol_tcp || protocol == f.config.protocol_udp);
}

/// The quote's details; it is mended where it lies: none of its beats has left.
void NicRx::judge_quote(Frame& f, uint32_t size) {
  f.leaves_at = now_ + kQuoteDelay;
  const uint8_t* const bytes = originals_.at(f.first);
  const uint32_t error = f.headers.transport, at = error + kIcmpHeader;
  const uint32_t limit = std::min(size, f.headers.end);
  const uint8_t* const ip = bytes + at;
  const uint32_t header = 4u * (ip[0] & 15u), transport = at + header;
  if (ip[0] >> 4 != 4 || header < 20 || transport > limit) return;
  f.action = kMended;
  const bool tcp = ip[9] == f.config.protocol_tcp;
  const uint32_t fragment = load16(ip + 6);
  if (tcp && bytes[error] == 3 && bytes[error + 1] == 2 && (fragment & 0x1FFF) == 0 &&
      transport + 4 <= limit) {
    f.forget = true;
    std::memcpy(f.key.data(), ip + 12, 8);
    std::memcpy(f.key.data() + 8, bytes + transport, 4);
  }
  uint32_t total = load16(ip + 2);
  const uint32_t layer = !tcp ? 8 : transport + 13 <= limit ? 4u * (bytes[transport + 12] >> 4) : 0;
  const uint32_t shim = transport + layer;
  if ((fragment & 0x3FFF) == 0 && layer >= (tcp ? 20u : 8u) && shim + kNicShim <= limit &&
      is_shim(bytes + shim, tcp)) {
    const uint32_t whole = header + layer + load16(bytes + shim + 2);
    if (whole <= kLargestPacket) total = whole;
  }
  std::array<uint8_t, 12> start;
  std::memcpy(start.data(), ip, start.size());
  NicHeaders{}.rewrite(start.data(), total, tcp ? NicHeaders::kTcp : NicHeaders::kUdp);
  for (const uint32_t i : {2u, 3u, 9u, 10u, 11u}) originals_.set(f.first, at + i, start[i]);
}

/// kBadShim: nic_tx cannot have made it. Else kUnpacked.
NicRx::Action NicRx::judge_shim(Frame& f, const uint8_t* bytes, uint32_t size) const {
  const NicHeaders& h = f.headers;
  if (!h.sound) return kBadShim;
  f.shim_at = h.payload(bytes, size, f.tcp);
  const uint32_t edges_at = f.shim_at + kNicShim;
  if (f.shim_at == 0 || edges_at > h.end || edges_at > size) return kBadShim;
  const uint8_t* const shim = bytes + f.shim_at;
  if (!is_shim(shim, f.tcp)) return kBadShim;
  f.codec = {.bound = static_cast<uint8_t>(shim[1] >> 2 & 15), .bounded = shim[1] >> 7 != 0};
  f.length = load16(shim + 2);
  if (!f.tcp && load16(bytes + h.transport + 4) != 8 + f.length) return kBadShim;
  f.cut = NicCut(f.length, shim[1] & 3u);
  if (f.stream_at() > h.end) return kBadShim;
  // A stream of more than 34 bytes a group is no shorter than what it stands for.
  if (h.end - f.stream_at() < kTagBytes * f.cut.groups()) return kBadShim;
  if (f.result() > kNicMaxFrame || f.result() <= std::max(h.end, kNicMinFrame)) return kBadShim;
  f.head_here = std::min(f.cut.head, size - edges_at);
  return kUnpacked;
}

// ---------------------------------------------------------------------------------------------
// From the front queue into the decompressor

/// What the decompressor is offered in this cycle.
const Beat* NicRx::feed() {
  if (!decompressor_.s_ready()) return nullptr;
  // The second of two beats is flushed; the frame's beat that leaves beside it completes none.
  const Beat* offered = flush_ ? &stream_[1] : nullptr;
  flush_ = false;
  if (front_ == accepted_) return offered;
  const Frame& f = frame(front_frame_);
  if (now_ < f.front_at) return offered;
  const uint32_t number = front_ - f.first;
  ++front_;
  const bool last = f.ends_at(front_);
  if (f.action == kUnpacked) {
    if (number == 0) {
      stream_next_ = f.stream_at();
      stream_sent_ = false;
    }
    sent_ = 0;
    send_stream(f, number, last);
    if (sent_ != 0) {
      offered = &stream_[0];
      flush_ = sent_ == 2;
    }
  }
  front_frame_ += last;
  return offered;
}

/// The stream beats that are complete with the frame's beat `number`.
void NicRx::send_stream(const Frame& f, uint32_t number, bool last) {
  const uint32_t here = last ? f.size : (number + 1) * kBeatBytes;
  while (!stream_sent_) {
    const uint32_t stop = std::min<uint32_t>(stream_next_ + kBeatBytes, f.headers.end);
    if (stop <= here) {
      send(f, stop - stream_next_, stop == f.headers.end);
    } else if (last) {  // the cut
      send(f, here > stream_next_ ? here - stream_next_ : 0, true);
    } else {
      return;
    }
  }
}

void NicRx::send(const Frame& f, uint32_t bytes, bool last) {
  Beat& beat = stream_[sent_++];
  std::memcpy(beat.data.data(), originals_.at(f.first, stream_next_), kBeatBytes);
  beat.keep = kKeepAll;
  beat.last = 0;
  if (last) end_frame(beat, bytes, false);
  if (stream_next_ == f.stream_at()) decompressor_.configure(f.codec);
  stream_next_ += kBeatBytes;
  stream_sent_ = last;
}

// ---------------------------------------------------------------------------------------------
// What leaves

/// Whether the beat that the decompressor offers is taken.
bool NicRx::leave() {
  const Frame& f = frame(finished_);
  if (now_ < f.leaves_at) return false;
  if (f.action == kUnpacked) return unpack(f);
  if (head_ == visible_ || !output_.credit()) return false;
  Beat& beat = output_.issue();
  std::memcpy(beat.data.data(), originals_.at(head_++), kBeatBytes);
  beat.keep = kKeepAll;
  beat.last = beat.user = 0;
  if (f.ends_at(head_)) {
    end_frame(beat, f.size - (f.beats - 1) * kBeatBytes, f.user);
    finish(f, f.action, f.size);
  }
  return false;
}

/// A cycle of a frame that is unpacked, and whether the beat that the decompressor offers is taken.
bool NicRx::unpack(const Frame& f) {
  const Beat* const offered = decompressor_.m_beat();
  // Looked at before this cycle's issue: what leaves without one begins in the next cycle.
  const bool drains = issue_ >= f.header_beats() - 1;
  bool taken = issue_ >= f.groups_end() && !packet_taken_ && offered != nullptr;
  if (taken) packet_taken_ = offered->last != 0;  // more groups than were announced
  if (!ended_ && output_.credit() && issue_unpacked(f, offered)) taken = true;
  if (drains && head_ != visible_ && !f.ends_at(head_)) ++head_;
  if (ended_ && packet_taken_ && f.ends_at(head_)) {
    finish(f, bad_stream_ || f.size < f.headers.end ? kBadStream : kUnpacked, bytes_out_);
    issue_ = 0;
    packet_taken_ = bad_stream_ = ended_ = false;
  }
  return taken;
}

/// Issues the next beat if it can be; whether a group, or the error beat, is taken with it.
bool NicRx::issue_unpacked(const Frame& f, const Beat* offered) {
  const uint32_t last_header = f.header_beats() - 1;
  if (issue_ < last_header && head_ == visible_) return false;
  if (issue_ == last_header && visible_ - f.first <= last_header) return false;
  const bool in_groups = issue_ >= f.first_group() && issue_ < f.groups_end();
  const bool takes = in_groups && !packet_taken_;
  if (takes && offered == nullptr) return false;
  const bool error_beat = takes && offered->user != 0;
  const bool early = in_groups && (packet_taken_ || error_beat);
  const bool last_group = takes && !early && issue_ + 1 == f.groups_end();
  const bool bad = bad_stream_ || early || (last_group && offered->last == 0);
  const uint32_t at = issue_ * kBeatBytes;
  const bool last = early || at + kBeatBytes >= f.result();
  // Unless it is in error already, the frame's end says whether it is.
  if (last && !bad && (f.beats == 0 || visible_ - f.first < f.beats)) return false;

  if (issue_ == 0) begin_unpacked(f);
  const uint32_t over = f.floats_at() % kBeatBytes;
  Beat& beat = output_.issue();
  beat.keep = kKeepAll;
  beat.last = beat.user = 0;
  if (issue_ < f.first_group()) {
    std::memcpy(beat.data.data(), &prefix_[at], kBeatBytes);
  } else {
    if (takes && !error_beat) std::memcpy(&next_[over], offered->data.data(), kBeatBytes);
    if (last_group) {
      const uint32_t floats = f.cut.floats - (f.cut.groups() - 1) * kLanes;
      std::memcpy(&next_[over + 4 * floats], tail_.data(), tail_.size());
    }
    std::memcpy(beat.data.data(), &next_[0], kBeatBytes);
    std::memcpy(&next_[0], &next_[kBeatBytes], kBeatBytes);
    std::memcpy(&next_[kBeatBytes], &next_[2 * kBeatBytes], kBeatBytes);
  }
  if (last) {
    const uint32_t bytes = early ? over : f.result() - at;
    end_frame(beat, bytes, bad || f.user || f.size < f.headers.end);
    bytes_out_ = at + bytes;
    ended_ = true;
  }
  head_ += issue_ < last_header;
  bad_stream_ = bad;
  if (takes) packet_taken_ = offered->last != 0;
  ++issue_;
  return takes;
}

/// What comes before the floats, and after them.
void NicRx::begin_unpacked(const Frame& f) {
  std::memcpy(prefix_.data(), originals_.at(f.first), f.shim_at);
  f.headers.rewrite(prefix_.data(), f.result() - f.headers.ip,
                    f.tcp ? NicHeaders::kTcp : NicHeaders::kUdp);
  const uint8_t* const edges = originals_.at(f.first, f.shim_at + kNicShim);
  std::memcpy(&prefix_[f.shim_at], edges, f.head_here);
  std::memcpy(tail_.data(), edges + f.cut.head, tail_.size());
  std::memcpy(next_.data(), &prefix_[f.first_group() * kBeatBytes], kBeatBytes);
}

void NicRx::finish(const Frame& f, Action action, uint32_t bytes_out) {
  ++finished_;
  ++statistics_[action];
  statistics_[kBytesIn] += f.size;
  statistics_[kBytesOut] += bytes_out;
  forgets_ = f.forget && !f.user;
  if (forgets_) forget_key_ = f.key;
}

}  // namespace gw::systemc
