// SPDX-License-Identifier: Apache-2.0
#include "tools/training/jobs.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <list>
#include <stdexcept>
#include <system_error>

namespace gw::training {
namespace {

using nlohmann::json;

constexpr int kPollMs = 200;

void write_line(int fd, const json& value) {
  const std::string line = value.dump(-1, ' ', false, json::error_handler_t::replace) + "\n";
  for (size_t at = 0; at < line.size();) {
    const ssize_t n = ::write(fd, line.data() + at, line.size() - at);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) ::_exit(1);  // nobody listens
    at += static_cast<size_t>(n);
  }
}

/// A child and what it has said so far.
class Child {
 public:
  Child(size_t which, const std::function<json(size_t, const Note&)>& work) : which_(which) {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) throw std::system_error(errno, std::generic_category());
    std::fflush(nullptr);
    const pid_t parent = ::getpid();
    pid_ = ::fork();
    if (pid_ < 0) {
      ::close(ends[0]);
      ::close(ends[1]);
      throw std::system_error(errno, std::generic_category());
    }
    if (pid_ == 0) {
      ::prctl(PR_SET_PDEATHSIG, SIGKILL);
      if (::getppid() != parent) ::_exit(1);
      ::close(ends[0]);
      const int fd = ends[1];
      try {
        write_line(fd, {{"result", work(which, [fd](const std::string& line) {
                           write_line(fd, {{"note", line}});
                         })}});
      } catch (const std::exception& error) {
        write_line(fd, {{"error", error.what()}});
      }
      ::_exit(0);
    }
    ::close(ends[1]);
    fd_ = ends[0];
  }
  ~Child() {
    if (fd_ >= 0) ::close(fd_);
    if (ended_) return;
    ::kill(pid_, SIGKILL);
    wait();
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  size_t which() const { return which_; }
  int fd() const { return fd_; }

  /// Reads what there is; false when it has ended.
  bool hear(json& result, const std::function<void(size_t, const std::string&)>& heard) {
    std::array<char, 65536> part;
    const ssize_t n = ::read(fd_, part.data(), part.size());
    if (n < 0 && errno == EINTR) return true;
    if (n > 0) {
      text_.append(part.data(), static_cast<size_t>(n));
      for (size_t end; (end = text_.find('\n')) != std::string::npos; text_.erase(0, end + 1)) {
        json line = json::parse(text_.substr(0, end));
        if (line.contains("error")) throw std::runtime_error(line["error"].get<std::string>());
        if (line.contains("note") && heard) heard(which_, line["note"].get<std::string>());
        if (line.contains("result")) result = std::move(line["result"]);
      }
      return true;
    }
    const int status = wait();
    if (result.is_null()) {
      throw std::runtime_error(WIFSIGNALED(status) ? fmt::format("a training process died: {}",
                                                                 ::strsignal(WTERMSIG(status)))
                                                   : "a training process ended without a result");
    }
    return false;
  }

 private:
  int wait() {
    int status = 0;
    while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
    }
    ended_ = true;
    return status;
  }

  size_t which_;
  pid_t pid_ = -1;
  int fd_ = -1;
  bool ended_ = false;
  std::string text_;
};

}  // namespace

std::vector<json> run_jobs(size_t count, size_t jobs,
                           const std::function<json(size_t, const Note&)>& work,
                           const std::function<void(size_t, const std::string&)>& heard,
                           const std::function<bool()>& goes_on) {
  std::vector<json> results(count);
  std::list<Child> children;
  for (size_t next = 0; next < count || !children.empty();) {
    if (goes_on && !goes_on()) break;
    while (next < count && children.size() < jobs) children.emplace_back(next++, work);
    std::vector<pollfd> polled;
    for (const Child& child : children) polled.push_back({child.fd(), POLLIN, 0});
    if (::poll(polled.data(), polled.size(), kPollMs) < 0 && errno != EINTR) {
      throw std::system_error(errno, std::generic_category());
    }
    auto child = children.begin();
    for (const pollfd& p : polled) {
      const bool goes = p.revents == 0 || child->hear(results[child->which()], heard);
      child = goes ? std::next(child) : children.erase(child);
    }
  }
  return results;
}

}  // namespace gw::training
