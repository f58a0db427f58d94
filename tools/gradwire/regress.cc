// gradwire regress: a plan of many runs, on a farm; and what is done with its results.
// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <fmt/format.h>
#include <fnmatch.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <map>
#include <memory>
#include <set>
#include <unordered_map>

#include "sim/base/error.h"
#include "sim/harness/kernel.h"
#include "sim/regress/baseline.h"
#include "sim/regress/case.h"
#include "sim/regress/coverage.h"
#include "sim/regress/local_farm.h"
#include "sim/regress/regression.h"
#include "sim/regress/slurm_farm.h"
#include "sim/regress/slurm_task.h"
#include "sim/regress/summary.h"
#include "sim/regress/worker.h"
#include "sim/report/json.h"
#include "sim/report/text.h"
#include "tools/gradwire/capsule.h"
#include "tools/gradwire/commands.h"
#include "tools/gradwire/device_options.h"
#include "tools/gradwire/regress_capsules.h"
#include "tools/gradwire/regress_cases.h"

namespace gw::tools {
namespace {

namespace fs = std::filesystem;

struct RegressArguments {
  std::vector<std::string> words;
  std::string program;  ///< as typed
  std::string farm = "local", out, jobs, budget, seed, only, rerun, rtl, top, device;
  std::string check, against, against_top;
  sim::UserRtl settings;  ///< of --rtl and --against
  std::string shrink = "60 s";
  bool dry_run = false, quiet = false;
};

/// The line of progress on standard error, and what is said between.
class Screen final : public regress::Observer {
 public:
  Screen(bool quiet, const regress::Baseline& baseline, const regress::KnownFailures& known)
      : terminal_(isatty(STDERR_FILENO) != 0), quiet_(quiet), baseline_(baseline), known_(known) {}
  ~Screen() override { clear(); }

  bool ended(const regress::Entry& entry) override {
    regress::Entry settled = entry;
    regress::settle(settled, baseline_, known_);
    const bool good = regress::passes(settled.result.verdict);
    if (!good) say(regress::failure_line(settled.what, settled.result, terminal_));
    return good;
  }
  void died(const regress::Case& c, const regress::Death& death) override {
    say(fmt::format("{}: its worker died ({}); it gets another", c.name, death.how));
  }
  void note(const std::string& sentence) override { say(sentence); }
  bool interrupted() override { return sim::interrupted(); }

  void progress(const regress::Progress& p) override {
    draw(fmt::format(
        "{}/{} done, {} failed, {} running, {:.1f} M cycles/s{}{}  {}", p.done, p.total, p.failed,
        p.running, p.seconds > 0 ? p.cycles / p.seconds * 1e-6 : 0.0,
        p.seconds_left > 0 ? ", " + regress::duration_text(p.seconds_left) + " left" : "",
        p.round > 1 ? fmt::format(", round {}", p.round) : "", p.last));
  }
  /// The line that is redrawn, on a terminal.
  void draw(const std::string& line) {
    if (quiet_ || !terminal_) return;
    const auto now = std::chrono::steady_clock::now();
    if (now - drawn_at_ < std::chrono::milliseconds(150)) return;
    drawn_at_ = now;
    winsize size = {};
    const bool known = ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 20;
    fmt::print(stderr, "\r\033[K{}", sim::report::shortened(line, known ? size.ws_col - 1u : 119u));
    std::fflush(stderr);
    drawn_ = true;
  }

 private:
  void say(const std::string& line) {
    clear();
    fmt::print(stderr, "{}\n", line);
  }
  void clear() {
    if (drawn_) fmt::print(stderr, "\r\033[K");
    drawn_ = false;
  }

