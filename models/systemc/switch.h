// Cycle-accurate core of the switch, no SystemC in it (docs/devices/switch.md): packet queues,
// arbiter and lookup around the cores of parser, aggregation and optimization.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <vector>

#include "models/axis/beat.h"
#include "models/systemc/aggregator.h"
#include "models/systemc/optimizer.h"
#include "models/systemc/parser.h"

namespace gw::systemc {

/// A frame can leave once it is in whole; what does not fit is dropped whole.
class PacketQueue {
 public:
  explicit PacketQueue(bool rx) : rx_(rx) { reset(false); }
  /// One rising edge in reset; `offered`: the port offers a beat all the same.
  void reset(bool offered);
  /// The port is idle for long enough to know that what comes next begins a frame.
  void find() { lost_ = false, idle_ = kFindCycles; }

  const Beat* m_beat() const { return shown_ ? &out_ : nullptr; }
  bool more() const { return committed_ != 0; }
  bool was_committed() const { return was_committed_; }
  bool was_dropped() const { return was_dropped_; }

  /// One rising edge. `offered`: the port offers a beat, taken (`s`) or not.
  void clock(const Beat* s, bool m_ready, bool offered);

 private:
  static constexpr uint32_t kBeats = 512;
  static constexpr uint32_t kFindCycles = 8;
  static constexpr uint32_t kMinBytes = 60, kMaxBytes = 9018;

  bool rx_;
  std::array<Beat, kBeats> ring_;
  uint32_t head_, committed_, frame_,
      bytes_;  // loaded next; beats; beats and bytes of what comes in
  bool spoilt_, shown_, was_committed_, was_dropped_;
  bool lost_;          // RX: it is not known where a frame begins
  uint32_t idle_ = 0;  // cycles in a row, up to now, in which the port offered nothing
  Beat out_;
};

class Switch {
 public:
  static constexpr int kPorts = 4;

  Switch();
  void configure(const AggregationConfig& aggregation, const OptimizerConfig& optimizer,
                 std::span<const uint32_t> theta);
  /// One rising edge in reset; bit p of `offered`: port p offers a beat all the same.
  void reset(unsigned offered = 0);
  void configure(const AggregationConfig& aggregation, unsigned offered = 0);
  /// One of the host's writes (Optimization).
  void write(uint32_t address, uint32_t data) { optimization_.write(address, data); }
  /// From the last edge in reset to cycle 0: the aggregator's slots are cleared.
  void prepare() {
    skip_clearing();
    clock({}, 0);
  }
  /// Jumps over the clearing of the slots but for its last edge, on ports that are idle meanwhile.
  void skip_clearing();

  bool s_ready(int) const { return ready_; }
  const Beat* m_beat(int port) const { return tx_[static_cast<size_t>(port)].m_beat(); }
  uint32_t events() const;
  std::span<const uint32_t> statistics() const;
  /// `drain`: no port requests.
  void clock(const std::array<const Beat*, kPorts>& s, unsigned m_ready, bool drain = false);

  // For a register block. In this cycle: a frame's first beat goes to the parser; the optimization
  // shows a frame's last.
  bool begins() const { return served_first_ && served() != nullptr && parser_.s_ready(); }
  bool ends() const {
    const Beat* const out = optimization_.m_beat();
    return out != nullptr && out->last != 0;
  }
  Aggregation& aggregation() { return aggregation_; }
  Optimization& optimization() { return optimization_; }

 private:
  struct Entry {
    bool known = false;
    uint32_t vlan = 0, port = 0;
    uint64_t mac = 0;
  };
  /// The beat that the served port offers to the parser.
  const Beat* served() const { return active_ ? rx_[port_].m_beat() : nullptr; }
  void choose(bool drain);
  unsigned route(const Beat& first);

  std::vector<PacketQueue> rx_, tx_;
  Parser parser_;
  Aggregation aggregation_;
  Optimization optimization_;
  bool ready_, active_;
  uint32_t port_;
  bool served_first_, parsed_first_, out_first_;
  std::array<Entry, 256> table_;
  std::array<uint8_t, 256> routes_;  // of the frames between lookup and output queues
  uint8_t route_head_, route_tail_;
  unsigned mask_;
  uint32_t flooded_, filtered_;
  std::array<uint32_t, 16> ports_;
  Beat to_parser_, to_tx_;
  mutable std::array<uint32_t, 44> statistics_;
};

}  // namespace gw::systemc
