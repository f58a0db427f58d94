// tshark with the project's dissector, asked for fields.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace gw::tests::wireshark {

namespace fs = std::filesystem;

/// A folder that any user may read: tshark runs no Lua for root, so root asks as nobody.
struct Folder {
  fs::path path = fs::temp_directory_path() / ("gradwire-wireshark-" + std::to_string(getpid()));
  Folder() {
    fs::create_directories(path);
    fs::permissions(path, fs::perms::owner_all | fs::perms::others_all);
    fs::copy_file(fs::path(GRADWIRE_SOURCE_DIR) / "tools/wireshark/gradwire.lua",
                  path / "gradwire.lua");
  }
  ~Folder() { fs::remove_all(path); }
};

using Row = std::vector<std::string>;

inline std::vector<std::string> split(const std::string& text, char at) {
  std::vector<std::string> out;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, at);) out.push_back(part);
  return out;
}

/// The fields of each packet; what is there several times, with commas between. `more`: words of
/// the command line.
inline std::vector<Row> tshark(const Folder& folder, const fs::path& capture,
                               const std::vector<std::string>& fields,
                               const std::string& more = "") {
  const fs::path here = folder.path / "capture";
  fs::copy_file(capture, here, fs::copy_options::overwrite_existing);
  fs::permissions(here, fs::perms::others_read, fs::perm_options::add);
  const std::string text = (folder.path / "text").string(),
                    words = (folder.path / "words").string();
  std::string command = "cd / && HOME=" + folder.path.string() + " ";
  if (geteuid() == 0) command += "setpriv --reuid=65534 --regid=65534 --clear-groups ";
  command += "tshark -n -X lua_script:" + (folder.path / "gradwire.lua").string() + " -r " +
             here.string() + " -T fields -E separator=';'";
  for (const auto& field : fields) command += " -e " + field;
  command += " " + more;
  const int status = std::system((command + " > " + text + " 2> " + words).c_str());
  std::stringstream said;
  said << std::ifstream(words).rdbuf();
  EXPECT_EQ(status, 0) << said.str();
  EXPECT_EQ(said.str().find("Lua"), std::string::npos) << said.str();
  std::vector<Row> rows;
  std::ifstream in(text);
  for (std::string line; std::getline(in, line);) {
    rows.push_back(split(line, ';'));
    rows.back().resize(fields.size());
  }
  return rows;
}

inline bool no_tshark() { return std::system("command -v tshark > /dev/null") != 0; }

}  // namespace gw::tests::wireshark
