// Cycle-accurate core of the parser, no SystemC in it (docs/devices/parser.md).
//
// A frame's verdict is computed once, when its deciding beat is accepted; the contract says when it
// can be seen.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "models/axis/beat.h"
#include "models/systemc/frame_stream.h"

namespace gw::systemc {

class Parser {
 public:
  Parser() { reset(); }

  bool s_ready() const { return ready_; }
  /// The beat on m_axis with its meta, nullptr while m_axis_tvalid is 0; until the next edge.
  const Beat* m_beat() const { return shown_ ? &data_.front() : nullptr; }
  std::span<const uint32_t> statistics() const { return statistics_; }

  /// One rising edge with aresetn = 0.
  void reset();
  /// One rising edge with aresetn = 1. The port that a frame came in by, s_axis_tuser, is in bits
  /// 1:0 of its first beat's meta[0]; the rest of meta is ignored.
  void clock(const Beat* s, bool m_ready);

 private:
  static constexpr uint32_t kCapacity = 64;  // beats accepted and not left
  static constexpr uint32_t kDataDelay = 2;
  static constexpr uint32_t kVerdictDelay = 4;
  static constexpr uint32_t kDecidingBeat = 5;
  static constexpr uint32_t kKinds = 5;

  bool expether() const;
  uint32_t verdict() const;
  void decide();

  bool ready_, shown_;
  uint32_t used_;
  DelayedQueue<kCapacity> data_;

  // The frame that comes in.
  uint32_t beat_;   // its next beat, up to kDecidingBeat + 1
  uint32_t bytes_;  // of the first six beats
  uint32_t port_;
  std::array<uint8_t, 2 * kBeatBytes> header_;

  std::array<uint32_t, 6> meta_;  // of its beats, from the deciding one on

  std::array<uint8_t, kVerdictDelay> verdicts_;  // kind and reason of those that cannot be seen yet
  uint32_t verdict_head_, verdict_tail_, verdicts_visible_, verdict_calendar_;
  std::array<uint32_t, 12> statistics_;
};

}  // namespace gw::systemc
