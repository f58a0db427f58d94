// Cycle-accurate cores of the aggregator, no SystemC in them (docs/devices/aggregator.md).
//
// The interlock of the contract lets no frame in before the sums that it needs are in memory. So
// the model adds when a beat is issued, and only delays that the result is seen.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "models/axis/beat.h"
#include "models/systemc/frame_stream.h"
#include "models/systemc/parser.h"

namespace gw::systemc {

struct AggregationConfig {
  uint32_t workers = 1;
  uint32_t group = 0;
  uint32_t depth = 1024;  ///< slots in use
  int depth_log2 = 10;    ///< slots there are
  uint32_t add_latency = 5;
  bool flush_subnormal = true;
};

/// gw_aggregation: after a parser.
class Aggregation {
 public:
  Aggregation() { configure({}); }
  /// Pins and parameters; as after an edge in reset.
  void configure(const AggregationConfig& config);
  void reset();
  /// Pins that change while no frame is within. More workers or slots than there are count as all.
  void set_pins(const AggregationConfig& config);
  /// As they are.
  const AggregationConfig& config() const { return config_; }
  /// In this cycle, after clock(): the slots are cleared from the next edge on.
  void job_reset();
  bool clearing() const { return clearing_ != 0; }
  /// Jumps over the clearing of the slots but for its last edge.
  void skip_clearing() { clearing_ = 1; }

  /// s_axis_tready while `offered` is at s_axis (nullptr: s_axis_tvalid = 0).
  bool ready_for(const Beat* offered) const {
    return clearing_ == 0 && used_ < kQueue && !(offered != nullptr && hazard(*offered));
  }
  const Beat* m_beat() const { return out_.empty() ? nullptr : &out_.front(); }
  std::span<const uint32_t> statistics() const { return statistics_; }

  /// One rising edge. `offered`: at s_axis; taken if ready_for() it.
  void clock(const Beat* offered, bool m_ready);

 private:
  static constexpr uint32_t kQueue = 32;
  static constexpr uint32_t kMaxWorkers = 16;
  static constexpr uint32_t kLanesOfSlot = 32;
  static constexpr uint32_t kStatComplete = 7, kStatAbandoned = 8, kStatInterlock = 9;
  enum Action : uint32_t {
    kFirst,
    kAdded,
    kDuplicate,
    kStale,
    kOutOfRange,
    kBadWorker,
    kOtherGroup
  };

  struct Slot {
    bool valid = false;
    uint32_t iteration = 0, workers = 0, lanes = 0;
    std::array<uint32_t, kLanesOfSlot> sum{};
  };
  /// Until which cycle a sequence number's first beats have to wait.
  struct InFlight {
    uint32_t sequence = 0;
    uint64_t until = 0;
  };

  bool candidate(const Beat& b) const {
    return Meta::kind(b) == Meta::kKindGradient && Meta::group(b) == config_.group &&
           Meta::worker(b) < config_.workers && Meta::sequence(b) < config_.depth;
  }
  bool hazard(const Beat& offered) const {
    if (beat_ != 0 || busy_until_ < now_) [[likely]]
      return false;
    return hazard_of(offered);
  }
  bool hazard_of(const Beat& offered) const;
  void issue(const Beat& beat);
  void decide(const Beat& first);
  void add(Beat& beat, uint32_t row);

  AggregationConfig config_;
  std::vector<Slot> slots_;
  uint64_t now_, busy_until_;
  uint32_t clearing_, used_;
  DelayedQueue<kQueue> out_;
  std::array<InFlight, 8> in_flight_;
  uint32_t next_in_flight_;

  // The frame that is issued.
  uint32_t beat_;
  bool candidate_, rewritten_, complete_;
  Action action_;
  Slot* slot_;
  uint32_t old_lanes_, meta0_, meta4_;
  std::array<uint8_t, 14> header_;  // bytes 18..31, as they leave

  std::array<uint32_t, 10> statistics_;
};

/// gw_aggregator: parser and aggregation.
class Aggregator {
 public:
  Aggregator() { configure({}); }
  void configure(const AggregationConfig& config) {
    core_.configure(config);
    parser_.reset();
  }
  void reset() {
    parser_.reset();
    core_.reset();
  }
  /// From the last edge in reset to cycle 0: the slots are cleared.
  void prepare() {
    core_.skip_clearing();
    clock(nullptr, false);
  }

  void skip_clearing() { core_.skip_clearing(); }
  Aggregation& aggregation() { return core_; }

  bool s_ready() const { return parser_.s_ready(); }
  const Beat* m_beat() const { return core_.m_beat(); }
  std::span<const uint32_t> statistics() const;

  void clock(const Beat* s, bool m_ready) {
    const Beat* const between = parser_.m_beat();
    const bool taken = core_.ready_for(between);
    core_.clock(between, m_ready);
    parser_.clock(s, taken);
  }

 private:
  Parser parser_;
  Aggregation core_;
  mutable std::array<uint32_t, 22> statistics_;
};

}  // namespace gw::systemc
