// `gradwire paper` as users type it.
// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "tests/program.h"
#include "tests/sanitized.h"
#include "tests/training/mnist.h"

namespace gw::tests::paper_cli_test {
namespace {

using nlohmann::json;

class Paper : public ProgramTest {
 protected:
  /// Commands are written with the program's name alone.
  Ended pasted(const std::string& command) const {
    const std::string folder = std::filesystem::path(GRADWIRE_BINARY).parent_path().string();
    return shell("PATH=" + folder + ":$PATH " + command + " > /dev/null");
  }
};

TEST_F(Paper, RefusesInASentence) {
  struct Case {
    std::string arguments, part;
    int code;
  };
  for (const auto& [arguments, part, code] :
       {Case{"inception", "did you mean inceptionn?", 2},
        Case{"switch tabel2", "did you mean table2?", 2},
        Case{"ntt nothing", "there are fig3, latency", 2},
        Case{"ntt latency --seeds 0", "--seeds 0", 2},
        Case{"ntt latency --iterations 0", "--iterations 0", 2},
        Case{"mlhpc16 --data nowhere", "--data", 2},
        Case{"ntt latency --json nowhere/at/all.json", "nowhere", 3}}) {
    const Ended r = gradwire("paper " + arguments);
    EXPECT_EQ(r.code, code) << arguments;
    EXPECT_EQ(r.out, "") << arguments;
    EXPECT_TRUE(r.err.starts_with("gradwire: ")) << r.err;
    EXPECT_NE(r.err.find(part), std::string::npos) << r.err;
    EXPECT_EQ(std::ranges::count(r.err, '\n'), 1) << r.err;
  }
}

TEST_F(Paper, OneItem) {
  const Ended r = gradwire("paper ntt latency");
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_NE(r.out.find("1,888 ns"), std::string::npos) << r.out;
  EXPECT_NE(r.out.find("waits for the ring NIC"), std::string::npos);
  EXPECT_EQ(r.out.find("Figure 3"), std::string::npos);
  const Ended quiet = gradwire("paper ntt latency --quiet --json -");
  EXPECT_EQ(quiet.code, 0);
  EXPECT_EQ(quiet.err, "");
  const json document = json::parse(quiet.out);
  EXPECT_EQ(document["paper"].size(), 3u);
  for (const char* key :
       {"paper", "item", "paper_value", "ours", "class", "difference", "command", "verdict"}) {
    EXPECT_TRUE(document["paper"][0].contains(key)) << key;
  }
  EXPECT_EQ(document["paper"][0]["ours"], 1888);
  EXPECT_EQ(document["paper"][0]["command"], "gradwire paper ntt latency");
}

TEST_F(Paper, WithoutDigitsRowsSayThatTheyNeedThem) {
  const Ended r = gradwire("paper mlhpc16 table1");
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_NE(r.out.find("needs MNIST"), std::string::npos) << r.out;
  EXPECT_NE(r.out.find("--data FOLDER"), std::string::npos) << r.out;
}

TEST_F(Paper, QuickSaysWhatItLeavesOut) {
  training::write_mnist(path("mnist"), 500);
  const Ended r = gradwire("paper tgs shapes --quick --data mnist");
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_NE(r.out.find("--quick left out: gradwire train --preset tgs --data mnist"),
            std::string::npos)
      << r.out;
}

/// All rows, with training runs of one iteration: each command that is printed is one that runs.
/// Sanitizers do without the two presets.
TEST_F(Paper, EveryRowAndEveryCommandRuns) {
  training::write_mnist(path("mnist"), 500);
  const std::string quick = kSanitized ? " --quick" : "";
  const Ended r = gradwire(
      "paper --iterations 1 --seeds 1 --data mnist --quiet --json p.json --html p.html" + quick);
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_EQ(r.err, "");
  const json document = json::parse(text_of(path("p.json")));
  ASSERT_GT(document["paper"].size(), 200u);
  std::set<std::string> commands;
  for (const json& row : document["paper"]) {
    const std::string verdict = row["verdict"].get<std::string>();
    EXPECT_NE(verdict, "failed") << row.dump();
    EXPECT_NE(verdict, "differs") << row.dump();
    EXPECT_NE(verdict, "needs MNIST") << row.dump();
    EXPECT_TRUE(verdict != "left out" || kSanitized) << row.dump();
    if (verdict == "waits" || row["command"].is_null()) {
      EXPECT_TRUE(row["command"].is_null()) << row.dump();
      continue;
    }
    commands.insert(row["command"].get<std::string>());
  }
  EXPECT_GT(document["verdicts"].value("equal", 0), 80);
  size_t trained = 0;
  for (const std::string& command : commands) {
    // Two presets would train again what has just been trained by the same words.
    if (command.find("--preset") != std::string::npos) {
      ++trained;
      continue;
    }
    const Ended pasted_one = pasted(command);
    EXPECT_EQ(pasted_one.code, 0) << command << ": " << pasted_one.err;
  }
  EXPECT_EQ(trained, 2u);
  const std::string page = text_of(path("p.html"));
  EXPECT_TRUE(page.ends_with("</html>\n"));
  for (const json& paper : document["papers"]) {
    EXPECT_NE(page.find("id=\"" + paper["name"].get<std::string>() + "\""), std::string::npos);
  }
  EXPECT_GT(document["figures"].size(), 15u);
  EXPECT_NE(page.find("<svg"), std::string::npos);
}

}  // namespace
}  // namespace gw::tests::paper_cli_test
