// Cycle-accurate core of the decompressor, no SystemC in it (docs/devices/decompressor.md).
//
// As in the compressor, nothing stalls after the decision to issue a group. So a group
// is decoded when it is issued, straight into its place in the output queue, and
// becomes visible two cycles later.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>

#include "models/axis/beat.h"
#include "models/systemc/group_codec.h"

namespace gw::systemc {

class Decompressor {
 public:
  /// A decompressor whose last rising edge had aresetn = 0.
  explicit Decompressor(CodecConfig config = {}) : codec_(config), pins_(config) { reset(); }

  /// Drives bound_i and bounded_i from this cycle on. A packet keeps what they are when its first
  /// beat is accepted.
  void configure(CodecConfig config) { pins_ = config; }
  /// Whether the next beat begins a packet, and so looks at them.
  bool begins_packet() const { return first_; }

  // Outputs in the current cycle.
  bool s_ready() const { return ready_; }
  /// The beat on m_axis, nullptr while m_axis_tvalid is 0. The pointer lasts until the next edge.
  const Beat* m_beat() const { return queued_ != 0 ? &queue_[queue_head_] : nullptr; }
  uint32_t error_count() const { return errors_; }

  /// One rising edge with aresetn = 0.
  void reset();

  /// One rising edge with aresetn = 1. `s` is the beat on s_axis, nullptr while s_axis_tvalid is 0.
  void clock(const Beat* s, bool m_ready);

 private:
  static constexpr uint32_t kBufferBeats = 4;  // the Burst Buffer
  static constexpr uint32_t kWindowBeats = 3;  // its oldest beats, which decoding looks at
  static constexpr uint32_t kQueueBeats = 16;  // the output queue
  static constexpr uint32_t kDecodeDelay = 2;  // issued in cycle c, in the queue in c+2

  bool issue();
  bool issue_group(uint32_t avail, uint32_t* length);
  void drop(uint32_t beats);

  GroupCodec codec_;  // of the packet whose group was issued last
  CodecConfig pins_;
  bool first_;  // the next beat is a packet's first
  bool ready_;

  // The Burst Buffer as a ring. Its bytes lie there twice, one copy after the other, so that
  // the window is contiguous wherever it begins.
  uint32_t held_;                                  // beats in it
  uint32_t oldest_;                                // ring index of the oldest
  uint32_t offset_;                                // the contract's p
  uint32_t ends_;                                  // bit i: the i-th oldest beat has tlast
  std::array<uint8_t, kBufferBeats> valid_bytes_;  // of a beat with tlast
  std::array<uint8_t, kBufferBeats> user_;         // of a beat with tlast
  std::array<CodecConfig, kBufferBeats> configs_;  // of the packet that a beat belongs to
  CodecConfig packet_;                             // of the packet that comes in
  alignas(64) std::array<uint8_t, 2 * kBufferBeats * kBeatBytes> bytes_;

  // Decoding and the output queue, as a ring: first the visible beats, then the issued ones.
  uint32_t used_;      // the contract's credit counter: all of them
  uint32_t queued_;    // the visible ones
  uint32_t decoding_;  // bit i: a beat enters the queue in i cycles
  uint32_t queue_head_;
  uint32_t queue_tail_;
  uint32_t errors_;
  std::array<Beat, kQueueBeats> queue_;
};

inline void Decompressor::clock(const Beat* s, bool m_ready) {
  const bool accepted = s != nullptr && ready_;
  const uint32_t left = m_ready && queued_ != 0;
  errors_ += left & queue_[queue_head_].last & queue_[queue_head_].user;

  const uint32_t issued = held_ != 0 && used_ < kQueueBeats && issue();
  decoding_ |= issued << kDecodeDelay;
  const uint32_t entered = decoding_ & 1;
  decoding_ >>= 1;
  used_ += issued - left;
  queued_ += entered - left;
  queue_head_ = (queue_head_ + left) % kQueueBeats;

  if (accepted) {  // after issue(), which must not see the beat yet
    const uint32_t slot = (oldest_ + held_) % kBufferBeats;
    std::memcpy(&bytes_[slot * kBeatBytes], s->data.data(), kBeatBytes);
    std::memcpy(&bytes_[(slot + kBufferBeats) * kBeatBytes], s->data.data(), kBeatBytes);
    valid_bytes_[slot] = static_cast<uint8_t>(std::countr_one(s->keep));
    user_[slot] = s->user;
    if (first_) packet_ = pins_;
    first_ = s->last != 0;
    configs_[slot] = packet_;
    ends_ |= uint32_t{s->last} << held_;
    ++held_;
  }
  ready_ = held_ < kBufferBeats;
}

/// Issues a group or an error beat if the contract says so; whether it did.
inline bool Decompressor::issue() {
  const uint32_t window_ends = ends_ & ((1u << kWindowBeats) - 1);
  uint32_t length = 0;

  if (window_ends == 0) [[likely]] {
    const uint32_t window = held_ < kWindowBeats ? held_ : kWindowBeats;
    if (!issue_group(window * kBeatBytes - offset_, &length)) return false;
    const uint32_t next = offset_ + length;
    offset_ = next % kBeatBytes;
    drop(next / kBeatBytes);
    return true;
  }

  const auto beats_before = static_cast<uint32_t>(std::countr_zero(window_ends));
  const uint32_t end_slot = (oldest_ + beats_before) % kBufferBeats;
  const uint32_t avail = beats_before * kBeatBytes + valid_bytes_[end_slot] - offset_;
  const bool whole = issue_group(avail, &length);
  // A tlast beat without a valid byte ends no group: it becomes an error beat of its own, early or
  // late.
  if (whole && (length < avail || valid_bytes_[end_slot] == 0)) {
    const uint32_t next = offset_ + length;
    offset_ = next % kBeatBytes;
    drop(next / kBeatBytes);
    return true;
  }

  // The packet ends here: with the group just issued, or with an error beat.
  if (!whole) {
    queue_[queue_tail_] = Beat{};
    queue_tail_ = (queue_tail_ + 1) % kQueueBeats;
  }
  Beat& last = queue_[(queue_tail_ + kQueueBeats - 1) % kQueueBeats];
  last.last = 1;
  last.user = whole ? user_[end_slot] : 1;
  offset_ = 0;
  drop(beats_before + 1);
  return true;
}

/// Issues the group at offset_ unless it reaches beyond the `avail` bytes; whether it did.
inline bool Decompressor::issue_group(uint32_t avail, uint32_t* length) {
  if (avail < kTagBytes) return false;
  const uint8_t* group = &bytes_[oldest_ * kBeatBytes + offset_];
  uint16_t tags;
  std::memcpy(&tags, group, kTagBytes);
  *length = static_cast<uint32_t>(group_bytes(tags));
  if (avail < *length) return false;

  if (configs_[oldest_] != codec_.config()) codec_.configure(configs_[oldest_]);
  Beat& beat = queue_[queue_tail_];
  codec_.decode(group, tags, beat.data);
  beat.last = 0;
  beat.user = 0;
  queue_tail_ = (queue_tail_ + 1) % kQueueBeats;
  return true;
}

/// The oldest `beats` beats leave the Burst Buffer.
inline void Decompressor::drop(uint32_t beats) {
  oldest_ = (oldest_ + beats) % kBufferBeats;
  held_ -= beats;
  ends_ >>= beats;
}

}  // namespace gw::systemc
