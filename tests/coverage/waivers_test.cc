// SPDX-License-Identifier: Apache-2.0
#include "sim/coverage/waivers.h"

#include <gtest/gtest.h>

#include "sim/base/error.h"
#include "sim/coverage/summary.h"

namespace gw::sim::coverage::waivers_test {
namespace {

constexpr const char* kOne = R"(
[[waiver]]
point  = "functional/toy/pairs/b/*"
reason = "b comes next year"
who    = "ada"
until  = 2027-06-30
)";

/// a/x was reached; a/y, b/x, b/y were not.
Points points() {
  Table table("pairs", "", {{"small", {"a", "b"}}, {"large", {"x", "y"}}});
  table.hit(0, 0);
  Points all;
  all.add("toy", table);
  all.add({"line", "top", "top.u_a", "a.sv", 7, 3, "if"}, 5);
  all.add({"line", "top", "top.u_b", "a.sv", 7, 3, "if"}, 0);
  all.add({"line", "top", "top.u_a", "a.sv", 9, 3, "else"}, 0);
  all.add({"line", "top", "top.u_b", "a.sv", 9, 3, "else"}, 0);
  return all;
}

std::string sentence(const std::string& toml) {
  try {
    parse_waivers(toml, "w.toml");
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

TEST(Waivers, AreReadWithTheirPlaces) {
  const auto waivers = parse_waivers(kOne, "w.toml");
  ASSERT_EQ(waivers.size(), 1u);
  EXPECT_EQ(waivers[0].reason, "b comes next year");
  EXPECT_EQ(waivers[0].who, "ada");
  EXPECT_EQ(waivers[0].until, (sim::Day{2027, 6, 30}));
  EXPECT_EQ(waivers[0].where, "w.toml:2");
  EXPECT_TRUE(waivers[0].covers("functional/toy/pairs/b/x"));
  EXPECT_FALSE(waivers[0].covers("functional/toy/pairs/a/x"));
  EXPECT_TRUE(parse_waivers("", "w.toml").empty());
}

TEST(Waivers, WhatIsNoneIsRefusedWithItsPlace) {
  EXPECT_EQ(sentence("[[waiver]]\npoint = 3\n").substr(0, 12), "w.toml:2:9: ");
  EXPECT_NE(sentence("[[waiver]]\npoint = \"a\"\nreason = \"\"").find("not empty"),
            std::string::npos);
  EXPECT_NE(sentence("[[waiver]]\npoint = \"a\"\nreason = \"b\"\nwho = \"c\"").find("'until'"),
            std::string::npos);
  EXPECT_NE(sentence("[[waiver]]\npoint = \"a\"\nreason = \"b\"\nwho = \"c\"\nuntil = \"2027\"")
                .find("is a date"),
            std::string::npos);
  EXPECT_NE(sentence("[[waiver]]\npint = \"a\"\n").find("no 'pint'"), std::string::npos);
  EXPECT_NE(sentence("waiver = 1\n").find("[[waiver]]"), std::string::npos);
  EXPECT_EQ(sentence("[[waiver\n").substr(0, 7), "w.toml:");
}

TEST(Waivers, PatternsHoldWhatTheySay) {
  EXPECT_TRUE(matches("*", ""));
  EXPECT_TRUE(matches("a*c", "abc"));
  EXPECT_TRUE(matches("a*c", "abcbc"));
  EXPECT_FALSE(matches("a*c", "abcb"));
  EXPECT_TRUE(matches("a?c", "a[c"));
  EXPECT_FALSE(matches("a?c", "ac"));
  EXPECT_TRUE(matches("q[3]", "q[3]"));
  EXPECT_FALSE(matches("q", "q[3]"));
  EXPECT_TRUE(matches("**b**", "abc"));
}

TEST(Waivers, BracesStandForEachOfTheirWords) {
  using Words = std::vector<std::string>;
  EXPECT_EQ(without_braces("x[3]"), (Words{"x[3]"}));
  EXPECT_EQ(without_braces("x[{7,15}]"), (Words{"x[7]", "x[15]"}));
  EXPECT_EQ(without_braces("{a,b}[{9..11}]*"),
            (Words{"a[9]*", "a[10]*", "a[11]*", "b[9]*", "b[10]*", "b[11]*"}));
  for (const char* wrong : {"x{1,2", "x{5..3}", "x{0..99999}", "x{}", "{a{1,2},b}"}) {
    EXPECT_THROW(without_braces(wrong), InputError) << wrong;
  }
  const auto waivers = parse_waivers(
      "[[waiver]]\npoint = \"x[{2..3}]\"\nreason = \"r\"\nwho = \"w\"\nuntil = 2027-01-01\n", "w");
  EXPECT_TRUE(waivers[0].covers("x[3]"));
  EXPECT_FALSE(waivers[0].covers("x[23]"));
}

TEST(Waivers, TakeTheirPointsOutAndDoNotFail) {
  const auto s = summary(points(), parse_waivers(kOne, "w.toml"), {2027, 6, 30});
  EXPECT_TRUE(s["failures"].empty()) << s["failures"];
  EXPECT_EQ(s["functional"]["covered"], 1);
  EXPECT_EQ(s["functional"]["possible"], 4);
  EXPECT_EQ(s["functional"]["waived"], 2);
  EXPECT_EQ(s["functional"]["percent"], 50);
  ASSERT_EQ(s["functional"]["tables"][0]["unreached"].size(), 1u);
  EXPECT_EQ(s["functional"]["tables"][0]["unreached"][0]["name"], "a/y");
}

TEST(Waivers, FailOnTheDayBehindTheirLast) {
  const auto s = summary(points(), parse_waivers(kOne, "w.toml"), {2027, 7, 1});
  ASSERT_EQ(s["failures"].size(), 1u);
  EXPECT_EQ(s["failures"][0],
            "w.toml:2: the waiver of functional/toy/pairs/b/* expired on 2027-06-30 (ada, b comes "
            "next year)");
}

TEST(Waivers, FailIfTheirPointWasReached) {
  Points reached = points();
  Table more("pairs", "", {{"small", {"a", "b"}}, {"large", {"x", "y"}}});
  more.hit(1, 1);
  reached.add("toy", more);
  const auto s = summary(reached, parse_waivers(kOne, "w.toml"), {2027, 1, 1});
  ASSERT_EQ(s["failures"].size(), 1u);
  EXPECT_NE(s["failures"][0].get<std::string>().find("functional/toy/pairs/b/y was reached"),
            std::string::npos);
}

TEST(Waivers, OfOneInstanceLeaveTheModuleAsItIs) {
  auto waivers = parse_waivers(kOne, "w.toml");
  waivers[0].point = "line/top/top.u_b/*";
  auto s = summary(points(), waivers, {2027, 1, 1});
  EXPECT_TRUE(s["failures"].empty());
  EXPECT_EQ(s["line"]["possible"], 2);
  EXPECT_EQ(s["line"]["covered"], 1);
  EXPECT_EQ(s["line"]["waived"], 0);
  EXPECT_EQ(s["line"]["instances"][1]["waived"], 2);
  waivers[0].point = "line/top/*:9:3/else";
  s = summary(points(), waivers, {2027, 1, 1});
  EXPECT_EQ(s["line"]["waived"], 1);
  EXPECT_EQ(s["line"]["percent"], 100);
}

}  // namespace
}  // namespace gw::sim::coverage::waivers_test
