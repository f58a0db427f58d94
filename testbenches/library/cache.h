// The user's folder of built engines. Nothing in it is trusted that another user owns or may write,
// or whose bytes are not those that were recorded; nothing half-written is ever seen.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gw::testbenches {

/// $XDG_CACHE_HOME/gradwire, or ~/.cache/gradwire.
std::filesystem::path default_cache();

/// CRC-64 as sixteen digits.
std::string checksum(std::string_view bytes);

class Cache {
 public:
  /// Makes the folder (mode 0700) if there is none. Throws InputError if it cannot be used, or is
  /// another's.
  explicit Cache(std::filesystem::path folder);

  const std::filesystem::path& folder() const { return folder_; }

  /// The entry's folder if it is whole and was made for this key; none if it is not there or
  /// damaged. Throws InputError if another owns it or may write it.
  std::optional<std::filesystem::path> find(const std::string& name, std::string_view key) const;

  /// Files of `from` become the entry `name`, at once and for good. What was there is replaced.
  std::filesystem::path keep(const std::string& name, std::string_view key,
                             const std::filesystem::path& from,
                             const std::vector<std::string>& files) const;

  /// A small text beside the entries; none if it is not there or not whole.
  std::optional<std::string> note(const std::string& name) const;
  void keep_note(const std::string& name, std::string_view text) const;

  /// An empty folder to build in, removed at the end of its life.
  class Workplace;
  /// Held by one process and thread at a time.
  class Lock;

 private:
  std::filesystem::path folder_;
};

class Cache::Lock {
 public:
  /// Waits; `waiting` is called now and then meanwhile.
  Lock(const Cache& cache, const std::string& name, const std::function<void()>& waiting);
  ~Lock();
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;

 private:
  struct Held;
  std::unique_ptr<Held> held_;
};

class Cache::Workplace {
 public:
  explicit Workplace(const Cache& cache);
  ~Workplace();
  Workplace(const Workplace&) = delete;
  Workplace& operator=(const Workplace&) = delete;
  const std::filesystem::path& folder() const { return folder_; }

 private:
  std::filesystem::path folder_;
};

}  // namespace gw::testbenches
