// traces/manifest.json from what the workers left.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

namespace gw::capture {

/// Reads run.json, NAME.json and NAME.pcap of a folder and `sums` (what sha256sum printed), writes
/// manifest.json and removes run.json and NAME.json. Throws std::runtime_error.
void write_manifest(const std::filesystem::path& folder, const std::filesystem::path& sums,
                    const std::string& command);

}  // namespace gw::capture
