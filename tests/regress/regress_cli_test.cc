// gradwire regress as users and CI servers see it: the program itself, on small plans.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/program.h"

namespace gw::tests::regress_cli_test {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::HasSubstr;

constexpr const char* kPlan = R"(name = "small"
[[group]]
name = "g"
device = ["compressor", "decompressor"]
synth = ["mixed", "single"]
stall = ["none", "both:30"]
packets = 20
)";

class Regress : public ProgramTest {
 protected:
  void SetUp() override {
    ProgramTest::SetUp();
    write("p.toml", kPlan);
  }
  Ended regress(const std::string& arguments) const { return gradwire("regress " + arguments); }
  json result(const std::string& dir) const {
    return json::parse(text_of(folder_ / dir / "regress.json"));
  }
  static json case_of(const json& result, const std::string& name) {
    for (const json& c : result["cases"]) {
      if (c["name"] == name) return c;
    }
    return nullptr;
  }
  /// What must be the same wherever and whenever it ran.
  static json lasting(json result) {
    for (const char* key : {"where", "times", "slowest"}) result.erase(key);
    for (json& c : result["cases"]) {
      for (const char* key : {"seconds", "build_seconds", "host", "began", "cycles_per_s"}) {
        c.erase(key);
      }
    }
    return result;
  }
};

TEST_F(Regress, AllPassesAndTheFilesAreThere) {
  const Ended r = regress("p.toml --out dir --jobs 2");
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_EQ(r.err, "");
  EXPECT_THAT(r.out, HasSubstr("PASS  8 of 8 cases"));
  const json document = result("dir");
  EXPECT_EQ(document["pass"], true);
  EXPECT_EQ(document["cases"].size(), 8u);
  EXPECT_GT(case_of(document, "g/compressor/mixed/none/s1")["figures"]["cycles"], 100);
  for (const char* name : {"junit.xml", "index.html", "summary.json"}) {
    EXPECT_TRUE(fs::exists(folder_ / "dir" / name)) << name;
  }
}

TEST_F(Regress, ACasesCommandAloneGivesTheSameCycles) {
  ASSERT_EQ(regress("p.toml --out dir").code, 0);
  const json document = result("dir");
  const Ended dry = regress("p.toml --dry-run");
  ASSERT_EQ(dry.code, 0) << dry.err;
  std::istringstream lines(dry.out);
  size_t count = 0;
  for (std::string line; std::getline(lines, line); ++count) {
    const std::string command = line.substr(0, line.find("  # ")),
                      name = line.substr(line.find("  # ") + 4);
    const json one = case_of(document, name);
    ASSERT_FALSE(one.is_null()) << name;
    EXPECT_EQ(one["command"], command);
    ASSERT_EQ(shell(command + " --quiet --json alone.json").code, 0);
    const json alone = json::parse(text_of(path("alone.json")));
    EXPECT_EQ(one["figures"]["cycles"], alone["cycles"]) << command;
    EXPECT_EQ(one["figures"]["latency_cycles"], alone["latency_cycles"]) << command;
  }
  EXPECT_EQ(count, 8u);
}

TEST_F(Regress, ThePlansThatWeShipAreRead) {
  for (const char* name : {"smoke", "nightly", "mutants", "fuzz"}) {
    // Traces are named from the project's root.
    const Ended dry = shell(fmt::format("cd '{}' && {} regress plans/{}.toml --dry-run",
                                        GRADWIRE_SOURCE_DIR, GRADWIRE_BINARY, name));
    EXPECT_EQ(dry.code, 0) << dry.err;
    EXPECT_THAT(dry.out, HasSubstr("gradwire run ")) << name;
  }
}

TEST_F(Regress, TheSameHoweverManyWorkersThereAre) {
  ASSERT_EQ(regress("p.toml --out one --jobs 1").code, 0);
  ASSERT_EQ(regress("p.toml --out three --jobs 3").code, 0);
  EXPECT_EQ(lasting(result("one")), lasting(result("three")));
}

