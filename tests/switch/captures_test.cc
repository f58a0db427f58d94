// Frames of captures: padded, skipped, filtered and counted, never faster than the wire, whatever
// the clock of who captured them did.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "models/reference/capture/capture.h"
#include "sim/base/error.h"
#include "sim/feeds/frames.h"

namespace gw::sim::captures_test {
namespace {

namespace fs = std::filesystem;

constexpr int kPorts = 4;
constexpr int64_t kSecond = 1'000'000'000, kHour = 3600 * kSecond, kDay = 24 * kHour;

class Load : public ::testing::Test {
 protected:
  void SetUp() override {
    file_ = (fs::temp_directory_path() / fmt::format("gradwire-load-{}.pcap", getpid())).string();
  }
  void TearDown() override { fs::remove(file_); }

  struct Record {
    int64_t time_ns;
    size_t bytes;
    uint8_t station;
    size_t original = 0;
  };
  void write(const std::vector<Record>& records) {
    auto writer = capture::PcapWriter::open(file_);
    ASSERT_TRUE(writer);
    for (const Record& r : records) {
      std::vector<uint8_t> frame(r.bytes, 0x55);
      if (frame.size() > 11) frame[11] = r.station;
      ASSERT_FALSE(writer->write(r.time_ns, frame, r.original));
    }
    ASSERT_FALSE(writer->close());
  }
  FrameList load(const std::vector<Record>& records) {
    write(records);
    return load_frames({.trace = file_}, kPorts, ethernet(10));
  }
  /// Ports and times since `begin`, in the order of the list.
  using Times = std::vector<std::pair<int, int64_t>>;
  static Times times(const FrameList& list, int64_t begin) {
    Times times;
    for (const Frame& frame : list.frames) times.emplace_back(frame.port, frame.time_ns - begin);
    return times;
  }

