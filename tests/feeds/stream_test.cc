// Captures and generators as feeds: nothing of them is held that was not asked for yet, and what
// they give is what reading them whole gives.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "models/axis/beat.h"
#include "models/reference/capture/capture.h"
#include "sim/base/random.h"
#include "sim/feeds/frames.h"
#include "sim/feeds/gradients.h"
#include "tests/sanitized.h"

namespace gw::sim::stream_test {
namespace {

namespace fs = std::filesystem;

constexpr int kPorts = 4;

/// What the process has in memory.
size_t resident_bytes() {
  std::ifstream statm("/proc/self/statm");
  size_t all = 0, resident = 0;
  statm >> all >> resident;
  return resident * static_cast<size_t>(sysconf(_SC_PAGESIZE));
}

/// By how much memory grows while `next` gives packets; how many came.
template <class Next>
std::pair<size_t, size_t> growth(Next next) {
  const size_t before = resident_bytes();
  size_t most = before, count = 0;
  while (next()) {
    if (++count % 1024 == 0) most = std::max(most, resident_bytes());
  }
  return {std::max(most, resident_bytes()) - before, count};
}

class Stream : public testing::Test {
 protected:
  void SetUp() override {
    file_ = (fs::temp_directory_path() / fmt::format("gradwire-stream-{}.pcap", getpid())).string();
  }
  void TearDown() override { fs::remove(file_); }

  /// Marked datagrams of 1,400 bytes, of six stations in no order, a microsecond apart or so.
  void write(size_t packets, Random random, uint32_t disorder_ns = 0) {
    auto writer = capture::PcapWriter::open(file_);
    ASSERT_TRUE(writer);
    std::vector<uint8_t> payload(1400);
    for (size_t i = 0; i < packets; ++i) {
      payload[i % payload.size()] = static_cast<uint8_t>(random.next());
      const auto station = static_cast<uint8_t>(random.below(6));
      auto frame = capture::make_frame({.source_mac = {2, 0, 0, 0, 0, station}}, payload);
      ASSERT_TRUE(frame);
      const auto late = disorder_ns == 0 ? 0u : random.below(disorder_ns);
      ASSERT_FALSE(writer->write(static_cast<int64_t>(i) * 1000 + late, *frame));
    }
    ASSERT_FALSE(writer->close());
  }

