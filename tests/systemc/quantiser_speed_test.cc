// How fast the quantisers' cores are, in M cycles a second of processor time. Prints; what it
// asserts is that the work was done: every beat taken, about a beat a cycle.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <vector>

#include "models/systemc/adaptive.h"
#include "models/systemc/dequantizer.h"
#include "models/systemc/onebit.h"
#include "models/systemc/threshold.h"
#include "tests/systemc/mx_stimulus.h"

namespace gw::systemc::quantiser_speed_test {
namespace {

constexpr uint32_t kSpeedRows = 8192;

/// Packets of 360 gradients, fields 110..121, at rows one behind the other.
std::vector<Beat> speed_gradients() {
  constexpr uint32_t kValues = 360;
  sim::Random random(1);
  std::vector<Beat> beats;
  for (uint32_t row = 0; row + kValues / 8 <= kSpeedRows; row += kValues / 8) {
    Values values(kValues);
    for (uint32_t& v : values) {
      v = (static_cast<uint32_t>(random.next()) & 0x807F'FFFF) | (110 + random.below(12)) << 23;
    }
    const auto packet = mx_packet(values, kValues, row);
    beats.insert(beats.end(), packet.begin(), packet.end());
  }
  return beats;
}

template <class Device>
void measure(const char* name, Device& device, const std::vector<Beat>& in, double cycles_a_beat) {
  constexpr int kRounds = 60;
  while (!device.s_ready()) device.clock(nullptr, true);
  uint64_t cycles = 0, left = 0;
  const std::clock_t begin = std::clock();
  for (int round = 0; round < kRounds; ++round) {
    for (const Beat* next = in.data(); next != in.data() + in.size();) {
      const bool accepted = device.s_ready();
      left += device.m_beat() != nullptr;
      device.clock(next, true);
      next += accepted;
      ++cycles;
    }
  }
  const double seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  const double beats = static_cast<double>(in.size()) * kRounds;
  EXPECT_LE(static_cast<double>(cycles), beats * cycles_a_beat + 100);
  EXPECT_GT(left, beats / 50);
  std::printf("%-24s %6.2f M cycles/s\n", name, 1e-6 * static_cast<double>(cycles) / seconds);
}

TEST(QuantiserSpeed, Threshold) {
  const auto in = speed_gradients();
  const auto run = [&](const char* name, uint8_t method, bool rice, uint32_t field, double most) {
    Threshold device(kSpeedRows, {method, rice, field << 23, true});
    measure(name, device, in, most);
  };
  run("WGT", 1, false, 120, 1.2);
  run("BGT", 2, false, 120, 1.0);
  run("QGT", 3, false, 116, 1.0);
  run("BGT, Rice", 2, true, 120, 1.0);
  run("QGT, Rice", 3, true, 116, 1.0);
}

TEST(QuantiserSpeed, OneBit) {
  const auto in = speed_gradients();
  for (const bool residual : {false, true}) {
    OneBit device(kSpeedRows, {residual});
    measure(residual ? "one-bit, residuals" : "one-bit", device, in, 1.0);
  }
}

// 45 beats in the 64 cycles of a scan.
TEST(QuantiserSpeed, Adaptive) {
  const auto in = speed_gradients();
  for (const bool rice : {false, true}) {
    Adaptive device(kSpeedRows, {6, rice, true});
    measure(rice ? "adaptive, Rice" : "adaptive", device, in, 64.0 / 45);
  }
}

/// What a quantiser makes of the gradients, read back.
template <class Device>
void measure_back(const char* name, Device&& encoder, double cycles_a_beat) {
  const auto in = speed_gradients();
  std::vector<Beat> packets;
  while (!encoder.s_ready()) encoder.clock(nullptr, true);
  for (size_t next = 0, idle = 0; idle < 200; ++idle) {
    const Beat* const s = next < in.size() ? &in[next] : nullptr;
    const bool accepted = s != nullptr && encoder.s_ready();
    if (const Beat* const m = encoder.m_beat()) packets.push_back(*m);
    encoder.clock(s, true);
    next += accepted;
    if (s != nullptr) idle = 0;
  }
  Dequantizer device;
  measure(name, device, packets, cycles_a_beat);
  for (size_t reason = 0; reason < Dequantizer::kReasons; ++reason) {
    EXPECT_EQ(device.malformed_count(reason), 0u);
  }
}

TEST(QuantiserSpeed, Dequantizer) {
  const auto threshold = [](uint8_t method, bool rice, uint32_t field) {
    return Threshold(kSpeedRows, {method, rice, field << 23, false});
  };
  measure_back("WGT, back", threshold(1, false, 120), 5);
  measure_back("QGT, back", threshold(3, false, 116), 5);
  measure_back("QGT in Rice, back", threshold(3, true, 116), 16);
  measure_back("one-bit, back", OneBit(kSpeedRows, {false}), 23);
}

}  // namespace
}  // namespace gw::systemc::quantiser_speed_test
