// The switch: RTL and model in lockstep under a reference that follows the arbiter; line rate on
// four ports, drops where an output is overloaded, learning and VLANs.
#include <gtest/gtest.h>

#include <tuple>

#include "models/reference/lookup/lookup.h"
#include "sim/harness/kernel.h"
#include "sim/run/run.h"
#include "sim/run_switch.h"
#include "tests/devices/support.h"

namespace gw::tests {
namespace {

using nlohmann::json;

sim::RunSpec switch_spec(bool adam = false) {
  sim::RunSpec spec;
  spec.clock_mhz = 200;
  if (adam) {
    spec.network.algorithm = reference::optimizer::Algorithm::kAdam;
    spec.network.pes = 4;
    spec.network.fast = true;
  }
  return spec;
}

json run(const char* traffic, uint64_t frames, const sim::RunSpec& spec,
         const sim::TrafficOptions& options = {}) {
  sim::RunOptions run_options;
  run_options.device = "switch";
  run_options.synth = traffic;
  run_options.packets = frames;
  run_options.spec = spec;
  run_options.traffic = options;
  return sim::run(run_options, [](const std::string&) {});
}

uint64_t dropped(const json& report, const char* what) {
  uint64_t sum = 0;
  for (const json& port : report["ports"]) sum += port[what].get<uint64_t>();
  return sum;
}

using Point = std::tuple<const char*, const char*, bool, uint64_t>;  // stall, traffic, adam, seed

class SwitchMatrix : public testing::TestWithParam<Point> {};

TEST_P(SwitchMatrix, EnginesAgreeInEveryCycleAndWithTheReference) {
  const auto& [stall, traffic, adam, salt] = GetParam();
  sim::RunSpec spec = switch_spec(adam);
  spec.seed = seed() * 1000 + salt;
  spec.stall = sim::StallSpec::parse(stall);
  spec.network.workers = 1 + static_cast<int>(salt % 4);
  sim::TrafficOptions options;
  options.workers = spec.network.workers;
  options.iterations = 5;
  options.sequences = 6;
  options.loss = options.duplicate = options.reorder = options.malformed = options.foreign = 10;
  const json report = run(traffic, traffic == std::string("workers") ? 0 : 400, spec, options);
  EXPECT_TRUE(report["pass"]) << report["failure"].dump(2);
  EXPECT_GT(report["checks"]["reference_packets"], 20);
}

INSTANTIATE_TEST_SUITE_P(Switch, SwitchMatrix,
                         testing::Combine(testing::Values("none", "source:40", "sink:20",
                                                          "both:30"),
                                          testing::Values("anything", "workers", "gradient-192",
                                                          "ordinary-60", "incast"),
                                          testing::Bool(), testing::Values(2u)),
                         [](const testing::TestParamInfo<Point>& info) {
                           std::string name = std::string(std::get<0>(info.param)) + "_" +
                                              std::get<1>(info.param) +
                                              (std::get<2>(info.param) ? "_adam" : "_sgd") +
                                              "_seed" + std::to_string(std::get<3>(info.param));
                           for (char& c : name) c = c == ':' || c == '-' ? '_' : c;
                           return name;
                         });

TEST(SwitchFigures, LineRateOnFourPortsWithoutADrop) {
  for (const char* traffic : {"gradient-192", "ordinary-60"}) {
    for (const bool adam : {false, true}) {
      sim::RunSpec spec = switch_spec(adam);
      spec.network.workers = 1;
      // Adam begins an iteration with an empty array: once, until the queues carry it over.
      const json report = run(traffic, adam ? 20'000 : 4'000, spec);
      ASSERT_TRUE(report["pass"]) << report["failure"].dump(2);
      EXPECT_EQ(dropped(report, "rx_dropped"), 0u) << traffic;
      EXPECT_EQ(dropped(report, "tx_dropped"), 0u) << traffic;
      for (int port = 0; port < 4; ++port) {
        const double percent = report["line_rate_percent"]["port" + std::to_string(port)];
        EXPECT_GT(percent, adam ? 99.94 : 99.95) << traffic << " port " << port;
        EXPECT_LT(percent, 100.05) << traffic << " port " << port;
      }
    }
  }
}

TEST(SwitchFigures, IncastIsLimitedByTheHostsPortAndCounted) {
  sim::RunSpec spec = switch_spec();
  const json report = run("incast", 3000, spec);
  ASSERT_TRUE(report["pass"]) << report["failure"].dump(2);
  EXPECT_GT(report["line_rate_percent"]["port0"], 99.9);
  EXPECT_EQ(dropped(report, "rx_dropped"), 0u);
  EXPECT_GT(dropped(report, "tx_dropped"), 1000u);  // two of three do not fit the host's link
}

std::vector<uint8_t> frame(uint64_t to, uint64_t from, int vlan, size_t bytes = 64) {
  std::vector<uint8_t> f(bytes);
  for (size_t i = 0; i < 6; ++i) {
    f[i] = static_cast<uint8_t>(to >> (40 - 8 * i));
    f[6 + i] = static_cast<uint8_t>(from >> (40 - 8 * i));
  }
  if (vlan >= 0) {
    f[12] = 0x81;
    f[14] = static_cast<uint8_t>(vlan >> 8);
    f[15] = static_cast<uint8_t>(vlan);
  }
  return f;
}

sim::SwitchOutcome run_frames(std::vector<sim::Frame> frames, const sim::RunSpec& spec) {
  int64_t time = 0;
  for (sim::Frame& f : frames) {
    f.time_ns = time;
    time += 20'000;  // one at a time
  }
  const sim::SwitchStimulus stimulus = sim::switch_stimulus(frames, spec.clock_mhz);
  return sim::device("switch").ports()->run(stimulus, spec, sim::Kernel::instance(), true);
}

TEST(SwitchLookup, LearnsFloodsFiltersAndKeepsVlansApart) {
  constexpr uint64_t kA = 0x020000000001, kB = 0x020000000002, kAll = 0xFFFFFFFFFFFF;
  const sim::SwitchOutcome outcome = run_frames({{.bytes = frame(kB, kA, 10), .port = 0},
                                                 {.bytes = frame(kA, kB, 10), .port = 1},
                                                 {.bytes = frame(kB, kA, 10), .port = 0},
                                                 {.bytes = frame(kB, kA, 11), .port = 0},
                                                 {.bytes = frame(kAll, kA, 10), .port = 0},
                                                 {.bytes = frame(kA, kB, 10), .port = 0},
                                                 {.bytes = frame(kA, kB, -1), .port = 1}},
                                                switch_spec());
  ASSERT_TRUE(outcome.passed) << explain(outcome.failure);
  std::vector<std::pair<uint32_t, int>> got;
  for (const sim::Delivery& d : outcome.deliveries) got.emplace_back(d.frame, d.port);
  std::ranges::sort(got);
  const std::vector<std::pair<uint32_t, int>> expected = {
      {0, 1},
      {0, 2},
      {0, 3},  // unknown: flooded
      {1, 0},  // learned from frame 0
      {2, 1},  // learned from frame 1
      {3, 1},
      {3, 2},
      {3, 3},  // another VLAN knows nobody
      {4, 1},
      {4, 2},
      {4, 3},  // a broadcast
               // 5: to where it came from: filtered
      {6, 0},
      {6, 2},
      {6, 3}};  // untagged: VLAN 0
  EXPECT_EQ(got, expected);
}

TEST(SwitchDrops, ShortLongAndBrokenFramesAreDroppedAndCounted) {
  constexpr uint64_t kA = 0x020000000001, kAll = 0xFFFFFFFFFFFF;
  sim::RunSpec spec = switch_spec();
  const sim::SwitchOutcome outcome = run_frames({{.bytes = frame(kAll, kA, 10, 59), .port = 0},
                                                 {.bytes = frame(kAll, kA, 10, 60), .port = 0},
                                                 {.bytes = frame(kAll, kA, 10, 9018), .port = 1},
                                                 {.bytes = frame(kAll, kA, 10, 9019), .port = 1},
                                                 {.bytes = frame(kAll, kA, 10, 9100), .port = 2},
                                                 {.bytes = frame(kAll, kA, 10, 70), .port = 2}},
                                                spec);
  ASSERT_TRUE(outcome.passed) << explain(outcome.failure);
  EXPECT_EQ(outcome.rx_dropped, (std::array<uint64_t, 4>{1, 1, 1, 0}));
  EXPECT_EQ(outcome.deliveries.size(), 9u);  // three frames, flooded
}

TEST(LookupReference, FollowsItsTable) {
  reference::Lookup lookup;
  constexpr uint64_t kA = 0x020000000001, kB = 0x020000000002;
  EXPECT_EQ(lookup.route(frame(kB, kA, 1), 0), 0b1110u);
  EXPECT_EQ(lookup.route(frame(kA, kB, 1), 3), 0b0001u);
  EXPECT_EQ(lookup.route(frame(kB, kA, 1), 0), 0b1000u);
  EXPECT_EQ(lookup.route(frame(kB, kA, 1), 3), 0u);  // A moved to where B is
  EXPECT_EQ(lookup.flooded(), 1u);
  EXPECT_EQ(lookup.filtered(), 1u);
}

}  // namespace
}  // namespace gw::tests
