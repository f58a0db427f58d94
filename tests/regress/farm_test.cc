// The farm and the regression on workers that do as their case says: this very program, started
// with `worker` as its first word. Nothing here depends on how fast the machine is: who waits,
// waits for an event.
// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <set>
#include <thread>

#include "sim/base/error.h"
#include "sim/base/interrupt.h"
#include "sim/regress/folder.h"
#include "sim/regress/local_farm.h"
#include "sim/regress/regression.h"
#include "sim/regress/slurm.h"
#include "sim/regress/summary.h"
#include "sim/regress/worker.h"
#include "tests/regress/fake_vocabulary.h"

namespace gw::tests {
namespace {

using namespace regress;
using namespace std::chrono_literals;
using nlohmann::json;
using testing::AnyOf;
using testing::ElementsAre;
using testing::HasSubstr;
namespace fs = std::filesystem;

constexpr const char* kBuild = "the build";
/// The first worker that finds no file of this name in the environment leaves it, and ends by
/// SIGTERM.
constexpr const char* kTerminated = "GRADWIRE_TEST_TERMINATED";

void touch(const fs::path& path) { std::ofstream(path) << "x"; }
void wait_for(const fs::path& path) {
  while (!fs::exists(path)) std::this_thread::sleep_for(2ms);
}

/// What a case does: its words.
json act(const Case& c) {
  const std::string& what = c.words.at(0);
  const fs::path mark = c.words.size() > 1 ? c.words[1] : "";
  if (what == "pass") return {{"pass", true}, {"cycles", 100}};
  if (what == "fail") {
    return {{"pass", false},
            {"cycles", 7},
            {"failure",
             {{"headline", "it is wrong"}, {"lines", {"at cycle 7"}}, {"reproduce", "again"}}}};
  }
  if (what == "refuse") throw sim::InputError("the file\nis broken");
  if (what == "fault") throw std::runtime_error("a bug");
  if (what == "abort" || (what == "abort-once" && !fs::exists(mark))) {
    if (what == "abort-once") touch(mark);
    std::fprintf(stderr, "these are my last words\n");
    std::abort();
  }
  if (what == "abort-once") return {{"pass", true}};
  if (what == "leave") std::_Exit(7);
  if (what == "hang") {
    touch(mark);
    for (;;) ::pause();
  }
  // As what builds RTL: it is told to end, and says so.
  if (what == "build") {
    sim::catch_interrupts();
    touch(mark);
    while (!sim::interrupted()) std::this_thread::sleep_for(2ms);
    throw sim::UserError(sim::kCheckFailed, "interrupted");
  }
  // A process that it starts, which would outlive it.
  if (what == "hang-with-child") {
    if (::fork() == 0) {
      std::ofstream(mark.string() + ".child") << ::getpid();
      for (;;) ::pause();
    }
    wait_for(mark.string() + ".child");
    std::ofstream(mark) << ::getpid();
    for (;;) ::pause();
  }
  if (what == "limit") {  // what a full disk does, to this process alone
    ::signal(SIGXFSZ, SIG_IGN);
    const rlimit none = {.rlim_cur = 16, .rlim_max = 16};
    ::setrlimit(RLIMIT_FSIZE, &none);
    return {{"pass", true}};
  }
  throw std::logic_error("no such case");
}

bool alive(pid_t pid) {
  if (::kill(pid, 0) != 0) return false;
  std::ifstream stat("/proc/" + std::to_string(pid) + "/stat");
  std::string text((std::istreambuf_iterator<char>(stat)), {});
  const size_t end = text.rfind(')');
  return end != std::string::npos && end + 2 < text.size() && text[end + 2] != 'Z';
}
pid_t pid_in(const fs::path& path) {
  pid_t pid = 0;
  while (pid == 0) {
    std::ifstream(path) >> pid;
    if (pid == 0) std::this_thread::sleep_for(2ms);
  }
  return pid;
}
void wait_until_dead(pid_t pid) {
  while (alive(pid)) std::this_thread::sleep_for(2ms);
}

class Listener final : public Observer {
 public:
  bool ended(const Entry& entry) override {
    order.push_back(entry.what.name);
    return passes(entry.result.verdict);
  }
  void progress(const Progress& p) override { last = p; }
  void died(const Case& c, const Death& death) override { deaths.emplace_back(c.name, death); }
  bool interrupted() override { return stop && stop(); }

