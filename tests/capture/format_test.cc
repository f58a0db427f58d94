// Capture files: every format, every way to be cut or damaged.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <random>
#include <thread>

#include "tests/capture/frames.h"

namespace gw::capture::testing::format_test {
namespace {

constexpr std::uint32_t kSeconds = 1700000000;
const Bytes kFrame = udp_frame(ramp(8));

/// The sentence of an error: names the file, ends with a full stop, is one line.
void expect_sentence(const Error& error, const std::filesystem::path& file,
                     const std::string& part) {
  EXPECT_EQ(error.file, file.string());
  EXPECT_NE(error.sentence.find(file.string()), std::string::npos) << error.sentence;
  EXPECT_NE(error.sentence.find(part), std::string::npos) << error.sentence;
  EXPECT_EQ(error.sentence.back(), '.') << error.sentence;
  EXPECT_EQ(error.sentence.find('\n'), std::string::npos) << error.sentence;
}

struct Variant {
  const char* name;
  bool big, nanoseconds;
  const char* format;
};
class Pcap : public ::testing::TestWithParam<Variant> {
 protected:
  TemporaryFolder folder_;
};

TEST_P(Pcap, KeepsTimesLengthsAndBytes) {
  const auto [name, big, nanoseconds, format] = GetParam();
  const FileOrder o{big};
  const auto file = folder_.write("a.pcap", pcap_header(o, nanoseconds) +
                                                pcap_record(o, kSeconds, 123456, kFrame) +
                                                pcap_record(o, kSeconds + 1, 7, kFrame, 1500));
  const auto capture = read(file);
  ASSERT_TRUE(capture) << capture.error().sentence;
  EXPECT_FALSE(capture->damage);
  EXPECT_EQ(capture->format, format);
  EXPECT_EQ(capture->precision, nanoseconds ? Precision::kNanoseconds : Precision::kMicroseconds);
  ASSERT_EQ(capture->packets.size(), 2u);
  const std::int64_t unit = nanoseconds ? 1 : 1000;
  EXPECT_EQ(capture->packets[0].timestamp_ns, kSeconds * 1000000000ll + 123456 * unit);
  EXPECT_EQ(capture->packets[1].timestamp_ns, (kSeconds + 1) * 1000000000ll + 7 * unit);
  EXPECT_EQ(capture->packets[0].number, 1u);
  EXPECT_EQ(capture->packets[1].number, 2u);
  EXPECT_EQ(capture->packets[0].bytes, kFrame);
  EXPECT_EQ(capture->packets[0].original_length, kFrame.size());
  EXPECT_EQ(capture->packets[1].original_length, 1500u);
  EXPECT_EQ(select(*capture).payloads.size(), 2u);
}

TEST_P(Pcap, SaysWhereItIsCut) {
  const auto [name, big, nanoseconds, format] = GetParam();
  const FileOrder o{big};
  const Bytes whole = pcap_header(o, nanoseconds) + pcap_record(o, kSeconds, 0, kFrame) +
                      pcap_record(o, kSeconds, 1, kFrame);
  const std::size_t second = 24 + 16 + kFrame.size();
  for (std::size_t size = 0; size < whole.size(); ++size) {
    SCOPED_TRACE(size);
    const auto file = folder_.write("cut.pcap", Bytes(whole.begin(), whole.begin() + size));
    const auto capture = read(file);
    if (size < 24) {
      ASSERT_FALSE(capture);
      expect_sentence(capture.error(), file, size == 0 ? "is empty" : "within the file header");
      continue;
    }
    ASSERT_TRUE(capture) << capture.error().sentence;
    const std::size_t complete = size < second ? 0 : 1;
    EXPECT_EQ(capture->packets.size(), complete);
    const bool at_border = size == 24 || size == second;
    ASSERT_EQ(capture->damage.has_value(), !at_border);
    if (at_border) continue;
    EXPECT_EQ(capture->damage->packet, complete + 1);
    EXPECT_EQ(capture->damage->offset, complete == 0 ? 24 : second);
    expect_sentence(*capture->damage, file, "is cut off");
  }
}

INSTANTIATE_TEST_SUITE_P(
    Formats, Pcap,
    ::testing::Values(Variant{"MicroLittle", false, false, "pcap, microseconds, little-endian"},
                      Variant{"MicroBig", true, false, "pcap, microseconds, big-endian"},
                      Variant{"NanoLittle", false, true, "pcap, nanoseconds, little-endian"},
                      Variant{"NanoBig", true, true, "pcap, nanoseconds, big-endian"}),
    [](const auto& info) { return info.param.name; });

TEST(Pcapng, BothByteOrdersAndResolutions) {
  const TemporaryFolder folder;
  for (const bool big : {false, true}) {
    for (const int resolution : {6, 9}) {
      const FileOrder o{big};
      const std::uint64_t unit = resolution == 6 ? 1000 : 1;
      const std::uint64_t time = kSeconds * (1000000000ull / unit) + 42;
      const auto file = folder.write(
          "a.pcapng", pcapng_header(o, static_cast<std::uint8_t>(resolution)) +
                          pcapng_packet(o, time, kFrame) + pcapng_packet(o, time + 1, ramp(61)));
      const auto capture = read(file);
      ASSERT_TRUE(capture) << capture.error().sentence;
      EXPECT_FALSE(capture->damage);
      EXPECT_EQ(capture->format, "pcapng");
      ASSERT_EQ(capture->packets.size(), 2u);
      EXPECT_EQ(capture->packets[0].timestamp_ns, static_cast<std::int64_t>(time * unit));
      EXPECT_EQ(capture->packets[0].bytes, kFrame);
      EXPECT_EQ(capture->packets[1].bytes, ramp(61));
    }
  }
}

TEST(Pcapng, CutAnywhereIsAnErrorOrDamage) {
  const TemporaryFolder folder;
  const FileOrder o;
  const Bytes header = pcapng_header(o), packet = pcapng_packet(o, 1, kFrame);
  const Bytes whole = header + packet + packet;
  for (std::size_t size = 1; size < whole.size(); ++size) {
    SCOPED_TRACE(size);
    const auto capture =
        read(folder.write("cut.pcapng", Bytes(whole.begin(), whole.begin() + size)));
    if (size < header.size()) {
      EXPECT_FALSE(capture);
      continue;
    }
    ASSERT_TRUE(capture);
    const std::size_t behind = size - header.size();
    EXPECT_EQ(capture->packets.size(), behind / packet.size());
    EXPECT_EQ(capture->damage.has_value(), behind % packet.size() != 0);
    if (capture->damage) {
      EXPECT_EQ(capture->damage->offset, header.size() + behind / packet.size() * packet.size());
    }
  }
}

TEST(Read, MissingFile) {
  const TemporaryFolder folder;
  const auto capture = read(folder / "nothing.pcap");
  ASSERT_FALSE(capture);
  expect_sentence(capture.error(), folder / "nothing.pcap", "cannot be opened");
}

TEST(Read, Folder) {
  const TemporaryFolder folder;
  const auto capture = read(folder / "");
  ASSERT_FALSE(capture);
  expect_sentence(capture.error(), folder / "", "cannot be read");
}

TEST(Read, SomethingElse) {
  const TemporaryFolder folder;
  const auto file = folder.write("notes.pcap", Bytes(1000, 'x'));
  const auto capture = read(file);
  ASSERT_FALSE(capture);
  expect_sentence(capture.error(), file, "is not a pcap or pcapng capture");
}

TEST(Read, OtherLinkTypesAreNamed) {
  const TemporaryFolder folder;
  const FileOrder o;
  auto file = folder.write("wifi.pcap", pcap_header(o, false, 105));
  auto capture = read(file);
  ASSERT_FALSE(capture);
  expect_sentence(capture.error(), file, "IEEE802_11 (105)");
  file = folder.write("odd.pcap", pcap_header(o, false, 9999));
  capture = read(file);
  ASSERT_FALSE(capture);
  expect_sentence(capture.error(), file, "(9999)");
  file = folder.write("nflog.pcapng", pcapng_header(o, 6, 239));
  capture = read(file);
  ASSERT_FALSE(capture);
  expect_sentence(capture.error(), file, "NFLOG (239)");
}

TEST(Read, NoPacketsIsNoError) {
  const TemporaryFolder folder;
  const auto capture = read(folder.write("none.pcap", pcap_header({}, false)));
  ASSERT_TRUE(capture);
  EXPECT_TRUE(capture->packets.empty());
  EXPECT_EQ(info(*capture).packets, 0u);
}

TEST(Read, StopsWhereAsked) {
  const TemporaryFolder folder;
  const FileOrder o;
  Bytes bytes = pcap_header(o, false);
  for (int i = 0; i < 5; ++i) bytes = bytes + pcap_record(o, 1, 1, kFrame);
  ReadOptions options;
  options.max_packets = 3;
  const auto capture = read(folder.write("five.pcap", bytes), options);
  ASSERT_TRUE(capture);
  EXPECT_EQ(capture->packets.size(), 3u);
}

TEST(Read, AnAbsurdRecordLengthIsDamage) {
  const TemporaryFolder folder;
  const FileOrder o;
  Bytes bytes = pcap_header(o, false) + pcap_record(o, 1, 1, kFrame);
  bytes = bytes + o.u32(1) + o.u32(1) + o.u32(0xFFFFFFF0) + o.u32(0xFFFFFFF0) + kFrame;
  const auto file = folder.write("absurd.pcap", bytes);
  const auto capture = read(file);
  ASSERT_TRUE(capture);
  EXPECT_EQ(capture->packets.size(), 1u);
  ASSERT_TRUE(capture->damage);
  EXPECT_EQ(capture->damage->packet, 2u);
  expect_sentence(*capture->damage, file, "packet 2 at offset ");
}

TEST(Read, Pipe) {
  const TemporaryFolder folder;
  const FileOrder o;
  const auto path = folder / "pipe";
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  std::thread writer([&] {
    folder.write("pipe", pcap_header(o, false) + pcap_record(o, 1, 1, kFrame) + o.u32(1));
  });
  const auto capture = read(path);
  writer.join();
  ASSERT_TRUE(capture) << capture.error().sentence;
  EXPECT_EQ(capture->packets.size(), 1u);
  ASSERT_TRUE(capture->damage);
  EXPECT_FALSE(capture->damage->offset);  // a pipe has none
}

TEST(Fuzz, RandomDamageNeverCrashes) {
  const TemporaryFolder folder;
  constexpr unsigned kSeed = 1;
  std::mt19937 random(kSeed);
  const auto pick = [&](std::size_t n) { return random() % n; };
  Ip with_options;
  with_options.options = Bytes(8, 1);
  Tcp t;
  t.options = Bytes(12, 1);
  const std::vector<Bytes> frames{
      tcp_frame(99, {}, kSyn),
      tcp_frame(100, ramp(64)),
      tcp_frame(164, ramp(64)),
      ethernet(ipv4(with_options, tcp(t, ramp(32)))),
      ethernet(ipv4({}, tcp(t, ramp(32))), 0x0800, {{0x88A8, 5}, {0x8100, 6}}),
      udp_frame(ramp(40)),
      ethernet(ramp(28), 0x0806),
      ethernet(ramp(60), 0x86DD)};
  std::uint64_t read_well = 0, packets = 0, selected = 0;
  for (int round = 0; round < 4000; ++round) {
    SCOPED_TRACE(round);
    const FileOrder o{pick(2) == 0};
    const bool ng = pick(3) == 0;
    Bytes bytes = ng ? pcapng_header(o) : pcap_header(o, pick(2) == 0);
    const std::size_t header = bytes.size();
    for (const auto& f : frames) {
      bytes = bytes + (ng ? pcapng_packet(o, round, f) : pcap_record(o, 1, 1, f));
    }
    // Mostly behind the file header, or nothing would be read.
    const std::size_t spare = pick(8) == 0 ? 0 : header;
    for (std::size_t n = pick(12); n > 0; --n) {
      bytes[spare + pick(bytes.size() - spare)] = static_cast<std::uint8_t>(random());
    }
    if (pick(4) == 0) bytes.resize(pick(bytes.size()));
    const auto capture = read(folder.write("fuzz", bytes));
    if (!capture) {
      EXPECT_FALSE(capture.error().sentence.empty());
      continue;
    }
    ++read_well;
    const Selection selection = select(*capture);
    ASSERT_EQ(selection.payloads.size() + selection.skipped.total(), capture->packets.size());
    packets += selection.packets;
    selected += selection.payloads.size();
    for (const auto& p : selection.payloads) {
      ASSERT_EQ(p.bytes.size() % 4, 0u);
      const Packet& packet = capture->packets[p.index];
      ASSERT_GE(p.bytes.data(), packet.bytes.data());
      ASSERT_LE(p.bytes.data() + p.bytes.size(), packet.bytes.data() + packet.bytes.size());
      ASSERT_TRUE(replace_payload(packet, ramp(20)));
    }
    info(*capture);
  }
  EXPECT_GT(read_well, 1000u);
  EXPECT_GT(packets, 5000u);
  EXPECT_GT(selected, 1000u);
}

TEST(Fuzz, RandomFramesNeverCrash) {
  std::mt19937 random(2);
  for (int round = 0; round < 200000; ++round) {
    Bytes frame(random() % 90);
    for (auto& b : frame) b = static_cast<std::uint8_t>(random());
    if (frame.size() > 24 && round % 4 != 0) {
      frame[12] = round % 4 == 1 ? 0x81 : 0x08;
      frame[13] = 0;
      frame[round % 4 == 1 ? 18 : 14] = static_cast<std::uint8_t>(0x45 + random() % 3);
      frame[16] = 0;
      frame[23] = random() % 2 ? 6 : 17;
    }
    Packet p;
    p.original_length = frame.size() + random() % 3 * 20;
    p.bytes = frame;
    p.layers = decode(p.bytes, p.original_length);
    ASSERT_LE(p.layers.payload_captured, p.layers.payload_length);
    ASSERT_EQ(p.payload().size(), p.layers.payload_captured);
    check_checksums(p);
  }
}

}  // namespace
}  // namespace gw::capture::testing::format_test
