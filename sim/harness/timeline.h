// What a run left behind, packet by packet: every figure of the report comes from here, for every
// device and every engine. Sums are kept as the rows pass, so that memory does not grow with the
// run.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "models/axis/axi_lite.h"

namespace gw::sim {

/// One packet at one output port.
struct Passage {
  uint64_t id = 0;            ///< of the packet that made it
  uint32_t trace_number = 0;  ///< its number in the trace; 0: none
  bool measured = true;
  int64_t time_ns = 0;       ///< of the packet that made it: when it came
  bool made = true;          ///< a packet that went in made it; else it has no latency
  bool follows = false;      ///< its first beat waits for a certain beat that went in, `triggered`
  uint32_t in = 0, out = 0;  ///< ports
  uint32_t beats = 0, bytes = 0;             ///< as it left
  bool error = false;                        ///< tuser on its last beat
  uint64_t accepted = 0, accepted_last = 0;  ///< cycles of its maker's first and last beat
  uint64_t triggered = 0;
  uint64_t offered = 0;          ///< its first beat was shown
  uint64_t first = 0, last = 0;  ///< its first and last beat were taken
  static constexpr uint32_t kNoAction = UINT32_MAX;
  uint32_t action = kNoAction;  ///< as the packet that left says
  double ratio = 1;

  friend bool operator==(const Passage&, const Passage&) = default;
};

/// One write or read on a control port, answered.
struct Access {
  uint32_t port = 0;
  bool write = true;
  uint32_t address = 0;
  uint32_t data = 0;  ///< as it was written, or read
  uint8_t strb = 0;   ///< of a write
  AxiResponse response = AxiResponse::kOkay;
  uint64_t offered = 0;   ///< cycle of its first valid: awvalid, wvalid or arvalid
  uint64_t accepted = 0;  ///< all of the request was taken
  uint64_t answered = 0;  ///< its response was shown
  uint64_t taken = 0;     ///< its response was taken
  bool quiet = false;     ///< it waited for quiet and held packets back: none was on its way

  friend bool operator==(const Access&, const Access&) = default;
};

/// Cycles, counted.
class Distribution {
 public:
  void add(uint64_t value) {
    if (value < kDense) [[likely]] {
      ++dense_[value];
    } else {
      add_sparse(value);
    }
    ++n_;
    sum_ += value;
  }
  uint64_t n() const { return n_; }
  double mean() const { return static_cast<double>(sum_) / static_cast<double>(n_); }
  /// Values that occurred, rising, with their counts.
  std::vector<std::pair<uint64_t, uint64_t>> rows() const;

 private:
  static constexpr uint64_t kDense = 1024;
  void add_sparse(uint64_t value);
  std::array<uint64_t, kDense> dense_{};
  std::map<uint64_t, uint64_t> sparse_;
  uint64_t n_ = 0, sum_ = 0;
};

/// Packets by their bytes: how many, and the cycles that they took, each from the last beat of the
/// packet before it to its own.
class Sizes {
 public:
  struct Row {
    uint64_t packets = 0, cycles = 0;
    friend bool operator==(const Row&, const Row&) = default;
  };
  void add(uint64_t bytes, uint64_t cycles) {
    if (bytes >= kDense) [[unlikely]] {
      ++sparse_[bytes].packets;
      sparse_[bytes].cycles += cycles;
      return;
    }
    if (bytes >= dense_.size()) [[unlikely]]
      dense_.resize(std::bit_ceil(bytes + 1));
    ++dense_[bytes].packets;
    dense_[bytes].cycles += cycles;
  }
  /// Sizes that occurred, rising.
  std::vector<std::pair<uint64_t, Row>> rows() const;

 private:
  static constexpr uint64_t kDense = 16384;
  std::vector<Row> dense_;
  std::map<uint64_t, Row> sparse_;
};

/// Bytes in buckets of time; buckets grow as the run does.
class Series {
 public:
  /// n bytes moved from `cycle` on, within 64 cycles.
  void add(uint64_t cycle, uint64_t n) {
    while (cycle >> shift_ >= kBuckets) [[unlikely]] halve();
    buckets_[cycle >> shift_] += n;
  }
  uint64_t bucket_cycles() const { return uint64_t{1} << shift_; }
  uint64_t bucket(uint64_t i) const { return i < kBuckets ? buckets_[i] : 0; }

