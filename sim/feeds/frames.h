// Ethernet frames for the devices of the optimizer switch: from a capture, or synthesised.
//
// No public capture of ExpEther exists; frames are made from captured gradients in the layout of
// models/reference/expether/frame.h, by seed, with as much loss, duplication, reordering and
// foreign traffic as asked for.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "sim/feeds/gradients.h"

namespace gw::sim {

struct Frame {
  std::vector<uint8_t> bytes;  ///< without FCS
  int port = 0;                ///< of the switch, 0..3, that it comes in by
  int64_t time_ns = 0;         ///< when its preamble begins on the wire
  uint32_t trace_number = 0;   ///< 1-based number in the trace; 0: none
  bool measured = true;        ///< false: before the switch has learned where everyone is
};

struct FrameSource {
  std::vector<Frame> frames;  ///< in order of time
  nlohmann::json trace;       ///< the report's `trace` section
  std::string trace_path;     ///< empty for a synthetic stimulus
  std::string incomplete;     ///< what is missing, when the file ended early
};

struct TrafficOptions {
  std::string gradients_trace;  ///< capture whose marked gradients fill the frames; empty: random
  int workers = 3;              ///< 1..16
  uint32_t iterations = 4;
  uint32_t sequences = 16;
  uint32_t first_iteration = 1;
  uint16_t group = 1;
  uint16_t vlan = 10;
  /// Of `workers` only. Percent of the frames, 0..100: lost; sent twice, at once, up to eight
  /// frames later, or so much and an iteration later (stale); swapped with one up to eight frames
  /// behind it; and, per frame, one more that is malformed, or foreign.
  double loss = 0, duplicate = 0, reorder = 0, malformed = 0, foreign = 0;

  /// Throws UsageError naming the option that is out of range.
  void check() const;
};

/// Every Ethernet frame of a capture, at most `limit` (0: all). Ports are given to source MACs in
/// the order of their first appearance, modulo 4. Short frames are padded to 60 bytes as a MAC
/// does, and counted; truncated ones, runts (no Ethernet header) and those above 9,018 bytes are
/// skipped and counted. On a port, frames never come faster than 10GbE carries them. Of a capture
/// of synthesised frames it gives back the frames, ports and times. Throws InputError if nothing
/// can be read.
FrameSource load_frames(const std::string& path, uint64_t limit);

/// The names of the synthetic stimuli of frames and what each is for.
const std::vector<SynthKind>& frame_synth_kinds();

/// The named kind, of at most `limit` frames behind the warm-up (0: what the options make, or
/// 1,024). Host and stations are numbered so that a station's number modulo 4 is its port; worker w
/// is on port 1 + w % 3, the host on port 0. Times are whole nanoseconds, rounded down, of
/// frames that are as close as 10GbE allows. Of `workers`, unless `limit` cut it, trace["faults"]
/// counts lost, duplicated, reordered (swaps), malformed and foreign frames. `incomplete` says so
/// when the capture of gradients ended early. Throws UsageError for an unknown name.
FrameSource synthesise_frames(const std::string& name, uint64_t seed, uint64_t limit,
                              const TrafficOptions& options);

}  // namespace gw::sim
