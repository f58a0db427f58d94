// RTL and model of `mx` driven at their pins with anything that can be driven: tkeep with gaps,
// tuser of anything on any beat, tvalid that falls, resets in mid-packet and while rows are zeroed,
// another format in each cycle. No rule protects them here; they must agree all the same.
#include "models/systemc/mx.h"
#include "testbenches/engine/rtl_engine.h"
#include "tests/quant/support.h"

namespace gw::tests {
namespace {

using testbenches::ChunkUser;
using Rtl = testbenches::RtlEngine<testbenches::MxPorts>;

testbenches::CompiledRtl built(uint32_t rows, bool traced) {
  return testbenches::compile_rtl(mx().facts(), {{"Rows", std::to_string(rows)}}, mx_spec(),
                                  traced);
}

Beat any_beat(sim::Random& random, uint32_t rows) {
  Beat beat;
  for (uint32_t& lane : beat.data) lane = gradient_of(random, 4);
  beat.last = random.below(6) == 0;
  uint32_t n = 1 + random.below(64), row = random.below(rows + 2);
  if (random.below(20) == 0) n = random.below(3) == 0 ? random.below(2000) : 0;
  if (random.below(20) == 0) row = static_cast<uint32_t>(random.next());
  // Few rows, so that they are in flight more often than not.
  if (random.below(2) == 0) row &= 7;
  beat.set_user_word(ChunkUser::word(row, n) | uint64_t{random.below(8) == 0}
                                                   << ChunkUser::kErrorBit);
  switch (random.below(4)) {
    case 0:
    case 1:
      beat.keep = kKeepAll;
      break;
    case 2:
      beat.keep = keep_of_bytes(static_cast<int>(random.below(33)));
      break;
    default:
      beat.keep = static_cast<uint32_t>(random.next() | random.next());
  }
  return beat;
}

void drive_anything(uint32_t rows, bool traced) {
  uint64_t errors = 0, raws = 0;
  for (uint64_t round = 0; round < 8; ++round) {
    const uint64_t salt = seed() * 100 + round;
    sim::Random random(salt);
    Rtl rtl(built(rows, traced), salt);
    systemc::Mx model(rows);
    rtl.reset();
    model.reset();
    rtl.configure(0, {0, 0});
    model.configure({});
    Beat beat = any_beat(random, rows);
    uint64_t accepted = 0, left = 0;
    constexpr int kCycles = 20'000;
    for (int cycle = 0; cycle < kCycles; ++cycle) {
      SCOPED_TRACE(testing::Message()
                   << "rows " << rows << " round " << round << " cycle " << cycle);
      ASSERT_EQ(rtl.s_ready() != 0, model.s_ready());
      ASSERT_EQ(rtl.probe(), model.raw_count() | uint64_t{model.error_count()} << 32);
      const Beat* const a = rtl.m_beat(0);
      const Beat* const b = model.m_beat();
      ASSERT_EQ(a != nullptr, b != nullptr);
      if (a != nullptr) ASSERT_EQ(sim::first_difference(*a, *b), nullptr);
      if (random.below(1499) == 0) {
        errors += model.error_count();
        raws += model.raw_count();
        rtl.reset();
        model.reset();
        continue;
      }
      // Phases of full speed, of a slow source and of a slow sink.
      const uint32_t phase = static_cast<uint32_t>(cycle / 500 % 4);
      const bool valid = random.below(100) < (phase == 1 ? 30u : 95u);
      const bool ready = random.below(100) < (phase == 2 ? 20u : phase == 3 ? 60u : 98u);
      const bool taken = valid && model.s_ready();
      const systemc::MxConfig pins{random.below(2) != 0, random.below(4) != 0};
      rtl.configure(0, {pins.fp4 ? 1u : 0u, pins.residual ? 1u : 0u});
      model.configure(pins);
      accepted += taken;
      left += a != nullptr && ready;
      rtl.clock({valid ? &beat : nullptr}, ready ? 1 : 0);
      model.clock(valid ? &beat : nullptr, ready);
      if (taken || random.below(20) == 0) beat = any_beat(random, rows);
    }
    errors += model.error_count();
    raws += model.raw_count();
    EXPECT_EQ(rtl.stopped(), "");
    EXPECT_GT(accepted, kCycles / 20u);
    EXPECT_GT(left, kCycles / 10u);
  }
  EXPECT_GT(errors, 50u);
  EXPECT_GT(raws, 50u);
}

TEST(MxPins, AgreeOnAnything) { drive_anything(64, false); }
TEST(MxPins, AgreeOnAnythingWithFewRows) { drive_anything(9, false); }
TEST(MxPins, AgreeOnAnythingWithoutMemory) { drive_anything(0, false); }
/// A traced build starts from random register values: what reset does not set must not be seen.
TEST(MxPins, AgreeFromRandomRegisters) { drive_anything(64, true); }

}  // namespace
}  // namespace gw::tests
