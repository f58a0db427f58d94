// SPDX-License-Identifier: Apache-2.0
#include "sim/regress/slurm.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <boost/asio/io_context.hpp>
#include <boost/process/args.hpp>
#include <boost/process/async.hpp>
#include <boost/process/child.hpp>
#include <boost/process/extend.hpp>
#include <boost/process/io.hpp>
#include <boost/process/search_path.hpp>
#include <charconv>
#include <future>
#include <sstream>
#include <string_view>

#include "sim/base/error.h"

namespace gw::regress {
namespace {

namespace bp = boost::process;

struct Said {
  int code = -1;
  std::string out, err;
};

/// What a command that failed said, in one line.
std::string reason_of(const Said& said, const std::string& command) {
  std::string words = said.err.empty() ? said.out : said.err;
  while (!words.empty() && words.back() == '\n') words.pop_back();
  for (char& c : words) {
    if (c == '\n') c = ' ';
  }
  return words.empty() ? fmt::format("{} ended with exit code {}", command, said.code) : words;
}

/// Waits for it. It is in a group of its own: Ctrl-C must not end a command between its deed and
/// its answer.
Said call(const std::string& command, const std::vector<std::string>& words) {
  const auto program = bp::search_path(command);
  if (program.empty()) return {.code = 127, .out = "", .err = command + " is not in PATH"};
  boost::asio::io_context io;
  std::future<std::string> out, err;
  std::error_code error;
  bp::child child(program, bp::args(words), bp::std_in<bp::null, bp::std_out> out,
                  bp::std_err > err, io, error,
                  bp::extend::on_exec_setup([](auto& /*executor*/) { ::setpgid(0, 0); }));
  if (error) return {.code = 127, .out = "", .err = command + ": " + error.message()};
  io.run();
  child.wait(error);
  return {.code = child.exit_code(), .out = out.get(), .err = err.get()};
}

std::string element(uint64_t job, size_t index) { return fmt::format("{}_{}", job, index); }

struct Column {
  const char* name;
  size_t width;
};
constexpr std::array<Column, 7> kColumns = {{{"ArrayJobID", 16},
                                             {"ArrayTaskID", 16},
                                             {"State", 24},
                                             {"RestartCnt", 12},
                                             {"exit_code", 16},
                                             {"NodeList", 80},
                                             {"Reason", 200}}};

std::string format_of_columns() {
  std::string format;
  for (const Column& column : kColumns) {
    format += fmt::format("{}{}:{}", format.empty() ? "" : ",", column.name, column.width);
  }
  return format;
}

std::string_view trimmed(std::string_view text) {
  const size_t first = text.find_first_not_of(' ');
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(' ') - first + 1);
}

template <class Number>
bool parse(std::string_view text, Number& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

/// As of wait. Slurm 22.05 says it so, 24.11 "CODE:SIGNAL".
int status_of(std::string_view text) {
  int status = 0, signal = 0;
  const size_t colon = text.find(':');
  if (!parse(text.substr(0, colon), status) || colon == std::string_view::npos) return status;
  parse(text.substr(colon + 1), signal);
  return W_EXITCODE(status, signal);
}

/// A line of squeue; nothing for what is no task of an array.
std::optional<SlurmTask> task_of(std::string_view line) {
  std::array<std::string_view, kColumns.size()> fields;
  for (size_t i = 0; i < kColumns.size(); ++i) {
    const size_t width = std::min(kColumns[i].width, line.size());
    fields[i] = trimmed(line.substr(0, width));
    line.remove_prefix(width);
  }
  SlurmTask task;
  if (!parse(fields[0], task.job) || !parse(fields[1], task.index)) return std::nullopt;
  task.state = fields[2];
  parse(fields[3], task.restarts);
  task.status = status_of(fields[4]);
  task.node = fields[5];
  task.reason = fields[6];
  return task;
}

void end_by_name(const std::string& name) {
  call("scancel", {fmt::format("--user={}", ::getuid()), "--name=" + name});
}

}  // namespace

bool SlurmTask::held() const {
  if (state == "REQUEUE_HOLD" || state == "SPECIAL_EXIT") return true;
  return waits() && (reason.starts_with("JobHeld") || reason.find("held") != std::string::npos);
}

bool SlurmTask::over() const {
  for (const char* end : {"COMPLETED", "FAILED", "CANCELLED", "TIMEOUT", "NODE_FAIL", "BOOT_FAIL",
                          "OUT_OF_MEMORY", "DEADLINE", "PREEMPTED", "REVOKED"}) {
    if (state == end) return true;
  }
  return false;
}

Slurm::Slurm(std::string name) : name_(std::move(name)) {
  for (const char* command : {"sbatch", "squeue", "scontrol", "scancel"}) {
    if (bp::search_path(command).empty()) {
      throw sim::UsageError(fmt::format(
          "--farm slurm needs Slurm's commands, and there is no '{}' in PATH", command));
    }
  }
}

size_t Slurm::most_tasks() const {
  const Said said = call("scontrol", {"show", "config"});
  if (said.code != 0) {
    throw sim::InputError(
        fmt::format("Slurm does not answer: {}", reason_of(said, "scontrol show config")));
  }
  std::istringstream lines(said.out);
  for (std::string line; std::getline(lines, line);) {
    const size_t equals = line.find('=');
    if (equals == std::string::npos || trimmed(line.substr(0, equals)) != "MaxArraySize") continue;
    const std::string value(trimmed(std::string_view(line).substr(equals + 1)));
    size_t most = 0;  // the largest index is one less
    if (parse(std::string_view(value), most) && most >= 1) return most;
    throw sim::InputError(
        fmt::format("this Slurm takes no arrays of jobs (MaxArraySize = {})", value));
  }
  throw sim::InputError("this Slurm does not say its MaxArraySize (scontrol show config)");
}

uint64_t Slurm::submit(const SlurmArray& array) const {
  std::vector<std::string> words = {
      "--parsable",          fmt::format("--array=0-{}%{}", array.tasks - 1, array.at_most),
      "--requeue",           "--signal=B:TERM@30",
      "--job-name=" + name_, "--output=/dev/null"};
  if (array.exclusive) words.emplace_back("--exclusive");
  words.insert(words.end(), array.options.begin(), array.options.end());
  words.push_back(array.script);
  words.push_back(std::to_string(array.batch));
  const Said said = call("sbatch", words);
  uint64_t job = 0;
  if (said.code != 0 ||
      !parse(std::string_view(said.out).substr(0, said.out.find_first_of(";\n")), job)) {
    throw sim::InputError(
        fmt::format("Slurm does not take the jobs: {}", reason_of(said, "sbatch")));
  }
  return job;
}

std::optional<std::vector<SlurmTask>> Slurm::tasks() {
  const Said said =
      call("squeue", {"--noheader", "--array", "--states=all", fmt::format("--user={}", ::getuid()),
                      "--name=" + name_, "--Format=" + format_of_columns()});
  if (said.code != 0) {
    silence_ = reason_of(said, "squeue");
    return std::nullopt;
  }
  std::vector<SlurmTask> tasks;
  std::istringstream lines(said.out);
  for (std::string line; std::getline(lines, line);) {
    if (std::optional<SlurmTask> task = task_of(line)) tasks.push_back(std::move(*task));
  }
  return tasks;
}

void Slurm::release(uint64_t job, size_t index) const {
  call("scontrol", {"release", element(job, index)});
}
void Slurm::begin_now(uint64_t job, size_t index) const {
  call("scontrol", {"update", "JobId=" + element(job, index), "StartTime=now"});
}
void Slurm::limit(uint64_t job, size_t at_most) const {
  call("scontrol",
       {"update", fmt::format("JobId={}", job), fmt::format("ArrayTaskThrottle={}", at_most)});
}
void Slurm::cancel(uint64_t job, size_t index) const { call("scancel", {element(job, index)}); }
void Slurm::cancel_all() const { end_by_name(name_); }

void cancel_slurm_jobs(const std::string& name) { end_by_name(name); }
void cancel_slurm_array(const std::string& job) { call("scancel", {job}); }

}  // namespace gw::regress
