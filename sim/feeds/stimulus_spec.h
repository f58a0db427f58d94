// Which packets drive a run.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "sim/feeds/random_table.h"

namespace gw::sim {

struct Stimulus;

/// The name of a synthetic stimulus and what it is for.
struct SynthKind {
  const char* name;
  const char* summary;
  std::vector<std::string> options = {};  ///< of the options of stimuli, those that it uses
};

/// Which packets: of a capture, of a named synthetic stimulus, or drawn by a random table.
struct StimulusSpec {
  std::string trace = {};   ///< path, or empty
  std::string synth = {};   ///< name, or empty
  std::string filter = {};  ///< libpcap's expression; empty: the device's own choice
  std::shared_ptr<const RandomTable> random = {};  ///< in the place of a synthetic one; or null
  uint64_t packets = 0;                            ///< at most so many; 0: all
  /// In the place of all: what once drove a run, packet by packet (sim/feeds/stimulus.h); or null.
  std::shared_ptr<const Stimulus> recorded = {};
};

}  // namespace gw::sim
