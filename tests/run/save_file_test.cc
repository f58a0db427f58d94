// GTKWave save files: what a group shows is what is on the wire.
// SPDX-License-Identifier: Apache-2.0
#include "sim/run/save_file.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <sstream>
#include <string>
#include <tuple>
#include <vector>

#include "testbenches/registry.h"
#include "testbenches/switch/make_frames.h"

namespace gw::sim::save_file_test {
namespace {

using testbenches::registry;

/// A line's value as GTKWave makes it: bits of signals, the most significant one first, counted
/// from a signal's left end.
uint64_t value_of(const std::string& line, const std::string& signal,
                  const std::vector<bool>& bits) {  // bits[i]: bit i of the signal
  std::istringstream words(line.substr(line.find("} ") + 2));
  uint64_t value = 0;
  for (std::string word; words >> word;) {
    const size_t close = word.find(')');
    EXPECT_EQ(word.substr(close + 1), signal);
    value = value << 1 | (bits.at(bits.size() - 1 - std::stoul(word.substr(1, close))) ? 1 : 0);
  }
  return value;
}

/// Lines of a save file by the name that they give: "s_axis2_sequence[31:0]".
std::map<std::string, std::string> named(const std::string& text) {
  std::map<std::string, std::string> lines;
  std::istringstream all(text);
  for (std::string line; std::getline(all, line);) {
    if (line.starts_with("#{") || line.starts_with("+{")) {
      lines[line.substr(2, line.find('}') - 2)] = line;
    }
  }
  return lines;
}

TEST(SaveFile, TheSwitchHasAGroupForEachPortWithItsFrameDecoded) {
  const std::string text = save_file(registry().device("switch").facts(), {.model = true});
  size_t at = 0;
  for (const char* side : {"Input s_axis", "Output m_axis"}) {
    for (int p = 0; p < 4; ++p) {
      const std::string title = side + std::to_string(p);
      const size_t begin = text.find("@800200\n-" + title + "\n", at);
      ASSERT_NE(begin, std::string::npos) << title;
      at = text.find("@1000200\n-" + title + "\n", begin);
      ASSERT_NE(at, std::string::npos) << title;
      const std::string group = text.substr(begin, at - begin);
      EXPECT_NE(group.find("_packet" + std::to_string(p) + "[31:0]\n"), std::string::npos);
      EXPECT_NE(group.find("harness.model_" + title.substr(title.find(' ') + 1)),
                std::string::npos);
    }
  }
  // A frame on port 2, and on the others its complement.
  const std::vector<uint8_t> frame = testbenches::gradient_frame(
      2, 0, 0x0A5, 0xBEEF, 0x1234, 0xCAFE0001, 0x89ABCDEF, std::vector<uint32_t>(32, 0x3F800000));
  const auto on_the_wire = [&frame](size_t beat) {
    std::vector<bool> bits(1024);
    for (size_t i = 0; i < bits.size(); ++i) {
      const bool one = (frame[32 * beat + i % 256 / 8] >> (i % 8) & 1) != 0;
      bits[i] = i / 256 == 2 ? one : !one;
    }
    return bits;
  };
  const std::map<std::string, std::string> lines = named(text);
  for (const auto& [name, beat, value] : std::vector<std::tuple<std::string, size_t, uint64_t>>{
           {"destination[47:0]", 0, 0x020000000001},
           {"source[47:0]", 0, 0x020000000003},
           {"vlan[15:0]", 0, 0x0A5},
           {"ethertype[15:0]", 0, 0x88B5},
           {"type[7:0]", 0, 1},
           {"count[7:0]", 0, 32},
           {"sequence[31:0]", 0, 0xCAFE0001},
           {"worker[15:0]", 0, 0x1234},
           {"group[15:0]", 1, 0xBEEF},
           {"iteration[31:0]", 1, 0x89ABCDEF}}) {
    SCOPED_TRACE(name);
    for (const char* port : {"s_axis", "m_axis"}) {
      const auto line = lines.find(fmt::format("{}2_{}", port, name));
      ASSERT_NE(line, lines.end());
      const std::string signal = fmt::format("gw_switch.{}_tdata[1023:0]", port);
      EXPECT_EQ(value_of(line->second, signal, on_the_wire(beat)), value);
    }
  }
  // Pins of one bit, and of a beat's bytes.
  EXPECT_EQ(value_of(lines.at("s_axis2_tvalid"), "gw_switch.s_axis_tvalid[3:0]",
                     {false, false, true, false}),
            1u);
  std::vector<bool> keep(128);
  for (size_t i = 0; i < 28; ++i) keep[32 * 3 + i] = true;
  EXPECT_EQ(value_of(lines.at("m_axis3_tkeep[31:0]"), "gw_switch.m_axis_tkeep[127:0]", keep),
            0x0FFFFFFFu);
}

TEST(SaveFile, DevicesOfOnePortKeepTheirs) {
  const std::string codec = save_file(registry().device("compressor").facts(), {.model = true});
  EXPECT_NE(codec.find("-Input s_axis\n"), std::string::npos);
  EXPECT_NE(codec.find("\ngw_compressor.s_axis_tdata[255:0]\n"), std::string::npos);
  EXPECT_NE(codec.find("-Model\n"), std::string::npos);
  EXPECT_TRUE(named(codec).empty());
  const auto parser = named(save_file(registry().device("parser").facts()));
  EXPECT_TRUE(parser.contains("s_axis_sequence[31:0]"));
  EXPECT_TRUE(parser.contains("m_axis_iteration[31:0]"));
}

}  // namespace
}  // namespace gw::sim::save_file_test
