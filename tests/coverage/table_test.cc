// SPDX-License-Identifier: Apache-2.0
#include "sim/coverage/table.h"

#include <gtest/gtest.h>

namespace gw::sim::coverage::table_test {
namespace {

Table table() {
  Table t("pairs", "a small x a large", {{"small", {"a", "b"}}, {"large", {"x", "y", "z"}}});
  t.impossible("a meets no z", [](Table::At at) { return at[0] == 0 && at[1] == 2; });
  return t;
}

std::vector<std::string> names(const std::vector<Table::Gap>& gaps) {
  std::vector<std::string> all;
  for (const Table::Gap& gap : gaps) all.push_back(gap.name + " " + std::to_string(gap.cells));
  return all;
}

TEST(Table, CellsCountByTheirPlaces) {
  Table t = table();
  t.hit(0, 1);
  t.hit(1, 2);
  t.hit(1, 2);
  EXPECT_EQ(t.cells(), 6u);
  EXPECT_EQ(t.count(t.find("a/y")), 1u);
  EXPECT_EQ(t.count(t.find("b/z")), 2u);
  EXPECT_EQ(t.count(t.find("b/x")), 0u);
  EXPECT_EQ(t.tally(), (Tally{2, 5}));
  for (size_t cell = 0; cell < t.cells(); ++cell) EXPECT_EQ(t.find(t.cell_name(cell)), cell);
  for (const char* none : {"", "a", "a/w", "a/x/y", "a/x/"}) EXPECT_EQ(t.find(none), t.cells());
  EXPECT_THROW(t.hit(2, 0), std::logic_error);
  EXPECT_THROW(t.hit(1), std::logic_error);
}

TEST(Table, WhatCannotBeIsNotPossibleAndNoticedIfItIs) {
  Table t = table();
  EXPECT_FALSE(t.possible(t.find("a/z")));
  EXPECT_EQ(t.why_impossible(t.find("a/z")), "a meets no z");
  EXPECT_EQ(t.impossible_cells(),
            (std::vector<std::pair<std::string, size_t>>{{"a meets no z", 1}}));
  EXPECT_TRUE(t.contradictions().empty());
  t.hit(0, 2);
  EXPECT_EQ(t.contradictions(), std::vector<size_t>{t.find("a/z")});
  EXPECT_EQ(t.tally(), (Tally{0, 5}));
  // The first reason stays.
  t.impossible("nobody meets z", [](Table::At at) { return at[1] == 2; });
  EXPECT_EQ(t.why_impossible(t.find("a/z")), "a meets no z");
  EXPECT_EQ(t.why_impossible(t.find("b/z")), "nobody meets z");
}

TEST(Table, WhatIsMissingIsNamedInAsFewWordsAsItTakes) {
  Table t = table();
  EXPECT_EQ(names(t.unreached()), (std::vector<std::string>{"*/* 5"}));
  t.hit(0, 0);
  EXPECT_EQ(names(t.unreached()), (std::vector<std::string>{"b/* 3", "*/y 1"}));
  t.hit(1, 1);
  EXPECT_EQ(names(t.unreached()), (std::vector<std::string>{"a/y 1", "b/x 1", "b/z 1"}));
  t.hit(0, 1);
  t.hit(1, 0);
  t.hit(1, 2);
  EXPECT_TRUE(t.unreached().empty());
  EXPECT_EQ(t.tally().percent(), 100);
}

TEST(Table, AnotherRunsCountsAreAdded) {
  Table a = table(), b = table();
  a.hit(0, 0);
  b.hit(0, 0);
  b.hit(1, 1);
  ASSERT_TRUE(a.merge(b));
  EXPECT_EQ(a.count(a.find("a/x")), 2u);
  EXPECT_EQ(a.count(a.find("b/y")), 1u);
  Table other("pairs", "", {{"small", {"a", "b"}}, {"large", {"x", "y"}}});
  Table free("pairs", "", a.axes());
  EXPECT_FALSE(a.merge(other));
  EXPECT_FALSE(a.merge(free));  // other cells are possible
}

TEST(Table, IsTheSameBehindJson) {
  Table a = table();
  a.hit(1, 2);
  Table b = Table::from_json(a.to_json());
  EXPECT_EQ(b.to_json(), a.to_json());
  EXPECT_FALSE(b.possible(b.find("a/z")));
  ASSERT_TRUE(b.merge(a));
  EXPECT_EQ(b.count(b.find("b/z")), 2u);
}

TEST(Table, DamagedJsonIsRefused) {
  const auto refused = [](const char* key, nlohmann::json value) {
    nlohmann::json json = table().to_json();
    json[key] = std::move(value);
    EXPECT_ANY_THROW(Table::from_json(json)) << key;
  };
  refused("counts", {1, 2, 3});
  refused("counts", "many");
  refused("axes", nlohmann::json::array());
  refused("axes", {{{"name", "a"}, {"values", nlohmann::json::array()}}});
  refused("impossible", {{{"reason", "r"}, {"cells", {{4, 6}}}}});
  refused("impossible", {{{"reason", "r"}, {"cells", {{3, 2}}}}});
  nlohmann::json huge = table().to_json();
  for (int i = 0; i < 40; ++i) huge["axes"].push_back(huge["axes"][1]);
  EXPECT_ANY_THROW(Table::from_json(huge));
}

}  // namespace
}  // namespace gw::sim::coverage::table_test
