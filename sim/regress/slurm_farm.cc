// SPDX-License-Identifier: Apache-2.0
#include "sim/regress/slurm_farm.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <list>
#include <map>
#include <mutex>
#include <optional>
#include <random>
#include <set>
#include <thread>

#include "sim/base/error.h"
#include "sim/regress/slurm.h"
#include "sim/regress/slurm_folder.h"
#include "sim/report/json.h"
#include "sim/report/text.h"

namespace gw::regress {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr auto kRound = milliseconds(100);  // dispatcher, lines of tasks
constexpr auto kAsk = seconds(1);           // squeue at most so often
constexpr auto kHeartbeat = seconds(1);
constexpr auto kSilent = seconds(5);                // lines of a task that is over may still come
constexpr auto kVisible = seconds(60);              // a result that was written may take to be seen
constexpr auto kEnd = seconds(60);                  // jobs that were cancelled may take to end
constexpr auto kGiveUp = std::chrono::minutes(10);  // if nobody says anything
constexpr size_t kWaiting = 4;  // tasks of an array for each that runs at a time
constexpr int kNotFound = 127, kNotExecutable = 126;  // a shell's exit codes

/// Nobody else's.
std::string random_token() {
  std::random_device device;
  return fmt::format("{:08x}{:08x}", device(), device());
}

/// Tells all tasks that their controller lives, whatever it waits for.
class Heartbeat {
 public:
  Heartbeat(fs::path path, std::string token)
      : path_(std::move(path)), token_(std::move(token)), file_(open()) {
    beat();
    thread_ = std::jthread([this](const std::stop_token& stop) {
      std::unique_lock lock(mutex_);
      while (!wake_.wait_for(lock, stop, kHeartbeat, [] { return false; }) &&
             !stop.stop_requested()) {
        beat();
      }
    });
  }
  ~Heartbeat() {
    thread_.request_stop();
    thread_.join();
    ::close(file_);
    std::error_code error;
    fs::remove(path_, error);
  }
  Heartbeat(const Heartbeat&) = delete;
  Heartbeat& operator=(const Heartbeat&) = delete;

 private:
  int open() const {
    const int file = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (file < 0) {
      throw sim::InputError(
          fmt::format("cannot write '{}': {}", path_.string(), std::strerror(errno)));
    }
    return file;
  }
  /// In its place, always as long: also on a disk that is full by now.
  void beat() {
    const std::string text = fmt::format("{} {:010}\n", token_, ++count_);
    if (::pwrite(file_, text.data(), text.size(), 0) > 0) ::fdatasync(file_);
  }

  const fs::path path_;
  const std::string token_;
  const int file_;
  uint64_t count_ = 0;
  std::mutex mutex_;
  std::condition_variable_any wake_;
  std::jthread thread_;
};

/// A task of an array, and what is known of it.
struct Task {
  uint64_t job = 0;
  size_t batch = 0, index = 0;
  std::map<std::string, const Case*> open;  // by hash: of which nothing is known yet
  std::vector<std::string> order;           // of the shard
  const Case* current = nullptr;
  const Case* cut = nullptr;  // was begun, and cut off
  int run = 0;                // whose lines are read: it was begun again so many times
  std::streamoff read = 0;    // of them
  bool started = false, progressed = false, ended = false;
  std::string host;
  // What Slurm says.
  int restarts = 0;
  bool released = false, hastened = false;
  std::optional<Clock::time_point> over;    // it is, and its lines should be there
  std::optional<Clock::time_point> unseen;  // a result that it has written is awaited
};

class SlurmFarm final : public Farm {
 public:
  SlurmFarm(const Folder& folder, const Order& order, SlurmFarmOptions options)
      : folder_(folder),
        order_(order),
        options_(std::move(options)),
        files_(fs::absolute(folder.path())),
        token_(random_token()),
        name_(fmt::format("gradwire-{}-{}", order.plan, token_)),
        slurm_(name_),
        most_tasks_(slurm_.most_tasks()) {}

