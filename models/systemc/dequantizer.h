// Cycle-accurate core of the dequantizer, no SystemC in it (docs/devices/dequantizer.md).
//
// The burst buffer and what a step does with its window are the contract's; what a step emits is
// computed at once, and delayed until it is seen.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "models/axis/beat.h"

namespace gw::systemc {

/// The pin that a packet looks at.
struct DequantizerConfig {
  uint32_t limit = 4096;  ///< limit_i: the largest n that is taken, 20 bits

  friend bool operator==(const DequantizerConfig&, const DequantizerConfig&) = default;
};

class Dequantizer {
 public:
  /// Why a packet is malformed, in the order in which it is looked for.
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
  const Beat* m_beat() const { return visible_ != 0 ? &out_[out_head_] : nullptr; }
  uint32_t malformed_count(size_t reason) const { return malformed_[reason]; }
  uint32_t error_count() const { return errors_; }

  /// One rising edge with aresetn = 0.
  void reset();
  /// One rising edge with aresetn = 1. `s` is the beat on s_axis, nullptr while s_axis_tvalid is 0.
  void clock(const Beat* s, bool m_ready);

 private:
  static constexpr uint32_t kBufferBeats = 4;
  static constexpr uint32_t kWindowBeats = 3;
  static constexpr uint32_t kMaxUsed = 31;
  static constexpr uint32_t kDecodeDelay = 6;  // emitted in cycle c, enters in c+6
  static constexpr uint32_t kOutBeats = 64;    // a power of two above what credit allows
  static constexpr uint32_t kBeatBits = 256;
  static constexpr uint32_t kHeaderBits = 128;

  enum Format : uint8_t { kRaw, kWgt, kBgt, kQgt, kOneBit, kAdaptive, kFp8, kFp4 };
  /// A code of Rice, at a bit of the window.
  struct Code {
    bool bad, end;
    uint32_t index;   // of an entry
    uint32_t value;   // bits of a float
    uint32_t behind;  // where the next one begins
  };

  void step();
  bool begin(Reason& reason);
  void step_fixed();
  void step_mask();
  void step_rice();
  Code code(uint32_t at, uint32_t next) const;
  void put(const Code& code) { values_[code.index - kLanes * beat_] = code.value; }
  uint32_t sent_value(bool negative, uint32_t m) const;
  void put_elements(uint32_t at, uint32_t lanes);
  void close(uint32_t at);
  void next_beat(uint32_t at);
  void emit(bool last, bool user);
  void error(Reason reason);
  void advance(uint32_t at);
  void leave(uint32_t beats);
  void refresh();
  void forget();

  uint64_t word(uint32_t bit) const;
  uint32_t field(uint32_t bit, uint32_t length) const {
    return static_cast<uint32_t>(word(bit) & ((uint64_t{1} << length) - 1));
  }
  uint32_t avail() const { return end_bit_ - p_; }
  bool final() const { return beat_ + 1 == beats_; }
  uint32_t below() const { return final() ? n_ - kLanes * beat_ : kLanes; }

  DequantizerConfig pins_;
  bool first_ = true, ready_ = false;

  // The burst buffer: beats from the oldest on, their bytes one behind the other.
  uint32_t held_ = 0;
  uint32_t bursts_ = 0;  // in the window: up to and with the packet's last
  bool end_ = false;     // which is in it
  uint32_t end_bit_ = 0;
  bool draining_ = false;
  struct Burst {
    uint32_t bits;
    uint32_t limit;
    bool last, user;
  };
  std::array<Burst, kBufferBeats> burst_{};
  alignas(32) std::array<uint8_t, (kBufferBeats + 1) * kBeatBytes> bytes_{};

  // The packet.
  bool begun_ = false;
  uint32_t p_ = kHeaderBits;
  uint8_t format_ = 0;
  bool rice_ = false;
  uint32_t k_ = 0, n_ = 0, beat_ = 0, beats_ = 0;
  std::array<uint32_t, 2> words_{};                        // T, or the means
  uint32_t run_ = 0;                                       // empty groups that follow
  uint32_t next_ = 0;                                      // index behind the entry before
  uint32_t scale_ = 0;                                     // of MX
  alignas(32) std::array<uint32_t, 2 * kLanes> values_{};  // of the beat that is due, and the next

  // The output queue and what is on its way to it.
  std::array<Beat, kOutBeats> out_{};
  uint32_t out_head_ = 0, out_tail_ = 0, visible_ = 0, used_ = 0;
  uint32_t entering_ = 0;  // bit i: a beat enters i cycles from now
  std::array<uint32_t, kReasons> malformed_{};
  uint32_t errors_ = 0;
};

}  // namespace gw::systemc