TEST_F(Regress, WrongPlansAreRefusedBeforeAnythingRuns) {
  const std::vector<std::pair<std::string, std::string>> wrong = {
      {"device = \"divider\"\nsynth = \"mixed\"",
       "w.toml:4:10: unknown device 'divider'; there are "},
      {"device = \"parser\"\nsynth = \"workers\"\nbound = 3",
       "w.toml:6:1: a run of 'parser' has no option 'bound'"},
      {"device = \"compressor\"\nsynth = \"none-such\"",
       "w.toml:5:9: --synth 'none-such' is unknown; there are"},
      {"device = \"compressor\"\nsynth = \"mixed\"\nbound = [1, 15]", "w.toml:6:13: --bound"},
      {"device = \"compressor\"\nsynth = \"mixed\"\nstall = \"sometimes\"", "w.toml:6:9: --stall"},
      {"device = \"compressor\"\ntrace = \"none.pcap\"",
       "w.toml:5:9: there is no file 'none.pcap'"},
      {"device = \"nic\"\nsynth = \"hosts\"\npcap-wire = \"x.pcapng\"",
       "w.toml:6:1: 'pcap-wire' goes with "},
      {"device = \"compressor\"\nsynth = \"mixed\"\nrtl = \"none.f\"",
       "w.toml:6:7: there is no file 'none.f'"},
      {"device = \"compressor\"\nsynth = \"mixed\"\nfilter = \"tcp\"",
       "w.toml:6:10: --filter chooses packets"}};
  for (const auto& [lines, sentence] : wrong) {
    write("w.toml", "name = \"w\"\n[[group]]\nname = \"g\"\n" + lines + "\n");
    const Ended r = regress("w.toml --out dir");
    EXPECT_EQ(r.code, 2) << lines;
    EXPECT_THAT(r.err, HasSubstr(sentence));
    EXPECT_EQ(std::ranges::count(r.err, '\n'), 1) << r.err;
    EXPECT_FALSE(fs::exists(folder_ / "dir"));
  }
}

TEST_F(Regress, WrongUsage) {
  for (const auto& [arguments, sentence] : std::vector<std::pair<std::string, std::string>>{
           {"none.toml", "cannot read the plan 'none.toml'"},
           {"p.toml --farm moon", "there is no farm 'moon'; there are local and slurm"},
           {"p.toml --only none", "no case of the plan is called 'none'"},
           {"p.toml --rerun all", "--rerun 'all' is not failed"},
           {"p.toml --rerun failed", "has no result yet"},
           {"p.toml --budget soon", "--budget: 'soon' is no budget"},
           {"p.toml --jobs 0", "--jobs 0 is not between"},
           {"p.toml --rtl my.f --top t", "--rtl needs --device NAME"},
           {"p.toml --rtl my.f", "--rtl FILE and --top NAME go together"},
           {"p.toml q.toml", "regress takes one PLAN"},
           {"p.toml --device parser", "no case of the plan is of the device 'parser'"},
           {"status p.toml", "is no folder of a regression"},
           {"merge p.toml", "merge takes the folders of two results or more"}}) {
    const Ended r = regress(arguments);
    EXPECT_TRUE(r.code == 2 || r.code == 3) << arguments << " " << r.code;
    EXPECT_THAT(r.err, HasSubstr(sentence)) << arguments;
  }
}

TEST_F(Regress, WhatIsMissingIsDoneAndNothingElse) {
  ASSERT_EQ(regress("p.toml --out dir --only '*/decompressor'").code, 0);
  EXPECT_EQ(result("dir")["cases"].size(), 4u);
  std::map<std::string, fs::file_time_type> before;
  for (const auto& file : fs::directory_iterator(folder_ / "dir/cases")) {
    before[file.path().filename()] = file.last_write_time();
  }
  ASSERT_EQ(regress("p.toml --out dir").code, 0);
  EXPECT_EQ(result("dir")["cases"].size(), 8u);
  for (const auto& [name, time] : before) {
    EXPECT_EQ(fs::last_write_time(folder_ / "dir/cases" / name), time);
  }
  // One that is gone is run again, alone.
  fs::remove(folder_ / "dir/cases" / before.begin()->first);
  EXPECT_THAT(regress("status dir").out,
              HasSubstr("small: 7 of 8 cases done, 0 failed; nobody works on it"));
  ASSERT_EQ(regress("report dir").code, 1);
  ASSERT_EQ(regress("p.toml --out dir").code, 0);
  // A plan that says something else is another case.
  write("p.toml", std::string(kPlan) + "bound = 3\n");
  ASSERT_EQ(regress("p.toml --out dir --only '*/compressor/mixed/none'").code, 0);
  EXPECT_THAT(case_of(result("dir"), "g/compressor/mixed/none/s1")["command"],
              HasSubstr("--bound 3"));
  write("q.toml", "name = \"other\"\n" + std::string(kPlan).substr(std::string(kPlan).find('\n')));
  EXPECT_EQ(regress("q.toml --out dir").code, 2);
}

