// Pins that go with a packet, and devices that look at one of them when they should not: each is
// seen in the traffic of plans/smoke.toml. The faults stand at the pins of the models, so that they
// cost no RTL; tests/traffic/live_pins.sh has some within RTL.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <functional>
#include <optional>
#include <ostream>

#include "models/systemc/adaptive.h"
#include "models/systemc/compressor.h"
#include "models/systemc/decompressor.h"
#include "models/systemc/dequantizer.h"
#include "models/systemc/mx.h"
#include "models/systemc/nic_rx.h"
#include "models/systemc/nic_tx.h"
#include "models/systemc/onebit.h"
#include "models/systemc/threshold.h"
#include "sim/harness/lockstep.h"
#include "testbenches/codec/oracle.h"
#include "testbenches/codec/ports.h"
#include "testbenches/nic/oracle.h"
#include "testbenches/nic/ports.h"
#include "testbenches/quant/dequantizer_oracle.h"
#include "testbenches/quant/oracle.h"
#include "testbenches/quant/ports.h"
#include "testbenches/registry.h"
#include "tests/support.h"

namespace gw::tests::pins_test {
namespace {

using sim::PacketConfig;

constexpr const char* kTables = GRADWIRE_SOURCE_DIR "/plans/random.toml";
constexpr uint32_t kRows = 8192;

template <class Core>
void set(Core& core, const PacketConfig& c) {
  if constexpr (requires { core.configure({.limit = c[0]}); }) {
    core.configure({.limit = c[0]});
  } else {
    core.configure({.bound = static_cast<uint8_t>(c[0]), .bounded = c[1] != 0});
  }
}
void set(systemc::Mx& core, const PacketConfig& c) {
  core.configure({.format = static_cast<uint8_t>(c[0]), .up = c[1] != 0, .residual = c[2] != 0});
}
void set(systemc::Threshold& core, const PacketConfig& c) {
  core.configure({.method = static_cast<uint8_t>(c[0]),
                  .rice = c[1] != 0,
                  .threshold = c[2],
                  .residual = c[3] != 0});
}
void set(systemc::OneBit& core, const PacketConfig& c) { core.configure({.residual = c[0] != 0}); }
void set(systemc::Adaptive& core, const PacketConfig& c) {
  core.configure({.p = static_cast<uint8_t>(c[0]), .rice = c[1] != 0, .residual = c[2] != 0});
}
void set(systemc::NicTx& core, const PacketConfig& c) {
  core.configure({.mark = static_cast<uint8_t>(c[0]),
                  .mark_mask = static_cast<uint8_t>(c[1]),
                  .packet_grid = c[2] != 0,
                  .codec = {.bound = static_cast<uint8_t>(c[3]), .bounded = c[4] != 0},
                  .protocol_tcp = static_cast<uint8_t>(c[5]),
                  .protocol_udp = static_cast<uint8_t>(c[6]),
                  .forget = c[7] != 0,
                  .forget_key = testbenches::nic_tx_forgets(c).value_or(systemc::NicFlowKey{})});
}
void set(systemc::NicRx& core, const PacketConfig& c) {
  core.configure(
      {.protocol_tcp = static_cast<uint8_t>(c[0]), .protocol_udp = static_cast<uint8_t>(c[1])});
}

enum class Fault {
  kNone,
  kLate,   ///< samples a pin a cycle late: shown one cycle before
  kKept,   ///< keeps what came with the first packet of all
  kStuck,  ///< does not know after a reset that a packet begins: takes the one before
};

/// A model of which one pin is looked at wrongly.
template <class P, class Core>
class Faulty {
 public:
  using Ports = P;

