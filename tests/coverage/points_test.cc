// SPDX-License-Identifier: Apache-2.0
#include "sim/coverage/points.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "sim/base/error.h"
#include "sim/coverage/summary.h"

namespace gw::sim::coverage::points_test {
namespace {

Table pairs(size_t small, size_t large) {
  Table table("pairs", "a small x a large", {{"small", {"a", "b"}}, {"large", {"x", "y"}}});
  table.impossible("b meets no x", [](Table::At at) { return at[0] == 1 && at[1] == 0; });
  table.hit(small, large);
  return table;
}

const RtlPoint kIf{"branch", "top", "top.u_a", "rtl/a.sv", 7, 3, "if"};
const RtlPoint kElse{"branch", "top", "top.u_a", "rtl/a.sv", 7, 3, "else"};
const RtlPoint kOther{"branch", "top", "top.u_b", "rtl/a.sv", 7, 3, "else"};
const RtlPoint kLine{"line", "top", "top.u_a", "rtl/a.sv", 9, 5, "block"};

TEST(Points, OfSeveralRunsAddUpInAnyOrder) {
  Points a, b;
  a.count_run();
  a.add("toy", pairs(0, 0));
  a.add(kIf, 3);
  b.count_run();
  b.add("toy", pairs(1, 1));
  b.add("other", pairs(0, 1));
  b.add(kIf, 4);
  b.add(kElse, 0);
  Points ab = a, ba = b;
  ab.add(b);
  ba.add(a);
  EXPECT_EQ(ab.to_json(), ba.to_json());
  EXPECT_EQ(ab.runs(), 2u);
  EXPECT_EQ(ab.rtl().at(kIf), 7u);
  EXPECT_EQ(ab.rtl().at(kElse), 0u);
  EXPECT_EQ(ab.tables().at({"toy", "pairs"}).tally(), (Tally{2, 3}));
  EXPECT_EQ(ab.tables().at({"other", "pairs"}).tally(), (Tally{1, 3}));
}

TEST(Points, OfAnotherVersionAreRefused) {
  Points a;
  a.add("toy", pairs(0, 0));
  const Table other("pairs", "", {{"small", {"a"}}, {"large", {"x", "y"}}});
  try {
    a.add("toy", other);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("pairs of toy"), std::string::npos);
  }
}

class Files : public testing::Test {
 protected:
  std::string file(const std::string& text) {
    const auto path = std::filesystem::temp_directory_path() /
                      ("gradwire-points-" + std::to_string(getpid()) + ".json");
    std::ofstream(path, std::ios::binary) << text;
    return path_ = path.string();
  }
  void TearDown() override { std::filesystem::remove(path_); }
  void refused(const std::string& text, const std::string& why) {
    const std::string path = file(text);
    try {
      Points::read(path);
      ADD_FAILURE() << text;
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find(why), std::string::npos) << error.what();
      EXPECT_NE(std::string(error.what()).find(path), std::string::npos) << error.what();
    }
  }
  std::string path_;
};

TEST_F(Files, AreReadAsTheyWereWritten) {
  Points a;
  a.count_run();
  a.add("toy", pairs(1, 0));
  a.add(kIf, 3);
  const Points b = Points::read(file(a.to_json().dump()));
  EXPECT_EQ(b.to_json(), a.to_json());
  EXPECT_EQ(b.runs(), 1u);
}

TEST_F(Files, ThatHoldSomethingElseAreRefusedInOneSentence) {
  refused("", "holds no coverage");
  refused("{", "holds no coverage");
  refused("[1, 2]", "holds no coverage");
  refused(R"({"device": "compressor"})", "holds no coverage");
  Points a;
  a.add("toy", pairs(0, 0));
  a.add(kIf, 3);
  nlohmann::json json = a.to_json();
  json["version"] = 99;
  refused(json.dump(), "another version");
  json = a.to_json();
  json["functional"][0]["counts"] = {1};
  refused(json.dump(), "is damaged");
  json = a.to_json();
  json["rtl"][0] = {"line", "top"};
  refused(json.dump(), "is damaged");
  json = a.to_json();
  json.erase("runs");
  refused(json.dump(), "is damaged");
  EXPECT_THROW(Points::read("/nowhere/points.json"), InputError);
}

