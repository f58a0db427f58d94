// Constrained-random traffic of the quantisers: chunks with their rows and announced lengths.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "sim/feeds/random_table.h"
#include "sim/run/device.h"
#include "testbenches/quant/options.h"

namespace gw::testbenches {

/// What a table may say of chunks.
const sim::RandomKind& random_chunks();

/// Gives rows to chunks that have none: the running sum of rows a flow, back to 0 where a chunk
/// would not fit.
class RunningRows {
 public:
  explicit RunningRows(uint32_t rows) : rows_(rows) {}
  uint32_t next(size_t flow, size_t values);

 private:
  uint32_t rows_;
  std::vector<uint32_t> next_;  // by flow
};

/// `stimulus.packets` packets (0: 256) by `stimulus.random`.
std::unique_ptr<sim::Source> open_random_chunks(const sim::StimulusSpec& stimulus, uint64_t seed,
                                                const QuantiserFacts& facts,
                                                const ChunkSettings& settings, PacketPins pins);

}  // namespace gw::testbenches
