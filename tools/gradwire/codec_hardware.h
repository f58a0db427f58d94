// What a device's hardware costs, for tables beside software.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace gw::tools {

/// `cycles_per_burst`: of the device's model on its first synthetic stimulus, if there is such a
/// device; `lut`: of its top by tools/synth, if that has been synthesised from this RTL before.
/// Areas are kept in `cache` (empty: the user's); `area`: synthesise what is not there, which takes
/// minutes. Throws UserError.
nlohmann::json hardware_figures(const std::string& device, const std::string& cache, bool area);

}  // namespace gw::tools
