// The optimizers: Table 2 out of the graphs, steps by hand, both subnormal modes, the distance to
// the textbook.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <fstream>
#include <limits>
#include <random>
#include <sstream>
#include <string>

#include "models/reference/optimizer/drift.h"
#include "models/reference/optimizer/vector.h"
#include "tests/sanitized.h"

namespace gw::reference::optimizer::optimizer_test {
namespace {

using fp::Subnormal;

constexpr Subnormal kModes[] = {Subnormal::kFlush, Subnormal::kIeee};

TEST(Graph, Table2) {
  const std::pair<int, const char*> expected[] = {
      {21, "mul sub"},
      {99, "mul add sqrt div mul sub"},
      {137, "mul mul add div sqrt div mul sub"},
      {164, "add div sub mul add add sqrt div mul sub"},
  };
  for (const Algorithm a : kAlgorithms) {
    const auto& [cycles, chain] = expected[static_cast<std::size_t>(a)];
    EXPECT_EQ(latency(graph_of(a), kPaperLatencies), cycles) << name_of(a);
    EXPECT_EQ(critical_chain(graph_of(a), kPaperLatencies), chain) << name_of(a);
    EXPECT_LE(state_latency(graph_of(a), kPaperLatencies), cycles) << name_of(a);
  }
}

TEST(Graph, EpsilonAfterTheRootIsAnAdditionMoreOnThePath) {
  const std::pair<int, const char*> expected[] = {
      {21, "mul sub"},
      {111, "mul add sqrt add div mul sub"},
      {149, "mul mul add div sqrt add div mul sub"},
      {164, "add div sub mul add sqrt add div mul sub"},
  };
  for (const Algorithm a : kAlgorithms) {
    const Graph& graph = graph_of(a, Epsilon::kAfterRoot);
    const auto& [cycles, chain] = expected[static_cast<std::size_t>(a)];
    EXPECT_EQ(latency(graph, kPaperLatencies), cycles) << name_of(a);
    EXPECT_EQ(critical_chain(graph, kPaperLatencies), chain) << name_of(a);
    EXPECT_LE(state_latency(graph, kPaperLatencies), cycles) << name_of(a);
    EXPECT_EQ(graph.state_names, graph_of(a).state_names);
    for (const Node& node : graph.nodes) {
      EXPECT_TRUE(node.a != kBias && node.b != kBias) << node.name;
    }
  }
}

TEST(Graph, MinIsOffTheCriticalPathUpToTwoCycles) {
  for (int cycles = 0; cycles < 6; cycles++) {
    EXPECT_EQ(latency(graph_of(Algorithm::kSmorms3), {.min = cycles}),
              164 + std::max(0, cycles - 2));
  }
}

TEST(Graph, LatencyFollowsTheOperators) {
  EXPECT_EQ(latency(graph_of(Algorithm::kSgd), {.add = 1, .mul = 1}), 2);
  const Latencies ones{1, 1, 1, 1, 1};
  EXPECT_EQ(latency(graph_of(Algorithm::kAdagrad), ones), 6);
  EXPECT_EQ(latency(graph_of(Algorithm::kAdam), ones), 8);
}

TEST(Graph, Operators) {  // add sub mul div sqrt min
  using Count = std::array<int, kOperatorCount>;
  EXPECT_EQ(operators(graph_of(Algorithm::kSgd)), (Count{0, 1, 1, 0, 0, 0}));
  EXPECT_EQ(operators(graph_of(Algorithm::kAdagrad)), (Count{1, 1, 2, 1, 1, 0}));
  EXPECT_EQ(operators(graph_of(Algorithm::kAdam)), (Count{3, 1, 6, 3, 1, 0}));
  EXPECT_EQ(operators(graph_of(Algorithm::kSmorms3)), (Count{7, 3, 8, 3, 1, 1}));
  const auto after = [](Algorithm a) { return operators(graph_of(a, Epsilon::kAfterRoot)); };
  EXPECT_EQ(after(Algorithm::kSgd), (Count{0, 1, 1, 0, 0, 0}));
  EXPECT_EQ(after(Algorithm::kAdagrad), (Count{2, 1, 2, 1, 1, 0}));
  EXPECT_EQ(after(Algorithm::kAdam), (Count{3, 1, 6, 3, 1, 0}));
  EXPECT_EQ(after(Algorithm::kSmorms3), (Count{7, 3, 8, 3, 1, 1}));
}

/// The header's table is what the graphs say, to the cycle and the star.
TEST(Graph, TheHeaderTellsTheTruth) {
  std::ifstream file(GRADWIRE_SOURCE_DIR "/models/reference/optimizer/graph.h");
  std::stringstream header;
  header << file.rdbuf();
  std::string squeezed;  // runs of spaces as one, as the table is in columns
  for (const char c : header.str()) {
    if (c != ' ' || squeezed.empty() || squeezed.back() != ' ') squeezed += c;
  }
  for (const Epsilon e : kEpsilons) {
    for (const Algorithm a : kAlgorithms) {
      std::istringstream lines(table(graph_of(a, e), kPaperLatencies));
      for (std::string line; std::getline(lines, line);) {
        EXPECT_NE(squeezed.find(' ' + line), std::string::npos) << name_of(a) << ": " << line;
      }
    }
  }
}

std::uint32_t one_step(BitExact& optimizer, float gradient) {
  optimizer.begin_iteration();
  return optimizer.step(0, fp::bits(gradient));
}

class Step : public testing::TestWithParam<Subnormal> {
 protected:
  BitExact make(Algorithm algorithm, const HyperParameters& hyper, float theta = 1,
                Epsilon epsilon = Epsilon::kUnderRoot) {
    const std::uint32_t parameter = fp::bits(theta);
    return BitExact(algorithm, hyper, GetParam(), std::span(&parameter, 1), epsilon);
  }
};
INSTANTIATE_TEST_SUITE_P(Modes, Step, testing::ValuesIn(kModes));

TEST_P(Step, SgdByHand) {
  BitExact o = make(Algorithm::kSgd, {.lr = 0.5f});
  EXPECT_EQ(one_step(o, 0.25f), fp::bits(0.875f));
  EXPECT_EQ(one_step(o, -2), fp::bits(1.875f));
}

TEST_P(Step, AdagradByHand) {
  BitExact o = make(Algorithm::kAdagrad, {.lr = 0.5f, .eps = 12});
  EXPECT_EQ(o.cell(0).state[0], fp::bits(12));  // eps is in the state from the start
  EXPECT_EQ(one_step(o, 2), fp::bits(0.75f));   // h 16, root 4, rate 1/8, step 1/4
  EXPECT_EQ(o.cell(0).state[0], fp::bits(16));
  EXPECT_EQ(one_step(o, 0), fp::bits(0.75f));
  EXPECT_EQ(one_step(o, std::sqrt(9.0f)), fp::bits(0.75f - 0.3f));  // h 25, rate 0.1
}

TEST_P(Step, AdamByHand) {
  BitExact o = make(Algorithm::kAdam, {.lr = 0.5f, .eps = 12, .beta1 = 0.5f, .beta2 = 0.75f});
  EXPECT_EQ(o.cell(0).state[1], fp::bits(3));  // bias = (1 - beta2) * eps
  // m 1, hat 2; v 3 + 1, hat 16 = g^2 + eps; root 4, ratio 1/2, step 1/4.
  EXPECT_EQ(one_step(o, 2), fp::bits(0.75f));
  EXPECT_EQ(o.registers()[kCorrection1], fp::bits(0.5f));
  EXPECT_EQ(o.registers()[kCorrection2], fp::bits(0.25f));
  EXPECT_EQ(o.cell(0).state[0], fp::bits(1));
  EXPECT_EQ(o.cell(0).state[1], fp::bits(6));
  // m 1.5, correction 0.75, hat 2; v 7, correction 0.4375, hat 16.
  EXPECT_EQ(one_step(o, 2), fp::bits(0.5f));
  EXPECT_EQ(o.cell(0).state[0], fp::bits(1.5f));
  EXPECT_EQ(o.cell(0).state[1], fp::bits(8.25f));
}

TEST_P(Step, Smorms3ByHand) {
  // rho 1/2, m 1, v 2, root 2, x 1/4.
  BitExact below = make(Algorithm::kSmorms3, {.lr = 0.5f, .eps = 2});
  EXPECT_EQ(one_step(below, 2), fp::bits(0.75f));  // min is x
  EXPECT_EQ(below.cell(0).state[0], fp::bits(1));
  EXPECT_EQ(below.cell(0).state[1], fp::bits(2));
  EXPECT_EQ(below.cell(0).state[2], fp::bits(1.75f));  // 1 + (1 - x) * 1
  BitExact limited = make(Algorithm::kSmorms3, {.lr = 0.125f, .eps = 2});
  EXPECT_EQ(one_step(limited, 2), fp::bits(0.875f));  // min is lr
}

std::vector<std::pair<Algorithm, Epsilon>> all_kinds() {
  std::vector<std::pair<Algorithm, Epsilon>> all;
  for (const Algorithm algorithm : kAlgorithms) {
    for (const Epsilon epsilon : kEpsilons) all.emplace_back(algorithm, epsilon);
  }
  return all;
}

// Whole vectors by the host's arithmetic, beside one parameter at a time by fp.h.
TEST(Vector, IsBitExact) {
  constexpr std::size_t kParameters = 700;  // two blocks and a part of one
  std::mt19937_64 random(1);
  const auto draw = [&random] {
    // Zeros of both signs and subnormals among values of all sizes that do not overflow.
    const auto bits = static_cast<std::uint32_t>(random());
    const std::uint32_t exponent = bits % 16 == 0 ? 0 : 70 + (bits >> 8) % 110;
    return fp::value((bits & 0x8000'0000) | exponent << 23 |
                     (bits % 32 == 0 ? 0 : bits & 0x007F'FFFF));
  };
  for (const auto& [algorithm, epsilon] : all_kinds()) {
    const HyperParameters hyper{.lr = 0.01f, .eps = 1e-12f};
    std::vector<float> theta(kParameters), gradient(kParameters);
    std::vector<std::uint32_t> bits(kParameters);
    for (std::size_t i = 0; i < kParameters; i++) bits[i] = fp::bits(theta[i] = draw());
    BitExact one(algorithm, hyper, Subnormal::kIeee, bits, epsilon);
    VectorOptimizer all(algorithm, hyper, kParameters, epsilon);
    for (int t = 1; t <= 20; t++) {
      one.begin_iteration();
      all.begin_iteration();
      for (float& g : gradient) g = draw();
      // In two parts, which need not be of whole blocks.
      const std::size_t cut = 13 * static_cast<std::size_t>(t);
      all.step(0, std::span(theta).first(cut), std::span(gradient).first(cut));
      all.step(cut, std::span(theta).subspan(cut), std::span(gradient).subspan(cut));
      for (std::size_t i = 0; i < kParameters; i++) {
        ASSERT_EQ(one.step(i, fp::bits(gradient[i])), fp::bits(theta[i]))
            << name_of(algorithm) << ", parameter " << i << ", iteration " << t;
      }
    }
  }
}

TEST_P(Step, EpsilonAfterTheRootByHand) {
  const auto make_after = [this](Algorithm a, const HyperParameters& hyper) {
    return make(a, hyper, 1, Epsilon::kAfterRoot);
  };
  BitExact adagrad = make_after(Algorithm::kAdagrad, {.lr = 0.5f, .eps = 2});
  EXPECT_EQ(adagrad.cell(0).state[0], 0u);
  EXPECT_EQ(one_step(adagrad, 2), fp::bits(0.75f));  // h 4, root 2, den 4, rate 1/8, step 1/4
  EXPECT_EQ(adagrad.cell(0).state[0], fp::bits(4));
  adagrad.write(kEps, fp::bits(6));  // reaches the next iteration
  EXPECT_EQ(one_step(adagrad, 0), fp::bits(0.75f));
  EXPECT_EQ(one_step(adagrad, 1.5f), fp::bits(0.75f - 0.5f / 8.5f * 1.5f));  // h 6.25, root 2.5

  // m 1, hat 2; v 1, hat 4; root 2, den 4, ratio 1/2, step 1/4.
  BitExact adam =
      make_after(Algorithm::kAdam, {.lr = 0.5f, .eps = 2, .beta1 = 0.5f, .beta2 = 0.75f});
  EXPECT_EQ(adam.cell(0).state[1], 0u);
  EXPECT_EQ(one_step(adam, 2), fp::bits(0.75f));
  EXPECT_EQ(adam.cell(0).state[0], fp::bits(1));
  EXPECT_EQ(adam.cell(0).state[1], fp::bits(0.75f));  // beta2 v, without a bias
  adam.write(kEps, 0);                                // hats 2 and 4 again: ratio 1
  EXPECT_EQ(one_step(adam, 2), fp::bits(0.25f));

  // rho 1/2, m 1.5, v 4.5; x = 2.25 / (4.5 + eps) keeps its eps.
  BitExact smorms3 = make_after(Algorithm::kSmorms3, {.lr = 1, .eps = 4.5f});
  EXPECT_EQ(one_step(smorms3, 3), fp::bits(1 - 0.25f / (std::sqrt(4.5f) + 4.5f) * 3));
  EXPECT_EQ(smorms3.cell(0).state[1], fp::bits(4.5f));
  EXPECT_EQ(smorms3.cell(0).state[2], fp::bits(1.75f));

  const HyperParameters rate{.lr = 0.5f};
  BitExact before = make(Algorithm::kSgd, rate), after = make_after(Algorithm::kSgd, rate);
  EXPECT_EQ(one_step(before, 3), one_step(after, 3));
}

TEST_P(Step, NothingMovesWithoutAGradient) {
  for (const Epsilon e : kEpsilons) {
    for (const Algorithm a : kAlgorithms) {
      BitExact o = make(a, {}, 0.3f, e);
      for (int i = 0; i < 10; i++) EXPECT_EQ(one_step(o, 0), fp::bits(0.3f)) << name_of(a);
      EXPECT_NE(one_step(o, 0.1f), fp::bits(0.3f)) << name_of(a);
    }
  }
}

TEST_P(Step, CorrectionsArriveAtOne) {
  Registers r({}, GetParam());
  for (int t = 1; t <= 200'000; t++) {
    r.advance();
    if (t > 1000) continue;
    const double exact = 1 - std::pow(double{0.999f}, t);
    ASSERT_NEAR(fp::value(r[kCorrection2]) / exact, 1, 6e-5) << t;
  }
  EXPECT_EQ(r[kCorrection1], fp::kOne);
  EXPECT_EQ(r[kCorrection2], fp::kOne);
}

TEST(Subnormals, FlushedOrKept) {
  const std::uint32_t theta = 0x00800001;
  const auto run = [&](Subnormal mode) {
    BitExact o(Algorithm::kSgd, {.lr = 1}, mode, std::span(&theta, 1));
    return one_step(o, fp::value(0x00800000));
  };
  EXPECT_EQ(run(Subnormal::kFlush), 0u);
  EXPECT_EQ(run(Subnormal::kIeee), 1u);

  // A gradient whose square is subnormal.
  const std::uint32_t one = fp::kOne;
  const auto root = [&](Subnormal mode) {
    BitExact o(Algorithm::kAdagrad, {.lr = 1, .eps = 0}, mode, std::span(&one, 1));
    return one_step(o, 0x1p-70f);
  };
  EXPECT_EQ(root(Subnormal::kIeee), 0u);            // 1 - 2^-70 / 2^-70
  EXPECT_EQ(root(Subnormal::kFlush), 0xFF800000u);  // 1 - inf
}

TEST(Subnormals, NansAreCanonical) {
  for (const Subnormal mode : kModes) {
    for (const Algorithm a : kAlgorithms) {
      const std::uint32_t one = fp::kOne;
      BitExact o(a, {}, mode, std::span(&one, 1));
      o.begin_iteration();
      EXPECT_EQ(o.step(0, 0xFFC12345), fp::kCanonicalNan) << name_of(a);
    }
  }
}

TEST(Packets, BeginAnIterationWhenItIsNewer) {
  const std::vector<std::uint32_t> parameters(40, fp::kOne);
  BitExact o(Algorithm::kSgd, {.lr = 0.5f}, Subnormal::kFlush, parameters);
  std::vector<std::uint32_t> v(32, fp::bits(1));
  EXPECT_TRUE(o.packet(0xFFFFFFFF, 0, v));
  EXPECT_EQ(v, std::vector<std::uint32_t>(32, fp::bits(0.5f)));
  v.assign(8, fp::bits(2));
  EXPECT_TRUE(o.packet(0xFFFFFFFF, 1, v));
  EXPECT_EQ(o.registers().iteration(), 1u);
  EXPECT_EQ(o.parameter(39), 0u);
  v.assign(8, 0);
  EXPECT_TRUE(o.packet(3, 1, v));  // by one, whatever the distance
  EXPECT_TRUE(o.packet(0xFFFFFFFF, 1, v));
  EXPECT_EQ(o.registers().iteration(), 2u);
  v.assign(9, 0);
  EXPECT_FALSE(o.packet(4, 1, v));
  EXPECT_FALSE(o.packet(4, 0xFFFFFFFF, v));
  EXPECT_EQ(o.registers().iteration(), 2u);
}

TEST(Textbook, ListingsByHand) {
  const double one = 1;
  const auto run = [&](Algorithm a, const HyperParameters& h) {
    Textbook t(a, h, std::span(&one, 1));
    t.begin_iteration();
    return t.step(0, 2);
  };
  EXPECT_DOUBLE_EQ(run(Algorithm::kSgd, {.lr = 0.25f}), 0.5);
  EXPECT_DOUBLE_EQ(run(Algorithm::kAdagrad, {.lr = 0.5f, .eps = 12}), 0.75);
  EXPECT_DOUBLE_EQ(run(Algorithm::kAdam, {.lr = 0.5f, .eps = 12, .beta1 = 0.5f, .beta2 = 0.75f}),
                   0.75);
  EXPECT_DOUBLE_EQ(run(Algorithm::kSmorms3, {.lr = 0.5f, .eps = 2}), 0.75);
}

/// One parameter as PyTorch 2 updates it (torch/optim/adam.py and adagrad.py, single tensor, no
/// weight decay), written from there and not from here.
class Torch {
 public:
  Torch(Algorithm algorithm, const HyperParameters& h, double theta)
      : algorithm_(algorithm), h_(h), param_(theta) {}

  double step(double grad) {
    ++step_;
    if (algorithm_ == Algorithm::kAdagrad) {
      state_sum_ += grad * grad;
      const double std = std::sqrt(state_sum_) + double{h_.eps};
      param_ += -double{h_.lr} * grad / std;
      return param_;
    }
    const double beta1 = h_.beta1, beta2 = h_.beta2;
    exp_avg_ += (grad - exp_avg_) * (1 - beta1);  // lerp_
    exp_avg_sq_ = exp_avg_sq_ * beta2 + (1 - beta2) * grad * grad;
    const double bias_correction1 = 1 - std::pow(beta1, step_);
    const double bias_correction2_sqrt = std::sqrt(1 - std::pow(beta2, step_));
    const double denom = std::sqrt(exp_avg_sq_) / bias_correction2_sqrt + double{h_.eps};
    param_ -= double{h_.lr} / bias_correction1 * exp_avg_ / denom;
    return param_;
  }

 private:
  Algorithm algorithm_;
  HyperParameters h_;
  double param_, exp_avg_ = 0, exp_avg_sq_ = 0, state_sum_ = 0;
  int step_ = 0;
};

/// Gradients about eps, where it matters on which side of the root it stands: with eps after the
/// root we are PyTorch's form to what binary32 rounds away, with eps under it we are not.
TEST(Textbook, EpsilonAfterTheRootIsPyTorchs) {
  for (const Algorithm a : {Algorithm::kAdagrad, Algorithm::kAdam}) {
    for (const float eps : {1e-8f, 1e-4f}) {
      const HyperParameters hyper{.lr = 0.01f, .eps = eps};
      const std::uint32_t parameter = fp::bits(0.5f);
      const double theta = 0.5;
      BitExact exact(a, hyper, Subnormal::kIeee, std::span(&parameter, 1), Epsilon::kAfterRoot);
      BitExact inside(a, hyper, Subnormal::kIeee, std::span(&parameter, 1));
      Textbook textbook(a, hyper, std::span(&theta, 1), Epsilon::kAfterRoot);
      Torch torch(a, hyper, theta);
      std::mt19937 random(3);
      double moved = 0, apart = 0;
      for (int t = 0; t < 300; ++t) {
        const auto unit = static_cast<float>(random()) * 0x1p-31f - 1;
        const float g = unit * eps * 3;
        textbook.begin_iteration();
        const double expected = torch.step(double{g});
        ASSERT_NEAR(textbook.step(0, double{g}), expected, 1e-12) << name_of(a) << " " << t;
        const float now = fp::value(one_step(exact, g));
        ASSERT_NEAR(now, expected, 3e-6) << name_of(a) << " " << t;
        apart = std::max(apart, std::fabs(fp::value(one_step(inside, g)) - expected));
        moved = std::max(moved, std::fabs(expected - theta));
      }
      EXPECT_GT(moved, 1e-2) << name_of(a);
      EXPECT_GT(apart, 1e-2) << name_of(a);
    }
  }
}

/// Goes on from the states as they are, wherever eps is.
TEST(Textbook, FollowsEitherForm) {
  for (const Epsilon e : kEpsilons) {
    for (const Algorithm a : kAlgorithms) {
      const std::uint32_t parameter = fp::bits(0.5f);
      const double theta = 0.5;
      const HyperParameters hyper{.eps = 1e-3f};
      BitExact exact(a, hyper, Subnormal::kIeee, std::span(&parameter, 1), e);
      Textbook textbook(a, hyper, std::span(&theta, 1), e);
      for (int t = 0; t < 40; ++t) one_step(exact, 0.01f * static_cast<float>(t % 7 - 3));
      textbook.follow(exact);
      textbook.begin_iteration();
      EXPECT_NEAR(textbook.step(0, double{0.02f}), fp::value(one_step(exact, 0.02f)), 1e-6)
          << name_of(a) << static_cast<int>(e);
    }
  }
}

TEST(Ulp, Distance) {
  EXPECT_EQ(ulp_distance(0x3F800000, 1), 0);
  EXPECT_EQ(ulp_distance(0x3F800001, 1), 1);
  EXPECT_EQ(ulp_distance(0x3F800000, 1 + 0x1p-24), 0.5);
  EXPECT_EQ(ulp_distance(0xBF800000, 1), 0x1p24);
  EXPECT_EQ(ulp_distance(0x00000001, 0), 1);
  EXPECT_EQ(ulp_distance(0x80000000, 0), 0);
  EXPECT_EQ(ulp_distance(0x00800000, 0x1p-126 + 0x1p-149), 1);
  EXPECT_EQ(ulp_distance(0x7FC00000, std::nan("")), 0);
  EXPECT_EQ(ulp_distance(0x7F800000, std::numeric_limits<double>::infinity()), 0);
  EXPECT_EQ(ulp_distance(0x7F800000, 1), std::numeric_limits<double>::infinity());
}

/// 1,000 iterations of 256 parameters between 0.5 and 2, gradients around zero of standard
/// deviation 0.01.
DriftRun thousand(Algorithm algorithm, Subnormal mode, Epsilon epsilon = Epsilon::kUnderRoot) {
  std::mt19937 random(7);
  const auto uniform = [&] { return static_cast<float>(random()) * 0x1p-32f; };
  std::vector<std::uint32_t> parameters(256), gradients(256);
  for (auto& p : parameters) p = fp::bits(0.5f + 1.5f * uniform());
  DriftRun run(algorithm, {}, mode, parameters, epsilon);
  for (int t = 0; t < 1000; t++) {
    for (auto& g : gradients) {
      float sum = 0;
      for (int i = 0; i < 12; i++) sum += uniform();
      g = fp::bits(0.01f * (sum - 6));
    }
    run.step(gradients);
  }
  return run;
}

TEST(Drift, AThousandIterationsStayNearTheTextbook) {
  const auto stays_near = [](Algorithm a, Subnormal mode, Epsilon epsilon) {
    const DriftRun run = thousand(a, mode, epsilon);
    ASSERT_EQ(run.records().size(), 1000u);
    double max = 0;
    for (const Drift& d : run.records()) max = std::max(max, d.max_ulp);
    const Drift& last = run.records().back();
    for (const std::size_t t : {1, 10, 100, 1000}) {
      const Drift& d = run.records()[t - 1];
      std::printf("%-8s t %4zu  mean %7.3f ulp  max %7.3f ulp  max %.3g\n",
                  std::string(name_of(a)).c_str(), t, d.mean_ulp, d.max_ulp, d.max_absolute);
    }
    EXPECT_EQ(last.iteration, 1000u);
    EXPECT_LE(run.records().front().max_ulp, 1.0) << name_of(a);
    EXPECT_LT(last.mean_ulp, 15) << name_of(a);
    EXPECT_LT(max, 60) << name_of(a);
    EXPECT_LT(last.max_absolute, 1e-5) << name_of(a);
  };
  for (const Subnormal mode : kModes) {
    for (const Algorithm a : kAlgorithms) {
      for (const Epsilon e : kEpsilons) stays_near(a, mode, e);
    }
  }
}

TEST(Drift, IsDeterministic) {
  for (const Algorithm a : kAlgorithms) {
    if (tests::kSanitized && a != kAlgorithms[0]) continue;
    const DriftRun one = thousand(a, Subnormal::kFlush), two = thousand(a, Subnormal::kFlush);
    EXPECT_EQ(one.records(), two.records());
    for (std::size_t i = 0; i < one.bit_exact().size(); i++) {
      EXPECT_EQ(one.bit_exact().cell(i), two.bit_exact().cell(i));
    }
  }
}

}  // namespace
}  // namespace gw::reference::optimizer::optimizer_test
