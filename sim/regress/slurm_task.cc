// SPDX-License-Identifier: Apache-2.0
#include "sim/regress/slurm_task.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <set>

#include "sim/base/error.h"
#include "sim/base/file_bytes.h"
#include "sim/regress/folder.h"
#include "sim/regress/local_farm.h"
#include "sim/regress/slurm.h"
#include "sim/regress/slurm_folder.h"
#include "sim/regress/worker.h"

namespace gw::regress {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using Clock = std::chrono::steady_clock;

constexpr auto kLookAgain = std::chrono::seconds(1);

/// What Slurm says in the environment.
size_t number_of(const char* variable, bool needed) {
  const char* const text = std::getenv(variable);
  if (text == nullptr && !needed) return 0;
  if (text == nullptr)
    throw sim::UsageError("tasks are started by Slurm, for regress --farm slurm");
  return static_cast<size_t>(std::strtoull(text, nullptr, 10));
}

/// The lines for the controller. They reach the other machine at the latest a second after they
/// were written.
class Lines {
 public:
  explicit Lines(const fs::path& path)
      : file_(::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666)) {
    if (file_ < 0) {
      throw sim::InputError(
          fmt::format("cannot write '{}': {}", path.string(), std::strerror(errno)));
    }
  }
  ~Lines() {
    flush();
    ::close(file_);
  }
  Lines(const Lines&) = delete;
  Lines& operator=(const Lines&) = delete;

  void say(const std::string& line) {
    const std::string text = line + "\n";
    // A line that is not whole does not count: the controller takes what it stood for as lost.
    if (::write(file_, text.data(), text.size()) >= 0) said_ = true;
  }
  void flush() {
    if (std::exchange(said_, false)) ::fdatasync(file_);
  }

 private:
  int file_;
  bool said_ = false;
};

/// The controller's sign of life.
class Pulse {
 public:
  Pulse(fs::path file, std::string token) : file_(std::move(file)), token_(std::move(token)) {}

  /// The token is there, and so is the controller as far as can be told.
  bool beats(double patience) {
    const auto now = Clock::now();
    std::string token, count;
    std::ifstream stream(file_);
    if (stream >> token >> count) {
      if (token != token_) return false;
      if (count != last_) heard_ = now;
      last_ = count;
    } else if (std::error_code error; !fs::exists(file_, error) && !error) {
      return false;
    }
    return std::chrono::duration<double>(now - heard_).count() < patience;
  }

 private:
  const fs::path file_;
  const std::string token_;
  std::string last_;
  Clock::time_point heard_ = Clock::now();
};

/// Hands the cases to a worker, and what becomes of them to the controller.
class Relay final : public Dispatcher {
 public:
  Relay(Shard cases, std::map<std::string, double> allowed, double patience, Lines& lines,
        Pulse& pulse, const std::function<bool()>& interrupted)
      : waiting_(std::move(cases)),
        allowed_(std::move(allowed)),
        patience_(patience),
        lines_(lines),
        pulse_(pulse),
        interrupted_(interrupted) {}

  bool through() const { return waiting_.empty() && !stopped_; }
  bool alone() const { return alone_; }

  Shard next_shard() override { return stopped_ ? Shard() : std::exchange(waiting_, {}); }
  double allowed(const Case& c) const override { return allowed_.at(c.hash); }
  double begins(const Case& c) override {
    current_ = &c;
    lines_.say("begin " + c.hash);
    return allowed(c);
  }
  void finished(const Case& c) override {
    current_ = nullptr;
    lines_.say("done " + c.hash);
  }
  void died(const Case& c, const Death& death) override {
    // Slurm tells all processes of a job to end, in an order of its own.
    if (interrupted_() || death.how == fmt::format("exit code {}", kCutOff)) return returned({&c});
    current_ = nullptr;
    const json words = {{"how", death.how}, {"words", death.words}};
    lines_.say("died " + c.hash + " " + words.dump(-1, ' ', true, json::error_handler_t::replace));
    lines_.flush();
  }
  void timed_out(const Case& c, double seconds) override {
    current_ = nullptr;
    lines_.say(fmt::format("late {} {}", c.hash, seconds));
  }
  void returned(const Shard& cases) override {
    if (current_ != nullptr && cases.front() == current_) {
      lines_.say("back " + current_->hash);
      current_ = nullptr;
    }
    waiting_.insert(waiting_.begin(), cases.begin(), cases.end());
  }
  bool goes_on() override {
    stopped_ = stopped_ || interrupted_();
    if (const auto now = Clock::now(); !stopped_ && now >= next_) {
      next_ = now + kLookAgain;
      lines_.flush();
      alone_ = !pulse_.beats(patience_);
      stopped_ = alone_;
    }
    return !stopped_;
  }

