// What two papers trained, scaled down to 10,000 images and two cores, and which of their results
// have the same shape here.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "tools/training/trainer.h"

namespace gw::training {

struct Preset {
  std::string name;
  TrainOptions options;
  size_t seeds = 1;
  std::vector<std::string> codecs;
};

/// tgs or mlhpc16; null if it is neither.
const Preset* find_preset(std::string_view name);

/// Adds "preset" to the document of a session of that preset's codecs: {"paper", "tables":
/// [{"title", "columns", "cells"}], "shapes": [{"shape", "verdict", "why"}]}; verdict is "holds",
/// "does not hold" or "cannot be asked". Where a codec has diverged, shapes that need it do not
/// hold, and say so.
void judge_preset(std::string_view name, nlohmann::json& document);

std::string preset_text(const nlohmann::json& document);

/// Share of values that BGT sends of matrices whose values are drawn afresh, uniform in
/// +-range, by trial: residuals build up (Dryden et al., Figure 2).
std::vector<double> build_up(double range, double threshold, size_t values, size_t trials,
                             uint64_t seed);

}  // namespace gw::training
