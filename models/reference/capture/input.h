// The bytes of a file from its beginning, decompressed where it is gzip or zstd.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "models/reference/capture/result.h"

namespace gw::capture {

class Input {
 public:
  /// Fails when the file cannot be opened or read. An empty file is none of its errors.
  static Expected<Input> open(const std::filesystem::path& file);
  Input(Input&&) noexcept;
  Input& operator=(Input&&) noexcept;
  ~Input();

  /// The first bytes, at most 64, which are still to be read.
  std::span<const std::uint8_t> head() const;
  /// "gzip", "zstd", or empty.
  std::string_view compression() const;

  /// Reads as many of the next bytes as there are, up to `to.size()`. Fewer: the end, or damage().
  std::size_t read(std::span<std::uint8_t> to);
  /// Gives the same bytes as a stream, for libraries that want one; the caller closes it before the
  /// Input goes. Use either this or read().
  std::FILE* stream();

  /// Where reading stands in the file; nothing for a pipe and for compressed bytes.
  std::optional<std::uint64_t> position() const;
  /// How much of the file was read, 0 to 1; 0 where nobody knows.
  double progress() const;
  /// Why no more bytes can be read although the file goes on; empty if all is well.
  const std::string& damage() const;

 private:
  struct Impl;
  explicit Input(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

/// All bytes of a file, at most 4 GiB of them. Fails as Input does, and for damage.
Expected<std::vector<std::uint8_t>> read_bytes(const std::filesystem::path& file);

}  // namespace gw::capture
