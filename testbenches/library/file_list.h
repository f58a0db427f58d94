// File lists of RTL (`-f`), read as `verilator -f` reads them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace gw::testbenches {

/// What a list names, in its order. Paths are relative to `base`.
struct FileList {
  enum class Kind : uint8_t {
    kSource,         ///< Verilog, or a file of Verilator's settings (.vlt)
    kLibraryFile,    ///< -v
    kLibraryFolder,  ///< -y
    kIncludeFolder,  ///< +incdir+
    kDefine,         ///< NAME or NAME=value
    kExtensions,     ///< +libext+...
    kOption,         ///< a word that is passed to Verilator as it is
    kC,              ///< C or C++ of DPI
  };
  struct Item {
    Kind kind;
    std::string text;
  };
  std::filesystem::path base;
  std::vector<Item> items;
  std::vector<std::string> parameters;           ///< of the top, Name=value
  std::vector<std::string> c_flags, link_flags;  ///< words of -CFLAGS and -LDFLAGS

  std::vector<std::string> all(Kind kind) const;
  /// The folders that are searched for headers and modules.
  std::vector<std::string> searched() const;
  /// Everything but parameters and C, in Verilator's words.
  std::vector<std::string> verilator_words() const;
  /// Sets a macro or a parameter (NAME=value), in the place of what the list says.
  void define(const std::string& macro);
  void set(const std::string& parameter);
  /// The same list as text, each path as `place` gives it.
  std::string text(const std::function<std::string(const Item&)>& place) const;
};

struct ListFolders {
  /// Paths of the outermost list are relative to it; empty: the list's own folder.
  std::filesystem::path base = {};
  /// Searched last, for lists that began as a copy of one of gradwire's; empty: nothing is.
  std::filesystem::path last = {};
};

/// Reads a list, or takes a source file (.v, .sv) for a list of one. A path is looked for from the
/// list's folder (in a list that -f names: from the outer list's folder, then from its own), the
/// current folder, the folders above the list, and `last`. Throws InputError with file and line.
FileList read_file_list(const std::filesystem::path& list, const ListFolders& folders = {});

/// A word as a list must have it to be read as this text.
std::string list_word(std::string_view text);

}  // namespace gw::testbenches