  Faulty(Core core, size_t pin, Fault fault) : core_(std::move(core)), pin_(pin), fault_(fault) {}
  void reset() { core_.reset(); }
  uint32_t s_ready() const { return core_.s_ready() ? 1 : 0; }
  const Beat* m_beat(size_t) const { return core_.m_beat(); }
  sim::Probe<P> probe() const {
    if constexpr (requires { core_.forgets(); }) {
      if (core_.forgets() != nullptr) return testbenches::nic_rx_says(*core_.forgets());
    }
    return {};
  }
  std::span<const uint32_t> statistics() const {
    if constexpr (requires { core_.malformed_count(0); }) {
      counters_.clear();
      for (uint32_t i = 0; i + 1 < P::kCountersInProbe; ++i) {
        counters_.push_back(core_.malformed_count(i));
      }
      counters_.push_back(core_.error_count());
    } else if constexpr (requires { core_.raw_count(); }) {
      counters_ = {core_.raw_count(), core_.error_count()};
    } else if constexpr (requires { core_.statistics(); }) {
      return core_.statistics();
    }
    return counters_;
  }
  void configure(size_t, const PacketConfig& config) {
    before_ = packet_;
    packet_ = shown_ = config;
    if (!first_) first_ = config;
  }
  void release(size_t, const PacketConfig& pins) { shown_ = pins; }
  void clock(const sim::Offered<P>& offered, uint32_t m_ready) {
    PacketConfig seen = shown_;
    if (fault_ == Fault::kLate) seen[pin_] = last_[pin_];
    if (fault_ == Fault::kKept && first_) seen[pin_] = (*first_)[pin_];
    if (fault_ == Fault::kStuck) seen[pin_] = before_[pin_];
    last_ = shown_;
    set(core_, seen);
    core_.clock(offered[0], m_ready != 0);
  }

