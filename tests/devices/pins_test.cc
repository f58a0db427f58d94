// RTL and model driven at their pins with anything that can be driven: tkeep with gaps, tuser and
// partial tkeep before tlast, tvalid that falls, resets in mid-packet, another bound and mode in
// each cycle. No rule protects them here; they must agree all the same.
#include "testbenches/common/codec_device.h"
//
#include <Vgw_compressor.h>
#include <Vgw_compressor___024root.h>
#include <Vgw_compressor_traced.h>
#include <Vgw_decompressor.h>
#include <Vgw_decompressor___024root.h>
#include <Vgw_decompressor_traced.h>
#include <gtest/gtest.h>

#include "models/systemc/compressor.h"
#include "models/systemc/decompressor.h"
#include "tests/devices/support.h"

namespace gw::tests {
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

template <class Rtl, class Core>
void drive_anything(const char* top, uint64_t salt) {
  for (int k = 1; k <= 14; ++k) {
    sim::RunSpec spec;
    spec.codec = {.bound_exponent = k,
                  .mode = k % 2 == 0 ? reference::Mode::kBounded : reference::Mode::kPaper};
    sim::Random random(seed() * 100 + salt + static_cast<uint64_t>(k));
    Rtl rtl(top, spec);
    testbenches::CodecModel<Core> model(spec);
    rtl.reset();
    model.reset();
    Beat beat = any_beat(random, true);
    uint64_t accepted = 0, left = 0;
    constexpr int kCycles = 20'000;
    for (int cycle = 0; cycle < kCycles; ++cycle) {
      ASSERT_EQ(rtl.s_ready(), model.s_ready()) << top << " k " << k << " cycle " << cycle;
      ASSERT_EQ(rtl.sideband(), model.sideband()) << top << " k " << k << " cycle " << cycle;
      const Beat* const a = rtl.m_beat();
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
      const bool taken = valid && rtl.s_ready();
      const systemc::CodecConfig pins{static_cast<uint8_t>(1 + random.below(14)),
                                      random.below(2) != 0};
      rtl.top().bound_i = pins.bound;
      rtl.top().bounded_i = pins.bounded;
      model.core().configure(pins);
      accepted += taken;
      left += a != nullptr && ready;
      rtl.clock(valid ? &beat : nullptr, ready);
      model.clock(valid ? &beat : nullptr, ready);
      if (taken || random.below(20) == 0) beat = any_beat(random, true);
    }
    EXPECT_GT(accepted, kCycles / 10u);
    EXPECT_GT(left, kCycles / 10u);
  }
}

TEST(Pins, CompressorAgreesOnAnything) {
  drive_anything<testbenches::StreamRtl<Vgw_compressor, false, testbenches::CodecPins>,
                 systemc::Compressor>("gw_compressor", 1);
}

TEST(Pins, DecompressorAgreesOnAnything) {
  drive_anything<testbenches::StreamRtl<Vgw_decompressor, false, testbenches::CodecPins>,
                 systemc::Decompressor>("gw_decompressor", 2);
}

// The traced builds start from random register values: what reset does not set must not be seen.

TEST(Pins, TracedCompressorAgreesFromRandomRegisters) {
  drive_anything<testbenches::StreamRtl<Vgw_compressor_traced, true, testbenches::CodecPins>,
                 systemc::Compressor>("gw_compressor", 3);
}

TEST(Pins, TracedDecompressorAgreesFromRandomRegisters) {
  drive_anything<testbenches::StreamRtl<Vgw_decompressor_traced, true, testbenches::CodecPins>,
                 systemc::Decompressor>("gw_decompressor", 4);
}

}  // namespace
}  // namespace gw::tests
