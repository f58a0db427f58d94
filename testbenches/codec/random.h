// Constrained-random traffic of the codec's devices: packets of floats, or of their groups.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "models/reference/codec.h"
#include "sim/feeds/random_table.h"
#include "sim/run/device.h"
#include "testbenches/kit/packet_pins.h"

namespace gw::testbenches {

/// What a table may say of packets of floats (compressor, codec_loop), of encoded ones.
const sim::RandomKind& random_floats();
const sim::RandomKind& random_groups();

/// Where values of a bound change their class.
sim::RandomValues::Classes classes_of(const reference::CodecConfig& config);

/// `stimulus.packets` packets (0: 256) by `stimulus.random`. `encoded`: groups.
std::unique_ptr<sim::Source> open_random_gradients(const sim::StimulusSpec& stimulus, uint64_t seed,
                                                   PacketPins pins, bool encoded);

}  // namespace gw::testbenches
