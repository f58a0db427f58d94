// SPDX-License-Identifier: Apache-2.0
#include "models/systemc/ring/ring_nic.h"

#include <algorithm>
#include <cstring>

#include "models/systemc/fp_value.h"

namespace gw::systemc {

namespace {

constexpr uint16_t kEtherType = 0x88B6;
constexpr uint8_t kVersion = 1;
enum Type : uint8_t { kTypeControl = 0, kTypeAgg = 1, kTypeBcast = 2 };

uint8_t byte_of(const RingNic::Beat& beat, size_t i) {
  return static_cast<uint8_t>(beat.data[i / 4] >> 8 * (i % 4));
}
uint32_t field_of(const RingNic::Beat& beat, size_t at, size_t bytes) {
  uint32_t value = 0;
  for (size_t i = 0; i < bytes; ++i) value = value << 8 | byte_of(beat, at + i);
  return value;
}
void set_field(RingNic::Beat& beat, size_t at, size_t bytes, uint32_t value) {
  for (size_t i = 0; i < bytes; ++i) {
    const size_t byte = at + i;
    beat.data[byte / 4] |= (value >> 8 * (bytes - 1 - i) & 0xFF) << 8 * (byte % 4);
  }
}
bool whole_values(uint64_t bytes, uint64_t most) {
  return bytes >= 4 && bytes <= most && bytes % 4 == 0;
}

}  // namespace

RingNic::RingNic(const RingBuild& build, const RingPins& pins)
    : build_(build), pins_(pins), slot_mask_((1u << build.slots_log2) - 1), was_(), now_() {
  const size_t slots = size_t{1} << build.slots_log2;
  for (Bank* bank : {&gradient_, &incoming_, &partial_, &result_}) {
    bank->lines.resize(slots << build.beats_log2);
    bank->bytes.resize(slots);
  }
  sent_bytes_.resize(slots);
  reset();
}

void RingNic::reset(uint32_t offered) {
  std::array<uint32_t, 3> silent;
  for (const Side side : {kLeft, kRight}) {
    const uint32_t cycles = now_.port[side].silent;
    silent[side] = (offered >> side & 1) != 0 ? 0 : std::min(cycles + 1, kQuietCycles);
  }
  now_ = {};
  const uint32_t first = build_.first;
  now_.loading = now_.loaded = now_.summing = now_.read = now_.summed = first;
  now_.giving = now_.given = now_.limit = now_.free = first;
  for (const Side side : {kLeft, kRight}) {
    Port& p = now_.port[side];
    p.next = p.top = p.acked = p.expect = p.told = first;
    p.idle = kIdleMost;
    p.begins = true;
    p.silent = silent[side];
    p.lost = p.silent < kQuietCycles;
  }
  for (Queue& queue : queue_) queue.count = 0;
  for (Adding& adding : adding_) adding.write = false;
  sum_counts_ = {};
  silent_ = true;
  ++time_;
}

void RingNic::clock(const std::array<const Beat*, 3>& s, uint32_t m_ready) {
  const bool host_taken = s[kHost] != nullptr && host_ready();
  was_ = now_;
  leave(m_ready);
  for (const Side side : {kLeft, kRight}) {
    if (there(side)) send(side);
  }
  give();
  if (!first_node()) sum();
  take_host();
  for (const Side side : {kLeft, kRight}) {
    if (there(side)) take_frame(side);
  }
  write_sum();
  set_limits();
  sample({host_taken ? s[kHost] : nullptr, s[kLeft], s[kRight]});
  silent_ = false;
  ++time_;
}

// ---- What may be sent.

uint32_t RingNic::available() const { return last_node() ? was_.summed : was_.port[kRight].expect; }
uint32_t RingNic::ready(Side side) const {
  if (side == kLeft) return available();
  return first_node() ? was_.loaded : was_.summed;
}
const RingNic::Bank& RingNic::sent_from(Side side) const {
  if (side == kLeft) return result_;
  return first_node() ? gradient_ : partial_;
}

// ---- Output queues: what is issued in a cycle can leave three later.

void RingNic::leave(uint32_t m_ready) {
  for (size_t side = 0; side < 3; ++side) {
    if (m_beat(side) == nullptr || (m_ready >> side & 1) == 0) continue;
    queue_[side].pop();
    --(side == kHost ? now_.host_used : now_.port[side].used);
  }
}

void RingNic::issue_beat(Side side, const Bank& bank, uint32_t chunk, uint32_t beat,
                         uint32_t bytes) {
  Beat& out = queue_[side].push(time_);
  ++(side == kHost ? now_.host_used : now_.port[side].used);
  out = {};
  out.data = bank.lines[line(chunk, beat)];
  const uint32_t left = bytes - beat * Beat::kBytes;
  if (left > Beat::kBytes) return;
  out.last = 1;
  out.keep = Beat::keep_of(static_cast<int>(left));
  std::fill(out.data.begin() + left / 4, out.data.end(), 0);
}

// ---- Frame out, next, timer.

void RingNic::issue_header(Side side, bool data) {
  const Port& was = was_.port[side];
  const uint32_t receiver = pins_.node + (side == kRight ? 1u : ~0u);
  const uint32_t bytes = data ? sent_from(side).bytes[slot(was.next)] : 0;
  Beat& out = queue_[side].push(time_);
  ++now_.port[side].used;
  out = {};
  out.data.fill(0);
  out.last = !data;
  set_field(out, 0, 1, 0x02);
  set_field(out, 5, 1, receiver & 0xFF);
  set_field(out, 6, 1, 0x02);
  set_field(out, 11, 1, pins_.node);
  set_field(out, 12, 2, kEtherType);
  set_field(out, 14, 1, kVersion);
  set_field(out, 15, 1, !data ? kTypeControl : side == kRight ? kTypeAgg : kTypeBcast);
  set_field(out, 16, 2, pins_.session);
  const uint32_t addends = side == kRight ? pins_.node + 1u : pins_.nodes;
  set_field(out, 18, 1, data ? addends : 0);
  set_field(out, 19, 1, was.ask ? 1 : 0);
  set_field(out, 20, 2, bytes);
  set_field(out, 22, 4, data ? was.next : 0);
  set_field(out, 26, 4, was.expect);

  Port& p = now_.port[side];
  p.answer = p.ask = false;
  p.told = was.expect;
  if (!data) {
    count(side, kControl);
    return;
  }
  count(side, kData);
  if (below(was.next, was.top)) count(side, kAgain);
  if (side == kRight) sent_bytes_[slot(was.next)] = bytes;
  p.in_frame = true;
  p.chunk = was.next;
  p.beat = 0;
  p.bytes = bytes;
}

void RingNic::send(Side side) {
  const Port& was = was_.port[side];
  Port& p = now_.port[side];
  const bool credit = was.used < kQueueBeats;
  bool issued = false;
  uint32_t next = was.next;
  if (was.in_frame) {
    if (credit) {
      issue_beat(side, sent_from(side), was.chunk, was.beat, was.bytes);
      ++p.beat;
      p.in_frame = p.beat != beats_of(was.bytes);
      issued = true;
    }
  } else if (credit && was_.error == 0) {
    const bool window = side == kLeft || !first_node() || next != was_.free;
    const bool data = next != ready(side) && window;
    const bool control = was.answer || was.ask || (was.told != was.expect && was.idle == kIdleMost);
    if (data || control) {
      issue_header(side, data);
      issued = true;
    }
    if (data) ++next;
  }
  p.idle = issued ? 0 : std::min(was.idle + 1, kIdleMost);
  if (below(was.top, next)) p.top = next;

  // What the frame said whose verdict was in the cycle before.
  bool progress = false;
  if (was.heard) {
    if (below(was.acked, was.ack) && !below(was.top, was.ack)) {
      p.acked = was.ack;
      progress = true;
      if (below(next, was.ack)) next = was.ack;
    }
    if (below(was.top, was.ack)) now_.error |= kProtocol;
    if (was.wants_answer) p.answer = true;
    if (was.top == was.acked) progress = true;
  }

  const bool waits = was.top != was.acked ||
                     (side == kRight ? was.top != was.expect : below(was.expect, was_.loaded));
  if (!waits || progress) {
    p.timer = p.tries = 0;
  } else if (was.timer < pins_.timeout - 1) {
    p.timer = was.timer + 1;
  } else {
    p.timer = 0;
    p.tries = was.tries + 1;
    count(side, kTimeouts);
    if (p.tries == kTriesMost) {
      now_.error |= side == kLeft ? kLeftSilent : kRightSilent;
    } else if (was.top != was.acked) {
      next = was.acked;
    } else {
      p.ask = true;
    }
  }
  p.next = next;
}

// ---- To the host.

void RingNic::give() {
  if (!was_.giving_now) {
    if (was_.error != 0 || was_.giving == available()) return;
    now_.giving_now = true;
    now_.give_chunk = was_.giving;
    now_.give_beat = 0;
    now_.give_bytes = result_.bytes[slot(was_.giving)];
    now_.giving = was_.giving + 1;
    ++now_.statistics[kResults];
    return;
  }
  if (was_.host_used == kQueueBeats) return;
  issue_beat(kHost, result_, was_.give_chunk, was_.give_beat, was_.give_bytes);
  if (++now_.give_beat == beats_of(was_.give_bytes)) {
    now_.giving_now = false;
    now_.given = was_.given + 1;
  }
}

// ---- Sums. Operands are read when a beat enters the adders, the result is written A + 2 later.

void RingNic::sum() {
  uint32_t chunk_slot = was_.reading_slot, beat = was_.reading_beat, left = was_.reading_left;
  if (left == 0) {
    if (was_.error != 0 || was_.summing == was_.loaded || was_.summing == was_.port[kLeft].expect ||
        was_.summing == was_.free) {
      return;
    }
    chunk_slot = slot(was_.summing);
    const uint32_t bytes = gradient_.bytes[chunk_slot];
    if (bytes != incoming_.bytes[chunk_slot]) {
      now_.error |= kLengthsDiffer;
      return;
    }
    (last_node() ? result_ : partial_).bytes[chunk_slot] = bytes;
    beat = 0;
    left = beats_of(bytes);
    now_.summing = was_.summing + 1;
    ++now_.statistics[kSums];
    sum_counts_[(time_ + build_.add_latency + 1) % kCalendar] = true;
  }
  const uint32_t at = chunk_slot << build_.beats_log2 | beat;
  Adding& adding = adding_[(time_ + build_.add_latency + 2) % kCalendar];
  adding.write = true;
  adding.line = at;
  const Line &a = incoming_.lines[at], &b = gradient_.lines[at];
  if (build_.subnormal) {
    for (size_t i = 0; i < a.size(); ++i) adding.data[i] = fp::add<false>(a[i], b[i]);
  } else {
    for (size_t i = 0; i < a.size(); ++i) adding.data[i] = fp::add<true>(a[i], b[i]);
  }
  now_.reading_slot = chunk_slot;
  now_.reading_beat = beat + 1;
  now_.reading_left = left - 1;
  if (left == 1) now_.read = was_.read + 1;
}

void RingNic::write_sum() {
  const size_t today = time_ % kCalendar;
  if (adding_[today].write) {
    (last_node() ? result_ : partial_).lines[adding_[today].line] = adding_[today].data;
    adding_[today].write = false;
  }
  if (sum_counts_[today]) {
    ++now_.summed;
    sum_counts_[today] = false;
  }
}

// ---- What came in the cycle before.

void RingNic::take_host() {
  if (!was_.host_came) return;
  const Beat& beat = came_[kHost];
  if (was_.host_beat < slot_beats()) {
    gradient_.lines[line(was_.host_chunk, was_.host_beat)] = beat.data;
  }
  if (beat.last == 0) return;
  const uint64_t most = uint64_t{slot_beats()} * Beat::kBytes;
  if (!whole_values(was_.host_bytes, most)) now_.error |= kBadChunk;
  gradient_.bytes[slot(was_.host_chunk)] =
      static_cast<uint32_t>(std::min<uint64_t>(was_.host_bytes, most));
  now_.loaded = was_.loaded + 1;
}

void RingNic::judge_header(Side side, const Beat& beat, Header& header) const {
  const Port& was = was_.port[side];
  const uint32_t type = byte_of(beat, 15), addends = byte_of(beat, 18);
  header.bytes = field_of(beat, 20, 2);
  header.chunk = field_of(beat, 22, 4);
  header.ack = field_of(beat, 26, 4);
  header.answer = (byte_of(beat, 19) & 1) != 0;
  header.control = type == kTypeControl;
  const bool known = field_of(beat, 12, 2) == kEtherType && byte_of(beat, 14) == kVersion &&
                     field_of(beat, 16, 2) == pins_.session;
  const bool data = type == (side == kLeft ? kTypeAgg : kTypeBcast) &&
                    addends == (side == kLeft ? pins_.node : pins_.nodes) &&
                    whole_values(header.bytes, uint64_t{slot_beats()} * Beat::kBytes);
  header.right =
      valid_bytes(beat) == Beat::kBytes && known && (header.control ? header.bytes == 0 : data);
  const uint32_t full = side == kLeft ? was_.limit : was.top;
  const bool room = was.expect != full;
  header.taken = header.right && !header.control && header.chunk == was.expect && room;
}

void RingNic::take_frame(Side side) {
  const Port& was = was_.port[side];
  Port& p = now_.port[side];
  p.heard = false;
  if (!was.came) return;
  const Beat& beat = came_[side];
  if (was.begins) {
    judge_header(side, beat, p.header);
    p.payload = 0;
  } else {
    const uint64_t number = was.payload / Beat::kBytes;
    if (was.header.taken && !was.came_lost && number < slot_beats()) {
      Bank& bank = side == kLeft ? incoming_ : result_;
      bank.lines[line(was.expect, static_cast<uint32_t>(number))] = beat.data;
    }
    p.payload = was.payload + static_cast<uint64_t>(valid_bytes(beat));
  }
  // Where a frame begins is not known while a port is lost.
  p.begins = beat.last != 0 || was.came_lost;
  if (beat.last != 0) give_verdict(side, beat);
}

void RingNic::give_verdict(Side side, const Beat& beat) {
  const Port& was = was_.port[side];
  Port& p = now_.port[side];
  const Header& header = p.header;
  if (beat.user != 0 || was.came_lost) return count(side, kBad);
  if (!header.right || p.payload != header.bytes) return count(side, kForeign);
  p.heard = true;
  p.ack = header.ack;
  p.wants_answer = header.answer;
  if (header.control) {
    count(side, kControlIn);
  } else if (header.taken) {
    count(side, kTaken);
    p.expect = was.expect + 1;
    const uint32_t at = slot(header.chunk);
    if (side == kRight && header.bytes != sent_bytes_[at]) now_.error |= kLengthsDiffer;
    (side == kLeft ? incoming_ : result_).bytes[at] = header.bytes;
  } else if (below(header.chunk, was.expect)) {
    count(side, kDuplicate);
    p.wants_answer = true;
  } else if (below(was.expect, header.chunk)) {
    count(side, kGap);
  } else {
    now_.error |= kProtocol;
  }
}

// ---- Windows, and what comes in this cycle.

void RingNic::set_limits() {
  const uint32_t window = pins_.window;
  uint32_t done = was_.given;
  if (!first_node()) done = lowest(done, base(was_.port[kLeft]));
  if (!first_node() && !last_node()) done = lowest(done, base(was_.port[kRight]));
  now_.free = window + done;
  now_.limit = window + (first_node() ? base(was_.port[kRight]) : was_.read);
}

void RingNic::sample(const std::array<const Beat*, 3>& s) {
  now_.host_came = s[kHost] != nullptr;
  if (now_.host_came) {
    const Beat& beat = *s[kHost];
    came_[kHost] = beat;
    now_.host_chunk = was_.loading;
    now_.host_beat = was_.host_next_beat;
    now_.host_bytes = was_.host_so_far + static_cast<uint64_t>(valid_bytes(beat));
    now_.host_so_far = beat.last != 0 ? 0 : now_.host_bytes;
    now_.host_next_beat = beat.last != 0 ? 0 : std::min(was_.host_next_beat + 1, slot_beats());
    if (beat.last != 0) {
      now_.loading = was_.loading + 1;
      ++now_.statistics[kChunks];
    }
  }
  for (const Side side : {kLeft, kRight}) {
    const Port& was = was_.port[side];
    Port& p = now_.port[side];
    const Beat* const beat = s[side];
    p.came = beat != nullptr && there(side);
    p.came_lost = was.lost;
    if (p.came) came_[side] = *beat;
    p.silent = beat != nullptr ? 0 : std::min(was.silent + 1, kQuietCycles);
    const bool ends = beat != nullptr && beat->last != 0;
    p.lost = was.lost && !ends && p.silent < kQuietCycles;
  }
}

// ---- For tests and reports.

RingNic::Counters RingNic::counters() const {
  Counters c{now_.loading, now_.loaded, now_.summing, now_.read, now_.summed,
             now_.giving,  now_.given,  now_.limit,   now_.free, {}};
  for (const Side side : {kLeft, kRight}) {
    const Port& p = now_.port[side];
    c.link[side] = {p.next, p.top, p.acked, p.expect, p.told, base(p), p.tries};
  }
  return c;
}

bool RingNic::quiet() const {
  const Registers& r = now_;
  if (r.giving_now || r.given != r.loaded || r.host_used != 0 || r.loading != r.loaded)
    return false;
  for (const Side side : {kLeft, kRight}) {
    const Port& p = r.port[side];
    if (there(side) && (p.top != p.acked || p.in_frame || p.used != 0 || p.answer || p.ask)) {
      return false;
    }
  }
  return true;
}

}  // namespace gw::systemc
