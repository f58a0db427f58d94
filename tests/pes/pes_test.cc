// rtl/switch's processing elements against the bit-exact reference: every bit, every cycle.
#include <gtest/gtest.h>

#include <array>
#include <deque>
#include <random>
#include <string>
#include <vector>

#include "models/reference/optimizer/bit_exact.h"
#include "testbenches/pes/pe_rtl.h"

namespace gw::testbenches::pes_test {
namespace {

namespace optimizer = reference::optimizer;
using reference::fp::Subnormal;

constexpr int kCyclesPerSetting = 2500;
constexpr int kPaperLatency[] = {21, 99, 137, 164};  // Table 2

class Random {
 public:
  explicit Random(uint32_t seed) : engine_(seed) {}

  uint32_t below(uint32_t end) { return static_cast<uint32_t>(engine_() % end); }

  /// An operand such as occurs.
  uint32_t tame() {
    return below(2) << 31 | (107 + below(25)) << 23 |
           (static_cast<uint32_t>(engine_()) & 0x7F'FFFF);
  }

  /// One such as breaks something, as often as not.
  uint32_t wild() {
    const uint32_t sign = below(2) << 31;
    const uint32_t fraction = static_cast<uint32_t>(engine_()) & 0x7F'FFFF;
    switch (below(10)) {
      case 0:
        return kSpecial[below(std::size(kSpecial))] | sign;
      case 1:
        return sign | fraction;  // subnormal
      case 2:
        return static_cast<uint32_t>(engine_());
      case 3:
        return sign | (1 + below(30)) << 23 | fraction;  // products of these are subnormal, or zero
      case 4:
        return sign | (225 + below(30)) << 23 | fraction;  // and of these infinite
      default:
        return tame();
    }
  }

 private:
  static constexpr uint32_t kSpecial[] = {0,           1,           0x007F'FFFF, 0x0080'0000,
                                          0x0080'0001, 0x3F80'0000, 0x3F7F'FFFF, 0x7F7F'FFFF,
                                          0x7F80'0000, 0x7FC0'0000, 0x7F80'0001, 0x7FFF'FFFF};
  std::mt19937 engine_;
};

struct Expected {
  int64_t cycle = 0;
  std::vector<uint32_t> theta, state;
};

class Pes : public testing::TestWithParam<PeBuild> {};

std::string describe(size_t array) {
  return std::string(array & 4 ? "iterative" : "pipelined") + (array & 2 ? ", fast" : ", paper") +
         (array & 1 ? ", subnormals" : "");
}

TEST_P(Pes, EqualTheReferenceInEveryBitAndCycle) {
  const PeBuild& build = GetParam();
  const size_t lanes = build.lanes;
  const auto& graph = optimizer::graph_of(static_cast<optimizer::Algorithm>(build.algorithm));
  const std::unique_ptr<PeRtl> rtl = build.make();
  Random random(20'211'021);

  struct Setting {
    optimizer::HyperParameters hyper;
    int iterations;
    uint32_t gaps;  // of 8 cycles, so many without valid
  };
  const Setting settings[] = {{{}, 1, 0},
                              {{}, 7, 4},
                              {{0.5f, 1e-3f, 0.5f, 0.75f}, 40, 1},
                              {{1e-30f, 1e-39f, 0.999f, 0.9999f}, 2, 7}};

  std::array<std::deque<Expected>, kPeArrays> expected;
  std::array<int64_t, kPeArrays> free{};
  std::array<int64_t, kPeArrays> compared{};
  int64_t cycle = 0;
  for (const Setting& setting : settings) {
    optimizer::Registers registers(setting.hyper, Subnormal::kIeee);
    for (int i = 0; i < setting.iterations; ++i) registers.advance();
    for (int r = 0; r < 9; ++r) {
      rtl->registers()[static_cast<size_t>(r)] =
          registers[static_cast<optimizer::Source>(optimizer::kLr + r)];
    }
    // Reset takes what is in flight away, and nothing else.
    rtl->set_reset(true);
    rtl->set_valid(0);
    rtl->clock();
    for (auto& queue : expected) queue.clear();
    free.fill(0);
    rtl->set_reset(false);
    cycle = 0;

    const int64_t drained = kCyclesPerSetting + 256;
    const bool leave_early = &setting != &settings[std::size(settings) - 1];
    const int64_t end = leave_early && setting.gaps == 4 ? kCyclesPerSetting : drained;
    for (; cycle < end; ++cycle) {
      for (size_t a = 0; a < kPeArrays; ++a) {
        auto& queue = expected[a];
        const bool due = !queue.empty() && queue.front().cycle == cycle;
        ASSERT_EQ(rtl->valid() >> a & 1, due ? 1 : 0) << describe(a) << ", cycle " << cycle;
        if (!due) continue;
        const auto theta = rtl->new_theta(a);
        const auto state = rtl->new_state(a);
        for (size_t i = 0; i < lanes; ++i) {
          ASSERT_EQ(theta[i], queue.front().theta[i])
              << describe(a) << ", theta of lane " << i << ", cycle " << cycle << std::hex;
          for (size_t k = 0; k < 3; ++k) {
            ASSERT_EQ(state[k * lanes + i], queue.front().state[k * lanes + i])
                << describe(a) << ", state " << k << " of lane " << i << ", cycle " << cycle;
          }
        }
        ++compared[a];
        queue.pop_front();
      }

      std::vector<optimizer::Cell> cells(lanes);
      for (size_t i = 0; i < lanes; ++i) {
        // Half of the cells hold what they may: second moments are not negative.
        const bool tame = random.below(2) == 0;
        rtl->theta()[i] = cells[i].theta = tame ? random.tame() : random.wild();
        rtl->gradient()[i] = tame ? random.tame() : random.wild();
        for (size_t k = 0; k < 3; ++k) {
          uint32_t state = tame ? random.tame() : random.wild();
          if (tame && (k > 0 || build.algorithm == 1)) state &= 0x7FFF'FFFF;
          rtl->state()[k * lanes + i] = cells[i].state[k] = state;
        }
      }
      uint8_t valid = 0;
      if (cycle < kCyclesPerSetting) {
        for (size_t a = 0; a < kPeArrays; ++a) {
          if (cycle < free[a] || random.below(8) < setting.gaps) continue;
          valid |= static_cast<uint8_t>(1u << a);
          free[a] = cycle + rtl->interval(a);
          Expected next{cycle + rtl->latency(a), std::vector<uint32_t>(lanes),
                        std::vector<uint32_t>(3 * lanes)};
          for (size_t i = 0; i < lanes; ++i) {
            const auto cell = optimizer::step(graph, registers, cells[i], rtl->gradient()[i],
                                              a & 1 ? Subnormal::kIeee : Subnormal::kFlush);
            next.theta[i] = cell.theta;
            for (size_t k = 0; k < graph.states(); ++k) next.state[k * lanes + i] = cell.state[k];
          }
          expected[a].push_back(std::move(next));
        }
      }
      rtl->set_valid(valid);
      rtl->clock();
    }
  }
  for (size_t a = 0; a < kPeArrays; ++a) {
    EXPECT_TRUE(expected[a].empty()) << describe(a);
    EXPECT_GT(compared[a], a & 4 ? 20 : 2000) << describe(a);
  }
}

TEST_P(Pes, TakeTheCyclesOfThePaper) {
  const PeBuild& build = GetParam();
  const std::unique_ptr<PeRtl> rtl = build.make();
  rtl->set_reset(true);
  rtl->clock();
  rtl->set_reset(false);
  rtl->set_valid(0xFF);
  rtl->clock();
  rtl->set_valid(0);
  std::array<int, kPeArrays> seen{};
  for (int cycle = 1; cycle < 300; ++cycle) {
    for (size_t a = 0; a < kPeArrays; ++a) {
      if (rtl->valid() >> a & 1) seen[a] = cycle;
    }
    rtl->clock();
  }
  const int paper = kPaperLatency[build.algorithm];
  for (size_t a = 0; a < kPeArrays; ++a) {
    EXPECT_EQ(seen[a], rtl->latency(a)) << describe(a);
    const bool iterative = a & 4;
    const bool fast = a & 2;
    EXPECT_LE(rtl->interval(a), iterative ? rtl->latency(a) + 1 : 1) << describe(a);
    if (!iterative && !fast) {
      EXPECT_EQ(seen[a], paper) << describe(a);
    } else if (!iterative) {
      EXPECT_LE(seen[a], paper / 2) << describe(a);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Builds, Pes, testing::ValuesIn(pe_builds().begin(), pe_builds().end()),
                         [](const auto& info) {
                           const auto algorithm =
                               static_cast<optimizer::Algorithm>(info.param.algorithm);
                           return std::string(optimizer::name_of(algorithm)) + "_" +
                                  std::to_string(info.param.lanes);
                         });

}  // namespace
}  // namespace gw::testbenches::pes_test
