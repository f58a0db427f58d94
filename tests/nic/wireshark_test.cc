// tools/wireshark/gradwire.lua in tshark: what it shows of packed frames and of ExpEther is what
// the references say.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <random>
#include <string>

#include "models/reference/capture/capture.h"
#include "models/reference/expether/frame.h"
#include "tests/nic/frames.h"
#include "tests/nic/tshark.h"

namespace gw::reference::nic::wireshark_test {
namespace {

namespace fs = std::filesystem;
using namespace tests::wireshark;

void write(const fs::path& file, const std::vector<Frame>& frames) {
  auto writer = capture::PcapWriter::open(file);
  ASSERT_TRUE(writer.has_value());
  std::int64_t time = 0;
  for (const auto& frame : frames) {
    ASSERT_FALSE(writer->write(time += 1000, frame, frame.size()).has_value());
  }
  ASSERT_FALSE(writer->close().has_value());
}

void expect_values(const std::string& shown, std::span<const float> values) {
  const auto parts = split(shown, ',');
  ASSERT_EQ(parts.size(), values.size());
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const float there = std::strtof(parts[i].c_str(), nullptr);
    if (std::isnan(values[i])) {
      EXPECT_TRUE(std::isnan(there)) << parts[i];
    } else {
      EXPECT_NEAR(there, values[i], std::abs(values[i]) * 1e-5) << i;
    }
  }
}

std::vector<float> floats_of(std::span<const std::uint8_t> bytes) {
  std::vector<float> out(bytes.size() / 4);
  for (std::size_t i = 0; i < out.size(); ++i) {
    out[i] = std::bit_cast<float>(boost::endian::load_little_u32(&bytes[4 * i]));
  }
  return out;
}

TEST(Wireshark, PackedFrames) {
  if (no_tshark()) GTEST_SKIP() << "tshark is missing";
  struct Sent {
    Host host;
    Packed packed;
    std::string status = "1";
  };
  std::vector<Sent> sent;
  std::vector<Frame> frames;
  for (unsigned seed = 0; seed < 60; ++seed) {
    std::mt19937 random(seed);
    const bool tcp = seed % 3 != 0;
    Host host{.tcp = tcp,
              .tag = seed % 5 == 0,
              .ihl = 5 + seed % 4,
              .data_offset = 5 + seed % 7,
              .payload = {}};
    NicConfig config;
    config.codec = {1 + static_cast<int>(seed % 14), seed % 2 == 0 ? Mode::kBounded : Mode::kPaper};
    NicTx tx(config);
    tx.pack(host.syn());
    host.sequence += 1 + seed % 4;
    const std::size_t phase = tcp ? seed % 4 : 0;
    host.payload = gradients(240 + 4 * (random() % 90) + (tcp ? random() % 4 : 0), seed,
                             seed % 4 == 0 ? 0.9F : 0.02F);
    host.payload.erase(host.payload.begin(),
                       host.payload.begin() + static_cast<std::ptrdiff_t>(phase));
    Frame frame = host.frame();
    Sent s{.host = host, .packed = {}};
    const std::size_t checksum = host.transport_at() + (tcp ? 16 : 6);
    if (seed % 9 == 4) {
      frame[checksum] ^= 0x40;
      s.status = "0";
    }
    if (seed == 12) {
      capture::store16(frame, checksum, 0);
      s.status = "3";
    }
    s.packed = tx.pack(frame);
    ASSERT_EQ(s.packed.action, TxAction::kPacked) << seed;
    frames.push_back(s.packed.frame);
    sent.push_back(s);
  }
  // The last ones: a shim whose CRC is wrong, a stream that ends early, one that goes on.
  const Frame last = frames.back();
  const std::size_t shim = sent.back().host.payload_at(), total = sent.back().host.ip_at() + 2;
  for (const int change : {0, -1, 1}) {
    Frame frame = last;
    if (change == 0) frame[shim] ^= 1;
    capture::store16(frame, total,
                     capture::load16(frame, total) + static_cast<std::size_t>(change));
    frame.push_back(0);
    frames.push_back(frame);
  }
  // A shim as they were before they had a CRC.
  frames.push_back(last);
  frames.back()[shim] = 1;
  // A datagram whose header and shim disagree.
  ASSERT_FALSE(sent[sent.size() - 3].host.tcp);
  frames.push_back(sent[sent.size() - 3].packed.frame);
  capture::store16(frames.back(), sent[sent.size() - 3].host.transport_at() + 4, 99);

  const Folder folder;
  write(folder.path / "packed.pcap", frames);
  const auto rows =
      tshark(folder, folder.path / "packed.pcap",
             {"gradwire.value", "gradwire.checksum.status", "gradwire.bound", "gradwire.mode",
              "gradwire.head", "gradwire.payload", "gradwire.floats", "gradwire.ratio",
              "gradwire.seq", "gradwire.bad_shim", "gradwire.bad_stream", "gradwire.srcport",
              "gradwire.version", "gradwire.crc.status", "gradwire.version_1"});
  ASSERT_EQ(rows.size(), frames.size());
  for (std::size_t i = 0; i < sent.size(); ++i) {
    SCOPED_TRACE(i);
    const auto& [host, packed, status] = sent[i];
    const auto received = std::span(packed.expected).subspan(host.payload_at());
    expect_values(rows[i][0], floats_of(received.subspan(packed.head, 4 * packed.floats)));
    EXPECT_EQ(rows[i][1], status);
    EXPECT_EQ(rows[i][2], std::to_string(1 + i % 14));
    EXPECT_EQ(rows[i][3], i % 2 == 0 ? "1" : "0");
    EXPECT_EQ(rows[i][4], std::to_string(packed.head));
    EXPECT_EQ(rows[i][5], std::to_string(host.payload.size()));
    EXPECT_EQ(rows[i][6], std::to_string(packed.floats));
    const double on_wire =
        capture::load16(packed.frame, host.ip_at() + 2) + host.ip_at() - host.payload_at();
    EXPECT_NEAR(std::stod(rows[i][7]), static_cast<double>(host.payload.size()) / on_wire, 1e-4);
    EXPECT_EQ(rows[i][8], host.tcp ? std::to_string(host.sequence) : "");
    EXPECT_EQ(rows[i][9] + rows[i][10], "");
    EXPECT_EQ(rows[i][11], "4000");
    EXPECT_EQ(rows[i][12], "2");
    EXPECT_EQ(rows[i][13], "1");
    EXPECT_EQ(rows[i][14], "");
  }
  EXPECT_NE(rows[sent.size()][9], "");
  EXPECT_EQ(rows[sent.size()][13], "0");
  for (const std::size_t row : {sent.size() + 1, sent.size() + 2}) {
    EXPECT_NE(rows[row][10], "");
    EXPECT_EQ(rows[row][1], "2");
  }
  const auto& old = rows[sent.size() + 3];
  EXPECT_EQ(old[12], "1");
  EXPECT_NE(old[14], "");
  EXPECT_EQ(old[9], "");
  EXPECT_EQ(old[13], "");
  EXPECT_EQ(old[0], rows[sent.size() - 1][0]);
  EXPECT_NE(rows[sent.size() + 4][9], "");
}

TEST(Wireshark, ExpEther) {
  if (no_tshark()) GTEST_SKIP() << "tshark is missing";
  const Folder folder;
  std::size_t malformed = 0, gradients = 0;
  for (const char* name : {"expether-workers.pcap", "expether-faults.pcap"}) {
    const fs::path file = fs::path(GRADWIRE_SOURCE_DIR) / "traces" / name;
    const auto rows =
        tshark(folder, file,
               {"expether.value", "expether.type", "expether.worker", "expether.group",
                "expether.iteration", "expether.sequence", "expether.ack", "expether.count",
                "_ws.expert.message", "expether.checksum.status"});
    const auto capture = capture::read(file);
    ASSERT_TRUE(capture.has_value());
    ASSERT_EQ(rows.size(), capture->packets.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
      SCOPED_TRACE(std::string(name) + " " + std::to_string(i + 1));
      const auto& bytes = capture->packets[i].bytes;
      const auto c = expether::classify(bytes);
      if (c.kind == expether::Kind::kNotExpEther) {
        EXPECT_EQ(rows[i][1], "");
        continue;
      }
      if (c.kind == expether::Kind::kMalformed) {
        ++malformed;
        EXPECT_NE(rows[i][8].find(expether::name_of(c.reason)), std::string::npos) << rows[i][8];
        continue;
      }
      EXPECT_EQ(rows[i][8].find("Malformed"), std::string::npos) << rows[i][8];
      EXPECT_EQ(rows[i][1], std::to_string(c.fields.type));
      EXPECT_EQ(rows[i][2], std::to_string(c.fields.worker));
      EXPECT_EQ(rows[i][3], std::to_string(c.fields.group));
      EXPECT_EQ(rows[i][4], std::to_string(c.fields.iteration));
      EXPECT_EQ(rows[i][5], std::to_string(c.fields.sequence));
      EXPECT_EQ(rows[i][6], std::to_string(c.fields.ack));
      EXPECT_EQ(rows[i][7], std::to_string(c.fields.count));
      EXPECT_EQ(rows[i][9], "1");
      if (c.kind == expether::Kind::kPlain) continue;
      ++gradients;
      std::vector<float> values;
      for (const auto bits : expether::values_of(bytes, c))
        values.push_back(std::bit_cast<float>(bits));
      expect_values(rows[i][0], values);
    }
  }
  EXPECT_GT(malformed, 20U);
  EXPECT_GT(gradients, 300U);
}

}  // namespace
}  // namespace gw::reference::nic::wireshark_test
