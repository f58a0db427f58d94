// The cores against the literal transcription of their contracts, in every cycle, on random
// traffic; and the two devices back to back.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <deque>

#include "models/systemc/compressor.h"
#include "models/systemc/decompressor.h"
#include "tests/sanitized.h"
#include "tests/systemc/stimulus.h"

namespace gw::systemc::contract_test {
namespace {

constexpr std::array<double, 3> kStalls = {0, 0.3,
                                           0.9};  // probability of a source's or sink's pause

struct Traffic {
  uint32_t seed;
  CodecConfig config;
  double source_stall;
  double sink_stall;
  bool resets;
};

struct Outcome {
  std::string mismatch;  // empty: none
  uint64_t accepted = 0;
  uint64_t left = 0;
  uint64_t errors = 0;
  uint64_t idle = 0;  // cycles with neither s_tready nor m_tvalid, apart from the one after reset
};

bool same(const Beat* a, const Beat* b) {
  return (a == nullptr) == (b == nullptr) && (a == nullptr || *a == *b);
}

/// Both engines on the same traffic for `cycles`, or until they differ.
template <typename A, typename B>
Outcome lockstep(A& a, B& b, std::vector<Beat> (Stimulus::*packet)(), const Traffic& traffic,
                 uint64_t cycles) {
  Stimulus stimulus(traffic.seed, traffic.config);
  std::deque<Beat> source;
  bool offering = false;
  bool after_reset = true;
  Outcome outcome;
  for (uint64_t c = 0; c < cycles; ++c) {
    const auto differ = [&](const char* what) {
      outcome.mismatch = std::string(what) + " in cycle " + std::to_string(c);
    };
    if (a.s_ready() != b.s_ready()) differ("s_axis_tready");
    if (!same(a.m_beat(), b.m_beat())) differ("m_axis");
    if (a.error_count() != b.error_count()) differ("error_count_o");
    if (!outcome.mismatch.empty()) return outcome;

    outcome.idle += !after_reset && !a.s_ready() && a.m_beat() == nullptr;
    after_reset = traffic.resets && stimulus.chance(0.0005);
    if (after_reset) {
      a.reset();
      b.reset();
      source.clear();
      offering = false;
      continue;
    }
    if (source.empty()) {
      for (const Beat& beat : (stimulus.*packet)()) source.push_back(beat);
    }
    offering = offering || !stimulus.chance(traffic.source_stall);
    const bool m_ready = !stimulus.chance(traffic.sink_stall);
    const bool accept = offering && a.s_ready();
    const Beat s = source.front();
    outcome.accepted += accept;
    outcome.left += m_ready && a.m_beat() != nullptr;
    a.clock(offering ? &s : nullptr, m_ready);
    b.clock(offering ? &s : nullptr, m_ready);
    if (accept) {
      source.pop_front();
      offering = false;
    }
  }
  outcome.errors = a.error_count();
  return outcome;
}

template <typename Test>
void for_all_traffic(Test test) {
  uint32_t seed = 1;
  for (double source_stall : kStalls) {
    for (double sink_stall : kStalls) {
      for (int k = kMinBound; k <= kMaxBound; ++k) {
        const CodecConfig config{static_cast<uint8_t>(k), seed % 2 == 0};
        const Traffic traffic{seed, config, source_stall, sink_stall, seed % 3 == 0};
        SCOPED_TRACE("seed " + std::to_string(seed));
        test(traffic);
        if (testing::Test::HasFatalFailure()) return;
        ++seed;
      }
    }
  }
}

constexpr uint64_t kCycles = tests::kSanitized ? 3000 : 8000;

TEST(Contract, Compressor) {
  uint64_t errors = 0;
  for_all_traffic([&](const Traffic& traffic) {
    Compressor core(traffic.config);
    LiteralCompressor literal(traffic.config);
    const Outcome o = lockstep(core, literal, &Stimulus::float_packet, traffic, kCycles);
    ASSERT_EQ(o.mismatch, "");
    ASSERT_GT(o.accepted, kCycles / 20);
    ASSERT_GT(o.left, kCycles / (tests::kSanitized ? 200 : 100));
    ASSERT_EQ(o.idle, 0u);  // tready is never low while tvalid is low too
    errors += o.errors;
  });
  EXPECT_GT(errors, tests::rounds(1000u));
}

TEST(Contract, Decompressor) {
  uint64_t errors = 0;
  for_all_traffic([&](const Traffic& traffic) {
    Decompressor core(traffic.config);
    LiteralDecompressor literal(traffic.config);
    const Outcome o = lockstep(core, literal, &Stimulus::byte_packet, traffic, kCycles);
    ASSERT_EQ(o.mismatch, "");
    ASSERT_GT(o.accepted, kCycles / 100);
    ASSERT_GT(o.left, kCycles / 20);
    errors += o.errors;
  });
  EXPECT_GT(errors, tests::rounds(1000u));
}

TEST(Contract, DecompressorSurvivesNoise) {
  Decompressor core;
  LiteralDecompressor literal;
  std::mt19937 random(7);
  for (int c = 0; c < tests::rounds(300000); ++c) {
    ASSERT_EQ(core.s_ready(), literal.s_ready()) << c;
    ASSERT_TRUE(same(core.m_beat(), literal.m_beat())) << c;
    Beat beat{.keep = static_cast<uint32_t>(random()),
              .last = random() % 4 == 0,
              .user = random() % 2 == 0};
    for (uint32_t& word : beat.data) word = static_cast<uint32_t>(random());
    const bool valid = random() % 8 != 0, ready = random() % 8 != 0;
    core.clock(valid ? &beat : nullptr, ready);
    literal.clock(valid ? &beat : nullptr, ready);
  }
  EXPECT_EQ(core.error_count(), literal.error_count());
  EXPECT_GT(core.error_count(), tests::rounds(10000u));
}

/// Whether the comparison sees on some traffic that the contract's numbers are not the core's.
template <typename Core, typename Literal>
bool notices(typename Literal::Numbers mutant, std::vector<Beat> (Stimulus::*packet)()) {
  for (uint32_t seed = 1; seed <= tests::rounds(20u); ++seed) {
    const Traffic traffic{seed, {}, 0, 0.1 * (seed % 10), false};
    Core core(traffic.config);
    Literal literal(traffic.config, mutant);
    if (!lockstep(core, literal, packet, traffic, tests::rounds(50000u)).mismatch.empty())
      return true;
  }
  return false;
}

// The comparison is worth something only if it notices a contract that is off by one.
TEST(Contract, NoticesMutants) {
  const auto compressor = [](LiteralCompressor::Numbers mutant) {
    return notices<Compressor, LiteralCompressor>(mutant, &Stimulus::float_packet);
  };
  EXPECT_FALSE(compressor({}));
  if (tests::kSanitized) GTEST_SKIP() << "some mutants take more seeds";
  EXPECT_TRUE(compressor({.merge_delay = 3}));
  EXPECT_TRUE(compressor({.merge_delay = 5}));
  EXPECT_TRUE(compressor({.max_enter = 3}));
  EXPECT_TRUE(compressor({.max_used = 28}));
  EXPECT_TRUE(compressor({.max_used = 30, .queue = 99}));

  const auto decompressor = [](LiteralDecompressor::Numbers mutant) {
    return notices<Decompressor, LiteralDecompressor>(mutant, &Stimulus::byte_packet);
  };
  EXPECT_FALSE(decompressor({}));
  EXPECT_TRUE(decompressor({.decode_delay = 1}));
  EXPECT_TRUE(decompressor({.decode_delay = 3}));
  EXPECT_TRUE(decompressor({.buffer = 3}));
  EXPECT_TRUE(decompressor({.buffer = 5}));
  EXPECT_TRUE(decompressor({.window = 2}));  // a window of four would do the same as three
  EXPECT_TRUE(decompressor({.max_used = 14}));
  EXPECT_TRUE(decompressor({.max_used = 16, .queue = 99}));
}

/// Floats through both devices, with stalls at the source, between the devices and at the sink.
TEST(Contract, RoundTrip) {
  for_all_traffic([&](const Traffic& traffic) {
    Stimulus stimulus(traffic.seed, traffic.config);
    Compressor compressor(traffic.config);
    Decompressor decompressor(traffic.config);
    std::deque<Beat> source, expected;
    bool offering = false, link_open = false;
    uint64_t left = 0;
    for (uint64_t c = 0; c < kCycles; ++c) {
      if (source.empty()) {
        for (Beat beat : stimulus.float_packet()) {
          source.push_back(beat);
          bool bad = false;
          if (beat.last) {
            bad = beat.user || bytes_of_keep(beat.keep) % 4 != 0 ||
                  beat.keep != keep_of_bytes(bytes_of_keep(beat.keep)) || beat.keep == 0;
            for (int i = 0; i < kLanes; ++i) {
              if ((beat.keep >> (4 * i) & 15) != 15) beat.data[i] = 0;
            }
          }
          const auto bytes = spec::encode_group(beat.data, traffic.config);
          expected.push_back({.data = spec::decode_group(bytes.data(), traffic.config),
                              .last = beat.last,
                              .user = bad});
        }
      }
      offering = offering || !stimulus.chance(traffic.source_stall);
      const Beat* link = compressor.m_beat();
      link_open = link != nullptr && (link_open || !stimulus.chance(0.2));
      const bool link_moves = link_open && decompressor.s_ready();
      const bool sink = !stimulus.chance(traffic.sink_stall);
      if (const Beat* m = decompressor.m_beat(); m != nullptr && sink) {
        ASSERT_FALSE(expected.empty());
        ASSERT_EQ(*m, expected.front()) << "beat " << left;
        expected.pop_front();
        ++left;
      }
      const bool accept = offering && compressor.s_ready();
      const Beat s = source.front();
      decompressor.clock(link_open ? link : nullptr, sink);  // before `link` goes out of date
      compressor.clock(offering ? &s : nullptr, link_moves);
      if (link_moves) link_open = false;
      if (accept) {
        source.pop_front();
        offering = false;
      }
    }
    ASSERT_GT(left, kCycles / 20);
  });
}

/// Pins that change in every cycle; what a packet is coded with is what they were with its first
/// beat.
template <class Core, class Literal>
void any_pins(std::vector<Beat> (Stimulus::*packet)()) {
  Core core;
  Literal literal;
  Stimulus stimulus(9, {});
  std::deque<Beat> source;
  uint64_t left = 0;
  for (int c = 0; c < tests::rounds(100000); ++c) {
    ASSERT_EQ(core.s_ready(), literal.s_ready()) << c;
    ASSERT_TRUE(same(core.m_beat(), literal.m_beat())) << c;
    if (source.empty()) {
      for (const Beat& beat : (stimulus.*packet)()) source.push_back(beat);
    }
    const CodecConfig pins{static_cast<uint8_t>(1 + stimulus.below(14)), stimulus.chance(0.5)};
    core.configure(pins);
    literal.configure(pins);
    const bool valid = !stimulus.chance(0.1),
               ready = !stimulus.chance(c / 500 % 2 == 0 ? 0.1 : 0.7);
    const Beat s = source.front();
    left += core.m_beat() != nullptr && ready;
    if (valid && core.s_ready()) source.pop_front();
    core.clock(valid ? &s : nullptr, ready);
    literal.clock(valid ? &s : nullptr, ready);
  }
  EXPECT_GT(left, tests::rounds(10000u));
}

TEST(Contract, CompressorUnderAnyPins) {
  any_pins<Compressor, LiteralCompressor>(&Stimulus::float_packet);
}

TEST(Contract, DecompressorUnderAnyPins) {
  any_pins<Decompressor, LiteralDecompressor>(&Stimulus::byte_packet);
}

TEST(Contract, ReconfiguresBetweenPackets) {
  Compressor core;
  for (int k = kMinBound; k <= kMaxBound; ++k) {
    const CodecConfig config{static_cast<uint8_t>(k), k % 2 == 0};
    core.configure(config);
    LiteralCompressor literal(config);
    core.reset();
    const Outcome o =
        lockstep(core, literal, &Stimulus::float_packet, {5, config, 0, 0, false}, 500);
    ASSERT_EQ(o.mismatch, "");
  }
}

}  // namespace
}  // namespace gw::systemc::contract_test
