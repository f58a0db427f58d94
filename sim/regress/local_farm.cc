// SPDX-License-Identifier: Apache-2.0
#include "sim/regress/local_farm.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sched.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/process/args.hpp>
#include <boost/process/child.hpp>
#include <boost/process/io.hpp>
#include <boost/process/posix.hpp>
#include <chrono>
#include <cstring>
#include <list>
#include <map>

#include "sim/base/error.h"

namespace gw::regress {
namespace {

namespace asio = boost::asio;
namespace bp = boost::process;
using Clock = std::chrono::steady_clock;

constexpr auto kTick = std::chrono::milliseconds(50);
constexpr auto kGrace = std::chrono::seconds(2);  // to end a run in order, when told to stop
constexpr size_t kLastWords = 4096;

/// A pipe that no other process gets to see unless it is given to it.
struct Pipe {
  int read = -1, write = -1;
  Pipe() {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) {
      throw sim::InputError(fmt::format("no pipe to a worker: {}", std::strerror(errno)));
    }
    read = ends[0];
    write = ends[1];
  }
};

class LocalFarm;

/// A process of the program and what it was given.
class Worker {
 public:
  Worker(LocalFarm& farm, asio::io_context& io, const std::vector<std::string>& words,
         const std::string& program, Shard shard);
  ~Worker() {
    if (ended_) return;
    ::kill(-pid_, SIGKILL);
    std::error_code error;
    child_.wait(error);
  }
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  void ask_to_end() { ::kill(pid_, SIGTERM); }
  void kill() { ::kill(-pid_, SIGKILL); }
  bool ended() const { return ended_; }
  /// Kills it if its case takes too long.
  void check_time(Clock::time_point now) {
    if (current_ == nullptr || ended_ || overdue_ || now < until_) return;
    overdue_ = true;
    kill();
  }

 private:
  void listen();
  void hear();
  void take(std::string_view line);
  /// Its side of the line is closed: it has ended, or is about to.
  void gone();
  std::string last_words();

  LocalFarm& farm_;
  asio::posix::stream_descriptor lines_, words_;
  bp::child child_;
  pid_t pid_ = 0;
  Shard shard_;
  size_t next_ = 0;  // of the shard, that has not begun
  const Case* current_ = nullptr;
  double allowed_ = 0;
  Clock::time_point began_, until_;
  std::string unread_, said_;
  std::array<char, 4096> line_bytes_, word_bytes_;
  bool overdue_ = false, ended_ = false;
};

class LocalFarm final : public Farm {
 public:
  LocalFarm(const Folder& folder, const Order& order, LocalFarmOptions options)
      : folder_(folder), order_(order), options_(std::move(options)), timer_(io_) {}

  void run(Dispatcher& dispatcher) override {
    dispatcher_ = &dispatcher;
    sentence_.clear();
    stopping_ = false;
    employ();
    tick();
    if (!workers_.empty()) io_.run();
    io_.restart();
    workers_.clear();
    if (!sentence_.empty()) throw sim::InputError(sentence_);
  }
  size_t width() const override { return options_.jobs; }

  Dispatcher& dispatcher() { return *dispatcher_; }
  /// A worker could not go on: neither will the others.
  void stop(const std::string& sentence) {
    if (sentence_.empty()) sentence_ = sentence;
    stop();
  }
  bool stopping() const { return stopping_; }

 private:
  /// So many workers as there is work for.
  void employ() {
    while (!stopping_ && workers_.size() < options_.jobs) {
      Shard shard = dispatcher_->next_shard();
      if (shard.empty()) return;
      const std::string file =
          folder_.write_shard(fmt::format("{}{:06}", options_.shards, ++shards_), order_, shard)
              .string();
      workers_.push_back(std::make_unique<Worker>(
          *this, io_, options_.arguments(folder_.path().string(), file, ::getpid()),
          options_.program, std::move(shard)));
    }
  }

  void stop() {
    if (stopping_) return;
    stopping_ = true;
    killing_ = Clock::now() + kGrace;
    for (const auto& worker : workers_) worker->ask_to_end();
  }

  void tick() {
    const auto now = Clock::now();
    if (!dispatcher_->goes_on()) stop();
    for (const auto& worker : workers_) {
      worker->check_time(now);
      if (stopping_ && now >= killing_) worker->kill();
    }
    std::erase_if(workers_, [](const auto& worker) { return worker->ended(); });
    employ();
    if (workers_.empty()) {
      io_.stop();
      return;
    }
    timer_.expires_after(kTick);
    timer_.async_wait([this](const boost::system::error_code& error) {
      if (!error) tick();
    });
  }
  friend class Worker;
  /// A worker has ended: its place is for another, at once.
  void vacancy() {
    timer_.cancel();
    asio::post(io_, [this] { tick(); });
  }

