// Writing: files, slices, frames.
#include <gtest/gtest.h>

#include "tests/capture/frames.h"

namespace gw::capture::testing {
namespace {

Packet packet_of(const Bytes& frame) { return capture_of({frame}).packets[0]; }

TEST(Writer, WhatIsWrittenIsRead) {
  const TemporaryFolder folder;
  for (const auto precision : {Precision::kMicroseconds, Precision::kNanoseconds}) {
    const auto file = folder / "out.pcap";
    auto writer = PcapWriter::open(file, precision);
    ASSERT_TRUE(writer);
    const std::int64_t time = 1700000000123456789;
    EXPECT_FALSE(writer->write(time, udp_frame(ramp(8))));
    EXPECT_FALSE(writer->write(time + 1000, udp_frame(ramp(4)), 1500));
    EXPECT_FALSE(writer->close());
    EXPECT_FALSE(writer->close());
    EXPECT_EQ(writer->packets(), 2u);
    EXPECT_EQ(writer->file_bytes(), std::filesystem::file_size(file));
    EXPECT_TRUE(writer->write(time, ramp(60)));  // closed
    const auto back = read(file);
    ASSERT_TRUE(back);
    EXPECT_EQ(back->precision, precision);
    ASSERT_EQ(back->packets.size(), 2u);
    EXPECT_EQ(back->packets[0].timestamp_ns,
              precision == Precision::kNanoseconds ? time : time / 1000 * 1000);
    EXPECT_EQ(back->packets[0].bytes, udp_frame(ramp(8)));
    EXPECT_EQ(back->packets[1].original_length, 1500u);
  }
}

TEST(Writer, AFullDiskIsReported) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "no /dev/full here";
  auto writer = PcapWriter::open("/dev/full");
  ASSERT_TRUE(writer);
  Status status;
  for (int i = 0; i < 1000 && !status; ++i) status = writer->write(0, ramp(1000));
  ASSERT_TRUE(status);
  EXPECT_NE(status->sentence.find("/dev/full: cannot be written after packet"), std::string::npos)
      << status->sentence;
  // A small file is found out by close().
  auto small = PcapWriter::open("/dev/full");
  ASSERT_TRUE(small);
  EXPECT_FALSE(small->write(0, ramp(60)));
  EXPECT_TRUE(small->close());
}

TEST(Writer, UnwritablePlace) {
  const TemporaryFolder folder;
  const auto writer = PcapWriter::open(folder / "no/such/folder.pcap");
  ASSERT_FALSE(writer);
  EXPECT_NE(writer.error().sentence.find("cannot be written"), std::string::npos);
}

TEST(Writer, TooLongAFrame) {
  const TemporaryFolder folder;
  auto writer = PcapWriter::open(folder / "long.pcap");
  ASSERT_TRUE(writer);
  EXPECT_TRUE(writer->write(0, Bytes(262145)));
  EXPECT_FALSE(writer->write(0, Bytes(262144)));
}

TEST(Slice, KeepsTheSynOfItsFlows) {
  const TemporaryFolder folder;
  std::vector<Bytes> frames{tcp_frame(99, {}, kSyn)};
  for (std::uint32_t i = 0; i < 10; ++i) frames.push_back(tcp_frame(100 + 8 * i, ramp(8)));
  Capture c = capture_of(frames);
  c.file = folder / "source.pcap";
  SliceOptions options;
  options.first = 5;
  options.last = 8;
  auto written = slice(c, folder / "cut.pcap", options);
  ASSERT_TRUE(written) << written.error().sentence;
  EXPECT_EQ(*written, 5u);
  auto cut = read(folder / "cut.pcap");
  ASSERT_TRUE(cut);
  const auto s = select(*cut);
  ASSERT_EQ(s.payloads.size(), 4u);
  EXPECT_EQ(s.payloads[0].stream_offset, 24u);

  options.keep_syn = false;
  EXPECT_EQ(*slice(c, folder / "cut.pcap", options), 4u);
  cut = read(folder / "cut.pcap");
  ASSERT_TRUE(cut);
  EXPECT_EQ(select(*cut).skipped[Skip::kNoStreamStart], 4u);

  options = {};
  options.max_file_bytes = 300;
  EXPECT_EQ(*slice(c, folder / "cut.pcap", options), 3u);
  EXPECT_LE(std::filesystem::file_size(folder / "cut.pcap"), 300u);
}

TEST(Slice, NeverOntoItsSource) {
  const TemporaryFolder folder;
  const auto file =
      folder.write("a.pcap", pcap_header({}, false) + pcap_record({}, 1, 1, udp_frame(ramp(8))));
  const Bytes before = load(file);
  const auto capture = read(file);
  ASSERT_TRUE(capture);
  const auto written = slice(*capture, folder / "../" / file.parent_path().filename() / "a.pcap");
  ASSERT_FALSE(written);
  EXPECT_NE(written.error().sentence.find("is the capture itself"), std::string::npos);
  EXPECT_EQ(load(file), before);
}

TEST(Frame, ReplacedPayloadsKeepTheHeaders) {
  Ip ip;
  ip.options = Bytes(8, 1);
  Tcp t;
  t.options = Bytes(12, 1);
  t.sequence = 77;
  const std::vector<Bytes> originals{
      tcp_frame(5, ramp(16)), udp_frame(ramp(16)), ethernet(ipv4(ip, tcp(t, ramp(16)))),
      ethernet(ipv4({}, tcp(t, {})), 0x0800, {{0x88A8, 3}, {0x8100, 4}})};
  for (const auto& original : originals) {
    for (const std::size_t size : {0, 1, 2, 15, 1400, 9000}) {
      const Packet before = packet_of(original);
      const auto frame = replace_payload(before, ramp(size, 9));
      ASSERT_TRUE(frame) << frame.error().sentence;
      const Packet after = packet_of(*frame);
      ASSERT_FALSE(after.layers.stopped);
      EXPECT_EQ(Bytes(after.payload().begin(), after.payload().end()), ramp(size, 9));
      EXPECT_EQ(after.layers.flow(), before.layers.flow());
      EXPECT_EQ(after.layers.vlan, before.layers.vlan);
      EXPECT_EQ(after.layers.ipv4->tos, 0x28);
      EXPECT_EQ(after.bytes.size(), before.layers.payload_offset + size);
      EXPECT_TRUE(check_checksums(after).ipv4);
      EXPECT_TRUE(check_checksums(after).transport);
      if (after.layers.tcp) {
        EXPECT_EQ(after.layers.tcp->sequence, before.layers.tcp->sequence);
      } else {
        EXPECT_NE(after.bytes[40] * 256 + after.bytes[41], 0);  // UDP: there is a checksum
      }
      Packet broken = after;
      broken.bytes.back() ^= 0x40;
      EXPECT_FALSE(check_checksums(broken).transport);
    }
  }
}

TEST(Frame, WhatCannotCarryAPayload) {
  EXPECT_FALSE(replace_payload(packet_of(ethernet(ramp(28), 0x0806)), ramp(4)));
  EXPECT_FALSE(replace_payload(packet_of(tcp_frame(1, ramp(4))), Bytes(65496)));
  EXPECT_TRUE(replace_payload(packet_of(tcp_frame(1, ramp(4))), Bytes(65495)));
  EXPECT_FALSE(make_frame({}, Bytes(65508)));
  EXPECT_TRUE(make_frame({}, Bytes(65507)));
}

TEST(Frame, MadeFramesAreSelected) {
  for (const auto transport : {Transport::kUdp, Transport::kTcp}) {
    FrameAddresses a;
    a.flow.transport = transport;
    a.sequence = 1000;
    a.syn = true;
    const auto syn = make_frame(a, {});
    a.syn = false;
    a.sequence = 1001;
    const auto data = make_frame(a, ramp(400));
    ASSERT_TRUE(syn && data);
    const Capture c = capture_of({*syn, *data});
    for (const auto& p : c.packets) {
      EXPECT_TRUE(check_checksums(p).ipv4 && check_checksums(p).transport);
    }
    const Selection s = select(c);
    ASSERT_EQ(s.payloads.size(), 1u);
    EXPECT_EQ(s.flows[s.payloads[0].flow].key, a.flow);
    EXPECT_EQ(Bytes(s.payloads[0].bytes.begin(), s.payloads[0].bytes.end()), ramp(400));
  }
}

TEST(Frame, ChecksumsByHand) {
  // RFC 1071's arithmetic on a header from the literature: 45 00 00 73 00 00 40 00 40 11 b8 61 c0
  // a8 00 01 c0 a8 00 c7.
  FrameAddresses a;
  a.flow = {0xC0A80001, 0xC0A800C7, 1, 2, Transport::kUdp};
  a.tos = 0;
  const auto frame = make_frame(a, Bytes(0x73 - 28));
  ASSERT_TRUE(frame);
  EXPECT_EQ(Bytes(frame->begin() + 14, frame->begin() + 34),
            (Bytes{0x45, 0x00, 0x00, 0x73, 0x00, 0x00, 0x40, 0x00, 0x40, 0x11,
                   0xB8, 0x61, 0xC0, 0xA8, 0x00, 0x01, 0xC0, 0xA8, 0x00, 0xC7}));
}

}  // namespace
}  // namespace gw::capture::testing
