// What a run feeds to a device and what the reference says must come out, laid out for the hot
// loop.
#pragma once

#include <array>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <vector>

#include "models/axis/beat.h"

namespace gw::sim {

/// The beats of one direction of one port, packet after packet.
struct BeatStream {
  std::vector<Beat> beats;
  std::vector<uint64_t> packet_begin;  // index of each packet's first beat

  size_t packets() const { return packet_begin.size(); }
  size_t packet_end(size_t p) const {
    return p + 1 < packet_begin.size() ? packet_begin[p + 1] : beats.size();
  }
  /// The packet a beat belongs to.
  size_t packet_of(size_t beat) const;
  /// Valid bytes of the first n beats.
  uint64_t bytes(size_t n) const;

  void append(std::span<const Beat> packet);
  /// Cuts bytes into beats: full ones, then one cut short by tkeep; unused bytes are zero.
  void append_bytes(std::span<const uint8_t> bytes, bool user = false,
                    const std::array<uint32_t, 6>& meta = {});
};

/// One input, one output, in order: what a run of a device needs.
struct Stimulus {
  BeatStream input;
  BeatStream expected;
  /// For each packet, the index within it of the input beat that completes its first output beat.
  std::vector<uint32_t> trigger;
  /// For each packet, its number in the trace, 1-based as packet analysers count (0: none).
  std::vector<uint32_t> trace_number;
  /// What the device's counters must say in the end; those that depend on time are only compared
  /// between engines.
  std::vector<std::optional<uint32_t>> expected_statistics;
  /// What the reference found on its way, as sections of the report.
  nlohmann::json findings = nlohmann::json::object();
  /// The input breaks the stream profile on purpose (negative tests): do not check it.
  bool breaks_profile = false;
};

/// The valid bytes of one packet's beats.
std::vector<uint8_t> packet_bytes(std::span<const Beat> beats);

}  // namespace gw::sim