  size_t width() const override { return options_.settings.jobs; }

  void run(Dispatcher& dispatcher) override {
    dispatcher_ = &dispatcher;
    prepare();
    {
      const Heartbeat heartbeat(files_.heartbeat(), token_);
      try {
        while (dispatcher.goes_on()) {
          read_all();
          ask();
          submit();
          if (tasks_.empty()) break;
          std::this_thread::sleep_for(kRound);
        }
      } catch (...) {
        end_jobs();
        give_back();
        throw;
      }
      end_jobs();
    }
    // What they have finished meanwhile counts.
    try {
      read_all();
    } catch (const sim::UserError&) {
      // Told to end, a task may say anything.
    }
    give_back();
    if (!jobs_left_) clear();
  }

 private:
  // ---- the folder

  void prepare() {
    std::error_code error;
    fs::create_directories(files_.path(), error);
    const std::string path = fs::absolute(folder_.path()).string();
    const auto write = [](const fs::path& file, const std::string& text) {
      sim::write_report_file(file.string(), text, "file", sim::Kept::kOnDisk);
    };
    write(files_.job(), name_ + "\n");
    write(files_.script(), fmt::format("#!/bin/sh\nexec {} {} {} \"$1\" {}\n",
                                       sim::report::shell_word(options_.program), options_.task,
                                       sim::report::shell_word(path), token_));
  }
  void clear() const {
    std::error_code error;
    fs::remove_all(files_.path(), error);
  }

  // ---- new tasks

  /// When there is room for another: Slurm holds no more than it may run at a time and some that
  /// wait for it.
  void submit() {
    if (tasks_.size() >= width()) return set_limit();
    std::vector<Shard> shards;
    while (shards.size() < std::min(kWaiting * width(), most_tasks_)) {
      Shard shard = dispatcher_->next_shard();
      if (shard.empty()) break;
      shards.push_back(std::move(shard));
    }
    if (shards.empty()) return set_limit();
    ++batches_;
    std::error_code error;
    fs::create_directories(files_.batch(batches_), error);
    for (size_t i = 0; i < shards.size(); ++i) write_shard(i, shards[i]);
    newest_limit_ = width() - tasks_.size();
    const bool exclusive = shards.front().front()->alone;
    for (size_t i = 0; i < shards.size(); ++i) {
      Task& task = tasks_.emplace_back();
      task.batch = batches_;
      task.index = i;
      for (const Case* const c : shards[i]) {
        task.open.emplace(c->hash, c);
        task.order.push_back(c->hash);
      }
    }
    newest_ = slurm_.submit({.script = files_.script().string(),
                             .batch = batches_,
                             .tasks = shards.size(),
                             .at_most = newest_limit_,
                             .exclusive = exclusive,
                             .options = options_.settings.options});
    for (Task& task : tasks_) {
      if (task.batch == batches_) task.job = newest_;
    }
    next_ask_ = Clock::now() + kAsk;
  }

  void write_shard(size_t index, const Shard& shard) const {
    json document = {{"program", order_.program},
                     {"command", order_.command},
                     {"from", fs::current_path().string()},
                     {"patience", options_.settings.patience},
                     {"cases", json::array()},
                     {"allowed", json::array()}};
    for (const Case* const c : shard) {
      document["cases"].push_back(to_json(*c));
      document["allowed"].push_back(dispatcher_->allowed(*c));
    }
    sim::write_report_file(files_.shard(batches_, index).string(),
                           document.dump(-1, ' ', false, json::error_handler_t::replace) + "\n",
                           "shard", sim::Kept::kOnDisk);
  }

  /// The newest array may run as many as the older ones leave.
  void set_limit() {
    const auto older = static_cast<size_t>(
        std::ranges::count_if(tasks_, [this](const Task& task) { return task.job != newest_; }));
    const size_t limit = width() > older ? width() - older : 1;
    if (tasks_.size() - older <= newest_limit_ || limit == newest_limit_) return;
    newest_limit_ = limit;
    slurm_.limit(newest_, limit);
  }

