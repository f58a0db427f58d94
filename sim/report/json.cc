// SPDX-License-Identifier: Apache-2.0
#include "sim/report/json.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <optional>
#include <string_view>
#include <system_error>

#include "sim/base/error.h"
#include "sim/report/text.h"

namespace gw::sim {
namespace {

[[noreturn]] void cannot_write(const char* what, const std::string& path, int error) {
  throw InputError(
      fmt::format("cannot write {} {}: {}", what, report::clean(path), std::strerror(error)));
}

/// Writes and closes; 0 or the errno of what failed. An error may come as late as close (NFS,
/// quotas).
int write_and_close(int fd, std::string_view text, Kept kept) {
  int error = 0;
  while (!text.empty() && error == 0) {
    const ssize_t n = ::write(fd, text.data(), text.size());
    if (n >= 0)
      text.remove_prefix(static_cast<size_t>(n));
    else if (errno != EINTR)
      error = errno;
  }
  if (kept == Kept::kOnDisk && error == 0 && ::fsync(fd) != 0) error = errno;
  if (::close(fd) != 0 && error == 0 && errno != EINTR) error = errno;
  return error;
}

/// The descriptor that a name of this process's own stands for: /dev/stdout, /dev/fd/3. To open it
/// anew would begin a file at its first byte again, over what was written before.
std::optional<int> open_descriptor(std::string_view path) {
  if (path == "/dev/stdout") return STDOUT_FILENO;
  if (path == "/dev/stderr") return STDERR_FILENO;
  for (const std::string_view folder : {"/dev/fd/", "/proc/self/fd/"}) {
    if (!path.starts_with(folder)) continue;
    const std::string_view number = path.substr(folder.size());
    int fd = 0;
    const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), fd);
    if (error == std::errc() && end == number.data() + number.size()) return fd;
  }
  return std::nullopt;
}

}  // namespace

nlohmann::json public_json(nlohmann::json report) {
  if (report.is_object()) {
    report.erase("plots");
    report.erase("coverage_points");
    report.erase("rtl_files");
    report.erase("compared");
  }
  return report;
}

std::string headline(const nlohmann::json& report) {
  if (const auto failure = report.find("failure"); failure != report.end()) {
    return failure->value("headline", "the run failed");
  }
  if (report.contains("incomplete")) return report["incomplete"];
  if (report.value("pass", false) || report.contains("interrupted")) return "";
  std::string words = "the run did not pass";
  for (const nlohmann::json& verdict : report.value("verdicts", nlohmann::json::array())) {
    if (verdict.value("held", true)) continue;
    words = verdict.value("words", words);
    break;
  }
  return fmt::format("{}: {}", report.value("device", "run"), words);
}

std::string json_text(const nlohmann::json& document) {
  return document.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

void write_report_file(const std::string& path, const std::string& text, const char* what,
                       Kept kept) {
  const auto fail = [what](const std::string& file, int error) { cannot_write(what, file, error); };
  struct stat info {};
  const bool exists = ::stat(path.c_str(), &info) == 0;
  const std::optional<int> descriptor = open_descriptor(path);
  if (descriptor || (exists && !S_ISREG(info.st_mode))) {
    std::fflush(stdout);  // what was printed comes first
    const int fd = descriptor ? ::fcntl(*descriptor, F_DUPFD_CLOEXEC, 3)
                              : ::open(path.c_str(), O_WRONLY | O_NOCTTY | O_CLOEXEC);
    if (fd < 0) fail(path, errno);
    if (const int error = write_and_close(fd, text, Kept::kAsUsual)) fail(path, error);
    return;
  }
  // A file that its owner has made read-only stays as it is, although rename() could replace it.
  if (exists && ::access(path.c_str(), W_OK) != 0) fail(path, errno);

  std::string target = path;
  if (exists) {
    std::error_code ec;
    const std::filesystem::path resolved = std::filesystem::canonical(path, ec);
    if (!ec) target = resolved.string();
  }
  std::string temporary = target + ".XXXXXX";
  const int fd = ::mkostemp(temporary.data(), O_CLOEXEC);
  if (fd < 0) fail(path, errno);
  mode_t mode = info.st_mode & 07777;
  if (!exists) {
    const mode_t mask = ::umask(0);
    ::umask(mask);
    mode = 0666 & ~mask;
  }
  int error = ::fchmod(fd, mode) == 0 ? 0 : errno;
  const int write_error = write_and_close(fd, text, kept);
  if (error == 0) error = write_error;
  if (error == 0 && ::rename(temporary.c_str(), target.c_str()) != 0) error = errno;
  if (error != 0) {
    ::unlink(temporary.c_str());
    fail(path, error);
  }
}

void expect_report_files(std::initializer_list<std::string_view> paths, const char* what) {
  for (const std::string_view path : paths) {
    if (path.empty() || path == "-" || open_descriptor(path)) continue;
    const std::string file(path);
    const auto ask = [what, &file](const std::string& whom, int rights) {
      if (::access(whom.c_str(), rights) != 0) cannot_write(what, file, errno);
    };
    struct stat info {};
    const bool exists = ::stat(file.c_str(), &info) == 0;
    if (exists && S_ISDIR(info.st_mode)) cannot_write(what, file, EISDIR);
    if (exists) ask(file, W_OK);
    if (exists && !S_ISREG(info.st_mode)) continue;
    std::error_code ec;
    const std::filesystem::path given(file);
    const std::filesystem::path folder =
        (exists ? std::filesystem::canonical(given, ec) : given).parent_path();
    ask(folder.empty() ? "." : folder.string() + "/", W_OK | X_OK);
  }
}

}  // namespace gw::sim
