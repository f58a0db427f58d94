// Plans: what is read, what is refused and where, what cases come of it, and that their names and
// seeds stay.
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <set>

#include "sim/regress/case.h"
#include "sim/regress/expectation.h"
#include "tests/regress/fake_vocabulary.h"

namespace gw::tests::plan_test {
namespace {

using namespace regress;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr const char* kHead = "name = \"p\"\n";

class Plans : public testing::Test {
 protected:
  std::string file(const std::string& text) const {
    const std::string path = (scratch_.path() / "p.toml").string();
    std::ofstream(path) << text;
    return path;
  }
  std::vector<Point> points(const std::string& text, const Narrowing& narrowing = {}) {
    plan_ = read_plan(file(text), world_);
    return points_of(plan_, world_, narrowing);
  }
  std::vector<Case> cases(const std::string& text) { return cases_of(plan_, points(text)); }
  static std::vector<std::string> names(const std::vector<Case>& cases) {
    std::vector<std::string> names;
    for (const Case& c : cases) names.push_back(c.name);
    return names;
  }
  /// The sentence, from the place on: "3:7: ...".
  std::string refusal(const std::string& text) {
    try {
      points(text);
    } catch (const sim::UsageError& error) {
      const std::string sentence = error.what(), head = (scratch_.path() / "p.toml").string() + ":";
      return sentence.starts_with(head) ? sentence.substr(head.size()) : sentence;
    }
    return "no refusal";
  }

  Scratch scratch_{testing::UnitTest::GetInstance()->current_test_info()->name()};
  FakeVocabulary world_;
  Plan plan_;
};

std::string group(const std::string& lines) {
  return std::string(kHead) + "[[group]]\nname = \"g\"\n" + lines;
}

TEST_F(Plans, CasesAreTheCrossProductAndNamedByIt) {
  EXPECT_THAT(names(cases(group("device = [\"adder\"]\nsynth = [\"mixed\", \"single\"]\n"
                                "stall = [\"none\", \"both:30\"]\nbound = [1, 10]\nseeds = 2\n"))),
              ElementsAre("g/adder/mixed/none/1/s1", "g/adder/mixed/none/1/s2",
                          "g/adder/mixed/both:30/1/s1", "g/adder/mixed/both:30/1/s2",
                          "g/adder/mixed/none/10/s1", "g/adder/mixed/none/10/s2",
                          "g/adder/mixed/both:30/10/s1", "g/adder/mixed/both:30/10/s2",
                          "g/adder/single/none/1/s1", "g/adder/single/none/1/s2",
                          "g/adder/single/both:30/1/s1", "g/adder/single/both:30/1/s2",
                          "g/adder/single/none/10/s1", "g/adder/single/none/10/s2",
                          "g/adder/single/both:30/10/s1", "g/adder/single/both:30/10/s2"));
}

TEST_F(Plans, ACaseIsARunsWords) {
  const std::vector<Case> all = cases(group(
      "device = \"adder\"\nsynth = \"mixed\"\nbound = 3\nfast = [true, false]\nat = [[\"1:2\", "
      "\"3:4\"]]\nseed = -5\n"));
  ASSERT_EQ(all.size(), 2u);
  EXPECT_THAT(all[0].words, ElementsAre("run", "adder", "--synth", "mixed", "--at", "1:2", "3:4",
                                        "--bound", "3", "--fast", "--seed=-5"));
  EXPECT_THAT(all[1].words, ElementsAre("run", "adder", "--synth", "mixed", "--at", "1:2", "3:4",
                                        "--bound", "3", "--seed=-5"));
  // What is no list is no coordinate.
  EXPECT_EQ(all[0].name, "g/adder/mixed/1:2,3:4/fast");
  EXPECT_EQ(all[1].name, "g/adder/mixed/1:2,3:4/no-fast");
}

TEST_F(Plans, SettingsAreWordsOfTheirOwnAndATableIsACrossProduct) {
  const std::string adder = "device = \"adder\"\nsynth = \"mixed\"\n";
  std::vector<Case> all = cases(group(adder + "seed = 1\nset = [[\"A=1\", \"B=x\"], \"A=2\"]\n"));
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].name, "g/adder/mixed/A=1,B=x");
  EXPECT_THAT(all[0].words, ElementsAre("run", "adder", "--synth", "mixed", "--seed", "1",
                                        "--set=A=1", "--set=B=x"));
  EXPECT_EQ(all[1].name, "g/adder/mixed/A=2");
  all = cases(group(adder + "set = { N = [4, 8], M = 2, T = [\"a\", \"b\"] }\n"));
  EXPECT_THAT(names(all),
              ElementsAre("g/adder/mixed/M=2,N=4,T=a/s1", "g/adder/mixed/M=2,N=4,T=b/s1",
                          "g/adder/mixed/M=2,N=8,T=a/s1", "g/adder/mixed/M=2,N=8,T=b/s1"));
  EXPECT_THAT(all[3].words, ElementsAre("run", "adder", "--synth", "mixed", "--set=M=2",
                                        "--set=N=8", "--set=T=b", "--seed", all[3].words.back()));
  // What is no list is no coordinate.
  EXPECT_THAT(names(cases(group(adder + "set = { N = 4 }\n"))), ElementsAre("g/adder/mixed/s1"));
  EXPECT_EQ(refusal(group(adder + "set = { N = [] }\n")), "6:13: 'N' is empty");
  EXPECT_EQ(refusal(group(adder + "bound = { N = 4 }\n")).substr(0, 4), "6:9:");
}

