// The decoder at its pins (pins.h).
// SPDX-License-Identifier: Apache-2.0
#include <bit>

#include "models/reference/quant/decoder.h"
#include "models/systemc/dequantizer.h"
#include "testbenches/quant/packets.h"
#include "tests/quant/pins.h"

namespace gw::tests::dequantizer_pins_test {
namespace {

namespace quant = reference::quant;

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
    return {draw == 0   ? random_.below(100)
            : draw == 1 ? static_cast<uint32_t>(random_.next()) & 0xF'FFFF
                        : 4096};
  }
  static Core core(uint32_t) { return Core(systemc::DequantizerConfig{}); }
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
    config.threshold =
        *quant::round_threshold(static_cast<double>(1 + random_.below(1u << 16)) * 0x1p-34);
    if (random_.below(2) == 0 && quant::has_coding(config.method, quant::Coding::kRice)) {
      config.coding = quant::Coding::kRice;
    }
    quantiser_.configure(config);
    std::vector<float> values(1 + random_.below(random_.below(4) == 0 ? 300 : 40));
    for (float& v : values) v = std::bit_cast<float>(gradient_of(random_, 3));
    std::vector<uint8_t> bytes;
    quantiser_.encode(values, random_.below(16), bytes);
    if (random_.below(3) == 0) {
      testbenches::spoil_packet(bytes, static_cast<quant::Reason>(random_.below(quant::kReasons)),
                                random_);
    }
    return bytes;
  }

  sim::Random& random_;
  quant::Quantiser quantiser_{{}, 64};
  std::vector<Beat> beats_;
  size_t at_ = 0;
};

TEST(DequantizerPins, AgreeOnAnything) { drive_anything<Dequantizer>(UINT32_MAX, false); }
TEST(DequantizerPins, AgreeFromRandomRegisters) { drive_anything<Dequantizer>(UINT32_MAX, true); }

}  // namespace
}  // namespace gw::tests::dequantizer_pins_test
