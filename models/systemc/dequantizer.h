// Cycle-accurate core of the dequantizer, no SystemC in it (docs/devices/dequantizer.md): packets
// of every format and coding in, binary32 values out.
//
// What a step emits is computed in the step; a calendar says when it enters the output queue.
#pragma once

#include <array>
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
  static constexpr uint32_t kBufferBeats = 4, kWindowBeats = 3;
  static constexpr uint32_t kBeatBits = 256, kHeaderBits = 128;
  static constexpr uint32_t kQueueBeats = 32;  // and those on their way to it
  static constexpr int kDecodeDelay = 6;       // from step to queue
  static constexpr int kRiceReadBits = 96;

  enum Format : uint8_t { kRaw, kWgt, kBgt, kQgt, kOneBit, kAdaptive, kMxfp8, kMxfp4 };

  struct Input {
    std::array<uint8_t, kBeatBytes> bytes;
    uint32_t valid, limit;
    bool last, user;
  };
  /// What is left of the packet, as far as the window holds it.
  struct Window {
    std::array<uint8_t, kWindowBeats * kBeatBytes + 8> bytes;  // some more, to be read over
    int avail, room;                                           // bits from p on; of payload
    bool end, user;                                            // its tlast beat is there
  };
  struct Code {
    enum Kind : uint8_t { kBad, kEntry, kEnd } kind;
    uint32_t index, length;  // of the entry; in bits
    uint32_t value;
  };

  bool step();
  bool begin();
  void look();
  bool plain();
  bool mask(uint32_t& bits, std::array<uint32_t, kLanes>& lanes, bool& wait, bool& error);
  bool rice();
  Code code_at(uint32_t at, uint32_t next) const;
  bool close(uint32_t bits, const std::array<uint32_t, kLanes>& lanes);
  bool fail(Reason reason);
  void emit(const std::array<uint32_t, kLanes>& lanes, bool last, bool user);
  void advance(uint32_t bits);
  void drop_beat();
  bool final_beat() const { return beat_ + 1 == beats_; }
  uint32_t below() const;
  uint64_t bits_at(uint32_t at) const;

  DequantizerConfig pins_;
  bool first_, ready_;
  uint32_t held_, head_;
  std::array<Input, kBufferBeats> in_;

  // The packet whose beats are due.
  bool begun_, draining_;
  uint32_t p_;
  Format format_;
  int k_;  // of Rice; -1: mask, or a format without coding
  uint32_t n_, first_word_, second_word_;
  uint32_t beat_, beats_;
  uint32_t run_;                        // empty groups that follow
  uint8_t scale_;                       // of the MX block
  uint32_t next_;                       // Rice: the index behind the entry before
  std::array<uint32_t, kLanes> lanes_;  // Rice: of the beat that is due
  Window window_;

  uint32_t used_, queued_;
  uint32_t calendar_;
  uint32_t out_head_, out_tail_;
  std::array<Beat, kQueueBeats * 2> out_;
  std::array<uint32_t, kReasons> malformed_;
  uint32_t errors_;
};

}  // namespace gw::systemc
