// rtl/switch's processing elements against the bit-exact reference: every bit, every cycle.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>
#include <deque>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "models/reference/optimizer/bit_exact.h"
#include "testbenches/pes/pe_rtl.h"

namespace gw::testbenches::pes_test {
namespace {

namespace optimizer = reference::optimizer;
using reference::fp::Subnormal;

constexpr int kCyclesPerSetting = 2500;
// By eps_outside and algorithm: pipelined paper (with eps under the root Table 2), pipelined fast,
// iterative paper, iterative fast. docs/blocks/optimizer-pes.md.
constexpr int kLatency[2][4][4] = {
    {{21, 10, 24, 13}, {99, 46, 103, 81}, {137, 62, 159, 137}, {164, 76, 194, 155}},
    {{21, 10, 24, 13}, {111, 52, 116, 88}, {149, 68, 172, 144}, {164, 76, 188, 153}}};

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

// A step with eps after the root, written out operator by operator from
// docs/blocks/optimizer-pes.md. r: lr, eps, beta1, beta2, 1 - beta1, 1 - beta2, bias, 1 - beta1^t,
// 1 - beta2^t.
optimizer::Cell step_outside(int algorithm, std::span<const uint32_t> r,
                             const optimizer::Cell& cell, uint32_t g, Subnormal mode) {
  namespace fp = reference::fp;
  const auto add = [&](uint32_t a, uint32_t b) { return fp::add(a, b, mode); };
  const auto sub = [&](uint32_t a, uint32_t b) { return fp::sub(a, b, mode); };
  const auto mul = [&](uint32_t a, uint32_t b) { return fp::mul(a, b, mode); };
  const auto div = [&](uint32_t a, uint32_t b) { return fp::div(a, b, mode); };
  const uint32_t lr = r[0], eps = r[1], one = 0x3F80'0000;
  const uint32_t square = mul(g, g);
  optimizer::Cell next{};
  if (algorithm == 1) {
    const uint32_t h = add(cell.state[0], square);
    const uint32_t den = add(fp::sqrt(h, mode), eps);
    next.theta = sub(cell.theta, mul(div(lr, den), g));
    next.state = {h, 0, 0};
  } else if (algorithm == 2) {
    const uint32_t m = add(mul(r[2], cell.state[0]), mul(r[4], g));
    const uint32_t v = add(cell.state[1], mul(r[5], square));
    const uint32_t den = add(fp::sqrt(div(v, r[8]), mode), eps);
    next.theta = sub(cell.theta, mul(lr, div(div(m, r[7]), den)));
    next.state = {m, mul(r[3], v), 0};
  } else {
    const uint32_t s = cell.state[2], rho = div(one, add(s, one)), keep = sub(one, rho);
    const uint32_t v_new = mul(rho, square), v_old = mul(keep, cell.state[1]);
    const uint32_t m = add(mul(rho, g), mul(keep, cell.state[0])), v = add(v_new, v_old);
    const uint32_t x = div(mul(m, m), add(add(eps, v_new), v_old));
    const uint32_t den = add(fp::sqrt(v, mode), eps);
    next.theta = sub(cell.theta, mul(div(fp::min(lr, x, mode), den), g));
    next.state = {m, v, add(one, mul(sub(one, x), s))};
  }
  return next;
}

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
            const auto mode = a & 1 ? Subnormal::kIeee : Subnormal::kFlush;
            const uint32_t gradient = rtl->gradient()[i];
            const auto cell =
                build.eps_outside && build.algorithm != 0
                    ? step_outside(build.algorithm, rtl->registers(), cells[i], gradient, mode)
                    : optimizer::step(graph, registers, cells[i], gradient, mode);
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

TEST_P(Pes, TakeTheContractsCycles) {
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
  const int(&table)[4] = kLatency[build.eps_outside][build.algorithm];
  for (size_t a = 0; a < kPeArrays; ++a) {
    EXPECT_EQ(seen[a], rtl->latency(a)) << describe(a);
    const bool iterative = a & 4;
    const bool fast = a & 2;
    EXPECT_EQ(seen[a], table[2 * iterative + fast]) << describe(a);
    EXPECT_EQ(rtl->interval(a), iterative ? seen[a] : 1) << describe(a);
    if (!iterative && fast) {
      EXPECT_LE(seen[a], table[0] / 2) << describe(a);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Builds, Pes, testing::ValuesIn(pe_builds().begin(), pe_builds().end()),
                         [](const auto& info) {
                           const auto algorithm =
                               static_cast<optimizer::Algorithm>(info.param.algorithm);
                           return std::string(optimizer::name_of(algorithm)) + "_" +
                                  std::to_string(info.param.lanes) +
                                  (info.param.eps_outside ? "_eps_outside" : "");
                         });

}  // namespace
}  // namespace gw::testbenches::pes_test
