// The matrix: every device, every engine, stalls x packet lengths x seeds. Beats and cycle numbers
// must agree.
#include <gtest/gtest.h>

#include <tuple>

#include "sim/harness/kernel.h"
#include "tests/devices/support.h"

namespace gw::tests {
namespace {

using Point =
    std::tuple<const char*, const char*, size_t, uint64_t>;  // device, stall, values, seed

/// 1 to 4 beats with every tail, then the largest that an Ethernet frame of 9,018 bytes carries.
std::vector<size_t> lengths() {
  std::vector<size_t> all;
  for (size_t values = 1; values <= 32; ++values) all.push_back(values);
  all.push_back((9018 - 54) / 4);
  return all;
}

class Matrix : public testing::TestWithParam<Point> {};

TEST_P(Matrix, EnginesAgreeInEveryCycleAndWithTheReference) {
  const auto& [name, stall, values, salt] = GetParam();
  const sim::StreamDevice& device = sim::stream_device(name);
  sim::Random random(seed() * 1000 + salt);
  std::vector<sim::GradientPacket> packets;
  const int count = values > 32 ? 3 : 24;
  for (int p = 0; p < count; ++p)
    packets.push_back(packet_of(values, random, p % 3 == 0 ? 90 : 20));

  sim::RunSpec spec;
  spec.seed = seed() * 1000 + salt;
  spec.stall = sim::StallSpec::parse(stall);
  // Seeds walk through bounds and modes.
  spec.codec = {.bound_exponent = static_cast<int>(1 + (salt * 5 + values) % 14),
                .mode = salt % 2 == 0 ? reference::Mode::kPaper : reference::Mode::kBounded};
  const sim::Stimulus stimulus = device.stimulus(packets, spec);
  sim::Kernel& kernel = sim::Kernel::instance();

  const sim::Outcome both = device.run(stimulus, spec, kernel);
  ASSERT_TRUE(both.passed) << explain(both.failure);
  EXPECT_EQ(both.counters.input_beats, stimulus.input.beats.size());
  EXPECT_EQ(both.counters.output_beats, stimulus.expected.beats.size());

  for (const bool rtl : {true, false}) {
    sim::RunSpec one = spec;
    one.rtl = rtl;
    one.model = !rtl;
    const sim::Outcome alone = device.run(stimulus, one, kernel);
    ASSERT_TRUE(alone.passed) << (rtl ? "rtl: " : "model: ") << explain(alone.failure);
    EXPECT_EQ(alone.accept_cycles, both.accept_cycles);
    EXPECT_EQ(alone.offer_cycles, both.offer_cycles);
    EXPECT_EQ(alone.counters.cycles, both.counters.cycles);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Devices, Matrix,
    testing::Combine(testing::Values("compressor", "decompressor"),
                     testing::Values("none", "source:40", "sink:40", "both:40"),
                     testing::ValuesIn(lengths()), testing::Values(1u, 2u, 3u)),
    [](const testing::TestParamInfo<Point>& info) {
      std::string stall = std::get<1>(info.param);
      for (char& c : stall) c = c == ':' ? '_' : c;
      return std::string(std::get<0>(info.param)) + "_" + stall + "_values" +
             std::to_string(std::get<2>(info.param)) + "_seed" +
             std::to_string(std::get<3>(info.param));
    });

}  // namespace
}  // namespace gw::tests
