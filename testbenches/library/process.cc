// SPDX-License-Identifier: Apache-2.0
#include "testbenches/library/process.h"

#include <unistd.h>

#include <boost/process/args.hpp>
#include <boost/process/child.hpp>
#include <boost/process/io.hpp>
#include <boost/process/search_path.hpp>
#include <boost/process/start_dir.hpp>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <map>
#include <memory>
#include <system_error>
#include <thread>

#include "sim/base/error.h"
#include "sim/base/file_bytes.h"
#include "sim/base/interrupt.h"

namespace gw::testbenches {
namespace {

namespace bp = boost::process;

struct Close {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, Close>;

std::string words_of(std::FILE* file) {
  std::string words;
  std::rewind(file);
  char part[4096];
  for (size_t n; (n = std::fread(part, 1, sizeof part, file)) > 0;) words.append(part, n);
  return words;
}

/// A process and all that it has begun. They stay in this program's process group, which others end
/// as a whole.
void kill_tree(pid_t root) {
  std::multimap<pid_t, pid_t> begun;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator("/proc", ignored)) {
    const std::string stat = sim::bytes_if_readable(entry.path() / "stat").value_or("");
    const size_t name_end = stat.rfind(") ");  // a name may hold anything
    pid_t pid = 0, parent = 0;
    if (name_end == std::string::npos || std::sscanf(stat.c_str(), "%d", &pid) != 1 ||
        std::sscanf(stat.c_str() + name_end, ") %*c %d", &parent) != 1) {
      continue;
    }
    begun.emplace(parent, pid);
  }
  std::vector<pid_t> all{root};
  for (size_t i = 0; i < all.size(); ++i) {
    ::kill(all[i], SIGKILL);
    const auto [first, last] = begun.equal_range(all[i]);
    for (auto child = first; child != last; ++child) all.push_back(child->second);
  }
}

}  // namespace

std::string find_program(const std::string& name) {
  if (name.find('/') != std::string::npos) return ::access(name.c_str(), X_OK) == 0 ? name : "";
  return bp::search_path(name).string();
}

std::vector<Finished> run_programs(const std::vector<Command>& commands,
                                   const std::function<void()>& waiting) {
  std::vector<Finished> finished(commands.size());
  std::vector<File> files;
  std::vector<bp::child> children;
  for (size_t i = 0; i < commands.size(); ++i) {
    const Command& c = commands[i];
    files.emplace_back(std::tmpfile());
    std::error_code error;
    if (files.back() == nullptr) {
      finished[i].words = std::generic_category().message(errno);
      children.emplace_back();
      continue;
    }
    children.emplace_back(c.program, bp::args(c.arguments), bp::start_dir(c.folder),
                          bp::std_in<bp::null, (bp::std_out & bp::std_err)> files.back().get(),
                          error);
    if (error) finished[i].words = c.program + ": " + error.message();
  }
  const auto running = [&] {
    for (bp::child& child : children) {
      std::error_code error;
      if (child.valid() && child.running(error)) return true;
    }
    return false;
  };
  for (int polls = 0; running(); ++polls) {
    std::this_thread::sleep_for(std::chrono::milliseconds(polls < 50 ? 2 : 50));
    if (sim::interrupted()) {
      for (bp::child& child : children) {
        std::error_code ignored;
        if (!child.valid()) continue;
        if (child.running(ignored)) kill_tree(child.id());
        child.wait(ignored);
      }
      throw sim::UserError(sim::kCheckFailed, "interrupted");
    }
    if (waiting && (polls >= 50 || polls % 25 == 24)) waiting();
  }
  for (size_t i = 0; i < commands.size(); ++i) {
    if (!children[i].valid()) continue;
    std::error_code error;
    children[i].wait(error);
    finished[i].status = children[i].exit_code();
    finished[i].words = words_of(files[i].get());
  }
  return finished;
}

}  // namespace gw::testbenches
