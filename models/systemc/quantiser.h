// What the cores of the quantisers have in common (docs/devices/mx.md, cycle contract): the input
// queue, the items that a chunk becomes, surplus beats, the status; the residual memory, its rows
// in flight and its zeroing; the output queue, the beats on their way to it, credit and counts.
//
// After an item's vector the contract's pipeline never stalls, so the bytes of a packet are
// written straight one after another, long before they are seen, and a calendar says in which
// cycle how many beats become visible.
//
// A device derives from Quantiser<Device, Config> and has
//   void begin(const Config&)        of a new chunk: n_, row_, items_ are set, it sets the rest
//   bool room() const                whether the next item may start, rows in flight apart
//   void payload(const Payload&)     the next payload item starts
//   void tail()                      the tail item starts
//   uint32_t step(uint32_t started)  the cycle's other work; how many items take two beats' credit
//   void clear(), void clear_row(uint32_t row)   a reset
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "models/axis/beat.h"

namespace gw::systemc {

template <class Device, class Config>
class Quantiser {
 public:
  static constexpr uint32_t kDefaultRows = 8192;
  static constexpr uint32_t kMinRows = 8, kMaxRows = 1u << 18;

  /// Drives the settings' pins from this cycle on. A packet keeps what they are when its first beat
  /// is accepted.
  void configure(Config config) { pins_ = config; }
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
  void reset() {
    zeroed_ = 0;
    first_ = true;
    ready_ = false;
    in_used_ = in_head_ = 0;
    phase_ = Phase::kBetween;
    fillers_ = false;
    now_ = 0;
    used_ = queued_ = 0;
    calendar_ = 0;
    head_ = tail_ = 0;
    raws_ = errors_ = 0;
    front_ = Beat{};
    sideband_.fill(Sideband{});
    device().clear();
  }
  /// One rising edge with aresetn = 1. `s` is the beat on s_axis, s_axis_tuser its user_word();
  /// nullptr while s_axis_tvalid is 0.
  void clock(const Beat* s, bool m_ready);

 protected:
  static constexpr uint32_t kMaxUsed = 61;  // up to here there is room for one more item
  static constexpr uint32_t kHeaderBytes = 16;

  struct alignas(32) Row {
    std::array<uint32_t, kLanes> words;
  };
  /// A payload item that starts.
  struct Payload {
    const Beat* beat;   // nullptr: a filler
    uint32_t below;     // lanes below n
    uint32_t present;   // and those of them whose values came
    bool last_payload;  // of the chunk
    bool last;          // nothing comes after it: it carries the status
  };

  /// A device whose last rising edge had aresetn = 0. Aborts if there are no such `rows`: whoever
  /// takes them from a user refuses them before. The device resets itself.
  Quantiser(uint32_t rows, Config config)
      : memory_(rows), free_at_(rows), zeroes_(std::max(rows, 1u)), pins_(config) {
    if (rows != 0 && (rows < kMinRows || rows > kMaxRows)) std::abort();
  }

  uint32_t status() const {
    const bool disagree = n_ == 0 || bytes_in_ != uint64_t{4} * n_;
    return not_finite_ | disagree << 1 | error_ << 2;
  }
  bool rows_fit() const { return row_ + (n_ + kLanes - 1) / kLanes <= memory_.size(); }

  /// Where the packet's next byte goes; of Rice the one that has bits already.
  uint8_t* out() { return &bytes_[tail_ / 8]; }
  uint32_t tail_bits() const { return tail_ % 8; }  // that it has
  /// A header, of whose fields those that are zero in RAW are left to the device. What is after it.
  uint8_t* put_header(uint32_t format, uint32_t n) {
    uint8_t* const at = out();
    std::memset(at, 0, kHeaderBytes);
    at[0] = static_cast<uint8_t>(format);
    std::memcpy(at + 4, &n, sizeof n);
    tail_ += 8 * kHeaderBytes;
    return at + kHeaderBytes;
  }
  /// A vector of `bits`, written already from out() on, is merged `delay` cycles from now; it is
  /// its packet's last, with the packet's flags, or not.
  void merge(uint32_t delay, uint32_t bits);
  void merge_last(uint32_t delay, uint32_t bits, bool user, bool raw);

