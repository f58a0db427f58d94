// A stimulus as files, folders as zip files: what comes back, and what is refused.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "sim/base/error.h"
#include "sim/capsule/capsule.h"
#include "sim/capsule/stimulus_files.h"
#include "sim/capsule/zip.h"
#include "testbenches/registry.h"

namespace gw::tests::files_test {
namespace {

namespace fs = std::filesystem;
namespace capsule = sim::capsule;
using testing::HasSubstr;

std::string text_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

class Files : public testing::Test {
 protected:
  void SetUp() override {
    const auto* info = testing::UnitTest::GetInstance()->current_test_info();
    folder_ = fs::temp_directory_path() / fmt::format("gradwire-{}-{}", getpid(), info->name());
    fs::create_directories(folder_ / "c");
  }
  void TearDown() override { fs::remove_all(folder_); }
  void write(const std::string& name, const std::string& text) const {
    fs::create_directories((folder_ / name).parent_path());
    std::ofstream(folder_ / name, std::ios::binary) << text;
  }
  static const sim::Device::Facts& facts(const std::string& device) {
    return testbenches::registry().device(device).facts();
  }
  template <class Work>
  static std::string refusal(const Work& work) {
    try {
      work();
    } catch (const sim::UserError& error) {
      return error.what();
    }
    return "nothing was refused";
  }