  bool terminal_, quiet_, drawn_ = false;
  const regress::Baseline& baseline_;
  const regress::KnownFailures& known_;
  std::chrono::steady_clock::time_point drawn_at_;
};

/// A shell pattern of names, in which `*` stands for slashes, too; or of their beginnings up to a
/// slash.
bool matches(const std::string& pattern, const std::string& name) {
  return ::fnmatch(pattern.c_str(), name.c_str(), 0) == 0 ||
         ::fnmatch((pattern + "/*").c_str(), name.c_str(), 0) == 0;
}

/// Where the results of a plan lie beside one another.
fs::path results_of(const std::string& plan) { return fs::path("out") / "regress" / plan; }

/// A new folder, named by the time.
fs::path new_folder(const std::string& plan) {
  std::string stamp = regress::timestamp();
  std::ranges::replace(stamp, ':', '-');
  fs::path folder = results_of(plan) / stamp;
  for (int i = 2; fs::exists(folder); ++i)
    folder = results_of(plan) / fmt::format("{}-{}", stamp, i);
  return folder;
}

fs::path newest_folder(const std::string& plan) {
  fs::path newest;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(results_of(plan), error)) {
    if (fs::exists(entry.path() / "plan.json") && entry.path() > newest) newest = entry.path();
  }
  if (newest.empty()) {
    throw sim::UsageError(
        fmt::format("the plan '{}' has no result yet in '{}' (--out DIR names one)", plan,
                    results_of(plan).string()));
  }
  return newest;
}

/// The folder of a result that must be there.
regress::Folder result_folder(const std::string& path) {
  if (!fs::exists(fs::path(path) / "plan.json")) {
    throw sim::InputError(
        fmt::format("'{}' is no folder of a regression: it has no plan.json", path));
  }
  return regress::Folder(path);
}

regress::Order order_of(const regress::Folder& folder) { return *folder.order(); }

/// All cases of a folder's order, and those of later rounds, with what is known of them.
std::vector<regress::Entry> entries_of(const regress::Folder& folder, const regress::Order& order) {
  std::vector<regress::Entry> entries;
  std::unordered_map<std::string, size_t> index;
  for (const regress::Case& c : order.cases) {
    index.emplace(c.hash, entries.size());
    entries.push_back({c, {}});
  }
  folder.each_entry([&](regress::Entry&& entry) {
    const auto at = index.find(entry.what.hash);
    if (at != index.end()) {
      entries[at->second].result = std::move(entry.result);
    } else if (entry.what.round > 1) {
      entries.push_back(std::move(entry));
    }
  });
  std::stable_sort(entries.begin() + static_cast<ptrdiff_t>(order.cases.size()), entries.end(),
                   [](const regress::Entry& a, const regress::Entry& b) {
                     return std::pair(a.what.round, a.what.name) <
                            std::pair(b.what.round, b.what.name);
                   });
  return entries;
}

int report(const regress::Folder& folder, regress::Summary given, bool quiet,
           const std::function<void(const regress::Summary&)>& make_capsules = {}) {
  given.order.cases.clear();
  regress::fail_without_points(folder, given.entries);
  const regress::Baseline baseline = regress::Baseline::read(given.order.baseline);
  const regress::KnownFailures known = regress::KnownFailures::read(given.order.known);
  regress::Summary summary = regress::summarise(std::move(given), baseline, known);
  if (make_capsules) {
    const auto begin = std::chrono::steady_clock::now();
    make_capsules(summary);
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
    summary.ran.capsule_seconds = taken.count();
    summary.ran.seconds += taken.count();
  }
  regress::find_capsules(summary, folder.path());
  summary.coverage = regress::merge_coverage(folder, summary.entries);
  if (!quiet) {
    fmt::print("{}", regress::summary_text(summary, folder.path(), isatty(STDOUT_FILENO) != 0));
    std::fflush(stdout);
  }
  regress::write_reports(folder, summary);
  if (!summary.ran.stopped.empty()) throw sim::InputError(summary.ran.stopped);
  return summary.passed ? sim::kPass : sim::kCheckFailed;
}

std::string own_path() { return fs::read_symlink("/proc/self/exe").string(); }

/// What makes the program a worker.
std::vector<std::string> worker_words(const std::string& folder, const std::string& shard,
                                      int parent) {
  return {"regress", "worker", folder, shard, std::to_string(parent)};
}

// ---- a plan

class PlanRun {
 public:
  explicit PlanRun(const RegressArguments& a) : a_(a), plan_(read()) {}