  std::string file_;
};

TEST_F(Load, PadsAndSkipsAndCounts) {
  const FrameList list = load({{0, 42, 1},
                               {1000, 14, 1},
                               {2000, 13, 1},
                               {3000, 60, 1},
                               {4000, 9018, 1},
                               {50'000, 9019, 1},
                               {60'000, 96, 1, 1514}});
  ASSERT_EQ(list.frames.size(), 4u);
  EXPECT_EQ(list.frames[0].bytes.size(), 60u);
  EXPECT_EQ(list.frames[0].bytes[41], 0x55);
  EXPECT_EQ(list.frames[0].bytes[42], 0);
  EXPECT_EQ(list.frames[3].bytes.size(), 9018u);
  EXPECT_EQ(list.frames[3].trace_number, 5u);
  EXPECT_EQ(list.trace["packets"], 7);
  EXPECT_EQ(list.trace["selected"], 4);
  EXPECT_EQ(list.trace["padded"], 2);
  EXPECT_EQ(list.trace["skipped"],
            (nlohmann::json{{"overlong", 1}, {"runt", 1}, {"truncated", 1}}));
}

TEST_F(Load, GivesPortsToStationsInTheirOrder) {
  const FrameList list = load({{0, 60, 9},
                               {1000, 60, 4},
                               {2000, 60, 9},
                               {3000, 60, 7},
                               {4000, 60, 1},
                               {5000, 60, 2},
                               {6000, 60, 4}});
  std::vector<int> ports;
  for (const Frame& frame : list.frames) ports.push_back(frame.port);
  EXPECT_EQ(ports, (std::vector<int>{0, 1, 0, 2, 3, 0, 1}));
  EXPECT_EQ(list.trace["stations"], 5);
}

TEST_F(Load, NeverBeatsTheWireAndKeepsEveryTimeThatItCan) {
  // Three at once on one port, one on another, one long after. 84 bytes take 67.2 ns.
  const int64_t t = 1'700'000'000'123'456'789;
  const FrameList list =
      load({{t, 60, 1}, {t, 60, 1}, {t, 192, 1}, {t, 60, 2}, {t + 100'000, 60, 1}});
  EXPECT_EQ(times(list, t), (Times{{0, 0}, {1, 0}, {0, 67}, {0, 134}, {0, 100'000}}));
  EXPECT_FALSE(list.trace.contains("clock_leaps"));
}

TEST_F(Load, ACutFileSaysSo) {
  write({{0, 60, 1}, {1000, 60, 1}});
  fs::resize_file(file_, fs::file_size(file_) - 5);
  const FrameList list = load_frames({.trace = file_}, kPorts, ethernet(10));
  EXPECT_EQ(list.frames.size(), 1u);
  EXPECT_NE(list.incomplete.find("packet 2"), std::string::npos) << list.incomplete;
}

TEST_F(Load, ACommittedTraceKeepsToTheWire) {
  const std::string path = std::string(GRADWIRE_SOURCE_DIR) + "/traces/mixed.pcap";
  const FrameList list = load_frames({.trace = path}, kPorts, ethernet(10));
  EXPECT_EQ(list.trace["selected"], list.trace["packets"]);
  EXPECT_EQ(list.trace["padded"], 6);  // ARP
  std::vector<double> free(kPorts, -1e300);
  for (const Frame& frame : list.frames) {
    double& port = free[static_cast<size_t>(frame.port)];
    const auto begin = static_cast<double>(frame.time_ns - list.frames[0].time_ns);
    EXPECT_GT(begin + 1, port);  // times are rounded down
    port =
        std::max(port, begin) + 0.8 * static_cast<double>(ethernet(10).bytes(frame.bytes.size()));
  }
}

// ---- clocks

TEST_F(Load, ALittleDisorderIsPutInOrder) {
  const FrameList list = load({{5000, 60, 1}, {4000, 60, 2}, {7000, 60, 2}, {6000, 60, 1}});
  EXPECT_EQ(times(list, 4000), (Times{{1, 0}, {0, 1000}, {0, 2000}, {1, 3000}}));
}

TEST_F(Load, OnAPortNothingComesBeforeTheFrameAheadOfIt) {
  const FrameList list = load({{5000, 60, 1}, {4000, 60, 1}, {4100, 60, 1}});
  EXPECT_EQ(times(list, 5000), (Times{{0, 0}, {0, 67}, {0, 134}}));
}

TEST_F(Load, AClockThatWasSetBackIsNotFollowed) {
  const int64_t t = 1'700'000'000 * kSecond;
  const FrameList list = load({{t, 60, 1},
                               {t + 1000, 60, 2},
                               {t - kHour, 60, 3},
                               {t - kHour + 500, 60, 1},
                               {t - kHour + 2000, 60, 2}});
  EXPECT_EQ(times(list, t), (Times{{0, 0}, {1, 1000}, {2, 1000}, {0, 1500}, {1, 3000}}));
  EXPECT_EQ(list.trace["clock_leaps"], 1);
}

TEST_F(Load, SilenceIsKeptALeapOfYearsIsNot) {
  const int64_t year = 365 * kDay;
  const FrameList list = load({{0, 60, 1},
                               {20 * kHour, 60, 1},
                               {30 * year, 60, 1},
                               {30 * year + 1000, 60, 1},
                               {60 * year, 60, 2}});
  EXPECT_EQ(times(list, 0), (Times{{0, 0},
                                   {0, 20 * kHour},
                                   {0, 20 * kHour + 67},
                                   {0, 20 * kHour + 1000},
                                   {1, 20 * kHour + 1000}}));
  EXPECT_EQ(list.trace["clock_leaps"], 2);
}

TEST_F(Load, ACaptureLastsThirtyDaysAtMost) {
  std::vector<Record> records;
  for (int64_t half_day = 0; half_day < 100; ++half_day) {
    records.push_back({half_day * kDay / 2, 60, 1});
  }
  const FrameList list = load(records);
  EXPECT_EQ(list.frames.size(), 100u);
  EXPECT_LE(list.frames.back().time_ns, 30 * kDay + 100 * 68);
  EXPECT_EQ(list.trace["clock_leaps"], 39);
}

/// pcapng can hold times that no clock has.
TEST_F(Load, TimesBeyondAllClocksDoNotOverflow) {
  const auto u32 = [](std::string& out, uint32_t v) {
    for (int i = 0; i < 4; ++i) out.push_back(static_cast<char>(v >> 8 * i));
  };
  std::string bytes;
  const auto block = [&](uint32_t type, const std::string& body) {
    const auto size = static_cast<uint32_t>(12 + body.size());
    u32(bytes, type);
    u32(bytes, size);
    bytes += body;
    u32(bytes, size);
  };
  std::string section, interface;
  for (const uint32_t word : {0x1A2B'3C4Du, 1u, 0xFFFF'FFFFu, 0xFFFF'FFFFu}) u32(section, word);
  for (const uint32_t word : {1u, 65535u}) u32(interface, word);
  block(0x0A0D'0D0A, section);
  block(1, interface);
  for (const uint64_t stamp : {UINT64_MAX, uint64_t{0}, UINT64_MAX / 2, uint64_t{1} << 63}) {
    std::string body;
    for (const uint32_t word :
         {0u, static_cast<uint32_t>(stamp >> 32), static_cast<uint32_t>(stamp), 60u, 60u}) {
      u32(body, word);
    }
    body += std::string(60, 'x');
    block(6, body);
  }
  std::FILE* const file = std::fopen(file_.c_str(), "wb");
  ASSERT_NE(file, nullptr);
  std::fwrite(bytes.data(), 1, bytes.size(), file);
  std::fclose(file);
  const FrameList list = load_frames({.trace = file_}, kPorts, ethernet(10));
  ASSERT_EQ(list.frames.size(), 4u);
  EXPECT_LE(list.frames.back().time_ns - list.frames.front().time_ns, 30 * kDay);
  EXPECT_GE(list.frames.back().time_ns, list.frames.front().time_ns);
}

// ---- filters

TEST_F(Load, TakesWhatTheFilterLetsThroughAndCountsTheRest) {
  write({{0, 60, 1}, {1000, 192, 2}, {2000, 60, 3}, {3000, 200, 4}, {4000, 300, 1}});
  const FrameList list =
      load_frames({.trace = file_, .filter = "greater 100"}, kPorts, ethernet(10));
  ASSERT_EQ(list.frames.size(), 3u);
  EXPECT_EQ(list.frames[0].trace_number, 2u);
  EXPECT_EQ(list.frames[0].port, 0);  // ports are those of the stations that are left
  EXPECT_EQ(list.trace["skipped"], (nlohmann::json{{"filter", 2}}));
  EXPECT_EQ(
      load_frames({.trace = file_, .filter = "greater 100", .packets = 2}, kPorts, ethernet(10))
          .frames.back()
          .trace_number,
      4u);
}

TEST_F(Load, AWrongFilterIsRefusedWithLibpcapsWords) {
  write({{0, 60, 1}});
  try {
    load_frames({.trace = file_, .filter = "tcp prot"}, kPorts, ethernet(10));
    FAIL();
  } catch (const UsageError& error) {
    const std::string text = error.what();
    EXPECT_TRUE(text.starts_with("--filter 'tcp prot' is no capture filter: ")) << text;
    EXPECT_NE(text.find("syntax error"), std::string::npos) << text;
  }
}

TEST_F(Load, NothingLeftIsAnInputError) {
  write({{0, 60, 1}});
  const auto refused = [](FrameList list) {
    try {
      FrameSource(std::move(list), true);
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string("taken");
  };
  EXPECT_EQ(refused(load_frames({.trace = file_, .filter = "tcp"}, kPorts, ethernet(10))),
            "'" + file_ + "' holds no Ethernet frame that the filter lets through");
  write({{0, 13, 1}});
  EXPECT_EQ(
      refused(load_frames({.trace = file_}, kPorts, ethernet(10))),
      "'" + file_ + "' holds no Ethernet frame that can be fed: 1 shorter than Ethernet's header");
  EXPECT_THROW(load_frames({.trace = "/nonexistent.pcap"}, kPorts, ethernet(10)), InputError);
}

// ---- packets of a run

TEST_F(Load, TheFirstFrameComesAtOnceWhateverTheClockSaid) {
  const int64_t t = 1'700'000'000'123'456'789;
  for (const bool by_port : {true, false}) {
    FrameSource source(load({{t, 60, 1}, {t + 500, 61, 2}}), by_port);
    EXPECT_EQ(source.facts().begin_ns, t);
    EXPECT_EQ(source.expected(), 2u);
    const auto first = source.next(), second = source.next();
    ASSERT_TRUE(first && second && !source.next());
    EXPECT_EQ(first->time_ns, 0);
    EXPECT_EQ(second->time_ns, 500);
    EXPECT_EQ(second->trace_number, 2u);
    EXPECT_EQ(second->bytes.size(), 61u);
    EXPECT_EQ(second->port, by_port ? 1u : 0u);
    EXPECT_EQ(second->meta, by_port ? 0u : 1u);  // tuser
  }
}

}  // namespace
}  // namespace gw::sim::captures_test