TEST(Summary, CountsTablesAndNamesWhatIsMissing) {
  Points a;
  a.count_run();
  a.add("toy", pairs(0, 0));
  const auto s = summary(a);
  EXPECT_EQ(s["runs"], 1);
  EXPECT_EQ(s["functional"]["covered"], 1);
  EXPECT_EQ(s["functional"]["possible"], 3);
  EXPECT_EQ(s["functional"]["percent"], 33.33);
  const auto& table = s["functional"]["tables"][0];
  EXPECT_EQ(table["impossible"][0]["reason"], "b meets no x");
  EXPECT_EQ(table["unreached"][0]["name"], "*/y");
  EXPECT_TRUE(s["failures"].empty());
  const std::string text = summary_text(s, 0, false);
  EXPECT_NE(text.find("toy/pairs"), std::string::npos) << text;
  EXPECT_NE(text.find("*/y  (2 cells)"), std::string::npos) << text;
}

TEST(Summary, AReachedCellThatCannotBeFails) {
  Points a;
  a.add("toy", pairs(1, 0));
  const auto s = summary(a);
  ASSERT_EQ(s["failures"].size(), 1u);
  EXPECT_EQ(s["failures"][0],
            "functional/toy/pairs/b/x was reached, which cannot be: b meets no x");
}

TEST(Summary, OfRtlIsSummedOverInstancesAndByInstance) {
  Points a;
  a.add(kIf, 3);
  a.add(kElse, 0);
  a.add(kOther, 2);
  a.add(kLine, 0);
  const auto s = summary(a);
  EXPECT_EQ(s["branch"]["covered"], 2);
  EXPECT_EQ(s["branch"]["possible"], 2);
  EXPECT_EQ(s["branch"]["instances"][0]["instance"], "top.u_a");
  EXPECT_EQ(s["branch"]["instances"][0]["covered"], 1);
  EXPECT_EQ(s["branch"]["instances"][1]["covered"], 1);
  EXPECT_EQ(s["line"]["percent"], 0);
  EXPECT_EQ(s["line"]["modules"][0]["unreached"][0], "rtl/a.sv:9:5 block");
}

TEST(Summary, NamesInstancesAsTheRtlDoes) {
  Points a;
  a.add({"user", "top", "top.top.u_a.Full", "a.sv", 5, 1, "Full"}, 1);
  a.add({"user", "top", "top.top.u_a.Empty", "a.sv", 6, 1, "Empty"}, 0);
  a.add({"user", "top", "top.top.Full", "b.sv", 5, 1, "Full"}, 1);
  const auto instances = summary(a)["user"]["instances"];
  ASSERT_EQ(instances.size(), 2u);
  EXPECT_EQ(instances[0]["instance"], "top");
  EXPECT_EQ(instances[1]["instance"], "top.u_a");
  EXPECT_EQ(instances[1]["possible"], 2);
}

TEST(Summary, NeverReadsAsWholeWhatIsNot) {
  Points a;
  for (uint32_t line = 1; line <= 20'001; ++line) {
    a.add({"line", "top", "top", "a.sv", line, 1, ""}, line == 1 ? 0 : 1);
  }
  EXPECT_EQ(summary(a)["line"]["percent"], 99.99);
}

// A signal of 70 bits with an lsb of 2: bit by bit what it did.
ToggleSignal signal(std::vector<uint32_t> rose, std::vector<uint32_t> fell) {
  ToggleSignal s{ToggleSignal::Seen::kCounted, 2, 70, 1, {0, 0}, {0, 0}};
  for (const uint32_t bit : rose) s.rose[bit / 64] |= uint64_t{1} << bit % 64;
  for (const uint32_t bit : fell) s.fell[bit / 64] |= uint64_t{1} << bit % 64;
  return s;
}

TEST(Toggles, ABitCountsWhenItRoseAndFellInAnyRun) {
  Points a, b;
  a.add("top", "top.u_a.x", signal({0, 1, 69}, {0}));
  b.add("top", "top.u_a.x", signal({3}, {1, 68}));
  const nlohmann::json only = summary(a)["toggle"];
  EXPECT_EQ(only["covered"], 1);
  EXPECT_EQ(only["possible"], 70);
  EXPECT_EQ(only["modules"][0]["unreached"],
            nlohmann::json({"top.u_a.x[3] never fell", "top.u_a.x[70:4] never changed",
                            "top.u_a.x[71] never fell"}));
  Points ab = a, ba = b;
  ab.add(b);
  ba.add(a);
  EXPECT_EQ(ab.to_json(), ba.to_json());
  const nlohmann::json both = summary(ab)["toggle"];
  EXPECT_EQ(both["covered"], 2);
  EXPECT_EQ(both["instances"][0]["instance"], "top.u_a");
  // As they were written.
  EXPECT_EQ(Points::from_json(ab.to_json(), "f").to_json(), ab.to_json());
}

