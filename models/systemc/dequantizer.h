// Cycle-accurate core of the dequantizer, no SystemC in it (docs/devices/dequantizer.md): packets
// of every format and coding in, binary32 values out.
//
// A token's beat is worked out in the cycle that reads it, a code's entry in the cycle of its step;
// calendars say when they are delivered and when beats enter the output queue.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "models/axis/beat.h"

namespace gw::systemc {

/// The pins that select what is taken.
struct DequantizerConfig {
  uint32_t limit = 4096;  ///< limit_i: the largest n

  friend bool operator==(const DequantizerConfig&, const DequantizerConfig&) = default;
};

class Dequantizer {
 public:
  /// Reasons why a packet is malformed, in the order of malformed_count_o.
  enum Reason : uint8_t {
    kShort,
    kFormat,
    kCoding,
    kReserved,
    kCount,
    kLimit,
    kNotFinite,
    kPayload,
    kStatus
  };
  static constexpr size_t kReasons = 9;

  /// A device whose last rising edge had aresetn = 0.
  explicit Dequantizer(DequantizerConfig config = {}) : pins_(config) { reset(); }

  /// Drives limit_i from this cycle on. A packet keeps what it is when its first beat is accepted.
  void configure(DequantizerConfig config) { pins_ = config; }
  /// Whether the next beat begins a packet, and so looks at it.
  bool begins_packet() const { return first_; }

  // Outputs in the current cycle.
  bool s_ready() const { return ready_; }
  /// The beat on m_axis, nullptr while m_axis_tvalid is 0. The pointer lasts until the next edge.
  const Beat* m_beat() const { return queued_ != 0 ? &out_[out_head_] : nullptr; }
  uint32_t malformed_count(size_t reason) const { return malformed_[reason]; }
  uint32_t error_count() const { return errors_; }

  /// One rising edge with aresetn = 0.
  void reset();
  /// One rising edge with aresetn = 1. `s` is the beat on s_axis, nullptr while s_axis_tvalid is 0.
  void clock(const Beat* s, bool m_ready);

 private:
  static constexpr uint32_t kBufferBeats = 4, kHeaderBytes = 16;
  static constexpr uint32_t kRoomyBeats = 23, kRoomyItems = 23;  // up to so many, there is room
  static constexpr int kTokenDelay = 6, kEmitDelay = 2;          // to the output queue, in cycles
  static constexpr int kStepDelay = 2;                           // from a step to its delivery
  static constexpr uint32_t kOutBeats = 64;   // the queue's 32, and those on their way to it
  static constexpr uint32_t kListItems = 32;  // the list's 24, and those on their way to it
  static constexpr uint32_t kWordBits = 64, kWordBytes = 8;

  enum Format : uint8_t { kRaw, kWgt, kBgt, kQgt, kOneBit, kAdaptive, kMxfp8, kMxfp4, kMxfp8E5m2 };
  using Lanes = std::array<uint32_t, kLanes>;

  struct Input {
    uint32_t valid, limit;
    bool user;
  };
  struct Token {
    uint32_t bytes;
    bool bad;  // by what it says itself
    Lanes lanes;
  };
  /// A fetched word, and the one after it.
  struct Word {
    uint64_t low, high;
  };
  struct Code {
    uint32_t ones, gap;
    uint32_t whole, bare;  // bits, with sign and m and without
    bool negative;
    uint32_t m;
  };
  /// Beats that a delivery finishes: `head`, empty ones, `tail` if it has an entry of its own.
  struct Item {
    uint32_t beats, emitted;
    uint32_t tail_at;  // 0: there is no tail
    bool last, user;   // its last beat ends the packet
    uint8_t reason;    // kNone, or its last beat is the error beat
    Lanes head, tail;
  };
  static constexpr uint8_t kNone = 0xFF;

  const uint8_t* bytes() const { return &bytes_[head_ * kBeatBytes]; }
  bool ends() const { return lasts_ != 0; }  // the packet's last beat is in the buffer
  uint32_t last_index() const { return static_cast<uint32_t>(std::countr_zero(lasts_)); }
  /// Bytes from the oldest beat's first to the packet's end, which is in the buffer.
  uint32_t end() const {
    const uint32_t last = last_index();
    return last * kBeatBytes + in_[(head_ + last) % kBufferBeats].valid;
  }
  bool end_user() const { return in_[(head_ + last_index()) % kBufferBeats].user; }
  bool final_beat() const { return beat_ + 1 == beats_; }
  uint32_t below(uint32_t beat) const;
  bool masked() const {
    return format_ == kWgt || format_ == kBgt || format_ == kQgt || format_ == kAdaptive;
  }
  bool drop_beat();
  void accept(const Beat& beat);
  void begin();
  uint8_t header_reason(const uint8_t* h) const;
  void next_packet();

  void plain();
  bool mask_token(const uint8_t* at, Token& token);
  void dense_token(const uint8_t* at, Token& token);

  void rice(bool roomy);
  void fetch();
  void step();
  Code code_at(const Word& word, uint32_t at) const;
  bool judge(const Code& code, uint32_t place, Item& item);
  void finish(Item& item, uint32_t beats);
  bool emit();

  Beat& put(int delay, uint8_t reason);
  void put_beat(int delay, uint32_t beat, const Lanes& lanes, bool last, bool user);

  DequantizerConfig pins_;
  bool first_, ready_;
  uint32_t held_, head_;
  uint32_t lasts_;  // bit i: the i-th beat in the buffer, from the oldest on, is a packet's last
  std::array<Input, kBufferBeats> in_;
  std::array<uint8_t, 2 * kBufferBeats * kBeatBytes> bytes_;  // twice, so that no read wraps

  // The packet at hand, as soon as its first beat is there.
  bool begun_, draining_;
  uint32_t p_;
  Format format_;
  uint8_t header_reason_;  // kNone, or it is malformed
  bool is_rice_, dead_;    // it had a bad token, an end or a bad code
  uint32_t k_;
  uint32_t n_, first_word_, second_word_;
  uint32_t beat_, beats_;  // that is due (Rice: of the entry before); of the packet
  uint32_t run_;           // tokens for which a run goes on
  uint8_t scale_;          // of the MX block

  // Rice.
  bool fetched_;  // its last word is
  bool waits_;    // a word is in the antechamber
  Word antechamber_;
  uint32_t fetched_words_, arrived_words_;
  std::array<Word, 2> hand_;  // of word w in w mod 2
  uint32_t place_;
  bool end_known_;
  uint32_t end_bits_;  // of the payload, if it is known
  uint8_t status_;
  bool user_;
  uint32_t next_;  // the index after the entry before
  Lanes lanes_;    // of the beat of the entry before
  uint32_t item_calendar_, listed_, list_head_, list_tail_;
  uint32_t emitted_;  // beats of the packet
  std::array<Item, kListItems> list_;

  uint32_t queued_, calendar_;
  uint32_t out_head_, out_entered_, out_tail_;
  std::array<Beat, kOutBeats> out_;
  std::array<uint8_t, kOutBeats> reasons_;  // kNone, or it is an error beat
  std::array<uint32_t, kReasons> malformed_;
  uint32_t errors_;
};

}  // namespace gw::systemc
