// Cycle-accurate cores of the optimizer, no SystemC in them (docs/devices/optimizer.md).
//
// Locks and order guarantee that no other frame changes a frame's parameters between its first
// round and its last. So the model computes a round when it is dispatched; latency and locks are
// then a matter of counting cycles. What the host writes meanwhile must not undo a write-back: see
// write().
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

enum class Algorithm : uint8_t { kSgd, kAdagrad, kAdam, kSmorms3 };

struct OptimizerConfig {
  Algorithm algorithm = Algorithm::kSgd;
  uint32_t pes = 32;
  uint32_t latency = 21;  ///< L of the array of processing elements
  uint32_t interval = 1;  ///< II
  bool flush_subnormal = true;
  bool eps_outside = false;  ///< EpsOutside: eps is added after the root, not under it
  int depth_log2 = 10;
  float lr = 0.001f, eps = 1e-8f, beta1 = 0.9f, beta2 = 0.999f;
};

/// gw_optimization: after a parser or the aggregator.
class Optimization {
 public:
  Optimization() { configure({}, {}); }
  /// Parameters, pins and the host's writes; as after an edge in reset. Parameters beyond `theta`
  /// are 0.
  void configure(const OptimizerConfig& config, std::span<const uint32_t> theta);
  /// Memory, the host's registers and `iteration` stay.
  void reset();
  /// One of the host's writes in this cycle, in front of clock(), as cfg_address_i and cfg_data_i
  /// have it.
  void write(uint32_t address, uint32_t data);

  // What the registers of docs/registers/optimizer.md beyond those seven hold, by address. Written
  // while no frame is within, after clock() of the cycle.
  uint32_t host_read(uint32_t address) const;
  void host_written(uint32_t address, uint32_t data);

  bool ready_for(const Beat* offered) const {
    return used_ < kQueue && !(offered != nullptr && beat_ == 0 && issued_ - loaded_ >= kFrames &&
                               selected(*offered));
  }
  const Beat* m_beat() const { return shown_ ? &out_ : nullptr; }
  std::span<const uint32_t> statistics() const { return statistics_; }
  uint32_t parameter(size_t index) const { return cells_.at(index)[0]; }

  /// One rising edge. `offered`: at s_axis; taken if ready_for() it.
  void clock(const Beat* offered, bool m_ready);

 private:
  static constexpr uint32_t kQueue = 256;
  static constexpr uint32_t kFrames = 64;
  static constexpr uint32_t kValues = 32;
  static constexpr uint32_t kQueueDelay = 4;
  static constexpr uint32_t kAdvanceCycles = 24;
  static constexpr uint32_t kArrayOverhead = 3;  // done L + 3 cycles after the last dispatch
  static constexpr uint64_t kHeld = UINT64_MAX;
  enum Statistic { kOptimised, kOutOfRange, kIterations, kInterlock };

  using Cell = std::array<uint32_t, 4>;  // theta, states
  /// A selected frame from its first beat to its last.
  struct Frame {
    uint32_t sequence = 0, iteration = 0, count = 0;
    uint64_t done = kHeld;  // the cycle from which it is
    std::array<uint32_t, kValues> values{};
    std::array<uint64_t, kValues>
        written{};                     // value i is written back in the cycle before this one
    std::array<Cell, kValues> before;  // what its cell holds until then
  };

  bool in_range(const Beat& b) const { return Meta::sequence(b) >> config_.depth_log2 == 0; }
  static bool complete(const Beat& b) {
    return Meta::kind(b) == Meta::kKindGradient && Meta::complete(b);
  }
  bool selected(const Beat& b) const { return complete(b) && in_range(b); }
  Frame& frame(uint64_t n) { return frames_[n % kFrames]; }

  void dispatch();
  bool begin_iteration(const Frame& next);
  void take_registers();
  void correct(size_t beta);
  void lose_rounds();
  size_t row_cells() const { return config_.pes < kValues ? config_.pes : kValues; }
  bool under_way(uint32_t cell) const;
  void compute(Frame& frame);
  template <bool kFlush, bool kOutside>
  void compute_with(Frame& frame);
  void load();
  void issue(const Beat& beat);

  OptimizerConfig config_;
  std::array<uint32_t, 9> registers_;  // lr, eps, beta1, beta2, 1 - both, bias, corrections
  std::array<uint32_t, 7> shadow_;     // as the host wrote them, for the next iteration
  std::array<uint32_t, 7> written_;    // the same, with what it writes in this cycle
  bool changed_, changes_;             // since the last iteration began; in this cycle
  std::vector<uint32_t> host_row_;     // the cells that the host wrote last, a row of them
  bool host_writes_row_;               // in this cycle: no round is dispatched
  std::array<uint32_t, 2> powers_;
  std::vector<Cell> cells_;

  uint64_t now_;
  uint32_t used_;
  std::array<Frame, kFrames> frames_;
  // Selected frames so far: first beat issued, gathered, dispatched whole, last beat loaded.
  uint64_t issued_, gathered_, dispatched_, loaded_;

  uint32_t beat_;  // the next one of the frame that is issued
  bool selected_;
  std::array<uint8_t, 14> header_;

  uint32_t round_;
  std::array<uint64_t, 2> free_from_;     // of the PEs, or of their halves
  std::vector<uint64_t> lock_free_from_;  // by sequence number
  uint64_t all_done_from_, dispatch_from_;
  bool iterating_;
  uint32_t iteration_;

  DelayedQueue<kQueue> queue_;
  uint32_t load_beat_;
  bool loading_selected_;
  bool shown_;
  Beat out_;

  std::array<uint32_t, 4> statistics_;
};

/// gw_optimizer: parser and optimization; every gradient frame counts as complete.
class Optimizer {
 public:
  void configure(const OptimizerConfig& config, std::span<const uint32_t> theta) {
    core_.configure(config, theta);
    parser_.reset();
  }
  void reset() {
    parser_.reset();
    core_.reset();
  }
  void write(uint32_t address, uint32_t data) { core_.write(address, data); }
  Optimization& optimization() { return core_; }
  bool s_ready() const { return parser_.s_ready(); }
  const Beat* m_beat() const { return core_.m_beat(); }
  std::span<const uint32_t> statistics() const;
  void clock(const Beat* s, bool m_ready);

 private:
  Parser parser_;
  Optimization core_;
  Beat between_;
  mutable std::array<uint32_t, 16> statistics_;
};

}  // namespace gw::systemc
