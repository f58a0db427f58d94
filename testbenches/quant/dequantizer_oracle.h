// The reference decoder as a follower of a run, and what it saw.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <vector>

#include "models/reference/quant/decoder.h"
#include "sim/harness/oracle.h"
#include "testbenches/kit/runner.h"

namespace gw::testbenches {

class DequantizerOracle final : public sim::QueueOracle<Beat> {
 public:
  DequantizerOracle() : QueueOracle(1) {}

  void arrives(size_t port, const sim::PacketRef<Beat>& packet) override;
  /// Malformed packets, reason by reason; packets that left in error.
  std::vector<std::optional<uint32_t>> statistics() const override;

 private:
  std::array<uint32_t, reference::quant::kReasons - 1> malformed_{};
  uint32_t errors_ = 0;
};

/// Adds `dequantizer`: packets by format and coding, malformed ones by reason, what was sent.
class DequantizerScore final : public Score<Beat> {
 public:
  void left(const sim::Passage& passage, const sim::Packet<Beat>& packet) override;
  void report(nlohmann::json& sections) const override;

 private:
  std::map<std::string, uint64_t> formats_, malformed_;
  uint64_t packets_ = 0, values_ = 0, entries_ = 0, bytes_ = 0;
};

}  // namespace gw::testbenches