 private:
  Core core_;
  const size_t pin_;
  const Fault fault_;
  PacketConfig shown_{}, last_{}, packet_{}, before_{};
  std::optional<PacketConfig> first_;
  mutable std::vector<uint32_t> counters_;
};

/// A device at its pins.
struct Subject {
  const char* name;
  std::vector<sim::Pin> pins;  ///< by words of a packet's configuration
  /// The run passes.
  std::function<bool(const sim::RunSpec& spec, size_t pin, Fault fault)> passes;
};

template <class P, class MakeCore, class MakeOracle>
Subject subject(const char* name, const MakeCore& core, const MakeOracle& make_oracle,
                uint64_t edges = 1) {
  const auto passes = [=](const sim::RunSpec& spec, size_t pin, Fault fault) {
    const sim::Device& device = testbenches::registry().device(name);
    const auto source = device.source(spec);
    sim::SourceFeed<Beat> feed(*source, 1, {}, P::kInputs[0].error_bit, device.packet_config(spec));
    const auto oracle = make_oracle();
    Faulty<P, decltype(core())> engine(core(), pin, fault);
    sim::Drive drive{.stall = spec.stall, .seed = spec.seed};
    drive.boot.edges = edges;
    sim::Lockstep run(engine, {}, feed, *oracle, drive, "faulty");
    run.reset();
    while (run.advance(4096)) {
    }
    return run.passed();
  };
  return {name, {P::kPinsOfPacket.begin(), P::kPinsOfPacket.end()}, passes};
}

template <class P, class Core>
Subject quantiser(const char* name, const testbenches::QuantiserFacts& facts) {
  return subject<P>(
      name, [] { return Core(kRows); },
      [&facts] { return std::make_unique<testbenches::QuantiserOracle>(facts, kRows); }, kRows);
}

const std::vector<Subject>& subjects() {
  using namespace testbenches;
  static const std::vector<Subject> kSubjects = {
      subject<CodecPorts>(
          "compressor", [] { return systemc::Compressor(); },
          [] { return std::make_unique<CompressorOracle>(); }),
      subject<CodecPorts>(
          "decompressor", [] { return systemc::Decompressor(); },
          [] { return std::make_unique<DecompressorOracle>(); }),
      quantiser<MxPorts, systemc::Mx>("mx", mx_facts()),
      quantiser<ThresholdPorts, systemc::Threshold>("threshold", threshold_facts()),
      quantiser<OneBitPorts, systemc::OneBit>("onebit", onebit_facts()),
      quantiser<AdaptivePorts, systemc::Adaptive>("adaptive", adaptive_facts()),
      subject<DequantizerPorts>(
          "dequantizer", [] { return systemc::Dequantizer(); },
          [] { return std::make_unique<DequantizerOracle>(); }),
      subject<NicTxPorts>(
          "nic_tx", [] { return systemc::NicTx(); },
          [] { return std::make_unique<NicTxOracle>(reference::nic::NicConfig{}); }),
      subject<NicRxPorts>(
          "nic_rx", [] { return systemc::NicRx(); },
          [] { return std::make_unique<NicRxOracle>(reference::nic::NicConfig{}); })};
  return kSubjects;
}

void PrintTo(const Subject& subject, std::ostream* out) { *out << subject.name; }

class Pins : public testing::TestWithParam<Subject> {
 protected:
  /// The cases of the groups `random` and `quant-pins` of the plan, or `irregular`.
  sim::RunSpec spec(const std::string& table) const {
    const sim::Device& device = testbenches::registry().device(GetParam().name);
    sim::RunSpec spec;
    spec.seed = seed();
    spec.options = sim::OptionSet(device.facts().options);
    spec.stimulus.packets = 300;
    if (table == "irregular") {
      spec.stimulus.synth = table;
      return spec;
    }
    spec.stimulus.random =
        sim::RandomTable::read(std::string(kTables) + "#" + table, *device.facts().random,
                               testbenches::registry().random_kinds());
    spec.stall.source = spec.stimulus.random->stalls("source");
    spec.stall.sink = spec.stimulus.random->stalls("sink");
    return spec;
  }
};
INSTANTIATE_TEST_SUITE_P(Devices, Pins, testing::ValuesIn(subjects()),
                         [](const auto& info) { return std::string(info.param.name); });

TEST_P(Pins, EachIsAPacketsOwnInHostileTraffic) {
  const Subject& device = GetParam();
  const auto& pins = device.pins;
  ASSERT_EQ(sim::whole_pins(pins).size(),
            testbenches::registry().device(device.name).facts().pins.size());
  const sim::RunSpec hostile = spec("hostile");
  EXPECT_TRUE(device.passes(hostile, 0, Fault::kNone));
  for (size_t pin = 0; pin < pins.size(); ++pin) {
    for (const Fault fault : {Fault::kLate, Fault::kKept, Fault::kStuck}) {
      EXPECT_FALSE(device.passes(hostile, pin, fault))
          << pins[pin].name << ", fault " << static_cast<int>(fault) << ", is not seen";
    }
  }
}

TEST_P(Pins, EachIsAPacketsOwnInIrregularTraffic) {
  const Subject& device = GetParam();
  const sim::Device& known = testbenches::registry().device(device.name);
  if (known.facts().frames) GTEST_SKIP() << "frames are random or captured";
  const sim::RunSpec irregular = spec("irregular");
  EXPECT_TRUE(device.passes(irregular, 0, Fault::kNone));
  for (size_t pin = 0; pin < device.pins.size(); ++pin) {
    for (const Fault fault : {Fault::kLate, Fault::kKept, Fault::kStuck}) {
      EXPECT_FALSE(device.passes(irregular, pin, fault))
          << device.pins[pin].name << ", fault " << static_cast<int>(fault);
    }
  }
}

// An option that is given holds its pin: only who samples at the wrong time is seen then.
TEST_P(Pins, AnOptionThatIsGivenHoldsItsPin) {
  const sim::Device& device = testbenches::registry().device(GetParam().name);
  sim::RunSpec held = spec("hostile");
  if (!held.options.knows("bound")) GTEST_SKIP() << "checked with the codec's options";
  held.options.set("bound", "3");
  nlohmann::json report;
  device.describe_settings(held, report);
  EXPECT_EQ(report["bound"], 3);
  EXPECT_EQ(report["mode"], "drawn per packet");
  const auto source = device.source(held);
  const size_t at = device.name() == "nic_tx" ? 3 : 0;
  if (device.name() == "nic_rx") return;  // its frames say it themselves
  std::array<bool, 2> modes{};
  while (const auto packet = source->next()) {
    ASSERT_TRUE(packet->own_config);
    ASSERT_EQ(packet->config[at], 3u);
    modes[packet->config[at + 1]] = true;
  }
  EXPECT_TRUE(modes[0] && modes[1]);
}

}  // namespace
}  // namespace gw::tests::pins_test