  fs::path folder_;
};

void expect_same(const sim::Stimulus& a, const sim::Stimulus& b) {
  ASSERT_EQ(a.packets.size(), b.packets.size());
  for (size_t i = 0; i < a.packets.size(); ++i) {
    const sim::RawPacket &x = a.packets[i], &y = b.packets[i];
    EXPECT_EQ(x.bytes, y.bytes) << i;
    EXPECT_EQ(x.port, y.port) << i;
    EXPECT_EQ(x.time_ns, y.time_ns) << i;
    EXPECT_EQ(x.gap, y.gap) << i;
    EXPECT_EQ(x.meta, y.meta) << i;
    EXPECT_EQ(x.meta_behind, y.meta_behind) << i;
    EXPECT_EQ(x.own_config, y.own_config) << i;
    if (x.own_config) EXPECT_EQ(x.config, y.config) << i;
    EXPECT_EQ(x.error, y.error) << i;
    EXPECT_EQ(x.hostile, y.hostile) << i;
    EXPECT_EQ(x.measured, y.measured) << i;
    ASSERT_EQ(x.odd.size(), y.odd.size()) << i;
    for (size_t o = 0; o < x.odd.size(); ++o) {
      EXPECT_EQ(x.odd[o].beat, y.odd[o].beat);
      EXPECT_EQ(x.odd[o].keep, y.odd[o].keep);
      EXPECT_EQ(x.odd[o].user, y.odd[o].user);
    }
  }
  EXPECT_EQ(a.stalls, b.stalls);
}

sim::Stimulus strange(size_t ports) {
  sim::Stimulus stimulus;
  for (const size_t bytes : {0u, 1u, 13u, 59u, 60u, 1500u, 9018u, 65'507u, 65'535u, 70'000u}) {
    sim::RawPacket& packet = stimulus.packets.emplace_back();
    for (size_t i = 0; i < bytes; ++i) packet.bytes.push_back(static_cast<uint8_t>(i * 37 + bytes));
    packet.port = static_cast<uint32_t>(bytes % ports);
    packet.time_ns = static_cast<int64_t>(bytes) * 1000;
    packet.gap = static_cast<uint32_t>(bytes % 7);
    packet.meta = static_cast<uint32_t>(bytes % 4);
    packet.meta_behind = static_cast<uint32_t>(bytes / 4 % 4);
    if (bytes == 1500) packet.config = {1, 0, 0xFFFF'FFFF, 7};
    packet.own_config = bytes == 1500;
    packet.error = bytes % 2 == 0;
    packet.hostile = bytes == 13;
    packet.measured = bytes != 59;
    if (bytes >= 60) packet.odd = {{0, 0xFFFF'0000'1234'5678u, true}, {1, 0, false}};
  }
  for (const uint64_t window : {0u, 1u, 7u, 1000u}) {
    sim::StallRecord::set(stimulus.stalls.sources, ports - 1, window,
                          0x8000'0000'0000'0001u + window);
    sim::StallRecord::set(stimulus.stalls.sinks, 0, window, ~uint64_t{0});
  }
  return stimulus;
}

TEST_F(Files, AStimulusComesBack) {
  for (const char* device : {"compressor", "decompressor", "parser", "nic", "switch"}) {
    SCOPED_TRACE(device);
    const sim::Stimulus stimulus = strange(facts(device).inputs.size());
    capsule::write_stimulus(stimulus, facts(device), folder_ / "c");
    expect_same(capsule::read_stimulus(facts(device), folder_ / "c"), stimulus);
  }
}

TEST_F(Files, WrongLinesAreRefusedWithTheirPlace) {
  const auto& device = facts("switch");
  const sim::Stimulus stimulus = strange(4);
  for (const auto& [file, line, sentence] : std::vector<std::array<const char*, 3>>{
           {"packets.txt", "1 port=9", "packets.txt:1: switch has no input port 9"},
           {"packets.txt", "1 colour=9", "packets.txt:1: a packet has no 'colour'"},
           {"packets.txt", "# x\n1 gap=-1", "packets.txt:2: '-1' is no number"},
           {"packets.txt", "1 odd=9:0:0 bytes=00", "packets.txt:1: the packet has no beat 9"},
           {"packets.txt", "1 odd=9", "packets.txt:1: odd=BEAT:TKEEP:TUSER"},
           {"packets.txt", "1 bytes=000", "packets.txt:1: bytes are two digits each"},
           {"packets.txt", "1", "has fewer packets than input.pcap"},
           {"stalls.txt", "sieve s_axis 0 01", "stalls.txt:1: a line begins with source or sink"},
           {"stalls.txt", "sink s_axis0 0 01", "stalls.txt:1: switch has no port 's_axis0'"},
           {"stalls.txt", "source s_axis0 0 01", "stalls.txt:1: a line has 64 cycles"}}) {
    capsule::write_stimulus(stimulus, device, folder_ / "c");
    write(std::string("c/") + file, std::string(line) + "\n");
    EXPECT_THAT(refusal([&] { capsule::read_stimulus(device, folder_ / "c"); }),
                HasSubstr(sentence));
  }
  capsule::write_stimulus(stimulus, device, folder_ / "c");
  write("c/packets.txt", text_of(folder_ / "c/packets.txt") + "11\n");
  EXPECT_THAT(refusal([&] { capsule::read_stimulus(device, folder_ / "c"); }),
              HasSubstr("input.pcap has no more packets"));
}

TEST_F(Files, AZipFileComesBack) {
  write("c/a.txt", "one");
  write("c/b/c.txt", std::string(100'000, 'x'));
  write("c/replay.sh", "#!/bin/sh\n");
  write("c/nothing", "");
  capsule::zip_folder(folder_ / "c", folder_ / "c.zip");
  capsule::unzip(folder_ / "c.zip", folder_ / "back");
  EXPECT_EQ(text_of(folder_ / "back/c/a.txt"), "one");
  EXPECT_EQ(text_of(folder_ / "back/c/b/c.txt"), std::string(100'000, 'x'));
  EXPECT_TRUE(fs::exists(folder_ / "back/c/nothing"));
  EXPECT_LT(fs::file_size(folder_ / "c.zip"), 2000u);  // it is compressed
}

TEST_F(Files, ACutOrForeignZipFileIsRefusedInOneSentence) {
  write("c/a.txt", "one and only");
  write("c/b.txt", "another one");
  capsule::zip_folder(folder_ / "c", folder_ / "c.zip");
  const std::string whole = text_of(folder_ / "c.zip");
  const auto refused = [&](const std::string& bytes) {
    write("x.zip", bytes);
    return refusal([&] { capsule::unzip(folder_ / "x.zip", folder_ / "back"); });
  };
  for (size_t size = 0; size < whole.size(); ++size) {
    const std::string sentence = refused(whole.substr(0, size));
    EXPECT_THAT(sentence, HasSubstr("x.zip' is no whole zip file: ")) << size;
    EXPECT_EQ(sentence.find('\n'), std::string::npos);
  }
  EXPECT_THAT(refused(std::string(1000, 'x')), HasSubstr("is no whole zip file"));
  std::string damaged = whole;
  damaged[damaged.find("one and only") == std::string::npos ? 40 : damaged.find("one and only")] ^=
      1;
  EXPECT_THAT(refused(damaged), HasSubstr("is no whole zip file"));
  // A name that leads out of the folder: "c/a.txt" has as many letters.
  std::string out = whole;
  for (size_t at; (at = out.find("c/a.txt")) != std::string::npos;) out.replace(at, 7, "../atxt");
  EXPECT_THAT(refused(out), HasSubstr("outside of its folder"));
  EXPECT_FALSE(fs::exists(folder_ / "atxt"));
}

TEST_F(Files, WhatIsNoCapsuleIsRefused) {
  const auto refused = [&](const std::string& name) {
    return refusal([&] { capsule::read_capsule(folder_ / name, testbenches::registry()); });
  };
  EXPECT_THAT(refused("none"), HasSubstr("there is no capsule '"));
  EXPECT_THAT(refused("c"), HasSubstr("is no capsule: it has no command.txt"));
  write("c/a.txt", "one");
  capsule::zip_folder(folder_ / "c", folder_ / "c.zip");
  EXPECT_THAT(refused("c.zip"), HasSubstr("c.zip' is no capsule: it has no command.txt"));
  write("c/command.txt", "format = ");
  EXPECT_THAT(refused("c"), HasSubstr("is no capsule: command.txt:1: "));
  write("c/command.txt", "format = 2\n");
  EXPECT_THAT(refused("c"), HasSubstr("is no capsule of this version of gradwire"));
  write("c/command.txt", "format = 1\ndevice = \"divider\"\n");
  EXPECT_THAT(refused("c"), HasSubstr("unknown device 'divider'; there are"));
  write("c/command.txt", "format = 1\ndevice = \"parser\"\n[files]\nrtl = \"../x.f\"\n");
  EXPECT_THAT(refused("c"), HasSubstr("'../x.f' is outside of it"));
  write("c/command.txt", "format = 1\ndevice = \"parser\"\n");
  EXPECT_THAT(refused("c"), HasSubstr("input.pcap"));
}

}  // namespace
}  // namespace gw::tests::files_test