TEST_F(Regress, ABrokenExpectationFails) {
  write("p.toml", std::string(kPlan) + "expect = { cycles_per_burst = \"<= 1.0\" }\n");
  const Ended r = regress("p.toml --out dir");
  EXPECT_EQ(r.code, 1);
  EXPECT_THAT(r.err, HasSubstr("FAIL g/compressor/mixed/both:30/s1: cycles_per_burst is "));
  const json document = result("dir");
  EXPECT_EQ(document["verdicts"]["pass"].get<int>() + document["verdicts"]["fail"].get<int>(), 8);
  // Again what failed, in the newest result and in one that is named.
  const Ended again = regress("p.toml --out dir --rerun failed");
  EXPECT_EQ(again.code, 1);
  EXPECT_EQ(lasting(result("dir")), lasting(document));
  EXPECT_EQ(regress("p.toml").code, 1);
  EXPECT_EQ(regress("p.toml --rerun failed").code, 1);
}

TEST_F(Regress, ABaselineHoldsTheFigures) {
  ASSERT_EQ(regress("p.toml --out dir").code, 0);
  ASSERT_EQ(regress("accept dir").code, 0);
  const std::string file = path("baselines/small.json");
  const std::string accepted = text_of(file);
  json baseline = json::parse(accepted);
  ASSERT_EQ(baseline["cases"].size(), 8u);
  EXPECT_EQ(regress("p.toml --out again").code, 0);
  EXPECT_EQ(text_of(file), accepted);
  // One cycle fewer then than now.
  json& cycles = baseline["cases"]["g/compressor/mixed/none/s1"][0]["figures"]["cycles"];
  cycles = cycles.get<double>() - 1;
  std::ofstream(file) << baseline;
  const Ended worse = regress("p.toml --out worse");
  EXPECT_EQ(worse.code, 1);
  EXPECT_THAT(worse.err,
              HasSubstr("FAIL g/compressor/mixed/none/s1: worse than the baseline: cycles "));
  // And one more: better, which does not rewrite the file.
  cycles = cycles.get<double>() + 2;
  std::ofstream(file) << baseline;
  const Ended better = regress("p.toml --out better");
  EXPECT_EQ(better.code, 0);
  EXPECT_THAT(better.out, HasSubstr("Better than the baseline"));
  ASSERT_EQ(regress("accept better").code, 0);
  EXPECT_EQ(text_of(file), accepted);
  // Another seed has none.
  EXPECT_THAT(regress("p.toml --out seed --seed 2").out, HasSubstr("8 cases without a baseline"));
}

TEST_F(Regress, ResultsAreMerged) {
  ASSERT_EQ(regress("p.toml --out a --only '*/compressor'").code, 0);
  ASSERT_EQ(regress("p.toml --out b --only '*/decompressor'").code, 0);
  ASSERT_EQ(regress("p.toml --out c").code, 0);
  ASSERT_EQ(regress("merge a b --out all").code, 0);
  json merged = lasting(result("all")), whole = lasting(result("c"));
  for (json* document : {&merged, &whole}) {
    json& cases = (*document)["cases"];
    std::sort(cases.begin(), cases.end(),
              [](const json& x, const json& y) { return x["name"] < y["name"]; });
  }
  EXPECT_EQ(merged, whole);
  EXPECT_EQ(regress("merge a b --out all").code, 2);  // it is there
  ASSERT_EQ(regress("p.toml --out d --seed 2").code, 0);
  EXPECT_THAT(regress("merge a d --out e").err, HasSubstr("of other plans, seeds or builds"));
}

