// What random frames hardly ever do: iterations half way round from one another, headers whose
// checksum's first fold carries again.
// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <nlohmann/json.hpp>

#include "tests/switch/support.h"

namespace gw::testbenches::testing::rare_test {
namespace {

namespace expether = reference::expether;

constexpr uint32_t kHalf = 0x8000'0000;
// Behind the parser's 12 words of the statistics.
constexpr size_t kFirst = 12, kDuplicate = 14, kStale = 15, kAggregator = 10;

std::vector<uint8_t> frame_of(uint32_t iteration, bool complete, uint32_t ack = 0) {
  expether::Header header;
  header.destination = kHostA;
  header.source = kHostB;
  header.group = 1;
  header.ack = ack;
  header.iteration = iteration;
  header.flags = complete ? expether::kFlagComplete : 0;
  return expether::build_gradient(header, std::vector<uint32_t>(8, 0x3F80'0000));
}

// An iteration is newer if it is ahead by 1 to 2^31 - 1: not by 2^31, from where none is.
TEST(Iterations, HalfWayRoundAreNotNewer) {
  constexpr uint32_t kBegin = 7, kFarthest = kBegin + (kHalf - 1);
  const std::vector<uint32_t> iterations = {
      kBegin, kBegin + kHalf, kFarthest, kFarthest + kHalf, kFarthest + kHalf + 1, kFarthest};
  for (const char* name : {"aggregator", "optimizer", "switch"}) {
    SCOPED_TRACE(name);
    const bool sums = std::string(name) != "optimizer", steps = std::string(name) != "aggregator";
    std::vector<std::vector<uint8_t>> frames;
    for (const uint32_t iteration : iterations) frames.push_back(frame_of(iteration, !sums));
    sim::RunSpec spec = spec_of(name);
    if (spec.options.knows("workers")) spec.options.set("workers", "1");
    const std::vector<uint32_t> counted = run(name, frames, spec).statistics;
    if (sums) {
      EXPECT_EQ(counted.at(kFirst), 2u);
      EXPECT_EQ(counted.at(kStale), 3u);
      EXPECT_EQ(counted.at(kDuplicate), 1u);
    }
    if (steps) {
      const size_t at = 12 + (sums ? kAggregator : 0);
      EXPECT_EQ(counted.at(at), sums ? 2u : 6u) << "optimised";
      EXPECT_EQ(counted.at(at + 2), 2u) << "iterations";
    }
  }
}

// Frames of a beat or less, as no MAC brings them: as many verdicts as beats wait behind a sink
// that takes nothing.
TEST(Depths, AVerdictForEveryBeat) {
  std::vector<std::vector<uint8_t>> frames;
  for (size_t i = 0; i < 200; ++i) frames.push_back(std::vector<uint8_t>(1 + i % 32, 0xFF));
  frames.push_back(frame_of(1, false));
  const auto closed = std::make_shared<sim::StallRecord>();
  for (uint64_t window = 0; window < 32; ++window) {
    sim::StallRecord::set(closed->sinks, 0, window, ~uint64_t{0});
  }
  for (const char* name : {"parser", "aggregator", "optimizer"}) {
    SCOPED_TRACE(name);
    sim::RunSpec spec = spec_of(name);
    spec.stall.recorded = closed;
    run(name, frames, spec);
  }
}

uint32_t header_sum(const std::vector<uint8_t>& frame) {
  uint32_t sum = 0;
  for (size_t at = expether::kControlOffset;
       at < expether::kControlOffset + expether::kControlBytes; at += 2) {
    sum += static_cast<uint32_t>(frame[at]) << 8 | frame[at + 1];
  }
  return sum;
}

bool carries_again(uint32_t sum) { return (sum & 0xFFFF) + (sum >> 16) > 0xFFFF; }

// As it comes, with the flag that the aggregator sets, and with the type that the optimizer gives.
TEST(Checksums, WhoseFirstFoldCarriesAgain) {
  constexpr size_t kChecksum = 46;
  constexpr uint32_t kFlag = expether::kFlagComplete << 8, kType = 1;
  std::vector<std::vector<uint8_t>> partial, complete;
  std::array<int, 3> found{};
  for (uint32_t iteration = 0; iteration < 0x10000; ++iteration) {
    std::vector<uint8_t> frame = frame_of(iteration, false, 0xFFFF'FFFF);
    const uint32_t own = frame[kChecksum] * 256u + frame[kChecksum + 1];
    const uint32_t sum = header_sum(frame) - own;
    const std::array<bool, 3> rare = {carries_again(sum), carries_again(sum + kFlag),
                                      carries_again(sum + kFlag + kType)};
    if (!rare[0] && !rare[1] && !rare[2]) continue;
    for (size_t i = 0; i < rare.size(); ++i) found[i] += rare[i];
    ASSERT_EQ(header_sum(frame) % 0xFFFF, 0u) << iteration;
    partial.push_back(std::move(frame));
    complete.push_back(frame_of(iteration, true, 0xFFFF'FFFF));
  }
  for (const int n : found) EXPECT_GT(n, 0);
  for (const char* name : {"parser", "aggregator", "optimizer"}) {
    SCOPED_TRACE(name);
    for (const auto& frames : {partial, complete}) {
      sim::RunSpec spec = spec_of(name);
      if (std::string(name) == "aggregator") spec.options.set("workers", "1");
      const sim::Outcome outcome = run(name, frames, spec);
      EXPECT_EQ(outcome.sections["frames"]["gradient"], frames.size());
    }
  }
}

}  // namespace
}  // namespace gw::testbenches::testing::rare_test
