// The reference quantiser as a follower of a run.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "models/reference/quant/quantiser.h"
#include "sim/harness/oracle.h"
#include "testbenches/quant/options.h"

namespace gw::testbenches {

/// A packet as a quantiser looks at it: the floats of which all bytes came, and what tuser says.
struct ChunkPacket {
  std::vector<float> values;
  reference::quant::Chunk chunk;  ///< of these values

  explicit ChunkPacket(const sim::Packet<Beat>& packet);
  ChunkPacket(const ChunkPacket&) = delete;
  ChunkPacket& operator=(const ChunkPacket&) = delete;
};

/// Which of a chunk's groups of eight values completes the packet's first beat of 32 bytes, by the
/// contracts' vectors; nothing if only the status does.
std::optional<size_t> completing_group(std::span<const uint8_t> packet,
                                       const reference::quant::ChunkReport& report);

class QuantiserOracle final : public sim::QueueOracle<Beat> {
 public:
  QuantiserOracle(const QuantiserFacts& facts, uint32_t rows)
      : QueueOracle(1), facts_(facts), quantiser_({}, rows) {}

  void arrives(size_t port, const sim::PacketRef<Beat>& packet) override;
  /// Packets that left as RAW, packets that left in error.
  std::vector<std::optional<uint32_t>> statistics() const override { return {raws_, errors_}; }

 private:
  const QuantiserFacts& facts_;
  reference::quant::Quantiser quantiser_;
  uint32_t raws_ = 0, errors_ = 0;
};

}  // namespace gw::testbenches