TEST_F(Plans, ASeedThatChangesNothingRunsOnce) {
  EXPECT_THAT(
      names(cases(group("device = \"adder\"\ntrace = \"traces/a.pcap\"\n"
                        "stall = [\"none\", \"sink:5\"]\nseeds = 2\n"))),
      ElementsAre("g/adder/a.pcap/none", "g/adder/a.pcap/sink:5/s1", "g/adder/a.pcap/sink:5/s2"));
}

TEST_F(Plans, StimuliAreOneDimensionAndPatternsStandForFiles) {
  EXPECT_THAT(names(cases(group("device = \"adder\"\ntrace = \"traces/*\"\nsynth = \"mixed\"\n"))),
              ElementsAre("g/adder/mixed/s1", "g/adder/a.pcap", "g/adder/b.pcap"));
}

TEST_F(Plans, RandomNamesATableOfThePlan) {
  const std::vector<Case> all = cases(group("device = \"mixer\"\nrandom = [\"hostile\"]\n") +
                                      "[random.hostile]\nweight = 1\n");
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].name, "g/mixer/random:hostile/s1");
  EXPECT_EQ(all[0].words[3], (scratch_.path() / "p.toml").string() + "#hostile");
}

TEST_F(Plans, SeedsStayTheSameForever) {
  // Quoted in reports of bugs: these numbers never change.
  EXPECT_EQ(seed_of(1, "codec-stalls/compressor/mixed/both:30/10/s2"), 197538559657645u);
  EXPECT_EQ(seed_of(2, "codec-stalls/compressor/mixed/both:30/10/s2"), 179079496226443u);
  EXPECT_EQ(seed_of(1, ""), 45892011228987u);
}

TEST_F(Plans, OtherCasesChangeNoSeedAndNoHash) {
  const auto by_name = [](const std::vector<Case>& cases) {
    std::map<std::string, std::pair<std::vector<std::string>, std::string>> all;
    for (const Case& c : cases) all[c.name] = {c.words, c.hash};
    return all;
  };
  const auto few = by_name(cases(group("device = \"adder\"\nsynth = [\"a\", \"b\"]\nseeds = 2\n")));
  const auto many = by_name(cases(
      group("seeds = 5\nstall = \"none\"\nsynth = [\"z\", \"b\", \"a\"]\ndevice = [\"mixer\", "
            "\"adder\"]\n")));
  ASSERT_EQ(few.size(), 4u);
  for (const auto& [name, words] : few) {
    ASSERT_TRUE(many.contains(name)) << name;
    EXPECT_EQ(words.first.back(), many.at(name).first.back()) << name;
  }
  const auto same =
      by_name(cases(group("device = \"adder\"\nsynth = [\"b\", \"c\", \"a\"]\nseeds = 3\n")));
  for (const auto& [name, words] : few) EXPECT_EQ(words, same.at(name));
}

