// SPDX-License-Identifier: Apache-2.0
#include "testbenches/library/cache.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <boost/crc.hpp>
#include <boost/interprocess/sync/file_lock.hpp>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <mutex>
#include <sstream>
#include <thread>

#include "sim/base/error.h"
#include "sim/base/file_bytes.h"

namespace gw::testbenches {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void unusable(const fs::path& path, int error) {
  throw sim::InputError(fmt::format("the cache of built RTL cannot be used: '{}': {}",
                                    path.string(), std::strerror(error)));
}

/// Whether it is there; throws if it is not this user's alone.
bool is_mine(const fs::path& path) {
  struct stat status = {};
  if (::lstat(path.c_str(), &status) != 0) {
    if (errno == ENOENT) return false;
    unusable(path, errno);
  }
  const char* const why = S_ISLNK(status.st_mode)        ? "is a symbolic link"
                          : status.st_uid != ::geteuid() ? "belongs to another user"
                          : (status.st_mode & 022) != 0  ? "can be written by other users"
                                                         : nullptr;
  if (why != nullptr) {
    throw sim::InputError(
        fmt::format("'{}' {}: no code is loaded from there (remove it, or choose another --cache)",
                    path.string(), why));
  }
  return true;
}

void write_whole(const fs::path& path, std::string_view bytes) {
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (file < 0) unusable(path, errno);
  while (!bytes.empty()) {
    const ssize_t n = ::write(file, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) {
      const int error = errno;
      ::close(file);
      unusable(path, error);
    }
    bytes.remove_prefix(static_cast<size_t>(n));
  }
  const bool synced = ::fsync(file) == 0;
  const int error = errno;
  ::close(file);
  if (!synced) unusable(path, error);
}

void sync(const fs::path& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) unusable(path, errno);
  const bool synced = ::fsync(file) == 0 || errno == EINVAL;
  const int error = errno;
  ::close(file);
  if (!synced) unusable(path, error);
}

/// `name bytes checksum` of each file, a line each.
std::string line_of(const std::string& file, std::string_view bytes) {
  return fmt::format("{} {} {}\n", file, bytes.size(), checksum(bytes));
}

}  // namespace

fs::path default_cache() {
  if (const char* xdg = std::getenv("XDG_CACHE_HOME"); xdg != nullptr && *xdg == '/') {
    return fs::path(xdg) / "gradwire";
  }
  const char* const home = std::getenv("HOME");
  if (home == nullptr || *home != '/') {
    throw sim::InputError(
        "there is no place for built RTL: neither XDG_CACHE_HOME nor HOME is set (--cache DIR "
        "names one)");
  }
  return fs::path(home) / ".cache" / "gradwire";
}

std::string checksum(std::string_view bytes) {
  boost::crc_optimal<64, 0x42F0E1EBA9EA3693, ~0ull, ~0ull, true, true> crc;  // CRC-64/XZ
  crc.process_bytes(bytes.data(), bytes.size());
  return fmt::format("{:016x}", static_cast<uint64_t>(crc.checksum()));
}

Cache::Cache(fs::path folder) : folder_(std::move(folder)) {
  std::error_code error;
  folder_ = fs::absolute(folder_);
  if (folder_.has_parent_path()) fs::create_directories(folder_.parent_path(), error);
  if (error) unusable(folder_, error.value());
  if (::mkdir(folder_.c_str(), 0700) != 0 && errno != EEXIST) unusable(folder_, errno);
  if (!fs::is_directory(folder_)) unusable(folder_, ENOTDIR);
  is_mine(folder_);
}

std::optional<fs::path> Cache::find(const std::string& name, std::string_view key) const {
  const fs::path entry = folder_ / name;
  if (!is_mine(entry) || !is_mine(entry / "sums") || !is_mine(entry / "key")) return std::nullopt;
  if (sim::bytes_if_readable(entry / "key") != key) return std::nullopt;
  const std::string listed = sim::bytes_if_readable(entry / "sums").value_or("");
  if (!listed.ends_with('\n')) return std::nullopt;
  std::istringstream sums(listed);
  bool key_listed = false;
  for (std::string line; std::getline(sums, line);) {
    const std::string file = line.substr(0, line.find(' '));
    if (file.empty() || file.find('/') != std::string::npos || !is_mine(entry / file)) {
      return std::nullopt;
    }
    if (line_of(file, sim::bytes_if_readable(entry / file).value_or("")) != line + '\n')
      return std::nullopt;
    key_listed = key_listed || file == "key";  // the last line: the list is whole
  }
  return key_listed ? std::optional(entry) : std::nullopt;
}