 private:
  static constexpr uint64_t kBuckets = 256;
  void halve();
  int shift_ = 6;
  std::array<uint64_t, kBuckets> buckets_{};
};

struct Timeline {
  struct Port {
    uint64_t packets = 0, beats = 0;
    uint64_t bytes = 0;            ///< of packets whose last beat has passed
    uint64_t underway = 0;         ///< bytes that have passed of the packet whose last beat has not
    uint64_t first = 0, last = 0;  ///< cycles of the first and last handshake
    /// Input: ready, a packet due, nothing offered. Output: offered, and the sink withholds ready.
    uint64_t environment_stalls = 0;
    /// Input: offered, not ready, and no output port shows a beat: a bubble.
    uint64_t device_stalls = 0;
    /// Output: offered, and the wire is busy with the packet before.
    uint64_t wire_stalls = 0;

    // Output: measured packets, from the first beat of the first to the first beat of the last.
    uint64_t measured = 0, measured_from = 0, measured_to = 0;
    uint64_t measured_bytes = 0;  ///< of all but the last
    uint32_t last_bytes = 0;

    friend bool operator==(const Port&, const Port&) = default;
  };

  /// The transactions of a control port.
  struct Control {
    uint64_t writes = 0, reads = 0;          ///< answered, whatever the answer
    uint64_t errors = 0;                     ///< of them with another response than OKAY
    Distribution write_cycles, read_cycles;  ///< from the first valid to the response
  };

  Timeline(size_t inputs, size_t outputs, size_t controls = 0)
      : in(inputs), out(outputs), control(controls) {}

  void add(const Passage& passage) {
    Port& port = out[passage.out];
    ++port.packets;
    port.bytes += passage.bytes;
    count_out(passage.bytes, passage.first, passage.last);
    if (passage.made) latency.add(passage.offered - passage.accepted);
    if (passage.made && passage.action != Passage::kNoAction) {
      if (passage.action >= latency_of.size()) latency_of.resize(passage.action + 1);
      latency_of[passage.action].add(passage.offered - passage.accepted);
    }
    if (passage.follows) pipeline_latency.add(passage.offered - passage.triggered);
    if (passage.measured) {
      if (port.measured == 0) {
        port.measured_from = passage.first;
      } else {
        port.measured_bytes += port.last_bytes;
      }
      ++port.measured;
      port.measured_to = passage.first;
      port.last_bytes = passage.bytes;
    }
    if (keep_rows) rows.push_back(passage);
  }

  void add(const Access& access) {
    Control& port = control[access.port];
    ++(access.write ? port.writes : port.reads);
    port.errors += access.response != AxiResponse::kOkay;
    (access.write ? port.write_cycles : port.read_cycles).add(access.answered - access.offered);
    if (keep_rows) accesses.push_back(access);
  }

  /// A packet of so many bytes has passed an input, or an output: cycles of its first and last
  /// beat.
  void count_in(uint64_t bytes, uint64_t first, uint64_t last) {
    sizes_in.add(bytes, since(end_in_, first, last));
  }
  void count_out(uint64_t bytes, uint64_t first, uint64_t last) {
    sizes_out.add(bytes, since(end_out_, first, last));
  }

  /// Of all ports of a direction.
  template <uint64_t Port::*kField>
  uint64_t sum_in() const {
    uint64_t sum = 0;
    for (const Port& port : in) sum += port.*kField;
    return sum;
  }
  template <uint64_t Port::*kField>
  uint64_t sum_out() const {
    uint64_t sum = 0;
    for (const Port& port : out) sum += port.*kField;
    return sum;
  }
  uint64_t bytes_in() const { return sum_in<&Port::bytes>() + sum_in<&Port::underway>(); }
  uint64_t bytes_out() const { return sum_out<&Port::bytes>() + sum_out<&Port::underway>(); }
  /// Cycles from the first handshake of any port of a direction to the last; 0 if there was none.
  static uint64_t window(const std::vector<Port>& ports);
  uint64_t packets_out() const { return sum_out<&Port::packets>(); }

  uint64_t cycles = 0;   ///< since reset, those skipped included
  uint64_t skipped = 0;  ///< not simulated: nothing could happen in them
  uint64_t lockstep_cycles = 0;
  std::vector<Port> in, out;
  std::vector<Control> control;
  Distribution latency, pipeline_latency;
  std::vector<Distribution> latency_of;  ///< by action, as far as there are any
  Sizes sizes_in, sizes_out;
  Series moved_in, moved_out;  ///< bytes
  bool keep_rows = false;
  std::vector<Passage> rows;
  std::vector<Access> accesses;

 private:
  /// Cycles since the packet before, of the first packet those since its first beat.
  static uint64_t since(uint64_t& end, uint64_t first, uint64_t last) {
    const uint64_t begin = end == 0 ? first : end;
    end = last + 1;
    return end - begin;
  }
  uint64_t end_in_ = 0, end_out_ = 0;  ///< the cycle after the last beat of a packet
};

}  // namespace gw::sim