TEST_F(Plans, AListOfSeedsNamesSomeOfThem) {
  const std::vector<Case> all = cases(group("device = \"adder\"\nsynth = \"a\"\nseeds = [2, 7]\n"));
  const std::vector<Case> three = cases(group("device = \"adder\"\nsynth = \"a\"\nseeds = 3\n"));
  EXPECT_THAT(names(all), ElementsAre("g/adder/a/s2", "g/adder/a/s7"));
  EXPECT_EQ(all[0].words, three[1].words);
  EXPECT_EQ(all[0].hash, three[1].hash);
}

TEST_F(Plans, TheHashKnowsAllThatDecidesAResult) {
  const std::string text = group("device = \"adder\"\ntrace = \"traces/a.pcap\"\n");
  const Case was = cases(text).front();
  EXPECT_EQ(was.hash, cases(text).front().hash);
  EXPECT_NE(was.hash, cases(text + "bound = 3\n").front().hash);
  EXPECT_NE(was.hash, cases(text + "expect = { cycles = 3 }\n").front().hash);
  world_.program = "build 2";
  EXPECT_NE(was.hash, cases(text).front().hash);
  // Another build is compared with the same baseline, another capture is not.
  EXPECT_EQ(was.comparable, cases(text).front().comparable);
  world_.contents_of["traces/a.pcap"] = "other packets";
  EXPECT_NE(was.comparable, cases(text).front().comparable);
}

TEST_F(Plans, ExceptionsTakeCasesOut) {
  EXPECT_THAT(names(cases(group(
                  "device = \"adder\"\nsynth = [\"a\", \"b\"]\nbound = [1, 2, 3]\nexcept = [{ "
                  "synth = \"a\", bound = [1, 3], reason = \"known\" }]\n"))),
              ElementsAre("g/adder/a/2/s1", "g/adder/b/1/s1", "g/adder/b/2/s1", "g/adder/b/3/s1"));
}

TEST_F(Plans, SlurmIsToldWhatTheSiteWants) {
  const std::string plan = file(group("device = \"adder\"\nsynth = \"a\"\n") +
                                "[slurm]\noptions = [\"--partition=short\", \"-A\"]\njobs = 7\n"
                                "patience = \"2 min\"\n");
  const SlurmSettings slurm = read_plan(plan, world_).slurm;
  EXPECT_THAT(slurm.options, ElementsAre("--partition=short", "-A"));
  EXPECT_EQ(slurm.jobs, 7u);
  EXPECT_EQ(slurm.patience, 120);
}

TEST_F(Plans, AreasAndSpeedsAreCases) {
  const std::vector<Case> all = cases(group("device = \"adder\"\nsynth = \"a\"\n") +
                                      "[[area]]\ntop = \"gw_adder\"\nset = { Pes = 4 }\n[speed]\n"
                                      "device = [\"mixer\"]\n");
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all[1].name, "area/gw_adder/Pes=4");
  EXPECT_THAT(all[1].words, ElementsAre(kSynthesis, "gw_adder", "--set", "Pes=4"));
  EXPECT_EQ(all[2].name, "speed/mixer");
  EXPECT_TRUE(all[2].alone);
}