  std::vector<std::string> order;
  std::vector<std::pair<std::string, Death>> deaths;
  std::function<bool()> stop;
  Progress last;
};

class FarmTest : public testing::Test {
 protected:
  static Case a_case(const std::string& name, std::vector<std::string> words) {
    Case c;
    c.name = name;
    c.group = "g";
    c.device = "d";
    c.words = std::move(words);
    c.hash = "hash-" + name;
    return c;
  }
  fs::path mark(const std::string& name) const { return scratch_.path() / name; }
  static Order order_of(std::vector<Case> cases) {
    return {.plan = "p",
            .file = "p.toml",
            .baseline = "",
            .program = kBuild,
            .command = "gradwire",
            .budget = "",
            .only = "",
            .seed = 1,
            .cases = std::move(cases)};
  }
  static std::unique_ptr<Farm> farm(const Folder& folder, const Order& order, size_t jobs) {
    return local_farm(
        folder, order,
        {.program = fs::read_symlink("/proc/self/exe").string(),
         .arguments =
             [](const std::string& path, const std::string& shard, int parent) {
               return std::vector<std::string>{"worker", path, shard, std::to_string(parent)};
             },
         .jobs = jobs});
  }
  /// Runs them all; results by name.
  std::map<std::string, Result> run(std::vector<Case> cases, RegressionOptions options = {},
                                    size_t jobs = 2, Past past = {}) {
    const Folder folder(scratch_.path() / "dir");
    const Order order = order_of(std::move(cases));
    const std::unique_ptr<Farm> workers = farm(folder, order, jobs);
    options.width = jobs;
    Regression regression(folder, order, std::vector<bool>(order.cases.size(), true),
                          std::move(past), options, listener_);
    stopped_.clear();
    try {
      workers->run(regression);
    } catch (const sim::UserError& error) {
      stopped_ = error.what();
    }
    kept_ = regression.kept();
    ran_.busy_seconds = regression.busy_seconds();
    ran_.build_seconds = regression.build_seconds();
    std::map<std::string, Result> results;
    for (Entry& entry : regression.entries()) {
      results[entry.what.name] = std::move(entry.result);
    }
    return results;
  }
  static std::string verdicts(const std::map<std::string, Result>& results) {
    std::string text;
    for (const auto& [name, result] : results) {
      text += (text.empty() ? "" : ", ") + name + " " + std::string(name_of(result.verdict));
    }
    return text;
  }