  // ---- what tasks say

  static std::string label(const Task& task) {
    return fmt::format("Slurm task {}_{}", task.job, task.index);
  }

  void read_all() {
    for (auto task = tasks_.begin(); task != tasks_.end();) {
      read(*task);
      if (task->ended) {
        // Cases that it left out were lost with its node, and are told already.
        return_rest(*task);
        task = tasks_.erase(task);
      } else {
        ++task;
      }
    }
  }

  void read(Task& task) {
    for (;;) {
      const bool again = fs::exists(files_.lines(task.batch, task.index, task.run + 1));
      if (!read_lines(task) || task.ended || !again) return;
      // The task before it is dead, and so is what it was in.
      lose_current(task, "its Slurm task was requeued");
      ++task.run;
      task.read = 0;
    }
  }

  /// False: what a line says cannot be seen yet.
  bool read_lines(Task& task) {
    std::ifstream file(files_.lines(task.batch, task.index, task.run), std::ios::binary);
    if (!file || !file.seekg(task.read)) return true;
    std::string line;
    while (!task.ended && std::getline(file, line) && !file.eof()) {
      heard_ = Clock::now();
      if (!take(task, line)) return false;
      task.read += static_cast<std::streamoff>(line.size()) + 1;
    }
    return true;
  }

  bool take(Task& task, const std::string& line) {
    const size_t space = line.find(' ');
    const std::string what = line.substr(0, space),
                      rest = space == std::string::npos ? "" : line.substr(space + 1),
                      hash = rest.substr(0, rest.find(' ')),
                      more = rest.size() > hash.size() ? rest.substr(hash.size() + 1) : "";
    const auto at = task.open.find(hash);
    const Case* const c = at == task.open.end() ? nullptr : at->second;
    if (what == "start") {
      if (hash != token_) {
        throw sim::InputError(
            fmt::format("node {} answers with '{}' in '{}', not with this "
                        "regression's token",
                        more, hash, files_.path().string()));
      }
      task.started = true;
      task.host = more;
    } else if (what == "stop") {
      throw sim::InputError(fmt::format("node {}: {}", task.host, rest));
    } else if (what == "end") {
      task.ended = true;
    } else if (c == nullptr) {
      // Known from before it was begun again.
    } else if (what == "begin") {
      task.progressed = true;
      task.current = c;
      dispatcher_->begins(*c);
    } else if (what == "back") {
      task.current = nullptr;
      task.cut = c;
    } else if (what == "done") {
      if (!fs::exists(folder_.file_of(*c)) && !waited(task.unseen, kVisible)) return false;
      if (task.current != c) dispatcher_->begins(*c);
      close(task, at);
      dispatcher_->finished(*c);
    } else if (what == "died") {
      const json words = json::parse(more, nullptr, false);
      close(task, at);
      dispatcher_->died(*c, words.is_object() ? Death{.how = words.value("how", ""),
                                                      .words = words.value("words", "")}
                                              : Death{});
    } else if (what == "late") {
      close(task, at);
      dispatcher_->timed_out(*c, std::strtod(more.c_str(), nullptr));
    }
    return true;
  }

  static void close(Task& task, std::map<std::string, const Case*>::iterator at) {
    if (task.current == at->second) task.current = nullptr;
    if (task.cut == at->second) task.cut = nullptr;
    task.unseen.reset();
    task.progressed = true;
    task.open.erase(at);
  }

  static bool waited(std::optional<Clock::time_point>& since, Clock::duration time) {
    if (!since) since = Clock::now();
    return Clock::now() - *since >= time;
  }

  /// The case that it was in when it was lost: a dispatcher counts how often that happens.
  void lose_current(Task& task, const std::string& why) {
    if (task.current == nullptr) return;
    const Case& c = *std::exchange(task.current, nullptr);
    task.open.erase(c.hash);
    dispatcher_->died(c, {.how = why, .words = ""});
  }