fs::path Cache::keep(const std::string& name, std::string_view key, const fs::path& from,
                     const std::vector<std::string>& files) const {
  const fs::path made = from / "entry", entry = folder_ / name;
  if (::mkdir(made.c_str(), 0700) != 0) unusable(made, errno);
  std::string sums;
  for (const std::string& file : files) {
    if (::rename((from / file).c_str(), (made / file).c_str()) != 0) unusable(made / file, errno);
    if (::chmod((made / file).c_str(), 0700) != 0) unusable(made / file, errno);
    sync(made / file);
    sums += line_of(file, sim::bytes_if_readable(made / file).value_or(""));
  }
  write_whole(made / "key", key);
  sums += line_of("key", key);
  write_whole(made / "sums", sums);
  sync(made);
  // A folder is not renamed onto one that is not empty: what was there goes aside first.
  const fs::path old = from / "old";
  for (int attempt = 0; ::rename(made.c_str(), entry.c_str()) != 0; ++attempt) {
    if ((errno != EEXIST && errno != ENOTEMPTY) || attempt == 3) unusable(entry, errno);
    if (find(name, key)) return entry;  // another process was as fast
    ::rename(entry.c_str(), (old.string() + std::to_string(attempt)).c_str());
  }
  sync(folder_);
  return entry;
}

std::optional<std::string> Cache::note(const std::string& name) const {
  const fs::path path = folder_ / name;
  if (!is_mine(path)) return std::nullopt;
  const std::string all = sim::bytes_if_readable(path).value_or("");
  const size_t end = all.find('\n');
  if (end == std::string::npos || all.substr(0, end) != checksum(all.substr(end + 1))) {
    return std::nullopt;
  }
  return all.substr(end + 1);
}

void Cache::keep_note(const std::string& name, std::string_view text) const {
  static std::atomic<int> notes = 0;  // threads may keep one at a time
  const fs::path made = folder_ / fmt::format("{}.{}-{}", name, ::getpid(), notes++);
  write_whole(made, checksum(text) + '\n' + std::string(text));
  if (::rename(made.c_str(), (folder_ / name).c_str()) != 0) unusable(folder_ / name, errno);
}

// A file lock excludes other processes, a mutex the other threads of this one.
struct Cache::Lock::Held {
  static std::timed_mutex& mutex_of(const fs::path& path) {
    static std::mutex guard;
    static std::map<std::string, std::timed_mutex> all;
    const std::lock_guard<std::mutex> hold(guard);
    return all[path.string()];
  }

  std::unique_lock<std::timed_mutex> threads;
  boost::interprocess::file_lock processes;
};

Cache::Lock::Lock(const Cache& cache, const std::string& name, const std::function<void()>& waiting)
    : held_(std::make_unique<Held>()) {
  const fs::path path = cache.folder() / (name + ".lock");
  is_mine(path);
  const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (file < 0) unusable(path, errno);
  held_->threads = std::unique_lock(Held::mutex_of(path), std::defer_lock);
  const auto pause = std::chrono::milliseconds(50);
  while (!held_->threads.try_lock_for(pause)) {
    if (waiting) waiting();
  }
  ::close(file);  // before the lock: closing any descriptor of a file gives up its locks
  try {
    held_->processes = boost::interprocess::file_lock(path.c_str());
    while (!held_->processes.try_lock()) {
      std::this_thread::sleep_for(pause);
      if (waiting) waiting();
    }
  } catch (const boost::interprocess::interprocess_exception&) {
    unusable(path, errno);
  }
}

Cache::Lock::~Lock() {
  try {
    held_->processes.unlock();
  } catch (const boost::interprocess::interprocess_exception&) {
    // The file lock ends with the process at the latest.
  }
}

Cache::Workplace::Workplace(const Cache& cache) {
  // What a killed process left behind goes first.
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator(cache.folder(), ignored)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with("build-")) continue;
    const long process = std::strtol(name.c_str() + 6, nullptr, 10);
    if (process > 0 && ::kill(static_cast<pid_t>(process), 0) != 0 && errno == ESRCH) {
      fs::remove_all(entry.path(), ignored);
    }
  }
  std::string name = (cache.folder() / fmt::format("build-{}-XXXXXX", ::getpid())).string();
  if (::mkdtemp(name.data()) == nullptr) unusable(name, errno);
  folder_ = name;
}

Cache::Workplace::~Workplace() {
  std::error_code ignored;
  fs::remove_all(folder_, ignored);
}

}  // namespace gw::testbenches
