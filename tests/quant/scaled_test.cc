// Gradients of a trace scaled by powers of two, as loss scaling does it: what `adaptive` sends, and
// its error, hardly change.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <cstring>

#include "models/reference/quant/decoder.h"
#include "models/reference/quant/statistics.h"
#include "sim/feeds/gradients.h"
#include "tests/quant/bytes.h"
#include "tests/sanitized.h"

namespace gw::tests::scaled_test {
namespace {

namespace quant = reference::quant;

/// Packets of 16 iterations: all of an iteration come back to its rows in the next one.
std::vector<std::vector<float>> chunks_of_steps() {
  sim::StimulusSpec stimulus;
  stimulus.trace = GRADWIRE_SOURCE_DIR "/traces/hdc-steps.pcap";
  std::vector<std::vector<float>> chunks;
  for (const sim::GradientPacket& packet : sim::read_all(*sim::open_trace(stimulus))) {
    chunks.emplace_back(packet.values.size());
    std::memcpy(chunks.back().data(), packet.values.data(), 4 * packet.values.size());
  }
  return chunks;
}

quant::Figures figures_of(const std::vector<std::vector<float>>& chunks, const std::string& spec,
                          int scale) {
  constexpr size_t kRows = 2048;  // of 16,384 values
  const quant::Config config = quant::config_of(spec);
  quant::Quantiser quantiser(config, kRows);
  quant::Statistics statistics(kRows);
  std::vector<float> g, d;
  std::vector<uint8_t> packet;
  uint32_t row = 0;
  for (const std::vector<float>& chunk : chunks) {
    g.clear();
    for (const float x : chunk) g.push_back(std::ldexp(x, scale));
    const auto rows = static_cast<uint32_t>(quant::rows_of(g.size()));
    if (row + rows > kRows) row = 0;
    const quant::ChunkReport report = quantiser.encode(g, row, packet);
    EXPECT_TRUE(quant::decode_packet(packet, quant::kMaxValues, d).ok());
    statistics.add(g, row, report, d);
    row += rows;
  }
  return statistics.figures(config.residual ? quantiser.residuals() : std::span<const float>());
}

TEST(Scaled, AdaptiveSendsTheSameWhateverTheLossIsScaledBy) {
  const std::vector<std::vector<float>> chunks = chunks_of_steps();
  ASSERT_GT(chunks.size(), 100u);
  for (const char* spec : {"adaptive:p=6", "adaptive:p=6,residual=off", "adaptive:p=3"}) {
    const quant::Figures one = figures_of(chunks, spec, 0);
    EXPECT_GT(one.sent_share, 0.001) << spec;
    EXPECT_LT(one.sent_share, 0.15) << spec;
    for (int scale = -24; scale <= 16; scale += kSanitized ? 8 : 1) {
      const quant::Figures f = figures_of(chunks, spec, scale);
      EXPECT_NEAR(f.sent_share / one.sent_share, 1, 0.05) << spec << ", 2^" << scale;
      EXPECT_NEAR(f.rel_l2_error / one.rel_l2_error, 1, 0.05) << spec << ", 2^" << scale;
      if (scale % 8 == 0) {
        std::printf("%-26s 2^%-3d sent %.3f %%, relative error %.4f\n", spec, scale,
                    100 * f.sent_share, f.rel_l2_error);
      }
    }
  }
}

}  // namespace
}  // namespace gw::tests::scaled_test
