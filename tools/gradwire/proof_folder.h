// A temporary folder for the scripts and netlists of a proof.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <string>

namespace gw::tools {

/// Of this process, gone with it.
class ProofFolder {
 public:
  explicit ProofFolder(const char* what)
      : path_(std::filesystem::temp_directory_path() /
              fmt::format("gradwire-{}-{}", what, ::getpid())) {
    std::filesystem::create_directories(path_);
  }
  ~ProofFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  ProofFolder(const ProofFolder&) = delete;
  ProofFolder& operator=(const ProofFolder&) = delete;

  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }
  std::string text() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

}  // namespace gw::tools