  const Folder& folder_;
  const Order& order_;
  const LocalFarmOptions options_;
  asio::io_context io_;
  asio::steady_timer timer_;
  Dispatcher* dispatcher_ = nullptr;
  std::list<std::unique_ptr<Worker>> workers_;
  size_t shards_ = 0;
  bool stopping_ = false;
  Clock::time_point killing_;
  std::string sentence_;
};

Worker::Worker(LocalFarm& farm, asio::io_context& io, const std::vector<std::string>& words,
               const std::string& program, Shard shard)
    : farm_(farm), lines_(io), words_(io), shard_(std::move(shard)) {
  const Pipe lines, speech;
  lines_.assign(lines.read);
  words_.assign(speech.read);
  std::error_code error;
  child_ = bp::child(program, bp::args(words), bp::std_in < bp::null,
                     bp::posix::fd.bind(STDOUT_FILENO, lines.write),
                     bp::posix::fd.bind(STDERR_FILENO, speech.write), error);
  ::close(lines.write);
  ::close(speech.write);
  if (error) {
    ended_ = true;
    throw sim::InputError(fmt::format("cannot start '{}': {}", program, error.message()));
  }
  pid_ = child_.id();
  ::setpgid(pid_, pid_);  // it does so, too: whoever is first
  listen();
  hear();
}

void Worker::listen() {
  lines_.async_read_some(asio::buffer(line_bytes_),
                         [this](const boost::system::error_code& error, size_t count) {
                           if (error) return gone();
                           unread_.append(line_bytes_.data(), count);
                           size_t end;
                           while ((end = unread_.find('\n')) != std::string::npos) {
                             const std::string line = unread_.substr(0, end);
                             unread_.erase(0, end + 1);
                             take(line);
                           }
                           listen();
                         });
}

void Worker::hear() {
  words_.async_read_some(asio::buffer(word_bytes_),
                         [this](const boost::system::error_code& error, size_t count) {
                           if (error) return;
                           said_.append(word_bytes_.data(), count);
                           if (said_.size() > 2 * kLastWords)
                             said_.erase(0, said_.size() - kLastWords);
                           hear();
                         });
}

void Worker::take(std::string_view line) {
  const std::string_view what = line.substr(0, line.find(' '));
  const std::string_view rest = line.substr(std::min(line.size(), what.size() + 1));
  if (what == "begin" && next_ < shard_.size()) {
    current_ = shard_[next_++];
    allowed_ = farm_.dispatcher().begins(*current_);
    began_ = Clock::now();
    until_ = began_ +
             std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(allowed_));
    said_.clear();
  } else if (what == "busy" && current_ != nullptr) {
    farm_.dispatcher().busy(*current_, std::string(rest));
    until_ = Clock::now() +
             std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(allowed_));
  } else if (what == "done" && current_ != nullptr) {
    const Case& done = *std::exchange(current_, nullptr);
    farm_.dispatcher().finished(done);
  } else if (what == "stop") {
    current_ = nullptr;
    farm_.stop(std::string(rest));
  }
}

std::string Worker::last_words() {
  // What is in the pipe by now; processes that it has started may hold the other end.
  words_.cancel();
  words_.native_non_blocking(true);
  char bytes[4096];
  for (ssize_t n; (n = ::read(words_.native_handle(), bytes, sizeof bytes)) > 0;) {
    said_.append(bytes, static_cast<size_t>(n));
  }
  if (said_.size() > kLastWords) said_.erase(0, said_.size() - kLastWords);
  return said_;
}

void Worker::gone() {
  std::error_code error;
  child_.wait(error);
  ::kill(-pid_, SIGKILL);  // what it has started
  ended_ = true;
  const int status = child_.native_exit_code();
  const Death death{.how = WIFSIGNALED(status) ? fmt::format("signal {} ({})", WTERMSIG(status),
                                                             ::strsignal(WTERMSIG(status)))
                                               : fmt::format("exit code {}", WEXITSTATUS(status)),
                    .words = last_words()};
  if (current_ != nullptr) {
    const Case& in = *std::exchange(current_, nullptr);
    if (overdue_) {
      farm_.dispatcher().timed_out(in,
                                   std::chrono::duration<double>(Clock::now() - began_).count());
    } else if (farm_.stopping()) {
      farm_.dispatcher().returned({&in});
    } else {
      farm_.dispatcher().died(in, death);
    }
  } else if (next_ == 0 && !farm_.stopping() &&
             !(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM)) {
    // Not if it was asked to end, as by Slurm before a task is requeued: another one gets its
    // cases.
    farm_.stop(fmt::format("a worker ended before its first case ({}){}{}", death.how,
                           death.words.empty() ? "" : ": ", death.words));
  }
  if (next_ < shard_.size()) {
    farm_.dispatcher().returned(
        Shard(shard_.begin() + static_cast<ptrdiff_t>(next_), shard_.end()));
  }
  lines_.close();
  words_.close();
  farm_.vacancy();
}

}  // namespace

std::unique_ptr<Farm> local_farm(const Folder& folder, const Order& order,
                                 LocalFarmOptions options) {
  return std::make_unique<LocalFarm>(folder, order, std::move(options));
}

size_t processors() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (::sched_getaffinity(0, sizeof set, &set) != 0) return 1;
  return std::max<size_t>(1, static_cast<size_t>(CPU_COUNT(&set)));
}

}  // namespace gw::regress
