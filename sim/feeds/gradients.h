// Where gradients come from: a captured trace, or a named synthetic stimulus.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "sim/run/device.h"

namespace gw::sim {

struct GradientSource {
  std::vector<GradientPacket> packets;
  /// The report's `trace` section: file, packets, selected, skipped {reason: n}.
  nlohmann::json trace;
  std::string trace_path;  // empty for a synthetic stimulus
  /// Set when the file ended early: what was read before is above, this says what is missing.
  std::string incomplete;
};

/// Marked TCP/UDP payloads of a capture, at most `limit` of them (0: all). Throws InputError if
/// nothing can be read.
GradientSource load_trace(const std::string& path, uint64_t limit);

/// The names of the synthetic stimuli and what each is for.
struct SynthKind {
  const char* name;
  const char* summary;
};
const std::vector<SynthKind>& synth_kinds();

/// `limit` packets (0: 256) of the named kind. Throws UsageError for an unknown name.
GradientSource synthesise(const std::string& name, uint64_t seed, uint64_t limit);

}  // namespace gw::sim
