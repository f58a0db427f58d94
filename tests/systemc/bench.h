// A clocked bench around one device: a source, a sink, and a record of
// every handshake with its cycle.
//
// Cycle 0 is the one after reset, in which both ready and valid are 0; so the codec's devices
// accept the first beat in cycle 1.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <deque>
#include <functional>
#include <vector>

#include "models/axis/beat.h"

namespace gw::systemc {

using Cycles = std::vector<uint64_t>;

template <typename Device>
class Bench {
 public:
  struct Departure {
    uint64_t cycle;
    Beat beat;
  };
  using Gate = std::function<bool(uint64_t cycle)>;

  /// `options` are the device's.
  template <class... Options>
  explicit Bench(Options... options) : device(options...) {}

  void send(const Beat& beat) { source_.push_back(beat); }
  void send(const std::vector<Beat>& beats) {
    source_.insert(source_.end(), beats.begin(), beats.end());
  }

  /// One cycle. AXI4-Stream: the source, once valid, stays so until
  /// ready; the sink's payload holds.
  void step() {
    offering_ = !source_.empty() && (offering_ || source_gate(cycle));
    const bool s_ready = device.s_ready();
    const Beat* m = device.m_beat();
    const bool m_ready = sink_gate(cycle);
    if (waiting_) {
      ASSERT_NE(m, nullptr) << "valid fell before ready in cycle " << cycle;
      ASSERT_EQ(*m, held_) << "payload changed before ready in cycle " << cycle;
    }
    if (s_ready) ready.push_back(cycle);
    if (m != nullptr) valid.push_back(cycle);
    if (m != nullptr && m_ready) left.push_back({cycle, *m});
    waiting_ = m != nullptr && !m_ready;
    if (waiting_) held_ = *m;

    const bool accept = offering_ && s_ready;
    const Beat s = offering_ ? source_.front() : Beat{};
    device.clock(offering_ ? &s : nullptr, m_ready);
    if (accept) {
      accepted.push_back(cycle);
      source_.pop_front();
      offering_ = false;
    }
    ++cycle;
  }

  void run(uint64_t cycles) {
    for (uint64_t i = 0; i < cycles && !testing::Test::HasFatalFailure(); ++i) step();
  }

  /// Until everything has been accepted and nothing has moved for a while.
  void drain() {
    uint64_t idle = 0;
    size_t before = accepted.size() + left.size();
    while ((!source_.empty() || idle < 50) && !testing::Test::HasFatalFailure()) {
      step();
      const size_t moved = accepted.size() + left.size();
      idle = moved == before ? idle + 1 : 0;
      before = moved;
      ASSERT_LT(idle, 10000u) << "hangs";
    }
  }

  void reset() {
    device.reset();
    source_.clear();
    offering_ = waiting_ = false;
    cycle = 0;
    ready.clear(), valid.clear(), accepted.clear(), left.clear();
  }

  Cycles left_cycles() const {
    Cycles cycles;
    for (const Departure& d : left) cycles.push_back(d.cycle);
    return cycles;
  }

  Device device;
  Gate source_gate = [](uint64_t) { return true; };
  Gate sink_gate = [](uint64_t) { return true; };
  uint64_t cycle = 0;
  Cycles ready, valid, accepted;  // cycles with s_tready, m_tvalid, s handshake
  std::vector<Departure> left;    // m handshakes

 private:
  std::deque<Beat> source_;
  bool offering_ = false;
  bool waiting_ = false;
  Beat held_;
};

/// first, first + 1, ... , last.
inline Cycles range(uint64_t first, uint64_t last) {
  Cycles cycles;
  for (uint64_t c = first; c <= last; ++c) cycles.push_back(c);
  return cycles;
}

}  // namespace gw::systemc
