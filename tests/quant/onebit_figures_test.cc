// The figures that `onebit` must reach, in cycles, worked out by hand from its contract
// (docs/devices/onebit.md): latency, beats a cycle, waits of rows.
// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "tests/quant/figures.h"

namespace gw::tests::onebit_figures_test {
namespace {

const sim::Device& onebit() { return quantiser("onebit"); }
sim::RunSpec onebit_spec(Settings settings = {}) { return spec_of(onebit(), settings); }

// A beat accepted in cycle 0 starts in 1, is ready 32 cycles later, popped in 33, merged in 36, and
// leaves in 37.
TEST(OneBitByHand, OneBeat) {
  for (const char* residual : {"off", "on"}) {
    const sim::RunSpec spec = onebit_spec({{"residual", residual}});
    EXPECT_EQ(rows_of({chunk({bits(1)}, spec, 0, onebit())}, spec, onebit()),
              (std::vector<Row>{{0, 0, 37, 37, 37, 1, 18}}));
  }
}

// B beats back to back: the first is popped B + 32 cycles behind its acceptance, and header and
// sixteen bytes of signs fill a beat, min(B, 16) + 3 cycles later.
TEST(OneBitByHand, AChunk) {
  const sim::RunSpec spec = onebit_spec({{"rows", "8192"}});
  for (const uint32_t b : {2u, 15u, 16u, 17u, 48u, 512u}) {
    const Row row = rows_of({chunk(Words(8 * b, bits(1)), spec, 0, onebit())}, spec, onebit())[0];
    EXPECT_EQ(row.accepted_last, b - 1);
    EXPECT_EQ(row.first, b + 32 + std::min(b, 16u) + 3) << b;
    EXPECT_EQ(row.bytes, 17 + b);
    // Every item is a cycle; a short end that is no item of its own comes right behind.
    EXPECT_LE(row.last, 2 * b + 32 + 3 + 1) << b;
  }
}

// RAW does not wait for means: started in 1, ready V + 1 = 6 cycles later, merged in 10.
TEST(OneBitByHand, Raw) {
  const sim::RunSpec spec = onebit_spec();
  EXPECT_EQ(rows_of({chunk(Words(16, bits(1)), spec, 63, onebit())}, spec, onebit()),
            (std::vector<Row>{{0, 1, 11, 11, 13, 3, 81}}));
}

TEST(OneBitFigures, ABeatACycleInChunksOfEveryLength) {
  sim::Random random(seed());
  std::vector<size_t> lengths;
  for (size_t n = 1; n <= 4096; n += n < 70 ? 1 : n < 600 ? 97 : 1747) lengths.push_back(n);
  for (const char* residual : {"off", "on"}) {
    SCOPED_TRACE(residual);
    const sim::RunSpec spec = onebit_spec({{"residual", residual}, {"rows", "8192"}});
    expect_a_beat_a_cycle(lengths, 60, spec, onebit(), [&](size_t n, uint32_t row) {
      return chunk(gradients_of(n, random), spec, row, onebit());
    });
  }
}

// A residual item of a beat, popped in 33, frees its row in 42: the next one starts then.
TEST(OneBitFigures, AChunkWaitsForItsRows) {
  const sim::RunSpec spec = onebit_spec();
  const std::vector<sim::RawPacket> packets(4, chunk({bits(1)}, spec, 3, onebit()));
  const std::vector<Row> rows = rows_of(packets, spec, onebit());
  for (size_t p = 0; p < rows.size(); ++p) EXPECT_EQ(rows[p].first, 37 + 41 * p) << p;
}

// Two sides: 1 and 3 are received as 2, -1 as itself.
TEST(OneBitReport, FiguresByHand) {
  const sim::RunSpec spec = onebit_spec();
  const nlohmann::json q =
      run({chunk({bits(1), bits(3), bits(-1)}, spec, 0, onebit())}, spec, nullptr, onebit())
          .sections.at("quantizer");
  EXPECT_EQ(q.at("method"), "onebit");
  EXPECT_EQ(q.at("entries"), 3);
  EXPECT_DOUBLE_EQ(q.at("payload_ratio"), 32.0);
  EXPECT_DOUBLE_EQ(q.at("max_abs_error"), 1.0);
  EXPECT_DOUBLE_EQ(q.at("residual").at("max"), 1.0);
  EXPECT_EQ(q.at("conservation"), 0.0);
  EXPECT_FALSE(q.contains("t"));
  EXPECT_FALSE(q.contains("coding"));
}

// By magnitude: the largest that is summed whole, 256 in both sides' places, the smallest that
// counts, one below it. Zeros do not vanish.
TEST(OneBitReport, CountsWhatItsMeansDoNotHold) {
  const sim::RunSpec spec = onebit_spec({{"residual", "off"}});
  const auto counts = [&](const std::vector<Words>& chunks) {
    std::vector<sim::RawPacket> packets;
    for (const Words& words : chunks) packets.push_back(chunk(words, spec, 0, onebit()));
    const nlohmann::json q = run(packets, spec, nullptr, onebit()).sections.at("quantizer");
    return std::array<uint64_t, 3>{q.at("clipped"), q.at("vanished"), q.at("clipped_means")};
  };
  using Counts = std::array<uint64_t, 3>;
  EXPECT_EQ(counts({{bits(0x1.fffffep7f), bits(-1), bits(0x1p-32f), 0, 0x8000'0000}}),
            (Counts{0, 0, 0}));
  EXPECT_EQ(counts({{bits(256), bits(3e38f), bits(-1)}}), (Counts{2, 0, 1}));
  EXPECT_EQ(counts({{bits(256), bits(-256)}, {bits(-1e9f)}}), (Counts{3, 0, 3}));
  EXPECT_EQ(counts({{bits(-0x1.fffffep-33f), 1, bits(1)}}), (Counts{0, 2, 0}));
}

}  // namespace
}  // namespace gw::tests::onebit_figures_test
