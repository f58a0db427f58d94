// How fast the quantiser's core is, in ns of processor time a cycle, which does not count what
// others do on the machine meanwhile. Prints; what it asserts is that the work was
// done: as many beats as the packets make, at a beat a cycle.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <vector>

#include "models/systemc/mx.h"
#include "tests/systemc/mx_stimulus.h"

namespace gw::systemc::mx_speed_test {
namespace {

constexpr uint32_t kValues = 360;  // of a packet: 45 beats
constexpr uint32_t kRows = 8192;

double nanoseconds_since(std::clock_t begin) {
  return 1e9 * static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
}

/// `packets` of gradients, each at the next rows, which wrap.
std::vector<Beat> gradients(uint32_t packets) {
  sim::Random random(1);
  std::vector<Beat> beats;
  uint32_t row = 0;
  for (uint32_t p = 0; p < packets; ++p) {
    Values values(kValues);
    for (uint32_t& v : values) {
      v = (static_cast<uint32_t>(random.next()) & 0x807F'FFFF) | (110 + random.below(12)) << 23;
    }
    if (row + kValues / 8 > kRows) row = 0;
    const auto packet = mx_packet(values, kValues, row);
    beats.insert(beats.end(), packet.begin(), packet.end());
    row += kValues / 8;
  }
  return beats;
}

void bench(const char* name, MxConfig config, uint64_t packet_beats) {
  constexpr uint32_t kPackets = 182;  // once through the memory
  constexpr int kRounds = 100;
  const std::vector<Beat> in = gradients(kPackets);
  double best = 1e9;
  for (int i = 0; i < 3; ++i) {
    Mx device(kRows, config);
    while (!device.s_ready()) device.clock(nullptr, true);
    uint64_t cycles = 0, left = 0, sum = 0;
    int round = 0;
    const Beat* next = in.data();
    const Beat* const end = next + in.size();
    const std::clock_t begin = std::clock();
    while (left < packet_beats * kPackets * kRounds) {
      const Beat* const s = next != end ? next : nullptr;
      const bool accepted = s != nullptr && device.s_ready();
      if (const Beat* const m = device.m_beat()) {
        ++left;
        sum += m->data[0];
      }
      device.clock(s, true);
      next += accepted;
      if (next == end && round + 1 < kRounds) {
        ++round;
        next = in.data();
      }
      ++cycles;
    }
    const double ns = nanoseconds_since(begin);
    best = std::min(best, ns / static_cast<double>(cycles));
    EXPECT_NE(sum, 0u);
    EXPECT_LE(cycles, in.size() * kRounds + 20);  // a beat a cycle
  }
  std::printf("%-24s %6.1f ns/cycle\n", name, best);
}

TEST(MxSpeed, NanosecondsACycle) {
  const uint64_t blocks = (kValues + 31) / 32;
  bench("MXFP8", {}, (17 + 33 * blocks + 31) / 32);
  bench("MXFP8, residuals", {.residual = true}, (17 + 33 * blocks + 31) / 32);
  bench("MXFP8 E5M2, up, residuals", {.format = MxConfig::kE5m2, .up = true, .residual = true},
        (17 + 33 * blocks + 31) / 32);
  bench("MXFP4", {.format = MxConfig::kE2m1}, (17 + 17 * blocks + 31) / 32);
  bench("MXFP4, residuals", {.format = MxConfig::kE2m1, .residual = true},
        (17 + 17 * blocks + 31) / 32);

  Mx idle;
  while (!idle.s_ready()) idle.clock(nullptr, true);
  constexpr int kCycles = 10'000'000;
  const std::clock_t begin = std::clock();
  for (int i = 0; i < kCycles; ++i) idle.clock(nullptr, true);
  const double ns = nanoseconds_since(begin);
  EXPECT_TRUE(idle.s_ready());
  std::printf("%-24s %6.1f ns/cycle\n", "idle", ns / kCycles);
}

}  // namespace
}  // namespace gw::systemc::mx_speed_test
