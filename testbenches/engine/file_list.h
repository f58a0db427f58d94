// File lists of RTL (`-f`), as simulators know them.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace gw::testbenches {

struct FileList {
  std::vector<std::string> arguments;     ///< for Verilator, paths relative to the base folder
  std::vector<std::string> include_dirs;  ///< the folders that are searched, from the same
  std::vector<std::string> parameters;    ///< of the top, Name=value
};

/// Sources, +incdir+, +define+, +libext+, -y, -v, -I, -D, -G, -sv, comments, $VARIABLES and further
/// lists (-f, -F). Paths in a list are relative to its folder, those in the outermost one to `base`
/// if that is given; what is not there is looked for in the current folder. Throws InputError with
/// file and line.
FileList read_file_list(const std::filesystem::path& list, const std::filesystem::path& base = {});

}  // namespace gw::testbenches
