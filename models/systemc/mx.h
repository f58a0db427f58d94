// Cycle-accurate core of the microscaling quantiser, no SystemC in it (docs/devices/mx.md).
//
// After an item's start the contract's pipeline never stalls. So when the last item of a block
// starts, the cycles in which its items are popped and merged, and in which their beats enter the
// output queue, are decided: the model quantises the block there, writes its bytes straight after
// the packet's earlier ones, and notes in a calendar what becomes visible when. Residuals are
// written there, too, with the cycle from which on they may be read again.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <vector>

#include "models/axis/beat.h"

namespace gw::systemc {

/// The pins that select what a packet becomes.
struct MxConfig {
  uint8_t format = kE4m3;  ///< format_i: one of these, or 3: RAW
  bool up = false;         ///< scale_i: scales are so large that nothing saturates, else OCP's
  bool residual = false;   ///< residual_i: residuals are added and kept

  static constexpr uint8_t kE4m3 = 0, kE2m1 = 1, kE5m2 = 2;  ///< MXFP8, MXFP4, MXFP8

  friend bool operator==(const MxConfig&, const MxConfig&) = default;
};

class Mx {
 public:
  static constexpr uint32_t kDefaultRows = 8192;
  static constexpr uint32_t kMinRows = 8, kMaxRows = 1u << 18;  // or 0

  /// A device whose last rising edge had aresetn = 0. Aborts if there are no such `rows`: whoever
  /// takes them from a user refuses them before.
  explicit Mx(uint32_t rows = kDefaultRows, MxConfig config = {});

  /// Drives format_i, scale_i and residual_i from this cycle on. A packet keeps what they are when
  /// its first beat is accepted.
  void configure(MxConfig config) { pins_ = config; }
  /// Whether the next beat begins a packet, and so looks at them.
  bool begins_packet() const { return first_; }
  uint32_t rows() const { return static_cast<uint32_t>(memory_.size()); }

  // Outputs in the current cycle.
  bool s_ready() const { return ready_; }
  /// The beat on m_axis, nullptr while m_axis_tvalid is 0. The pointer lasts until the next edge.
  const Beat* m_beat() const { return queued_ != 0 ? &front_ : nullptr; }
  uint32_t raw_count() const { return raws_; }
  uint32_t error_count() const { return errors_; }

  /// One rising edge with aresetn = 0.
  void reset();
  /// One rising edge with aresetn = 1. `s` is the beat on s_axis, s_axis_tuser its user_word();
  /// nullptr while s_axis_tvalid is 0.
  void clock(const Beat* s, bool m_ready);

 private:
  static constexpr uint32_t kInputBeats = 2;
  static constexpr uint32_t kMaxUsed = 61;       // up to here there is room for one more item
  static constexpr uint32_t kMaxEnter = 2;       // beats that may enter the output queue in a cycle
  static constexpr uint32_t kResidualDelay = 5;  // V of a device with a memory
  static constexpr uint32_t kMergeDelay = 3;     // popped in cycle p, merged in p+3
  static constexpr uint32_t kFreeDelay = 7;      // and its row can be read from p+7 on
  static constexpr uint32_t kHeaderBytes = 16;
  static constexpr uint32_t kBlockItems = 4;

  // The output queue and the beats on their way to it, as a ring. Credit bounds the queue and two
  // beats an item by 64; what a packet's end leaves over is a beat more.
  static constexpr uint32_t kRingBeats = 128;
  static constexpr uint32_t kRingBytes = kRingBeats * kBeatBytes;
  /// What a start writes at most: a header, a block and the status, the padding of the last beat.
  static constexpr uint32_t kSlackBytes = 128;

  // The calendar holds four bits for each cycle from now on: how many beats enter the queue (0..2),
  // and whether a vector is merged. A start reaches 13 cycles: of a block's items, ready after V,
  // the last is popped in s+9 at the latest, merged in s+12, and what is left over enters in s+13.
  static constexpr uint32_t kEnterMask = 3;
  static constexpr uint32_t kMerge = 4;

  enum class Phase : uint8_t { kBetween, kPayload, kSurplus };
  enum Format : uint8_t { kRaw = 0, kFp8 = 6, kFp4 = 7, kFp8E5m2 = 8 };

