// Buckets and known failures: what is refused, what they turn into, what is said of them.
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/base/error.h"
#include "sim/regress/dashboard.h"
#include "sim/regress/junit.h"
#include "sim/regress/summary.h"

namespace gw::tests::known_test {
namespace {

using namespace regress;
using nlohmann::json;
using testing::HasSubstr;
using testing::SizeIs;

constexpr const char* kBucket = "adder, own RTL, lockstep, m_axis tdata, rtl and model";

std::string known_text(const std::string& until, const std::string& bucket = kBucket) {
  return "[[known]]\nbucket = \"" + bucket +
         "\"\nreason = \"rounding\"\nissue = \"#7\"\nuntil = " + until + "\n";
}

Entry entry(const std::string& name, Verdict verdict, const std::string& bucket = "") {
  Entry e;
  e.what.name = name;
  e.what.group = "g";
  e.what.device = "adder";
  e.what.words = {"run", "adder"};
  e.what.hash = name;
  e.result.verdict = verdict;
  if (!bucket.empty()) {
    e.result.bucket = bucket;
    e.result.headline = "it diverged";
    e.result.lines = {"it diverged"};
  }
  return e;
}

Summary summary(std::vector<Entry> entries, const KnownFailures& known) {
  Summary s;
  s.order.plan = "p";
  s.order.command = "gradwire";
  s.entries = std::move(entries);
  return summarise(std::move(s), {}, known);
}

TEST(Known, RefusalsNameTheirPlace) {
  for (const auto& [text, sentence] : std::vector<std::pair<std::string, std::string>>{
           {"[[known]]\nbucket = 3", "k.toml:2:10: a known failure's 'bucket' is a text"},
           {"[[known]]\nbucket = \"\"", "k.toml:2:10: a known failure's 'bucket' is a text"},
           {"[[known]]\nbucket = \"a\"\nreason = \"r\"",
            "k.toml:1:1: a known failure without its 'issue'"},
           {"[[known]]\ncolour = 1", "k.toml:2:1: a known failure has no 'colour'"},
           {"known = 3", "k.toml:1:1: a file of known failures holds [[known]]"},
           {"[[knwn]]", "holds [[known]] and nothing else"},
           {known_text("\"soon\""), "k.toml:5:9: a known failure's 'until' is a date"},
           {known_text("2999-01-01") + known_text("2999-01-01"), "is known twice"},
           {"[[known]", "k.toml:1:"}}) {
    try {
      KnownFailures::parse(text, "k.toml");
      ADD_FAILURE() << text;
    } catch (const sim::InputError& error) {
      EXPECT_THAT(error.what(), HasSubstr(sentence));
    }
  }
}

TEST(Known, AKnownFailureDoesNotFailTheRun) {
  const auto known = KnownFailures::parse(known_text("2999-12-31"), "k.toml");
  const Summary s =
      summary({entry("g/a", Verdict::kPass), entry("g/b", Verdict::kFail, kBucket)}, known);
  EXPECT_TRUE(s.passed);
  EXPECT_EQ(s.of(Verdict::kKnown), 1u);
  ASSERT_THAT(s.buckets, SizeIs(1));
  EXPECT_TRUE(s.buckets[0].known);
  EXPECT_THAT(s.overcome, SizeIs(0));
  EXPECT_THAT(junit_xml(s).front(), HasSubstr("<skipped message=\"known: it diverged\"/>"));
}

TEST(Known, PastItsDateItFails) {
  const auto known = KnownFailures::parse(known_text("2026-11-21"), "k.toml");
  EXPECT_TRUE(known.all()[0].expired("2026-11-22"));
  EXPECT_FALSE(known.all()[0].expired("2026-11-21"));  // its last day
  const Summary s = summary({entry("g/b", Verdict::kFail, kBucket)},
                            KnownFailures::parse(known_text("2020-01-01"), "k.toml"));
  EXPECT_FALSE(s.passed);
  EXPECT_EQ(s.of(Verdict::kFail), 1u);
  EXPECT_THAT(s.entries[0].result.headline, HasSubstr("(it was known until 2020-01-01)"));
}

TEST(Known, AnotherBucketIsNotKnown) {
  const auto known = KnownFailures::parse(known_text("2999-12-31"), "k.toml");
  EXPECT_FALSE(
      summary({entry("g/b", Verdict::kFail, "adder, own RTL, hang, m_axis, rtl")}, known).passed);
  EXPECT_FALSE(summary({entry("g/b", Verdict::kFail)}, known).passed);
}

TEST(Known, WhatOccursNoMoreIsReported) {
  const auto known = KnownFailures::parse(known_text("2999-12-31"), "k.toml");
  Summary s = summary({entry("g/a", Verdict::kPass)}, known);
  EXPECT_TRUE(s.passed);
  ASSERT_THAT(s.overcome, SizeIs(1));
  EXPECT_THAT(summary_text(s, "dir", false), HasSubstr("Known, and no longer there"));
  EXPECT_THAT(dashboard_html(s, {}), HasSubstr("Known, and no longer there"));
  EXPECT_EQ(json::parse(regress_json(s))["overcome"][0]["issue"], "#7");
  // Who has not seen all cases of the device cannot say.
  EXPECT_THAT(summary({entry("g/a", Verdict::kNotRun)}, known).overcome, SizeIs(0));
  EXPECT_THAT(
      summary({entry("g/a", Verdict::kPass)},
              KnownFailures::parse(known_text("2999-12-31", "mixer, own RTL, hang"), "k.toml"))
          .overcome,
      SizeIs(0));
}

TEST(Buckets, FailuresAreGroupedAndNamed) {
  const std::string other = "adder, own RTL, hang, m_axis, rtl";
  const Summary s =
      summary({entry("g/a", Verdict::kFail, kBucket), entry("g/b", Verdict::kFail, other),
               entry("g/c", Verdict::kFail, kBucket)},
              {});
  ASSERT_THAT(s.buckets, SizeIs(2));
  EXPECT_EQ(s.buckets[0].count, 2u);
  EXPECT_EQ(s.buckets[0].first->what.name, "g/a");
  const json document = json::parse(regress_json(s));
  EXPECT_EQ(document["buckets"][1]["bucket"], other);
  EXPECT_EQ(document["buckets"][0]["count"], 2);
  EXPECT_EQ(document["cases"][0]["bucket"], kBucket);
  EXPECT_THAT(summary_text(s, "dir", false), HasSubstr("   2  adder, own RTL, lockstep"));
  EXPECT_THAT(dashboard_html(s, {}), HasSubstr(other));
  EXPECT_NE(capsule_name(kBucket), capsule_name(other));
  EXPECT_THAT(capsule_name("a, b/c: \"x\"\n"), testing::MatchesRegex("a-b-c-x-[0-9a-f]{6}"));
}

TEST(Buckets, WhatIsNoDivergenceHasOneToo) {
  Case c;
  c.device = "adder";
  c.words = {"run", "adder", "--rtl", "my.f", "--top", "my_adder"};
  c.expect = {{"cycles", "<= 3"}};
  EXPECT_EQ(judge(c, {{"pass", true}, {"cycles", 4}}).bucket,
            "adder, my_adder, expectation, cycles");
  EXPECT_EQ(judge(c, {{"pass", true}, {"cycles", 3}}).bucket, "");
  c.words.resize(2);
  EXPECT_EQ(judge(c, {{"pass", false}, {"cycles", 3}, {"bucket", "adder, own RTL, bound"}}).bucket,
            "adder, own RTL, bound");
  EXPECT_EQ(bucket_of(c, "crashed", "signal 11"), "adder, own RTL, crashed, signal 11");
}

}  // namespace
}  // namespace gw::tests::known_test