TEST(Toggles, MemoriesAndAbsentSignalsAreNamedAndNotPossible) {
  Points points;
  points.add("top", "top.x", signal({0}, {0}));
  points.add("top", "top.memory", {ToggleSignal::Seen::kMemory, 0, 8, 1024, {}, {}});
  points.add("top", "top.gone", {ToggleSignal::Seen::kAbsent, 0, 7, 1, {}, {}});
  nlohmann::json s = summary(points);
  EXPECT_EQ(s["toggle"]["possible"], 70);
  EXPECT_EQ(s["toggle"]["memory_bits"], 8192);
  EXPECT_EQ(s["toggle"]["absent_bits"], 7);
  const std::string text = summary_text(s, 0, true);
  EXPECT_NE(text.find("top.memory  (8192 bits)"), std::string::npos) << text;
  EXPECT_NE(text.find("top.gone  (7 bits)"), std::string::npos) << text;
  // Another build has it: then it is not absent.
  Points other;
  other.add("top", "top.gone", {ToggleSignal::Seen::kCounted, 0, 7, 1, {1}, {1}});
  points.add(other);
  s = summary(points);
  EXPECT_EQ(s["toggle"]["possible"], 77);
  EXPECT_EQ(s["toggle"]["covered"], 2);
  EXPECT_EQ(s["toggle"]["absent_bits"], 0);
}

TEST(Toggles, SignalsOfOtherWidthsAddUpBitByBitAndOfOtherPlacesDoNot) {
  const ToggleSignal narrow{ToggleSignal::Seen::kCounted, 2, 8, 1, {0x81}, {0x80}};
  Points a, b;
  a.add("top", "top.x", signal({0, 69}, {69}));
  a.add("top", "top.x", narrow);
  b.add("top", "top.x", narrow);
  b.add("top", "top.x", signal({0, 69}, {69}));
  EXPECT_EQ(a.to_json(), b.to_json());
  EXPECT_EQ(summary(a)["toggle"]["covered"], 2);
  EXPECT_EQ(summary(a)["toggle"]["possible"], 70);
  EXPECT_THROW(a.add("top", "top.x", {ToggleSignal::Seen::kCounted, 0, 8, 1, {0}, {0}}),
               InputError);
}

TEST(Toggles, DamagedFilesAreRefused) {
  Points points;
  points.add("top", "top.x", signal({1}, {}));
  const nlohmann::json whole = points.to_json();
  for (const auto& [at, value] : std::vector<std::pair<int, nlohmann::json>>{
           {2, 3}, {4, 0}, {4, 64}, {6, "zz.0"}, {6, "1"}, {7, "0.ffff"}}) {
    nlohmann::json broken = whole;
    broken["toggle"][0][static_cast<size_t>(at)] = value;
    EXPECT_THROW(Points::from_json(broken, "f"), InputError) << at << ' ' << value;
  }
}

TEST(Toggles, WaiversTakeBitsOutExpireAndAreNotedWhenReached) {
  Points points;
  points.add("top", "top.x", signal({0, 1}, {0}));
  const Day today{2026, 11, 23};
  const auto waivers = [](const char* point, const char* until) {
    return parse_waivers(std::string("[[waiver]]\npoint = \"") + point +
                             "\"\nreason = \"r\"\nwho = \"w\"\nuntil = " + until + "\n",
                         "w.toml");
  };
  const nlohmann::json one = summary(points, waivers("toggle/top/top.x[3]", "2027-01-01"), today);
  EXPECT_EQ(one["toggle"]["waived"], 1);
  EXPECT_TRUE(one["failures"].empty()) << one["failures"];
  const nlohmann::json expired =
      summary(points, waivers("toggle/top/top.x[3]", "2026-11-22"), today);
  EXPECT_EQ(expired["failures"].size(), 1u);
  const nlohmann::json reached = summary(points, waivers("toggle/top/top.x*", "2027-01-01"), today);
  EXPECT_EQ(reached["failures"].size(), 1u);
  EXPECT_NE(reached["failures"][0].get<std::string>().find("top.x[2] was reached"),
            std::string::npos);
}

TEST(Lcov, HoldsLinesAndBranchesOverAllInstances) {
  Points a;
  a.add(kIf, 3);
  a.add(kElse, 0);
  a.add(kOther, 2);
  a.add(kLine, 0);
  a.add({"user", "top", "top", "rtl/a.sv", 11, 1, "corner"}, 9);
  EXPECT_EQ(lcov_text(a),
            "TN:gradwire\nSF:rtl/a.sv\nBRDA:7,0,0,2\nBRDA:7,0,1,3\nBRF:2\nBRH:2\nDA:7,3\nDA:9,0\n"
            "LF:2\nLH:1\nend_of_record\n");
}

}  // namespace
}  // namespace gw::sim::coverage::points_test