  /// What goes with a beat's bytes.
  struct Sideband {
    uint32_t keep = kKeepAll;
    uint8_t last = 0;
    uint8_t user = 0;
    uint8_t raw = 0;
  };
  struct Input {
    Beat beat;
    MxConfig config;
  };
  struct alignas(32) Row {
    std::array<uint32_t, kLanes> words;
  };
  /// Of the block that is being filled.
  struct Block {
    std::array<Row, kBlockItems> values;   // v
    std::array<Row, kBlockItems> present;  // all ones where a value came
    Row magnitudes;                        // the largest of v, by lane
    uint32_t items, taken;                 // started, and those that are not fillers
    bool poisoned;
  };

  void zero_row();
  bool start();
  bool start_payload(const Beat* beat);
  void begin(const Input& input);
  void take();
  void heard(const Beat& beat);
  uint32_t status() const;
  void put_raw(const Beat* beat, uint32_t below, uint32_t present, bool last);
  void put_values(const Beat* beat, uint32_t present);
  void close_block(bool last);
  template <int kMantissa, int kBias, uint32_t kMost>
  uint8_t* put_elements(uint32_t item, uint32_t scale, uint8_t* out);
  uint8_t* put_header();
  uint64_t merge(uint32_t bytes, bool last);
  void wrap();

  // The residual memory, and for each row the cycle from which on it may be read.
  std::vector<Row> memory_;
  std::vector<uint64_t> free_at_;
  uint32_t zeroed_;  // edges since reset, until all rows are zero
  uint32_t zeroes_;  // that many are needed
  uint32_t value_delay_;

  MxConfig pins_;
  bool first_, ready_;
  uint32_t in_used_, in_head_;
  std::array<Input, kInputBeats> in_;

  // The chunk whose items start.
  Phase phase_;
  bool fillers_;  // its tlast beat is taken, payload items are left
  bool not_finite_, error_;
  Format format_;
  bool up_;
  bool residual_;  // residuals on, and not RAW
  uint32_t n_, row_;
  uint32_t item_, items_;
  uint64_t bytes_in_;
  Block block_;

  uint64_t now_;
  uint64_t pop_;       // of the item before
  uint32_t used_;      // the contract's credit counter
  uint32_t queued_;    // beats in the output queue
  uint64_t calendar_;  // what the next cycles bring
  uint32_t head_;      // ring index of the oldest beat
  uint32_t tail_;      // ring position, in bytes, of the next byte
  uint32_t raws_, errors_;
  Beat front_;  // the beat at head_

  std::array<Sideband, kRingBeats> sideband_;  // the default, except where a packet ends
  /// What crosses the end of the ring is written on after it, then copied to the front.
  alignas(64) std::array<uint8_t, kRingBytes + kSlackBytes> bytes_{};
};

inline void Mx::clock(const Beat* s, bool m_ready) {
  if (zeroed_ != zeroes_) [[unlikely]] {
    zero_row();
    return;
  }
  const uint32_t left = m_ready && queued_ != 0;
  const uint32_t started = (in_used_ != 0 || fillers_) && start();
  if (s != nullptr && ready_) {  // what is accepted now can be taken from the next cycle on
    Input& input = in_[(in_head_ + in_used_) % kInputBeats];
    input.beat = *s;
    input.config = pins_;
    first_ = s->last != 0;
    ++in_used_;
  }
  ready_ = in_used_ < kInputBeats;

  const uint32_t entered = calendar_ & kEnterMask;
  const uint32_t merged = (calendar_ & kMerge) != 0;
  calendar_ >>= 4;
  ++now_;
  used_ += 2 * started - 2 * merged + entered - left;

  const bool was_empty = queued_ == 0;
  queued_ += entered - left;
  if (left != 0) {
    Sideband& side = sideband_[head_];
    errors_ += side.user;
    raws_ += side.raw;
    side = Sideband{};
    head_ = (head_ + 1) % kRingBeats;
  }
  if (queued_ != 0 && (left != 0 || was_empty)) {
    const Sideband& side = sideband_[head_];
    std::memcpy(front_.data.data(), &bytes_[head_ * kBeatBytes], kBeatBytes);
    front_.keep = side.keep;
    front_.last = side.last;
    front_.user = side.user;
  }
}

}  // namespace gw::systemc
