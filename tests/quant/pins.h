// RTL and model driven at their pins with anything that can be driven: tkeep with gaps, tuser of
// anything on any beat, tvalid that falls, resets in mid-packet and while rows are zeroed, other
// settings in each cycle. No rule protects them here; they must agree all the same.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "testbenches/kit/rtl_engine.h"
#include "tests/quant/support.h"

namespace gw::tests {

/// A beat leaves in so many cycles, at least.
template <class Device>
constexpr uint32_t least_left() {
  if constexpr (requires { Device::kCyclesABeat; }) {
    return Device::kCyclesABeat;
  } else {
    return 10;
  }
}

/// Device: Ports, Core (the model), kName; beat(), pins(), core(rows), configure(core, pins),
/// counters(core); kCyclesABeat of a device that is slower than others. `rows` is UINT32_MAX of a
/// device without rows.
template <class Device>
void drive_anything(uint32_t rows, bool traced) {
  using Rtl = testbenches::RtlEngine<typename Device::Ports>;
  const sim::Device& device = quantiser(Device::kName);
  std::vector<std::pair<std::string, std::string>> parameters;
  if (rows != UINT32_MAX) parameters = {{"Rows", std::to_string(rows)}};
  const testbenches::CompiledRtl built =
      testbenches::compile_rtl(device.facts(), parameters, spec_of(device), traced);
  std::vector<uint64_t> counted(Device::Ports::kCountersInProbe);
  const auto count = [&](const typename Device::Core& model) {
    const auto counters = Device::counters(model);
    for (size_t i = 0; i < counted.size(); ++i) counted[i] += counters[i];
  };
  for (uint64_t round = 0; round < 8; ++round) {
    const uint64_t salt = seed() * 100 + round;
    sim::Random random(salt);
    Device drive(random, rows);
    Rtl rtl(built, salt);
    typename Device::Core model = Device::core(rows);
    rtl.reset();
    model.reset();
    rtl.configure(0, {});
    Device::configure(model, {});
    Beat beat = drive.beat();
    uint64_t accepted = 0, left = 0;
    constexpr int kCycles = 20'000;
    for (int cycle = 0; cycle < kCycles; ++cycle) {
      SCOPED_TRACE(testing::Message()
                   << "rows " << rows << " round " << round << " cycle " << cycle);
      ASSERT_EQ(rtl.s_ready() != 0, model.s_ready());
      ASSERT_TRUE(std::ranges::equal(rtl.statistics(), Device::counters(model)));
      const Beat* const a = rtl.m_beat(0);
      const Beat* const b = model.m_beat();
      ASSERT_EQ(a != nullptr, b != nullptr);
      if (a != nullptr) ASSERT_EQ(sim::first_difference(*a, *b), nullptr);
      if (random.below(1499) == 0) {
        count(model);
        rtl.reset();
        model.reset();
        continue;
      }
      // Phases of full speed, of a slow source and of a slow sink.
      const uint32_t phase = static_cast<uint32_t>(cycle / 500 % 4);
      const bool valid = random.below(100) < (phase == 1 ? 30u : 95u);
      const bool ready = random.below(100) < (phase == 2 ? 20u : phase == 3 ? 60u : 98u);
      const bool taken = valid && model.s_ready();
      const sim::PacketConfig pins = drive.pins();
      rtl.configure(0, pins);
      Device::configure(model, pins);
      accepted += taken;
      left += a != nullptr && ready;
      rtl.clock({valid ? &beat : nullptr}, ready ? 1 : 0);
      model.clock(valid ? &beat : nullptr, ready);
      if (taken || random.below(20) == 0) beat = drive.beat();
    }
    count(model);
    EXPECT_EQ(rtl.stopped(), "");
    EXPECT_GT(accepted, kCycles / 20u);
    EXPECT_GT(left, kCycles / least_left<Device>());
  }
  for (size_t i = 0; i < counted.size(); ++i) EXPECT_GT(counted[i], 50u) << "counter " << i;
}

}  // namespace gw::tests
