// The program itself, run by a shell in a folder of the test's own: exit code, what it said, what
// it left. Its RTL builds go to the tests' cache, so that the user's hides no broken build.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace gw::tests {

struct Ended {
  int code = -1;  // of the shell; 128 + n behind signal n
  std::string out, err;
};

/// Empty if there is no such file.
inline std::string text_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// Needs GRADWIRE_BINARY and GRADWIRE_TEST_CACHE_HOME (gw_add_program_test).
class ProgramTest : public testing::Test {
 protected:
  void SetUp() override {
    setenv("XDG_CACHE_HOME", GRADWIRE_TEST_CACHE_HOME, 1);
    setenv("GRADWIRE", GRADWIRE_BINARY, 1);  // for what the program writes: replay.sh
    const auto* info = testing::UnitTest::GetInstance()->current_test_info();
    folder_ = std::filesystem::temp_directory_path() /
              fmt::format("gradwire-{}-{}-{}", info->test_suite_name(), getpid(), info->name());
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  Ended shell(const std::string& command) const {
    const int status = std::system(fmt::format("cd {} && {{ {} ; }} > {} 2> {}", folder_.string(),
                                               command, path("stdout"), path("stderr"))
                                       .c_str());
    return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status),
            text_of(path("stdout")), text_of(path("stderr"))};
  }
  Ended gradwire(const std::string& arguments) const {
    return shell(GRADWIRE_BINARY " " + arguments);
  }
  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  void write(const std::string& name, const std::string& bytes) const {
    std::ofstream(path(name), std::ios::binary) << bytes;
  }

  std::filesystem::path folder_;
};

}  // namespace gw::tests
