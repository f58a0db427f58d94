// Files that are read as a whole: one way for all, for a folder, a file without rights and one that
// is not there are ordinary mistakes.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace gw::sim {

/// What is in the file; nothing if it cannot be read, and errno says why.
std::optional<std::string> bytes_if_readable(const std::filesystem::path& path);

/// What is in the file. `what` names its kind in the sentence ("the state file"). Throws
/// InputError.
std::string bytes_of_file(const std::filesystem::path& path, const std::string& what = "");

}  // namespace gw::sim
