// Bits that rise and fall, on a struct that is laid out as a verilated top's state.
// SPDX-License-Identifier: Apache-2.0
#include "testbenches/engine/toggle_scan.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

namespace gw::testbenches::toggle_scan_test {
namespace {

/// As Verilator's runtime declares them.
template <size_t kWords>
struct Wide {
  uint32_t m_storage[kWords];
};
template <class Value, size_t kDepth>
struct Unpacked {
  Value m_storage[kDepth];
};

struct alignas(64) Toy {
  uint8_t valid = 0;
  uint8_t own_of_the_simulator = 0;
  uint16_t count = 0;
  Unpacked<uint64_t, 1024> memory{};
  uint64_t word = 0;
  Wide<3> wide{};
  Unpacked<uint8_t, 3> lanes{};
  uint32_t tail = 0;
};

class Scanned : public testing::Test {
 protected:
  Scanned() {
    scan_.add("valid", toy_.valid, 0, 0);
    scan_.add("count", toy_.count, 11, 0);
    scan_.add("memory", toy_.memory, 63, 0);
    scan_.add("word", toy_.word, 63, 0);
    scan_.add("wide", toy_.wide, 71, 2);
    scan_.add("lanes", toy_.lanes, 4, 0);
    scan_.add("tail", toy_.tail, 31, 0);
    scan_.add_absent("gone", 7);
  }

  std::map<std::string, GwToggle> signals() {
    uint32_t n = 0;
    const GwToggle* const all = scan_.read(&n);
    std::map<std::string, GwToggle> by_name;
    for (uint32_t i = 0; i < n; ++i) by_name[all[i].name] = all[i];
    return by_name;
  }

  Toy toy_;
  ToggleScan scan_{toy_};
};

TEST_F(Scanned, ABitThatOnlyRisesRoseAndDidNotFall) {
  scan_.begin();
  toy_.count = 0x005;
  scan_.look();
  toy_.count = 0x804;
  scan_.look();
  const GwToggle count = signals().at("count");
  EXPECT_EQ(count.rose[0], 0x805u);
  EXPECT_EQ(count.fell[0], 0x001u);
  EXPECT_EQ(signals().at("valid").rose[0], 0u);
}

TEST_F(Scanned, WhatWasThereBeforeTheFirstLookIsNoChange) {
  toy_.word = ~uint64_t{0};
  scan_.begin();
  scan_.look();
  EXPECT_EQ(signals().at("word").rose[0], 0u);
  toy_.word = uint64_t{1} << 63;
  scan_.look();
  EXPECT_EQ(signals().at("word").fell[0], ~uint64_t{0} >> 1);
  EXPECT_EQ(signals().at("word").rose[0], 0u);
  // Another reset: what it does is not counted, what was counted stays.
  toy_.word = 0;
  scan_.begin();
  scan_.look();
  EXPECT_EQ(signals().at("word").fell[0], ~uint64_t{0} >> 1);
}

TEST_F(Scanned, WideSignalsAndSmallArraysAreWhole) {
  scan_.begin();
  toy_.wide.m_storage[0] = 1;
  toy_.wide.m_storage[2] = 0xFFFFFFFF;  // beyond its 70 bits, too: not the signal's
  toy_.lanes.m_storage[2] = 0x1F;
  toy_.tail = 0x80000001;
  scan_.look();
  const GwToggle wide = signals().at("wide");
  EXPECT_EQ(wide.bits, 70u);
  EXPECT_EQ(wide.lsb, 2u);
  EXPECT_EQ(wide.rose[0], 1u);
  EXPECT_EQ(wide.rose[1], 0x3Fu);
  EXPECT_EQ(signals().at("lanes[1]").rose[0], 0u);
  EXPECT_EQ(signals().at("lanes[2]").rose[0], 0x1Fu);
  EXPECT_EQ(signals().at("tail").rose[0], 0x80000001u);
}

TEST_F(Scanned, MemoriesAndAbsentSignalsAreNamedOnly) {
  scan_.begin();
  toy_.memory.m_storage[500] = 1;
  scan_.look();
  const auto all = signals();
  EXPECT_EQ(all.at("memory").seen, GW_TOGGLE_MEMORY);
  EXPECT_EQ(all.at("memory").elements, 1024u);
  EXPECT_EQ(all.at("memory").rose, nullptr);
  EXPECT_EQ(all.at("gone").seen, GW_TOGGLE_ABSENT);
  EXPECT_EQ(all.at("gone").bits, 7u);
  EXPECT_EQ(all.size(), 10u);
}

TEST_F(Scanned, NothingIsCountedBeforeItBegins) {
  EXPECT_EQ(signals().at("count").rose[0], 0u);
  EXPECT_EQ(signals().at("count").fell[0], 0u);
}

}  // namespace
}  // namespace gw::testbenches::toggle_scan_test
