// The reference quantiser as a follower of a run.
#pragma once

#include <vector>

#include "models/reference/quant/quantiser.h"
#include "sim/harness/oracle.h"

namespace gw::testbenches {

/// A packet as a quantiser looks at it: the floats of which all bytes came, and what tuser says.
struct ChunkPacket {
  std::vector<float> values;
  reference::quant::Chunk chunk;  ///< of these values

  explicit ChunkPacket(const sim::Packet<Beat>& packet);
  ChunkPacket(const ChunkPacket&) = delete;
  ChunkPacket& operator=(const ChunkPacket&) = delete;
};

class MxOracle final : public sim::QueueOracle<Beat> {
 public:
  explicit MxOracle(uint32_t rows) : QueueOracle(1), quantiser_({}, rows) {}

  void arrives(size_t port, const sim::PacketRef<Beat>& packet) override;
  /// Packets that left as RAW, packets that left in error.
  std::vector<std::optional<uint32_t>> statistics() const override { return {raws_, errors_}; }

 private:
  reference::quant::Quantiser quantiser_;
  uint32_t raws_ = 0, errors_ = 0;
};

}  // namespace gw::testbenches
