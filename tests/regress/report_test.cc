// What a result comes to: counts, files, thresholds, XML that is legal whatever a device said.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <iterator>

#include "sim/base/error.h"
#include "sim/regress/baseline.h"
#include "sim/regress/dashboard.h"
#include "sim/regress/junit.h"
#include "sim/regress/summary.h"
#include "tests/regress/fake_vocabulary.h"

namespace gw::tests::report_test {
namespace {

using namespace regress;
using nlohmann::json;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::SizeIs;
namespace fs = std::filesystem;

std::string text_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

Entry entry(const std::string& name, Verdict verdict, const std::string& headline = "") {
  Entry e;
  e.what.name = name;
  e.what.group = name.substr(0, name.find('/'));
  e.what.device = "adder";
  e.what.stimulus = "mixed";
  e.what.stall = "none";
  e.what.words = {"run", "adder", "--synth", "a b"};
  e.what.hash = "hash-" + name.substr(name.find('/') + 1);
  e.what.comparable = "same";
  e.result.verdict = verdict;
  e.result.seconds = 0.5;
  e.result.began = "2026-11-22T12:00:00Z";
  e.result.host = "here";
  e.result.figures = {{"cycles", 1000}};
  e.result.headline = headline;
  if (!headline.empty()) e.result.lines = {headline, "more"};
  return e;
}

Summary given(std::vector<Entry> entries) {
  Summary s;
  s.order.plan = "p";
  s.order.file = "plans/p.toml";
  s.order.command = "gradwire";
  s.ran.began = "2026-11-22T12:00:00Z";
  s.ran.seconds = 3;
  s.ran.jobs = 2;
  s.entries = std::move(entries);
  return s;
}
Summary summary(std::vector<Entry> entries) { return summarise(given(std::move(entries)), {}); }

// ---- counts

TEST(RegressSummary, OnlyPassKnownAndWaivedPass) {
  EXPECT_TRUE(summary({entry("g/a", Verdict::kPass), entry("g/b", Verdict::kKnown, "k"),
                       entry("g/c", Verdict::kWaived, "w")})
                  .passed);
  for (const Verdict v : {Verdict::kFail, Verdict::kCrashed, Verdict::kTimeout, Verdict::kNotRun}) {
    const Summary s = summary({entry("g/a", Verdict::kPass), entry("g/b", v, "why")});
    EXPECT_FALSE(s.passed) << name_of(v);
    EXPECT_THAT(s.failures, SizeIs(1));
  }
  EXPECT_FALSE(summary({}).passed);  // no case is never a pass
}

TEST(RegressSummary, CountsGroupsAndSaysWhatDidNotRun) {
  const Summary s = summary({entry("g/a", Verdict::kPass), entry("h/b", Verdict::kNotRun),
                             entry("g/c", Verdict::kFail, "wrong")});
  ASSERT_THAT(s.groups, SizeIs(2));
  EXPECT_EQ(s.groups[0].first, "g");
  EXPECT_EQ(s.groups[0].second[0], 1u);
  EXPECT_EQ(s.of(Verdict::kNotRun), 1u);
  EXPECT_EQ(s.failures.front()->what.name, "g/c");  // `not run` last
  const std::string text = summary_text(s, "DIR", false);
  EXPECT_THAT(text, HasSubstr("NOT RUN h/b: not run"));
  EXPECT_THAT(text, HasSubstr("FAIL g/c: wrong\n      gradwire run adder --synth 'a b'\n"));
  EXPECT_THAT(text, HasSubstr("FAIL  1 of 3 cases failed, 1 was not run in 3.0 s"));
}

TEST(RegressSummary, TheVerdictCountsWhatItNames) {
  const auto said = [](std::vector<Entry> entries) { return verdict_text(summary(entries)); };
  const Entry good = entry("g/a", Verdict::kPass);
  EXPECT_EQ(said({good, entry("g/b", Verdict::kPass)}), "2 of 2 cases");
  EXPECT_EQ(said({good, entry("g/b", Verdict::kKnown, "k"), entry("g/c", Verdict::kWaived, "w")}),
            "3 of 3 cases, 1 known to fail, 1 waived");
  EXPECT_EQ(said({good, entry("g/b", Verdict::kFail, "f"), entry("g/c", Verdict::kCrashed, "c"),
                  entry("g/d", Verdict::kTimeout, "t")}),
            "3 of 4 cases failed");
  EXPECT_EQ(said({good, entry("g/b", Verdict::kNotRun), entry("g/c", Verdict::kNotRun)}),
            "2 of 3 cases were not run");
  const std::string page = dashboard_html(summary({good, entry("g/b", Verdict::kFail, "f")}), {});
  EXPECT_THAT(page, HasSubstr("cases failed</div><div class=\"v\">1 of 2</div>"));
}

TEST(RegressSummary, BucketsComeFirstAndEachCaseNamesItsOwn) {
  Summary s =
      given({entry("g/a", Verdict::kPass), entry("g/b", Verdict::kFail, "first"),
             entry("h/c", Verdict::kFail, "second"), entry("h/d", Verdict::kFail, "third")});
  for (size_t i : {1, 2, 3}) s.entries[i].result.bucket = i == 2 ? "adder, carry" : "adder, sum";
  s.order.command = "/my tools/gradwire";
  const Scratch scratch("a b&c");
  std::ofstream(scratch.path() / "x");
  fs::create_directories(scratch.path() / "failures");
  std::ofstream(scratch.path() / "failures" / (capsule_name("adder, sum") + ".zip"));
  s = summarise(std::move(s), {});
  find_capsules(s, scratch.path());
  const std::string text = summary_text(s, scratch.path(), false);
  const size_t buckets = text.find("\n  Buckets"), cases = text.find("\n  Not passed"),
               groups = text.find("\n  group ");
  EXPECT_EQ(buckets, 0u);
  EXPECT_LT(buckets, cases);
  EXPECT_LT(cases, groups);
  EXPECT_NE(groups, std::string::npos);
  EXPECT_THAT(text, HasSubstr("   2  adder, sum\n          '/my tools/gradwire' replay '" +
                              (scratch.path() / "failures").string()));
  // What has no capsule is repeated by its first case.
  EXPECT_THAT(text, HasSubstr("   1  adder, carry\n          '/my tools/gradwire' run adder "));
  EXPECT_THAT(text, HasSubstr("FAIL h/c: second\n      bucket: adder, carry\n"));
  EXPECT_THAT(text, HasSubstr("FAIL h/d: third\n      bucket: adder, sum\n"));

  const std::string page = dashboard_html(s, {});
  EXPECT_LT(page.find("<h2>Buckets"), page.find("<h2>Not passed"));
  EXPECT_LT(page.find("<h2>Not passed"), page.find("<h2>Groups"));
  EXPECT_THAT(page, HasSubstr("<p class=\"bucket\">bucket: adder, carry</p>"));
  EXPECT_THAT(page, HasSubstr("data-copy=\"&#39;/my tools/gradwire&#39; replay &#39;"));
  EXPECT_THAT(junit_xml(s).front(), HasSubstr("bucket: adder, carry\n"));
}

TEST(RegressSummary, TimesAreWallTimesAndWhatBuildsTookIsSaid) {
  Summary s = given({entry("g/a", Verdict::kPass), entry("g/b", Verdict::kPass)});
  s.entries[0].result.seconds = 20;
  s.entries[0].result.build_seconds = 19.4;
  s.entries[1].result.seconds = 0.4;
  s.ran.seconds = 81;
  s.ran.capsule_seconds = 60;
  s.ran.busy_seconds = 20.4;
  s.ran.build_seconds = 19.4;
  s.order.budget = "90 s";
  s = summarise(std::move(s), {});
  EXPECT_NEAR(s.cycles_per_s, 2000, 1e-6);  // 2,000 cycles in a second without builds
  const std::string text = summary_text(s, "DIR", false);
  EXPECT_THAT(text, HasSubstr("2 of 2 cases in 1 min 21 s (1 min 00 s of it for capsules)"));
  EXPECT_THAT(text, HasSubstr("20 s  g/a (19.4 s of it building RTL)\n"));
  EXPECT_THAT(text, HasSubstr("400 ms  g/b\n"));
  EXPECT_THAT(text, HasSubstr("budget 90 s: 95 % of the time in cases went into building RTL"));
  const std::string page = dashboard_html(s, {});
  EXPECT_THAT(page, HasSubstr("wall time</div><div class=\"v\">1 min 21 s</div>"));
  EXPECT_THAT(page, HasSubstr("20 s in cases, 2 workers; 19 s of it building RTL; 1 min 00 s for "
                              "capsules"));
  // The next run finds the RTL: it takes as long as the rest.
  const Scratch scratch("times");
  write_reports(Folder(scratch.path() / "1"), s);
  const Folder next(scratch.path() / "2");
  EXPECT_NEAR(past_of(next.path(), "p").cases.at("g/a").seconds, 0.6, 1e-6);
  const Ran again = last_run(scratch.path() / "1");
  EXPECT_EQ(again.seconds, 81);
  EXPECT_EQ(again.capsule_seconds, 60);
  EXPECT_EQ(build_text(again), "95 % of the time in cases went into building RTL");
}

TEST(RegressSummary, DocumentsAreReadAgain) {
  const Entry was = entry("g/a", Verdict::kTimeout, "slow \xff\x01");
  const Scratch scratch("documents");
  const Folder folder(scratch.path());
  folder.write(was);
  const auto is = read_entry(folder.file_of(was.what));
  ASSERT_TRUE(is);
  EXPECT_EQ(to_json(is->what), to_json(was.what));
  EXPECT_EQ(is->result.verdict, Verdict::kTimeout);
  EXPECT_EQ(is->result.figures, was.result.figures);
  EXPECT_THAT(is->result.lines, SizeIs(2));
}

TEST(RegressSummary, KeysOfTheDocumentAreStable) {
  const json document = json::parse(
      regress_json(summary({entry("g/a", Verdict::kPass), entry("g/b", Verdict::kFail, "wrong")})));
  for (const char* key : {"plan", "version", "tools", "program", "where", "times", "verdicts",
                          "groups", "cycles", "slowest", "pass", "baseline", "cases"}) {
    EXPECT_TRUE(document.contains(key)) << key;
  }
  EXPECT_EQ(document["verdicts"]["pass"], 1);
  EXPECT_EQ(document["verdicts"]["not run"], 0);
  EXPECT_EQ(document["pass"], false);
  const json& failed = document["cases"][1];
  EXPECT_EQ(failed["verdict"], "fail");
  EXPECT_EQ(failed["command"], "gradwire run adder --synth 'a b'");
  EXPECT_EQ(failed["failure"]["headline"], "wrong");
  EXPECT_EQ(failed["figures"]["cycles"], 1000);
}

TEST(RegressSummary, FilesOfAResultAndTheNextOnesPast) {
  const Scratch scratch("files");
  const Folder first(scratch.path() / "1"), second(scratch.path() / "2");
  write_reports(first, summary({entry("g/a", Verdict::kPass), entry("g/b", Verdict::kFail, "x")}));
  for (const char* name :
       {"regress.json", "junit.xml", "index.html", "summary.json", "times.tsv"}) {
    EXPECT_TRUE(fs::exists(scratch.path() / "1" / name)) << name;
  }
  const Past past = past_of(second.path(), "p");
  EXPECT_EQ(past.cases.at("g/a").seconds, 0.5);
  EXPECT_FALSE(past.cases.at("g/a").failed);
  EXPECT_TRUE(past.cases.at("g/b").failed);
  EXPECT_TRUE(past_of(second.path(), "another plan").cases.empty());
  EXPECT_THAT(trends(second.path(), "p"), SizeIs(1));
  EXPECT_EQ(trends(second.path(), "p")[0].verdicts[1], 1u);
  EXPECT_THAT(trends(first.path(), "p"), SizeIs(0));
}

// ---- the page

TEST(RegressPage, LoadsNothingAndTakesNothingForMarkup) {
  const std::string page = dashboard_html(
      summary({entry("g/<script>alert(1)</script>", Verdict::kFail, "<img src=x> & \"quotes\"")}),
      {Trend{.began = "2026-11-21T00:00:00Z", .verdicts = {3, 1}, .seconds = 9}});
  EXPECT_THAT(page, Not(HasSubstr("<script>alert")));
  EXPECT_THAT(page, Not(HasSubstr("<img")));
  for (const char* outside : {"http://", "https://", " src=\"", " href=", "@import", "url("}) {
    EXPECT_THAT(page, Not(HasSubstr(outside)));
  }
  EXPECT_THAT(page, HasSubstr("&lt;img src"));
  EXPECT_THAT(page, HasSubstr("The last 2 results"));
  EXPECT_THAT(page, HasSubstr("data-copy=\"gradwire run adder --synth "));
  EXPECT_THAT(page, HasSubstr("data-copy=\"gradwire regress plans/p.toml --only "));
}

// ---- JUnit

class Junit : public testing::Test {
 protected:
  /// xmllint's complaint; empty: legal, and by the schema.
  std::string complaint(const std::string& xml) const {
    const fs::path file = scratch_.path() / "j.xml", words = scratch_.path() / "words";
    std::ofstream(file, std::ios::binary) << xml;
    const std::string command = fmt::format("xmllint --noout --schema {} {} > {} 2>&1",
                                            GRADWIRE_XSD, file.string(), words.string());
    return std::system(command.c_str()) == 0 ? "" : text_of(words);
  }
  Scratch scratch_{testing::UnitTest::GetInstance()->current_test_info()->name()};
};

TEST_F(Junit, EveryVerdictByTheSchema) {
  std::vector<Entry> entries;
  for (size_t i = 0; i < kVerdicts; ++i) {
    entries.push_back(
        entry(fmt::format("g{}/c{}", i % 2, i), static_cast<Verdict>(i), i == 0 ? "" : "why"));
  }
  const std::vector<std::string> files = junit_xml(summary(entries));
  ASSERT_THAT(files, SizeIs(1));
  EXPECT_EQ(complaint(files[0]), "");
  // pass, crashed, not run, waived; fail, timeout, known
  EXPECT_THAT(files[0],
              HasSubstr("name=\"p.g0\" tests=\"4\" failures=\"0\" errors=\"2\" skipped=\"1\""));
  EXPECT_THAT(files[0],
              HasSubstr("name=\"p.g1\" tests=\"3\" failures=\"1\" errors=\"1\" skipped=\"1\""));
  EXPECT_THAT(files[0], HasSubstr("gradwire run adder --synth &#39;a b&#39;"));
}

TEST_F(Junit, TheSchemaWouldNotice) {
  const std::string good = junit_xml(summary({entry("g/a", Verdict::kFail, "why")})).front();
  ASSERT_EQ(complaint(good), "");
  for (const auto& [was, is] :
       std::vector<std::pair<std::string, std::string>>{{"time=\"0.500\"", "time=\"0.5 s\""},
                                                        {" failures=\"1\"", ""},
                                                        {"<failure", "<flaw"},
                                                        {"</testsuites>", ""},
                                                        {"name=\"g/a\"", "name=\"\""}}) {
    std::string bad = good;
    const size_t at = bad.find(was);
    ASSERT_NE(at, std::string::npos) << was;
    bad.replace(at, was.size(), is);
    EXPECT_NE(complaint(bad), "") << was;
  }
}

TEST_F(Junit, LegalWhateverTheDeviceSaid) {
  std::string bytes;
  for (int c = 0; c < 256; ++c) bytes += static_cast<char>(c);
  bytes +=
      "\xED\xA0\x80 \xF4\x90\x80\x80 \xC0\x80 \xEF\xBF\xBE \xEF\xBF\xBF ]]> <![CDATA[ &amp; "
      "\xE2\x82\xAC";
  Entry wild = entry("g/" + bytes, Verdict::kFail, bytes);
  wild.result.lines = {bytes, "]]>", bytes};
  const std::vector<std::string> files = junit_xml(summary({wild}));
  EXPECT_EQ(complaint(files.at(0)), "");
  EXPECT_THAT(files[0], HasSubstr("\xE2\x82\xAC"));
}

TEST_F(Junit, LargeOnesAreSplitAndLoseNothing) {
  std::vector<Entry> entries;
  for (int i = 0; i < 400; ++i) {
    entries.push_back(entry(fmt::format("g{}/c{}", i % 3, i),
                            i % 5 == 0 ? Verdict::kFail : Verdict::kPass,
                            i % 5 == 0 ? std::string(100, 'x') : ""));
  }
  const std::vector<std::string> files = junit_xml(summary(entries), 15'000);
  EXPECT_GT(files.size(), 3u);
  size_t cases = 0;
  for (const std::string& file : files) {
    EXPECT_EQ(complaint(file), "");
    EXPECT_LT(file.size(), 30'000u);
    for (size_t at = 0; (at = file.find("<testcase ", at)) != std::string::npos; ++at) ++cases;
  }
  EXPECT_EQ(cases, 400u);
}

// ---- baseline

Entry with(const std::string& figure, const json& value) {
  Entry e = entry("g/a", Verdict::kPass);
  json* at = &e.result.figures;
  std::string path = figure;
  for (size_t dot; (dot = path.find('.')) != std::string::npos; path.erase(0, dot + 1)) {
    at = &(*at)[path.substr(0, dot)];
  }
  (*at)[path] = value;
  return e;
}

struct Threshold {
  const char* figure;
  double was, within, worse, better;
};

TEST(RegressBaseline, EachThresholdFailsOnceItIsPassed) {
  const std::vector<Threshold> all = {{"cycles", 1000, 1000, 1001, 999},
                                      {"cycles_per_burst", 1, 1, 1.0001, 0.9},
                                      {"latency_cycles.mean", 10, 10, 10.01, 9},
                                      {"latency_cycles.max", 20, 20, 21, 19},
                                      {"compression.ratio", 14, 14, 13.99, 15},
                                      {"line_rate_percent.10G", 256, 256, 255, 257},
                                      {"line_rate_percent.port3", 99, 99, 98, 99.5},
                                      {"area.LUT", 1000, 1020, 1021, 999},
                                      {"area.FF", 1000, 1020, 1021, 999},
                                      {"area.DSP", 100, 102, 103, 99},
                                      {"area.path_ns", 10, 10.3, 10.31, 9.9},
                                      {"speed.lockstep_to_rtl", 0.8, 0.72, 0.719, 0.81}};
  for (const Threshold& t : all) {
    Baseline baseline;
    baseline.accept(with(t.figure, t.was));
    const auto judged = [&](double is) { return summarise(given({with(t.figure, is)}), baseline); };
    EXPECT_TRUE(judged(t.was).changes.empty()) << t.figure;
    EXPECT_TRUE(judged(t.within).passed) << t.figure;
    const Summary worse = judged(t.worse);
    EXPECT_FALSE(worse.passed) << t.figure;
    ASSERT_THAT(worse.changes, SizeIs(1)) << t.figure;
    EXPECT_THAT(worse.failures.at(0)->result.headline,
                HasSubstr(std::string("worse than the baseline: ") + t.figure));
    const Summary better = judged(t.better);
    EXPECT_TRUE(better.passed) << t.figure;
    EXPECT_THAT(better.changes, SizeIs(1)) << t.figure;
    EXPECT_THAT(summary_text(better, "DIR", false), HasSubstr("gradwire regress accept"));
  }
}

TEST(RegressBaseline, OtherToolsSeedsAndRoundsHaveNone) {
  Entry area = with("area.LUT", 1000);
  area.result.figures["area"]["tool"] = "Yosys 0.23";
  Baseline baseline;
  baseline.accept(area);
  area.result.figures["area"]["LUT"] = 2000;
  EXPECT_FALSE(summarise(given({area}), baseline).passed);
  area.result.figures["area"]["tool"] = "Yosys 0.52";
  const Summary other = summarise(given({area}), baseline);
  EXPECT_TRUE(other.passed);
  EXPECT_EQ(other.without_baseline, 1u);
  // Both are kept beside one another.
  baseline.accept(area);
  area.result.figures["area"]["tool"] = "Yosys 0.23";
  EXPECT_FALSE(summarise(given({area}), baseline).passed);

  Entry slower = with("cycles", 2000);
  baseline.accept(with("cycles", 1000));
  EXPECT_FALSE(summarise(given({slower}), baseline).passed);
  slower.what.comparable = "another seed";
  EXPECT_EQ(summarise(given({slower}), baseline).without_baseline, 1u);
  slower.what.comparable = "same";
  slower.what.round = 2;
  EXPECT_TRUE(summarise(given({slower}), baseline).passed);
}

TEST(RegressBaseline, IsAFileThatIsReadAgain) {
  const Scratch scratch("baseline");
  const std::string path = (scratch.path() / "folder/p.json").string();
  Baseline baseline;
  baseline.accept(with("latency_cycles.mean", 18.828616352201257));
  baseline.write(path, "p");
  const Baseline again = Baseline::read(path);
  EXPECT_THAT(again.names(), ElementsAre("g/a"));
  EXPECT_TRUE(
      summarise(given({with("latency_cycles.mean", 18.828616352201257)}), again).changes.empty());
  EXPECT_FALSE(summarise(given({with("latency_cycles.mean", 18.8287)}), again).passed);
  EXPECT_TRUE(Baseline::read((scratch.path() / "none.json").string()).empty());
  std::ofstream(path) << "{";
  EXPECT_THROW(Baseline::read(path), sim::InputError);
}

TEST(RegressBaseline, CasesThatAreGoneAreSaid) {
  Baseline baseline;
  baseline.accept(entry("g/a", Verdict::kPass));
  baseline.accept(entry("g/b", Verdict::kPass));
  const Summary s = summarise(given({entry("g/a", Verdict::kPass)}), baseline);
  EXPECT_THAT(s.gone, ElementsAre("g/b"));
  EXPECT_TRUE(s.passed);
}

}  // namespace
}  // namespace gw::tests::report_test
