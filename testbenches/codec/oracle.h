// The reference codec as a follower of a run.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "models/reference/codec.h"
#include "sim/harness/oracle.h"

namespace gw::testbenches {

/// The configuration that a packet carries (packet_config).
reference::CodecConfig config_of(const sim::Packet<Beat>& packet);

/// The floats of a packet as the compressor looks at them: of the last beat a lane whose four bytes
/// are not all kept is 0, before it all lanes count.
struct Lanes {
  std::vector<uint32_t> values;
  bool broken = false;  ///< the last beat's tkeep is not whole lanes from byte 0: in error
};
Lanes lanes_of(const sim::Packet<Beat>& packet);

class CompressorOracle : public sim::QueueOracle<Beat> {
 public:
  CompressorOracle() : QueueOracle(1) {}
  void arrives(size_t port, const sim::PacketRef<Beat>& packet) override;
};

class DecompressorOracle : public sim::QueueOracle<Beat> {
 public:
  DecompressorOracle() : QueueOracle(1) {}
  void arrives(size_t port, const sim::PacketRef<Beat>& packet) override;
};

/// Compressor and decompressor, one behind the other: what comes out of both.
class LoopOracle final : public sim::QueueOracle<Beat> {
 public:
  LoopOracle() : QueueOracle(1) {}
  void arrives(size_t port, const sim::PacketRef<Beat>& packet) override;

 private:
  CompressorOracle compressor_;
  DecompressorOracle decompressor_;
};

}  // namespace gw::testbenches
