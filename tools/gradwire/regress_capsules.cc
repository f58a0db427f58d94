// SPDX-License-Identifier: Apache-2.0
#include "tools/gradwire/regress_capsules.h"

#include <fmt/format.h>
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <set>

#include "sim/base/error.h"
#include "sim/harness/kernel.h"
#include "sim/regress/worker.h"
#include "testbenches/library/process.h"
#include "tools/gradwire/commands.h"
#include "tools/gradwire/run.h"

namespace gw::tools {
namespace {

namespace fs = std::filesystem;

constexpr const char* kFailures = "failures";
/// More causes than anybody looks at in a day.
constexpr size_t kMostCapsules = 20;

bool is_newer(const fs::path& capsule, const fs::path& than) {
  std::error_code missing;
  const auto made = fs::last_write_time(capsule, missing);
  return !missing && made >= fs::last_write_time(than, missing) && !missing;
}

void drop_others(const fs::path& failures, const std::set<std::string>& names) {
  std::error_code error;
  std::vector<fs::path> others;
  for (const fs::directory_entry& entry : fs::directory_iterator(failures, error)) {
    const fs::path& path = entry.path();
    const bool zip = path.extension() == ".zip";
    if (!names.contains(zip ? path.stem().string() : path.filename().string())) {
      others.push_back(path);
    }
  }
  for (const fs::path& path : others) fs::remove_all(path, error);
}

}  // namespace

void make_capsules(const regress::Folder& folder, const regress::Summary& summary,
                   const CapsuleOptions& options) {
  if (summary.ran.interrupted || !summary.ran.stopped.empty()) return;
  const fs::path failures = folder.path() / kFailures;
  std::set<std::string> names;
  std::vector<testbenches::Command> commands;
  std::vector<std::string> made;
  size_t left_out = 0;
  for (const regress::Bucket& bucket : summary.buckets) {
    const regress::Entry& entry = *bucket.first;
    if (bucket.known || !entry.result.diverged) continue;
    const std::string name = regress::capsule_name(bucket.text);
    names.insert(name);
    if (is_newer(failures / (name + ".zip"), folder.file_of(entry.what))) continue;
    if (commands.size() == kMostCapsules) {
      ++left_out;
      continue;
    }
    made.push_back(name);
    commands.push_back({.program = fs::read_symlink("/proc/self/exe").string(),
                        .arguments = {"regress", "capsule", folder.path().string(), entry.what.hash,
                                      name, options.shrink, std::to_string(::getpid())}});
  }
  drop_others(failures, names);
  if (commands.empty()) return;
  const auto say = [&](const std::string& text) {
    if (!options.quiet) options.note(text);
  };
  say(fmt::format("making {} capsule{}, --shrink {}{}", made.size(), made.size() == 1 ? "" : "s",
                  options.shrink,
                  left_out == 0 ? "" : fmt::format("; {} more buckets get none", left_out)));
  const auto began = std::chrono::steady_clock::now();
  for (size_t i = 0; i < commands.size() && !sim::interrupted(); i += options.jobs) {
    const size_t count = std::min(commands.size() - i, options.jobs);
    const auto begin = commands.begin() + static_cast<ptrdiff_t>(i);
    const auto waiting = [&] {
      const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - began;
      options.progress(fmt::format("{}/{} capsules made, {}  {}", i, made.size(),
                                   regress::duration_text(taken.count()), made[i]));
    };
    const std::vector<testbenches::Finished> finished =
        testbenches::run_programs({begin, begin + static_cast<ptrdiff_t>(count)}, waiting);
    for (size_t j = 0; j < finished.size(); ++j) {
      if (finished[j].status != sim::kCheckFailed) {
        options.note(fmt::format("no capsule {}: {}", made[i + j], one_line(finished[j].words)));
      } else {
        say(fmt::format("capsule {} of {}: {}", i + j + 1, made.size(), made[i + j]));
      }
    }
  }
}

int be_capsule_maker(const std::vector<std::string>& words) {
  if (words.size() != 6) throw sim::UsageError("capsules are made by regress itself");
  // Ctrl-C reaches it by itself; without its parent it comes to an end in the same way.
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (::getppid() != sim::parse_integer("parent", words[5], 1, INT32_MAX)) {
    throw sim::UsageError("capsules are made by regress itself");
  }
  const regress::Folder folder(words[1]);
  const std::optional<regress::Entry> entry =
      regress::read_entry(folder.cases() / (words[2] + ".json"));
  if (!entry) throw sim::InputError(fmt::format("there is no result '{}'", words[2]));
  std::vector<std::string> run(entry->what.words.begin() + 1, entry->what.words.end());
  const std::string capsule = (folder.path() / kFailures / words[3]).string();
  run.insert(run.end(), {"--quiet", "--capsule-out", capsule, "--shrink", words[4]});
  const std::string command = regress::command_of(folder.order()->command, entry->what);
  return sim::exit_code(execute_run(run, command));
}

}  // namespace gw::tools
