// Cycle-accurate core of the compressor, no SystemC in it (docs/devices/compressor.md).
//
// The contract's pipeline never stalls: once a group is accepted, the cycle in which each of its
// beats enters the output queue is decided. So the model has no pipeline. It encodes a group when
// it is accepted, straight after the packet's earlier bytes, and notes in a calendar what becomes
// visible when. A cycle then costs a handful of integer operations.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <cstring>

#include "models/axis/beat.h"
#include "models/systemc/group_codec.h"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpsabi"

namespace gw::systemc {

class Compressor {
 public:
  /// A compressor whose last rising edge had aresetn = 0.
  explicit Compressor(CodecConfig config = {}) : codec_(config), pins_(config) { reset(); }

  /// Drives bound_i and bounded_i from this cycle on. A packet keeps what they are when its first
  /// beat is accepted.
  void configure(CodecConfig config) { pins_ = config; }
  /// Whether the next beat begins a packet, and so looks at them.
  bool begins_packet() const { return first_; }

  // Outputs in the current cycle.
  bool s_ready() const { return ready_; }
  /// The beat on m_axis, nullptr while m_axis_tvalid is 0. The pointer lasts until the next edge.
  const Beat* m_beat() const { return queued_ != 0 ? &front_ : nullptr; }
  uint32_t error_count() const { return errors_; }

  /// One rising edge with aresetn = 0.
  void reset();

  /// One rising edge with aresetn = 1. `s` is the beat on s_axis, nullptr while s_axis_tvalid is 0.
  void clock(const Beat* s, bool m_ready);

 private:
  static constexpr int kMergeDelay = 4;     // accepted in cycle t, merged in t+4
  static constexpr uint32_t kMaxUsed = 29;  // up to here there is room for one more group
  static constexpr uint32_t kMaxEnter = 2;  // beats that may enter the output queue in a cycle

  // The output queue and the beats on their way to it, as a ring. The contract bounds both by 32.
  static constexpr uint32_t kRingBeats = 64;
  static constexpr uint32_t kRingBytes = kRingBeats * kBeatBytes;

  // The calendar holds four bits for each cycle from now on: how many beats enter the queue (0..2),
  // and whether a group is merged.
  static constexpr uint32_t kEnterMask = 3;
  static constexpr uint32_t kMerge = 4;
  static constexpr int in_cycles(int delay) { return 4 * delay; }

  /// What goes with a beat's bytes.
  struct Sideband {
    uint32_t keep = kKeepAll;
    uint8_t last = 0;
    uint8_t user = 0;
  };

  void accept(const Beat& beat);

  GroupCodec codec_;  // of the packet that comes in
  CodecConfig pins_;
  bool first_;  // the next beat is a packet's first
  bool ready_;
  uint32_t used_;      // the contract's credit counter
  uint32_t queued_;    // beats in the output queue
  uint32_t calendar_;  // what the next cycles bring
  uint32_t head_;      // ring index of the oldest beat
  uint32_t tail_;      // ring position, in bytes, of the next encoded byte
  uint32_t errors_;
  Beat front_;  // the beat at head_

  std::array<Sideband, kRingBeats> sideband_;  // the default, except where a packet ends
  /// Encoded bytes. A group that crosses the end of the ring is written on after it, then copied
  /// to the front; the room there is a group and the padding of its last beat.
  alignas(64) std::array<uint8_t, kRingBytes + 2 * kBeatBytes + 34> bytes_;
};

inline void Compressor::clock(const Beat* s, bool m_ready) {
  const bool accepted = s != nullptr && ready_;
  const uint32_t left = m_ready && queued_ != 0;
  if (accepted) accept(*s);

  const uint32_t entered = calendar_ & kEnterMask;
  const uint32_t merged = (calendar_ & kMerge) != 0;
  calendar_ >>= in_cycles(1);

  used_ += 2 * accepted - 2 * merged + entered - left;
  queued_ += entered - left;
  ready_ = used_ <= kMaxUsed;

  errors_ += left & front_.last & front_.user;
  if (left != 0) sideband_[head_] = Sideband{};
  head_ = (head_ + left) % kRingBeats;
  std::memcpy(front_.data.data(), &bytes_[head_ * kBeatBytes], kBeatBytes);
  front_.keep = sideband_[head_].keep;
  front_.last = sideband_[head_].last;
  front_.user = sideband_[head_].user;
}

inline void Compressor::accept(const Beat& beat) {
  if (first_ && pins_ != codec_.config()) codec_.configure(pins_);
  first_ = beat.last != 0;
  Words lanes;
  std::memcpy(&lanes, beat.data.data(), sizeof lanes);
  uint8_t bad = 0;
  if (beat.last != 0 && beat.keep != kKeepAll) [[unlikely]] {
    for (int i = 0; i < kLanes; ++i) {
      if (((beat.keep >> (4 * i)) & 0xF) != 0xF) lanes[i] = 0;  // encoded as ZERO
    }
    const int bytes = bytes_of_keep(beat.keep);
    bad = bytes == 0 || bytes % 4 != 0 || beat.keep != keep_of_bytes(bytes);
  }

  const uint32_t residual = tail_ % kBeatBytes;  // the contract's r when this group is merged
  const uint32_t total = residual + codec_.encode(lanes, &bytes_[tail_]);
  if (beat.last == 0) [[likely]] {
    const uint32_t completed = total / kBeatBytes;
    calendar_ += (completed | kMerge) << in_cycles(kMergeDelay);
    tail_ += total - residual;
  } else {
    // What can already stand in the merge cycle's entry is the flush of the packet before.
    const uint32_t completed = (total + kBeatBytes - 1) / kBeatBytes;
    const uint32_t flushes = (calendar_ >> in_cycles(kMergeDelay)) & kEnterMask;
    const uint32_t room = kMaxEnter - flushes;
    const uint32_t now = completed < room ? completed : room;
    const uint32_t later = completed - now;  // 0, or 1: flushed in the cycle after
    calendar_ += (now | kMerge) << in_cycles(kMergeDelay);
    calendar_ += later << in_cycles(kMergeDelay + 1);

    // Pad the last beat with zeros; the next packet starts after it.
    std::memset(&bytes_[tail_ + total - residual], 0, kBeatBytes);
    tail_ += completed * kBeatBytes - residual;
    const uint32_t last_bytes = total - (completed - 1) * kBeatBytes;
    sideband_[(tail_ / kBeatBytes - 1) % kRingBeats] = {
        .keep = keep_of_bytes(static_cast<int>(last_bytes)),
        .last = 1,
        .user = static_cast<uint8_t>(bad | beat.user)};
  }

  if (tail_ >= kRingBytes) [[unlikely]] {
    std::memcpy(bytes_.data(), &bytes_[kRingBytes], bytes_.size() - kRingBytes);
    tail_ -= kRingBytes;
  }
}

}  // namespace gw::systemc

#pragma GCC diagnostic pop
