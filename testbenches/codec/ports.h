// The streams of compressor and decompressor (docs/devices).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include "models/axis/beat.h"
#include "sim/harness/port.h"

namespace gw::testbenches {

struct CodecStreams {
  using Beat = gw::Beat;
  static constexpr std::array<sim::Port, 1> kInputs = {{{.name = "s_axis", .bundle = "s_axis"}}};
  static constexpr std::array<sim::Port, 1> kOutputs = {{{.name = "m_axis", .bundle = "m_axis"}}};
  static constexpr uint64_t kEvents = 0;
  static constexpr uint64_t kSettles = 0;  // never without input while there is any
};

/// With the raw pins of a packet.
struct CodecPorts : CodecStreams {
  /// A packet's configuration: k of the bound 2^-k, mode bounded.
  static constexpr std::array<sim::Pin, 2> kPinsOfPacket = {{{"bound_i", 4}, {"bounded_i", 1}}};
};

}  // namespace gw::testbenches
