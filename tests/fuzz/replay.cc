// Runs a fuzz target over files and folders of inputs, without a fuzzer: its corpus as an ordinary
// test. Prints how many there were; a finding aborts, after naming the file.
// SPDX-License-Identifier: Apache-2.0
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "tests/fuzz/input.h"

namespace fs = std::filesystem;

namespace {

std::string current;

size_t replay(const fs::path& path) {
  if (fs::is_directory(path)) {
    std::vector<fs::path> files(fs::directory_iterator(path), fs::directory_iterator{});
    std::ranges::sort(files);
    size_t count = 0;
    for (const fs::path& file : files) count += replay(file);
    return count;
  }
  std::ifstream in(path, std::ios::binary);
  const std::vector<char> bytes(std::istreambuf_iterator<char>(in), {});
  if (!in.good() && !in.eof()) {
    std::fprintf(stderr, "replay: %s cannot be read.\n", path.c_str());
    std::exit(2);
  }
  current = path.string();
  LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size());
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: %s FILE|FOLDER...\n", argv[0]);
    return 2;
  }
  std::signal(SIGABRT, [](int) {
    std::fprintf(stderr, "while running %s\n", current.c_str());
    std::signal(SIGABRT, SIG_DFL);
    std::raise(SIGABRT);
  });
  size_t count = 0;
  for (int i = 1; i < argc; ++i) {
    if (!fs::exists(argv[i])) {
      std::fprintf(stderr, "replay: %s does not exist.\n", argv[i]);
      return 2;
    }
    count += replay(argv[i]);
  }
  std::printf("%zu inputs, no finding\n", count);
  return count > 0 ? 0 : 1;
}
