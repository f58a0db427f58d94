// The reference of the devices that are fed with frames: one frame after the other through the
// untimed parser, aggregator and optimizer, and what there is to say about it in the report.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "models/reference/aggregator/aggregator.h"
#include "models/reference/expether/frame.h"
#include "models/reference/optimizer/bit_exact.h"
#include "models/reference/optimizer/textbook.h"
#include "sim/run/device.h"
#include "sim/stimulus.h"

namespace gw::testbenches {

/// Which blocks a device is made of; each has a parser in front.
struct Blocks {
  bool aggregator = false;
  bool optimizer = false;

  bool every_gradient_is_complete() const { return optimizer && !aggregator; }
};

/// m_axis_tuser as docs/devices/parser.md lays it out, of a frame that came in by `port`.
std::array<uint32_t, 6> meta_of(const reference::expether::Classified& what, int port);

class FrameReference {
 public:
  FrameReference(Blocks blocks, const sim::RunSpec& spec);

  struct Frame {
    std::vector<uint8_t> bytes;
    std::array<uint32_t, 6> meta{};
  };
  /// The frame as it leaves.
  Frame accept(std::span<const uint8_t> bytes, int port);

  /// Counters in the order of stat_o; without a value where they depend on time.
  std::vector<std::optional<uint32_t>> statistics() const;
  /// Their names, for messages and for the report.
  static std::vector<std::string> statistic_names(Blocks blocks);
  /// Sections `frames`, `malformed`, `aggregator`, `optimizer` of the report.
  nlohmann::json findings() const;

 private:
  void optimize(Frame& frame, const reference::expether::Classified& what);

  Blocks blocks_;
  sim::RunSpec spec_;
  std::array<uint32_t, reference::expether::kKindCount> kinds_{};
  std::array<uint32_t, reference::expether::kReasonCount> reasons_{};
  std::optional<reference::Aggregator> aggregator_;
  std::optional<reference::optimizer::BitExact> optimizer_;
  std::optional<reference::optimizer::Textbook> textbook_;
  uint32_t optimized_ = 0, out_of_range_ = 0;
  uint64_t values_ = 0;
  double ulp_sum_ = 0, ulp_max_ = 0;

  /// How far the optimizer is from the textbook, one iteration after the other.
  struct Drift {
    uint64_t values = 0;
    double sum = 0, max = 0;
  };
  std::vector<Drift> drift_;
};

/// The stimulus of a device with one stream: frames in, and what the blocks make of them.
sim::Stimulus frame_stimulus(Blocks blocks, const std::vector<std::vector<uint8_t>>& frames,
                             const sim::RunSpec& spec);

/// A beat of a frame in words: the header's fields on the first, values on the payload's.
std::string describe_frame(const sim::BeatStream& stream, size_t beat);

}  // namespace gw::testbenches
