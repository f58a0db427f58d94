// The aggregator: its rules one by one, and any traffic against a map that keeps what arrived.
// SPDX-License-Identifier: Apache-2.0
#include "models/reference/aggregator/aggregator.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <random>
#include <vector>

#include "tests/sanitized.h"

namespace gw::reference::aggregator_test {
namespace {

using Values = std::vector<std::uint32_t>;

Values of(std::initializer_list<float> floats) {
  Values bits;
  for (const float f : floats) bits.push_back(fp::bits(f));
  return bits;
}

constexpr Aggregator::Outcome kFirst{Aggregation::kFirst, false};
constexpr Aggregator::Outcome kAdded{Aggregation::kAdded, false};
constexpr Aggregator::Outcome kComplete{Aggregation::kAdded, true};
constexpr Aggregator::Outcome kDuplicate{Aggregation::kDuplicate, false};
constexpr Aggregator::Outcome kStale{Aggregation::kStale, false};

/// A packet of group 0.
GradientPacket packet(int worker, std::uint32_t sequence, std::uint32_t iteration) {
  return {0, static_cast<std::uint16_t>(worker), sequence, iteration};
}

TEST(Aggregator, BackToBackPacketsOfOneSequence) {
  Aggregator a({.workers = 3});
  Values v = of({1, 2});
  EXPECT_EQ(a.accept(packet(2, 5, 1), v), kFirst);
  EXPECT_EQ(v, of({1, 2}));
  v = of({10, 20});
  EXPECT_EQ(a.accept(packet(0, 5, 1), v), kAdded);
  EXPECT_EQ(v, of({11, 22}));
  v = of({7, 7});
  EXPECT_EQ(a.accept(packet(0, 5, 1), v), kDuplicate);
  EXPECT_EQ(v, of({11, 22}));
  v = of({100, 200});
  EXPECT_EQ(a.accept(packet(1, 5, 1), v), kComplete);
  EXPECT_EQ(v, of({111, 222}));
  v = of({7, 7});
  EXPECT_EQ(a.accept(packet(1, 5, 1), v), kDuplicate);  // and not complete again
  EXPECT_EQ(v, of({111, 222}));
  v = of({5, 6});
  EXPECT_EQ(a.accept(packet(1, 5, 2), v), kFirst);
  EXPECT_EQ(v, of({5, 6}));
  v = of({9, 9});
  EXPECT_EQ(a.accept(packet(0, 5, 1), v), kStale);
  EXPECT_EQ(v, of({9, 9}));
  EXPECT_EQ(a.slot(5).workers, 0b010);
  EXPECT_EQ(a.counters().of(Aggregation::kDuplicate), 2u);
  EXPECT_EQ(a.counters().of(Aggregation::kStale), 1u);
  EXPECT_EQ(a.counters().complete, 1u);
  EXPECT_EQ(a.counters().abandoned, 0u);
  v = of({1});
  a.accept(packet(0, 5, 9), v);
  EXPECT_EQ(a.counters().abandoned, 1u);
}

TEST(Aggregator, ArrivalOrderIsTheOrderOfAddition) {
  const float big = 16777216;  // 2^24: adding 1 twice is not adding 2
  Aggregator a({.workers = 3}), b({.workers = 3});
  Values v;
  a.accept(packet(0, 0, 0), v = of({big}));
  a.accept(packet(1, 0, 0), v = of({1}));
  a.accept(packet(2, 0, 0), v = of({1}));
  EXPECT_EQ(v, of({big}));
  b.accept(packet(1, 0, 0), v = of({1}));
  b.accept(packet(2, 0, 0), v = of({1}));
  b.accept(packet(0, 0, 0), v = of({big}));
  EXPECT_EQ(v, of({big + 2}));
}

TEST(Aggregator, PassesThroughWhatIsNotItsOwn) {
  Aggregator a({.workers = 2, .group = 7, .depth = 4});
  const auto expect_untouched = [&](GradientPacket p, Aggregation action) {
    Values v = of({3});
    EXPECT_EQ(a.accept(p, v), (Aggregator::Outcome{action, false}));
    EXPECT_EQ(v, of({3}));
    EXPECT_EQ(a.counters().of(action), 1u) << name_of(action);
  };
  expect_untouched({6, 9, 9, 0}, Aggregation::kOtherGroup);
  expect_untouched({7, 2, 9, 0}, Aggregation::kBadWorker);
  expect_untouched({7, 1, 4, 0}, Aggregation::kOutOfRange);
  for (std::size_t i = 0; i < 4; i++) EXPECT_EQ(a.slot(i), Aggregator::Slot{});
}

TEST(Aggregator, IterationsAreSerialNumbers) {
  EXPECT_TRUE(is_newer(1, 0));
  EXPECT_TRUE(is_newer(0, 0xFFFFFFFF));
  EXPECT_TRUE(is_newer(0x7FFFFFFF, 0));
  EXPECT_FALSE(is_newer(0x80000000, 0));
  EXPECT_FALSE(is_newer(0, 0x80000000));
  EXPECT_FALSE(is_newer(5, 5));
  EXPECT_FALSE(is_newer(0xFFFFFFFF, 0));
  Aggregator a({.workers = 2});
  Values v;
  EXPECT_EQ(a.accept(packet(0, 0, 0xFFFFFFFF), v = of({1})), kFirst);  // any is, in an empty slot
  EXPECT_EQ(a.accept(packet(0, 0, 0), v = of({1})), kFirst);
  EXPECT_EQ(a.accept(packet(1, 0, 0xFFFFFFFF), v = of({1})), kStale);
  EXPECT_EQ(a.accept(packet(1, 0, 0x80000000), v = of({1})), kStale);
}

TEST(Aggregator, OneToSixteenWorkers) {
  for (int workers = 1; workers <= 16; workers++) {
    Aggregator a({.workers = workers});
    for (int w = 0; w < workers; w++) {
      Values v = of({1});
      EXPECT_EQ(a.accept(packet(w, 0, 3), v).complete, w == workers - 1);
      EXPECT_EQ(v, of({static_cast<float>(w + 1)}));
    }
  }
}

TEST(Aggregator, PacketsOfDifferentCounts) {
  Aggregator a({.workers = 3});
  Values v;
  a.accept(packet(0, 0, 0), v = Values(32, fp::bits(9)));
  a.accept(packet(0, 0, 1), v = of({1, 2}));
  a.accept(packet(1, 0, 1), v = of({1, 2, 3}));
  EXPECT_EQ(v, of({2, 4, 3}));  // the third lane was +0, not of the iteration before
  a.accept(packet(2, 0, 1), v = of({1}));
  EXPECT_EQ(v, of({3}));
  EXPECT_EQ(a.slot(0).sum[1], fp::bits(4));
  EXPECT_EQ(a.slot(0).sum[31], 0u);
}

TEST(Aggregator, SubnormalsAndNans) {
  for (const auto mode : {fp::Subnormal::kFlush, fp::Subnormal::kIeee}) {
    Aggregator a({.workers = 2, .subnormal = mode});
    const bool flush = mode == fp::Subnormal::kFlush;
    Values v = {0x00000003, 0x80000003, 0x00800001, 0xFFC12345, 0x80000000};
    const Values first = v;
    a.accept(packet(0, 0, 0), v);
    EXPECT_EQ(v, first);  // copied, not added to zero
    v = {0x00000004, 0x80000001, 0x80800000, 0x3F800000, 0x80000000};
    a.accept(packet(1, 0, 0), v);
    EXPECT_EQ(v, flush ? (Values{0, 0x80000000, 0, 0x7FC00000, 0x80000000})
                       : (Values{7, 0x80000004, 1, 0x7FC00000, 0x80000000}));
  }
}

TEST(Aggregator, RewritesFrames) {
  Aggregator a({.workers = 2, .group = 1});
  expether::Header h{.worker = 0, .group = 1, .iteration = 1};
  std::vector<std::uint8_t> frame = expether::build_gradient(h, of({1, 2})), before = frame;
  EXPECT_EQ(a.accept_frame(frame).outcome, kFirst);
  EXPECT_EQ(frame, before);
  h.worker = 1;
  frame = expether::build_gradient(h, of({10, 20}));
  frame.resize(100, 0xEE);
  EXPECT_EQ(a.accept_frame(frame).outcome, kComplete);
  const expether::Classified c = expether::classify(frame);
  EXPECT_EQ(c.kind, expether::Kind::kGradient);
  EXPECT_EQ(c.fields.flags, expether::kFlagComplete);
  EXPECT_EQ(expether::values_of(frame, c), of({11, 22}));
  EXPECT_EQ(frame[99], 0xEE);

  frame[60] ^= 1;  // the address: still the same packet again, with a forged mark
  EXPECT_EQ(a.accept_frame(frame).outcome, kDuplicate);
  EXPECT_EQ(expether::classify(frame).fields.flags, 0);
  frame[46] ^= 1;
  before = frame;
  EXPECT_EQ(a.accept_frame(frame).classified.reason, expether::Reason::kBadChecksum);
  EXPECT_EQ(frame, before);
  frame = before = expether::build_parameter(h, of({1}));
  EXPECT_EQ(a.accept_frame(frame).classified.kind, expether::Kind::kParameter);
  EXPECT_EQ(frame, before);
}

/// An opinion of its own: keeps all packets and sums them anew each time.
struct Oracle {
  struct Arrival {
    std::uint16_t worker;
    Values values;
  };
  struct Entry {
    std::uint32_t iteration;
    std::vector<Arrival> arrivals;
  };
  std::map<std::uint32_t, Entry> entries;
  AggregatorConfig config;