  int run() {
    choose_cases();
    if (a_.dry_run) return print_cases();
    if (a_.farm == "slurm") regress::require_slurm();
    regress::Folder folder(!a_.out.empty()     ? fs::path(a_.out)
                           : !a_.rerun.empty() ? newest_folder(plan_.name)
                                               : new_folder(plan_.name));
    folder.lock();
    regress::end_stale_slurm_jobs(folder);
    folder.tidy();
    const regress::Baseline baseline = regress::Baseline::read(plan_.baseline);
    const regress::KnownFailures known = regress::KnownFailures::read(plan_.known);
    const regress::Order order = take_order(folder);
    if (!a_.rerun.empty()) choose_failed(folder, order, baseline);
    folder.write(order);
    if (!a_.quiet) {
      fmt::print("{}: {} cases, {}\n", plan_.name, order.cases.size(), folder.path().string());
      std::fflush(stdout);
    }

    const std::unique_ptr<regress::Farm> farm = make_farm(folder, order);
    regress::Summary summary;
    summary.ran.farm = a_.farm;
    summary.ran.jobs = farm->width();
    summary.ran.began = regress::timestamp();
    {
      Screen screen(a_.quiet, baseline, known);
      regress::Regression regression(
          folder, order, wanted_, regress::past_of(folder.path(), plan_.name),
          {.budget = plan_.budget, .width = farm->width(), .round = rounds()}, screen);
      try {
        farm->run(regression);
      } catch (const sim::UserError& error) {
        summary.ran.stopped = error.what();
      }
      summary.ran.seconds = regression.seconds();
      summary.ran.busy_seconds = regression.busy_seconds();
      summary.ran.build_seconds = regression.build_seconds();
      summary.ran.interrupted = regression.interrupted();
      summary.entries = regression.entries();
    }
    summary.order = order;
    return report(folder, std::move(summary), a_.quiet, [&](const regress::Summary& s) {
      Screen screen(a_.quiet, baseline, known);
      make_capsules(folder, s,
                    {.shrink = a_.shrink,
                     .jobs = jobs_,
                     .quiet = a_.quiet,
                     .note = [&](const std::string& text) { screen.note(text); },
                     .progress = [&](const std::string& text) { screen.draw(text); }});
    });
  }

 private:
  regress::Plan read() {
    parse_shrink(a_.shrink);
    if (!a_.jobs.empty()) {
      jobs_ = static_cast<size_t>(sim::parse_integer("--jobs", a_.jobs, 1, 1024));
    }
    if (a_.rtl.empty() != a_.top.empty()) {
      throw sim::UsageError("--rtl FILE and --top NAME go together");
    }
    if (!a_.rtl.empty() && a_.device.empty()) {
      throw sim::UsageError("--rtl needs --device NAME: in whose place the RTL stands");
    }
    if (!a_.against.empty() && a_.device.empty()) {
      throw sim::UsageError("--against needs --device NAME: in whose place the RTL stands");
    }
    if (!a_.device.empty()) registry().device(a_.device);  // says which there are
    if (!a_.rerun.empty() && a_.rerun != "failed") {
      throw sim::UsageError(fmt::format("--rerun '{}' is not failed", a_.rerun));
    }
    if (a_.farm != "local" && a_.farm != "slurm") {
      throw sim::UsageError(
          fmt::format("there is no farm '{}'; there are local and slurm", a_.farm));
    }
    regress::Plan plan = regress::read_plan(shipped_plan(a_.words.front()), vocabulary_);
    if (!a_.seed.empty()) {
      plan.seed = static_cast<uint64_t>(sim::parse_integer("--seed", a_.seed, 0, INT64_MAX));
    }
    if (!a_.budget.empty()) {
      try {
        plan.budget = regress::parse_budget(a_.budget);
      } catch (const sim::UsageError& error) {
        throw sim::UsageError(fmt::format("--budget: {}", error.what()));
      }
    }
    return plan;
  }