 private:
  Shard waiting_;
  const std::map<std::string, double> allowed_;
  const double patience_;
  Lines& lines_;
  Pulse& pulse_;
  const std::function<bool()>& interrupted_;
  const Case* current_ = nullptr;
  Clock::time_point next_;
  bool stopped_ = false, alone_ = false;
};

/// Cases that a task was in when its node was lost: whether they are tried again is the
/// controller's to say.
std::set<std::string> lost_before(const SlurmFolder& files, size_t batch, size_t index,
                                  int restarts) {
  std::set<std::string> lost;
  for (int before = 0; before < restarts; ++before) {
    std::ifstream lines(files.lines(batch, index, before));
    for (std::string line; std::getline(lines, line);) {
      const size_t space = line.find(' ');
      if (space == std::string::npos) continue;
      const std::string what = line.substr(0, space),
                        hash = line.substr(space + 1, line.find(' ', space + 1) - space - 1);
      // One whose result is there is told by its file.
      if (what == "begin" || what == "died" || what == "late") lost.insert(hash);
      if (what == "back") lost.erase(hash);
    }
  }
  return lost;
}

}  // namespace

int slurm_task(const SlurmTaskOptions& options) {
  const size_t index = number_of("SLURM_ARRAY_TASK_ID", true);
  const int restarts = static_cast<int>(number_of("SLURM_RESTART_COUNT", false));
  const SlurmFolder files(options.folder);
  Pulse pulse(files.heartbeat(), options.token);
  // The token must be there, and one that cannot be read will not be there in a moment either.
  if (!pulse.beats(1) || !fs::exists(files.heartbeat())) return kSlurmNotShared;

  Lines lines(files.lines(options.batch, index, restarts));
  lines.say(fmt::format("start {} {}", options.token, host_name()));
  lines.flush();
  try {
    const json shard = json::parse(sim::bytes_of_file(files.shard(options.batch, index)));
    const std::string from = shard.at("from");
    if (::chdir(from.c_str()) != 0) {
      throw sim::InputError(
          fmt::format("the folder '{}', where the regression was started, is not "
                      "there: {}",
                      from, std::strerror(errno)));
    }
    const Folder folder(options.folder);
    Order order;
    order.program = shard.at("program");
    order.command = shard.at("command");
    std::map<std::string, double> allowed;
    for (size_t i = 0; i < shard.at("cases").size(); ++i) {
      order.cases.push_back(case_of(shard.at("cases").at(i)));
      allowed[order.cases.back().hash] = shard.at("allowed").at(i);
    }
    const std::set<std::string> lost = lost_before(files, options.batch, index, restarts);
    Shard cases;
    for (const Case& c : order.cases) {
      if (restarts > 0 && read_entry(folder.file_of(c))) {
        lines.say("done " + c.hash);
      } else if (!lost.contains(c.hash)) {
        cases.push_back(&c);
      }
    }
    Relay relay(std::move(cases), std::move(allowed), shard.at("patience"), lines, pulse,
                options.interrupted);
    local_farm(folder, order,
               {.program = options.program,
                .arguments = options.arguments,
                .jobs = 1,
                .shards = fmt::format("{}-{}-{}-", options.batch, index, restarts)})
        ->run(relay);
    if (relay.alone()) {
      const char* const job = std::getenv("SLURM_ARRAY_JOB_ID");
      if (job != nullptr) cancel_slurm_array(job);
      return sim::kInternal;
    }
    if (!relay.through()) return kCutOff;
    lines.say("end");
    return sim::kPass;
  } catch (const sim::UserError& error) {
    lines.say(std::string("stop ") + error.what());
    return error.code();
  } catch (const std::exception& error) {
    lines.say(std::string("stop internal fault: ") + error.what());
    return sim::kInternal;
  }
}

}  // namespace gw::regress
