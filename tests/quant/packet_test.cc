// Packets whose bytes were worked out by hand from the specification: each format, each coding.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>

#include "tests/quant/bytes.h"

namespace gw::reference::quant::packet_test {
namespace {

struct Example {
  const char* name;
  const char* spec;
  std::vector<float> g;
  const char* packet;
  std::vector<float> residuals;  // of the values that are there
};

// T = 1 is 0000803F. Header, payload, status.
const std::vector<Example>& examples() {
  static const std::vector<Example> kExamples = {
      {"wgt",
       "wgt:t=1",
       {1, -2, 0.5f, 0, 0, 0, 0, 0, 0, 0.25f},
       "01 00 0000 0A000000 0000803F 00000000  03 0000803F 000000C0  00 00  00",
       {0, 0, 0.5f, 0, 0, 0, 0, 0, 0, 0.25f}},
      {"bgt",
       "bgt:t=1",
       {1, -2, 0.5f, 0, 0, 0, 0, 0, 0, 0.25f},
       "02 00 0000 0A000000 0000803F 00000000  03 02  00 00  00",
       {0, -1, 0.5f, 0, 0, 0, 0, 0, 0, 0.25f}},
      {"qgt",
       "qgt:t=1",
       {1, -2.75f, 0.5f, 300, -1000},
       "03 00 0000 05000000 0000803F 00000000  1B 12 01 02 FF FF  00",
       {0, -0.75f, 0.5f, 45, -745}},
      // k = 6 at first. Entry: 0, six bits of gap, sign. Last gap 8: 0 and 001000.
      {"bgt_rice",
       "bgt:t=1,coding=rice",
       {1, -2, 0.5f, 0, 0, 0, 0, 0, 0, 0.25f},
       "02 07 0000 0A000000 0000803F 00000000  00 80 10  00",
       {0, -1, 0.5f, 0, 0, 0, 0, 0, 0, 0.25f}},
      // Gap 1: 0 100000, sign 1, m = 2: 01000000. Last gap 1.
      {"qgt_rice",
       "qgt:t=1,coding=rice",
       {0, -2.75f, 0.5f},
       "03 07 0000 03000000 0000803F 00000000  82 02 02  00",
       {0, -0.75f, 0.5f}},
      // >= 0: 4, 1, 0, so K = max(1, 1); 4 is in [4, 5) whose middle is 4.5. < 0: -3 in [3, 3.5).
      {"adaptive",
       "adaptive:p=1",
       {4, 1, -3, 0},
       "05 00 0000 04000000 00009040 000050C0  05 04  00",
       {-0.5f, 1, 0.25f, 0}},
      // 3 x 2 x 2^k <= 8: k = 0. Entries 0 0, 10 1; last gap 10: bits 0 0 1 0 1 1 0.
      {"adaptive_rice",
       "adaptive:p=1,coding=rice",
       {4, 1, -3, 0},
       "05 01 0000 04000000 00009040 000050C0  34  00",
       {-0.5f, 1, 0.25f, 0}},
      // >= 0: 1, 2, 3, -0, 0, 0, 6, mean 12/7; < 0: -1, -3, mean -2.
      {"onebit",
       "onebit",
       {1, 2, 3, -1, -0.0f, -3, 0, 0, 6},
       "04 00 0000 09000000 B76DDB3F 000000C0  D7 01  00",
       {1 - 12.0f / 7, 2 - 12.0f / 7, 3 - 12.0f / 7, 1, -12.0f / 7, -1, -12.0f / 7, -12.0f / 7,
        6 - 12.0f / 7}},
      // e = 127, scale 119: 256, 496 (saturates), -128, 2^-9, 2^-10 (to even: 0), 1.5 2^-9 (2), -0
      // + +0 = +0.
      {"mxfp8",
       "mxfp8:residual=on",
       {1, 1.9375f, -0.5f, 0x1p-17f, 0x1p-18f, 0x1.8p-17f, -0.0f},
       "06 00 0000 07000000 00000000 00000000  77 78 7E F0 01 00 02 00 00"
       "00000000 00000000 00000000 00000000 00000000 00000000  00",
       {0, 0.1875f, 0, 0, 0x1p-18f, -0x1p-18f, 0}},
      // Scale 125: 4, 6, 7.6 (saturates), -1, 0.5, 0.25 (0), 0.75 (1), 1.25 (1).
      {"mxfp4",
       "mxfp4:residual=on",
       {1, 1.5f, 1.9f, -0.25f, 0.125f, 0.0625f, 0.1875f, 0.3125f},
       "07 00 0000 08000000 00000000 00000000  7D 76 A7 01 22 00000000 00000000 00000000  00",
       {0, 0, 1.9f - 1.5f, 0, 0, 0.0625f, -0.0625f, 0.0625f}},
      // e = 127, scale 112: 32768, 63488 (saturates), -16384, 2^-16, 2^-17 (to even: 0), 1.5 2^-16
      // (2), -0 + +0 = +0.
      {"mxfp8_e5m2",
       "mxfp8-e5m2:residual=on",
       {1, 1.9375f, -0.5f, 0x1p-31f, 0x1p-32f, 0x1.8p-31f, -0.0f},
       "08 00 0000 07000000 00000000 00000000  70 78 7B F4 01 00 02 00 00"
       "00000000 00000000 00000000 00000000 00000000 00000000  00",
       {0, 0.1875f, 0, 0, 0x1p-32f, -0x1p-32f, 0}},
      // As above, but for 1.9375 the scale goes up to 120: 128, 248 (to even: 256), -64.
      {"mxfp8_up",
       "mxfp8:scale=up,residual=on",
       {1, 1.9375f, -0.5f},
       "06 00 0000 03000000 00000000 00000000  78 70 78 E8 00 00 00 00 00"
       "00000000 00000000 00000000 00000000 00000000 00000000  00",
       {0, -0.0625f, 0}},
      // 1.5 is the largest element under 125: it stays; 1.9 would not.
      {"mxfp4_up",
       "mxfp4:scale=up,residual=on",
       {1, 1.5f},
       "07 00 0000 02000000 00000000 00000000  7D 76 00000000 00000000 00000000 000000  00",
       {0, 0}},
      {"raw",
       "raw",
       {1, -0.0f},
       "00 00 0000 02000000 00000000 00000000  0000803F 00000080  00",
       {0, 0}},
  };
  return kExamples;
}

TEST(QuantPacket, BytesByHand) {
  for (const Example& e : examples()) {
    SCOPED_TRACE(e.name);
    Quantiser quantiser(config_of(e.spec), 16);
    const std::vector<uint8_t> packet = encoded(quantiser, e.g, 3);
    EXPECT_EQ(hex(packet), hex(bytes_of(e.packet)));
    for (size_t i = 0; i < e.residuals.size(); ++i) {
      EXPECT_EQ(quantiser.residuals()[3 * kLanes + i], e.residuals[i]) << "residual " << i;
    }
    // What was sent is what is missing from the residual, and the receiver gets it.
    const std::vector<float> d = decoded(packet);
    ASSERT_EQ(d.size(), e.g.size());
    if (config_of(e.spec).method == Method::kRaw) continue;
    for (size_t i = 0; i < d.size(); ++i) EXPECT_EQ(e.g[i] - d[i], e.residuals[i]) << i;
  }
  EXPECT_EQ(examples().size(), 14u);
}

TEST(QuantPacket, WithoutResidualsMxKeepsTheSignOfZero) {
  Quantiser quantiser(config_of("mxfp8"), 0);
  EXPECT_EQ(encoded(quantiser, {1, -0.0f, -0x1p-30f})[kHeaderBytes + 2], 0x80);
  EXPECT_EQ(encoded(quantiser, {1, -0.0f, -0x1p-30f})[kHeaderBytes + 3], 0x80);
}

TEST(QuantPacket, NoPacketIsLongerThanItsBound) {
  for (const Example& e : examples()) {
    EXPECT_LE(bytes_of(e.packet).size(), max_packet_bytes(e.g.size())) << e.name;
  }
  for (const size_t n : {1u, 8u, 33u, 4096u}) {
    for (const char* spec : {"wgt:t=1", "qgt:t=1,coding=rice", "mxfp8", "raw"}) {
      Quantiser quantiser(config_of(spec), rows_of(n));
      for (int again = 0; again < 2; ++again) {
        EXPECT_LE(encoded(quantiser, std::vector<float>(n, -3.0f)).size(), max_packet_bytes(n));
      }
    }
  }
}

TEST(QuantPacket, RiceGoesByThePacketBeforeOfTheSameFirstRow) {
  Quantiser quantiser(config_of("bgt:t=1,coding=rice"), 16);
  encoded(quantiser, {1, -2, 0.5f, 0, 0, 0, 0, 0, 0, 0.25f});
  // 3 x 2 x 2^k <= 20: k = 1. -1 is left at index 1: 0 1 1; last gap 8: 1111 0 0.
  EXPECT_EQ(hex(encoded(quantiser, std::vector<float>(10))),
            hex(bytes_of("02 02 0000 0A000000 0000803F 00000000  7E 00  00")));
  // One entry of ten: 3 x 2^k <= 20: k = 2. Nothing left: last gap 10 = 2 x 4 + 2: 11 0 01.
  EXPECT_EQ(hex(encoded(quantiser, std::vector<float>(10))),
            hex(bytes_of("02 03 0000 0A000000 0000803F 00000000  13  00")));
  // No entry: k = 14. Another row begins with 6.
  EXPECT_EQ(encoded(quantiser, std::vector<float>(10))[1], 15);
  EXPECT_EQ(encoded(quantiser, std::vector<float>(10), 2)[1], 7);
  quantiser.reset();
  EXPECT_EQ(encoded(quantiser, std::vector<float>(10))[1], 7);
}

TEST(QuantPacket, MaskCodingIsRememberedForRiceToo) {
  Quantiser quantiser(config_of("bgt:t=1"), 16);
  encoded(quantiser, std::vector<float>(10));
  quantiser.configure(config_of("qgt:t=1,coding=rice"));
  EXPECT_EQ(encoded(quantiser, std::vector<float>(10))[1], 15);
}

TEST(QuantPacket, LongGaps) {
  // k = 6. The last quotient with ones and a zero is 14: gap 15 x 64 - 1 = 959.
  for (const size_t gap : {size_t{959}, size_t{960}}) {
    std::vector<float> g(gap + 1);
    g[gap] = 1;
    Quantiser quantiser(config_of("bgt:t=1,coding=rice"), rows_of(gap + 1));
    const std::vector<uint8_t> packet = encoded(quantiser, g);
    // 959: 14 ones, 0, 111111, sign 0, then the last gap 0 000000: 29 bits.
    // 960: 15 ones, 960 in 20 bits, sign 0, 0 000000: 43 bits.
    const char* expected = gap == 959 ? "FF BF 1F 00" : "FF 7F E0 01 00 00";
    EXPECT_EQ(hex(std::span(packet).subspan(kHeaderBytes)), std::string(expected) + " 00") << gap;
    EXPECT_EQ(decoded(packet), g);
  }
}

TEST(QuantPacket, RunsOfEmptyGroupsAreMaximalAndAtMost256) {
  std::vector<float> g(8 * 600);
  g[8 * 300] = 5;
  Quantiser quantiser(config_of("bgt:t=1"), 600);
  // 300 empty groups: 256 and 44; one with lane 0; 299: 256 and 43.
  const std::vector<uint8_t> packet = encoded(quantiser, g);
  EXPECT_EQ(hex(std::span(packet).subspan(kHeaderBytes)), "00 FF 00 2B 01 00 00 FF 00 2A 00");
}

TEST(QuantPacket, RiceK) {
  EXPECT_EQ(rice_k(0, 1), 14);
  EXPECT_EQ(rice_k(1, 1), 0);
  EXPECT_EQ(rice_k(1, 3), 1);       // 6 <= 6
  EXPECT_EQ(rice_k(1, 2), 0);       // 6 > 4, 3 <= 4
  EXPECT_EQ(rice_k(2, 2), 0);       // even 6 > 4
  EXPECT_EQ(rice_k(1, 24576), 14);  // 3 x 16384 <= 49152
  EXPECT_EQ(rice_k(1, 24575), 13);
  EXPECT_EQ(rice_k(kMaxValues, kMaxValues), 0);
}

}  // namespace
}  // namespace gw::reference::quant::packet_test
