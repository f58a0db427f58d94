// RTL and model driven at their pins with anything that can be driven: tkeep with gaps, tuser and
// partial tkeep before tlast, tvalid that falls, resets in mid-packet, another bound and mode in
// each cycle. No rule protects them here; they must agree all the same.
// SPDX-License-Identifier: Apache-2.0
#include "models/systemc/compressor.h"
#include "models/systemc/decompressor.h"
#include "testbenches/codec/ports.h"
#include "testbenches/kit/rtl_engine.h"
#include "testbenches/library/linked.h"
#include "tests/codec/support.h"
#include "tests/sanitized.h"

namespace gw::tests::pins_test {
namespace {

Beat any_beat(sim::Random& random, bool sensible_tags) {
  Beat beat;
  for (uint32_t& lane : beat.data) lane = value_of(random, 30);
  if (sensible_tags) beat.data[0] &= static_cast<uint32_t>(random.next());
  beat.last = random.below(6) == 0;
  beat.user = random.below(8) == 0;
  switch (random.below(4)) {
    case 0:
      beat.keep = kKeepAll;
      break;
    case 1:
      beat.keep = keep_of_bytes(static_cast<int>(1 + random.below(32)));
      break;
    case 2:
      beat.keep = keep_of_bytes(static_cast<int>(4 + 4 * random.below(8)));
      break;
    default:
      beat.keep = static_cast<uint32_t>(random.next() & random.next());
  }
  return beat;
}

using Rtl = testbenches::RtlEngine<testbenches::CodecPorts>;

testbenches::CompiledRtl linked(const char* top, bool traced) {
  const GwEngine* const engine = testbenches::linked_engine(top, {}, traced);
  EXPECT_NE(engine, nullptr) << top;
  // The program holds it: nobody frees it.
  return testbenches::CompiledRtl({engine, [](const GwEngine*) {}});
}

template <class Core>
void drive_anything(const char* top, bool traced) {
  uint64_t errors = 0;
  for (int k = 0; k <= 15; ++k) {
    const bool bounded = k % 2 == 0;
    const uint64_t salt = seed() * 100 + static_cast<uint64_t>(k);
    sim::Random random(salt);
    Rtl rtl(linked(top, traced), salt);
    rtl.configure(0, {static_cast<uint32_t>(k), bounded ? 1u : 0u});
    Core model({.bound = static_cast<uint8_t>(k), .bounded = bounded});
    rtl.reset();
    model.reset();
    Beat beat = any_beat(random, true);
    uint64_t accepted = 0, left = 0;
    constexpr int kCycles = rounds(20'000);
    for (int cycle = 0; cycle < kCycles; ++cycle) {
      ASSERT_EQ(rtl.s_ready() != 0, model.s_ready()) << top << " k " << k << " cycle " << cycle;
      ASSERT_EQ(rtl.probe(), model.error_count()) << top << " k " << k << " cycle " << cycle;
      const Beat* const a = rtl.m_beat(0);
      const Beat* const b = model.m_beat();
      ASSERT_EQ(a != nullptr, b != nullptr) << top << " k " << k << " cycle " << cycle;
      if (a != nullptr) {
        ASSERT_EQ(sim::first_difference(*a, *b), nullptr)
            << top << " k " << k << " cycle " << cycle << " " << sim::first_difference(*a, *b);
      }
      if (random.below(997) == 0) {
        rtl.reset();
        model.reset();
        continue;
      }
      // Phases of full speed, of a slow source and of a slow sink.
      const uint32_t phase = static_cast<uint32_t>(cycle / 500 % 4);
      const bool valid = random.below(100) < (phase == 1 ? 30u : 95u);
      const bool ready = random.below(100) < (phase == 2 ? 20u : phase == 3 ? 60u : 98u);
      const bool taken = valid && model.s_ready();
      // A bound and a mode belong to the packet: at other times the pins may show anything.
      const systemc::CodecConfig pins{static_cast<uint8_t>(random.below(16)), random.below(2) != 0};
      rtl.configure(0, {pins.bound, pins.bounded ? 1u : 0u});
      model.configure(pins);
      accepted += taken;
      left += a != nullptr && ready;
      rtl.clock({valid ? &beat : nullptr}, ready ? 1 : 0);
      model.clock(valid ? &beat : nullptr, ready);
      if (taken || random.below(20) == 0) beat = any_beat(random, true);
    }
    errors += model.error_count();
    EXPECT_EQ(rtl.stopped(), "");
    EXPECT_GT(accepted, kCycles / 10u);
    EXPECT_GT(left, kCycles / 10u);
  }
  EXPECT_GT(errors, rounds(100u));
}

TEST(Pins, CompressorAgreesOnAnything) {
  drive_anything<systemc::Compressor>("gw_compressor", false);
}

TEST(Pins, DecompressorAgreesOnAnything) {
  drive_anything<systemc::Decompressor>("gw_decompressor", false);
}

// The traced builds start from random register values: what reset does not set must not be seen.

TEST(Pins, TracedCompressorAgreesFromRandomRegisters) {
  drive_anything<systemc::Compressor>("gw_compressor", true);
}

TEST(Pins, TracedDecompressorAgreesFromRandomRegisters) {
  drive_anything<systemc::Decompressor>("gw_decompressor", true);
}

}  // namespace
}  // namespace gw::tests::pins_test