  /// Of a budget's first round: each point once, with its first seed.
  std::vector<regress::Case> first_round() const {
    if (!plan_.budget.given()) return regress::cases_of(plan_, points_);
    std::vector<regress::Case> cases;
    for (const regress::Point& point : points_) {
      cases.push_back(
          regress::case_at(plan_, point, point.seeds.empty() ? 0 : point.seeds.front()));
    }
    return cases;
  }

  /// Further seeds of a point: those that the plan names, then the numbers after them.
  std::function<std::vector<regress::Case>(uint64_t)> rounds() const {
    return [this](uint64_t round) {
      std::vector<regress::Case> cases;
      for (const regress::Point& point : points_) {
        if (point.seeds.empty()) continue;
        const uint64_t last = *std::ranges::max_element(point.seeds);
        const uint64_t seed = round <= point.seeds.size() ? point.seeds[round - 1]
                                                          : last + round - point.seeds.size();
        regress::Case c = regress::case_at(plan_, point, seed, round);
        if (a_.only.empty() || matches(a_.only, c.name)) cases.push_back(std::move(c));
      }
      return cases;
    };
  }

  void choose_cases() {
    regress::Narrowing narrowing{.device = a_.device, .extra = {}};
    if (!a_.rtl.empty()) narrowing.extra = {"--rtl", a_.rtl, "--top", a_.top};
    const auto pass_on = [&narrowing](const char* option, const std::string& value) {
      if (!value.empty()) narrowing.extra.insert(narrowing.extra.end(), {option, value});
    };
    pass_on("--check", a_.check);
    pass_on("--against", a_.against);
    pass_on("--against-top", a_.against_top);
    for (const std::string& word : words_of_rtl_settings(a_.settings)) {
      narrowing.extra.push_back(word);
    }
    points_ = regress::points_of(plan_, vocabulary_, narrowing);
    all_ = first_round();
    std::erase_if(all_, [this](const regress::Case& c) {
      return !a_.only.empty() && !matches(a_.only, c.name);
    });
    if (all_.empty()) {
      throw sim::UsageError(
          a_.only.empty() ? fmt::format("no case of the plan is of the device '{}'", a_.device)
                          : fmt::format("no case of the plan is called '{}'{}", a_.only,
                                        a_.device.empty() ? "" : " and of that device"));
    }
  }

  int print_cases() const {
    for (const regress::Case& c : all_) {
      fmt::print("{}  # {}\n", regress::command_of(a_.program, c), c.name);
    }
    return sim::kPass;
  }

  /// What the folder's cases are: those of this plan that it had, and those that are wanted now.
  regress::Order take_order(const regress::Folder& folder) {
    regress::Order order{.plan = plan_.name,
                         .file = plan_.file,
                         .baseline = plan_.baseline,
                         .known = plan_.known,
                         .program = program_contents(),
                         .command = a_.program,
                         .budget = plan_.budget.text(),
                         .only = a_.only,
                         .seed = plan_.seed,
                         .cases = {}};
    if (!a_.device.empty())
      order.only += (order.only.empty() ? "" : " ") + ("--device " + a_.device);
    const std::optional<regress::Order> before = folder.order();
    if (!before || order.only.empty()) {
      order.cases = std::move(all_);
      wanted_.assign(order.cases.size(), true);
      check_plan(before, folder);
      return order;
    }
    check_plan(before, folder);
    // A part of it now: the rest belongs to it as before.
    order.only = before->only;
    std::set<std::string> names;
    for (const regress::Case& c : before->cases) names.insert(c.name);
    for (const regress::Case& c : all_) {
      if (!names.contains(c.name)) order.cases.push_back(c);
    }
    wanted_.assign(order.cases.size(), true);
    for (const regress::Case& c : before->cases) {
      const auto again = std::ranges::find(all_, c.name, &regress::Case::name);
      wanted_.push_back(again != all_.end());
      order.cases.push_back(again != all_.end() ? *again : c);
    }
    return order;
  }
  void check_plan(const std::optional<regress::Order>& before,
                  const regress::Folder& folder) const {
    if (before && before->plan != plan_.name) {
      throw sim::UsageError(
          fmt::format("'{}' holds results of the plan '{}'", folder.path().string(), before->plan));
    }
  }

