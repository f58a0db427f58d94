// The quantisers at their pins (pins.h): settings of any value, legal or not, in each cycle.
// SPDX-License-Identifier: Apache-2.0
#include "tests/quant/pins.h"

#include "models/systemc/adaptive.h"
#include "models/systemc/mx.h"
#include "models/systemc/onebit.h"
#include "models/systemc/threshold.h"

namespace gw::tests::pins_test {
namespace {

using testbenches::ChunkUser;

/// A quantiser: chunks of few values, of few rows, so that they are in flight more often than not.
Beat any_chunk_beat(sim::Random& random, uint32_t rows) {
  Beat beat;
  for (uint32_t& lane : beat.data) lane = gradient_of(random, 4);
  beat.last = random.below(6) == 0;
  uint32_t n = 1 + random.below(64), row = random.below(rows + 2);
  if (random.below(20) == 0) n = random.below(3) == 0 ? random.below(2000) : 0;
  if (random.below(20) == 0) row = static_cast<uint32_t>(random.next());
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

template <class Core>
class Chunks {
 public:
  Chunks(sim::Random& random, uint32_t rows) : random_(random), rows_(rows) {}
  Beat beat() { return any_chunk_beat(random_, rows_); }
  static std::array<uint32_t, 2> counters(const Core& core) {
    return {core.raw_count(), core.error_count()};
  }

 protected:
  sim::Random& random_;
  uint32_t rows_;
};

struct Mx : Chunks<systemc::Mx> {
  using Ports = testbenches::MxPorts;
  using Core = systemc::Mx;
  static constexpr const char* kName = "mx";
  using Chunks::Chunks;
  sim::PacketConfig pins() { return testbenches::mx_facts().pins.any(random_); }
  static Core core(uint32_t rows) { return Core(rows); }
  static void configure(Core& core, const sim::PacketConfig& pins) {
    core.configure(
        {.format = static_cast<uint8_t>(pins[0]), .up = pins[1] != 0, .residual = pins[2] != 0});
  }
};

struct Threshold : Chunks<systemc::Threshold> {
  using Ports = testbenches::ThresholdPorts;
  using Core = systemc::Threshold;
  static constexpr const char* kName = "threshold";
  using Chunks::Chunks;
  sim::PacketConfig pins() { return testbenches::threshold_facts().pins.any(random_); }
  static Core core(uint32_t rows) { return Core(rows, {}); }
  static void configure(Core& core, const sim::PacketConfig& pins) {
    core.configure({.method = static_cast<uint8_t>(pins[0]),
                    .rice = pins[1] != 0,
                    .threshold = pins[2],
                    .residual = pins[3] != 0});
  }
};

struct OneBit : Chunks<systemc::OneBit> {
  using Ports = testbenches::OneBitPorts;
  using Core = systemc::OneBit;
  static constexpr const char* kName = "onebit";
  using Chunks::Chunks;
  sim::PacketConfig pins() { return {random_.below(4) != 0}; }
  static Core core(uint32_t rows) { return Core(rows, {}); }
  static void configure(Core& core, const sim::PacketConfig& pins) {
    core.configure({.residual = pins[0] != 0});
  }
};

struct Adaptive : Chunks<systemc::Adaptive> {
  using Ports = testbenches::AdaptivePorts;
  using Core = systemc::Adaptive;
  static constexpr const char* kName = "adaptive";
  static constexpr uint32_t kCyclesABeat = 64;  // a chunk's scan; most are of a beat
  using Chunks::Chunks;
  sim::PacketConfig pins() { return testbenches::adaptive_facts().pins.any(random_); }
  static Core core(uint32_t rows) { return Core(rows, {}); }
  static void configure(Core& core, const sim::PacketConfig& pins) {
    core.configure(
        {.p = static_cast<uint8_t>(pins[0]), .rice = pins[1] != 0, .residual = pins[2] != 0});
  }
};

TEST(MxPins, AgreeOnAnything) { drive_anything<Mx>(64, false); }
TEST(MxPins, AgreeOnAnythingWithFewRows) { drive_anything<Mx>(9, false); }
TEST(MxPins, AgreeOnAnythingWithoutMemory) { drive_anything<Mx>(0, false); }
/// A traced build starts from random register values: what reset does not set must not be seen.
TEST(MxPins, AgreeFromRandomRegisters) { drive_anything<Mx>(64, true); }

TEST(ThresholdPins, AgreeOnAnything) { drive_anything<Threshold>(64, false); }
TEST(ThresholdPins, AgreeOnAnythingWithFewRows) { drive_anything<Threshold>(9, false); }
TEST(ThresholdPins, AgreeFromRandomRegisters) { drive_anything<Threshold>(64, true); }

TEST(OneBitPins, AgreeOnAnything) { drive_anything<OneBit>(64, false); }
TEST(OneBitPins, AgreeOnAnythingWithFewRows) { drive_anything<OneBit>(9, false); }
TEST(OneBitPins, AgreeFromRandomRegisters) { drive_anything<OneBit>(64, true); }

TEST(AdaptivePins, AgreeOnAnything) { drive_anything<Adaptive>(64, false); }
TEST(AdaptivePins, AgreeOnAnythingWithOddRows) { drive_anything<Adaptive>(73, false); }
TEST(AdaptivePins, AgreeFromRandomRegisters) { drive_anything<Adaptive>(64, true); }

}  // namespace
}  // namespace gw::tests::pins_test
