// The figures that `mx` must reach, in cycles, worked out by hand from its contract
// (docs/devices/mx.md): latency, beats a cycle, packets back to back, waits of rows in flight.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <numeric>

#include "sim/run/run.h"
#include "tests/quant/figures.h"

namespace gw::tests::mx_figures_test {
namespace {

using nlohmann::json;

// A beat accepted in cycle 0 starts in 1, is ready V + 1 = 6 cycles later, merged 3 behind the pop
// in cycle 7: in cycle 10 two beats enter, 34 bytes in MXFP4.
TEST(MxByHand, OneBeat) {
  for (const char* residual : {"off", "on"}) {
    const sim::RunSpec fp4 = mx_spec({{"format", "mxfp4"}, {"residual", residual}});
    EXPECT_EQ(rows_of({chunk({bits(1)}, fp4)}, fp4), (std::vector<Row>{{0, 0, 11, 11, 12, 2, 34}}));
    const sim::RunSpec fp8 = mx_spec({{"residual", residual}});
    EXPECT_EQ(rows_of({chunk({bits(1)}, fp8)}, fp8), (std::vector<Row>{{0, 0, 11, 11, 12, 2, 50}}));
  }
  // Without a memory V is 0.
  const sim::RunSpec none = mx_spec({{"rows", "0"}});
  EXPECT_EQ(rows_of({chunk({bits(1)}, none)}, none), (std::vector<Row>{{0, 0, 6, 6, 7, 2, 50}}));
}

// A block: its last beat, accepted in cycle 3, starts in 4; items are popped in 10 to 13 and merged
// in 13 to 16. In MXFP8 header, scale and two items are 33 bytes (cycle 14, out in 15), with the
// last two and the status 50. In MXFP4 33 bytes are there with the last item: 14 cycles behind the
// beat that completes it.
TEST(MxByHand, ABlock) {
  const Words block(32, bits(1));
  const sim::RunSpec fp8 = mx_spec();
  EXPECT_EQ(rows_of({chunk(block, fp8)}, fp8), (std::vector<Row>{{0, 3, 15, 15, 17, 2, 50}}));
  const sim::RunSpec fp4 = mx_spec({{"format", "mxfp4"}});
  EXPECT_EQ(rows_of({chunk(block, fp4)}, fp4), (std::vector<Row>{{0, 3, 17, 17, 18, 2, 34}}));
  const sim::RunSpec none = mx_spec({{"rows", "0"}, {"format", "mxfp4"}});
  EXPECT_EQ(rows_of({chunk(block, none)}, none), (std::vector<Row>{{0, 3, 12, 12, 13, 2, 34}}));
}

// RAW needs no block: 48 bytes are there with the first item.
TEST(MxByHand, Raw) {
  const sim::RunSpec spec = mx_spec({{"residual", "on"}});
  EXPECT_EQ(rows_of({chunk(Words(16, bits(1)), spec, 63)}, spec),
            (std::vector<Row>{{0, 1, 11, 11, 13, 3, 81}}));
}

// The contract's longest way, 14 cycles, and 9 without a memory.
TEST(MxFigures, Latency) {
  struct Case {
    const char *rows, *format;
    uint64_t cycles;
  };
  for (const Case& c :
       {Case{"64", "mxfp4", 14}, Case{"64", "mxfp8", 12}, Case{"0", "mxfp4", 9},
        Case{"0", "mxfp8", 7}, Case{"64", "mxfp8-e5m2", 12}, Case{"0", "mxfp8-e5m2", 7}}) {
    sim::RunOptions options;
    options.spec = mx_spec({{"rows", c.rows}, {"format", c.format}});
    for (const char* kind : {"gradients", "uniform"}) {
      options.spec.stimulus = {.synth = kind, .packets = 64};
      const json report = sim::run(mx(), options);
      EXPECT_TRUE(report.at("pass"));
      EXPECT_EQ(report.at("pipeline_latency_cycles").at("min"), c.cycles) << c.rows << c.format;
      EXPECT_EQ(report.at("pipeline_latency_cycles").at("max"), c.cycles) << c.rows << c.format;
    }
  }
}

// Of n values, MXFP8 has 17 + 33 ceil(n / 32) bytes.
TEST(MxFigures, ABeatACycleInChunksOfEveryLength) {
  sim::Random random(seed());
  std::vector<size_t> lengths(130);
  std::iota(lengths.begin(), lengths.end(), 1);
  for (const char* residual : {"off", "on"}) {
    for (const char* format : {"mxfp8", "mxfp4", "mxfp8-e5m2"}) {
      SCOPED_TRACE(fmt::format("{} {}", format, residual));
      const sim::RunSpec spec =
          mx_spec({{"format", format}, {"scale", "up"}, {"residual", residual}, {"rows", "8192"}});
      expect_a_beat_a_cycle(lengths, 40, spec, mx(), [&](size_t n, uint32_t row) {
        return chunk(gradients_of(n, random), spec, row);
      });
    }
  }
}

// What does not fit through the port holds the device back, and nothing else does: it never pauses.
TEST(MxFigures, ShortPacketsRunAtThePortsLimit) {
  sim::Random random(seed());
  for (const char* format : {"mxfp8", "mxfp4", "mxfp8-e5m2"}) {
    const sim::RunSpec spec = mx_spec({{"format", format}});
    for (const size_t n : {1u, 7u, 8u}) {
      std::vector<sim::RawPacket> packets;
      for (int p = 0; p < 300; ++p) packets.push_back(chunk(gradients_of(n, random), spec));
      const sim::Outcome outcome = run(packets, spec);
      const sim::Timeline::Port& out = outcome.timeline.out[0];
      EXPECT_EQ(out.beats, 600u);
      EXPECT_EQ(out.last - out.first + 1, 600u) << format << " n " << n;
    }
  }
}

// The chunk behind waits for rows in flight. One of a beat starts in cycle 1, is popped in 7 and
// frees its row in 14: so the next one starts then, 13 cycles later.
TEST(MxFigures, AChunkWaitsForItsRows) {
  const sim::RunSpec spec = mx_spec({{"residual", "on"}});
  const std::vector<sim::RawPacket> packets(4, chunk({bits(1)}, spec, 3));
  const std::vector<Row> rows = rows_of(packets, spec);
  for (size_t p = 0; p < rows.size(); ++p) EXPECT_EQ(rows[p].first, 11 + 13 * p) << p;
}

}  // namespace
}  // namespace gw::tests::mx_figures_test
