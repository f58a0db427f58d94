// The quantisers' options, and what pins, options and reference call the same thing.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "models/reference/quant/quantiser.h"
#include "sim/base/options.h"
#include "sim/base/random.h"
#include "sim/harness/packet.h"
#include "testbenches/kit/packet_pins.h"

namespace gw::testbenches {

/// How a run sets a quantiser.
struct ChunkSettings {
  sim::PacketConfig config{};  ///< as it goes with a packet: a word a pin of the device
  uint32_t rows = 0;           ///< of the residual memory
};

/// What one quantiser means by its options and pins.
struct QuantiserFacts {
  /// What its packets may be, beside RAW.
  std::vector<reference::quant::Method> methods;
  size_t residual_pin;                    ///< place of residual_i in a packet's configuration
  std::optional<size_t> threshold_pin{};  ///< that of T, if there is one
  std::vector<sim::Option> options;
  /// Throws UsageError.
  ChunkSettings (*settings)(const sim::OptionSet& options);
  /// What the reference makes of a packet's pins.
  reference::quant::Config (*config)(const sim::PacketConfig& pins, uint32_t rows);
  PinFacts pins;
};

const QuantiserFacts& mx_facts();
const QuantiserFacts& threshold_facts();
const QuantiserFacts& onebit_facts();
const QuantiserFacts& adaptive_facts();

}  // namespace gw::testbenches
