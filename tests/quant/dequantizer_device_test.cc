// `dequantizer` as a device: every format and reason in lockstep and against the reference, figures
// by hand from its contract (docs/devices/dequantizer.md), options, words, report.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>

#include "models/reference/quant/decoder.h"
#include "sim/base/error.h"
#include "testbenches/quant/packets.h"
#include "testbenches/quant/words.h"
#include "tests/quant/figures.h"

namespace gw::tests::dequantizer_device_test {
namespace {

namespace quant = reference::quant;

const sim::Device& dequantizer() { return quantiser("dequantizer"); }
sim::RunSpec dequantizer_spec(Settings settings = {}) { return spec_of(dequantizer(), settings); }

sim::RawPacket packet_of(const std::vector<uint8_t>& bytes, uint32_t limit = 4096) {
  sim::RawPacket packet;
  packet.bytes = bytes;
  packet.own_config = true;
  packet.config = {limit};
  return packet;
}
std::vector<uint8_t> encoded(const std::string& spec, const std::vector<float>& values) {
  quant::Quantiser quantiser(*quant::parse_config(spec).config, 4096);
  std::vector<uint8_t> packet;
  quantiser.encode(values, 0, packet);
  return packet;
}
std::vector<Row> rows(const std::vector<sim::RawPacket>& packets) {
  return rows_of(packets, dequantizer_spec(), dequantizer());
}
sim::Outcome run_all(const std::vector<sim::RawPacket>& packets) {
  return run(packets, dequantizer_spec(), nullptr, dequantizer());
}

const std::vector<std::string>& codecs() {
  static const std::vector<std::string> kAll = {"raw",
                                                "wgt:t=0.5",
                                                "bgt:t=0.5",
                                                "bgt:t=0.5,coding=rice",
                                                "qgt:t=0.5",
                                                "qgt:t=0.5,coding=rice",
                                                "onebit",
                                                "adaptive:p=2",
                                                "adaptive:p=2,coding=rice",
                                                "mxfp8",
                                                "mxfp4",
                                                "mxfp8-e5m2"};
  return kAll;
}

// ---- Cycles by hand

// A beat accepted in cycle 0 is in the buffer from 1, its step is made there, and what that emits
// leaves seven cycles later.
TEST(DequantizerByHand, OneBeat) {
  EXPECT_EQ(rows({packet_of(encoded("onebit", std::vector<float>(8, 1)))}),
            (std::vector<Row>{{0, 0, 8, 8, 8, 1, 32}}));
  EXPECT_EQ(rows({packet_of(encoded("bgt:t=0.5", {1, 0, -1}))}),
            (std::vector<Row>{{0, 0, 8, 8, 8, 1, 12}}));
  // 2,048 values in 19 bytes: 256 beats of zeros.
  EXPECT_EQ(rows({packet_of(encoded("bgt:t=0.5", std::vector<float>(2048)))}),
            (std::vector<Row>{{0, 0, 8, 8, 263, 256, 8192}}));
}

// A block of MXFP8 is 33 bytes behind 16: its four beats are whole with the first and second beat
// of the packet: 32 bytes hold scale and fifteen elements.
TEST(DequantizerByHand, ABlock) {
  const std::vector<uint8_t> bytes = encoded("mxfp8", std::vector<float>(32, 1));
  EXPECT_EQ(bytes.size(), 50u);
  EXPECT_EQ(rows({packet_of(bytes)}), (std::vector<Row>{{0, 1, 8, 8, 11, 4, 128}}));
}

// The error beat stands where the good one would.
TEST(DequantizerByHand, AnErrorBeat) {
  std::vector<uint8_t> bytes = encoded("onebit", std::vector<float>(24, 1));
  bytes.back() = 8;
  EXPECT_EQ(rows({packet_of(bytes)}), (std::vector<Row>{{0, 0, 8, 8, 10, 3, 96}}));
  EXPECT_EQ(rows({packet_of({1, 2, 3})}), (std::vector<Row>{{0, 0, 8, 8, 8, 1, 32}}));
}

// Every coding but Rice emits a beat a cycle as long as the input carries what it takes; Rice two
// entries a cycle.
TEST(DequantizerFigures, ABeatACycle) {
  sim::Random random(seed());
  for (const std::string& codec : codecs()) {
    if (codec == "raw") continue;  // more than its port carries
    for (const size_t n : {64u, 256u, 1000u, 4096u}) {
      std::vector<float> values(n);
      // Of WGT few: a beat in is no beat out otherwise.
      for (float& v : values) {
        v = random.below(8) == 0 ? (random.below(2) == 0 ? 1.5f : -2.0f) : 0.001f;
      }
      const std::vector<uint8_t> bytes = encoded(codec, values);
      std::vector<float> out;
      const quant::Decoded d = quant::decode_packet(bytes, 4096, out);
      ASSERT_TRUE(d.ok());
      const Row row = rows({packet_of(bytes)}).front();
      const uint64_t cycles = row.last - row.first + 1;
      if (d.k < 0) {
        EXPECT_EQ(cycles, n / 8) << codec << " " << n;
      } else {
        EXPECT_LE(cycles, std::max(n / 8, d.entries / 2) + 16) << codec << " " << n;
      }
    }
  }
}

// ---- Degenerate packets

TEST(Dequantizer, EveryFormatInChunksOfEveryLength) {
  std::vector<sim::RawPacket> packets;
  const std::vector<std::vector<float>> kinds = {
      {0.0f}, {-0.0f}, {1.0f}, {0, 0, 0, 0, 0, 0, 0, 0, 0, -1.5f}, {1, -1}, {1e30f, 1e-30f}};
  for (const std::string& codec : codecs()) {
    for (const size_t n : {1u, 7u, 8u, 9u, 31u, 32u, 33u, 100u, 4095u, 4096u, 4097u}) {
      for (const auto& kind : kinds) {
        std::vector<float> values(n);
        for (size_t i = 0; i < n; ++i) values[i] = kind[i % kind.size()];
        packets.push_back(packet_of(encoded(codec, values)));
      }
    }
  }
  const sim::Outcome outcome = run_all(packets);
  // Of 4,097 values: above the limit.
  std::vector<uint32_t> counts(10);
  counts[5] = counts[9] = static_cast<uint32_t>(codecs().size() * kinds.size());
  EXPECT_EQ(outcome.statistics, counts);
}

TEST(Dequantizer, EveryReasonIsCountedAndThePacketBehindIsGood) {
  sim::Random random(seed());
  for (size_t r = 1; r < quant::kReasons; ++r) {
    const auto reason = static_cast<quant::Reason>(r);
    std::vector<sim::RawPacket> packets;
    std::array<uint32_t, quant::kReasons> reasons{};
    for (int i = 0; i < 60; ++i) {
      const std::string& codec = codecs()[static_cast<size_t>(i) % codecs().size()];
      std::vector<float> values(1 + random.below(200));
      for (float& v : values) v = static_cast<float>(random.below(9)) / 2 - 2;
      const std::vector<uint8_t> good = encoded(codec, values);
      std::vector<uint8_t> bytes = good;
      testbenches::spoil_packet(bytes, reason, random);
      const uint32_t limit =
          reason == quant::Reason::kLimit ? static_cast<uint32_t>(values.size()) - 1 : 4096;
      std::vector<float> out;
      ++reasons[static_cast<size_t>(quant::decode_packet(bytes, limit, out).reason)];
      packets.push_back(packet_of(bytes, limit));
      packets.push_back(packet_of(good));
    }
    const sim::Outcome outcome = run_all(packets);
    uint32_t all = 0;
    for (size_t i = 1; i < quant::kReasons; ++i) {
      EXPECT_EQ(outcome.statistics.at(i - 1), reasons[i]) << i;
      all += reasons[i];
    }
    EXPECT_EQ(outcome.statistics.at(9), all);
    EXPECT_GT(reasons[r], 15u) << quant::reason_name(reason);
  }
}

TEST(Dequantizer, EveryCutOfAPacket) {
  sim::Random random(seed());
  std::vector<float> values(40);
  for (float& v : values) v = static_cast<float>(random.below(9)) / 2 - 2;
  for (const std::string& codec : codecs()) {
    const std::vector<uint8_t> whole = encoded(codec, values);
    std::vector<sim::RawPacket> packets;
    for (size_t size = 1; size <= whole.size(); ++size) {
      packets.push_back(
          packet_of({whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size)}));
    }
    for (const size_t more : {1u, 2u, 31u, 32u, 33u, 64u, 500u}) {
      packets.push_back(packet_of(whole));
      packets.back().bytes.resize(whole.size() + more);
    }
    run_all(packets);
  }
}

// A last beat may have no byte: then the status is the last byte of the beat before it, which shows
// only when it comes. Cut there, a packet ends as the reference says, however late it comes.
TEST(Dequantizer, ALastBeatWithoutAByteComesLate) {
  sim::Random random(seed());
  std::vector<float> values(300);
  for (float& v : values) v = static_cast<float>(random.below(9)) / 2 - 2.25F;
  for (const std::string& codec : codecs()) {
    const std::vector<uint8_t> whole = encoded(codec, values);
    std::vector<sim::RawPacket> packets;
    for (int turn = 0; turn < 20; ++turn) {
      for (size_t beats = 1; beats <= whole.size() / kBeatBytes + 1; ++beats) {
        sim::RawPacket packet = packet_of(whole);
        packet.bytes.resize(beats * kBeatBytes, 0);
        packet.bytes.back() = 0;
        packet.bytes.push_back(0);
        packet.odd = {{.beat = static_cast<uint32_t>(beats), .keep = 0}};
        packets.push_back(std::move(packet));
      }
    }
    sim::RunSpec spec = dequantizer_spec();
    spec.stall = sim::StallSpec::parse("source:97");
    run(packets, spec, nullptr, dequantizer());
  }
}

TEST(Dequantizer, AStatusOrAnInputInErrorLeavesWithTuser) {
  std::vector<sim::RawPacket> packets;
  uint32_t errors = 0;
  for (uint8_t status = 0; status < 8; ++status) {
    for (const bool error : {false, true}) {
      std::vector<uint8_t> bytes = encoded("onebit", std::vector<float>(20, 1));
      bytes.back() = status;
      packets.push_back(packet_of(bytes));
      packets.back().error = error;
      errors += status != 0 || error;
    }
  }
  EXPECT_EQ(run_all(packets).statistics.at(9), errors);
}

TEST(Dequantizer, ValuesThatNoEncoderSends) {
  // 255 T beyond binary32, a T below its normal values, NaN of E4M3 and E5M2, the latter's
  // infinity, the largest scale.
  std::vector<sim::RawPacket> packets;
  for (const uint32_t t : {0x7F7F'FFFFu, 0x0000'0001u, 0x8000'0001u, 0u, 0x3F80'0001u}) {
    std::vector<uint8_t> bytes = {3, 0, 0, 0, 4,    0,    0, 0, 0,   0,   0, 0,
                                  0, 0, 0, 0, 0x0F, 0x05, 1, 2, 254, 255, 0};
    std::memcpy(bytes.data() + 8, &t, 4);
    packets.push_back(packet_of(bytes));
  }
  for (const uint8_t scale : {0, 1, 127, 254, 255}) {
    for (const uint8_t format : {6, 7, 8}) {
      std::vector<uint8_t> bytes = {format, 0, 0, 0, 32, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, scale};
      for (int i = 0; i < (format == 7 ? 16 : 32); ++i) {
        bytes.push_back(static_cast<uint8_t>(i < 16 ? 17 * i : i < 24 ? 0x68 + i : 0xE0 + i));
      }
      bytes.push_back(0);
      packets.push_back(packet_of(bytes));
    }
  }
  const sim::Outcome outcome = run_all(packets);
  EXPECT_EQ(outcome.statistics, (std::vector<uint32_t>(10)));
}

// ---- Options, words, report

TEST(DequantizerOptions, WhatIsRefusedAndHow) {
  const auto refused = [](Settings settings) -> std::string {
    try {
      dequantizer().check(dequantizer_spec(settings));
    } catch (const sim::UsageError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(refused({{"codec", "bgt:t=2^-8,coding=rice/onebit"}}), "");
  EXPECT_NE(refused({{"codec", "bgt//onebit"}}), "");
  EXPECT_EQ(refused({{"codec", "wgt:coding=rice"}}).substr(0, 8), "--codec:");
  EXPECT_EQ(refused({{"limit", "1048576"}}), "--limit 1048576 is not between 0 and 1048575");
  nlohmann::json report;
  dequantizer().describe_settings(dequantizer_spec({{"codec", "bgt:t=0.25/mxfp8"}}), report);
  EXPECT_EQ(report, (nlohmann::json{{"limit", 4096}, {"codec", {"bgt:t=2^-2", "mxfp8"}}}));
}

TEST(DequantizerReport, FormatsAndReasons) {
  std::vector<sim::RawPacket> packets;
  packets.push_back(packet_of(encoded("bgt:t=1", {1, 0, -2})));
  packets.push_back(packet_of(encoded("bgt:t=1,coding=rice", {1, 0, -2})));
  packets.push_back(packet_of({1}));
  const nlohmann::json section = run_all(packets).sections.at("dequantizer");
  EXPECT_EQ(section.at("packets"), 3);
  EXPECT_EQ(section.at("formats"), (nlohmann::json{{"bgt", 1}, {"bgt rice", 1}}));
  EXPECT_EQ(section.at("malformed"), (nlohmann::json{{"short", 1}}));
  EXPECT_EQ(section.at("values"), 6);
  EXPECT_EQ(section.at("entries"), 4);
}

TEST(QuantisedWords, OfEveryFormat) {
  const auto words = [](const std::string& codec, const std::vector<float>& values) {
    return testbenches::describe_quantised(*sim::make_packet<Beat>(encoded(codec, values)), 0);
  };
  EXPECT_EQ(words("bgt:t=1", {1, -2, 0}),
            "19 bytes, header bgt n 3 t 1, group 0: [0] 1 [1] -1, status 0");
  EXPECT_EQ(words("qgt:t=0.5", {0, 0, 1.25f}),
            "20 bytes, header qgt n 3 t 0.5, group 0: [2] 1, status 0");
  EXPECT_EQ(words("wgt:t=1", {0, -2}), "22 bytes, header wgt n 2 t 1, group 0: [1] -2, status 0");
  EXPECT_EQ(words("bgt:t=1", std::vector<float>(20)),
            "19 bytes, header bgt n 20 t 1, 3 empty, status 0");
  EXPECT_EQ(words("bgt:t=1,coding=rice", {0, 1}),
            "19 bytes, header bgt n 2 rice k 6 t 1 [1] 1, end, status 0");
  EXPECT_EQ(words("onebit", {1, -1, 3}),
            "18 bytes, header onebit n 3 means 2 -1, signs 05, status 0");
}

}  // namespace
}  // namespace gw::tests::dequantizer_device_test
