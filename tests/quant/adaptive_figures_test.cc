// The figures that `adaptive` must reach, in cycles, worked out by hand from its contract
// (docs/devices/adaptive.md): latency, beats a cycle, waits of scans and rows; options and report.
// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "sim/base/error.h"
#include "tests/quant/figures.h"

namespace gw::tests::adaptive_figures_test {
namespace {

const sim::Device& adaptive() { return quantiser("adaptive"); }
sim::RunSpec adaptive_spec(Settings settings = {}) { return spec_of(adaptive(), settings); }

// A beat accepted in cycle 0 starts in 1, its bins are scanned from 10 on, it is popped 92 cycles
// later in 102, merged in 107, and leaves in 108.
TEST(AdaptiveByHand, OneBeat) {
  for (const char* residual : {"off", "on"}) {
    const sim::RunSpec spec = adaptive_spec({{"residual", residual}});
    EXPECT_EQ(rows_of({chunk({bits(1)}, spec, 0, adaptive())}, spec, adaptive()),
              (std::vector<Row>{{0, 0, 108, 108, 108, 1, 19}}));
  }
}

// B beats back to back, all sent: the first is popped B + 101 cycles behind its acceptance, and
// header and eight items of mask and signs fill a beat.
TEST(AdaptiveByHand, AChunk) {
  const sim::RunSpec spec = adaptive_spec({{"rows", "8192"}});
  for (const uint32_t b : {2u, 7u, 8u, 9u, 48u, 63u, 64u, 512u}) {
    const Row row =
        rows_of({chunk(Words(8 * b, bits(1)), spec, 0, adaptive())}, spec, adaptive())[0];
    EXPECT_EQ(row.accepted_last, b - 1);
    EXPECT_EQ(row.first, b + 101 + std::min(b, 8u) - 1 + 5 + 1) << b;
    EXPECT_EQ(row.bytes, 17 + 2 * b);
    // Every item is a cycle; a short end that is no item of its own comes right behind.
    EXPECT_LE(row.last, 2 * b + 101 + 5 + 1) << b;
  }
}

// RAW does not wait for a scan: started in 1, ready V + 1 = 6 cycles later, merged in 12.
TEST(AdaptiveByHand, Raw) {
  const sim::RunSpec spec = adaptive_spec();
  EXPECT_EQ(rows_of({chunk(Words(16, bits(1)), spec, 63, adaptive())}, spec, adaptive()),
            (std::vector<Row>{{0, 1, 13, 13, 15, 3, 81}}));
}

// 1.000 cycle a burst from 64 beats a chunk on, back to back.
TEST(AdaptiveFigures, ABeatACycleInLongChunks) {
  sim::Random random(seed());
  for (const char* residual : {"off", "on"}) {
    const sim::RunSpec spec = adaptive_spec({{"residual", residual}, {"p", "3"}, {"rows", "8192"}});
    SCOPED_TRACE(residual);
    expect_a_beat_a_cycle({505, 512, 513, 600, 1747, 4096}, 20, spec, adaptive(),
                          [&](size_t n, uint32_t row) {
                            return chunk(gradients_of(n, random), spec, row, adaptive());
                          });
  }
}

// Shorter ones take 64 cycles each, as their scans do: packet i leaves 64 i cycles behind the
// first.
TEST(AdaptiveFigures, ShortChunksTakeAsLongAsTheirScans) {
  const sim::RunSpec spec = adaptive_spec({{"rows", "8192"}});
  for (const uint32_t b : {1u, 2u, 17u, 46u, 63u}) {
    std::vector<sim::RawPacket> packets;
    for (uint32_t p = 0; p < 30; ++p) {
      packets.push_back(chunk(Words(8 * b, bits(1)), spec, p * b, adaptive()));
    }
    const std::vector<Row> rows = rows_of(packets, spec, adaptive());
    for (size_t p = 0; p < rows.size(); ++p) {
      ASSERT_EQ(rows[p].first, b + 101 + std::min(b, 8u) - 1 + 5 + 1 + 64 * p) << b << " " << p;
    }
  }
}

// A residual item of a beat, started in 1, popped in 102, frees its row in 113: the next one starts
// then.
TEST(AdaptiveFigures, AChunkWaitsForItsRows) {
  const sim::RunSpec spec = adaptive_spec();
  const std::vector<sim::RawPacket> packets(4, chunk({bits(1)}, spec, 3, adaptive()));
  const std::vector<Row> rows = rows_of(packets, spec, adaptive());
  for (size_t p = 0; p < rows.size(); ++p) EXPECT_EQ(rows[p].first, 108 + 112 * p) << p;
}

// ---- Settings of a packet, options and report

TEST(AdaptivePinsOfAPacket, AnIllegalPLeavesAsRaw) {
  const sim::RunSpec spec = adaptive_spec();
  std::vector<sim::RawPacket> packets;
  for (uint32_t p = 0; p < 16; ++p) {
    packets.push_back(chunk({bits(1), bits(-2)}, spec, 2 * p, adaptive()));
    packets.back().config[0] = p;
  }
  Kept kept;
  run(packets, spec, &kept, adaptive());
  for (size_t p = 0; p < packets.size(); ++p) {
    EXPECT_EQ(kept.packets[p][0], p >= 1 && p <= 10 ? 5 : 0) << p;
  }
}

std::string adaptive_refused(Settings settings) {
  try {
    adaptive().check(adaptive_spec(settings));
  } catch (const sim::UsageError& error) {
    return error.what();
  }
  return "";
}

TEST(AdaptiveOptions, WhatIsRefusedAndHow) {
  EXPECT_EQ(adaptive_refused({{"p", "1"}, {"coding", "rice"}}), "");
  EXPECT_EQ(adaptive_refused({{"p", "10"}}), "");
  EXPECT_EQ(adaptive_refused({{"p", "0"}}), "--p 0 is not between 1 and 10");
  EXPECT_EQ(adaptive_refused({{"p", "11"}}), "--p 11 is not between 1 and 10");
  EXPECT_EQ(adaptive_refused({{"coding", "runs"}}), "--coding 'runs' is not mask or rice");
  EXPECT_EQ(adaptive_refused({{"rows", "63"}}), "--rows 63 is not between 64 and 262144");
}

// K = 1 of two: 8 is sent as 9, 1 is kept.
TEST(AdaptiveReport, SettingsAndFiguresByHand) {
  const sim::RunSpec spec = adaptive_spec({{"p", "1"}});
  nlohmann::json settings;
  adaptive().describe_settings(spec, settings);
  EXPECT_EQ(settings.at("p"), 1);
  EXPECT_EQ(settings.at("coding"), "mask");
  EXPECT_EQ(settings.at("residual"), "on");
  EXPECT_EQ(settings.at("rows"), 64);
  const nlohmann::json q =
      run({chunk({bits(8), bits(1)}, spec, 0, adaptive())}, spec, nullptr, adaptive())
          .sections.at("quantizer");
  EXPECT_EQ(q.at("method"), "adaptive");
  EXPECT_EQ(q.at("p"), 1);
  EXPECT_EQ(q.at("coding"), "mask");
  EXPECT_EQ(q.at("entries"), 1);
  EXPECT_EQ(q.at("sent_share"), 0.5);
  EXPECT_EQ(q.at("bits_per_entry"), 16.0);        // mask, signs
  EXPECT_DOUBLE_EQ(q.at("payload_ratio"), 64.0);  // a bit each
  EXPECT_DOUBLE_EQ(q.at("residual").at("max"), 1.0);
  EXPECT_EQ(q.at("conservation"), 0.0);
  EXPECT_FALSE(q.contains("t"));
  EXPECT_FALSE(q.contains("k_mean"));
  // One of two: 3 x 2^0 <= 4 < 3 x 2^1.
  const sim::RunSpec rice = adaptive_spec({{"p", "1"}, {"coding", "rice"}});
  const nlohmann::json r =
      run({chunk({bits(8), bits(1)}, rice, 0, adaptive())}, rice, nullptr, adaptive())
          .sections.at("quantizer");
  EXPECT_EQ(r.at("k_mean"), 0.0);
  EXPECT_EQ(r.at("coding"), "rice");
}

}  // namespace
}  // namespace gw::tests::adaptive_figures_test
