// What a quantiser makes of the gradients of a run: size, error, residuals.
#pragma once

#include <nlohmann/json.hpp>
#include <vector>

#include "models/reference/quant/quantiser.h"
#include "models/reference/quant/statistics.h"
#include "testbenches/engine/runner.h"

namespace gw::testbenches {

/// Adds `quantizer` (section 8 of the quantisers' specification). `residual` and `conservation` are
/// null of a run without residuals.
class MxScore final : public Score<Beat> {
 public:
  MxScore(const reference::quant::Config& config, uint32_t rows);

  void left(const sim::Passage& passage, const sim::Packet<Beat>& packet) override;
  void report(nlohmann::json& sections) const override;

 private:
  reference::quant::Quantiser quantiser_;
  reference::quant::Statistics statistics_;
  bool any_ = false;
  std::vector<uint8_t> packet_;
  std::vector<float> decoded_, values_;
};

}  // namespace gw::testbenches