TEST_F(Regress, WrongRtlFails) {
  // The compressor, its tlast and tuser taken for one another.
  fs::copy(fs::path(GRADWIRE_SOURCE_DIR) / "rtl", folder_ / "rtl", fs::copy_options::recursive);
  const fs::path top = folder_ / "rtl/codec/gw_compressor.sv";
  std::string text = text_of(top);
  const std::string was = "{m_axis_tuser, m_axis_tlast,";
  const size_t at = text.find(was);
  ASSERT_NE(at, std::string::npos);
  text.replace(at, was.size(), "{m_axis_tlast, m_axis_tuser,");
  std::ofstream(top) << text;
  write("p.toml",
        "name = \"small\"\n[[group]]\nname = \"g\"\ndevice = [\"compressor\", "
        "\"decompressor\"]\nsynth = [\"mixed\"]\npackets = 20\n");
  // The list's paths are from the source tree's root.
  std::istringstream list(text_of(folder_ / "rtl/codec/gw_compressor.f"));
  std::string mine = "+incdir+rtl/common\n";
  for (std::string line; std::getline(list, line);) mine += line + "\n";
  write("my.f", "-f lists/all.f\n");
  fs::create_directory(folder_ / "lists");
  write("lists/all.f", mine);
  const Ended r =
      regress("p.toml --out 'd & r' --device compressor --rtl my.f --top gw_compressor");
  EXPECT_EQ(r.code, 1) << r.err;
  EXPECT_THAT(r.err, HasSubstr("FAIL g/compressor/mixed/s1: compressor: "));
  EXPECT_THAT(r.err, HasSubstr("making 1 capsule, --shrink 60 s\ncapsule 1 of 1: compressor-"));
  EXPECT_THAT(r.out, HasSubstr("FAIL  1 of 1 cases failed in "));
  EXPECT_GT(result("d & r")["times"]["capsule_seconds"], 0);
  // What is printed beside the bucket is pasted into a shell.
  const size_t replay = r.out.find(GRADWIRE_BINARY " replay ");
  ASSERT_NE(replay, std::string::npos) << r.out;
  const Ended pasted = shell(r.out.substr(replay, r.out.find('\n', replay) - replay));
  EXPECT_EQ(pasted.code, 1) << pasted.err;
  EXPECT_THAT(pasted.out, HasSubstr("the bug is there: compressor, gw_compressor, "));
  const json document = result("d & r");
  ASSERT_EQ(document["cases"].size(), 1u);
  EXPECT_EQ(document["cases"][0]["verdict"], "fail");
  // Its command alone fails the same way.
  const Ended alone = shell(document["cases"][0]["command"].get<std::string>() + " --quiet");
  EXPECT_EQ(alone.code, 1);
  EXPECT_EQ(alone.out, "");
  EXPECT_EQ(alone.err,
            "gradwire: " + document["cases"][0]["failure"]["headline"].get<std::string>() + "\n");

  // What a list in a list says makes it another case, whose result is not that of the first.
  write("lists/all.f", mine + "-GNone=1\n");
  const Ended other =
      regress("p.toml --out 'd & r' --device compressor --rtl my.f --top gw_compressor");
  EXPECT_THAT(other.err, HasSubstr("Parameters from the command line were not found"));
  EXPECT_NE(result("d & r")["cases"][0]["hash"], document["cases"][0]["hash"]);
}

