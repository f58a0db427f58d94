// Folders as zip files.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

namespace gw::sim::capsule {

/// All files of the folder, below the folder's own name. Throws InputError.
void zip_folder(const std::filesystem::path& folder, const std::filesystem::path& file);

/// Everything in the zip file, below `folder`, which is made. Throws InputError, with one sentence,
/// for a file that is none, that is cut or damaged, that would write elsewhere or too much.
void unzip(const std::filesystem::path& file, const std::filesystem::path& folder);

}  // namespace gw::sim::capsule