  Scratch scratch_{testing::UnitTest::GetInstance()->current_test_info()->name()};
  Listener listener_;
  std::string stopped_;
  size_t kept_ = 0;
  Ran ran_;
};

/// As Slurm 22.05 and 24.11 print the same task.
TEST_F(FarmTest, SqueueIsReadInItsVersions) {
  const std::string path = std::getenv("PATH");
  ::setenv("PATH", (scratch_.path().string() + ":" + path).c_str(), 1);
  for (const char* status : {"18432", "72:0"}) {
    for (const char* command : {"sbatch", "scontrol", "scancel", "squeue"}) {
      std::ofstream(mark(command))
          << "#!/bin/sh\n"
          << "printf '%-16s%-16s%-24s%-12s%-16s%-80s%-200s\\n' 12 3 FAILED 1 " << status
          << " n7 NonZeroExitCode 13 N/A PENDING 0 0 '' 'launch failed requeued held'\n";
      fs::permissions(mark(command), fs::perms::owner_all);
    }
    const auto tasks = Slurm("name").tasks();
    ASSERT_TRUE(tasks.has_value());
    ASSERT_EQ(tasks->size(), 1u);  // the other is no task of an array
    const SlurmTask& task = tasks->front();
    EXPECT_EQ(task.job, 12u);
    EXPECT_EQ(task.index, 3u);
    EXPECT_TRUE(task.over());
    EXPECT_EQ(task.restarts, 1);
    EXPECT_EQ(task.node, "n7");
    EXPECT_EQ(task.reason, "NonZeroExitCode");
    ASSERT_TRUE(WIFEXITED(task.status));
    EXPECT_EQ(WEXITSTATUS(task.status), 72);
  }
  ::setenv("PATH", path.c_str(), 1);
}

TEST_F(FarmTest, EveryCaseHasItsVerdict) {
  const auto results = run({a_case("a", {"pass"}), a_case("b", {"fail"}), a_case("c", {"refuse"}),
                            a_case("d", {"fault"}), a_case("e", {"pass"})});
  EXPECT_EQ(verdicts(results), "a pass, b fail, c fail, d fail, e pass");
  EXPECT_EQ(results.at("b").headline, "it is wrong");
  EXPECT_THAT(results.at("b").lines, ElementsAre("it is wrong", "at cycle 7", "again"));
  EXPECT_EQ(results.at("c").headline, "the file is broken");
  EXPECT_EQ(results.at("d").headline, "internal fault: a bug");
  EXPECT_EQ(listener_.order.size(), 5u);
  EXPECT_EQ(listener_.last.failed, 3u);
}

TEST_F(FarmTest, WhatIsDoneIsNotDoneAgain) {
  std::vector<Case> cases;
  for (int i = 0; i < 20; ++i) cases.push_back(a_case("c" + std::to_string(i), {"pass"}));
  run({cases[3], cases[7]});
  EXPECT_EQ(listener_.order.size(), 2u);
  const auto results = run(cases);
  EXPECT_EQ(kept_, 2u);
  EXPECT_EQ(listener_.order.size(), 20u);
  EXPECT_EQ(results.size(), 20u);
  for (const auto& [name, result] : results) EXPECT_EQ(result.verdict, Verdict::kPass) << name;
  // A file that is not whole is none.
  std::ofstream(scratch_.path() / "dir/cases/hash-c3.json") << "{\"case\":";
  run(cases);
  EXPECT_EQ(kept_, 19u);
}

TEST_F(FarmTest, AWorkerThatDiesTwiceInACaseCostsThatCaseAlone) {
  const auto results = run({a_case("a", {"pass"}), a_case("b", {"abort"}), a_case("c", {"pass"}),
                            a_case("d", {"leave"}), a_case("e", {"pass"})},
                           {}, 1);
  EXPECT_EQ(verdicts(results), "a pass, b crashed, c pass, d crashed, e pass");
  EXPECT_EQ(results.at("b").headline, "the process of the case died: signal 6 (Aborted), 2 times");
  EXPECT_THAT(results.at("b").lines, testing::Contains("these are my last words"));
  EXPECT_THAT(results.at("d").headline, HasSubstr("exit code 7, 2 times"));
  EXPECT_EQ(listener_.deaths.size(), 2u);  // the second is the verdict
}

TEST_F(FarmTest, AWorkerThatDiesOnceGetsAnother) {
  const auto results = run({a_case("a", {"abort-once", mark("once")})});
  EXPECT_EQ(verdicts(results), "a pass");
  EXPECT_EQ(results.at("a").attempts, 2);
  ASSERT_EQ(listener_.deaths.size(), 1u);
  EXPECT_THAT(listener_.deaths[0].second.words, HasSubstr("these are my last words"));
}

// As Slurm ends what it will start again.
TEST_F(FarmTest, AWorkerThatIsAskedToEndBeforeItsFirstCaseGetsAnother) {
  ::setenv(kTerminated, mark("asked").c_str(), 1);
  const auto results = run({a_case("a", {"pass"}), a_case("b", {"pass"})}, {}, 1);
  ::unsetenv(kTerminated);
  EXPECT_TRUE(fs::exists(mark("asked")));
  EXPECT_EQ(stopped_, "");
  EXPECT_EQ(verdicts(results), "a pass, b pass");
  EXPECT_EQ(results.at("a").attempts, 1);
}

TEST_F(FarmTest, ACaseThatTakesTooLongIsEndedWithAllThatItStarted) {
  Case slow = a_case("b", {"hang-with-child", mark("started")});
  slow.timeout = 0.5;
  const auto results = run({a_case("a", {"pass"}), slow, a_case("c", {"pass"})}, {}, 1);
  EXPECT_EQ(verdicts(results), "a pass, b timeout, c pass");
  EXPECT_THAT(results.at("b").headline, HasSubstr("no end after "));
  // On a slow machine it may not have come so far.
  for (const char* name : {"started", "started.child"}) {
    if (fs::exists(mark(name))) wait_until_dead(pid_in(mark(name)));
  }
}

TEST_F(FarmTest, CtrlCLeavesNoProcessAndSaysWhatDidNotRun) {
  listener_.stop = [this] { return fs::exists(mark("started")); };
  const auto results =
      run({a_case("a", {"pass"}), a_case("b", {"hang-with-child", mark("started")}),
           a_case("c", {"pass"})},
          {}, 1);
  EXPECT_EQ(verdicts(results), "a pass, b not run, c not run");
  wait_until_dead(pid_in(mark("started")));
  wait_until_dead(pid_in(mark("started.child")));
  listener_.stop = {};
  EXPECT_EQ(verdicts(run({a_case("a", {"pass"}), a_case("c", {"pass"})})), "a pass, c pass");
}

TEST_F(FarmTest, ABuildThatIsCutOffHasNotFailed) {
  listener_.stop = [this] { return fs::exists(mark("building")); };
  const std::vector<Case> cases = {a_case("a", {"pass"}), a_case("b", {"build", mark("building")})};
  EXPECT_EQ(verdicts(run(cases, {}, 1)), "a pass, b not run");
}

TEST_F(FarmTest, AControllerThatIsKilledLeavesNoProcess) {
  const pid_t controller = ::fork();
  if (controller == 0) {
    ::setpgid(0, 0);
    run({a_case("a", {"pass"}), a_case("b", {"hang-with-child", mark("started")})}, {}, 1);
    std::_Exit(0);
  }
  const pid_t worker = pid_in(mark("started")), child = pid_in(mark("started.child"));
  ::kill(controller, SIGKILL);
  ::waitpid(controller, nullptr, 0);
  wait_until_dead(worker);
  wait_until_dead(child);
  // Its folder is free, and what it had done is done.
  Folder folder(scratch_.path() / "dir");
  folder.lock();
  folder.tidy();
  run({a_case("a", {"pass"}), a_case("c", {"pass"})});
  EXPECT_EQ(kept_, 1u);
}

TEST_F(FarmTest, AFolderIsForOneControllerAtATime) {
  Folder folder(scratch_.path() / "dir");
  folder.lock();
  const pid_t other = ::fork();
  if (other == 0) {
    try {
      Folder(scratch_.path() / "dir").lock();
    } catch (const sim::UsageError& error) {
      const bool names =
          std::string(error.what()).find(std::to_string(::getppid()) + " on ") != std::string::npos;
      std::_Exit(names ? 2 : 3);
    }
    std::_Exit(0);
  }
  int status = 0;
  ::waitpid(other, &status, 0);
  EXPECT_EQ(WEXITSTATUS(status), 2);
}

TEST_F(FarmTest, AFullDiskIsSaidAndLosesNothing) {
  const auto results =
      run({a_case("a", {"pass"}), a_case("b", {"limit"}), a_case("c", {"pass"})}, {}, 1);
  EXPECT_THAT(stopped_, HasSubstr("cannot write result "));
  EXPECT_THAT(stopped_, HasSubstr("File too large"));
  EXPECT_EQ(verdicts(results), "a pass, b not run, c not run");
  for (const auto& file : fs::directory_iterator(scratch_.path() / "dir/cases")) {
    EXPECT_EQ(file.path().filename(), "hash-a.json");  // nothing half
  }
  EXPECT_EQ(verdicts(run({a_case("a", {"pass"}), a_case("c", {"pass"})})), "a pass, c pass");
  EXPECT_EQ(kept_, 1u);
}

TEST_F(FarmTest, AnotherBuildIsNoWorker) {
  const Folder folder(scratch_.path() / "dir");
  Order order = order_of({a_case("a", {"pass"})});
  order.program = "an older build";
  Regression regression(folder, order, {true}, {}, {}, listener_);
  EXPECT_THROW(farm(folder, order, 1)->run(regression), sim::InputError);
  EXPECT_EQ(regression.entries().front().result.verdict, Verdict::kNotRun);
}

TEST_F(FarmTest, AWorkerThatCannotBeginStopsAll) {
  const Folder folder(scratch_.path() / "dir");
  const Order order = order_of({a_case("a", {"pass"})});
  const auto broken = local_farm(folder, order,
                                 {.program = "/bin/false",
                                  .arguments = [](auto&&...) { return std::vector<std::string>(); },
                                  .jobs = 1});
  Regression regression(folder, order, {true}, {}, {}, listener_);
  EXPECT_THROW(broken->run(regression), sim::InputError);
  const auto none = local_farm(folder, order,
                               {.program = "/no/such/program",
                                .arguments = [](auto&&...) { return std::vector<std::string>(); },
                                .jobs = 1});
  Regression again(folder, order, {true}, {}, {}, listener_);
  EXPECT_THROW(none->run(again), sim::InputError);
}

TEST_F(FarmTest, LastFailuresAreFirstAndWithABudgetTheShortOnes) {
  std::vector<Case> cases;
  for (const char* name : {"a", "b", "c", "d"}) cases.push_back(a_case(name, {"pass"}));
  Past past;
  past.cases = {{"a", {3, false}}, {"b", {1, false}}, {"c", {9, true}}, {"d", {2, false}}};
  run(cases, {}, 1, past);
  EXPECT_THAT(listener_.order, ElementsAre("c", "a", "b", "d"));
  listener_.order.clear();
  fs::remove_all(scratch_.path() / "dir");
  run(cases, {.budget = {.cycles = 400}}, 1, past);
  EXPECT_THAT(listener_.order, ElementsAre("c", "b", "d", "a"));
}

TEST_F(FarmTest, ABudgetOfCyclesIsSpentInRoundsOfNewSeeds) {
  const auto round = [](uint64_t number) {
    std::vector<Case> cases;
    for (const char* name : {"a", "b"}) {
      cases.push_back(a_case(name + std::to_string(number), {"pass"}));
      cases.back().round = number;
    }
    return cases;
  };
  std::vector<Case> first = round(1);
  first.push_back(a_case("once", {"pass"}));
  const auto results = run(first, {.budget = {.cycles = 2000}, .round = round}, 2);
  // 100 cycles each.
  EXPECT_GE(results.size(), 20u);
  for (const auto& [name, result] : results) EXPECT_EQ(result.verdict, Verdict::kPass) << name;
  EXPECT_TRUE(results.contains("a2"));
}

TEST_F(FarmTest, ABudgetThatABuildSpentIsToldAsThat) {
  std::string said;
  listener_.stop = [&] {
    if (listener_.last.last.starts_with("building")) said = listener_.last.last;
    return false;
  };
  run({a_case("a", {"build", mark("building")}), a_case("b", {"pass"})}, {.budget = {.seconds = 1}},
      1);
  EXPECT_EQ(said, "building gw_d: compiler");
  EXPECT_GT(ran_.build_seconds, 0.5);
  EXPECT_EQ(ran_.build_seconds, ran_.busy_seconds);
  EXPECT_EQ(build_text(ran_), "100 % of the time in cases went into building RTL");
  // What takes as long and builds nothing is not.
  run({a_case("c", {"hang", mark("hanging")})}, {.budget = {.seconds = 1}}, 1);
  EXPECT_GT(ran_.busy_seconds, 0.5);
  EXPECT_EQ(build_text(ran_), "");
}

TEST_F(FarmTest, AFirstRoundThatTheBudgetCutsOffIsNotRun) {
  std::vector<Case> cases = {a_case("a", {"pass"}), a_case("b", {"hang", mark("hanging")})};
  const auto results = run(cases, {.budget = {.seconds = 1}}, 1);
  EXPECT_THAT(verdicts(results), AnyOf("a pass, b not run", "a not run, b not run"));
}

TEST_F(FarmTest, WhatMeasuresRunsAlone) {
  std::vector<Case> cases;
  for (int i = 0; i < 6; ++i) cases.push_back(a_case("c" + std::to_string(i), {"pass"}));
  cases.insert(cases.begin(), a_case("speed", {"pass"}));
  cases.front().alone = true;
  run(cases, {}, 3);
  EXPECT_EQ(listener_.order.back(), "speed");
  EXPECT_EQ(listener_.order.size(), 7u);
}

TEST_F(FarmTest, ManyCasesAndManyWorkersLoseNone) {
  std::vector<Case> cases;
  for (int i = 0; i < 500; ++i) {
    cases.push_back(a_case("c" + std::to_string(i), {i % 50 == 7  ? "abort"
                                                     : i % 7 == 3 ? "fail"
                                                                  : "pass"}));
  }
  const auto results = run(cases, {}, 4);
  ASSERT_EQ(results.size(), 500u);
  for (int i = 0; i < 500; ++i) {
    EXPECT_EQ(results.at("c" + std::to_string(i)).verdict, i % 50 == 7  ? Verdict::kCrashed
                                                           : i % 7 == 3 ? Verdict::kFail
                                                                        : Verdict::kPass);
  }
}

int be_worker(char** argv) {
  if (!follow_parent(std::atoi(argv[4]))) return 4;
  if (const char* mark = std::getenv(kTerminated); mark != nullptr && !fs::exists(mark)) {
    touch(mark);
    ::raise(SIGTERM);
  }
  const int lines = ::dup(STDOUT_FILENO);
  ::fcntl(lines, F_SETFD, FD_CLOEXEC);
  ::dup2(STDERR_FILENO, STDOUT_FILENO);
  return work({.folder = argv[2],
               .shard = argv[3],
               .program = kBuild,
               .say =
                   [lines](const std::string& line) {
                     const std::string text = line + "\n";
                     if (::write(lines, text.data(), text.size()) < 0) std::_Exit(4);
                   }},
              [](const Case& c, const std::string&, const Busy& busy) {
                if (c.words.front() == "build") busy("building gw_d: compiler");
                return act(c);
              });
}

}  // namespace
}  // namespace gw::tests

int main(int argc, char** argv) {
  if (argc == 5 && std::string(argv[1]) == "worker") return gw::tests::be_worker(argv);
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
