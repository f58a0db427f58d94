// What goes into the decoder: packets that the reference's quantisers make of a run's gradients,
// and constrained-random ones, malformed for every reason there is.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "models/reference/quant/decoder.h"
#include "models/reference/quant/quantiser.h"
#include "sim/feeds/random_table.h"
#include "sim/run/device.h"
#include "testbenches/kit/packet_pins.h"

namespace gw::testbenches {

struct DequantizerSettings {
  std::vector<reference::quant::Config> codecs;  ///< each packet is of one of them
  uint32_t limit = 0;                            ///< the pin
};

const std::vector<sim::Option>& dequantizer_options();
/// Throws UsageError.
DequantizerSettings dequantizer_settings(const sim::OptionSet& options);

/// The limit is a packet's own.
const PinFacts& dequantizer_pins();

/// The stimulus's gradients, encoded, or, with --encoded, a capture's packets as they are; which
/// codec a packet gets, its number and the seed say.
std::unique_ptr<sim::Source> open_packets(const sim::StimulusSpec& stimulus, uint64_t seed,
                                          const DequantizerSettings& settings, PacketPins pins,
                                          const sim::OptionSet& options);

/// What a table may say of packets.
const sim::RandomKind& random_packets();

/// Breaks a well-formed packet so that it is malformed for this reason, or for one before it where
/// the packet has no room for it (of a payload: in one of several ways). `kLimit` is the pin's to
/// do.
void spoil_packet(std::vector<uint8_t>& packet, reference::quant::Reason reason,
                  sim::Random& random);

}  // namespace gw::testbenches
