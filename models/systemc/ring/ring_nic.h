// Cycle-accurate core of one node of the ring allreduce, no SystemC in it: what gw_ring_nic does in
// each cycle (docs/devices/ring_nic.md, cycle contract).
//
// Two copies of the registers: `was_`, as they are in the cycle that an edge ends, and `now_`,
// which the edge makes. Every rule reads the first and writes the second, so that their order in
// the code means nothing where the contract does not say so. Banks are written after all has been
// read.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "models/axis/beat.h"

namespace gw::systemc {

/// The parameters of gw_ring_nic.
struct RingBuild {
  uint32_t slots_log2 = 7;   ///< 0..10: a bank has 2^slots_log2 slots
  uint32_t beats_log2 = 5;   ///< 0..7: a slot has 2^beats_log2 beats
  uint32_t add_latency = 5;  ///< 1..12
  bool subnormal = true;     ///< false: subnormal numbers are zeros
  uint32_t first = 0;        ///< number of the first chunk
};

/// The configuration pins, stable from reset on.
struct RingPins {
  uint8_t node = 0, nodes = 2;
  uint16_t session = 0;
  uint32_t window = 1;
  uint32_t timeout = 4096;
};

class RingNic {
 public:
  using Beat = BasicBeat<16>;
  enum Side : size_t { kHost, kLeft, kRight };
  /// Bits of error_o.
  enum Error : uint32_t {
    kLeftSilent = 1,
    kRightSilent = 2,
    kLengthsDiffer = 4,
    kBadChunk = 8,
    kProtocol = 16
  };
  /// Words of stat_o: three of the node, then kOfPort of left, then of right.
  static constexpr size_t kStatistics = 23;
  enum NodeWord : size_t { kChunks, kResults, kSums, kNodeWords };
  enum PortWord : size_t {
    kData,
    kAgain,
    kControl,
    kTaken,
    kControlIn,
    kBad,
    kForeign,
    kDuplicate,
    kGap,
    kTimeouts,
    kOfPort
  };
  static constexpr size_t word_of(Side side, PortWord word) {
    return kNodeWords + (side == kRight ? size_t{kOfPort} : 0) + word;
  }

  /// A device at its first rising edge with aresetn = 0. What its links did before is not known, so
  /// both are lost until 64 silent cycles have gone by, in reset or out, or a frame has ended.
  explicit RingNic(const RingBuild& build = {}, const RingPins& pins = {});

  /// Sets the configuration pins; follow it with reset().
  void configure(const RingPins& pins) { pins_ = pins; }
  const RingPins& pins() const { return pins_; }
  const RingBuild& build() const { return build_; }

  // Outputs in the current cycle.
  /// Bit s: tready of Side s. A frame is always taken.
  uint32_t s_ready() const { return 1u << kLeft | 1u << kRight | (host_ready() ? 1u : 0); }
  /// The beat that a side shows, nullptr while tvalid is 0. The pointer lasts until the next edge.
  const Beat* m_beat(size_t side) const { return queue_[side].front(time_); }
  std::span<const uint32_t> statistics() const { return now_.statistics; }
  uint32_t error() const { return now_.error; }

  /// One rising edge with aresetn = 0; bit s of `offered`: tvalid of that side's input is 1.
  void reset(uint32_t offered = 0);
  /// One rising edge with aresetn = 1. `s`: the beats on the inputs, nullptr while tvalid is 0. Bit
  /// s of `m_ready`: tready of that side's output.
  void clock(const std::array<const Beat*, 3>& s, uint32_t m_ready);

  /// The counters of the contract as they are in the current cycle, for tests and reports.
  struct Counters {
    uint32_t loading, loaded, summing, read, summed, giving, given, limit, free;
    struct Link {
      uint32_t next, top, acked, expect, told, base, tries;
    };
    std::array<Link, 3> link;  ///< by Side; of kHost nothing
  };
  Counters counters() const;
  /// Whether the node has neither anything under way nor waits for a neighbour.
  bool quiet() const;
  /// Whether a side has a neighbour.
  bool there(size_t side) const {
    return side == kHost || (side == kLeft ? pins_.node > 0 : pins_.node + 1 < pins_.nodes);
  }

 private:
  using Line = std::array<uint32_t, 16>;
  static constexpr uint32_t kQueueBeats = 8;
  static constexpr uint32_t kQuietCycles = 64;
  static constexpr uint32_t kIdleMost = 16;
  static constexpr uint32_t kTriesMost = 16;
  static constexpr uint32_t kLatency = 3;  ///< from issue to the pins
  static constexpr size_t kCalendar = 16;  ///< cycles; the farthest ahead is A + 2

