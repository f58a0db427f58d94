// TCP streams: where they start, what is aligned, what was seen before.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tests/capture/frames.h"

namespace gw::capture::testing::select_test {
namespace {

using Names = std::map<std::string, std::uint64_t>;

TEST(Select, CountsTheStreamFromItsSyn) {
  const Capture c = capture_of({tcp_frame(0xFFFFFFF0, {}, kSyn), tcp_frame(0xFFFFFFF1, ramp(12)),
                                tcp_frame(0xFFFFFFFD, ramp(8)), tcp_frame(5, ramp(4))});
  const Selection s = select(c);
  ASSERT_EQ(s.payloads.size(), 3u);
  EXPECT_EQ(s.payloads[0].stream_offset, 0u);
  EXPECT_EQ(s.payloads[1].stream_offset, 12u);
  EXPECT_EQ(s.payloads[2].stream_offset, 20u);  // across the wrap of the sequence number
  EXPECT_EQ(s.payloads[2].packet, 4u);
  EXPECT_EQ(s.payloads[2].index, 3u);
  EXPECT_EQ(Bytes(s.payloads[1].bytes.begin(), s.payloads[1].bytes.end()), ramp(8));
  EXPECT_EQ(s.skipped.by_name(), (Names{{"no_payload", 1}}));
  EXPECT_EQ(s.bytes, 24u);
  EXPECT_EQ(s.marked, 4u);
  ASSERT_EQ(s.flows.size(), 1u);
  EXPECT_EQ(s.flows[0].first_sequence, 0xFFFFFFF1);
  EXPECT_EQ(s.flows[0].packets, 4u);
  EXPECT_EQ(s.flows[0].selected, 3u);
  EXPECT_EQ(s.flows[0].selected_bytes, 24u);
}

TEST(Select, StreamsLongerThanTheSequenceNumber) {
  std::vector<Bytes> frames{tcp_frame(0, {}, kSyn)};
  constexpr std::uint32_t kStep = 0x20000000;
  for (std::uint32_t i = 0; i < 20; ++i) frames.push_back(tcp_frame(1 + i * kStep, ramp(4)));
  const Capture c = capture_of(frames);
  const Selection s = select(c);
  ASSERT_EQ(s.payloads.size(), 20u);
  EXPECT_EQ(s.payloads[19].stream_offset, 19ull * kStep);
}

TEST(Select, FloatsAreLittleEndian) {
  const Capture c = capture_of({udp_frame({0, 0, 0x80, 0x3F, 0, 0, 0, 0xC0})});
  EXPECT_EQ(select(c).payloads.at(0).values(), (std::vector<float>{1.0f, -2.0f}));
}

TEST(Select, UnalignedSegmentsAreNeverFloats) {
  // TCP cut the stream at byte 6; from byte 12 on it is aligned again.
  const Capture c =
      capture_of({tcp_frame(9, {}, kSyn), tcp_frame(10, ramp(6)), tcp_frame(16, ramp(6)),
                  tcp_frame(22, ramp(8)), tcp_frame(30, ramp(3)), tcp_frame(33, ramp(4))});
  const Selection s = select(c);
  ASSERT_EQ(s.payloads.size(), 1u);
  EXPECT_EQ(s.payloads[0].packet, 4u);
  EXPECT_EQ(s.payloads[0].stream_offset, 12u);
  EXPECT_EQ(s.skipped.by_name(), (Names{{"no_payload", 1}, {"unaligned", 4}}));
}

TEST(Select, RetransmittedBytesCountOnce) {
  const std::vector<Bytes> frames{tcp_frame(9, {}, kSyn), tcp_frame(10, ramp(8)),
                                  tcp_frame(18, ramp(8)), tcp_frame(10, ramp(8)),  // again
                                  tcp_frame(14, ramp(8)),    // again, cut otherwise
                                  tcp_frame(22, ramp(8)),    // half of it is new
                                  tcp_frame(38, ramp(4)),    // ahead of a gap
                                  tcp_frame(30, ramp(8)),    // late: fills the gap
                                  tcp_frame(10, ramp(32))};  // everything again
  const Capture c = capture_of(frames);
  Selection s = select(c);
  std::vector<std::uint64_t> packets;
  for (const auto& p : s.payloads) packets.push_back(p.packet);
  EXPECT_EQ(packets, (std::vector<std::uint64_t>{2, 3, 6, 7, 8}));
  EXPECT_EQ(s.skipped[Skip::kDuplicate], 3u);
  SelectOptions options;
  options.keep_duplicates = true;
  EXPECT_EQ(select(c, options).payloads.size(), 8u);
}

TEST(Select, ASecondSynWithTheSameNumberChangesNothing) {
  const Capture c = capture_of({tcp_frame(9, {}, kSyn), tcp_frame(10, ramp(8)),
                                tcp_frame(9, {}, kSyn), tcp_frame(10, ramp(8))});
  EXPECT_EQ(select(c).skipped.by_name(), (Names{{"duplicate", 1}, {"no_payload", 2}}));
}

TEST(Select, ANewConnectionOnTheSamePortsBeginsANewStream) {
  const Capture c = capture_of({tcp_frame(9, {}, kSyn), tcp_frame(10, ramp(8)),
                                tcp_frame(10, {}, kSyn), tcp_frame(11, ramp(8))});
  const Selection s = select(c);
  ASSERT_EQ(s.payloads.size(), 2u);
  EXPECT_EQ(s.payloads[1].stream_offset, 0u);
  EXPECT_EQ(s.flows.size(), 1u);
}

TEST(Select, UnmarkedSynAndBytesCountForTheOffset) {
  // The mark may be set while the connection lives.
  const Capture c =
      capture_of({tcp_frame(9, {}, kSyn, 0), tcp_frame(10, ramp(3), kAck, 0),
                  tcp_frame(13, ramp(4)), tcp_frame(17, ramp(1), kAck, 0), tcp_frame(18, ramp(8))});
  const Selection s = select(c);
  ASSERT_EQ(s.payloads.size(), 1u);
  EXPECT_EQ(s.payloads[0].stream_offset, 8u);
  EXPECT_EQ(s.skipped.by_name(), (Names{{"not_marked", 3}, {"unaligned", 1}}));
}

TEST(Select, SynWithData) {
  const Capture c = capture_of({tcp_frame(9, ramp(8), kSyn), tcp_frame(18, ramp(4))});
  const Selection s = select(c);
  ASSERT_EQ(s.payloads.size(), 2u);
  EXPECT_EQ(s.payloads[0].stream_offset, 0u);
  EXPECT_EQ(s.payloads[1].stream_offset, 8u);
}

TEST(Select, WithoutSyn) {
  const Capture c = capture_of({tcp_frame(102, ramp(8)), tcp_frame(110, ramp(4))});
  SelectOptions strict;
  strict.assume_first_segment_aligned = false;
  EXPECT_EQ(select(c, strict).skipped.by_name(), (Names{{"no_stream_start", 2}}));
  SelectOptions given;
  given.first_sequence[*c.packets[0].layers.flow()] = 98;
  const Selection s = select(c, given);
  ASSERT_EQ(s.payloads.size(), 2u);
  EXPECT_EQ(s.payloads[0].stream_offset, 4u);
  given.first_sequence.begin()->second = 99;
  EXPECT_EQ(select(c, given).skipped.by_name(), (Names{{"unaligned", 2}}));
  const Selection assumed = select(c);
  EXPECT_EQ(assumed.payloads.size(), 2u);
  EXPECT_EQ(assumed.assumed, 1u);
}

TEST(Select, GridOfPacketsLooksAtLengthsAlone) {
  const Capture c = capture_of({tcp_frame(99, {}, kSyn), tcp_frame(101, ramp(8)),
                                tcp_frame(109, ramp(5)), tcp_frame(114, ramp(4))});
  EXPECT_EQ(select(c).skipped.by_name(), (Names{{"no_payload", 1}, {"unaligned", 3}}));
  SelectOptions packet;
  packet.grid = Grid::kPacket;
  EXPECT_EQ(select(c, packet).payloads.size(), 2u);
  SelectOptions encoded;
  encoded.any_length = true;
  EXPECT_EQ(select(c, encoded).payloads.size(), 3u);
}

TEST(Select, SequenceNumbersOutsideTheStream) {
  const Capture c = capture_of({tcp_frame(1000, {}, kSyn), tcp_frame(1001, ramp(4)),
                                tcp_frame(1000, ramp(1)),        // keep-alive
                                tcp_frame(1005 - 400, ramp(4)),  // before the start
                                tcp_frame(0x50000000, ramp(4)),  // beyond any window
                                tcp_frame(1005, ramp(4))});
  const Selection s = select(c);
  EXPECT_EQ(s.payloads.size(), 2u);
  EXPECT_EQ(s.skipped.by_name(), (Names{{"bad_sequence", 3}, {"no_payload", 1}}));
}

TEST(Select, FlowsAreApart) {
  Tcp other;
  other.source = 50000;
  other.flags = kSyn;
  Ip back;
  std::swap(back.source, back.destination);
  const Bytes other_syn = ethernet(ipv4({}, tcp(other, {})));
  other.flags = kAck;
  other.sequence = 2;
  const Capture c = capture_of({tcp_frame(9, {}, kSyn), other_syn, tcp_frame(10, ramp(4)),
                                ethernet(ipv4({}, tcp(other, ramp(8)))),
                                ethernet(ipv4(back, tcp(other, ramp(8)))), udp_frame(ramp(8))});
  SelectOptions strict;
  strict.assume_first_segment_aligned = false;
  const Selection s = select(c, strict);
  ASSERT_EQ(s.flows.size(), 4u);
  ASSERT_EQ(s.payloads.size(), 3u);
  EXPECT_EQ(s.flows[s.payloads[0].flow].key.source_port, 40000);
  EXPECT_EQ(s.flows[s.payloads[1].flow].key.source_port, 50000);
  EXPECT_EQ(s.flows[s.payloads[2].flow].key.transport, Transport::kUdp);
  EXPECT_EQ(s.skipped.by_name(), (Names{{"no_payload", 2}, {"no_stream_start", 1}}));
}

TEST(Select, ATruncatedSegmentIsNotSeen) {
  // Its retransmission is complete: that one is selected.
  Capture c = capture_of({tcp_frame(9, {}, kSyn), tcp_frame(10, ramp(8)), tcp_frame(10, ramp(8))});
  Packet& p = c.packets[1];
  p.bytes.resize(p.bytes.size() - 1);
  p.layers = decode(p.bytes, p.original_length);
  const Selection s = select(c);
  ASSERT_EQ(s.payloads.size(), 1u);
  EXPECT_EQ(s.payloads[0].packet, 3u);
  EXPECT_EQ(s.skipped.by_name(), (Names{{"no_payload", 1}, {"truncated", 1}}));
}

TEST(Info, Counts) {
  Ip ping;
  ping.protocol = 1;
  ping.tos = 0;
  Capture c = capture_of({tcp_frame(9, {}, kSyn), tcp_frame(10, ramp(8)), udp_frame(ramp(8)),
                          ethernet(ramp(28), 0x0806), ethernet(ramp(60), 0x86DD),
                          ethernet(ramp(60), 0x88CC), ethernet(ipv4(ping, ramp(8))),
                          ethernet(ipv4({}, tcp({}, {})), 0x0800, {{0x8100, 1}})});
  c.packets[2].timestamp_ns = 5;
  c.packets[3].bytes.resize(20);
  const Info i = info(c);
  EXPECT_EQ(i.packets, 8u);
  EXPECT_EQ(i.arp, 1u);
  EXPECT_EQ(i.ipv6, 1u);
  EXPECT_EQ(i.other_network, 1u);
  EXPECT_EQ(i.ipv4, 5u);
  EXPECT_EQ(i.tcp, 3u);
  EXPECT_EQ(i.udp, 1u);
  EXPECT_EQ(i.other_transport, 1u);
  EXPECT_EQ(i.vlan, 1u);
  EXPECT_EQ(i.snapped, 1u);
  EXPECT_EQ(i.marked, 4u);
  EXPECT_EQ(i.selected, 2u);
  EXPECT_EQ(i.selected_bytes, 16u);
  EXPECT_EQ(i.first_ns, 5);
  EXPECT_EQ(i.last_ns, 8000);
  EXPECT_EQ(i.original_bytes - i.captured_bytes, 22u);
  EXPECT_EQ(i.flows.size(), 2u);
  EXPECT_EQ(i.bad_checksums, 3u);  // frames.h leaves TCP's at zero
}

}  // namespace
}  // namespace gw::capture::testing::select_test
