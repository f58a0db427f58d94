// Rows of the papers: their data, what is computed for them by hand, and what judges them.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "models/papers/inceptionn.h"
#include "sim/base/error.h"
#include "tools/paper/figures.h"
#include "tools/paper/measures.h"
#include "tools/paper/page.h"
#include "tools/paper/papers.h"
#include "tools/paper/score.h"

namespace gw::tests::paper_test {
namespace {

using nlohmann::json;
using paper::Class;
using paper::Documents;
using paper::Row;

/// For rows that no command makes.
Documents no_documents() {
  return Documents([](const std::vector<std::string>& words) -> json {
    throw sim::InputError("nothing makes " + words.front());
  });
}

std::vector<Row> rows_of(const std::string& name, const std::string& item) {
  return paper::selected(paper::rows({}), name, item);
}

json scored(const std::vector<Row>& rows) {
  Documents documents = no_documents();
  return paper::score(rows, documents, {});
}

TEST(Rows, HaveAllFields) {
  const std::vector<Row> rows = paper::rows({});
  ASSERT_GT(rows.size(), 200u);
  std::set<std::string> papers, seen;
  for (const paper::Paper& known : paper::papers()) papers.insert(known.name);
  std::set<std::string> used;
  for (const Row& row : rows) {
    const std::string name = row.paper + " " + row.item + ": " + row.what + " (" + row.unit + ")";
    used.insert(row.paper);
    EXPECT_TRUE(papers.contains(row.paper)) << name;
    for (const std::string& field : {row.item, row.title, row.where, row.what}) {
      EXPECT_FALSE(field.empty()) << name;
    }
    EXPECT_TRUE(seen.insert(name).second) << name << " is there twice";
    EXPECT_NO_THROW(paper::class_name(row.kind)) << name;
    // A row without a measurement waits for one, or prints what the paper says.
    EXPECT_TRUE(row.measure || !row.waits_for.empty() || row.kind == Class::kContext) << name;
    EXPECT_TRUE(!row.measure || row.waits_for.empty()) << name;
    if (row.kind == Class::kExact) {
      EXPECT_FALSE(row.value.empty()) << name;
      EXPECT_FALSE(row.needs_data) << name << ": what is trained is not exact";
    }
    if (row.measure) {
      EXPECT_TRUE(paper::command_of(row).starts_with("gradwire ")) << name;
    } else {
      EXPECT_EQ(paper::command_of(row), "") << name;
    }
  }
  EXPECT_EQ(used, papers);
}

TEST(Rows, OfAnItemStandTogether) {
  std::set<std::string> done;
  std::string item;
  for (const Row& row : paper::rows({})) {
    const std::string here = row.paper + " " + row.item;
    if (here == item) continue;
    item = here;
    EXPECT_TRUE(done.insert(here).second) << here << " is in two places";
  }
}

TEST(Rows, NumbersAreReadAsPrinted) {
  const auto printed = [](const char* text) { return paper::parse_printed(text); };
  ASSERT_TRUE(printed("13,358,259,200,000"));
  EXPECT_EQ(printed("13,358,259,200,000")->value, 13'358'259'200'000.0);
  EXPECT_EQ(printed("196.35")->decimals, 2);
  EXPECT_DOUBLE_EQ(printed("196.35")->half_unit, 0.005);
  EXPECT_EQ(printed("-0.05")->value, -0.05);
  EXPECT_EQ(printed("+0.35")->value, 0.35);
  for (const char* text : {"", "-", "1 2 3 0", "1.2.3", ",5", "2^-10", "12x"}) {
    EXPECT_FALSE(printed(text)) << text;
  }
}

TEST(Rows, TheDataFolderAndLengthGoIntoTheCommands) {
  const paper::Options options{.data = "my digits", .iterations = 3, .seeds = 2};
  size_t trained = 0;
  for (const Row& row : paper::rows(options)) {
    if (!row.needs_data) continue;
    ++trained;
    const std::string command = paper::command_of(row);
    EXPECT_NE(command.find("--iterations 3 --seeds 2 --data 'my digits'"), std::string::npos)
        << command;
  }
  EXPECT_GT(trained, 50u);
}

TEST(Measures, AreWhatHandsCompute) {
  // HDC, 2^-10: 92.0 % x 2 + 6.5 % x 10 + 1.5 % x 18 bits are 2.76 bits.
  const auto hdc = papers::inceptionn::table3("HDC", 10);
  EXPECT_NEAR(paper::ratio_by_classes(*hdc), 32 / 2.76, 1e-9);
  // The last bit of an 8-bit code weighs 2^-7.
  EXPECT_NEAR(paper::largest_error_by_bound(10, true), 8, 0.001);
  EXPECT_NEAR(paper::largest_error_by_bound(8, true), 2, 0.001);
  EXPECT_NEAR(paper::largest_error_by_bound(10, false), 1, 0.001);
  EXPECT_LT(paper::largest_error_by_bound(10, false), 1);
  // Figure 6: workers 0 to 3 own blocks 1, 2, 3, 0.
  EXPECT_EQ(paper::ring_owners(4), "1 2 3 0");
  EXPECT_EQ(paper::ring_owners(3), "1 2 0");
  EXPECT_EQ(paper::complete_blocks(4, false), 16u);
  EXPECT_EQ(paper::complete_blocks(5, false), 25u);
  EXPECT_LT(paper::complete_blocks(4, true), 16u);
  EXPECT_EQ(paper::bits_of_a_sent_value("wgt"), 32);
  EXPECT_EQ(paper::bits_of_a_sent_value("bgt"), 1);
  EXPECT_EQ(paper::bits_of_a_sent_value("qgt"), 8);
  EXPECT_EQ(paper::largest_multiple(), 255);
  EXPECT_EQ(paper::zero_share({{"values", 8}, {"tags", {{"zero", 6}}}}), 75);
}

TEST(Measures, ArithmeticRowsAreEqual) {
  for (const auto& [name, item] :
       std::vector<std::pair<std::string, std::string>>{{"inceptionn", "table1"},
                                                        {"inceptionn", "table2"},
                                                        {"inceptionn", "fig3"},
                                                        {"inceptionn", "algorithm1"},
                                                        {"inceptionn", "algorithm2"},
                                                        {"ntt", ""},
                                                        {"tgs", ""},
                                                        {"mlhpc16", "arithmetic"}}) {
    const json document = scored(rows_of(name, item));
    EXPECT_EQ(paper::exit_code(document), 0) << document.dump(1);
    size_t equal = 0;
    for (const json& row : document["paper"]) equal += row["verdict"] == "equal" ? 1 : 0;
    EXPECT_GT(equal, 0u) << name << " " << item;
  }
}

TEST(Measures, OursByHand) {
  const auto ours = [](const char* name, const char* item, const std::string& what) {
    const json document = scored(rows_of(name, item));
    for (const json& row : document["paper"]) {
      if (row["what"] == what) return row["ours"].get<double>();
    }
    ADD_FAILURE() << what;
    return 0.0;
  };
  EXPECT_DOUBLE_EQ(ours("ntt", "latency", "network 1,740 ns and FPGA 148 ns"), 1888);
  EXPECT_NEAR(ours("tgs", "arithmetic", "sent as floats"), 53'433.0368, 1e-4);
  EXPECT_NEAR(ours("switch", "fig3", "training shortened, from 2.9, 5.2 and 1.2x"), 3.7667, 1e-4);
  EXPECT_NEAR(ours("mlhpc16", "arithmetic", "data-parallel by model-parallel: 3561 s by 937 s"),
              3.80043, 1e-5);
  // (4 + log2 4) x 233 MiB x 8 bits at 9.41 Gb/s, a hundred times.
  EXPECT_NEAR(ours("inceptionn", "fig15", "AlexNet: WA by its formula, at 9.41 Gb/s"),
              100 * 6 * 233 * 1048576.0 * 8 / 9.41e9, 1e-6);
}

TEST(Measures, OfATrainingDocument) {
  const auto codec = [](const char* name, double accuracy, double bytes, json rate) {
    return json{{"codec", name},
                {"diverged", nullptr},
                {"accuracy", {{"mean", accuracy}, {"sigma", 0.01}}},
                {"payload_bytes", bytes},
                {"percent_per_gb", rate}};
  };
  json document = {{"codecs",
                    {codec("none", 0.96, 4000, 1), codec("wgt:t=2^-5", 0.95, 400, 8),
                     codec("bgt:t=2^-3", 0.90, 40, 70)}},
                   {"preset", {{"shapes", json::array()}}}};
  document["preset"]["shapes"].push_back(
      {{"shape", "it falls"}, {"verdict", "does not hold"}, {"why", "it rises"}});
  document["preset"]["shapes"].push_back(
      {{"shape", "it ends"}, {"verdict", "holds"}, {"why", "it does"}});
  Documents documents([&](const std::vector<std::string>&) { return document; });
  const Row row{.command = {"train"}};
  EXPECT_DOUBLE_EQ(*paper::accuracy_of(1)(documents, row).number, 95);
  EXPECT_EQ(paper::accuracy_of(1)(documents, row).why, "wgt:t=2^-5, sigma 1.00");
  EXPECT_NEAR(*paper::points_over_floats(2)(documents, row).number, -6, 1e-9);
  EXPECT_DOUBLE_EQ(*paper::share_of_floats(1)(documents, row).number, 10);
  EXPECT_EQ(paper::most_accuracy_by_byte("bgt")(documents, row).verdict, paper::Verdict::kHolds);
  EXPECT_EQ(paper::most_accuracy_by_byte("wgt")(documents, row).verdict,
            paper::Verdict::kDoesNotHold);
  EXPECT_EQ(paper::shape_of("it falls")(documents, row).verdict, paper::Verdict::kDoesNotHold);
  EXPECT_EQ(paper::shape_of("it ends")(documents, row).why, "it does");
  EXPECT_THROW(paper::shape_of("it flies")(documents, row), sim::UserError);
  // A codec that diverged has no figures, and says so.
  document["codecs"][1]["diverged"] = "wgt diverged";
  Documents again([&](const std::vector<std::string>&) { return document; });
  EXPECT_THROW(paper::accuracy_of(1)(again, row), sim::UserError);
}

TEST(Judge, AWrongValueOfThePaperIsTheExitCode) {
  std::vector<Row> rows = rows_of("ntt", "latency");
  const auto exact = std::ranges::find(rows, Class::kExact, &Row::kind);
  ASSERT_NE(exact, rows.end());
  EXPECT_EQ(paper::exit_code(scored(rows)), 0);
  exact->value = "1,889";
  const json document = scored(rows);
  EXPECT_EQ(document["paper"][0]["verdict"], "differs");
  EXPECT_EQ(document["paper"][0]["difference"], -1);
  EXPECT_EQ(paper::exit_code(document), 1);
  // In another class it is printed, and nothing else.
  exact->kind = Class::kPrediction;
  EXPECT_EQ(paper::exit_code(scored(rows)), 0);
}

TEST(Judge, HalfAUnitOfTheLastDigitIsEqual) {
  Row row{.paper = "ntt", .item = "x", .what = "x", .value = "9.07"};
  const auto verdict = [&](double ours) {
    row.measure = paper::computed([ours] { return ours; });
    return scored({row})["paper"][0]["verdict"].get<std::string>();
  };
  EXPECT_EQ(verdict(9.0749), "equal");
  EXPECT_EQ(verdict(9.0651), "equal");
  EXPECT_EQ(verdict(9.0755), "differs");
  row.tolerance = 0.5;
  EXPECT_EQ(verdict(9.5), "equal");
  row.value = "1 2 3 0";
  row.measure = paper::computed_text([] { return "1 2 0 3"; });
  EXPECT_EQ(scored({row})["paper"][0]["verdict"], "differs");
}

TEST(Judge, AnExactRowThatCannotBeMeasuredIsNoPass) {
  const json document = scored(rows_of("switch", "table2"));
  EXPECT_EQ(document["paper"][0]["verdict"], "failed");
  EXPECT_EQ(document["paper"][0]["why"], "nothing makes sweep");
  EXPECT_EQ(paper::exit_code(document), 1);
}

TEST(Judge, WhatWaitsNeedsDataOrIsLeftOutIsNotMeasured) {
  Documents documents = no_documents();
  const auto verdicts = [&](const char* name, const char* item, const paper::Scoring& scoring) {
    std::set<std::string> found;
    const json document = paper::score(rows_of(name, item), documents, scoring);
    for (const json& row : document["paper"]) {
      found.insert(row["verdict"].get<std::string>());
    }
    return found;
  };
  using Set = std::set<std::string>;
  EXPECT_EQ(verdicts("inceptionn", "fig12", {}), (Set{"waits", "equal"}));
  EXPECT_EQ(verdicts("mlhpc16", "table1", {}), Set{"needs MNIST"});
  EXPECT_EQ(verdicts("mlhpc16", "table1", {.quick = true, .data = true}), Set{"left out"});
  EXPECT_EQ(verdicts("mlhpc16", "table1", {.data = true}), Set{"failed"});
  const json document =
      paper::score(rows_of("mlhpc16", "table1"), documents, {.quick = true, .data = true});
  EXPECT_EQ(document["left_out"], json::array({"gradwire train --preset mlhpc16"}));
  EXPECT_EQ(paper::exit_code(document), 0);
}

TEST(Judge, AnInterruptIsNoPass) {
  Documents documents = no_documents();
  const json document =
      paper::score(rows_of("ntt", "latency"), documents, {.goes_on = [] { return false; }});
  EXPECT_EQ(document["paper"][0]["verdict"], "failed");
  EXPECT_EQ(paper::exit_code(document), 1);
}

TEST(Judge, ACommandRunsOnce) {
  size_t made = 0;
  Documents documents([&made](const std::vector<std::string>&) {
    ++made;
    return json{{"ratio", 2.0}, {"values", 4}, {"tags", {{"zero", 1}, {"raw", 0}}}};
  });
  const std::vector<Row> rows = rows_of("inceptionn", "fig5");
  const json document = paper::score(rows, documents, {});
  EXPECT_EQ(made, 3u);  // of six rows
  EXPECT_EQ(document["paper"][1]["ours"], 25);
}

TEST(Selected, NamesNearOnes) {
  const auto sentence = [](const char* name, const char* item) -> std::string {
    try {
      rows_of(name, item);
    } catch (const sim::UsageError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(sentence("inception", ""), "there is no paper 'inception': did you mean inceptionn?");
  EXPECT_EQ(sentence("resnet", ""),
            "there is no paper 'resnet': there are inceptionn, switch, ntt, tgs, mlhpc16");
  EXPECT_EQ(sentence("switch", "tabel2"), "switch has no item 'tabel2': did you mean table2?");
  EXPECT_NE(sentence("ntt", "everything").find("there are fig3, latency"), std::string::npos);
}

TEST(Page, HoldsTablesAndFigures) {
  Documents documents = no_documents();
  std::vector<Row> rows;
  for (const auto& [name, item] : std::vector<std::pair<std::string, std::string>>{
           {"inceptionn", "fig3"}, {"inceptionn", "fig12"}, {"ntt", "fig4"}, {"mlhpc16", "fig2"}}) {
    for (const Row& row : rows_of(name, item)) rows.push_back(row);
  }
  json document = paper::score(rows, documents, {});
  document["figures"] = paper::figures(document, documents, {});
  std::map<std::string, size_t> kinds;
  for (const json& figure : document["figures"]) {
    const std::string kind = figure["kind"].get<std::string>();
    ++kinds[kind];
    EXPECT_FALSE(figure[kind].empty()) << figure["title"];
  }
  EXPECT_EQ(kinds["dots"], 3u);  // sizes, shares, reductions
  EXPECT_EQ(kinds["lines"], 2u);
  const std::string page = paper::paper_page(document);
  for (const char* part :
       {"Figure 3a: sizes", "AlexNet, 60,965,224 parameters", "233 MiB", "waits for the cluster",
        "Figure 4: ring and tree by their laws", "gradwire paper ntt fig4", "does not hold"}) {
    EXPECT_NE(page.find(part), std::string::npos) << part;
  }
  EXPECT_TRUE(page.ends_with("</html>\n"));
  EXPECT_EQ(page.find("nan"), std::string::npos);
  const std::string text = paper::paper_text(document);
  EXPECT_NE(text.find("waits for the cluster"), std::string::npos);
  EXPECT_NE(text.find("[1] gradwire paper inceptionn fig3"), std::string::npos);
}

}  // namespace
}  // namespace gw::tests::paper_test