TEST_F(Plans, ARunIsNarrowedToADeviceAndGivenMore) {
  const std::string text = group(
      "device = [\"adder\", \"mixer\"]\nsynth = [\"a\", \"b\"]\nexcept = [{ "
      "device = \"mixer\", synth = \"b\", reason = \"none\" }]\n");
  const std::vector<Point> narrowed =
      points(text, {.device = "adder", .extra = {"--rtl", "my.f", "--top", "mine"}});
  ASSERT_EQ(narrowed.size(), 2u);
  EXPECT_THAT(narrowed[0].common.words,
              ElementsAre("run", "adder", "--synth", "a", "--rtl", "my.f", "--top", "mine"));
}

TEST_F(Plans, BudgetsAndTimes) {
  EXPECT_EQ(parse_duration("90 s"), 90);
  EXPECT_EQ(parse_duration("1.5 h"), 5400);
  EXPECT_EQ(parse_duration("10min"), 600);
  EXPECT_EQ(parse_budget("1e9 cycles").cycles, 1e9);
  EXPECT_EQ(parse_budget("2 h").seconds, 7200);
  for (const char* wrong : {"", "s", "2", "-2 s", "2 weeks", "nan s", "1e9cycle"}) {
    EXPECT_THROW(parse_budget(wrong), sim::UsageError) << wrong;
  }
}

TEST_F(Plans, Expectations) {
  const nlohmann::json report = {{"cycles_per_burst", 1.25},
                                 {"mode", "paper"},
                                 {"latency_cycles", {{"max", 20}}},
                                 {"held", true}};
  const auto broken = [&](const char* figure, const char* wanted) {
    return Expectation{figure, wanted}.broken_by(report);
  };
  for (const auto& [figure, wanted] :
       std::vector<std::pair<const char*, const char*>>{{"cycles_per_burst", "<= 1.25"},
                                                        {"cycles_per_burst", "> 1"},
                                                        {"latency_cycles.max", "== 20"},
                                                        {"latency_cycles.max", "!= 21"},
                                                        {"cycles_per_burst", "<1.26"},
                                                        {"latency_cycles.max", ">= 20"},
                                                        {"mode", "paper"},
                                                        {"held", "true"}}) {
    EXPECT_EQ(broken(figure, wanted), "") << figure << wanted;
  }
  EXPECT_EQ(broken("cycles_per_burst", "<= 1.2"), "cycles_per_burst is 1.25, expected <= 1.2");
  EXPECT_EQ(broken("latency_cycles.min", "<= 3"),
            "the report has no latency_cycles.min, expected <= 3");
  EXPECT_EQ(broken("mode", "bounded"), "mode is paper, expected bounded");
  EXPECT_THAT(broken("mode", "< 3"), HasSubstr("is no number"));
}

TEST_F(Plans, AnyOrderOfKeysAndNestedExpectations) {
  const std::vector<Case> all = cases(group(
      "device = \"adder\"\nsynth = \"a\"\nexpect = { latency_cycles.max = \"<= 9\", x = 3, held "
      "= true }\n"));
  std::set<std::string> expected;
  for (const Expectation& e : all.front().expect) expected.insert(e.figure + " " + e.wanted);
  EXPECT_THAT(expected, ElementsAre("held true", "latency_cycles.max <= 9", "x == 3"));
}

// ---- every refusal, with its place