  /// Those that have not passed: their results go.
  void choose_failed(const regress::Folder& folder, const regress::Order& order,
                     const regress::Baseline& baseline) {
    std::set<std::string> passed;
    folder.each_entry([&](regress::Entry&& entry) {
      regress::settle(entry, baseline, {});
      if (regress::passes(entry.result.verdict)) {
        passed.insert(entry.what.hash);
      } else {
        fs::remove(folder.file_of(entry.what));
      }
    });
    for (size_t i = 0; i < order.cases.size(); ++i) {
      if (passed.contains(order.cases[i].hash)) wanted_[i] = false;
    }
  }

  std::unique_ptr<regress::Farm> make_farm(const regress::Folder& folder,
                                           const regress::Order& order) const {
    if (a_.farm == "slurm") {
      regress::SlurmSettings settings = plan_.slurm;
      if (!a_.jobs.empty()) settings.jobs = jobs_;
      return regress::slurm_farm(
          folder, order, {.program = own_path(), .task = "regress task", .settings = settings});
    }
    return regress::local_farm(folder, order,
                               {.program = own_path(), .arguments = worker_words, .jobs = jobs_});
  }

  const RegressArguments& a_;
  const RunVocabulary vocabulary_;
  size_t jobs_ = regress::processors();
  regress::Plan plan_;
  std::vector<regress::Point> points_;
  std::vector<regress::Case> all_;  // that are wanted
  std::vector<bool> wanted_;        // of the order's cases
};

// ---- results that are there

int status(const regress::Folder& folder) {
  const regress::Order order = order_of(folder);
  const std::vector<regress::Entry> entries = entries_of(folder, order);
  size_t done = 0, failed = 0;
  for (const regress::Entry& entry : entries) {
    if (entry.result.verdict == regress::Verdict::kNotRun) continue;
    ++done;
    if (!regress::passes(entry.result.verdict)) ++failed;
  }
  const std::string holder = folder.holder();
  fmt::print("{}: {} of {} cases done, {} failed; {}\n", order.plan, done, entries.size(), failed,
             holder.empty() ? "nobody works on it" : "process " + holder + " works on it");
  return sim::kPass;
}

int report_again(const regress::Folder& folder, bool quiet) {
  regress::Summary summary;
  summary.order = order_of(folder);
  summary.ran = regress::last_run(folder.path());
  summary.entries = entries_of(folder, summary.order);
  return report(folder, std::move(summary), quiet);
}

/// Of two results of a case the worse counts.
bool worse(regress::Verdict a, regress::Verdict b) {
  const auto rank = [](regress::Verdict v) {
    return v == regress::Verdict::kNotRun ? 0 : regress::passes(v) ? 1 : 2;
  };
  return rank(a) > rank(b);
}

int merge(const RegressArguments& a) {
  if (a.words.size() < 3) throw sim::UsageError("merge takes the folders of two results or more");
  if (a.out.empty()) throw sim::UsageError("merge needs --out DIR, for the result of all of them");
  if (fs::exists(fs::path(a.out) / "plan.json")) {
    throw sim::UsageError(fmt::format("'{}' holds a result already", a.out));
  }
  regress::Summary summary;
  std::map<std::string, size_t> index;  // by name
  std::vector<regress::Folder> from;    // of each entry
  for (size_t i = 1; i < a.words.size(); ++i) {
    const regress::Folder folder = result_folder(a.words[i]);
    regress::Order order = order_of(folder);
    const regress::Ran ran = regress::last_run(folder.path());
    if (i == 1) {
      summary.order = order;
      summary.ran = ran;
    } else {
      if (order.plan != summary.order.plan || order.program != summary.order.program ||
          order.seed != summary.order.seed) {
        throw sim::UsageError(fmt::format("'{}' and '{}' are of other plans, seeds or builds",
                                          a.words[1], a.words[i]));
      }
      if (order.only != summary.order.only) summary.order.only.clear();
      summary.ran.seconds = std::max(summary.ran.seconds, ran.seconds);
      summary.ran.jobs += ran.jobs;
      if (ran.began < summary.ran.began) summary.ran.began = ran.began;
    }
    for (regress::Entry& entry : entries_of(folder, order)) {
      const auto [at, added] = index.emplace(entry.what.name, summary.entries.size());
      if (added) {
        summary.entries.push_back(std::move(entry));
        from.push_back(folder);
        continue;
      }
      regress::Entry& known = summary.entries[at->second];
      if (known.what.hash != entry.what.hash) {
        throw sim::UsageError(fmt::format("'{}' has another case '{}' than the results before",
                                          a.words[i], entry.what.name));
      }
      if (!worse(entry.result.verdict, known.result.verdict)) continue;
      known = std::move(entry);
      from[at->second] = folder;
    }
  }
  regress::Folder folder{fs::path(a.out)};
  folder.lock();
  summary.order.cases.clear();
  for (size_t i = 0; i < summary.entries.size(); ++i) {
    const regress::Entry& entry = summary.entries[i];
    if (entry.what.round == 1) summary.order.cases.push_back(entry.what);
    if (entry.result.verdict == regress::Verdict::kNotRun) continue;
    regress::take_coverage(from[i], entry.what, folder);
    folder.write(entry);
  }
  folder.write(summary.order);
  return report(folder, std::move(summary), a.quiet);
}

int accept(const regress::Folder& folder, bool quiet) {
  const regress::Order order = order_of(folder);
  regress::Baseline baseline = regress::Baseline::read(order.baseline);
  size_t taken = 0, left = 0;
  std::set<std::string> names;
  for (const regress::Entry& entry : entries_of(folder, order)) {
    if (entry.what.round != 1) continue;
    names.insert(entry.what.name);
    if (entry.result.verdict == regress::Verdict::kPass) {
      baseline.accept(entry);
      ++taken;
    } else {
      ++left;
    }
  }
  if (taken == 0) throw sim::UsageError("no case has passed: there is nothing to accept");
  // Cases that the whole plan has no more.
  if (order.only.empty()) {
    for (const std::string& name : baseline.names()) {
      if (!names.contains(name)) baseline.forget(name);
    }
  }
  baseline.write(order.baseline, order.plan);
  if (!quiet) {
    fmt::print("{}: the figures of {} cases{}\n", order.baseline, taken,
               left == 0 ? "" : fmt::format("; {} that did not pass keep theirs", left));
  }
  return sim::kPass;
}

int be_worker(const RegressArguments& a) {
  if (a.words.size() != 4) throw sim::UsageError("workers are started by regress itself");
  if (!regress::follow_parent(
          static_cast<int>(sim::parse_integer("worker", a.words[3], 1, INT32_MAX)))) {
    return sim::kInternal;
  }
  // The lines go where standard output went; whatever else is printed goes with the errors.
  const int lines = ::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
  if (lines < 0 || ::dup2(STDERR_FILENO, STDOUT_FILENO) < 0) return sim::kInternal;
  return regress::work({.folder = a.words[1],
                        .shard = a.words[2],
                        .program = program_contents(),
                        .say =
                            [lines](const std::string& line) {
                              const std::string text = line + "\n";
                              if (::write(lines, text.data(), text.size()) < 0)
                                ::_exit(sim::kInternal);
                            }},
                       run_case);
}

int be_slurm_task(const RegressArguments& a) {
  if (a.words.size() != 4) throw sim::UsageError("tasks are started by regress itself");
  return regress::slurm_task(
      {.folder = a.words[1],
       .batch = static_cast<size_t>(sim::parse_integer("task", a.words[2], 1, INT32_MAX)),
       .token = a.words[3],
       .program = own_path(),
       .arguments = worker_words,
       .interrupted = sim::interrupted});
}

int execute(const RegressArguments& a) {
  const std::string& verb = a.words.front();
  const auto one = [&a, &verb]() -> regress::Folder {
    if (a.words.size() != 2) {
      throw sim::UsageError(fmt::format("{} takes the folder of one result", verb));
    }
    return result_folder(a.words[1]);
  };
  if (verb == "status") return status(one());
  if (verb == "report") return report_again(one(), a.quiet);
  if (verb == "accept") return accept(one(), a.quiet);
  if (verb == "merge") return merge(a);
  if (verb == "worker") return be_worker(a);
  if (verb == "task") return be_slurm_task(a);
  if (verb == "capsule") return be_capsule_maker(a.words);
  if (a.words.size() != 1) {
    throw sim::UsageError(
        fmt::format("regress takes one PLAN, or status, report, merge or accept before DIR, not "
                    "'{}'",
                    a.words[1]));
  }
  return PlanRun(a).run();
}

}  // namespace

