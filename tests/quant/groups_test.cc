// What a decoder that hands on group after group has let go before it finds that a packet is
// malformed: by hand from docs/devices/dequantizer.md, and beside the decoder of whole packets.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <random>

#include "tests/quant/bytes.h"
#include "tests/sanitized.h"

namespace gw::reference::quant::groups_test {
namespace {

struct Left {
  Reason reason;
  std::vector<float> values;
  friend bool operator==(const Left&, const Left&) = default;
  friend void PrintTo(const Left& l, std::ostream* out) {
    *out << reason_name(l.reason) << " behind " << l.values.size() << " values";
  }
};

Left left_of(const std::vector<uint8_t>& bytes, size_t limit = kDefaultLimit) {
  Left left;
  left.reason = decode_groups(bytes, limit, left.values).reason;
  return left;
}
Left left_of(const std::string& text) { return left_of(bytes_of(text)); }

/// `groups` of eight values, all of them `value`.
Left behind(size_t groups, float value, Reason reason = Reason::kPayload) {
  return {reason, std::vector<float>(8 * groups, value)};
}

const std::string kOne = "0000803F 00000000";
const std::string kNothing = "00000000 00000000";
const std::string kFloats =
    "0000803F 0000803F 0000803F 0000803F 0000803F 0000803F 0000803F 0000803F";

TEST(QuantGroups, AWrongHeaderLetsNothingGo) {
  EXPECT_EQ(left_of(""), behind(0, 0, Reason::kShort));
  EXPECT_EQ(left_of("09 00 0000 18000000" + kNothing + "00"), behind(0, 0, Reason::kFormat));
  EXPECT_EQ(left_of("00 00 0000 01100000" + kNothing + kFloats + "00"),
            behind(0, 0, Reason::kLimit));
}

TEST(QuantGroups, Raw) {
  const std::string raw = "00 00 0000 10000000" + kNothing;  // 16 values
  EXPECT_EQ(left_of(raw + kFloats + kFloats + "00").reason, Reason::kNone);
  EXPECT_EQ(left_of(raw + kFloats + kFloats + "08"), behind(1, 1, Reason::kStatus));
  EXPECT_EQ(left_of(raw + kFloats + kFloats + "00 00"), behind(1, 1));
  EXPECT_EQ(left_of(raw + kFloats + kFloats), behind(1, 1));  // no byte is left for the status
  EXPECT_EQ(left_of(raw + kFloats), behind(0, 1));
  EXPECT_EQ(left_of(raw + kFloats.substr(0, 8) + "00"), behind(0, 1));
  // 31 bytes of values and the status are 32; the status is none of them.
  EXPECT_EQ(left_of(raw + kFloats.substr(0, kFloats.size() - 2) + "3F"), behind(0, 1));
}

TEST(QuantGroups, OneBit) {
  const std::string onebit = "04 00 0000 14000000 0000803F 000080BF";  // 20 values
  EXPECT_EQ(left_of(onebit + "FFFF FF 00").reason, Reason::kNone);
  EXPECT_EQ(left_of(onebit + "FFFF FF"), behind(2, 1));
  EXPECT_EQ(left_of(onebit + "FF FF"), behind(1, 1));
  EXPECT_EQ(left_of(onebit + "FF"), behind(0, 1));
  EXPECT_EQ(left_of(onebit + "FFFF FF 00 00"), behind(2, 1));
}

TEST(QuantGroups, Mx) {
  std::string mx = "07 00 0000 08000000" + kNothing + "7F";  // 8 values: a block of 32 all the same
  for (int i = 0; i < 16; ++i) mx += "22";
  EXPECT_EQ(left_of(mx + "00"), behind(1, 1, Reason::kNone));
  EXPECT_EQ(left_of(mx), behind(0, 1));
  std::string two = "06 00 0000 10000000" + kNothing + "7F";
  for (int i = 0; i < 32; ++i) two += "38";
  EXPECT_EQ(left_of(two + "00"), behind(2, 1, Reason::kNone));
  EXPECT_EQ(left_of(two), behind(1, 1));  // the first eight are there
}

TEST(QuantGroups, Mask) {
  const std::string bgt = "02 00 0000 20000000" + kOne;  // 32 values
  EXPECT_EQ(left_of(bgt + "FF00 0001 FF00 00").reason, Reason::kNone);
  EXPECT_EQ(left_of(bgt + "FF00 FF00 0002 00"), behind(2, 1));       // a run beyond the last group
  EXPECT_EQ(left_of(bgt + "FF00 FF00 7F80 FF00 00"), behind(2, 1));  // a sign of its own
  EXPECT_EQ(left_of(bgt + "FF00 FF00 FF"), behind(2, 1));            // a byte is no group
  EXPECT_EQ(left_of(bgt + "FF00 FF00"), behind(1, 1));
  // The last two groups of the run have not left when its packet is too long.
  EXPECT_EQ(left_of(bgt + "FF00 0002 00 00").values.size(), 24u);
  EXPECT_EQ(left_of("02 00 0000 0A000000" + kOne + "FF00 0400 00"), behind(1, 1));  // lane 10
  EXPECT_EQ(left_of("03 00 0000 10000000" + kOne + "FF00 0101010101010101 0300 0100 00"),
            behind(1, 1));  // m = 0
  EXPECT_EQ(left_of("01 00 0000 10000000" + kOne + "FF" + kFloats + "01 0000 00"), behind(1, 1));
}

/// Bits as they are sent, lowest first; zeros fill the last byte.
std::vector<uint8_t> rice(const std::string& header, const std::string& bits, uint8_t status) {
  std::vector<uint8_t> bytes = bytes_of(header);
  size_t at = 0;
  for (const char c : bits) {
    if (c == ' ') continue;
    if (at % 8 == 0) bytes.push_back(0);
    if (c == '1') bytes.back() = static_cast<uint8_t>(bytes.back() | 1u << at % 8);
    ++at;
  }
  bytes.push_back(status);
  return bytes;
}

TEST(QuantGroups, Rice) {
  const std::string bgt = "02 01 0000 20000000" + kOne;  // k = 0: a gap of g is g ones and a zero
  const auto zeros = [](Left left) {
    std::erase(left.values, 1.0f);
    return left.values.size();
  };
  // Entries 0 and 17; 14 values follow.
  const std::string first = "0 0";                                      // gap 0, positive
  const std::string second = "111111111111111 00001000000000000000 0";  // gap 16, positive
  const std::string end = "11111111111111 0";                           // gap 14
  EXPECT_EQ(left_of(rice(bgt, first + second + end, 0)).reason, Reason::kNone);
  EXPECT_EQ(left_of(rice(bgt, first + second + end, 0)).values.size(), 32u);
  // What is wrong behind the end is found with the last group.
  EXPECT_EQ(left_of(rice(bgt, first + second + end, 8)).reason, Reason::kStatus);
  EXPECT_EQ(left_of(rice(bgt, first + second + end, 8)).values.size(), 24u);
  // A gap beyond n: two groups are done, for the entry before is in the third.
  const Left beyond =
      left_of(rice(bgt, first + second + "111111111111111 00001000000000000000", 0));
  EXPECT_EQ(beyond.reason, Reason::kPayload);
  EXPECT_EQ(beyond.values.size(), 16u);
  EXPECT_EQ(zeros(beyond), 15u);
  // An entry that is wrong itself: its own group does not count.
  const std::string qgt = "03 01 0000 20000000" + kOne;
  EXPECT_EQ(left_of(rice(qgt, "0 0 10000000 111111111111111 00001000000000000000 0 00000000", 0)),
            (Left{Reason::kPayload, {}}));
}

TEST(QuantGroups, AgreeWithTheDecoderOfWholePackets) {
  std::mt19937 random(1);
  std::vector<std::string> specs;
  for (const char* method : {"bgt:t=0.5", "qgt:t=0.5", "adaptive:p=2"}) {
    specs.emplace_back(method);
    specs.push_back(std::string(method) + ",coding=rice");
  }
  for (const char* method : {"raw", "wgt:t=0.5", "onebit", "mxfp8", "mxfp8-e5m2", "mxfp4"}) {
    specs.emplace_back(method);
  }
  size_t malformed = 0, early = 0;
  for (const std::string& spec : specs) {
    Quantiser quantiser(config_of(spec), 64);
    for (int round = 0; round < tests::rounds(3000); ++round) {
      std::vector<float> g(1 + random() % 300);
      const uint32_t density = 1 + random() % 60;
      for (float& x : g) {
        x = random() % density == 0 ? static_cast<float>(random() % 2000) / 500 - 2 : 0.001f;
      }
      std::vector<uint8_t> packet = encoded(quantiser, g, random() % 20);
      switch (random() % 4) {
        case 0:
          packet.resize(packet.size() - std::min<size_t>(packet.size(), random() % 20));
          break;
        case 1:
          packet.resize(packet.size() + random() % 20, static_cast<uint8_t>(random()));
          break;
        case 2:
          packet[random() % packet.size()] ^= static_cast<uint8_t>(1u << random() % 8);
          break;
        default:
          break;
      }
      std::vector<float> whole, groups;
      const Decoded a = decode_packet(packet, kDefaultLimit, whole);
      const Decoded b = decode_groups(packet, kDefaultLimit, groups);
      ASSERT_EQ(reason_name(a.reason), reason_name(b.reason)) << spec << " " << hex(packet);
      ASSERT_EQ(a.status, b.status);
      if (a.ok()) {
        ASSERT_EQ(all_bits(whole), all_bits(groups)) << spec << " " << hex(packet);
        ASSERT_EQ(a.entries, b.entries) << spec;
      } else {
        ASSERT_EQ(groups.size() % 8, 0u);
        ASSERT_LT(groups.size(), std::max<size_t>(b.n, 1));
        ++malformed;
        early += !groups.empty();
      }
    }
  }
  EXPECT_GT(malformed, tests::rounds(5000u));
  EXPECT_GT(early, tests::rounds(1000u));
}

}  // namespace
}  // namespace gw::reference::quant::groups_test
