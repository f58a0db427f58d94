// RTL and model of the quantisers and their decoder driven at their pins with anything that can be
// driven: tkeep with gaps, tuser of anything on any beat, tvalid that falls, resets in mid-packet
// and while rows are zeroed, other settings in each cycle. No rule protects them here; they must
// agree all the same.
#include "models/reference/quant/decoder.h"
#include "models/systemc/dequantizer.h"
#include "models/systemc/mx.h"
#include "models/systemc/onebit.h"
#include "models/systemc/threshold.h"
#include "testbenches/engine/rtl_engine.h"
#include "testbenches/quant/packets.h"
#include "tests/quant/support.h"

namespace gw::tests {
namespace {

using testbenches::ChunkUser;
namespace quant = reference::quant;

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
  sim::PacketConfig pins() { return {random_.below(2), random_.below(4) != 0}; }
  static Core core(uint32_t rows) { return Core(rows); }
  static void configure(Core& core, const sim::PacketConfig& pins) {
    core.configure({.fp4 = pins[0] != 0, .residual = pins[1] != 0});
  }
};

struct Threshold : Chunks<systemc::Threshold> {
  using Ports = testbenches::ThresholdPorts;
  using Core = systemc::Threshold;
  static constexpr const char* kName = "threshold";
  using Chunks::Chunks;
  sim::PacketConfig pins() { return testbenches::threshold_facts().any(random_); }
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

/// Packets of every format, good ones and broken ones; beats are left out, changed, doubled, and
/// ends are moved.
class Dequantizer {
 public:
  using Ports = testbenches::DequantizerPorts;
  using Core = systemc::Dequantizer;
  static constexpr const char* kName = "dequantizer";

  Dequantizer(sim::Random& random, uint32_t) : random_(random) {}
  sim::PacketConfig pins() {
    const uint32_t draw = random_.below(8);
    return {draw == 0 ? random_.below(100) : draw == 1 ? static_cast<uint32_t>(random_.next()) & 0xF'FFFF : 4096};
  }
  static Core core(uint32_t) { return Core({}); }
  static void configure(Core& core, const sim::PacketConfig& pins) {
    core.configure({.limit = pins[0]});
  }
  static std::array<uint32_t, Ports::kCountersInProbe> counters(const Core& core) {
    std::array<uint32_t, Ports::kCountersInProbe> all{};
    for (uint32_t i = 0; i + 1 < all.size(); ++i) all[i] = core.malformed_count(i);
    all.back() = core.error_count();
    return all;
  }
  Beat beat() {
    if (at_ >= beats_.size()) {
      beats_.clear();
      at_ = 0;
      sim::append_beats(beats_, packet(), random_.below(8) == 0);
    }
    Beat beat = beats_[at_++];
    const uint32_t draw = random_.below(300);
    if (draw == 0) beat.last ^= 1;
    if (draw == 1) beat.data[random_.below(8)] ^= 1u << random_.below(32);
    if (draw == 2) beat.keep = static_cast<uint32_t>(random_.next() | random_.next());
    if (draw == 3) ++at_;
    if (draw == 4) beat.user ^= 1;
    return beat;
  }

 private:
  std::vector<uint8_t> packet() {
    quant::Config config;
    config.method = static_cast<quant::Method>(random_.below(quant::kMethods));
    config.threshold = *quant::round_threshold(
        static_cast<double>(1 + random_.below(1u << 16)) * 0x1p-34);
    if (random_.below(2) == 0 && quant::has_coding(config.method, quant::Coding::kRice)) {
      config.coding = quant::Coding::kRice;
    }
    quantiser_.configure(config);
    std::vector<float> values(1 + random_.below(random_.below(4) == 0 ? 300 : 40));
    for (float& v : values) v = std::bit_cast<float>(gradient_of(random_, 3));
    std::vector<uint8_t> bytes;
    quantiser_.encode(values, random_.below(16), bytes);
    if (random_.below(3) == 0) {
      testbenches::spoil_packet(
          bytes, static_cast<quant::Reason>(random_.below(quant::kReasons)), random_);
    }
    return bytes;
  }

  sim::Random& random_;
  quant::Quantiser quantiser_{{}, 64};
  std::vector<Beat> beats_;
  size_t at_ = 0;
};

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
    EXPECT_GT(left, kCycles / 10u);
  }
  for (size_t i = 0; i < counted.size(); ++i) EXPECT_GT(counted[i], 50u) << "counter " << i;
}

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

TEST(DequantizerPins, AgreeOnAnything) { drive_anything<Dequantizer>(UINT32_MAX, false); }
TEST(DequantizerPins, AgreeFromRandomRegisters) { drive_anything<Dequantizer>(UINT32_MAX, true); }

}  // namespace
}  // namespace gw::tests
