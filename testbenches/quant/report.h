// What a quantiser makes of the gradients of a run: size, error, residuals.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <vector>

#include "models/reference/quant/quantiser.h"
#include "models/reference/quant/statistics.h"
#include "testbenches/kit/runner.h"
#include "testbenches/quant/options.h"

namespace gw::testbenches {

/// Adds `quantizer` (section 8 of the quantisers' specification). `residual` and `conservation` are
/// null of a run without residuals.
class QuantiserScore final : public Score<Beat> {
 public:
  QuantiserScore(const QuantiserFacts& facts, const ChunkSettings& settings);

  void left(const sim::Passage& passage, const sim::Packet<Beat>& packet) override;
  void report(nlohmann::json& sections) const override;

 private:
  bool drawn(std::string_view option) const;

  const QuantiserFacts& facts_;
  const ChunkSettings settings_;
  reference::quant::Quantiser quantiser_;
  reference::quant::Statistics statistics_;
  std::optional<sim::PacketConfig> first_;  ///< of the first packet
  std::vector<bool> drawn_;                 ///< pins that another packet has otherwise
  bool any_ = false;
  std::vector<uint8_t> packet_;
  std::vector<float> decoded_, values_;
};

}  // namespace gw::testbenches
