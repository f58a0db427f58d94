// Layers of a packet, and a reason for every packet that cannot be used.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <set>

#include "models/reference/capture/bytes.h"
#include "tests/capture/frames.h"

namespace gw::capture::testing::packet_test {
namespace {

Layers layers_of(const Bytes& frame) { return decode(frame, frame.size()); }

SelectOptions any_start() {
  SelectOptions options;
  options.assume_first_segment_aligned = true;
  return options;
}

TEST(Decode, Tcp) {
  Tcp t;
  t.sequence = 0xFEDCBA98;
  t.flags = kAck | kFin;
  const Bytes frame = ethernet(ipv4({}, tcp(t, ramp(12))));
  const Layers l = layers_of(frame);
  EXPECT_FALSE(l.stopped);
  EXPECT_EQ(l.ether_type, 0x0800);
  EXPECT_EQ(l.network_offset, 14u);
  ASSERT_TRUE(l.ipv4);
  EXPECT_EQ(l.ipv4->tos, 0x28);
  EXPECT_EQ(l.ipv4->ttl, 64);
  EXPECT_EQ(l.ipv4->identification, 7);
  EXPECT_EQ(l.ipv4->total_length, 52u);
  ASSERT_TRUE(l.tcp);
  EXPECT_EQ(l.tcp->sequence, 0xFEDCBA98);
  EXPECT_TRUE(l.tcp->ack && l.tcp->fin && !l.tcp->syn && !l.tcp->rst && !l.tcp->psh);
  EXPECT_EQ(l.payload_offset, 54u);
  EXPECT_EQ(l.payload_length, 12u);
  EXPECT_EQ(l.payload_captured, 12u);
  ASSERT_TRUE(l.flow());
  EXPECT_EQ(l.flow()->to_string(), "tcp 10.0.0.1:40000 > 10.0.0.2:7000");
}

TEST(Decode, OptionsOfIpv4AndTcp) {
  for (std::size_t ip_options = 0; ip_options <= 40; ip_options += 4) {
    for (std::size_t tcp_options = 0; tcp_options <= 40; tcp_options += 4) {
      Ip ip;
      ip.options = Bytes(ip_options, 1);
      Tcp t;
      t.options = Bytes(tcp_options, 1);
      const Layers l = layers_of(ethernet(ipv4(ip, tcp(t, ramp(8)))));
      ASSERT_FALSE(l.stopped);
      ASSERT_EQ(l.payload_offset, 54 + ip_options + tcp_options);
      ASSERT_EQ(l.payload_length, 8u);
    }
  }
}

TEST(Decode, Udp) {
  const Layers l = layers_of(udp_frame(ramp(20)));
  EXPECT_FALSE(l.stopped);
  ASSERT_TRUE(l.udp);
  EXPECT_EQ(l.udp->length, 28u);
  EXPECT_EQ(l.payload_offset, 42u);
  EXPECT_EQ(l.payload_length, 20u);
  EXPECT_EQ(l.flow()->to_string(), "udp 10.0.0.1:40000 > 10.0.0.2:5000");
}

TEST(Decode, VlanTags) {
  const Bytes inner = ipv4({}, tcp({}, ramp(4)));
  Layers l = layers_of(ethernet(inner, 0x0800, {{0x8100, 0xE123}}));
  EXPECT_EQ(l.vlan, (std::vector<std::uint16_t>{0x123}));
  EXPECT_EQ(l.payload_offset, 58u);
  l = layers_of(ethernet(inner, 0x0800, {{0x88A8, 100}, {0x8100, 200}}));
  EXPECT_EQ(l.vlan, (std::vector<std::uint16_t>{100, 200}));
  EXPECT_EQ(l.payload_offset, 62u);
  l = layers_of(ethernet(inner, 0x0800, {{0x9100, 1}, {0x8100, 2}, {0x8100, 3}}));
  EXPECT_EQ(l.vlan.size(), 3u);
  EXPECT_FALSE(l.stopped);
  Bytes endless = ethernet({});
  endless.resize(12);
  for (int i = 0; i < 100; ++i) endless = endless + Bytes{0x81, 0, 0, 1};
  EXPECT_EQ(layers_of(endless).stopped, Skip::kBadHeader);
}

TEST(Decode, EthernetPaddingIsNotPayload) {
  const Bytes frame = tcp_frame(1, ramp(4)) + Bytes(2, 0xEE);
  EXPECT_EQ(layers_of(frame).payload_length, 4u);
}

TEST(Decode, ATotalLengthOfZeroIsTheWholeFrame) {
  Ip ip;
  ip.length = 0;  // as captured from a sender that segments later
  EXPECT_EQ(layers_of(ethernet(ipv4(ip, tcp({}, ramp(4000))))).payload_length, 4000u);
}

TEST(Reasons, NamesAreDifferentAndStable) {
  std::set<std::string_view> names;
  for (std::size_t i = 0; i < kSkipCount; ++i) names.insert(name_of(static_cast<Skip>(i)));
  EXPECT_EQ(names,
            (std::set<std::string_view>{
                "truncated", "bad_header", "not_ipv4", "arp", "vlan_tags", "other_link",
                "not_marked", "not_marked_ecn", "fragment", "other_protocol", "no_payload",
                "no_stream_start", "bad_sequence", "duplicate", "unaligned", "unaligned_length"}));
}

TEST(Reasons, OtherNetworks) {
  EXPECT_EQ(skip_of(ethernet(ramp(28), 0x0806)), "arp");
  EXPECT_EQ(skip_of(ethernet(ramp(60), 0x86DD)), "bad_header");  // its version is 0
  EXPECT_EQ(skip_of(ethernet(ramp(60), 0x88CC)), "not_ipv4");
  EXPECT_EQ(skip_of(ethernet(ramp(60), 60)), "not_ipv4");  // 802.3: a length
  EXPECT_EQ(skip_of(ethernet(ramp(28), 0x0806, {{0x8100, 1}})), "arp");
}

TEST(Reasons, Marks) {
  const auto with_tos = [](std::uint8_t tos) { return udp_frame(ramp(8), tos); };
  EXPECT_EQ(skip_of(with_tos(0x28)), "");
  EXPECT_EQ(skip_of(with_tos(0x00)), "not_marked");
  EXPECT_EQ(skip_of(with_tos(0x2C)), "not_marked");
  for (const std::uint8_t tos : {0x29, 0x2A, 0x2B}) {
    EXPECT_EQ(skip_of(with_tos(tos)), "");
    SelectOptions options;
    options.tos_mask = 0xFF;
    EXPECT_EQ(skip_of(with_tos(tos), SIZE_MAX, options), "not_marked_ecn");
  }
  SelectOptions other;
  other.tos = 0x10;
  EXPECT_EQ(skip_of(with_tos(0x10), SIZE_MAX, other), "");
  EXPECT_EQ(skip_of(with_tos(0x28), SIZE_MAX, other), "not_marked");
}

TEST(Reasons, FragmentsAndProtocols) {
  Ip ip;
  ip.fragment = 0x2000;  // the first piece
  EXPECT_EQ(skip_of(ethernet(ipv4(ip, tcp({}, ramp(8))))), "fragment");
  ip.fragment = 100;  // the last one
  EXPECT_EQ(skip_of(ethernet(ipv4(ip, ramp(8)))), "fragment");
  ip.fragment = 0x4000;  // only "do not fragment"
  EXPECT_EQ(skip_of(ethernet(ipv4(ip, tcp({}, ramp(8)))), SIZE_MAX, any_start()), "");
  ip.tos = 0;
  ip.fragment = 100;
  EXPECT_EQ(skip_of(ethernet(ipv4(ip, ramp(8)))), "not_marked");
  ip = {};
  ip.protocol = 1;
  EXPECT_EQ(skip_of(ethernet(ipv4(ip, ramp(8)))), "other_protocol");
}

TEST(Reasons, BadHeaders) {
  EXPECT_EQ(skip_of(Bytes(13, 0)), "bad_header");
  EXPECT_EQ(skip_of(Bytes{}), "bad_header");
  EXPECT_EQ(skip_of(ethernet(Bytes(19, 0x45))), "bad_header");
  Ip ip;
  ip.version = 6;
  EXPECT_EQ(skip_of(ethernet(ipv4(ip, tcp({}, ramp(8))))), "bad_header");
  ip = {};
  ip.ihl = 4;
  EXPECT_EQ(skip_of(ethernet(ipv4(ip, tcp({}, ramp(8))))), "bad_header");
  ip = {};
  ip.length = 19;
  EXPECT_EQ(skip_of(ethernet(ipv4(ip, tcp({}, ramp(8))))), "bad_header");
  ip.length = 49;  // one more than there is
  EXPECT_EQ(skip_of(ethernet(ipv4(ip, tcp({}, ramp(8))))), "bad_header");
  Tcp t;
  for (const int words : {0, 4, 8, 15}) {
    t.words = words;
    EXPECT_EQ(skip_of(ethernet(ipv4({}, tcp(t, ramp(8))))), "bad_header") << words;
  }
  EXPECT_EQ(skip_of(ethernet(ipv4({}, ramp(19)))), "bad_header");
  ip = {};
  ip.protocol = 17;
  EXPECT_EQ(skip_of(ethernet(ipv4(ip, udp(ramp(8), 7)))), "bad_header");
  EXPECT_EQ(skip_of(ethernet(ipv4(ip, udp(ramp(8), 17)))), "bad_header");
  EXPECT_EQ(skip_of(ethernet(ipv4(ip, ramp(7)))), "bad_header");
  ip.tos = 0;  // an unmarked packet is only that, once its mark can be read
  EXPECT_EQ(skip_of(ethernet(ipv4(ip, udp(ramp(8), 7)))), "not_marked");
}

TEST(Reasons, Payloads) {
  EXPECT_EQ(skip_of(tcp_frame(1, {})), "no_payload");
  EXPECT_EQ(skip_of(udp_frame({})), "no_payload");
  for (std::size_t size = 1; size < 12; ++size) {
    EXPECT_EQ(skip_of(udp_frame(ramp(size))), size % 4 == 0 ? "" : "unaligned_length");
    EXPECT_EQ(skip_of(tcp_frame(1, ramp(size)), SIZE_MAX, any_start()),
              size % 4 == 0 ? "" : "unaligned");
  }
  SelectOptions strict;
  strict.assume_first_segment_aligned = false;
  EXPECT_EQ(skip_of(tcp_frame(1, ramp(8)), SIZE_MAX, strict), "no_stream_start");
}

TEST(Reasons, SnaplenCutsAreTruncatedWhereverTheyFall) {
  Ip ip;
  ip.options = Bytes(4, 1);
  Tcp t;
  t.options = Bytes(12, 1);
  const Bytes frame = ethernet(ipv4(ip, tcp(t, ramp(16))), 0x0800, {{0x8100, 1}});
  for (std::size_t kept = 0; kept < frame.size(); ++kept) {
    EXPECT_EQ(skip_of(frame, kept, any_start()), "truncated") << kept;
  }
  EXPECT_EQ(skip_of(frame, frame.size(), any_start()), "");
  const Bytes datagram = udp_frame(ramp(16));
  for (std::size_t kept = 0; kept < datagram.size(); ++kept) {
    EXPECT_EQ(skip_of(datagram, kept), "truncated") << kept;
  }
  // Without a payload there is nothing behind the header that could be missing.
  const Bytes empty = ethernet(ipv4(ip, tcp(t, {})), 0x0800, {{0x8100, 1}});
  for (std::size_t kept = 0; kept < empty.size(); ++kept) {
    EXPECT_EQ(skip_of(empty, kept, any_start()), "truncated") << kept;
  }
  const Bytes nothing = udp_frame({});
  for (std::size_t kept = 0; kept < nothing.size(); ++kept) {
    EXPECT_EQ(skip_of(nothing, kept), "truncated") << kept;
  }
  // Nothing is known to be missing of these.
  EXPECT_EQ(skip_of(tcp_frame(1, {}) + Bytes(6, 0), 54), "no_payload");
  EXPECT_EQ(skip_of(udp_frame(ramp(8), 0), 36), "not_marked");
  EXPECT_EQ(skip_of(ethernet(ramp(28), 0x0806), 14), "arp");
}

// A sum of words whose first fold carries again.
TEST(Sums, AreFoldedUntilNoCarryIsLeft) {
  const std::vector<std::uint8_t> words = {0xFF, 0xFF, 0xFF, 0xFF, 0x00, 0x01};  // 0x1FFFF, 0x10000
  EXPECT_EQ(add_words(words), 1u);
  EXPECT_EQ(add_words(std::span(words).first(4)), 0xFFFFu);
  EXPECT_EQ(add_words(std::span(words).first(2), 0x3FFFE), 2u);  // 0x4FFFD, 0x10001, 2
}

}  // namespace
}  // namespace gw::capture::testing::packet_test