// Devices by pattern: as many cases as if they had been named, and each once.
TEST_F(Plans, PatternsNameDevices) {
  const auto devices = [&](const std::string& list) {
    const auto all =
        names(cases(group("device = " + list + "\nsynth = \"mixed\"\nstall = \"none\"\n")));
    std::string joined;
    for (const std::string& name : all) joined += name.substr(2, name.find('/', 2) - 2) + " ";
    return joined;
  };
  EXPECT_EQ(devices(R"("*")"), "adder mixer matrix ");
  EXPECT_EQ(devices(R"("audio/*")"), "mixer matrix ");
  EXPECT_EQ(devices(R"(["m*", "sums/*"])"), "mixer matrix adder ");
  EXPECT_EQ(devices(R"(["matrix", "audio/*", "*"])"), "matrix mixer adder ");
  EXPECT_EQ(devices(R"(["*", "!mixer"])"), "adder matrix ");
  EXPECT_EQ(devices(R"(["*", "!audio/*"])"), "adder ");
  const auto refused = [&](const std::string& list) {
    return refusal(group("device = " + list + "\nsynth = \"mixed\"\n"));
  };
  EXPECT_EQ(refused(R"("video/*")"), "4:10: no device matches 'video/*'");
  EXPECT_EQ(refused(R"(["adder", "!mixer"])"), "4:10: '!mixer' takes no device out");
  EXPECT_EQ(refused(R"(["audio/*", "!m*"])"), "4:10: 'device' leaves no device");
  // A setting must be an option of each that is meant.
  EXPECT_THAT(refusal(group("device = \"*\"\nsynth = \"mixed\"\nbound = 3\n")),
              HasSubstr("a run of 'mixer' has no option 'bound'"));
}

TEST_F(Plans, Refusals) {
  const std::string whole = "device = \"adder\"\nsynth = \"a\"\n";
  const std::vector<std::pair<std::string, std::string>> wrong = {
      {"name = ", "1:8: "},
      {"", "1:1: the plan has no name"},
      {kHead, "1:1: the plan has no [[group]]"},
      {"name = 3", "1:8: 'name' is no string"},
      {"name = \"a/b\"", "1:8: 'a/b' is no name: it has only letters, digits, '.', '_' and '-'"},
      {std::string(kHead) + "group = 3", "2:9: groups are written [[group]]"},
      {std::string(kHead) + "[group]", "2:1: groups are written [[group]]"},
      {std::string(kHead) + "colour = 3", "2:1: a plan has no key 'colour'; it has "},
      {std::string(kHead) + "seed = \"1\"", "2:8: 'seed' is no whole number from 0 to "},
      {std::string(kHead) + "seed = -1", "2:8: 'seed' is no whole number from 0 to "},
      {std::string(kHead) + "budget = \"2 weeks\"", "2:10: '2 weeks' is no budget such as "},
      {std::string(kHead) + "timeout = 3", "2:11: 'timeout' is no string"},
      {std::string(kHead) + "[random]\nx = 3", "3:5: 'x' is no table"},
      {std::string(kHead) + "[[group]]", "2:1: the group has no name"},
      {group(""), "2:1: the group 'g' names no device"},
      {group("device = []"), "4:10: 'device' is empty"},
      {group("device = \"adder\""), "2:1: the group 'g' names neither synth nor trace nor random"},
      {group("device = \"divider\"\nsynth = \"a\""),
       "4:10: unknown device 'divider'; there are adder, mixer, matrix"},
      {group("device = [\"adder\", \"divider\"]\nsynth = \"a\""), "4:10: unknown device 'divider'"},
      {group(whole + "colour = 3"), "6:1: a run of 'adder' has no option 'colour'"},
      {group("device = [\"adder\", \"mixer\"]\nsynth = \"a\"\nbound = 3"),
       "6:1: a run of 'mixer' has no option 'bound'"},
      {group("device = \"adder\"\nrandom = \"a\""),
       "5:1: 'random' is not there yet: gradwire run has no --random"},
      {group("device = \"adder\"\ncapsule = \"a\""), "5:1: 'capsule' is not there yet"},
      {group("device = \"mixer\"\nrandom = \"a\""), "5:10: --random a: there is no such table"},
      {group(whole + "wave = \"w.fst\""), "6:1: 'wave' goes with the command of a single case"},
      {group(whole + "quiet = true"), "6:1: 'quiet' goes with the command of a single case"},
      {group(whole + "bound = []"), "6:9: 'bound' is empty"},
      {group(whole + "bound = \"\""), "6:9: a value of 'bound' is empty"},
      {group(whole + "bound = true"), "6:9: 'bound' is neither true nor false"},
      {group(whole + "bound = [[1, 2]]"), "6:10: 'bound' takes one value at a time"},
      {group(whole + "bound = 2026-11-22"),
       "6:9: a value of 'bound' is neither a string nor a number"},
      {group(whole + "at = [[]]"), "6:7: a value of 'at' is empty"},
      {group(whole + "bound = [3, 99]"), "6:13: --bound 99 is not between 1 and 14"},
      {group("device = \"adder\"\ntrace = \"none.pcap\""), "5:9: there is no file 'none.pcap'"},
      {group("device = \"adder\"\ntrace = [\"none*\"]"), "5:10: there is no file 'none*'"},
      {group(whole + "seeds = 0"), "6:9: 'seeds' is no whole number from 1 to "},
      {group(whole + "seeds = []"), "6:9: 'seeds' is empty"},
      {group(whole + "seeds = [1, 1]"), "6:9: 'seeds' names one twice"},
      {group(whole + "seeds = 2\nseed = 3"), "2:1: the group 'g' has both seed"},
      {group(whole + "bound = [3, 3]"), "two cases are called 'g/adder/a/3'"},
      {group(whole + "except = 3"), "6:10: 'except' is a list of tables"},
      {group(whole + "bound = [1, 2]\nexcept = [{ bound = 1 }]"),
       "7:11: what is taken out needs a reason"},
      {group(whole + "except = [{ reason = \"r\" }]"), "6:11: the exception names no case"},
      {group(whole + "except = [{ colour = 3, reason = \"r\" }]"),
       "6:11: the group 'g' has no key 'colour'"},
      {group(whole + "except = [{ synth = \"z\", reason = \"r\" }]"),
       "6:11: the exception takes no case out"},
      {group(whole + "except = [{ synth = \"a\", reason = \"r\" }]"),
       "2:1: no case is left of the group 'g'"},
      {group(whole + "expect = { cycles = \"<= many\" }"),
       "6:21: '<= many' of cycles is no comparison"},
      {group(whole + "expect = { cycles_per_burst = \"=< 1.001\" }"),
       "6:31: '=< 1.001' of cycles_per_burst is no comparison: those are <=, >=, <, >, == and !="},
      {group(whole + "timeout = \"soon\""), "6:11: 'soon' is no time such as "},
      {group(whole) + "[[group]]\nname = \"g\"\n" + whole, "6:1: there are two groups 'g'"},
      {group(whole) + "[area]\n", "6:1: areas are written [[area]]"},
      {group(whole) + "[[area]]\nset = { A = 1 }", "6:1: [[area]] names no top"},
      {group(whole) + "[[area]]\ntop = \"gw_none\"", "6:1: there is no top 'gw_none'"},
      {group(whole) + "[speed]\ndevice = \"divider\"", "7:10: unknown device 'divider'"},
      {group(whole) + "[speed]\ntop = \"x\"", "7:1: [speed] has no key 'top'; it has device"},
      {group(whole) + "[slurm]\ncolour = 3", "7:1: [slurm] has no key 'colour'; it has options"},
      {group(whole) + "[slurm]\njobs = 0", "7:8: 'jobs' is no whole number from 1 to "},
      {group(whole) + "[slurm]\npatience = 3", "7:12: 'patience' is no string"},
      {group(whole) + "[slurm]\noptions = [\"--partition\", \"short\"]",
       "7:11: 'short' is no option of sbatch: each is one word, such as --partition=short"},
      {group(whole) + "[slurm]\noptions = \"--array=1-2\"",
       "7:11: sbatch's --array is set by regress itself"},
      {group(whole) + "[slurm]\noptions = \"-ofile\"",
       "7:11: sbatch's -o is set by regress itself"}};
  for (const auto& [text, sentence] : wrong)
    EXPECT_THAT(refusal(text), HasSubstr(sentence)) << text;
  EXPECT_THAT(([&] {
                try {
                  read_plan((scratch_.path() / "none.toml").string(), world_);
                } catch (const sim::UsageError& error) {
                  return std::string(error.what());
                }
                return std::string();
              }()),
              HasSubstr("cannot read the plan"));
}

}  // namespace
}  // namespace gw::tests::plan_test
