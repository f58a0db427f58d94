// Bound and mode: what is refused, in which words, and how they travel to the pins.
// SPDX-License-Identifier: Apache-2.0
#include "sim/base/error.h"
#include "tests/codec/support.h"

namespace gw::tests::options_test {
namespace {

using testbenches::codec_config;
using testbenches::packet_config;

std::string refused(const std::string& option, const std::string& value) {
  sim::OptionSet options(testbenches::codec_options());
  options.set(option, value);
  try {
    codec_config(options);
  } catch (const sim::UsageError& error) {
    return error.what();
  }
  return "";
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(CodecOptions, Defaults) {
  const reference::CodecConfig config = codec_config(sim::OptionSet(testbenches::codec_options()));
  EXPECT_EQ(config.bound_exponent, 10);
  EXPECT_EQ(config.mode, reference::Mode::kBounded);
}

TEST(CodecOptions, BoundsFromOneToFourteen) {
  for (int k = 1; k <= 14; ++k) EXPECT_EQ(refused("bound", std::to_string(k)), "") << k;
  for (const char* bad : {"0", "15", "-1", "-10", "32767", "32768", "99999999999999999999", "",
                          "ten", "10x", " 10", "10 ", "1e1", "0x4", "8.0"}) {
    EXPECT_TRUE(has(refused("bound", bad), "--bound")) << bad;
  }
  EXPECT_TRUE(has(refused("bound", "15"), "14")) << refused("bound", "15");
}

TEST(CodecOptions, TwoModes) {
  EXPECT_EQ(refused("mode", "paper"), "");
  EXPECT_EQ(refused("mode", "bounded"), "");
  EXPECT_EQ(refused("mode", "Paper"), "--mode 'Paper' is neither bounded nor paper");
  EXPECT_EQ(refused("mode", ""), "--mode '' is neither bounded nor paper");
}

TEST(CodecOptions, OthersAreRefused) {
  sim::OptionSet options(testbenches::codec_options());
  EXPECT_THROW(options.set("pes", "3"), sim::UsageError);
  for (const char* name : {"compressor", "decompressor", "codec_loop"}) {
    sim::RunSpec spec = spec_of(name, {{"bound", "15"}});
    EXPECT_THROW(device(name).check(spec), sim::UsageError) << name;
    sim::ListSource source({});
    EXPECT_THROW(device(name).run(source, spec, sim::Kernel::instance()), sim::UsageError) << name;
  }
}

TEST(CodecOptions, AsPinsOfAPacket) {
  EXPECT_EQ(packet_config({.bound_exponent = 7, .mode = reference::Mode::kBounded}),
            (sim::PacketConfig{7, 1}));
  EXPECT_EQ(packet_config({.bound_exponent = 14, .mode = reference::Mode::kPaper}),
            (sim::PacketConfig{14, 0}));
}

TEST(CodecOptions, InTheReport) {
  nlohmann::json report;
  device("compressor")
      .describe_settings(spec_of("compressor", {{"bound", "8"}, {"mode", "paper"}}), report);
  EXPECT_EQ(report, (nlohmann::json{{"bound", 8}, {"mode", "paper"}}));
}

TEST(CodecOptions, TheLoopTakesNoForeignTop) {
  sim::RunSpec spec = spec_of("codec_loop");
  spec.user_rtl = {.file_list = "my.f", .top = "mine"};
  EXPECT_THROW(device("codec_loop").check(spec), sim::UsageError);
}

}  // namespace
}  // namespace gw::tests::options_test
