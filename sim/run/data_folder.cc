// SPDX-License-Identifier: Apache-2.0
#include "sim/run/data_folder.h"

#include <fmt/format.h>

#include "sim/base/error.h"

namespace gw::sim {

namespace fs = std::filesystem;

const fs::path& data_folder() {
  static const fs::path found = [] {
    std::error_code error;
    const fs::path program = fs::read_symlink("/proc/self/exe", error);
    for (fs::path at = program; at.has_relative_path();) {
      at = at.parent_path();
      const fs::path data = at / "share" / "gradwire";
      if (fs::exists(data / "rtl", error)) return fs::canonical(data);
    }
    throw InputError(
        fmt::format("the program's own files are missing: there is no share/gradwire beside '{}' "
                    "or in a folder above",
                    program.parent_path().string()));
  }();
  return found;
}

}  // namespace gw::sim
