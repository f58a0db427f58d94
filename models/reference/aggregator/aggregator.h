// Gradient aggregation of the optimizer switch (IEICE'21, section 3.3; switch.md, section 3).
//
// One slot a sequence number: 32 binary32 accumulators, the iteration they are of, a bitmap of the
// workers seen. For a packet, the first line that applies decides:
//
//   condition                               action          slot              packet leaves with
//   group is not the switch's               other_group     untouched         its own values
//   worker >= W                             bad_worker      untouched         its own values
//   sequence >= depth                       out_of_range    untouched         its own values
//   slot empty, or iteration is newer       first           overwritten       its own values
//   iteration is older                      stale           untouched         its own values
//   worker's bit is set                     duplicate       untouched         the sum so far
//   else                                    added           values added      the sum so far
//
//   * first copies the bits, NaN payloads and subnormals included; the adder is not in the way.
//     Lanes at and beyond the packet's count become +0. If the iteration before was not complete,
//     the slot is abandoned, which is counted.
//   * added is slot + packet, one addition per lane below the packet's count, in order of arrival,
//     as fp::add does it. Other lanes stay. A packet leaves with as many values as it came with.
//   * complete is set on the one packet that brings the last of the W workers in (with W = 1, on
//     each first). A duplicate is never marked, even of a complete sum: the optimizer would step
//     twice. Whoever optimises goes by this mark, beside the packet, never by the flag that a frame
//     arrived with.
//     A duplicate that arrives after completion therefore carries the gradient sum to where the
//     host already has new parameters. The specification wants it so; the type tells the host.
//   * Iterations are compared as serial numbers (RFC 1982 in 32 bits): a is newer than b if
//     (a - b) mod 2^32 is 1 .. 2^31 - 1. At a distance of exactly 2^31 neither is newer; it counts
//     as older.
//   * A sequence number beyond the memory is not reduced modulo its depth: two would then share a
//     slot and their sums be wrong without a sign of it. It passes through and is counted.
//   * Parameter packets do not come here.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "models/reference/expether/frame.h"
#include "models/reference/optimizer/fp.h"

namespace gw::reference {

inline constexpr std::size_t kLanes = expether::kMaxValues;
inline constexpr int kMaxWorkers = 16;

/// Serial number comparison of iterations, see above.
constexpr bool is_newer(std::uint32_t a, std::uint32_t b) {
  const std::uint32_t ahead = a - b;
  return ahead != 0 && ahead < 0x8000'0000;
}

struct AggregatorConfig {
  int workers = 1;  ///< W, 1..16
  std::uint16_t group = 0;
  std::size_t depth = 1024;  ///< slots, 1 or more
  fp::Subnormal subnormal = fp::Subnormal::kFlush;
};

/// What was done with a packet. The names (name_of) are stable: reports count by them.
enum class Aggregation : std::uint8_t {
  kFirst,       ///< first
  kAdded,       ///< added
  kDuplicate,   ///< duplicate
  kStale,       ///< stale
  kOutOfRange,  ///< out_of_range
  kBadWorker,   ///< bad_worker
  kOtherGroup,  ///< other_group
};
inline constexpr std::size_t kAggregationCount = 7;
std::string_view name_of(Aggregation action);

struct GradientPacket {
  std::uint16_t group = 0;
  std::uint16_t worker = 0;
  std::uint32_t sequence = 0;
  std::uint32_t iteration = 0;
};

class Aggregator {
 public:
  struct Slot {
    bool valid = false;
    std::uint32_t iteration = 0;
    std::uint16_t workers = 0;  ///< bit w: worker w was seen
    std::array<std::uint32_t, kLanes> sum{};

    friend bool operator==(const Slot&, const Slot&) = default;
  };
  struct Outcome {
    Aggregation action = Aggregation::kFirst;
    bool complete = false;

    friend bool operator==(const Outcome&, const Outcome&) = default;
  };
  struct Counters {
    std::array<std::uint64_t, kAggregationCount> by_action{};
    std::uint64_t complete = 0;
    std::uint64_t abandoned = 0;  ///< slots overwritten before all workers were in

    std::uint64_t of(Aggregation action) const {
      return by_action[static_cast<std::size_t>(action)];
    }
    friend bool operator==(const Counters&, const Counters&) = default;
  };

  /// Aborts on a configuration that no hardware has.
  explicit Aggregator(const AggregatorConfig& config);

  /// One packet with 1 to 32 values, which become what the packet leaves with.
  Outcome accept(const GradientPacket& packet, std::span<std::uint32_t> values);

  /// A frame as it passes the block: a gradient frame is accepted and, if first, added or
  /// duplicate, gets its new payload, flag kFlagComplete as the outcome says, and checksum. All
  /// other frames leave as they came (what they are is in the result).
  struct FrameOutcome {
    expether::Classified classified;  ///< as it came
    Outcome outcome;                  ///< only of gradient frames
  };
  FrameOutcome accept_frame(std::span<std::uint8_t> frame);

  const AggregatorConfig& config() const { return config_; }
  const Counters& counters() const { return counters_; }
  const Slot& slot(std::size_t sequence) const { return slots_.at(sequence); }

 private:
  Outcome decide(const GradientPacket& packet, std::span<std::uint32_t> values);

  AggregatorConfig config_;
  std::vector<Slot> slots_;
  Counters counters_;
};

}  // namespace gw::reference
