// Names of codecs, and that bytes made here are read here.
// SPDX-License-Identifier: Apache-2.0
#include "tools/training/codec.h"

#include <gtest/gtest.h>

#include <array>
#include <random>

namespace gw::training::codec_test {
namespace {

TEST(Codec, NamesComeBack) {
  for (const char* spec :
       {"none", "nocommunication", "raw", "wgt:t=2^-8", "bgt:t=0.001,coding=rice",
        "qgt:t=2^-10,residual=off", "onebit", "onebit-preceding", "adaptive:p=3", "mxfp8", "mxfp4",
        "mxfp4:residual=on", "inceptionn:bound=8,mode=paper", "inceptionn", "truncate:22"}) {
    const CodecResult first = parse_codec(spec);
    ASSERT_TRUE(first.codec) << spec << ": " << first.error;
    const CodecResult second = parse_codec(first.codec->text());
    ASSERT_TRUE(second.codec) << first.codec->text();
    EXPECT_EQ(second.codec->text(), first.codec->text());
  }
}

TEST(Codec, RefusesInASentence) {
  for (const char* spec : {"",
                           "zip",
                           "none:x",
                           "nocommunication:t=1",
                           "onebit-preceding:p=1",
                           "wgt:t=0",
                           "wgt:t=2^101",
                           "qgt:t=-1",
                           "adaptive:p=0",
                           "adaptive:p=11",
                           "adaptive:p=x",
                           "inceptionn:bound=0",
                           "inceptionn:bound=15",
                           "inceptionn:bound=",
                           "inceptionn:mode=fast",
                           "inceptionn:t=1",
                           "mxfp8:t=1",
                           "truncate",
                           "truncate:",
                           "truncate:0",
                           "truncate:32",
                           "truncate:16b",
                           "truncate:bits=16"}) {
    const CodecResult result = parse_codec(spec);
    EXPECT_FALSE(result.codec) << spec;
    EXPECT_FALSE(result.error.empty()) << spec;
    EXPECT_EQ(result.error.find('\n'), std::string::npos);
  }
}

TEST(Codec, PayloadIsAsThePapersCount) {
  const auto bits = [](const char* spec, size_t entries, size_t bytes) {
    return parse_codec(spec).codec->payload_bits(entries, bytes);
  };
  EXPECT_EQ(bits("wgt", 10, 99), 320u);
  EXPECT_EQ(bits("bgt", 10, 99), 10u);
  EXPECT_EQ(bits("qgt", 10, 99), 80u);
  EXPECT_EQ(bits("onebit", 10, 99), 10u);
  EXPECT_EQ(bits("onebit-preceding", 10, 99), 10u);
  EXPECT_EQ(bits("none", 10, 40), 320u);
  EXPECT_EQ(bits("mxfp8", 32, 16 + 33 + 1), 8u * 33);
  EXPECT_EQ(bits("inceptionn", 10, 99), 8u * 99);
  EXPECT_EQ(bits("truncate:22", 10, 99), 100u);
}

TEST(Codec, TruncationDropsTheLowBitsOfEveryValue) {
  // 1 + 2^-7 + 2^-8, with 16 bits dropped, keeps seven bits of its mantissa: 2^-8 is lost.
  const Codec codec = *parse_codec("truncate:16").codec;
  EXPECT_FALSE(codec.conserves());
  EXPECT_FALSE(codec.has_residuals());
  const auto sender = make_sender(codec, 1, 1);
  std::vector<uint8_t> packet;
  std::array<float, 3> got{};
  EXPECT_EQ(sender->send(std::array{1 + 0x1p-7f + 0x1p-8f, -0.5f, 0.0f}, 0, false, packet), 3u);
  EXPECT_EQ(packet.size(), 6u);
  receive(codec, packet, got);
  EXPECT_EQ(got, (std::array{1 + 0x1p-7f, -0.5f, 0.0f}));
  // 24 bits are the mantissa and the last bit of the exponent: of 127 (1.5) only 126 is left.
  const Codec exponent = *parse_codec("truncate:24").codec;
  const auto coarse = make_sender(exponent, 1, 1);
  coarse->send(std::array{1.5f, -3.0f, 0.75f}, 0, false, packet);
  EXPECT_EQ(packet.size(), 3u);
  receive(exponent, packet, got);
  EXPECT_EQ(got, (std::array{0.5f, -2.0f, 0.5f}));
}

TEST(Codec, PrecedingMeansAreTheChunksOwnOneIterationLater) {
  const Codec codec = *parse_codec("onebit-preceding").codec;
  const auto sender = make_sender(codec, 1, 1);
  std::vector<uint8_t> packet;
  std::array<float, 4> got{};
  // Nothing precedes: means 2 and -3. Residuals -1, 1, -1, 1.
  sender->send(std::array{1.0f, 3.0f, -4.0f, -2.0f}, 0, false, packet);
  receive(codec, packet, got);
  EXPECT_EQ(got, (std::array{2.0f, 2.0f, -3.0f, -3.0f}));
  // Sums 9, 11, -11, -9, whose means are 10 and -10: sent are 2 and -3.
  sender->send(std::array{10.0f, 10.0f, -10.0f, -10.0f}, 0, false, packet);
  receive(codec, packet, got);
  EXPECT_EQ(got, (std::array{2.0f, 2.0f, -3.0f, -3.0f}));
  EXPECT_EQ(sender->residuals()[0], 7.0f);
  sender->send(std::array{0.0f, 0.0f, 0.0f, 0.0f}, 0, false, packet);
  receive(codec, packet, got);
  EXPECT_EQ(got, (std::array{10.0f, 10.0f, -10.0f, -10.0f}));
}

}  // namespace
}  // namespace gw::training::codec_test