  void return_rest(Task& task) {
    Shard rest;
    for (const std::string& hash : task.order) {
      if (const auto at = task.open.find(hash); at != task.open.end()) rest.push_back(at->second);
    }
    task.open.clear();
    if (!rest.empty()) dispatcher_->returned(rest);
  }

  void give_back() {
    for (Task& task : tasks_) {
      task.current = nullptr;
      return_rest(task);
    }
    tasks_.clear();
  }

  // ---- what Slurm says

  void ask() {
    const auto now = Clock::now();
    if (tasks_.empty() || now < next_ask_) return;
    const std::optional<std::vector<SlurmTask>> known = slurm_.tasks();
    next_ask_ = Clock::now() + kAsk;
    if (!known.has_value()) {
      if (!silent_) {
        silent_ = now;
        dispatcher_->note(
            fmt::format("Slurm does not answer, tasks that run go on: {}", slurm_.silence()));
      }
      if (now - std::max(*silent_, heard_) > kGiveUp) {
        throw sim::InputError(
            fmt::format("neither Slurm nor its tasks have said anything for {} min: {}",
                        kGiveUp.count(), slurm_.silence()));
      }
      return;
    }
    if (silent_) dispatcher_->note("Slurm answers again");
    silent_.reset();
    std::map<std::pair<uint64_t, size_t>, const SlurmTask*> by_task;
    for (const SlurmTask& one : *known) by_task[{one.job, one.index}] = &one;
    say_what_waits(*known);
    for (auto task = tasks_.begin(); task != tasks_.end();) {
      const auto at = by_task.find({task->job, task->index});
      const bool gone = at == by_task.end() ? is_unknown(*task) : is_gone(*task, *at->second);
      task = gone ? tasks_.erase(task) : std::next(task);
    }
  }

  /// Each reason once: that a machine is full is none.
  void say_what_waits(const std::vector<SlurmTask>& known) {
    std::map<std::string, size_t> reasons;
    for (const SlurmTask& one : known) {
      if (one.waits() && !one.held()) ++reasons[one.reason];
    }
    for (const auto& [reason, count] : reasons) {
      if (usual_.contains(reason) || !said_.insert(reason).second) continue;
      dispatcher_->note(fmt::format("{} Slurm task{} wait{}: {}", count, count == 1 ? "" : "s",
                                    count == 1 ? "s" : "", reason));
    }
  }

  /// Slurm has forgotten it.
  bool is_unknown(Task& task) {
    if (!waited(task.over, kSilent)) return false;
    lose(task, "Slurm does not know it any more", 0);
    return true;
  }

  bool is_gone(Task& task, const SlurmTask& slurm) {
    if (slurm.over()) {
      // Its last lines may be on their way.
      if (!waited(task.over, kSilent)) return false;
      lose(task,
           fmt::format("{}{}{}", slurm.state, slurm.reason == "None" ? "" : ", " + slurm.reason,
                       slurm.node.empty() ? "" : ", on " + slurm.node),
           slurm.status);
      return true;
    }
    task.over.reset();
    if (slurm.restarts > task.restarts) {
      task.restarts = slurm.restarts;
      if (task.restarts > 1) {
        slurm_.cancel(task.job, task.index);
        lose(task, "it was requeued twice", 0);
        return true;
      }
      dispatcher_->note(fmt::format("{} was requeued{}: it begins again", label(task),
                                    task.host.empty() ? "" : ", away from " + task.host));
    }
    // Slurm would let it wait for two minutes; told so while the run before is still ending, it
    // does not listen.
    if (task.restarts > 0 && slurm.waits() &&
        (!std::exchange(task.hastened, true) || slurm.reason == "BeginTime")) {
      slurm_.begin_now(task.job, task.index);
    }
    if (slurm.held()) {
      if (std::exchange(task.released, true)) {
        throw sim::InputError(
            fmt::format("{} is held again, after its release: {}", label(task), slurm.reason));
      }
      dispatcher_->note(fmt::format("{} is held ({}): released", label(task), slurm.reason));
      slurm_.release(task.job, task.index);
    }
    return false;
  }

