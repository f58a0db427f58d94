// Where gradients come from, packet by packet: a captured trace, or a named synthetic stimulus.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sim/base/options.h"
#include "sim/feeds/source.h"
#include "sim/feeds/stimulus_spec.h"

namespace gw::sim {

/// A packet's gradient values as they were found in a trace or synthesised.
struct GradientPacket {
  std::vector<uint32_t> values;  // binary32 bit patterns
  uint32_t trace_number = 0;     // 1-based number in the trace; 0: none
  size_t flow = 0;               // of the trace, in the order of appearance
  std::vector<uint8_t> bytes{};  // in the values' place: a payload that is encoded already
};

/// Packet by packet, each read or made when it is asked for: memory does not grow with their
/// number.
class Gradients {
 public:
  virtual ~Gradients() = default;
  virtual std::optional<GradientPacket> next() = 0;
  /// Of what was asked for; whole once `next` has said that there are no more.
  virtual const SourceFacts& facts() const { return facts_; }
  /// Why there is none, and what to do, as the end of a sentence; empty if nothing is known.
  virtual std::string none() const { return ""; }
  /// How many packets there will be, as far as can be said by now; 0: unknown.
  virtual uint64_t expected() const = 0;

 protected:
  mutable SourceFacts facts_;
};

/// Marked TCP/UDP payloads of a capture, or, with a filter, of the packets that it lets through;
/// read and chosen as the options of captures say (sim/feeds/captures.h), those that there are.
/// What is remembered of the packets before are flows (capture::Selector). Throws InputError if
/// nothing can be read, UsageError for a wrong filter.
std::unique_ptr<Gradients> open_trace(const StimulusSpec& stimulus, const OptionSet& options = {});

/// The names of the synthetic stimuli and what each is for.
const std::vector<SynthKind>& synth_kinds();

/// `packets` packets (0: 256) of the named kind. Throws UsageError for an unknown name.
std::unique_ptr<Gradients> synthesise(const std::string& name, uint64_t seed, uint64_t packets);

/// The one of these that the stimulus names. Throws InputError if it holds no gradients.
std::unique_ptr<Gradients> open_gradients(const StimulusSpec& stimulus, uint64_t seed,
                                          const OptionSet& options = {});

/// All there are.
std::vector<GradientPacket> read_all(Gradients& gradients);

}  // namespace gw::sim