  // The residual memory, and for each row the cycle from which on it may be read.
  std::vector<Row> memory_;
  std::vector<uint64_t> free_at_;

  // The chunk whose items start.
  bool not_finite_ = false, error_ = false;
  bool residual_ = false;  // residuals on, and not RAW
  uint32_t n_ = 0, row_ = 0;
  uint32_t item_ = 0, items_ = 0;

  uint64_t now_ = 0;
  uint32_t used_ = 0;  // the contract's credit counter

 private:
  static constexpr uint32_t kInputBeats = 2;
  static constexpr uint32_t kMaxEnter = 2;  // beats that may enter the output queue in a cycle

  // The output queue and the beats on their way to it, as a ring. Credit bounds the queue and two
  // beats an item by 64; what a packet's end leaves over is a beat more.
  static constexpr uint32_t kRingBeats = 128;
  static constexpr uint32_t kRingBytes = kRingBeats * kBeatBytes;
  static constexpr uint32_t kBeatBits = 8 * kBeatBytes;
  /// What a start writes at most: a header, a block and the status, the padding of the last beat.
  static constexpr uint32_t kSlackBytes = 128;

  // The calendar holds three bits for each cycle from now on: how many beats enter the queue
  // (0..2), and whether a vector is merged. A start reaches 16 cycles.
  static constexpr uint32_t kEntryBits = 3;
  static constexpr uint32_t kEnterMask = 3;
  static constexpr uint32_t kMerge = 4;

  enum class Phase : uint8_t { kBetween, kPayload, kSurplus };

  /// What goes with a beat's bytes.
  struct Sideband {
    uint32_t keep = kKeepAll;
    uint8_t last = 0;
    uint8_t user = 0;
    uint8_t raw = 0;
  };
  struct Input {
    Beat beat;
    Config config;
  };

  Device& device() { return static_cast<Device&>(*this); }

  void zero_row() {
    if (zeroed_ < memory_.size()) {
      memory_[zeroed_] = {};
      free_at_[zeroed_] = 0;
      device().clear_row(zeroed_);
    }
    ready_ = ++zeroed_ == zeroes_;
  }
  bool start();
  void begin_chunk(const Input& input);
  bool start_payload(const Beat* beat);
  void take() {
    in_head_ = (in_head_ + 1) % kInputBeats;
    --in_used_;
  }
  /// What a beat says of the packet as a whole, when it is taken.
  void heard(const Beat& beat) {
    bytes_in_ += static_cast<uint32_t>(valid_bytes(beat));
    if (beat.last != 0) error_ = (beat.user_word() >> 52 & 1) != 0;
  }
  void wrap() {
    if (tail_ < 8 * kRingBytes) [[likely]]
      return;
    std::memcpy(bytes_.data(), &bytes_[kRingBytes], kSlackBytes);
    tail_ -= 8 * kRingBytes;
  }

  uint32_t zeroed_ = 0;  // edges since reset, until all rows are zero
  uint32_t zeroes_;      // that many are needed

  Config pins_;
  bool first_ = true, ready_ = false;
  uint32_t in_used_ = 0, in_head_ = 0;
  std::array<Input, kInputBeats> in_;

  Phase phase_ = Phase::kBetween;
  bool fillers_ = false;  // its tlast beat is taken, payload items are left
  uint64_t bytes_in_ = 0;

  uint32_t queued_ = 0;    // beats in the output queue
  uint64_t calendar_ = 0;  // what the next cycles bring
  uint32_t head_ = 0;      // ring index of the oldest beat
  uint32_t tail_ = 0;      // ring position, in bits, of the next bit
  uint32_t raws_ = 0, errors_ = 0;
  Beat front_;  // the beat at head_