TEST_F(Regress, CoverageOfAllCasesIsInEveryReportAndIsMerged) {
  std::string plan = kPlan;
  write("p.toml", plan + "coverage = \"functional\"\n");
  const Ended whole = regress("p.toml --out whole");
  ASSERT_EQ(whole.code, 0) << whole.err;
  EXPECT_THAT(whole.out,
              HasSubstr("Coverage (gradwire coverage report whole/coverage/merged.json)"));
  const json shares = result("whole")["coverage"];
  ASSERT_TRUE(shares.contains("functional")) << shares;
  const uint64_t covered = shares["functional"]["covered"];
  EXPECT_GT(covered, 500u);
  EXPECT_LT(covered, shares["functional"]["possible"].get<uint64_t>());
  const std::string page = text_of(folder_ / "whole/index.html");
  EXPECT_THAT(page, HasSubstr(fmt::format("{} of {}", covered,
                                          shares["functional"]["possible"].get<uint64_t>())));
  EXPECT_THAT(page, HasSubstr("functional compressor/packets-s_axis"));

  // Half of the cases each: none has reached what both have.
  ASSERT_EQ(regress("p.toml --out a --device compressor").code, 0);
  ASSERT_EQ(regress("p.toml --out b --device decompressor").code, 0);
  ASSERT_EQ(regress("merge a b --out all").code, 0);
  EXPECT_LT(result("a")["coverage"]["functional"]["covered"], covered);
  EXPECT_EQ(result("all")["coverage"], shares);
  EXPECT_EQ(text_of(folder_ / "all/coverage/merged.json"),
            text_of(folder_ / "whole/coverage/merged.json"));
  // A case whose points are gone is said, by each of these, and counts as failed ...
  const std::string lost = result("b")["cases"][0]["name"];
  const std::string hash = result("b")["cases"][0]["hash"];
  const std::string file = "b/coverage/" + hash + ".json";
  ASSERT_TRUE(fs::remove(folder_ / file)) << file;
  for (const char* const words : {"report b", "merge a b --out less"}) {
    const Ended less = regress(words);
    EXPECT_EQ(less.code, 1) << less.err;
    EXPECT_THAT(less.out, HasSubstr(lost + ": it passed, but '"));
    EXPECT_THAT(less.out, HasSubstr(hash + ".json', what it has reached, is not there"));
  }
  EXPECT_THAT(text_of(folder_ / "less/index.html"), HasSubstr("its file is not there"));
  // ... until it has run again.
  ASSERT_EQ(regress("p.toml --out b --device decompressor").code, 0);
  EXPECT_TRUE(fs::exists(folder_ / file));
  ASSERT_EQ(regress("merge a b --out again --quiet").code, 0);
  EXPECT_EQ(result("again")["coverage"], shares);
  // The page again, and no points of a case that is to run again.
  EXPECT_EQ(regress("report all --quiet").code, 0);
  EXPECT_EQ(result("all")["coverage"], shares);
}

TEST_F(Regress, CtrlCEndsAllAndSaysWhatDidNotRun) {
  write("p.toml",
        "name = \"long\"\n[[group]]\nname = \"g\"\ndevice = \"compressor\"\nsynth = "
        "\"mixed\"\npackets = 100000000\nseeds = 3\n");
  const pid_t controller = fork();
  if (controller == 0) {
    if (chdir(folder_.c_str()) != 0 || !std::freopen("stdout", "w", stdout) ||
        !std::freopen("stderr", "w", stderr)) {
      std::_Exit(99);
    }
    execl(GRADWIRE_BINARY, "gradwire", "regress", "p.toml", "--out", "dir", "--jobs", "2", nullptr);
    std::_Exit(99);
  }
  // Until its workers run; then it is told to stop.
  while (!fs::exists(folder_ / "dir/shards/000002.json")) usleep(10'000);
  usleep(200'000);
  kill(controller, SIGINT);
  int status = 0;
  waitpid(controller, &status, 0);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 1);
  const json document = result("dir");
  EXPECT_EQ(document["interrupted"], true);
  EXPECT_EQ(document["verdicts"]["not run"], 3);
  // Workers get the folder's path as a word.
  EXPECT_EQ(shell("cat /proc/[0-9]*/cmdline | tr '\\0' '\\n' | grep -c '^dir/shards/' || true").out,
            "0\n");
  EXPECT_EQ(shell("ls dir/cases | wc -l").out, "0\n");
}

TEST_F(Regress, AFullDiskIsSaid) {
  // A small file system of its own, where this machine lets a user have one.
  if (shell("unshare -Urm sh -c 'mkdir t && mount -t tmpfs -o size=64k none t'").code != 0) {
    GTEST_SKIP() << "no user namespaces here";
  }
  const Ended r = shell(fmt::format(
      "unshare -Urm sh -c 'mkdir -p t && mount -t tmpfs -o size=64k none t && head -c 36k "
      "/dev/zero > "
      "t/ballast; {0} regress p.toml --out t/dir; echo code $?; rm t/ballast; ls t/dir/cases | wc "
      "-l; "
      "mount -o remount,size=4m t; {0} regress p.toml --out t/dir --quiet; echo code $?'",
      GRADWIRE_BINARY));
  EXPECT_THAT(r.err, HasSubstr("No space left on device"));
  EXPECT_THAT(r.out, HasSubstr("code 3\n"));
  EXPECT_THAT(r.out, HasSubstr("code 0\n"));  // with room again, the rest
}

}  // namespace
}  // namespace gw::tests::regress_cli_test
