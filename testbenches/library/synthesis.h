// Areas and paths of RTL, made by tools/synth when they are asked for and kept as files.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace gw::testbenches {

/// The figures in FOLDER/NAME.json; null if there are none.
nlohmann::json kept_synthesis(const std::filesystem::path& folder, const std::string& name);

/// Runs `tool` (tools/synth/synth.sh) with these arguments; its figures become FOLDER/NAME.json,
/// its words NAME.log. Throws InputError with the last line that it said; UserError on Ctrl-C.
nlohmann::json synthesise(const std::string& tool, const std::vector<std::string>& arguments,
                          const std::filesystem::path& folder, const std::string& name);

}  // namespace gw::testbenches
