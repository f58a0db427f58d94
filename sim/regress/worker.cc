// SPDX-License-Identifier: Apache-2.0
#include "sim/regress/worker.h"

#include <fmt/format.h>
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <fstream>
#include <iterator>

#include "sim/base/error.h"
#include "sim/base/file_bytes.h"
#include "sim/base/interrupt.h"
#include "sim/base/tool_words.h"
#include "sim/regress/folder.h"
#include "sim/report/json.h"
#include "sim/report/text.h"

namespace gw::regress {
namespace {

using nlohmann::json;
using Clock = std::chrono::steady_clock;

std::string one_line(std::string text) {
  for (char& c : text) {
    if (c == '\n' || c == '\r') c = ' ';
  }
  return text;
}

json shard_of(const std::filesystem::path& path) {
  const json document = json::parse(sim::bytes_of_file(path), nullptr, false);
  if (!document.is_object() || !document.contains("cases")) {
    throw sim::InputError(fmt::format("'{}' is no list of cases", path.string()));
  }
  return document;
}

}  // namespace

int work(const WorkerOptions& options, const Runner& run) {
  const auto say = [&options](const std::string& line) { options.say(line); };
  try {
    const Folder folder(options.folder);
    const json shard = shard_of(options.shard);
    if (shard.at("program") != options.program) {
      throw sim::UsageError(
          "this is another build of gradwire, or other RTL, than that of the regression");
    }
    const std::string host = host_name(), command = shard.at("command");
    for (const json& document : shard.at("cases")) {
      Entry entry{case_of(document), {}};
      say("begin " + entry.what.hash);
      const std::string began = timestamp();
      const auto begin = Clock::now();
      try {
        const json report = run(entry.what, command_of(command, entry.what),
                                [&](const std::string& what) { say("busy " + one_line(what)); });
        if (report.contains("interrupted")) return kCutOff;
        entry.result = judge(entry.what, report);
        // Before the case itself, whose file says that it is done.
        if (report.contains(kCoveragePoints)) {
          const std::filesystem::path points = folder.path() / kCoverageFolder;
          std::filesystem::create_directories(points);
          sim::write_report_file((points / (entry.what.hash + ".json")).string(),
                                 report.at(kCoveragePoints).dump() + "\n");
        }
      } catch (const sim::UserError& error) {
        if (sim::interrupted()) return kCutOff;  // as what it was about, a build perhaps, says
        // A tool's first error belongs to the line that the terminal shows.
        const sim::ToolWords words(error.what());
        const auto first = std::ranges::find_if(words.lines, [](const std::string& line) {
          return line.find("rror") != std::string::npos;
        });
        const bool any = first != words.lines.end();
        entry.result = refused(words.sentence + (any ? " " + *first : std::string()));
        entry.result.lines.assign({words.sentence});
        entry.result.lines.insert(entry.result.lines.end(), words.lines.begin(), words.lines.end());
      } catch (const std::exception& error) {
        if (sim::interrupted()) return kCutOff;
        entry.result = refused(fmt::format("internal fault: {}", one_line(error.what())));
      }
      if (entry.result.verdict == Verdict::kFail && entry.result.bucket.empty()) {
        entry.result.bucket = bucket_of(entry.what, "refused");
      }
      entry.result.seconds = std::chrono::duration<double>(Clock::now() - begin).count();
      entry.result.began = began;
      entry.result.host = host;
      folder.write(entry);
      say("done " + entry.what.hash);
    }
    return sim::kPass;
  } catch (const sim::UserError& error) {
    say("stop " + one_line(error.what()));
    return error.code();
  } catch (const std::exception& error) {
    say("stop internal fault: " + one_line(error.what()));
    return sim::kInternal;
  }
}

bool follow_parent(int parent) {
  ::setpgid(0, 0);  // what it starts belongs to its group
  struct sigaction action = {};
  action.sa_handler = [](int) { ::kill(0, SIGKILL); };
  ::sigaction(SIGHUP, &action, nullptr);
  ::prctl(PR_SET_PDEATHSIG, SIGHUP);
  return ::getppid() == parent;  // it may have died before
}

std::string command_of(const std::string& program, const Case& c) {
  // A tool that has a path is a program of its own.
  const bool own = c.words.front().find('/') == std::string::npos;
  return (own ? sim::report::shell_word(program) + " " : "") + sim::report::shell_command(c.words);
}

}  // namespace gw::regress
