// Writing: files, slices, frames.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <csignal>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <thread>

#include "tests/capture/frames.h"

namespace gw::capture::testing::write_test {
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

TEST(Writer, PcapngIsReadWithItsComments) {
  const TemporaryFolder folder;
  const auto file = folder / "out.pcapng";
  auto writer = PcapngWriter::open(file);
  ASSERT_TRUE(writer);
  const std::int64_t time = 1700000000123456789;
  // Frames and comments of every remainder of four bytes; none; and more than an option can hold.
  std::vector<std::string> comments;
  for (std::size_t i = 0; i < 9; ++i) {
    comments.push_back(i == 8 ? std::string(70'000, 'x') : std::string(i, 'c'));
    ASSERT_FALSE(writer->write(time + static_cast<std::int64_t>(i), udp_frame(ramp(8 + i / 2)),
                               comments.back()));
  }
  comments.back().resize(0xFFFF);
  EXPECT_EQ(writer->packets(), 9u);
  EXPECT_FALSE(writer->close());
  EXPECT_FALSE(writer->close());
  EXPECT_TRUE(writer->write(time, ramp(60)));  // closed
  const auto back = read(file);
  ASSERT_TRUE(back);
  EXPECT_FALSE(back->damage) << back->damage->sentence;
  ASSERT_EQ(back->packets.size(), 9u);
  for (std::size_t i = 0; i < 9; ++i) {
    EXPECT_EQ(back->packets[i].timestamp_ns, time + static_cast<std::int64_t>(i));
    EXPECT_EQ(back->packets[i].bytes, udp_frame(ramp(8 + i / 2)));
  }
  if (std::system("command -v tshark > /dev/null && command -v capinfos > /dev/null") != 0) {
    GTEST_SKIP() << "tshark and capinfos are missing";
  }
  const std::string text = folder / "text";
  ASSERT_EQ(std::system(("tshark -n -r '" + file.string() + "' -T fields -e frame.comment > '" +
                         text + "' 2> /dev/null")
                            .c_str()),
            0);
  std::ifstream lines(text);
  std::string line;
  for (const std::string& comment : comments) {
    ASSERT_TRUE(std::getline(lines, line));
    EXPECT_EQ(line, comment);
  }
  ASSERT_EQ(std::system(("capinfos '" + file.string() + "' > '" + text + "' 2>&1").c_str()), 0);
  std::stringstream said;
  said << std::ifstream(text).rdbuf();
  EXPECT_NE(said.str().find("pcapng"), std::string::npos) << said.str();
  EXPECT_NE(said.str().find("nanoseconds"), std::string::npos) << said.str();
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
  auto pcapng = PcapngWriter::open("/dev/full");
  ASSERT_TRUE(pcapng);
  Status other;
  for (int i = 0; i < 1000 && !other; ++i) other = pcapng->write(0, ramp(1000));
  ASSERT_TRUE(other);
  EXPECT_NE(other->sentence.find("/dev/full: cannot be written after packet"), std::string::npos);
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

/// A capture of these frames in the folder.
std::filesystem::path write_capture(const TemporaryFolder& folder,
                                    const std::vector<Bytes>& frames) {
  Bytes file = pcap_header({}, true);
  for (std::size_t i = 0; i < frames.size(); ++i) {
    file = file + pcap_record({}, 1, static_cast<std::uint32_t>(i), frames[i]);
  }
  return folder.write("source.pcap", file);
}

/// Ten segments behind their SYN.
std::vector<Bytes> a_stream() {
  std::vector<Bytes> frames{tcp_frame(99, {}, kSyn)};
  for (std::uint32_t i = 0; i < 10; ++i) frames.push_back(tcp_frame(100 + 8 * i, ramp(8)));
  return frames;
}

TEST(Slice, KeepsTheSynOfItsFlows) {
  const TemporaryFolder folder;
  const auto source = write_capture(folder, a_stream());
  SliceOptions options;
  options.first = 5;
  options.last = 8;
  auto sliced = slice(source, folder / "cut.pcap", options);
  ASSERT_TRUE(sliced) << sliced.error().sentence;
  EXPECT_EQ(sliced->written, 5u);
  EXPECT_EQ(sliced->of, 11u);
  EXPECT_FALSE(sliced->damage);
  auto cut = read(folder / "cut.pcap");
  ASSERT_TRUE(cut);
  const auto s = select(*cut);
  ASSERT_EQ(s.payloads.size(), 4u);
  EXPECT_EQ(s.payloads[0].stream_offset, 24u);

  options.keep_syn = false;
  EXPECT_EQ(slice(source, folder / "cut.pcap", options)->written, 4u);
  cut = read(folder / "cut.pcap");
  ASSERT_TRUE(cut);
  SelectOptions strict;
  strict.assume_first_segment_aligned = false;
  EXPECT_EQ(select(*cut, strict).skipped[Skip::kNoStreamStart], 4u);

  options = {};
  options.max_file_bytes = 300;
  EXPECT_EQ(slice(source, folder / "cut.pcap", options)->written, 3u);
  EXPECT_LE(std::filesystem::file_size(folder / "cut.pcap"), 300u);
}

TEST(Slice, TheFirstPacketMayBeTheSynOfTheSecond) {
  const TemporaryFolder folder;
  const auto source = write_capture(folder, a_stream());
  EXPECT_EQ(slice(source, folder / "cut.pcap", {.first = 2, .last = 2})->written, 2u);
  EXPECT_EQ(slice(source, folder / "cut.pcap", {.first = 1, .last = 2})->written, 2u);
}

TEST(Slice, OfSeveralSynsTheLastBeforeTheRangeCounts) {
  const TemporaryFolder folder;
  // The SYNs of packets 1 and 3 are followed by that of packet 4; the UDP flow has none.
  const auto source =
      write_capture(folder, {tcp_frame(9, {}, kSyn), udp_frame(ramp(8)), tcp_frame(9, {}, kSyn),
                             tcp_frame(49, {}, kSyn), udp_frame(ramp(8)), tcp_frame(50, ramp(8)),
                             tcp_frame(89, {}, kSyn), tcp_frame(90, ramp(8))});
  EXPECT_EQ(slice(source, folder / "cut.pcap", {.first = 5, .last = 6})->written, 3u);
  const auto cut = read(folder / "cut.pcap");
  ASSERT_TRUE(cut);
  EXPECT_EQ(cut->packets[0].layers.tcp->sequence, 49u);
  EXPECT_EQ(cut->packets[0].timestamp_ns, 1'000'000'003);
  // None of the flow is in the range, or only a SYN in it.
  EXPECT_EQ(slice(source, folder / "cut.pcap", {.first = 5, .last = 5})->written, 1u);
  EXPECT_EQ(slice(source, folder / "cut.pcap", {.first = 8, .last = 8})->written, 2u);
}

TEST(Slice, TheFilterLeavesNumbersAsTheyAre) {
  const TemporaryFolder folder;
  auto frames = a_stream();
  frames.insert(frames.begin() + 3, 4, udp_frame(ramp(8)));  // packets 4 to 7
  const auto source = write_capture(folder, frames);
  const auto filter = Filter::compile("tcp");
  ASSERT_TRUE(filter);
  const auto sliced =
      slice(source, folder / "cut.pcap", {.first = 6, .last = 9, .filter = &*filter});
  ASSERT_TRUE(sliced);
  EXPECT_EQ(sliced->written, 3u);  // the SYN, packets 8 and 9
  EXPECT_EQ(sliced->of, 11u);
}

TEST(Slice, APipeGivesWhatItsFileGives) {
  const TemporaryFolder folder;
  const auto source = write_capture(folder, a_stream());
  for (const std::uint64_t first : {1u, 5u}) {  // one pass, two
    const SliceOptions options{.first = first, .last = 8};
    const auto pipe = folder / "pipe";
    ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
    std::thread feeder(
        [&] { std::ofstream(pipe, std::ios::binary) << std::ifstream(source).rdbuf(); });
    const auto of_pipe = slice(pipe, folder / "pipe.pcap", options);
    feeder.join();
    std::filesystem::remove(pipe);
    ASSERT_TRUE(of_pipe) << of_pipe.error().sentence;
    ASSERT_TRUE(slice(source, folder / "file.pcap", options));
    EXPECT_EQ(load(folder / "pipe.pcap"), load(folder / "file.pcap"));
    EXPECT_EQ(of_pipe->of, 11u);
  }
}

TEST(Slice, OfADamagedCaptureKeepsWhatIsWhole) {
  const TemporaryFolder folder;
  const auto source = write_capture(folder, a_stream());
  std::filesystem::resize_file(source, std::filesystem::file_size(source) - 3);
  const auto sliced = slice(source, folder / "cut.pcap", {.first = 8});
  ASSERT_TRUE(sliced);
  EXPECT_EQ(sliced->written, 4u);  // the SYN, packets 8 to 10
  ASSERT_TRUE(sliced->damage);
  EXPECT_NE(sliced->damage->sentence.find("packet 11"), std::string::npos);
  EXPECT_FALSE(read(folder / "cut.pcap")->damage);
}

TEST(Slice, NoHalfFileIsLeft) {
  const TemporaryFolder folder;
  const auto source = write_capture(folder, a_stream());
  struct Limit {  // a file size limit stands in for a full disk
    explicit Limit(rlim_t bytes) {
      ::getrlimit(RLIMIT_FSIZE, &old);
      const rlimit small{bytes, old.rlim_max};
      ::setrlimit(RLIMIT_FSIZE, &small);
      ::signal(SIGXFSZ, SIG_IGN);
    }
    ~Limit() { ::setrlimit(RLIMIT_FSIZE, &old); }
    rlimit old{};
  };
  std::optional<Expected<Sliced>> sliced;
  {
    const Limit limit(500);
    sliced = slice(source, folder / "cut.pcap");
  }
  ASSERT_FALSE(*sliced);
  EXPECT_NE(sliced->error().sentence.find("cannot be written after packet"), std::string::npos);
  EXPECT_FALSE(std::filesystem::exists(folder / "cut.pcap"));
  EXPECT_FALSE(slice(source, "/dev/full"));
  EXPECT_TRUE(std::filesystem::exists("/dev/full"));
  EXPECT_FALSE(slice(folder / "absent.pcap", folder / "cut.pcap"));
  EXPECT_FALSE(std::filesystem::exists(folder / "cut.pcap"));
}

TEST(Slice, NeverOntoItsSource) {
  const TemporaryFolder folder;
  const auto file = write_capture(folder, a_stream());
  const Bytes before = load(file);
  std::filesystem::create_hard_link(file, folder / "other.pcap");
  for (const auto& target :
       {folder / "../" / file.parent_path().filename() / "source.pcap", folder / "other.pcap"}) {
    const auto written = slice(file, target);
    ASSERT_FALSE(written);
    EXPECT_NE(written.error().sentence.find("is the capture itself"), std::string::npos);
    EXPECT_EQ(load(file), before);
  }
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
}  // namespace gw::capture::testing::write_test
