// What is made once large pages are asked for lies where the system was told to use them.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "sim/base/large_pages.h"

namespace gw::sim {
namespace {

/// The flags of the mapping that holds `at`, as Linux names them.
std::string flags_of(const void* at) {
  std::ifstream maps("/proc/self/smaps");
  bool here = false;
  for (std::string line; std::getline(maps, line);) {
    uint64_t begin = 0, end = 0;
    char dash = 0;
    std::istringstream words(line);
    if (words >> std::hex >> begin >> dash >> end && dash == '-') {
      const auto address = reinterpret_cast<uintptr_t>(at);
      here = begin <= address && address < end;
    } else if (here && line.starts_with("VmFlags:")) {
      return line;
    }
  }
  return "";
}

TEST(LargePages, AreAskedForOnTheHeap) {
#ifdef GW_SANITIZED
  GTEST_SKIP() << "a sanitizer has a heap of its own";
#endif
  if (!std::filesystem::exists("/sys/kernel/mm/transparent_hugepage/enabled")) {
    GTEST_SKIP() << "this system has no large pages";
  }
  use_large_pages();
  const std::vector<uint8_t> packets(size_t{20} << 20, 1);
  EXPECT_NE(flags_of(packets.data() + packets.size() / 2).find(" hg"), std::string::npos);
}

}  // namespace
}  // namespace gw::sim