void add_regress(CLI::App& app, Invocation& invocation) {
  CLI::App* command = app.add_subcommand(
      "regress", "a plan of many runs: what fails, what got worse, what took how long");
  auto a = std::make_shared<RegressArguments>();
  a->program = invocation.program;
  command
      ->add_option(
          "PLAN", a->words,
          "a plan's TOML file (docs/regress.md), or the name of one that comes with gradwire "
          "(smoke); or status, report, merge or accept, and "
          "the folder of a result")
      ->required();
  command->add_option("--farm", a->farm, "where cases run: local, slurm")->capture_default_str();
  command->add_option("--out", a->out,
                      "folder of the result; one that has results already is completed (default: a "
                      "new one in out/regress)");
  command->add_option(
      "--jobs", a->jobs,
      "processes side by side (default: the processors); of slurm: tasks (default: the "
      "plan's, 32)");
  command->add_option("--budget", a->budget,
                      "time or cycles to spend: \"10 min\", \"2 h\", \"1e9 cycles\"");
  command->add_option("--seed", a->seed, "master seed, in the plan's place");
  command->add_option("--only", a->only, "cases whose name this shell pattern matches");
  command->add_option("--device", a->device, "cases of this device");
  command->add_option("--rtl", a->rtl,
                      "RTL of your own, a file list or one .v or .sv file, in the device's place");
  command->add_option("--top", a->top, "its top module");
  add_rtl_settings(*command, a->settings);
  command->add_option("--check", a->check,
                      "what fails a case, as of run: model,reference,protocol,profile");
  command->add_option("--against", a->against,
                      "other RTL, as --rtl, in the model's place in each case");
  command->add_option("--against-top", a->against_top, "its top module");
  command->add_option("--rerun", a->rerun,
                      "failed: once more what has not passed in the last result, or in --out's");
  command
      ->add_option("--shrink", a->shrink,
                   "how long the first failure of each bucket is shrunk for its capsule, or off")
      ->capture_default_str();
  command->add_flag("--dry-run", a->dry_run, "print the cases' commands and do nothing");
  command->add_flag("--quiet", a->quiet, "no table, no progress; failures are still said");
  command->footer(
      "gradwire regress status|report|accept DIR; gradwire regress merge DIR DIR ... --out NEW");
  command->callback([a, &invocation] { invocation.action = [a] { return execute(*a); }; });
}

}  // namespace gw::tools
