// SPDX-License-Identifier: Apache-2.0
#include "models/systemc/nic_tx.h"

#include <algorithm>
#include <bit>
#include <cstring>

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpsabi"

namespace gw::systemc {
namespace {

constexpr uint32_t beats_of(uint32_t bytes) { return (bytes + kBeatBytes - 1) / kBeatBytes; }

constexpr uint32_t kTcpFlags = 13;
constexpr uint8_t kSynFlag = 2;

}  // namespace

void NicTx::reset() {
  first_ = true;
  ready_ = false;
  now_ = 0;
  accepted_ = visible_ = head_ = front_ = 0;
  begun_ = front_frame_ = finished_ = 0;
  groups_left_ = floats_left_ = group_at_ = 0;
  groups_sent_ = 0;
  groups_ = {};
  flush_ = false;
  compressor_.reset();
  stream_head_ = stream_tail_ = stream_first_ = 0;
  candidates_begun_ = candidates_encoded_ = 0;
  issue_ = 0;
  output_.clear();
  for (Flow& flow : flows_) flow.known = false;
  evictions_ = forgotten_ = 0;
  statistics_.fill(0);
}

// Everything looks at the state as it is at the start of the cycle, so what accepts beats comes
// last.
void NicTx::clock(const Beat* s, bool m_ready) {
  const Beat* const stream = compressor_.m_beat();
  const bool taken = stream_tail_ - stream_head_ < kStreamBeats;
  if (finished_ != begun_) leave();
  if (stream != nullptr && taken) take_stream(*stream);
  compressor_.clock(feed(), taken);
  output_.clock(m_ready);

  statistics_[kEvictions] += evictions_ & 1;
  statistics_[kForgotten] += forgotten_ & 1;
  evictions_ >>= 1;
  forgotten_ >>= 1;
  visible_ = accepted_;
  if (s != nullptr && ready_) accept(*s);
  ++now_;
  ready_ = accepted_ - head_ < kOriginalBeats && accepted_ - front_ < kFrontBeats &&
           begun_ - finished_ < kFrames;
}

// ---------------------------------------------------------------------------------------------
// What comes in

void NicTx::accept(const Beat& beat) {
  if (first_) {
    Frame& f = frame(begun_++);
    f.class_at = f.verdict_at = kNever;
    f.first = accepted_;
    f.beats = 0;
    f.leaves = Leaves::kWaits;
    f.teaches = f.front_left = f.encoded = false;
    f.config = pins_;
    if (pins_.forget) forget(pins_.forget_key);
  }
  Frame& f = frame(begun_ - 1);
  const uint32_t number = accepted_ - f.first;
  first_ = beat.last != 0;
  if (!first_) {
    originals_.put(accepted_++, beat.data);
    if (number + 1 == kNicHeaderBeats) judge(f, kNicHeaderBeats * kBeatBytes);
    return;
  }
  Beat end = beat;
  end_frame(end, static_cast<uint32_t>(std::countr_one(beat.keep)), false);
  originals_.put(accepted_++, end.data);
  f.beats = number + 1;
  f.size = number * kBeatBytes + static_cast<uint32_t>(bytes_of_keep(end.keep));
  f.user = beat.user != 0;
  if (f.beats <= kNicHeaderBeats) judge(f, f.size);
  conclude(f);
}

/// Class, and the action as far as the frame's end does not matter: its first `size` bytes are
/// there.
void NicTx::judge(Frame& f, uint32_t size) {
  f.class_at = now_ + (accepted_ - f.first == kNicHeaderBeats ? 2 : 3);
  const uint8_t* const bytes = originals_.at(f.first);
  const NicHeaders& h = f.headers = NicHeaders::read(bytes, size);
  const auto is = [&f](Action action, Class kind = Class::kBypass) {
    f.action = action;
    f.kind = kind;
  };
  if (!h.ipv4) return is(kNotIpv4);
  if (!h.whole || !h.sound || h.end > kNicMaxFrame) return is(kBadHeader);
  f.tcp = h.protocol == NicHeaders::kTcp;
  const bool transport = !h.fragment && (f.tcp || h.protocol == NicHeaders::kUdp);
  if (transport) {
    f.payload_at = h.payload(bytes, size, f.tcp);
    if (f.payload_at == 0) return is(kBadHeader);
    if (!f.tcp && load16(bytes + h.transport + 4) != h.end - h.transport) return is(kBadHeader);
  }
  if (!h.fragment && (h.protocol == f.config.protocol_tcp || h.protocol == f.config.protocol_udp)) {
    return is(kReserved, Class::kReserved);
  }
  f.teaches = transport && f.tcp && (bytes[h.transport + kTcpFlags] & kSynFlag) != 0;
  if (((h.tos ^ f.config.mark) & f.config.mark_mask) != 0) return is(kNotMarked);
  if (f.teaches) return is(kSyn);
  if (h.fragment) return is(kFragment);
  if (!transport) return is(kOtherProtocol);
  f.length = h.end - f.payload_at;
  if (f.length == 0) return is(kNoPayload);
  uint32_t head = 0;
  if (f.tcp && !f.config.packet_grid) {
    const auto key = key_of(f);
    const Flow& flow = flows_[place_of(key)];
    if (!flow.known || flow.key != key) return is(kNoStreamStart);
    head = (flow.phase - load32(bytes + h.transport + 4)) % 4;
  }
  if (!f.tcp && f.length % 4 != 0) return is(kUnaligned);
  f.cut = NicCut(f.length, head);
  if (f.cut.floats == 0) return is(kFew);
  candidates_[candidates_begun_++ % kFrames] = begun_ - 1;
  is(kStored, Class::kCandidate);
}

/// The frame's end is there: what of its action does not need the stream, and its lesson.
void NicTx::conclude(Frame& f) {
  f.verdict_at = f.kind == Class::kReserved ? now_ + 2 : kNever;
  if (f.user) {
    f.action = kBadInput;
    return;
  }
  if (f.action == kNotIpv4 || f.action == kBadHeader) return;
  if (f.headers.end > f.size || f.size > kNicMaxFrame) {
    f.action = kBadHeader;
    return;
  }
  if (f.action >= kTrailer && f.headers.end < f.size) f.action = kTrailer;
  if (!f.teaches) return;
  const auto key = key_of(f);
  Flow& flow = flows_[place_of(key)];
  if (flow.known && flow.key != key) evictions_ |= 1u << 1;
  // A SYN takes a number of its own: the stream's first byte has the next one.
  const uint32_t sequence = load32(originals_.at(f.first, f.headers.transport + 4));
  flow = {.key = key, .phase = static_cast<uint8_t>((sequence + 1) % 4), .known = true};
}

void NicTx::forget(const NicFlowKey& key) {
  Flow& flow = flows_[place_of(key)];
  if (!flow.known || flow.key != key) return;
  flow.known = false;
  forgotten_ |= 1u << 1;
}

NicFlowKey NicTx::key_of(const Frame& f) const {
  const uint8_t* const bytes = originals_.at(f.first);
  NicFlowKey key;
  std::memcpy(key.data(), bytes + f.headers.ip + 12, 8);        // addresses
  std::memcpy(key.data() + 8, bytes + f.headers.transport, 4);  // ports
  return key;
}

uint8_t NicTx::place_of(const NicFlowKey& key) {
  // The two directions of a connection have places of their own.
  const uint64_t source = uint64_t{load32(&key[0])} << 16 | load16(&key[8]);
  const uint64_t destination = uint64_t{load32(&key[4])} << 16 | load16(&key[10]);
  uint8_t place = source <= destination ? 0 : 0x80;
  for (const uint8_t byte : key) place ^= byte;
  return place;
}

// ---------------------------------------------------------------------------------------------
// From the front queue through the compressor into the stream queue

/// What the compressor is offered in this cycle.
const Beat* NicTx::feed() {
  if (!compressor_.s_ready()) return nullptr;
  // The second of two groups is flushed; the beat that leaves beside it completes none.
  const Beat* offered = flush_ ? &groups_[1] : nullptr;
  flush_ = false;
  if (front_ == accepted_) return offered;
  Frame& f = frame(front_frame_);
  if (now_ < f.class_at) return offered;
  const uint32_t number = front_ - f.first;
  ++front_;
  const bool last = f.ends_at(front_);
  if (f.kind == Class::kCandidate) {
    if (number == 0) {
      groups_left_ = f.cut.groups();
      floats_left_ = f.cut.floats;
      group_at_ = f.floats_at();
      change_ = Words{};
    }
    groups_sent_ = 0;
    send_groups(f, number, last);
    if (groups_sent_ != 0) {
      offered = &groups_[0];
      flush_ = groups_sent_ == 2;
    }
    if (last) {
      f.front_left = true;
      if (f.encoded) f.verdict_at = now_ + 2;
    }
  }
  front_frame_ += last;
  return offered;
}

/// The groups that are complete with beat `number`.
void NicTx::send_groups(Frame& f, uint32_t number, bool last) {
  const uint32_t here = last ? f.size : (number + 1) * kBeatBytes;
  while (groups_left_ != 0) {
    const uint32_t floats = std::min<uint32_t>(floats_left_, kLanes);
    if (group_at_ + 4 * floats <= here) {
      send_group(f, floats, groups_left_ == 1);
    } else if (last) {  // the cut
      send_group(f, here > group_at_ ? (here - group_at_) / 4 : 0, true);
      groups_left_ = 0;
    } else {
      return;
    }
  }
}

void NicTx::send_group(Frame& f, uint32_t floats, bool last) {
  Beat& group = groups_[groups_sent_++];
  std::memcpy(group.data.data(), originals_.at(f.first, group_at_), kBeatBytes);
  if (floats < kLanes) std::fill(group.data.begin() + floats, group.data.end(), 0);
  group.last = last;

  if (group_at_ == f.floats_at()) {
    compressor_.configure(f.config.codec);
    if (codec_.config() != f.config.codec) codec_.configure(f.config.codec);
  }
  // Of each 16-bit word m that becomes m': ~m + m'.
  Words before;
  std::memcpy(&before, group.data.data(), sizeof before);
  const Words after = codec_.received(before);
  change_ += (~before & 0xFFFF) + (~before >> 16) + (after & 0xFFFF) + (after >> 16);
  if (last) {
    uint32_t sum = 0;
    for (int i = 0; i < kLanes; ++i) sum += change_[i];
    f.change = fold16(sum);
    // The words were taken as little-endian ones; big-endian ones have the same sum, its bytes
    // swapped. Floats at an odd place swap them once more.
    if (f.floats_at() % 2 == 0) f.change = f.change >> 8 | (f.change & 0xFF) << 8;
  }
  group_at_ += kBeatBytes;
  floats_left_ -= std::min<uint32_t>(floats_left_, kLanes);
  --groups_left_;
}

void NicTx::take_stream(const Beat& beat) {
  streams_.put(stream_tail_++, beat.data);
  if (beat.last == 0) return;
  Frame& f = frame(candidates_[candidates_encoded_++ % kFrames]);
  f.stream_first = stream_first_;
  f.stream_beats = stream_tail_ - stream_first_;
  f.stream_bytes =
      (f.stream_beats - 1) * kBeatBytes + static_cast<uint32_t>(bytes_of_keep(beat.keep));
  stream_first_ = stream_tail_;
  f.encoded = true;
  if (f.front_left) f.verdict_at = now_ + 2;
}

// ---------------------------------------------------------------------------------------------
// What leaves

void NicTx::leave() {
  Frame& f = frame(finished_);
  if (now_ < f.class_at) return;
  if (f.leaves == Leaves::kWaits) settle(f);
  const bool ended = f.ends_at(head_);
  switch (f.leaves) {
    case Leaves::kWaits:
      return;
    case Leaves::kAsItCame:
      if (!ended && head_ != visible_ && output_.credit()) {
        Beat& beat = output_.issue();
        std::memcpy(beat.data.data(), originals_.at(head_++), kBeatBytes);
        if (f.ends_at(head_)) {
          end_frame(beat, f.size - (f.beats - 1) * kBeatBytes, f.user);
        } else {
          beat.keep = kKeepAll;
          beat.last = beat.user = 0;
        }
      }
      break;
    case Leaves::kPacked:
      issue_packed(f);
      break;
    case Leaves::kDropped:
      head_ += !ended;
      break;
  }
  const bool judged = now_ >= f.verdict_at;
  if (f.kind == Class::kCandidate && f.leaves != Leaves::kPacked && judged) {
    stream_head_ += !f.stream_left(stream_head_);
  }
  if (!f.ends_at(head_)) return;
  if (f.kind != Class::kBypass && !judged) return;
  if (f.kind == Class::kCandidate && !f.stream_left(stream_head_)) return;
  if (f.leaves == Leaves::kPacked && issue_ * kBeatBytes < f.packed_bytes()) return;
  ++finished_;
  ++statistics_[f.action];
  statistics_[kBytesIn] += f.size;
  if (f.leaves == Leaves::kAsItCame) statistics_[kBytesOut] += f.size;
  if (f.leaves == Leaves::kPacked) statistics_[kBytesOut] += f.packed_bytes();
}

/// How the current frame leaves, as soon as that is known.
void NicTx::settle(Frame& f) {
  if (f.kind == Class::kBypass) {
    f.leaves = Leaves::kAsItCame;
  } else if (now_ >= f.verdict_at) {
    if (f.action == kStored && f.packed_bytes() < f.size) f.action = kPacked;
    if (f.action == kPacked) {
      f.leaves = Leaves::kPacked;
      issue_ = 0;
      build_prefix(f);
    } else {
      const bool drop = f.action == kReserved || f.action == kBadInput;
      f.leaves = drop && f.size <= kNicMaxFrame ? Leaves::kDropped : Leaves::kAsItCame;
    }
  } else if (visible_ - f.first >= kOverlongBeats && (f.beats == 0 || f.beats > kOverlongBeats)) {
    f.leaves = Leaves::kAsItCame;  // released
  }
}

/// The packed frame up to the beat from which on it is all stream.
void NicTx::build_prefix(const Frame& f) {
  const NicHeaders& h = f.headers;
  uint8_t* const out = prefix_.data();
  std::memcpy(out, originals_.at(f.first), f.payload_at);
  h.rewrite(out, f.stream_at() + f.stream_bytes - h.ip,
            f.tcp ? f.config.protocol_tcp : f.config.protocol_udp);
  uint8_t* const checksum = out + h.transport + (f.tcp ? 16 : 6);
  if (f.tcp) {
    store16(checksum, updated_checksum(load16(checksum), f.change));
  } else if (load16(checksum) != 0) {  // UDP's 0 says that there is none
    const uint32_t sum = updated_checksum(load16(checksum), f.change);
    store16(checksum, sum == 0 ? 0xFFFF : sum);
  }
  uint8_t* at = out + f.payload_at;
  uint8_t* const shim = at++;
  *at++ =
      static_cast<uint8_t>(f.config.codec.bounded << 7 | f.config.codec.bound << 2 | f.cut.head);
  store16(at, f.length);
  at += 2;
  *shim = nic_shim_start(shim);
  std::memcpy(at, originals_.at(f.first, f.payload_at), f.cut.head);
  at += f.cut.head;
  std::memcpy(at, originals_.at(f.first, f.payload_at + f.length - f.cut.tail), f.cut.tail);
  at += f.cut.tail;
  const uint32_t rest = beats_of(f.stream_at()) * kBeatBytes - f.stream_at();
  std::memcpy(at, streams_.at(f.stream_first), rest);  // zeros after the stream's end
}

void NicTx::issue_packed(Frame& f) {
  const uint32_t header_beats = beats_of(f.payload_at);
  const uint32_t bytes = f.packed_bytes();
  const bool late = issue_ >= header_beats;  // the issue of the last one is in an earlier cycle
  if (output_.credit() && issue_ * kBeatBytes < bytes) {
    const uint32_t at = issue_ * kBeatBytes;
    Beat& beat = output_.issue();
    const uint8_t* const from =
        at < f.stream_at() ? &prefix_[at] : streams_.at(f.stream_first, at - f.stream_at());
    std::memcpy(beat.data.data(), from, kBeatBytes);
    if (at + kBeatBytes >= bytes) {
      end_frame(beat, bytes - at, false);
    } else {
      beat.keep = kKeepAll;
      beat.last = beat.user = 0;
    }
    head_ += issue_ < header_beats;
    stream_head_ += issue_ >= f.stream_at() / kBeatBytes && !f.stream_left(stream_head_);
    ++issue_;
  }
  head_ += late && !f.ends_at(head_);
}

}  // namespace gw::systemc

#pragma GCC diagnostic pop
