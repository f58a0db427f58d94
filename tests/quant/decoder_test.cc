// The decoder on packets that no encoder of ours makes: every reason, their order, every cut.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <memory>

#include "tests/quant/bytes.h"

namespace gw::reference::quant::decoder_test {
namespace {

Reason reason_of(const std::string& text, size_t limit = kDefaultLimit) {
  std::vector<float> out = {1};
  const Decoded d = decode_packet(bytes_of(text), limit, out);
  EXPECT_EQ(out.empty(), !d.ok());
  return d.reason;
}

const std::string kT = "0000803F 00000000";
const std::string kNone = "00000000 00000000";

TEST(QuantDecoder, EveryReason) {
  EXPECT_EQ(reason_of(""), Reason::kShort);
  EXPECT_EQ(reason_of("02 00 0000 08000000" + kT), Reason::kShort);
  EXPECT_EQ(reason_of("09 00 0000 01000000" + kNone + "00"), Reason::kFormat);
  EXPECT_EQ(reason_of("FF 00 0000 01000000" + kNone + "00"), Reason::kFormat);
  EXPECT_EQ(reason_of("01 01 0000 08000000" + kT + "0000 00"), Reason::kCoding);  // WGT in Rice
  EXPECT_EQ(reason_of("02 10 0000 08000000" + kT + "0000 00"), Reason::kCoding);  // k = 15
  EXPECT_EQ(reason_of("04 01 0000 08000000" + kT + "00 00"), Reason::kCoding);
  EXPECT_EQ(reason_of("08 01 0000 08000000" + kNone + "00 00"), Reason::kCoding);
  EXPECT_EQ(reason_of("08 00 0000 08000000" + kT + "00 00"), Reason::kReserved);
  EXPECT_EQ(reason_of("02 00 0100 08000000" + kT + "0000 00"), Reason::kReserved);
  EXPECT_EQ(reason_of("02 00 0080 08000000" + kT + "0000 00"), Reason::kReserved);
  EXPECT_EQ(reason_of("02 00 0000 08000000 0000803F 00000080 0000 00"), Reason::kReserved);
  EXPECT_EQ(reason_of("00 00 0000 01000000 01000000 00000000 00000000 00"), Reason::kReserved);
  EXPECT_EQ(reason_of("07 00 0000 01000000 00000000 01000000 00000000 00"), Reason::kReserved);
  EXPECT_EQ(reason_of("02 00 0000 00000000" + kT + "00"), Reason::kCount);
  EXPECT_EQ(reason_of("02 00 0000 01100000" + kT + "0000 00"), Reason::kLimit);  // 4097
  EXPECT_EQ(reason_of("02 00 0000 FFFFFFFF" + kT + "0000 00"), Reason::kLimit);
  EXPECT_EQ(reason_of("02 00 0000 08000000 0000807F 00000000 0000 00"), Reason::kNotFinite);
  EXPECT_EQ(reason_of("04 00 0000 08000000 0000803F 0000C0FF 00 00"), Reason::kNotFinite);
  EXPECT_EQ(reason_of("05 00 0000 08000000 000080FF 00000000 0000 00"), Reason::kNotFinite);
  EXPECT_EQ(reason_of("02 00 0000 08000000" + kT + "0000 08"), Reason::kStatus);
  EXPECT_EQ(reason_of("02 00 0000 08000000" + kT + "0000 07"), Reason::kNone);
}

TEST(QuantDecoder, EveryWayThatAPayloadIsWrong) {
  const std::string bgt = "02 00 0000 0A000000" + kT;  // n = 10
  EXPECT_EQ(reason_of(bgt + "0001 00"), Reason::kNone);
  EXPECT_EQ(reason_of(bgt + "0000 0000 00"), Reason::kNone);     // a run that is not maximal
  EXPECT_EQ(reason_of(bgt + "0002 00"), Reason::kPayload);       // three empty groups of two
  EXPECT_EQ(reason_of(bgt + "0000 00"), Reason::kPayload);       // one group
  EXPECT_EQ(reason_of(bgt + "0001 00 00"), Reason::kPayload);    // a byte more
  EXPECT_EQ(reason_of(bgt + "0000 0302 00"), Reason::kNone);     // lanes 0 and 1 are there
  EXPECT_EQ(reason_of(bgt + "0000 0402 00"), Reason::kPayload);  // lane 2 is not
  EXPECT_EQ(reason_of(bgt + "0102 0000 00"), Reason::kPayload);  // a sign without its mask bit
  EXPECT_EQ(reason_of(bgt + "0101 00"), Reason::kPayload);
  const std::string qgt = "03 00 0000 08000000" + kT;
  EXPECT_EQ(reason_of(qgt + "0100 01 00"), Reason::kNone);
  EXPECT_EQ(reason_of(qgt + "0100 00 00"), Reason::kPayload);  // m = 0
  EXPECT_EQ(reason_of(qgt + "0300 01 00"), Reason::kPayload);  // one m of two
  const std::string wgt = "01 00 0000 08000000" + kT;
  EXPECT_EQ(reason_of(wgt + "80 0000803F 00"), Reason::kNone);
  EXPECT_EQ(reason_of(wgt + "80 000080 00"), Reason::kPayload);
  // Rice, k = 0, n = 2: 0 is a gap of 0, then the sign.
  const std::string rice = "02 01 0000 02000000" + kT;
  EXPECT_EQ(reason_of(rice + "03 00"), Reason::kNone);        // 110: gap 2, the end
  EXPECT_EQ(reason_of(rice + "07 00"), Reason::kPayload);     // 1110: gap 3
  EXPECT_EQ(reason_of(rice + "03 00 00"), Reason::kPayload);  // a byte more
  EXPECT_EQ(reason_of(rice + "00"), Reason::kPayload);        // no byte
  EXPECT_EQ(reason_of(rice + "FFFF0100 00 00"), Reason::kPayload);
  EXPECT_EQ(reason_of(rice + "FF7F0100 00 00"), Reason::kNone);  // the long form of gap 2
  EXPECT_EQ(reason_of(rice + "FF7F01 00"), Reason::kPayload);    // cut in it
  const std::string qgt_rice = "03 01 0000 01000000" + kT;
  EXPECT_EQ(reason_of(qgt_rice + "0800 00"), Reason::kNone);     // 0 0 m=2, 0
  EXPECT_EQ(reason_of(qgt_rice + "0000 00"), Reason::kPayload);  // m = 0
  EXPECT_EQ(reason_of("04 00 0000 09000000" + kT + "FF 00"), Reason::kPayload);
  EXPECT_EQ(reason_of("04 00 0000 09000000" + kT + "FFFF 00"), Reason::kNone);
  EXPECT_EQ(reason_of("00 00 0000 01000000" + kNone + "0000C07F 00"), Reason::kNone);
  EXPECT_EQ(reason_of("00 00 0000 02000000" + kNone + "0000C07F 00"), Reason::kPayload);
  EXPECT_EQ(reason_of("07 00 0000 21000000" + kNone + std::string(2 * 34, '0') + "00"),
            Reason::kNone);
  EXPECT_EQ(reason_of("07 00 0000 20000000" + kNone + std::string(2 * 34, '0') + "00"),
            Reason::kPayload);
}

TEST(QuantDecoder, TheFirstReasonCounts) {
  // Everything is wrong; what is mended uncovers the next.
  std::vector<uint8_t> packet = bytes_of("09 10 0100 00000000 0000807F 01000000 09 FF");
  const auto reason = [&] {
    std::vector<float> out;
    return decode_packet(packet, 4, out).reason;
  };
  EXPECT_EQ(reason(), Reason::kFormat);
  packet[0] = 2;
  EXPECT_EQ(reason(), Reason::kCoding);
  packet[1] = 0;
  EXPECT_EQ(reason(), Reason::kReserved);
  packet[2] = packet[12] = 0;
  EXPECT_EQ(reason(), Reason::kCount);
  packet[4] = 5;
  EXPECT_EQ(reason(), Reason::kLimit);
  packet[4] = 4;
  EXPECT_EQ(reason(), Reason::kNotFinite);
  packet[10] = 0;
  EXPECT_EQ(reason(), Reason::kPayload);
  packet[16] = 1;
  packet.insert(packet.begin() + 17, 1);
  EXPECT_EQ(reason(), Reason::kStatus);
  packet.back() = 5;
  EXPECT_EQ(reason(), Reason::kNone);
}

TEST(QuantDecoder, Values) {
  EXPECT_EQ(all_bits(decoded(bytes_of("02 00 0000 03000000" + kT + "05 04 00"))),
            all_bits(std::vector<float>{1, 0, -1}));
  EXPECT_EQ(all_bits(decoded(bytes_of("03 00 0000 03000000 0000403F 00000000 05 04 FF03 00"))),
            all_bits(std::vector<float>{191.25f, 0, -2.25f}));
  EXPECT_EQ(all_bits(decoded(bytes_of("05 00 0000 03000000 0000403F 000000C0 05 04 00"))),
            all_bits(std::vector<float>{0.75f, 0, -2}));
  EXPECT_EQ(all_bits(decoded(bytes_of("04 00 0000 03000000 0000403F 000000C0 FA 00"))),
            all_bits(std::vector<float>{-2, 0.75f, -2}));
}

/// Every code of E5M2 under a scale, by the fields' meaning.
TEST(QuantDecoder, EveryElementOfFormat8) {
  for (const int scale : {0, 100, 127, 140, 255}) {
    for (int block = 0; block < 8; ++block) {
      std::vector<uint8_t> packet = bytes_of("08 00 0000 20000000" + kNone);
      packet.push_back(static_cast<uint8_t>(scale));
      for (int i = 0; i < 32; ++i) packet.push_back(static_cast<uint8_t>(32 * block + i));
      packet.push_back(0);
      const std::vector<float> got = decoded(packet);
      ASSERT_EQ(got.size(), 32u);
      for (int i = 0; i < 32; ++i) {
        const int code = 32 * block + i, field = code >> 2 & 31, fraction = code & 3;
        double magnitude = field == 0 ? fraction * std::pow(2.0, -16)
                                      : (1 + fraction / 4.0) * std::pow(2.0, field - 15);
        magnitude *= std::pow(2.0, scale - 127);
        if (field == 31) magnitude = HUGE_VAL;
        const auto expected = static_cast<float>(code >= 128 ? -magnitude : magnitude);
        const bool none = scale == 255 || (field == 31 && fraction != 0);
        ASSERT_EQ(bits_of(got[static_cast<size_t>(i)]), none ? 0x7FC00000u : bits_of(expected))
            << code << " under " << scale;
      }
    }
  }
}

TEST(QuantDecoder, EveryCutOfAPacketIsMalformedAndReadsNothingBeyond) {
  for (const char* spec :
       {"wgt:t=1", "bgt:t=1", "bgt:t=1,coding=rice", "qgt:t=1", "qgt:t=1,coding=rice", "onebit",
        "adaptive:p=2", "mxfp8", "mxfp8-e5m2", "mxfp4", "adaptive:p=2,coding=rice", "raw"}) {
    Quantiser quantiser(config_of(spec), 64);
    std::vector<float> g(200);
    for (size_t i = 0; i < g.size(); ++i) g[i] = static_cast<float>(std::sin(i * i) * 3);
    const std::vector<uint8_t> packet = encoded(quantiser, g);
    EXPECT_EQ(packet_length(packet, kMaxValues), packet.size()) << spec;
    for (size_t size = 0; size < packet.size(); ++size) {
      // Memory of just that size: a sanitizer sees what is read beyond.
      const std::unique_ptr<uint8_t[]> cut(new uint8_t[size]);
      std::copy_n(packet.begin(), size, cut.get());
      std::vector<float> out;
      const std::span<const uint8_t> bytes(cut.get(), size);
      const Decoded d = decode_packet(bytes, kDefaultLimit, out);
      EXPECT_EQ(d.reason, size < 17 ? Reason::kShort : Reason::kPayload) << spec << " " << size;
      EXPECT_EQ(packet_length(bytes, kMaxValues), 0u) << spec << " " << size;
    }
    std::vector<uint8_t> longer = packet;
    longer.push_back(0);
    std::vector<float> out;
    EXPECT_EQ(decode_packet(longer, kDefaultLimit, out).reason, Reason::kPayload) << spec;
    EXPECT_EQ(packet_length(longer, kMaxValues), packet.size()) << spec;
  }
}

TEST(QuantDecoder, IntoMemoryOfTheCaller) {
  std::vector<float> out(4, 7);
  const std::vector<uint8_t> packet = bytes_of("02 00 0000 03000000" + kT + "05 04 02");
  const Decoded d = decode_into(packet, out);
  EXPECT_TRUE(d.ok());
  EXPECT_EQ(d.n, 3u);
  EXPECT_EQ(d.entries, 2u);
  EXPECT_EQ(d.status, kStatusLength);
  EXPECT_EQ(out, (std::vector<float>{1, 0, -1, 7}));
  EXPECT_EQ(decode_into(packet, std::span(out).first(2)).reason, Reason::kLimit);
}

}  // namespace
}  // namespace gw::reference::quant::decoder_test
