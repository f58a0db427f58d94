// Stall generators: when a source withholds valid and when a sink withholds ready.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/base/random.h"

namespace gw::sim {

/// What one side of a handshake may do for a while.
enum class StallKind : uint8_t {
  kNone,     ///< it never hesitates
  kPercent,  ///< in so many percent of the cycles, by chance
  kBursts,   ///< so many cycles running, then not for so many
  kOneIn,    ///< it moves in one cycle of N only
  kWaits,    ///< it waits until it has seen the other side: a source tready, a sink tvalid
};
inline constexpr size_t kStallKinds = 5;

/// Weights of what a side does, drawn anew for each port now and then.
struct StallWeights {
  static constexpr uint32_t kLongestBurst = 10'000, kLargestN = 1'000;

  std::array<double, kStallKinds> weights{};  ///< by StallKind; some are not 0
  uint32_t percent_from = 1, percent_to = 99;
  uint32_t burst_from = 1, burst_to = 64;
  std::vector<uint32_t> one_in = {2};  ///< N is one of these
};

/// The stalls of a run as they were, or as they are to be: a bit a cycle of each port. What drives
/// control ports hesitates by itself.
struct StallRecord {
  static constexpr uint64_t kWindow = 64;  ///< cycles

  /// kWindow cycles from kWindow * number on, the first in bit 0.
  struct Window {
    uint64_t number = 0, bits = 0;
    friend bool operator==(const Window&, const Window&) = default;
  };
  /// In order of time; in a window that is not there the port does not hesitate.
  using Side = std::vector<Window>;

  std::vector<Side> sources, sinks;  ///< by port

  bool none() const;
  friend bool operator==(const StallRecord&, const StallRecord&) = default;

  static uint64_t bits(const std::vector<Side>& sides, size_t port, uint64_t number);
  /// Of a window after those before it, or of the last one again.
  static void set(std::vector<Side>& sides, size_t port, uint64_t number, uint64_t bits);
};

/// What drove a run, noted while it goes on, so that another one can be driven by the same.
struct Recording {
  StallRecord stalls;
  std::vector<uint64_t> accepted;  ///< by packet: the cycle of its first beat's handshake
};

/// `--stall none|source:P|sink:P|both:P`, P in percent of the cycles, 1..99.
struct StallSpec {
  double source_percent = 0;
  double sink_percent = 0;
  /// In the place of percentages: by the weights of a random table.
  std::optional<StallWeights> source = {}, sink = {};
  /// In the place of both.
  std::shared_ptr<const StallRecord> recorded = {};

  /// Throws UsageError for anything else.
  static StallSpec parse(std::string_view text);
  std::string text() const;
  bool none() const {
    if (recorded != nullptr) return recorded->none();
    return source_percent <= 0 && sink_percent <= 0 && !source && !sink;
  }
};

/// One stall bit a cycle, drawn 64 cycles at a time.
class StallGenerator {
 public:
  StallGenerator(double percent, uint64_t seed) : random_(seed), p16_(percent_to_p16(percent)) {}

  /// The bits of the next 64 cycles, the first in bit 0.
  uint64_t next64() { return random_.bits(p16_); }

  static uint32_t percent_to_p16(double percent) {
    return static_cast<uint32_t>(percent * 655.36 + 0.5);
  }

 private:
  Random random_;
  uint32_t p16_;
};

/// The same of one port, by weights.
class StallPattern {
 public:
  /// `purpose` and `port` name its stream.
  StallPattern(StallWeights weights, uint64_t seed, std::string_view purpose, uint64_t port)
      : weights_(std::move(weights)), random_(seed, purpose, port) {}

  /// The bits of the next 64 cycles. Of a side that waits for the other all are set: `waits`.
  uint64_t next64();
  bool waits() const { return kind_ == StallKind::kWaits; }

 private:
  void choose();
  uint32_t between(uint32_t from, uint32_t to) { return from + random_.below(to - from + 1); }

  StallWeights weights_;
  Random random_;
  StallKind kind_ = StallKind::kNone;
  uint32_t windows_ = 0;  ///< of 64 cycles, until another kind is chosen
  uint32_t p16_ = 0, n_ = 1, at_ = 0;
  uint32_t run_ = 0;  ///< cycles left of this run of stalls, or of none
  bool stalled_ = false;
};

}  // namespace gw::sim