  std::array<Sideband, kRingBeats> sideband_;  // the default, except where a packet ends
  /// What crosses the end of the ring is written on after it, then copied to the front.
  alignas(64) std::array<uint8_t, kRingBytes + kSlackBytes> bytes_{};
};

template <class Device, class Config>
inline void Quantiser<Device, Config>::clock(const Beat* s, bool m_ready) {
  if (zeroed_ != zeroes_) [[unlikely]] {
    zero_row();
    return;
  }
  const uint32_t left = m_ready && queued_ != 0;
  const uint32_t started = (in_used_ != 0 || fillers_) && start();
  const uint32_t claimed = device().step(started);
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
  calendar_ >>= kEntryBits;
  ++now_;
  used_ += 2 * claimed - 2 * merged + entered - left;

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

/// What the cycle does with the input queue and the chunk; whether an item starts.
template <class Device, class Config>
inline bool Quantiser<Device, Config>::start() {
  if (fillers_) return start_payload(nullptr);
  const Input& input = in_[in_head_];
  if (phase_ == Phase::kSurplus) {
    const bool tail = input.beat.last != 0;
    if (tail && !device().room()) return false;
    heard(input.beat);
    if (tail) {
      device().tail();
      phase_ = Phase::kBetween;
    }
    take();
    return tail;
  }
  if (phase_ == Phase::kBetween) begin_chunk(input);
  if (!start_payload(&input.beat)) return false;
  take();
  return true;
}

/// Of a packet's first beat, before its item starts.
template <class Device, class Config>
inline void Quantiser<Device, Config>::begin_chunk(const Input& input) {
  const uint64_t user = input.beat.user_word();
  n_ = user >> 32 & 0xF'FFFF;
  row_ = user & 0xFF'FFFF;
  items_ = std::max((n_ + kLanes - 1) / kLanes, 1u);
  item_ = 0;
  not_finite_ = error_ = false;
  bytes_in_ = 0;
  phase_ = Phase::kPayload;
  device().begin(input.config);
}

/// The next payload item. False: it waits.
template <class Device, class Config>
inline bool Quantiser<Device, Config>::start_payload(const Beat* beat) {
  if (!device().room()) return false;
  if (residual_ && beat != nullptr && now_ < free_at_[row_ + item_]) return false;
  Payload item{beat, std::min<uint32_t>(n_ - kLanes * item_, kLanes), 0, item_ + 1 == items_,
               false};
  bool ended = true;
  if (beat != nullptr) {
    heard(*beat);
    item.present = std::min(item.below, static_cast<uint32_t>(valid_bytes(*beat)) / 4);
    ended = beat->last != 0;
  }
  item.last = item.last_payload && ended;
  device().payload(item);
  ++item_;
  if (item.last_payload) phase_ = ended ? Phase::kBetween : Phase::kSurplus;
  fillers_ = ended && !item.last_payload;
  return true;
}

template <class Device, class Config>
inline void Quantiser<Device, Config>::merge(uint32_t delay, uint32_t bits) {
  const uint32_t completed = (tail_ % kBeatBits + bits) / kBeatBits;
  calendar_ += uint64_t{completed | kMerge} << (kEntryBits * delay);
  tail_ += bits;
  wrap();
}

template <class Device, class Config>
inline void Quantiser<Device, Config>::merge_last(uint32_t delay, uint32_t bits, bool user,
                                                  bool raw) {
  const uint32_t at = kEntryBits * delay;
  const uint32_t residual = tail_ % kBeatBits;  // the contract's x when this vector is merged
  const uint32_t total = residual + bits;
  // What can already stand in the merge cycle's entry is the flush of the packet before.
  const uint32_t completed = (total + kBeatBits - 1) / kBeatBits;
  const uint32_t room = kMaxEnter - (calendar_ >> at & kEnterMask);
  const uint32_t now = std::min(completed, room);
  calendar_ += uint64_t{now | kMerge} << at;
  calendar_ += uint64_t{completed - now} << (at + kEntryBits);  // 0, or 1: flushed a cycle later

  // Pad the last beat with zeros; the next packet starts after it.
  std::memset(&bytes_[(tail_ + bits) / 8], 0, kBeatBytes);
  tail_ += completed * kBeatBits - residual;
  sideband_[(tail_ / kBeatBits - 1) % kRingBeats] = {
      .keep = keep_of_bytes(static_cast<int>((total - (completed - 1) * kBeatBits) / 8)),
      .last = 1,
      .user = user,
      .raw = raw};
  wrap();
}

}  // namespace gw::systemc
