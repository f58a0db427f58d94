// What `gradwire mutate` reads of Yosys and ABC, either of which may be stopped while it writes: of
// a file that is cut nothing is taken.
// SPDX-License-Identifier: Apache-2.0
#include "tools/gradwire/aiger.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <sstream>

namespace gw::tools {
namespace {

namespace fs = std::filesystem;

class AigerFiles : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("gw_aiger_" + std::to_string(::getpid()));
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  fs::path write(const char* name, const std::string& text) const {
    std::ofstream(folder_ / name, std::ios::binary) << text;
    return folder_ / name;
  }
  static std::string text_of(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
  }
  Aiger read(const std::string& netlist, const std::string& map) const {
    return {write("all.aig", netlist), write("all.map", map), "awake"};
  }

  /// Inputs: 16 bits of the number and `x`. A register a copy: of `gold` it takes x, of `gate` x
  /// unless mutant 1 is awake. They differ where the output is 1.
  ///   1..16 awake, 17 x, 18 gold.q, 19 gate.q
  ///   gates: 20 = x & !awake[0]; 21 = gold.q & !gate.q; 22 = !gold.q & gate.q; 23 = !21 & !22
  /// Differences to the gate's own number, and between its inputs, take a byte each.
  static std::string netlist() {
    const std::vector<std::array<int, 3>> gates = {
        {40, 34, 3}, {42, 39, 36}, {44, 38, 37}, {46, 45, 43}};
    std::string text = "aig 23 17 2 1 4\n34\n40\n47\n";
    for (const auto& [gate, left, right] : gates) {
      text += static_cast<char>(gate - left);
      text += static_cast<char>(left - right);
    }
    return text;
  }
  static std::string map() {
    std::string text;
    for (int i = 0; i < 16; ++i) text += fmt::format("input {} {} awake\n", i, i);
    return text + "input 16 0 x\nlatch 0 0 gold.q\nlatch 1 0 gate.q\noutput 0 0 trigger\n";
  }

  fs::path folder_;
};

TEST_F(AigerFiles, WholeOnesLoseWhatIsTheSame) {
  const Aiger all = read(netlist(), map());
  ASSERT_TRUE(all.whole());
  // With no mutant awake the registers always hold the same: one is left, and nothing differs.
  all.write(folder_ / "0.aig", 0);
  EXPECT_EQ(text_of(folder_ / "0.aig").substr(0, 16), "aig 18 17 1 1 0\n");
  EXPECT_TRUE(never(folder_ / "0.aig"));
  all.write(folder_ / "1.aig", 1);
  EXPECT_EQ(text_of(folder_ / "1.aig").substr(0, 12), "aig 22 17 2 ");
  EXPECT_FALSE(never(folder_ / "1.aig"));
}

TEST_F(AigerFiles, CutOnesAreNotTakenWhereverTheyEnd) {
  const std::string whole = netlist();
  for (size_t size = 0; size < whole.size(); ++size) {
    EXPECT_FALSE(read(whole.substr(0, size), map()).whole()) << "after " << size << " bytes";
  }
  // What a register takes is a number of this file.
  std::string beyond = whole;
  beyond.replace(whole.find("\n40\n"), 4, "\n48\n");
  EXPECT_FALSE(read(beyond, map()).whole());
  // A gate's inputs have smaller numbers than the gate.
  beyond = whole;
  beyond[whole.size() - 1] = 46;
  EXPECT_FALSE(read(beyond, map()).whole());
  // Without the pin that wakes mutants none would be awake: all would be proven.
  EXPECT_FALSE(read(whole, map().substr(0, map().find("input 15"))).whole());
  EXPECT_FALSE(Aiger(folder_ / "none.aig", folder_ / "none.map", "awake").whole());
}

TEST_F(AigerFiles, WhatAbcLeavesProvesNothingIfItIsCut) {
  const std::string zero = "aig 1 1 0 1 0\n0\n";
  EXPECT_TRUE(never(write("left", zero)));
  for (size_t size = 0; size < zero.size(); ++size) {
    EXPECT_FALSE(never(write("left", zero.substr(0, size)))) << "after " << size << " bytes";
  }
  EXPECT_FALSE(never(write("left", "aig 1 1 0 1 0\n2\n")));
  EXPECT_FALSE(never(write("left", "aig 1 1 0 2 0\n0\n0\n"))) << "there is one output";
}

}  // namespace
}  // namespace gw::tools
