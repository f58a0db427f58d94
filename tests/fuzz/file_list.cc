// Any bytes as a list of RTL files, which may name itself.
// SPDX-License-Identifier: Apache-2.0
#include "testbenches/library/file_list.h"

#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "sim/base/error.h"
#include "tests/fuzz/input.h"

namespace fs = std::filesystem;

namespace {

// A folder of this process, with one list in it.
struct Folder {
  Folder() : path(fs::temp_directory_path() / ("gradwire-fuzz-" + std::to_string(getpid()))) {
    fs::create_directories(path);
  }
  ~Folder() {
    std::error_code ignored;
    fs::remove_all(path, ignored);
  }
  fs::path path;
};

}  // namespace

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const Folder folder;
  const fs::path list = folder.path / "a.f";
  std::ofstream(list, std::ios::binary)
      .write(reinterpret_cast<const char*>(data), static_cast<std::streamsize>(size));
  try {
    const gw::testbenches::FileList read = gw::testbenches::read_file_list(list);
    for (const gw::testbenches::FileList::Item& item : read.items) {
      gw::fuzz::require(!item.text.empty(), "an item of nothing");
    }
  } catch (const gw::sim::UserError& e) {
    gw::fuzz::require(*e.what() != 0, "a refusal without a sentence");
  }
  return 0;
}