  float flushed(float f) const {
    return config.subnormal == fp::Subnormal::kFlush && std::fpclassify(f) == FP_SUBNORMAL
               ? std::copysign(0.0f, f)
               : f;
  }
  Values sum(const Entry& entry) const {
    Values total(32, 0);
    for (std::size_t n = 0; n < entry.arrivals.size(); n++) {
      const Values& values = entry.arrivals[n].values;
      for (std::size_t i = 0; i < values.size(); i++) {
        if (n == 0) {
          total[i] = values[i];
          continue;
        }
        volatile float x = flushed(fp::value(total[i])), y = flushed(fp::value(values[i]));
        const float s = flushed(x + y);
        total[i] = std::isnan(s) ? 0x7FC00000 : std::bit_cast<std::uint32_t>(s);
      }
    }
    return total;
  }
  Aggregator::Outcome accept(const GradientPacket& p, Values& values) {
    if (p.group != config.group) return {Aggregation::kOtherGroup};
    if (p.worker >= config.workers) return {Aggregation::kBadWorker};
    if (p.sequence >= config.depth) return {Aggregation::kOutOfRange};
    const auto found = entries.find(p.sequence);
    const auto ahead = found == entries.end()
                           ? 1
                           : static_cast<std::int32_t>(p.iteration - found->second.iteration);
    if (ahead < 0) return {Aggregation::kStale};
    if (ahead > 0) entries[p.sequence] = {p.iteration, {}};
    Entry& entry = entries[p.sequence];
    bool duplicate = false;
    for (const Arrival& arrival : entry.arrivals) duplicate |= arrival.worker == p.worker;
    if (!duplicate) entry.arrivals.push_back({p.worker, values});
    const Values total = sum(entry);
    std::copy_n(total.begin(), values.size(), values.begin());
    return {ahead > 0   ? Aggregation::kFirst
            : duplicate ? Aggregation::kDuplicate
                        : Aggregation::kAdded,
            !duplicate && entry.arrivals.size() == static_cast<std::size_t>(config.workers)};
  }
};

class AggregatorTraffic : public testing::TestWithParam<std::tuple<int, fp::Subnormal>> {};

TEST_P(AggregatorTraffic, EqualsTheOracle) {
  const auto [workers, mode] = GetParam();
  const AggregatorConfig config{.workers = workers, .group = 3, .depth = 5, .subnormal = mode};
  std::mt19937 random(static_cast<unsigned>(workers));
  const auto draw = [&](unsigned n) { return static_cast<std::uint32_t>(random() % n); };
  const auto any_value = [&]() -> std::uint32_t {
    static constexpr std::uint32_t kEdges[] = {0,          0x80000000, 0x7F800000, 0xFF800000,
                                               0x7F800001, 0x7F7FFFFF, 0x00800000, 0x807FFFFF};
    switch (draw(8)) {
      case 0:
        return kEdges[draw(8)];
      case 1:
        return draw(0x01000000) | draw(2) << 31;  // subnormal and the first binade
      case 2:
        return static_cast<std::uint32_t>(random());
      default:
        return 0x3F000000 + draw(0x01000000) + (draw(2) << 31);
    }
  };
  for (int run = 0; run < tests::rounds(20); run++) {
    Aggregator aggregator(config);
    Oracle oracle{{}, config};
    std::uint32_t now = 0xFFFFFFF0 + draw(16);  // wraps on the way
    std::array<std::uint64_t, kAggregationCount> counted{};
    std::uint64_t complete = 0;
    const unsigned patience = 2 + draw(100);  // packets an iteration: from most lost to most twice
    for (int n = 0; n < 2000; n++) {
      if (draw(patience) == 0) now++;
      const bool back_to_back = draw(2) != 0;
      const GradientPacket p = {
          static_cast<std::uint16_t>(draw(50) == 0 ? draw(5) : 3),
          static_cast<std::uint16_t>(draw(50) == 0 ? draw(0x10000)
                                                   : draw(static_cast<unsigned>(workers))),
          draw(50) == 0  ? static_cast<std::uint32_t>(random())
          : back_to_back ? 0
                         : draw(6),
          draw(20) == 0 ? now - draw(4) : now};
      Values have(1 + draw(32));
      for (auto& v : have) v = any_value();
      Values want = have;
      const Aggregator::Outcome expected = oracle.accept(p, want);
      const Aggregator::Outcome outcome = aggregator.accept(p, have);
      ASSERT_EQ(outcome.action, expected.action) << "run " << run << ", packet " << n;
      ASSERT_EQ(outcome.complete, expected.complete) << "run " << run << ", packet " << n;
      ASSERT_EQ(have, want) << "run " << run << ", packet " << n;
      counted[static_cast<std::size_t>(expected.action)]++;
      complete += expected.complete;
    }
    EXPECT_EQ(aggregator.counters().by_action, counted);
    EXPECT_EQ(aggregator.counters().complete, complete);
  }
}

INSTANTIATE_TEST_SUITE_P(Workers, AggregatorTraffic,
                         testing::Combine(testing::Values(1, 2, 3, 4, 8, 16),
                                          testing::Values(fp::Subnormal::kFlush,
                                                          fp::Subnormal::kIeee)));

}  // namespace
}  // namespace gw::reference::aggregator_test
