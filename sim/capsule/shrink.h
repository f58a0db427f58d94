// Delta debugging of a stimulus: what is not needed for a failure is taken out, piece by piece,
// until nothing goes. It knows nothing of devices: a test says whether a failure is still the same.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "sim/feeds/stimulus.h"

namespace gw::sim::capsule {

/// What a stimulus is of.
struct ShrinkFacts {
  size_t beat_bytes = 32;
  size_t least_bytes = 0;  ///< no packet is cut below it
  double clock_mhz = 100;
  std::vector<std::string> settings = {};  ///< that can be at their defaults, in words
};

/// A stimulus, and which of the settings are at their defaults.
struct ShrinkCase {
  Stimulus stimulus;
  std::vector<bool> plain;
};

/// What was taken out, one kind of thing after another.
struct ShrinkStep {
  std::string what;   ///< "packets: 200 to 2"
  uint64_t runs = 0;  ///< tried for it
};

struct ShrinkResult {
  ShrinkCase smallest;
  std::vector<ShrinkStep> steps;
  uint64_t runs = 0;
  double seconds = 0;
  bool complete = false;  ///< nothing more goes; else time was up, or it was stopped
};

struct ShrinkOptions {
  /// The failure is the same with this.
  std::function<bool(const ShrinkCase&)> test;
  double seconds = 60;                                                  ///< at most
  std::function<bool()> stopped = {};                                   ///< Ctrl-C
  std::function<void(const ShrinkCase&, uint64_t runs)> progress = {};  ///< now and then
  /// The cycle in which each packet was accepted; of those after them none was.
  std::vector<uint64_t> accepted = {};
  double run_seconds = 0;  ///< what a run of all of it takes
};

/// `whole` fails.
ShrinkResult shrink(ShrinkCase whole, const ShrinkFacts& facts, const ShrinkOptions& options);

/// The stalls without their first cycles.
StallRecord later(const StallRecord& stalls, uint64_t cycles);
/// How many cycles of all ports it stalls.
uint64_t count(const StallRecord& stalls);

}  // namespace gw::sim::capsule
