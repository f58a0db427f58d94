// Where the program's RTL, captures and synthesis tools lie.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

namespace gw::sim {

/// The folder with `rtl`, `traces` and `tools`: share/gradwire beside the program's folder or
/// above, which an installation has, and a build folder, there a link to the source tree. Throws
/// InputError if there is none.
const std::filesystem::path& data_folder();

}  // namespace gw::sim
