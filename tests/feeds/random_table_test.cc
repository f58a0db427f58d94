// Constrained-random traffic: tables as they are read and refused, and what is drawn by them.
// SPDX-License-Identifier: Apache-2.0
#include "sim/feeds/random_table.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <functional>
#include <set>

#include "models/axis/beat.h"
#include "sim/base/error.h"

namespace gw::sim::random_table_test {
namespace {

RandomKind kind_of(std::string name, std::string base, std::string unit, bool codec,
                   std::vector<std::string> errors) {
  RandomKind kind{name, "packets of " + name, base, random_stream_keys(unit, 1, 1000, 1, 100)};
  for (RandomKey& key : random_value_keys(codec)) kind.keys.push_back(std::move(key));
  RandomKey error{"error", "what is wrong", {{"none", 1}}};
  for (std::string& way : errors) error.ways.push_back({std::move(way)});
  kind.keys.push_back(std::move(error));
  return kind;
}

const RandomKind kApples = kind_of("apples", "", "values", true, {"flag"});
const RandomKind kBoxes = kind_of("boxes", "apples", "values", true, {"flag", "cut"});
const RandomKind kPears = kind_of("pears", "", "bytes", false, {"loss"});
const RandomKind* const kKinds[] = {&kApples, &kBoxes, &kPears};

std::shared_ptr<const RandomTable> table(const std::string& text,
                                         const RandomKind& kind = kApples) {
  return RandomTable::parse(text, "plan.toml", "t", kind, kKinds);
}

/// What a table is refused with.
std::string refusal(const std::string& text, const RandomKind& kind = kApples) {
  try {
    table(text, kind);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "not refused";
}

struct Refused {
  const char *text, *where, *part;
};

TEST(RandomTable, RefusesInOneSentenceWithItsPlace) {
  const Refused cases[] = {
      {"[random.t]\nlengths = { edges = 1 }", "plan.toml:2:1: ", "unknown key 'lengths'"},
      {"[random.t]\nlength = { edge = 1 }", "plan.toml:2:12: ", "unknown 'edge' of length"},
      {"[random.t]\nlength = { edges = -1 }", "plan.toml:2:20: ", "negative"},
      {"[random.t]\nvalue = { zero = 0, nan = 0.0 }", "plan.toml:2:9: ", "all weights of value"},
      {"[random.t]\nvalue = {}", "plan.toml:2:9: ", "all weights of value"},
      {"[random.t]\nvalue = { zero = nan }", "plan.toml:2:18: ", "no number"},
      {"[random.t]\nvalue = { zero = inf }", "plan.toml:2:18: ", "no number"},
      {"[random.t]\nvalue = { zero = true }", "plan.toml:2:18: ", "no weight"},
      {"[random.t]\nvalue = { zero = \"1\" }", "plan.toml:2:18: ", "no weight"},
      {"[random.t]\nvalue = 3", "plan.toml:2:9: ", "no table of weights"},
      {"[random.t]\nvalue = { zero = { heavy = 1 } }", "plan.toml:2:20: ", "unknown 'heavy'"},
      {"[random.t]\nvalue = { zero = { of = [1] } }", "plan.toml:2:20: ", "there are weight"},
      {"[random.t]\nlength = { list = 1 }", "plan.toml:2:19: ", "of = [1]"},
      {"[random.t]\nlength = { list = { weight = 1 } }", "plan.toml:2:19: ", "of what"},
      {"[random.t]\nlength = { list = { of = [] } }", "plan.toml:2:26: ", "of = [numbers]"},
      {"[random.t]\nlength = { list = { of = [0] } }", "plan.toml:2:27: ", "from 1 to 1000"},
      {"[random.t]\nlength = { list = { of = [1.5] } }", "plan.toml:2:27: ", "whole numbers"},
      {"[random.t]\nlength = { range = { from = 9, to = 8 } }", "plan.toml:2:20: ", "nothing"},
      {"[random.t]\nlength = { range = { to = 1001 } }", "plan.toml:2:27: ", "from 1 to 1000"},
      {"[random.t]\nvalue = { binades = { from = -150 } }", "plan.toml:2:30: ", "-149 to 127"},
      {"[random.t]\nsource = { percent = { to = 100 } }", "plan.toml:2:29: ", "from 1 to 99"},
      {"[random.t]\nerror = { cut = 1 }", "plan.toml:2:11: ", "no meaning for apples"},
      {"[random.t.pears]\nvalue = { edge = 1 }", "plan.toml:2:11: ", "no meaning for pears"},
      {"[random.t.pears]\nedge = { one = 1 }", "plan.toml:2:1: ", "[random.t.apples]"},
      {"[random.t]\npears = 3", "plan.toml:2:9: ", "no table of keys"},
      {"[random.t]\na = [", "plan.toml:2:", "a"},
      {"[random.other]", "plan.toml:1:", "there are other"},
      {"name = \"plan\"", "plan.toml:1:1: ", "no table [random.t]"},
  };
  for (const Refused& c : cases) {
    const std::string sentence = refusal(c.text);
    EXPECT_TRUE(sentence.starts_with(c.where)) << c.text << "\n" << sentence;
    EXPECT_NE(sentence.find(c.part), std::string::npos) << c.text << "\n" << sentence;
    EXPECT_EQ(sentence.find('\n'), std::string::npos) << sentence;
  }
}

TEST(RandomTable, NamesOfFiles) {
  for (const char* where : {"plan.toml", "plan.toml#", "#t"}) {
    EXPECT_THROW(RandomTable::read(where, kApples, kKinds), UsageError) << where;
  }
  EXPECT_THROW(RandomTable::read("/nonexistent.toml#t", kApples, kKinds), InputError);
}

TEST(RandomTable, StandsBesideWhatElseAPlanHolds) {
  const auto t = table(
      "name = \"nightly\"\n[[group]]\nname = \"a\"\n[random.u]\nbroken = 1\n"
      "[random.t]\nvalue = { nan = 1 }\n");
  EXPECT_EQ(t->name(), "plan.toml#t");
  EXPECT_EQ((*t)["value"].share("nan"), 1);
}

TEST(RandomTable, TheNearestWordCounts) {
  const std::string text =
      "[random.t]\nlength = { edges = 1 }\nvalue = { zero = 1 }\nnan = { quiet = 1 }\n"
      "[random.t.apples]\nvalue = { nan = 1 }\nnan = { one_bit = 1 }\n"
      "[random.t.boxes]\nvalue = { edge = 1 }\nerror = { cut = 1, none = 3 }\n";
  const auto apples = table(text, kApples), boxes = table(text, kBoxes),
             pears = table(text, kPears);
  EXPECT_EQ((*apples)["value"].share("nan"), 1);
  EXPECT_EQ((*boxes)["value"].share("edge"), 1) << "its own section";
  EXPECT_EQ((*boxes)["nan"].share("one_bit"), 1) << "that of the kind it is based on";
  EXPECT_EQ((*boxes)["error"].share("cut"), 0.25);
  EXPECT_EQ((*pears)["value"].share("zero"), 1) << "what is for all";
  EXPECT_EQ((*pears)["nan"].share("quiet"), 1);
  for (const auto& t : {apples, boxes, pears}) EXPECT_EQ((*t)["length"].share("edges"), 1);
  EXPECT_EQ((*apples)["error"].share("none"), 1) << "what the kind says";
}

/// How often each way comes, of 100,000 draws of one seed.
std::map<std::string, double> shares(const RandomChoice& choice) {
  std::map<std::string, double> counts;
  Random random(7, "shares");
  for (int i = 0; i < 100'000; ++i) counts[choice.name(choice.draw(random))] += 1e-5;
  return counts;
}

TEST(RandomChoice, ComesAsOftenAsItsWeightSays) {
  const auto t = table("[random.t]\nvalue = { zero = 1, subnormal = 2.5, nan = 0, any = 0.5 }\n");
  auto counts = shares((*t)["value"]);
  EXPECT_NEAR(counts["zero"], 0.25, 0.01);
  EXPECT_NEAR(counts["subnormal"], 0.625, 0.01);
  EXPECT_NEAR(counts["any"], 0.125, 0.01);
  EXPECT_EQ(counts.size(), 3u) << "a weight of 0 never comes";
}

std::map<int64_t, uint64_t> lengths(const std::string& text) {
  const auto t = table("[random.t]\nlength = " + text);
  const RandomLengths lengths(*t, {8, 1000});
  std::map<int64_t, uint64_t> counts;
  for (uint64_t n = 0; n < 20'000; ++n) {
    Random random(3, "length", n);
    ++counts[lengths.draw(random)];
  }
  return counts;
}

TEST(RandomLengths, OfListRangeAndEdges) {
  const auto list = lengths("{ list = { of = [5, 70] } }");
  EXPECT_EQ(list.size(), 2u);
  EXPECT_NEAR(static_cast<double>(list.at(5)), 10'000, 500);
  const auto range = lengths("{ range = { from = 11, to = 20 } }");
  EXPECT_EQ(range.size(), 10u);
  EXPECT_EQ(range.begin()->first, 11);
  EXPECT_EQ(range.rbegin()->first, 20);
  for (const auto& [length, n] : range) EXPECT_NEAR(static_cast<double>(n), 2'000, 250) << length;
  const auto edges = lengths("{ edges = 1 }");
  std::set<int64_t> all;
  for (const auto& [length, n] : edges) all.insert(length);
  EXPECT_EQ(all, (std::set<int64_t>{7, 8, 9, 999, 1000})) << "never beyond what is allowed";
}

TEST(RandomGap, NoneUnlessAsked) {
  Random random(1);
  const auto none = table("[random.t]\n"),
             some = table("[random.t]\ngap = { list = { of = [7] } }");
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(random_gap(*none, random), 0);
    EXPECT_EQ(random_gap(*some, random), 7);
  }
}

std::vector<uint32_t> values(const std::string& keys, RandomValues::Classes classes = {}) {
  const auto t = table("[random.t]\n" + keys);
  const RandomValues drawn(*t, classes);
  std::vector<uint32_t> all(4000);
  Random random(5, "value");
  drawn.fill(random, all);
  return all;
}

TEST(RandomValues, OfEachClass) {
  const auto exponent = [](uint32_t v) { return v >> 23 & 0xFF; };
  const auto fraction = [](uint32_t v) { return v & 0x7F'FFFF; };
  const std::pair<const char*, std::function<bool(uint32_t)>> classes[] = {
      {"zero", [](uint32_t v) { return (v & 0x7FFF'FFFF) == 0; }},
      {"subnormal", [&](uint32_t v) { return exponent(v) == 0 && fraction(v) != 0; }},
      {"tiny", [&](uint32_t v) { return exponent(v) >= 1 && exponent(v) < 117; }},
      {"byte", [&](uint32_t v) { return exponent(v) >= 117 && exponent(v) < 122; }},
      {"half", [&](uint32_t v) { return exponent(v) >= 122 && exponent(v) < 127; }},
      {"large", [&](uint32_t v) { return exponent(v) >= 127 && exponent(v) < 255; }},
      {"gradient", [](uint32_t v) { return std::abs(std::bit_cast<float>(v)) <= 0.04F; }},
      {"infinity", [](uint32_t v) { return (v & 0x7FFF'FFFF) == 0x7F80'0000; }},
      {"nan", [&](uint32_t v) { return exponent(v) == 255 && fraction(v) != 0; }}};
  for (const auto& [name, is] : classes) {
    uint32_t negative = 0;
    for (const uint32_t v :
         values(std::string("value = { ") + name + " = 1 }\nneighbour = { free = 1 }")) {
      ASSERT_TRUE(is(v)) << name << " " << std::hex << v;
      negative += v >> 31;
    }
    EXPECT_NEAR(negative, 2000, 200) << name;
  }
  std::set<uint32_t> exponents;
  for (const uint32_t v : values("value = { any = 1 }")) exponents.insert(exponent(v));
  EXPECT_GT(exponents.size(), 250u);
}

TEST(RandomValues, EdgesAreAnUlpAround) {
  const std::pair<const char*, uint32_t> edges[] = {{"bound", 120}, {"middle", 124}, {"one", 127}};
  for (const auto& [name, exponent] : edges) {
    std::set<uint32_t> all;
    for (const uint32_t v : values(std::string("value = { edge = 1 }\nneighbour = { free = 1 }\n"
                                               "edge = { ") +
                                       name + " = 1 }",
                                   {.byte_from = 120, .half_from = 124})) {
      all.insert(v & 0x7FFF'FFFF);
    }
    const uint32_t at = exponent << 23;
    EXPECT_EQ(all, (std::set<uint32_t>{at - 1, at, at + 1})) << name;
  }
  std::set<uint32_t> any;
  for (const uint32_t v :
       values("value = { edge = 1 }\nneighbour = { free = 1 }\nedge = { any = 1 }"))
    any.insert(v & 0x7FFF'FFFF);
  EXPECT_EQ(any.size(), 15u * 3) << "2^-14 to 1";
}

TEST(RandomValues, OfBinades) {
  const auto binades = [](const std::string& range) {
    std::set<int> all;
    for (const uint32_t v :
         values("value = { binades = { " + range + " } }\nneighbour = { free = 1 }")) {
      all.insert(std::ilogb(std::bit_cast<float>(v)));
    }
    return all;
  };
  EXPECT_EQ(binades("from = -3, to = 1"), (std::set<int>{-3, -2, -1, 0, 1}));
  EXPECT_EQ(binades("from = 127, to = 127"), std::set<int>{127});
  EXPECT_EQ(binades("from = -128, to = -125"), (std::set<int>{-128, -127, -126, -125}));
  EXPECT_EQ(binades("from = -149, to = -149"), std::set<int>{-149});
  EXPECT_EQ(binades("from = -149, to = 127").size(), 277u) << "subnormal ones as often";
}

TEST(RandomValues, LastBitsOfFractions) {
  const auto drawn = [](const std::string& fraction, const std::string& of) {
    return values("value = { " + of + " = 1 }\nneighbour = { free = 1 }\nfraction = { " + fraction +
                  " = 1 }");
  };
  const auto plain = drawn("any", "gradient");
  EXPECT_EQ(plain, values("value = { gradient = 1 }\nneighbour = { free = 1 }"));
  for (const char* of : {"gradient", "subnormal"}) {
    std::set<int> zeros, ones;
    for (const uint32_t v : drawn("zeros", of)) {
      if (v << 1 != 0) zeros.insert(std::countr_zero(v));
    }
    for (const uint32_t v : drawn("ones", of)) ones.insert(std::countr_one(v));
    EXPECT_GE(zeros.size(), 22u) << of;
    EXPECT_GE(ones.size(), 22u) << of;
  }
  for (const char* fraction : {"zeros", "ones"}) {
    for (const uint32_t v : drawn(fraction, "infinity")) EXPECT_EQ(v << 1, 0xFF00'0000) << fraction;
  }
  for (const uint32_t v : drawn("zeros", "subnormal")) EXPECT_NE(v << 1, 0u) << "still one";
}

TEST(RandomValues, PayloadsOfNans) {
  const std::string nan = "value = { nan = 1 }\nneighbour = { free = 1 }\nnan = { ";
  for (const uint32_t v : values(nan + "quiet = 1 }")) EXPECT_NE(v & 0x40'0000, 0u);
  for (const uint32_t v : values(nan + "signalling = 1 }")) EXPECT_EQ(v & 0x40'0000, 0u);
  for (const uint32_t v : values(nan + "one_bit = 1 }")) EXPECT_EQ(std::popcount(v & 0x7F'FFFF), 1);
  for (const uint32_t v : values(nan + "all_bits = 1 }")) EXPECT_EQ(v & 0x7F'FFFF, 0x7F'FFFFu);
}

TEST(RandomValues, Neighbours) {
  const auto next = [](const char* way, auto is) {
    const auto all = values("value = { any = 1 }\nneighbour = { " + std::string(way) + " = 1 }");
    for (size_t i = 1; i < all.size(); ++i) ASSERT_TRUE(is(all[i - 1], all[i])) << way << i;
  };
  next("equal", [](uint32_t a, uint32_t b) { return a == b; });
  next("negated", [](uint32_t a, uint32_t b) { return (a ^ b) == 0x8000'0000; });
  next("ulp", [](uint32_t a, uint32_t b) { return a - b == 1 || b - a == 1; });
  // One class, that of the first.
  const auto same = values("value = { zero = 1, nan = 1 }\nneighbour = { same_class = 1 }");
  for (const uint32_t v : same) EXPECT_EQ((v & 0x7FFF'FFFF) == 0, (same[0] & 0x7FFF'FFFF) == 0);
  std::set<uint32_t> different(same.begin(), same.end());
  EXPECT_GT(different.size(), 1u) << "drawn anew";
}

TEST(Streams, OfOnePurposeAndNumberDoNotMoveOthers) {
  const auto first = [](uint64_t seed, const char* purpose, uint64_t number) {
    return Random(seed, purpose, number).next();
  };
  EXPECT_EQ(first(1, "length", 3), first(1, "length", 3));
  std::set<uint64_t> all;
  for (const uint64_t seed : {0, 1, 2}) {
    for (const char* purpose : {"length", "value", "gap"}) {
      for (uint64_t number = 0; number < 100; ++number) all.insert(first(seed, purpose, number));
    }
  }
  EXPECT_EQ(all.size(), 900u);
}

TEST(RandomOddBeats, BreakTheProfile) {
  Random random(9);
  uint64_t empty = 0, early = 0, lanes = 0, stray = 0;
  for (int i = 0; i < 3000; ++i) {
    const size_t beats = 1 + random.below(4), bytes = 1 + random.below(32);
    const OddBeat odd = random_odd_beat(random, beats, bytes, 32);
    ASSERT_LT(odd.beat, beats);
    ASSERT_EQ(odd.keep >> 32, 0u);
    empty += odd.beat == beats - 1 && odd.keep == 0;
    early += odd.user;
    const auto whole_lanes = [](uint64_t keep) {
      for (; keep != 0; keep >>= 4) {
        if ((keep & 15) != 0 && (keep & 15) != 15) return false;
      }
      return true;
    };
    const uint64_t whole = bytes == 32 ? 0xFFFFFFFFu : (uint64_t{1} << bytes) - 1;
    const uint64_t more = odd.keep & ~whole;
    lanes += odd.keep != 0 && odd.keep != 0xFFFFFFFFu && whole_lanes(odd.keep);
    stray += odd.beat == beats - 1 && (odd.keep & whole) == whole && (more & (more - 1)) == 0 &&
             more > whole + 1;
    EXPECT_FALSE(odd.user && odd.beat == beats - 1);
  }
  EXPECT_GT(empty, 300u);
  EXPECT_GT(early, 200u);
  EXPECT_GT(lanes, 300u);
  EXPECT_GT(stray, 300u);
}

TEST(RandomDelays, ComeBehindSoManyOthers) {
  RandomDelays<int> late;
  late.add(1, 2);
  late.add(2, 0);
  EXPECT_EQ(late.take(false), 2);
  late.pass();
  EXPECT_EQ(late.take(false), std::nullopt);
  late.pass();
  EXPECT_EQ(late.take(false), 1);
  late.add(3, 100);
  EXPECT_EQ(late.take(false), std::nullopt);
  EXPECT_EQ(late.take(true), 3) << "nothing else comes";
  EXPECT_EQ(late.take(true), std::nullopt);
}

TEST(RandomStalls, AsTheTableSays) {
  EXPECT_FALSE(table("[random.t]\n")->stalls("source"));
  EXPECT_FALSE(table("[random.t]\nsource = { none = 3 }")->stalls("source"));
  const auto t = table(
      "[random.t]\nsource = { none = 1, percent = { weight = 2, from = 7, to = 9 } }\n"
      "sink = { one_in = { of = [5] }, bursts = { weight = 3, from = 2, to = 4 }, waits = 0.5 }");
  const auto source = t->stalls("source"), sink = t->stalls("sink");
  ASSERT_TRUE(source && sink);
  EXPECT_EQ(source->weights, (std::array<double, kStallKinds>{1, 2, 0, 0, 0}));
  EXPECT_EQ(source->percent_from, 7u);
  EXPECT_EQ(source->percent_to, 9u);
  EXPECT_EQ(sink->weights, (std::array<double, kStallKinds>{0, 0, 3, 1, 0.5}));
  EXPECT_EQ(sink->burst_from, 2u);
  EXPECT_EQ(sink->burst_to, 4u);
  EXPECT_EQ(sink->one_in, (std::vector<uint32_t>{5}));
}

}  // namespace
}  // namespace gw::sim::random_table_test
