// SPDX-License-Identifier: Apache-2.0
#include "tools/gradwire/mutants.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <new>
#include <optional>
#include <system_error>

#include "sim/base/error.h"
#include "sim/harness/kernel.h"
#include "sim/run/bucket.h"

namespace gw::tools {
namespace {

using nlohmann::json;

constexpr size_t kJobsAtMost = 256;

/// What the processes share: who takes the next one, and who is at which.
struct Turns {
  std::atomic<uint32_t> next{0};
  std::array<std::atomic<uint32_t>, kJobsAtMost> at{};  ///< index + 1; 0: at none
};

/// A line of this length goes through a pipe in one piece.
void tell(int pipe, const json& document) {
  const std::string line = document.dump(-1, ' ', true, json::error_handler_t::replace) + "\n";
  if (::write(pipe, line.data(), std::min<size_t>(line.size(), 4096)) < 0) ::_exit(1);
}

[[noreturn]] void work(MutantRuns& runs, const std::vector<uint32_t>& numbers, Turns& turns,
                       size_t self, int pipe) {
  for (uint32_t i; (i = turns.next++) < numbers.size();) {
    turns.at[self] = i + 1;
    try {
      const MutantResult result = runs.run(numbers[i]);
      if (sim::interrupted()) ::_exit(0);
      tell(pipe, result.to_json());
    } catch (const sim::UserError& error) {
      tell(pipe, {{"error", std::string(error.what()).substr(0, 3000)}, {"code", error.code()}});
      ::_exit(0);
    }
    turns.at[self] = 0;
  }
  ::_exit(0);
}

}  // namespace

json MutantResult::to_json() const {
  return {{"number", number}, {"killed", killed}, {"cycle", cycle}, {"by", by}, {"run", run}};
}

MutantResult MutantResult::of(const json& document) {
  return {.number = document.at("number"),
          .killed = document.at("killed"),
          .cycle = document.at("cycle"),
          .by = document.at("by"),
          .run = document.at("run")};
}

const RunRequest& MutantRuns::request(size_t point, uint64_t round) {
  const auto [at, is_new] = requests_.try_emplace({point, round});
  if (is_new) {
    const regress::Point& p = points_[point];
    uint64_t seed = 0;
    if (!p.seeds.empty()) {
      seed = round <= p.seeds.size() ? p.seeds[round - 1]
                                     : *std::ranges::max_element(p.seeds) + round - p.seeds.size();
    }
    const regress::Case c = regress::case_at(plan_, p, seed, round);
    at->second = parse_run({c.words.begin() + 1, c.words.end()}, c.name);
  }
  return at->second;
}

/// Whether it passed.
bool MutantRuns::one(const RunRequest& request, MutantResult& result) const {
  sim::RunSpec spec = request.run.spec;
  const uint32_t number = result.number;
  spec.mutant = mutants_;
  spec.mutant.number = number;
  result.run = request.run.command;
  const std::unique_ptr<sim::Source> source = request.device->source(spec);
  try {
    const sim::Outcome outcome =
        request.device->run(*source, spec, sim::Kernel::instance(), nullptr);
    result.cycle += outcome.timeline.cycles;
    if (outcome.passed || outcome.interrupted) return true;
    result.by = sim::bucket_of(*request.device, spec, outcome.failure);
  } catch (const sim::UserError&) {
    throw;
  } catch (const std::exception& error) {
    result.by = fmt::format("broken off: {}", error.what());
  }
  return false;
}

MutantResult MutantRuns::run(uint32_t number) {
  MutantResult result{.number = number, .killed = false, .cycle = 0, .by = "", .run = ""};
  for (uint64_t round = 1; result.cycle < cycles_; ++round) {
    bool any = false;
    for (size_t p = 0; p < points_.size() && result.cycle < cycles_; ++p) {
      if (round > 1 && points_[p].seeds.empty()) continue;
      any = true;
      result.killed = !one(request(p, round), result);
      if (result.killed || sim::interrupted()) return result;
    }
    if (!any || number == 0) break;
  }
  result.run.clear();
  return result;
}

bool run_mutants(MutantRuns& runs, const std::vector<uint32_t>& all, size_t jobs,
                 const std::function<void(const MutantResult&)>& ended) {
  void* const memory =
      ::mmap(nullptr, sizeof(Turns), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  const std::unique_ptr<void, void (*)(void*)> held(memory,
                                                    [](void* m) { ::munmap(m, sizeof(Turns)); });
  std::vector<uint32_t> left = all;
  std::optional<std::pair<std::string, int>> error;
  while (!left.empty() && !error && !sim::interrupted()) {
    Turns& turns = *new (memory) Turns;
    const std::vector<uint32_t> began = left;
    int pipe[2];
    if (::pipe(pipe) != 0) throw std::system_error(errno, std::generic_category());
    std::vector<pid_t> children;
    std::fflush(nullptr);
    for (size_t j = 0; j < std::min({jobs, left.size(), kJobsAtMost}); ++j) {
      const pid_t child = ::fork();
      if (child == 0) {
        ::close(pipe[0]);
        work(runs, began, turns, j, pipe[1]);
      }
      if (child > 0) children.push_back(child);
    }
    ::close(pipe[1]);
    if (children.empty()) throw std::system_error(errno, std::generic_category());
    std::string text;
    std::array<char, 4096> part;
    for (ssize_t n; (n = ::read(pipe[0], part.data(), part.size())) != 0;) {
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) break;
      text.append(part.data(), static_cast<size_t>(n));
      for (size_t end; (end = text.find('\n')) != std::string::npos; text.erase(0, end + 1)) {
        const json line = json::parse(text.substr(0, end));
        if (line.contains("error")) {
          error.emplace(line.at("error"), line.at("code"));
          continue;
        }
        const MutantResult result = MutantResult::of(line);
        std::erase(left, result.number);
        ended(result);
      }
    }
    ::close(pipe[0]);
    for (size_t j = 0; j < children.size(); ++j) {
      int status = 0;
      while (::waitpid(children[j], &status, 0) < 0 && errno == EINTR) {
      }
      const uint32_t at = turns.at[j];
      if (!WIFSIGNALED(status) || at == 0 || sim::interrupted()) continue;
      const MutantResult result{.number = began[at - 1],
                                .killed = true,
                                .cycle = 0,
                                .by = fmt::format("crashed: {}", ::strsignal(WTERMSIG(status))),
                                .run = ""};
      std::erase(left, result.number);
      ended(result);
    }
  }
  if (error) {
    if (error->second == sim::kUsage) throw sim::UsageError(error->first);
    throw sim::InputError(error->first);
  }
  return left.empty();
}

}  // namespace gw::tools
