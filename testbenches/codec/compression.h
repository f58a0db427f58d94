// What the codec makes of the gradients of a run: tags, ratio, error, and the baselines beside it.
#pragma once

#include <nlohmann/json.hpp>
#include <vector>

#include "models/reference/codec.h"
#include "sim/run/device.h"

namespace gw::sim {

/// Adds `compression`, `baselines`, `paper` and the plots of the values to a report.
void add_compression(nlohmann::json& report, const std::vector<GradientPacket>& packets,
                     const reference::CodecConfig& config);

}  // namespace gw::sim
