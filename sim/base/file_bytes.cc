// SPDX-License-Identifier: Apache-2.0
#include "sim/base/file_bytes.h"

#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>

#include "sim/base/error.h"

namespace gw::sim {

std::optional<std::string> bytes_if_readable(const std::filesystem::path& path) {
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  if (!file) return std::nullopt;
  std::string bytes;
  std::array<char, 65536> part;
  // Not by iterators: a folder can be opened, and what reading it throws comes past the stream.
  while (file.read(part.data(), part.size()) || file.gcount() > 0) {
    bytes.append(part.data(), static_cast<size_t>(file.gcount()));
  }
  if (file.bad()) return std::nullopt;
  return bytes;
}

std::string bytes_of_file(const std::filesystem::path& path, const std::string& what) {
  std::optional<std::string> bytes = bytes_if_readable(path);
  if (!bytes) {
    throw InputError(fmt::format("cannot read {}'{}': {}", what.empty() ? "" : what + " ",
                                 path.string(), std::strerror(errno != 0 ? errno : EIO)));
  }
  return std::move(*bytes);
}

}  // namespace gw::sim
