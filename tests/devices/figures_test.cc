// The figures the blocks must reach (spec/codec.md section 3), asserted in cycles.
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "sim/feeds/gradients.h"
#include "sim/harness/kernel.h"
#include "sim/run/run.h"
#include "tests/devices/support.h"

namespace gw::tests {
namespace {

using nlohmann::json;

json run_synth(const std::string& device, const std::string& kind, const char* stall = "none") {
  sim::RunOptions options;
  options.device = device;
  options.synth = kind;
  options.packets = 64;
  options.spec.seed = seed();
  options.spec.stall = sim::StallSpec::parse(stall);
  return sim::run(options, [](const std::string&) {});
}

class Figures : public testing::TestWithParam<const char*> {};

TEST_P(Figures, OneCyclePerBurstOnEveryCapture) {
  const std::string folder = std::string(GRADWIRE_SOURCE_DIR) + "/traces/";
  std::ifstream file(folder + "manifest.json");
  const json manifest = json::parse(file);
  int captures = 0;
  for (const json& capture : manifest["captures"]) {
    if (capture["kind"] != "captured") continue;
    sim::RunOptions options;
    options.device = GetParam();
    options.trace = folder + capture["file"].get<std::string>();
    const json report = sim::run(options, [](const std::string&) {});
    EXPECT_TRUE(report["pass"]) << options.trace;
    EXPECT_DOUBLE_EQ(report["cycles_per_burst"], 1.0) << options.trace;
    EXPECT_EQ(report["stall_cycles"]["device"], 0) << options.trace;
    EXPECT_TRUE(report["compression"]["bound_held"]) << options.trace;
    ++captures;
  }
  EXPECT_GE(captures, 4);
}

TEST_P(Figures, OneCyclePerBurstWhateverThePacketSizes) {
  for (const char* kind : {"gradients", "zeros", "single"}) {
    // `single`: packets of one group, RAW among them, may need two beats: there the port is the
    // limit.
    const json report = run_synth(GetParam(), kind);
    EXPECT_EQ(report["stall_cycles"]["device"], 0) << kind;
    if (std::string(kind) != "single") EXPECT_DOUBLE_EQ(report["cycles_per_burst"], 1.0) << kind;
  }
}

TEST_P(Figures, AllRawRunsAtThePortsLimit) {
  // 1,600 groups of 34 bytes in packets of 16: 17 beats each, with no tail to blur the figure.
  sim::Random random(seed());
  std::vector<sim::GradientPacket> packets;
  for (int p = 0; p < 100; ++p) packets.push_back(packet_of(128, random, 100));
  const sim::StreamDevice& device = sim::stream_device(GetParam());
  const sim::RunSpec spec;
  const sim::Stimulus stimulus = device.stimulus(packets, spec);
  const sim::Outcome outcome = device.run(stimulus, spec, sim::Kernel::instance());
  ASSERT_TRUE(outcome.passed) << explain(outcome.failure);
  const sim::Counters& c = outcome.counters;
  // The narrow side never pauses: 1,700 beats in 1,700 cycles.
  const bool narrow_is_output = device.burst_is_input();
  const uint64_t window =
      narrow_is_output ? c.last_output - c.first_output + 1 : c.last_input - c.first_input + 1;
  EXPECT_EQ(window, 1700u);
  EXPECT_EQ(c.device_stalls, 0u);
}

TEST_P(Figures, LatencyWithinTheContract) {
  const uint64_t contract =
      std::string(GetParam()) == "compressor" ? 5 : 4;  // spec: at most 6 and 5
  for (const char* kind : {"gradients", "mixed", "raw", "zeros", "single"}) {
    const json report = run_synth(GetParam(), kind);
    EXPECT_TRUE(report["pass"]) << kind;
    EXPECT_EQ(report["pipeline_latency_cycles"]["min"], contract) << kind;
  }
}

TEST_P(Figures, NoBubbleUnderBackpressureEither) {
  for (const char* stall : {"sink:10", "sink:50", "sink:90"}) {
    const json report = run_synth(GetParam(), "mixed", stall);
    EXPECT_TRUE(report["pass"]) << stall;
    EXPECT_EQ(report["stall_cycles"]["device"], 0) << stall;
  }
}

// The packets of docs/devices/*-timing.svg, in the cycles drawn there.
TEST_P(Figures, TheTimingDrawingsAreTrue) {
  const sim::StreamDevice& device = sim::stream_device(GetParam());
  const sim::RunSpec spec;
  const std::vector<uint32_t> raw(8, 0x40490FDB), zero(8, 0);
  sim::GradientPacket a, b;
  a.values = raw;
  a.values.insert(a.values.end(), zero.begin(), zero.end());
  const bool compressor = std::string(GetParam()) == "compressor";
  b.values = compressor ? raw : std::vector<uint32_t>(16, 0);
  const sim::Stimulus stimulus = device.stimulus({a, b}, spec);
  const sim::Outcome outcome = device.run(stimulus, spec, sim::Kernel::instance());
  ASSERT_TRUE(outcome.passed) << explain(outcome.failure);
  EXPECT_EQ(outcome.accept_cycles, (std::vector<uint64_t>{0, 1, 2}));
  EXPECT_EQ(outcome.offer_cycles, (std::vector<uint64_t>{5, 7}));
  EXPECT_EQ(outcome.counters.last_output, 8u);
}

INSTANTIATE_TEST_SUITE_P(Devices, Figures, testing::Values("compressor", "decompressor"),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
}  // namespace gw::tests