  /// It is over, and has not said so.
  void lose(Task& task, const std::string& why, int status) {
    const std::string what = fmt::format("{} was lost ({})", label(task), why);
    if (!task.started) {
      const int code = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
      if (code == kNotFound || code == kNotExecutable) {
        throw sim::InputError(fmt::format("{}: its node cannot start '{}' (exit code {})", what,
                                          options_.program, code));
      }
      if (code == kSlurmNotShared) {
        throw sim::InputError(
            fmt::format("{}: its node does not see '{}' as this machine does; --out names a folder "
                        "that all nodes share",
                        what, fs::absolute(folder_.path()).string()));
      }
    }
    if (task.current != nullptr) {
      lose_current(task, what);
    } else if (task.cut != nullptr && ++cut_[task.cut->hash] > 1) {
      const Case& c = *std::exchange(task.cut, nullptr);
      task.open.erase(c.hash);
      dispatcher_->died(c, {.how = fmt::format("{}, and cut off as before", what), .words = ""});
    } else if (!task.progressed) {
      for (const auto& [hash, c] : task.open) {
        if (!lost_.insert(hash).second) {
          throw sim::InputError(fmt::format("{}, as before, without beginning a case", what));
        }
      }
    }
    if (!task.open.empty()) {
      dispatcher_->note(
          fmt::format("{}: its {} other cases are submitted again", what, task.open.size()));
    }
    return_rest(task);
  }

  // ---- the end

  /// No job is left behind.
  void end_jobs() {
    if (batches_ == 0) return;
    slurm_.cancel_all();
    const auto until = Clock::now() + kEnd;
    for (;;) {
      const std::optional<std::vector<SlurmTask>> known = slurm_.tasks();
      if (known && std::ranges::all_of(*known, &SlurmTask::over)) return;
      if (Clock::now() >= until || !known) {
        jobs_left_ = true;
        dispatcher_->note(fmt::format(
            "{}: its jobs '{}' end by themselves, for their controller is silent from now on",
            known ? "Slurm does not end what was cancelled" : slurm_.silence(), name_));
        return;
      }
      std::this_thread::sleep_for(kRound);
    }
  }

  const Folder& folder_;
  const Order& order_;
  const SlurmFarmOptions options_;
  const SlurmFolder files_;
  const std::string token_, name_;
  Slurm slurm_;
  const size_t most_tasks_;
  Dispatcher* dispatcher_ = nullptr;
  std::list<Task> tasks_;
  size_t batches_ = 0;
  uint64_t newest_ = 0;  // array, which may run ...
  size_t newest_limit_ = 0;
  Clock::time_point next_ask_;
  std::optional<Clock::time_point> silent_;  // Slurm is, since then
  Clock::time_point heard_ = Clock::now();   // of a task
  bool jobs_left_ = false;
  const std::set<std::string> usual_ = {"None", "Resources", "Priority", "JobArrayTaskLimit",
                                        "BeginTime"};
  std::set<std::string> said_;      // reasons to wait
  std::set<std::string> lost_;      // cases of tasks that were lost before they did anything
  std::map<std::string, int> cut_;  // how often cases were cut off
};

}  // namespace

std::unique_ptr<Farm> slurm_farm(const Folder& folder, const Order& order,
                                 SlurmFarmOptions options) {
  return std::make_unique<SlurmFarm>(folder, order, std::move(options));
}

void require_slurm() { Slurm("").most_tasks(); }

void end_stale_slurm_jobs(const Folder& folder) {
  const SlurmFolder files(folder.path());
  std::ifstream file(files.job());
  std::string name;
  if (!std::getline(file, name) || name.empty()) return;
  // Without it tasks end by themselves, also where this machine has no Slurm.
  std::error_code error;
  fs::remove(files.heartbeat(), error);
  cancel_slurm_jobs(name);
}

}  // namespace gw::regress
