// Cycle-accurate core of the NIC's engine from host to wire, no SystemC in it
// (docs/devices/nic_tx.md).
//
// The contract's queues hold the same beats at different times. So the model writes a beat once,
// into a ring, and counts: the queues are differences of counters, and when something is there is a
// cycle's number in its frame's record. Headers are judged once, when their last beat is accepted;
// a packed frame's head is put together once, when its first beat is issued.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "models/axis/beat.h"
#include "models/systemc/compressor.h"
#include "models/systemc/group_codec.h"
#include "models/systemc/nic_frame.h"

namespace gw::systemc {

/// The configuration pins of gw_nic_tx.
struct NicTxConfig {
  uint8_t mark = 0x28;       ///< ToS of the connections whose streams are floats
  uint8_t mark_mask = 0xFC;  ///< the bits of it that count
  bool packet_grid = false;  ///< grid_i: floats begin at a segment's first byte
  CodecConfig codec{};
  uint8_t protocol_tcp = 253;
  uint8_t protocol_udp = 254;
  bool forget = false;  ///< the flow of this key leaves the table before the frame is looked up
  NicFlowKey forget_key{};

  friend bool operator==(const NicTxConfig&, const NicTxConfig&) = default;
};

class NicTx {
 public:
  static constexpr size_t kStatistics = 19;

  /// A device whose last rising edge had aresetn = 0.
  explicit NicTx(const NicTxConfig& config = {}) : pins_(config) { reset(); }

  /// Drives the configuration pins from this cycle on. A frame keeps what they are when its first
  /// beat is accepted.
  void configure(const NicTxConfig& config) { pins_ = config; }
  /// Whether the next beat begins a frame, and so looks at them.
  bool begins_frame() const { return first_; }

  // Outputs in the current cycle.
  bool s_ready() const { return ready_; }
  /// The beat on m_axis, nullptr while m_axis_tvalid is 0. The pointer lasts until the next edge.
  const Beat* m_beat() const { return output_.front(); }
  std::span<const uint32_t> statistics() const { return statistics_; }

  /// One rising edge with aresetn = 0.
  void reset();
  /// One rising edge with aresetn = 1. `s` is the beat on s_axis, nullptr while s_axis_tvalid is 0.
  void clock(const Beat* s, bool m_ready);

 private:
  static constexpr uint32_t kOriginalBeats = 1024;
  static constexpr uint32_t kFrontBeats = 32;
  static constexpr uint32_t kStreamBeats = 1024;
  static constexpr uint32_t kFrames = 256;
  static constexpr uint32_t kOverlongBeats = 282;  // that many and one more are over kNicMaxFrame
  static constexpr uint64_t kNever = ~uint64_t{0};
  static constexpr size_t kFlows = 256;

  /// In the order of their counters.
  enum Action : uint8_t {
    kNotIpv4,
    kBadHeader,
    kReserved,
    kSyn,
    kNotMarked,
    kFragment,
    kOtherProtocol,
    kNoPayload,
    kTrailer,
    kNoStreamStart,
    kUnaligned,
    kFew,
    kStored,
    kPacked,
    kBadInput,
    kBytesIn,  // and what else is counted
    kBytesOut,
    kEvictions,
    kForgotten
  };
  enum class Class : uint8_t { kBypass, kReserved, kCandidate };
  enum class Leaves : uint8_t { kWaits, kAsItCame, kPacked, kDropped };

  struct Frame {
    uint64_t class_at, verdict_at;  // cycles from which they are there
    uint32_t first;                 // the number of its first beat
    uint32_t beats;                 // 0 until the last one is accepted
    uint32_t size;                  // bytes, from then on
    Class kind;
    Leaves leaves;
    Action action;  // what headers say; the final one from the last beat, or the verdict, on
    bool user, tcp, teaches;
    bool front_left;  // its last beat left the front queue
    bool encoded;     // its whole stream is in the stream queue
    NicTxConfig config;
    NicHeaders headers;
    uint32_t payload_at, length;
    NicCut cut;
    uint32_t change;  // of the payload's words, for the transport checksum
    uint32_t stream_first, stream_beats, stream_bytes;

    /// Whether `beat` is the number after its last one's.
    bool ends_at(uint32_t beat) const { return beats != 0 && beat == first + beats; }
    bool stream_left(uint32_t head) const { return head == stream_first + stream_beats; }
    uint32_t floats_at() const { return payload_at + cut.head; }
    uint32_t stream_at() const { return payload_at + kNicShim + cut.edges(); }
    uint32_t packed_bytes() const {
      const uint32_t bytes = stream_at() + stream_bytes;
      return bytes < kNicMinFrame ? kNicMinFrame : bytes;
    }
  };

  struct Flow {
    NicFlowKey key;
    uint8_t phase;
    bool known;
  };

  Frame& frame(uint32_t number) { return frames_[number % kFrames]; }

  void accept(const Beat& beat);
  void judge(Frame& f, uint32_t size);
  void conclude(Frame& f);
  NicFlowKey key_of(const Frame& f) const;
  static uint8_t place_of(const NicFlowKey& key);
  void forget(const NicFlowKey& key);

  const Beat* feed();
  void send_groups(Frame& f, uint32_t number, bool last);
  void send_group(Frame& f, uint32_t floats, bool last);
  void take_stream(const Beat& beat);

  void leave();
  void settle(Frame& f);
  void build_prefix(const Frame& f);
  void issue_packed(Frame& f);

  NicTxConfig pins_;
  bool first_, ready_;
  uint64_t now_;

  // Beats by their numbers since reset: the original queue's are from head_ up to visible_, the
  // front queue's from front_ up to accepted_.
  uint32_t accepted_, visible_, head_, front_;
  BeatRing<kOriginalBeats> originals_;

  // Frames likewise: accepted ones, the front queue's oldest, the current one.
  uint32_t begun_, front_frame_, finished_;
  std::array<Frame, kFrames> frames_;

  // Of the front queue's oldest frame, the groups that are not sent yet.
  uint32_t groups_left_, floats_left_, group_at_;
  GroupCodec codec_;
  Words change_;
  uint32_t groups_sent_;  // in this cycle
  std::array<Beat, 2> groups_;
  bool flush_;  // the second is to be sent

  Compressor compressor_;

  // The stream queue: beats from stream_head_ up to stream_tail_. Streams belong to candidates, in
  // order. The end of the beat that left last goes with the next one: it must outlast the queue.
  uint32_t stream_head_, stream_tail_, stream_first_;
  BeatRing<2 * kStreamBeats> streams_;
  std::array<uint32_t, kFrames> candidates_;
  uint32_t candidates_begun_, candidates_encoded_;

  // Of the current frame, if it is packed.
  uint32_t issue_;
  std::array<uint8_t, kNicHeaderBeats * kBeatBytes> prefix_;  // what comes before the stream
  NicOutput output_;

  std::array<Flow, kFlows> flows_;
  uint32_t evictions_, forgotten_;  // bit i: one is counted in i cycles
  std::array<uint32_t, kStatistics> statistics_;
};

}  // namespace gw::systemc