  /// Slots of whole beats, and how many bytes each holds.
  struct Bank {
    std::vector<Line> lines;
    std::vector<uint32_t> bytes;
  };
  /// What was issued and when. As many places as credits.
  struct Queue {
    std::array<Beat, kQueueBeats> beats;
    std::array<uint64_t, kQueueBeats> issued;
    uint32_t head = 0, count = 0;
    const Beat* front(uint64_t time) const {
      return count != 0 && issued[head] + kLatency <= time ? &beats[head] : nullptr;
    }
    void pop() {
      head = (head + 1) % kQueueBeats;
      --count;
    }
    Beat& push(uint64_t time) {
      const uint32_t at = (head + count++) % kQueueBeats;
      issued[at] = time;
      return beats[at];
    }
  };
  /// A sum's beat on its way through the adders.
  struct Adding {
    bool write = false;
    uint32_t line = 0;
    Line data;
  };
  /// A header, as it was judged.
  struct Header {
    bool right, control, taken, answer;
    uint32_t bytes, chunk, ack;
  };
  /// A link's registers.
  struct Port {
    uint32_t next, top, acked, expect, told;
    bool in_frame;  ///< a data frame's header has been issued, its last beat has not
    uint32_t chunk, beat, bytes;
    bool answer, ask;
    uint32_t idle, timer, tries, used;

    bool came;       ///< a beat did, in the cycle before: it is in came_
    bool came_lost;  ///< while the port was lost
    bool lost;
    uint32_t silent;  ///< cycles without a beat up to now, at most 64
    bool begins;      ///< the next beat is a header
    Header header;
    uint64_t payload;  ///< bytes after it

    bool heard;  ///< a frame had its verdict: its ack is looked at in this cycle
    uint32_t ack;
    bool wants_answer;
  };
  struct Registers {
    uint32_t loading, loaded, summing, read, summed, giving, given, limit, free;
    uint32_t error;
    bool host_came;  ///< a beat did, in the cycle before: it is in came_[kHost]
    uint32_t host_chunk, host_beat;
    uint64_t host_bytes;  ///< of the chunk, its last beat included
    uint64_t host_so_far;
    uint32_t host_next_beat;
    uint32_t reading_slot, reading_beat, reading_left;  ///< of a sum
    bool giving_now;
    uint32_t give_chunk, give_beat, give_bytes, host_used;
    std::array<Port, 3> port;  ///< by Side; of kHost nothing
    std::array<uint32_t, kStatistics> statistics;
  };

  static bool below(uint32_t a, uint32_t b) { return (a - b) >> 31 != 0; }
  static uint32_t lowest(uint32_t a, uint32_t b) { return below(b, a) ? b : a; }
  static uint32_t base(const Port& p) {
    return p.in_frame && below(p.chunk, p.acked) ? p.chunk : p.acked;
  }
  static uint32_t beats_of(uint32_t bytes) { return (bytes + Beat::kBytes - 1) / Beat::kBytes; }
  bool host_ready() const { return !silent_ && now_.loading != now_.limit && now_.error == 0; }
  bool first_node() const { return pins_.node == 0; }
  bool last_node() const { return pins_.node + 1 == pins_.nodes; }
  uint32_t slot(uint32_t chunk) const { return chunk & slot_mask_; }
  uint32_t line(uint32_t chunk, uint32_t beat) const {
    return slot(chunk) << build_.beats_log2 | beat;
  }
  uint32_t slot_beats() const { return 1u << build_.beats_log2; }
  /// Results that the host, or left of a node in the middle, may have.
  uint32_t available() const;
  uint32_t ready(Side side) const;
  const Bank& sent_from(Side side) const;
  void count(Side side, PortWord word) { ++now_.statistics[word_of(side, word)]; }

  void leave(uint32_t m_ready);
  void send(Side side);
  void issue_header(Side side, bool data);
  void issue_beat(Side side, const Bank& bank, uint32_t chunk, uint32_t beat, uint32_t bytes);
  void give();
  void sum();
  void take_host();
  void take_frame(Side side);
  void judge_header(Side side, const Beat& beat, Header& header) const;
  void give_verdict(Side side, const Beat& beat);
  void write_sum();
  void set_limits();
  void sample(const std::array<const Beat*, 3>& s);

  RingBuild build_;
  RingPins pins_;
  uint32_t slot_mask_;
  uint64_t time_ = 0;
  bool silent_ = true;  ///< the last edge had aresetn = 0
  Registers was_, now_;
  Bank gradient_, incoming_, partial_, result_;
  std::vector<uint32_t> sent_bytes_;  ///< of the AGG of each chunk under way
  std::array<Beat, 3> came_;          ///< the input registers
  std::array<Queue, 3> queue_;
  std::array<Adding, kCalendar> adding_;
  std::array<bool, kCalendar> sum_counts_;  ///< `summed` counts after this cycle
};

}  // namespace gw::systemc