  std::string file_;
};

void expect_the_same(const StimulusSpec& stimulus) {
  SCOPED_TRACE(stimulus.trace + " " + stimulus.filter);
  const auto streamed = open_capture_frames(stimulus, kPorts, ethernet(10));
  const FrameList whole = load_frames(stimulus, kPorts, ethernet(10));
  for (const Frame& want : whole.frames) {
    const std::optional<Frame> frame = streamed->next();
    ASSERT_TRUE(frame);
    ASSERT_EQ(frame->trace_number, want.trace_number);
    EXPECT_EQ(frame->bytes, want.bytes);
    EXPECT_EQ(frame->port, want.port);
    EXPECT_EQ(frame->time_ns, want.time_ns);
  }
  EXPECT_FALSE(streamed->next());
  EXPECT_EQ(streamed->facts().trace, whole.trace);
  EXPECT_EQ(streamed->facts().incomplete, whole.incomplete);
  EXPECT_EQ(streamed->expected(), whole.frames.size());
}

TEST_F(Stream, GivesWhatReadingWholeGives) {
  for (const char* name :
       {"mixed", "hdc-ring-early", "hdc-ring-late", "expether-workers", "expether-faults"}) {
    const std::string path = fmt::format("{}/traces/{}.pcap", GRADWIRE_SOURCE_DIR, name);
    expect_the_same({.trace = path});
    expect_the_same({.trace = path, .packets = 37});
    expect_the_same({.trace = path, .filter = "greater 200"});
    expect_the_same({.trace = path, .filter = "less 20"});
  }
  // Frames far from their place in the file, most of them delayed by the wire.
  for (const uint32_t disorder : {1u, 100'000u, 900'000'000u}) {
    write(3000, Random(disorder), disorder);
    expect_the_same({.trace = file_});
    expect_the_same({.trace = file_, .packets = 1234});
  }
}

TEST_F(Stream, ACaptureCutInItsMiddleIsReportedBehindThePacketsBefore) {
  write(1000, Random(1));
  fs::resize_file(file_, fs::file_size(file_) / 2);
  expect_the_same({.trace = file_});

  const auto frames = open_capture_frames({.trace = file_}, kPorts, ethernet(10));
  const auto gradients = open_gradients({.trace = file_}, 1);
  for (const size_t count : {growth([&] { return frames->next(); }).second,
                             growth([&] { return gradients->next(); }).second}) {
    EXPECT_EQ(count, 499u);
  }
  for (const std::string& incomplete :
       {frames->facts().incomplete, gradients->facts().incomplete}) {
    EXPECT_TRUE(incomplete.starts_with(file_ + ": packet 500 at offset ")) << incomplete;
    EXPECT_NE(incomplete.find("is cut off by the end of the file"), std::string::npos);
  }
}

TEST_F(Stream, MemoryDoesNotGrowWithTheCapture) {
  if (tests::kSanitized) {
    GTEST_SKIP() << "what is freed stays in memory under AddressSanitizer";
  }
  constexpr size_t kPackets = 50'000, kGrowth = 8'000'000;
  write(kPackets, Random(1), 100'000);
  ASSERT_GT(fs::file_size(file_), 8 * kGrowth);

  const auto frames = open_capture_frames({.trace = file_}, kPorts, ethernet(10));
  const auto [of_frames, all_frames] = growth([&] { return frames->next(); });
  EXPECT_EQ(all_frames, kPackets);
  EXPECT_LT(of_frames, kGrowth);

  const auto gradients = open_gradients({.trace = file_}, 1);
  const auto [of_gradients, all_gradients] = growth([&] { return gradients->next(); });
  EXPECT_EQ(all_gradients, kPackets);
  EXPECT_LT(of_gradients, kGrowth);
}

/// One port gets a frame in the beginning and one in the end, the others all between them.
class Lonely final : public Source {
 public:
  explicit Lonely(uint32_t packets) : packets_(packets) {}
  std::optional<RawPacket> next() override {
    if (next_ == packets_) return std::nullopt;
    RawPacket packet{.bytes = std::vector<uint8_t>(60), .time_ns = int64_t{next_} * 70};
    packet.port = next_ == 0 || next_ + 1 == packets_ ? 0 : 1 + next_ % 3;
    ++next_;
    return packet;
  }
  const SourceFacts& facts() const override { return facts_; }
  bool in_order() const override { return true; }

 private:
  uint32_t packets_, next_ = 0;
  SourceFacts facts_;
};

TEST(Feed, IsNotReadToItsEndForAPortThatGetsNothing) {
  constexpr uint32_t kPackets = 100'000;
  const Pace pace{200, ethernet(10)};
  Lonely source(kPackets);
  SourceFeed<Beat> feed(source, kPorts, pace);
  using State = SourceFeed<Beat>::State;
  EXPECT_EQ(feed.next(0, 0).state, State::kPacket);
  uint64_t cycle = 0;
  size_t most = 0, seen = 1;
  // As the loop does: ports ask when they have passed a packet on, and in each 64th cycle.
  std::array<PacketRef<Beat>, kPorts> loaded;
  std::array<bool, kPorts> over{};
  for (; std::ranges::count(over, true) < kPorts; cycle += 64) {
    for (size_t p = 0; p < kPorts; ++p) {
      while (!over[p]) {
        if (loaded[p] == nullptr) {
          auto next = feed.next(p, cycle);
          if (next.state == State::kNotYet) {
            EXPECT_GE(next.not_before, cycle + 64);
            break;
          }
          over[p] = next.state == State::kOver;
          loaded[p] = next.packet;
          if (over[p]) break;
        }
        ASSERT_GE(pace.arrival(loaded[p]->time_ns, 32) + 64, cycle) << "it came too late";
        if (pace.arrival(loaded[p]->time_ns, 32) > cycle) break;
        loaded[p] = nullptr;
        ++seen;
      }
    }
    most = std::max(most, feed.held());
  }
  EXPECT_EQ(seen, kPackets);
  EXPECT_LT(most, 200u);
}

/// One packet, whose tuser says something else behind its first beat.
class Fickle final : public Source {
 public:
  std::optional<RawPacket> next() override {
    if (over_) return std::nullopt;
    over_ = true;
    return RawPacket{.bytes = std::vector<uint8_t>(70), .meta = 1, .meta_behind = 3};
  }
  const SourceFacts& facts() const override { return facts_; }

 private:
  bool over_ = false;
  SourceFacts facts_;
};

TEST(Feed, WhatCountsOnTheFirstBeatMayBeWrongBehindIt) {
  Fickle source;
  SourceFeed<Beat> feed(source, 1);
  const auto next = feed.next(0, 0);
  ASSERT_NE(next.packet, nullptr);
  std::vector<uint64_t> words;
  for (const Beat& beat : next.packet->beats) words.push_back(beat.user_word());
  EXPECT_EQ(words, (std::vector<uint64_t>{1, 2, 2}));
}

}  // namespace
}  // namespace gw::sim::stream_test
