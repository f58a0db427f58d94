// Cycle-accurate core of the NIC's engine from wire to host, no SystemC in it
// (docs/devices/nic_rx.md).
//
// Built as nic_tx.h is: beats are written once, queues are differences of counters, headers and
// shim are judged once.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "models/axis/beat.h"
#include "models/systemc/decompressor.h"
#include "models/systemc/nic_frame.h"

namespace gw::systemc {

/// The configuration pins of gw_nic_rx.
struct NicRxConfig {
  uint8_t protocol_tcp = 253;
  uint8_t protocol_udp = 254;

  friend bool operator==(const NicRxConfig&, const NicRxConfig&) = default;
};

class NicRx {
 public:
  static constexpr size_t kStatistics = 7;

  /// A device whose last rising edge had aresetn = 0.
  explicit NicRx(const NicRxConfig& config = {}) : pins_(config) { reset(); }

  /// Drives the configuration pins from this cycle on. A frame keeps what they are when its first
  /// beat is accepted.
  void configure(const NicRxConfig& config) { pins_ = config; }
  /// Whether the next beat begins a frame, and so looks at them.
  bool begins_frame() const { return first_; }

  // Outputs in the current cycle.
  bool s_ready() const { return ready_; }
  /// The beat on m_axis, nullptr while m_axis_tvalid is 0. The pointer lasts until the next edge.
  const Beat* m_beat() const { return output_.front(); }
  std::span<const uint32_t> statistics() const { return statistics_; }
  /// forget_key_o, nullptr while forget_o is 0.
  const NicFlowKey* forgets() const { return forgets_ ? &forget_key_ : nullptr; }

  /// One rising edge with aresetn = 0.
  void reset();
  /// One rising edge with aresetn = 1. `s` is the beat on s_axis, nullptr while s_axis_tvalid is 0.
  void clock(const Beat* s, bool m_ready);

 private:
  static constexpr uint32_t kOriginalBeats = 64;
  static constexpr uint32_t kFrontBeats = 64;
  static constexpr uint32_t kFrames = 64;
  static constexpr uint64_t kNever = ~uint64_t{0};

  /// In the order of their counters.
  enum Action : uint8_t { kPassed, kBadShim, kBadStream, kUnpacked, kMended, kBytesIn, kBytesOut };

  struct Frame {
    uint64_t class_at, leaves_at;  // cycles from which they are there; it can be issued
    uint32_t first;                // the number of its first beat
    uint32_t beats;                // 0 until the last one is accepted
    uint32_t size;                 // bytes, from then on
    Action action;                 // as headers and shim have it
    uint64_t front_at;             // cycle from which it leaves the front queue
    bool user, tcp;
    bool quote;   ///< its class
    bool forget;  ///< unless `user`
    NicFlowKey key;
    NicRxConfig config;
    NicHeaders headers;
    CodecConfig codec;
    uint32_t shim_at, length;
    NicCut cut;
    uint32_t head_here;  // bytes of the head that are in the frame

    /// Whether `beat` is the number after its last one's.
    bool ends_at(uint32_t beat) const { return beats != 0 && beat == first + beats; }
    uint32_t stream_at() const { return shim_at + kNicShim + cut.edges(); }
    uint32_t floats_at() const { return shim_at + head_here; }  // unpacked
    uint32_t result() const { return shim_at + length; }
    uint32_t header_beats() const { return (shim_at + kBeatBytes - 1) / kBeatBytes; }
    // By the number of the issue: the contract's J, J + g.
    uint32_t first_group() const { return floats_at() / kBeatBytes; }
    uint32_t groups_end() const { return first_group() + cut.groups(); }
  };

  Frame& frame(uint32_t number) { return frames_[number % kFrames]; }

  void accept(const Beat& beat);
  void judge(Frame& f, uint32_t size);
  Action judge_shim(Frame& f, const uint8_t* bytes, uint32_t size) const;
  bool is_quote(const Frame& f, const uint8_t* bytes, uint32_t size) const;
  void judge_quote(Frame& f, uint32_t size);

  const Beat* feed();
  void send_stream(const Frame& f, uint32_t number, bool last);
  void send(const Frame& f, uint32_t bytes, bool last);

  bool leave();
  bool unpack(const Frame& f);
  bool issue_unpacked(const Frame& f, const Beat* offered);
  void begin_unpacked(const Frame& f);
  void finish(const Frame& f, Action action, uint32_t bytes_out);

  NicRxConfig pins_;
  bool first_, ready_;
  uint64_t now_;

  // Beats by their numbers since reset: the original queue's are from head_ up to visible_, the
  // front queue's from front_ up to accepted_. The stream needs the beat before the oldest, too.
  uint32_t accepted_, visible_, head_, front_;
  BeatRing<2 * kFrontBeats> originals_;

  // Frames likewise: accepted ones, the front queue's oldest, the current one.
  uint32_t begun_, front_frame_, finished_;
  std::array<Frame, kFrames> frames_;

  // Of the front queue's oldest frame: where its next stream beat begins.
  uint32_t stream_next_;
  bool stream_sent_;  // the whole of it
  uint32_t sent_;     // beats in this cycle
  std::array<Beat, 2> stream_;
  bool flush_;  // the second is to be sent

  Decompressor decompressor_;

  // Of the current frame, if it is unpacked.
  uint32_t issue_;
  bool packet_taken_;  // up to its tlast
  bool bad_stream_;    // it ended early, or not with the last group
  bool ended_;         // the last beat is issued
  uint32_t bytes_out_;
  std::array<uint8_t, kNicHeaderBeats * kBeatBytes> prefix_;  // what comes before the floats
  std::array<uint8_t, 4> tail_;
  /// What comes next: less than a beat left over, a group, the tail.
  alignas(64) std::array<uint8_t, 4 * kBeatBytes> next_;
  NicOutput output_;

  bool forgets_;
  NicFlowKey forget_key_;
  std::array<uint32_t, kStatistics> statistics_;
};

}  // namespace gw::systemc
