// Capsules as users see them: RTL that is wrong on purpose, shrunk, packed, replayed.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/program.h"

namespace gw::tests::cli_test {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

size_t lines_of(const fs::path& path) {
  std::istringstream text(text_of(path));
  size_t lines = 0;
  for (std::string line; std::getline(text, line);) lines += !line.empty() && line.front() != '#';
  return lines;
}

class Capsules : public ProgramTest {
 protected:
  /// A run of the compressor that is wrong in the way that its bound says.
  Ended faulty(int bound, const std::string& arguments) const {
    return gradwire(
        fmt::format("run compressor --rtl {}/tests/capsule/faulty_compressor.f --top "
                    "faulty_compressor --bound {} "
                    "{} --capsule-out c",
                    GRADWIRE_SOURCE_DIR, bound, arguments));
  }
  std::string bucket() const { return json::parse(text_of(path("c/report.json")))["bucket"]; }
  size_t packets() const { return lines_of(path("c/packets.txt")); }

  /// What every capsule must be.
  void expect_whole(const std::string& bucket) const {
    EXPECT_EQ(this->bucket(), bucket);
    for (const char* file : {"replay.sh", "input.pcap", "packets.txt", "stalls.txt", "command.txt",
                             "first.fst", "first.gtkw", "beats.txt", "report.json", "report.html",
                             "shrink.txt", "rtl/user.f", "rtl/faulty_compressor.sv"}) {
      EXPECT_TRUE(fs::exists(folder_ / "c" / file)) << file;
    }
    EXPECT_THAT(text_of(path("c/command.txt")), HasSubstr(bucket));
    EXPECT_GT(fs::file_size(path("c/first.fst")), 500u);
    const Ended replayed = gradwire("replay c.zip --quiet");
    EXPECT_EQ(replayed.code, 1) << replayed.err;
    EXPECT_EQ(replayed.out, "the bug is there: " + bucket + "\n");
    // Quiet, it still says what failed: one line.
    EXPECT_THAT(replayed.err, StartsWith("gradwire: compressor: "));
    EXPECT_THAT(replayed.err, HasSubstr(" at cycle "));
    EXPECT_EQ(std::ranges::count(replayed.err, '\n'), 1) << replayed.err;
  }
};

TEST_F(Capsules, ABit) {
  const Ended r = faulty(1, "--synth mixed --packets 300 --stall both:30");
  ASSERT_EQ(r.code, 1) << r.err;
  expect_whole("compressor, faulty_compressor, lockstep, m_axis tdata, rtl and model");
  EXPECT_EQ(packets(), 1u);
  EXPECT_EQ(lines_of(path("c/stalls.txt")), 0u);
  EXPECT_THAT(text_of(path("c/first.gtkw")), HasSubstr("harness.model_m_axis_tdata[255:0]"));
  // The bound is at its default: it fails there, too.
  EXPECT_THAT(text_of(path("c/command.txt")), Not(HasSubstr("--bound=")));
  EXPECT_THAT(text_of(path("c/shrink.txt")), HasSubstr("nothing more goes"));
  EXPECT_THAT(r.out, Not(HasSubstr("stopped before all was tried")));
  std::printf("%s", text_of(path("c/shrink.txt")).c_str());
}

TEST_F(Capsules, ABubble) {
  ASSERT_EQ(faulty(2, "--synth mixed --packets 300").code, 1);
  expect_whole("compressor, faulty_compressor, lockstep, m_axis tvalid, rtl and model");
  EXPECT_LE(packets(), 2u);
  EXPECT_THAT(text_of(path("c/command.txt")), HasSubstr("--bound=2"));
}

TEST_F(Capsules, ALostLast) {
  ASSERT_EQ(faulty(3, "--random hostile --packets 300").code, 1);
  expect_whole("compressor, faulty_compressor, lockstep, m_axis tlast, rtl and model");
  EXPECT_EQ(packets(), 2u);
}

TEST_F(Capsules, AHang) {
  ASSERT_EQ(faulty(4, "--synth mixed --packets 300 --engine rtl").code, 1);
  expect_whole("compressor, faulty_compressor, hang, s_axis, rtl");
  EXPECT_LE(packets(), 4u);
}

TEST_F(Capsules, WhatAResetLeaves) {
  const std::string run = "--synth mixed --packets 50 --stall both:30 --set Fault=9";
  EXPECT_EQ(faulty(9, run).code, 0);
  ASSERT_EQ(faulty(9, run + " --reset-after 300").code, 1);
  expect_whole("compressor, faulty_compressor, lockstep, m_axis tlast, rtl and model");
  EXPECT_EQ(packets(), 1u);
  EXPECT_THAT(text_of(path("c/command.txt")), HasSubstr("--reset-after=300"));
}

TEST_F(Capsules, WhatFailsBeforeTheResetIsToldAsWithoutIt) {
  const std::string run = "--synth mixed --packets 50 --stall both:30 --json r.json";
  ASSERT_EQ(faulty(3, run).code, 1);
  const json without = json::parse(text_of(path("r.json")))["failure"]["lines"];
  ASSERT_EQ(faulty(3, run + " --reset-after 100000").code, 1);
  EXPECT_EQ(json::parse(text_of(path("r.json")))["failure"]["lines"], without);
  expect_whole("compressor, faulty_compressor, lockstep, m_axis tlast, rtl and model");
  EXPECT_EQ(packets(), 2u);
}

TEST_F(Capsules, OneFailureInAMillionBeats) {
  // The beat that fails comes behind more than a million others.
  const auto begin = std::chrono::steady_clock::now();
  const Ended r = faulty(5, "--synth uniform --packets 60000 --stall both:10 --seed 18");
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
  ASSERT_EQ(r.code, 1) << r.err;
  expect_whole("compressor, faulty_compressor, lockstep, m_axis tdata, rtl and model");
  EXPECT_LE(packets(), 2u);
  std::printf("%s%sall of it: %.1f s\n", r.out.substr(r.out.rfind("c: ")).c_str(),
              text_of(path("c/shrink.txt")).c_str(), seconds.count());
  double shrunk = 0;
  ASSERT_EQ(std::sscanf(text_of(path("c/shrink.txt")).c_str(), "%*u runs in %lf s", &shrunk), 1);
  EXPECT_LE(shrunk, 60);
}

TEST_F(Capsules, WhatIsFlakyIsNotShrunk) {
  const Ended r = faulty(6, "--synth mixed --packets 300");
  ASSERT_EQ(r.code, 1) << r.err;
  EXPECT_THAT(r.out, HasSubstr("c: flaky: it does not fail the same way three times"));
  EXPECT_FALSE(fs::exists(path("c/shrink.txt")));
  for (const char* file : {"flaky.txt", "report-1.json", "report-2.json", "report-3.json"}) {
    EXPECT_TRUE(fs::exists(folder_ / "c" / file)) << file;
  }
  EXPECT_GT(packets(), 2u);
}

TEST_F(Capsules, TheRtlIsInsideAndAnotherOneCanBePutToTheTest) {
  ASSERT_EQ(faulty(3, "--synth mixed --packets 50 --shrink off").code, 1);
  EXPECT_EQ(text_of(path("c/shrink.txt")), "--shrink off: nothing was taken out\n");
  fs::remove_all(folder_ / "c");
  ASSERT_EQ(shell("mkdir elsewhere && cd elsewhere && python3 -m zipfile -e ../c.zip . && chmod +x "
                  "c/replay.sh && c/replay.sh --quiet")
                .code,
            1);
  // Repaired: the second packet ends.
  std::string text = text_of(path("elsewhere/c/rtl/faulty_compressor.sv"));
  const std::string fault = "fault == 4'd3";
  const size_t at = text.find(fault);
  ASSERT_NE(at, std::string::npos);
  text.replace(at, fault.size(), "1'b0");
  write("elsewhere/c/rtl/faulty_compressor.sv", text);
  const Ended repaired = shell("elsewhere/c/replay.sh --quiet");
  EXPECT_EQ(repaired.code, 0) << repaired.err;
  EXPECT_THAT(repaired.out, HasSubstr("the bug is gone: compressor, faulty_compressor, lockstep"));
  // The same files, given as RTL to the zip file, which holds the wrong ones.
  const Ended given =
      gradwire("replay c.zip --quiet --rtl elsewhere/c/rtl/user.f --top faulty_compressor");
  EXPECT_EQ(given.code, 0) << given.err;
}

TEST_F(Capsules, WrongUsageIsOneSentence) {
  write("cut.zip", "PK\x03\x04 and no more");
  for (const auto& [arguments, code, sentence] :
       std::vector<std::tuple<std::string, int, std::string>>{
           {"replay none", 3, "there is no capsule 'none'"},
           {"replay .", 3, "'.' is no capsule: it has no command.txt"},
           {"replay cut.zip", 3, "'cut.zip' is no whole zip file: "},
           {"run compressor --synth mixed --shrink off", 2, "--shrink has no effect without"},
           {"run compressor --synth mixed --capsule-out x --shrink soon", 2,
            "--shrink: 'soon' is no "},
           {"run compressor --synth mixed --capsule cut.zip", 3, "is no whole zip file"},
           {"regress p.toml --shrink soon", 2, "--shrink: 'soon' is no "}}) {
    const Ended r = gradwire(arguments);
    EXPECT_EQ(r.code, code) << arguments << r.err;
    EXPECT_THAT(r.err, HasSubstr(sentence)) << arguments;
    EXPECT_EQ(std::count(r.err.begin(), r.err.end(), '\n'), 1) << r.err;
  }
}

TEST_F(Capsules, ARunThatPassesHasNone) {
  const Ended r = gradwire("run compressor --synth mixed --packets 20 --capsule-out c");
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_FALSE(fs::exists(path("c")));
}

/// A regression of the compressor that is wrong with two of its bounds.
class Buckets : public Capsules {
 protected:
  void SetUp() override {
    Capsules::SetUp();
    write("p.toml", R"(name = "small"
[[group]]
name = "g"
device = ["compressor", "decompressor"]
synth = ["mixed", "single"]
bound = [1, 3, 7]
packets = 40
)");
  }
  Ended regress(const std::string& more = "") const {
    return gradwire(
        fmt::format("regress p.toml --out dir --device compressor --shrink '20 s' --rtl "
                    "{}/tests/capsule/faulty_compressor.f --top faulty_compressor {}",
                    GRADWIRE_SOURCE_DIR, more));
  }
  json result() const { return json::parse(text_of(path("dir/regress.json"))); }
};

TEST_F(Buckets, FailuresAreSortedAndTheFirstOfEachHasACapsule) {
  const Ended r = regress();
  ASSERT_EQ(r.code, 1) << r.err;
  const json document = result();
  ASSERT_EQ(document["buckets"].size(), 2u) << document["buckets"];
  for (const json& one : document["buckets"]) {
    ASSERT_TRUE(one.contains("capsule")) << one << r.err;
    EXPECT_EQ(one["known"], false);
    const std::string zip = "dir/" + one["capsule"].get<std::string>();
    const Ended replayed = gradwire("replay " + zip + " --quiet");
    EXPECT_EQ(replayed.code, 1) << replayed.err;
    EXPECT_EQ(replayed.out, "the bug is there: " + one["bucket"].get<std::string>() + "\n");
    EXPECT_THAT(r.out, HasSubstr(zip));
    EXPECT_THAT(text_of(path("dir/index.html")), HasSubstr(one["bucket"].get<std::string>()));
  }
  // A capsule is a stimulus of a plan as any other; with the project's own RTL nothing fails.
  const std::string zip = document["buckets"][0]["capsule"];
  write("q.toml",
        "name = \"again\"\n[[group]]\nname = \"g\"\ndevice = \"compressor\"\ncapsule = "
        "\"dir/" +
            zip + "\"\n");
  const Ended again = gradwire("regress q.toml --out again --shrink off");
  EXPECT_EQ(again.code, 1) << again.err;
  EXPECT_EQ(json::parse(text_of(path("again/regress.json")))["cases"].size(), 1u);
}

TEST_F(Buckets, KnownFailuresDoNotFailARunUntilTheirDay) {
  ASSERT_EQ(regress().code, 1);
  const json buckets = result()["buckets"];
  const auto known = [&](const std::string& until, const std::string& more = "") {
    std::string text;
    for (const json& one : buckets) {
      text += fmt::format(
          "[[known]]\nbucket = \"{}\"\nreason = \"a test\"\nissue = \"#1\"\nuntil = {}\n",
          one["bucket"].get<std::string>(), until);
    }
    write("known.toml", text + more);
  };
  known("2999-12-31");
  const Ended accepted = regress();
  EXPECT_EQ(accepted.code, 0) << accepted.out;
  EXPECT_GT(result()["verdicts"]["known"].get<int>(), 0);
  EXPECT_EQ(result()["verdicts"]["fail"], 0);
  EXPECT_THAT(text_of(path("dir/junit.xml")), HasSubstr("<skipped message=\"known: "));
  known("2020-01-01");
  const Ended expired = regress();
  EXPECT_EQ(expired.code, 1);
  EXPECT_THAT(expired.out, HasSubstr("(it was known until 2020-01-01)"));
  // One that is no longer there is reported, and fails nothing.
  known(
      "2999-12-31",
      "[[known]]\nbucket = \"compressor, faulty_compressor, hang, s_axis, rtl\"\nreason = \"was\"\n"
      "issue = \"#2\"\nuntil = 2999-12-31\n");
  const Ended overcome = regress();
  EXPECT_EQ(overcome.code, 0) << overcome.out;
  EXPECT_THAT(overcome.out, HasSubstr("Known, and no longer there"));
  ASSERT_EQ(result()["overcome"].size(), 1u);
  EXPECT_EQ(result()["overcome"][0]["issue"], "#2");
  write("known.toml", "[[known]]\nbucket = \"x\"\n");
  const Ended wrong = regress();
  EXPECT_EQ(wrong.code, 3);
  EXPECT_THAT(wrong.err, HasSubstr("known.toml:1:1: a known failure without its 'reason'"));
}

TEST_F(Capsules, CtrlCKeepsTheSmallestSoFar) {
  // None of a thousand packets can go, and a hang takes its time to be seen: shrinking lasts.
  const pid_t child = fork();
  if (child == 0) {
    if (chdir(folder_.c_str()) != 0 || !std::freopen("stdout", "w", stdout) ||
        !std::freopen("stderr", "w", stderr)) {
      std::_Exit(99);
    }
    const std::string list = GRADWIRE_SOURCE_DIR "/tests/capsule/faulty_compressor.f";
    execl(GRADWIRE_BINARY, "gradwire", "run", "compressor", "--rtl", list.c_str(), "--top",
          "faulty_compressor", "--bound", "8", "--engine", "rtl", "--synth", "mixed", "--packets",
          "2000", "--stall", "both:50", "--capsule-out", "c", "--shrink", "10 min", nullptr);
    std::_Exit(99);
  }
  while (text_of(path("stderr")).find("# shrinking: ") == std::string::npos) {
    ASSERT_EQ(waitpid(child, nullptr, WNOHANG), 0) << text_of(path("stderr"));
    usleep(20'000);
  }
  kill(child, SIGINT);
  int status = 0;
  waitpid(child, &status, 0);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 1);
  EXPECT_THAT(text_of(path("c/shrink.txt")), HasSubstr("stopped before all was tried"));
  EXPECT_THAT(text_of(path("stdout")), HasSubstr(" s; stopped before all was tried\n"));
  EXPECT_EQ(gradwire("replay c.zip --quiet").code, 1);
}

}  // namespace
}  // namespace gw::tests::cli_test
