// Benches of recorded runs, as text. That they replay in Icarus, and that wrong RTL is noticed
// there, is shown in tests/icarus: minutes for all devices. Here every word of three of them
// stands.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "sim/harness/kernel.h"
#include "sim/run/run.h"
#include "testbenches/registry.h"

namespace gw::sim::bench_test {
namespace {

namespace fs = std::filesystem;

std::string text_of(const fs::path& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

struct Case {
  const char *name, *device, *synth, *stall, *host;
  uint64_t packets;
};

class Bench : public ::testing::TestWithParam<Case> {};

TEST_P(Bench, IsWrittenAsItStandsHere) {
  const Case& c = GetParam();
  const Device& device = testbenches::registry().device(c.device);
  RunSpec spec;
  spec.rtl = false;
  spec.clock_mhz = device.facts().clock_mhz;
  spec.options = OptionSet(device.facts().options);
  if (*c.host != '\0') spec.options.set("host", c.host);
  spec.stall = StallSpec::parse(c.stall);
  spec.stimulus.synth = c.synth;
  spec.stimulus.packets = c.packets;
  const fs::path folder = fs::path(::testing::TempDir()) / (std::string("bench-") + c.name);
  fs::remove_all(folder);
  spec.sv_bench = folder.string();
  const auto source = device.source(spec);
  ASSERT_TRUE(device.run(*source, spec, Kernel::instance()).passed);
  const std::string top = std::string("gw_") + c.device + "_tb.sv";
  for (const auto& [made, kept] : {std::pair{top, std::string(c.name) + "_tb.sv"},
                                   {"vectors.hex", std::string(c.name) + ".hex"}}) {
    const fs::path right = fs::path(GRADWIRE_SOURCE_DIR "/tests/run/bench") / kept;
    if (std::getenv("GRADWIRE_REGENERATE") != nullptr) {
      fs::copy_file(folder / made, right, fs::copy_options::overwrite_existing);
    }
    EXPECT_EQ(text_of(folder / made), text_of(right)) << kept;
    EXPECT_FALSE(text_of(right).empty());
  }
  EXPECT_NE(text_of(folder / "files.f").find(std::string("/gw_") + c.device + ".sv"),
            std::string::npos);
  EXPECT_NE(text_of(folder / "run.sh").find(top), std::string::npos);
}

// What a host writes before cycle 0 stands between the reset and the cycles: bit 0 says that reset
// is over, bit 1 that outputs are looked at.
TEST(BenchOfAHost, BootsBehindTheResetAndBeforeTheFirstCycle) {
  const Device& device = testbenches::registry().device("optimizer");
  RunSpec spec;
  spec.rtl = false;
  spec.clock_mhz = device.facts().clock_mhz;
  spec.options = OptionSet(device.facts().options);
  spec.options.set("pes", "1");
  spec.options.set("sequences", "1");
  spec.stimulus.synth = "gradient-192";
  spec.stimulus.packets = 1;
  const fs::path folder = fs::path(::testing::TempDir()) / "bench-booted";
  fs::remove_all(folder);
  spec.sv_bench = folder.string();
  const auto source = device.source(spec);
  const Outcome outcome = device.run(*source, spec, Kernel::instance());
  ASSERT_TRUE(outcome.passed);
  std::ifstream file(folder / "vectors.hex");
  std::string line, order;
  std::map<int, size_t> lines;
  while (file >> line) {
    const int what = std::stoi(line.substr(line.size() - 1), nullptr, 16) & 3;
    ++lines[what];
    const char c = static_cast<char>('0' + what);
    if (order.empty() || order.back() != c) order += c;
  }
  EXPECT_EQ(order, "0213");
  EXPECT_GT(lines[1], 4u) << "hyperparameters, and an edge without a write";
  EXPECT_GE(lines[3], outcome.timeline.cycles);
}

INSTANTIATE_TEST_SUITE_P(
    Run, Bench,
    ::testing::Values(Case{"compressor", "compressor", "mixed", "both:30", "", 2},
                      Case{"parser", "parser", "gradient-192", "none", "", 1},
                      Case{"parser_registers", "parser", "gradient-192", "none", "axi-lite", 1}),
    [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace gw::sim::bench_test
