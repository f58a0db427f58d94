// Captures as people have them (tests/capture/cases): compressed, of other links, of interfaces
// that differ, with FCS, without the beginning of their streams; and the same made byte by byte.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <boost/crc.hpp>
#include <cstdlib>
#include <random>

#include "models/reference/capture/pcapng.h"
#include "tests/capture/frames.h"

namespace gw::capture::testing::cases_test {
namespace {

std::filesystem::path input(const std::string& name) {
  return std::filesystem::path(GRADWIRE_SOURCE_DIR) / "tests/capture/cases" / name;
}

Capture load_case(const std::string& name, const ReaderOptions& options = {}) {
  auto capture = read(input(name), {.reader = options});
  EXPECT_TRUE(capture) << (capture ? "" : capture.error().sentence);
  if (!capture) return {};
  EXPECT_FALSE(capture->damage) << capture->damage->sentence;
  return std::move(capture).value();
}

Ip of_udp() {
  Ip ip;
  ip.protocol = 17;
  return ip;
}

// ---- What people have

TEST(Cases, StreamsWithoutTheirBeginning) {
  for (const char* const name : {"midstream.pcap", "midstream.pcap.gz"}) {
    SCOPED_TRACE(name);
    const Capture capture = load_case(name);
    const Selection s = select(capture);
    EXPECT_EQ(s.payloads.size(), 11u);
    EXPECT_EQ(s.assumed, 2u);
    EXPECT_EQ(s.payloads[0].stream_offset, 0u);
    const Selection strict = select(capture, {.assume_first_segment_aligned = false});
    EXPECT_EQ(strict.skipped[Skip::kNoStreamStart], 11u);
    EXPECT_EQ(strict.assumed, 0u);
  }
  EXPECT_EQ(load_case("midstream.pcap.gz").format, "pcapng, gzip");
}

TEST(Cases, UnmarkedOnesSayWhichMarkTheyHave) {
  const Capture capture = load_case("unmarked.pcap");
  const Selection s = select(capture);
  EXPECT_EQ(s.payloads.size(), 0u);
  EXPECT_EQ(s.skipped[Skip::kNotMarked], 30u);
  EXPECT_EQ(s.unmarked_tos, (std::map<std::uint8_t, std::uint64_t>{{0, 29}}));
  EXPECT_EQ(select(capture, {.tos = 0}).payloads.size(), 29u);
}

TEST(Cases, Ipv6AndIpWithoutALink) {
  for (const char* const name : {"ipv6.pcap", "raw-ip.pcap"}) {
    SCOPED_TRACE(name);
    const Capture capture = load_case(name);
    const Selection s = select(capture);
    EXPECT_GT(s.payloads.size(), 18u);
    EXPECT_EQ(s.ipv6, std::string(name) == "ipv6.pcap" ? s.payloads.size() : 0);
    for (const Packet& packet : capture.packets) {
      EXPECT_TRUE(check_checksums(packet).transport) << packet.number;
    }
  }
}

TEST(Cases, AnFcsThatIsDeclaredIsNoPartOfTheFrame) {
  const Capture declared = load_case("fcs-declared.pcapng"), silent = load_case("fcs.pcap");
  const Capture stripped = load_case("fcs.pcap", {.strip_fcs = true});
  ASSERT_EQ(declared.packets.size(), 60u);
  ASSERT_EQ(stripped.packets.size(), 60u);
  for (std::size_t i = 0; i < 60; ++i) {
    EXPECT_EQ(declared.packets[i].bytes, stripped.packets[i].bytes);
    EXPECT_EQ(declared.packets[i].original_length, declared.packets[i].bytes.size());
    EXPECT_EQ(silent.packets[i].bytes.size(), declared.packets[i].bytes.size() + 4);
    EXPECT_TRUE(ends_with_fcs(silent.packets[i].bytes));
    EXPECT_FALSE(ends_with_fcs(declared.packets[i].bytes));
  }
  EXPECT_EQ(info(silent).fcs, 60u);
  EXPECT_EQ(info(declared).fcs, 0u);
}

TEST(Cases, SuperFramesAreCutAsTheNicWouldHave) {
  for (const char* const name : {"gro.pcap", "bigtcp.pcap"}) {
    SCOPED_TRACE(name);
    const Capture joined = load_case(name), cut = load_case(name, {.segment = 1448});
    const Selection before = select(joined), after = select(cut);
    ASSERT_EQ(before.payloads.size(), 1u);
    EXPECT_EQ(after.bytes, before.bytes);
    EXPECT_EQ(after.payloads.size(), (before.bytes + 1447) / 1448);
    std::vector<std::uint8_t> whole;
    std::uint64_t number = 0;
    for (const Packet& packet : cut.packets) {
      EXPECT_EQ(packet.number, ++number);
      EXPECT_LE(packet.bytes.size(), 1514u);
      EXPECT_TRUE(check_checksums(packet).ipv4);
    }
    for (const GradientPayload& p : after.payloads) {
      const Packet& packet = cut.packets[p.index];
      EXPECT_TRUE(check_checksums(packet).transport);
      EXPECT_EQ(packet.layers.ipv4->total_length + 14, packet.bytes.size());
      whole.insert(whole.end(), p.bytes.begin(), p.bytes.end());
    }
    EXPECT_EQ(whole, Bytes(before.payloads[0].bytes.begin(), before.payloads[0].bytes.end()));
  }
}

TEST(Cases, ShortPacketsAreCountedWithTheirBytes) {
  const Capture capture = load_case("snapped.pcap");
  const Selection s = select(capture);
  EXPECT_EQ(s.skipped[Skip::kTruncated], 971u);
  EXPECT_GT(s.skipped.bytes(Skip::kTruncated) * 1000, s.wire_bytes * 999);
}

TEST(Cases, InterfacesOfDifferentSnaplens) {
  const Capture capture = load_case("two-snaplens.pcapng");
  EXPECT_GT(capture.packets.size(), 50u);
  EXPECT_GT(select(capture).payloads.size(), 20u);
}

TEST(Cases, TagsThatNoNicLooksBehindAreNoNicsTraffic) {
  const Capture capture = load_case("vlan-double.pcap");
  const Selection s = select(capture);
  EXPECT_EQ(s.skipped[Skip::kVlanTags], 60u);
  EXPECT_EQ(s.marked, 0u);
  EXPECT_EQ(select(capture, {.any_tags = true}).payloads.size(), 31u);
  const auto tagged = [](std::initializer_list<std::pair<std::uint16_t, std::uint16_t>> tags) {
    return skip_of(ethernet(ipv4(of_udp(), udp(ramp(8))), 0x0800, tags));
  };
  EXPECT_EQ(tagged({{0x8100, 5}}), "");
  EXPECT_EQ(tagged({{0x88A8, 5}}), "vlan_tags");
  EXPECT_EQ(tagged({{0x9100, 5}}), "vlan_tags");
  EXPECT_EQ(tagged({{0x8100, 5}, {0x8100, 6}}), "vlan_tags");
}

// ---- Links

Bytes of_link(std::uint32_t link, const Bytes& packet, bool ipv6) {
  const std::uint16_t type = ipv6 ? 0x86DD : 0x0800;
  switch (link) {
    case 113:
      return be16(0) + be16(1) + be16(6) + Bytes{2, 0, 0, 0, 0, 9, 0, 0} + be16(type) + packet;
    case 276:
      return be16(type) + be16(0) + be32(3) + be16(1) + Bytes{0, 6, 2, 0, 0, 0, 0, 9, 0, 0} +
             packet;
    case 0:
      return Bytes{std::uint8_t(ipv6 ? 10 : 2), 0, 0, 0} + packet;
    case 108:
      return Bytes{0, 0, 0, std::uint8_t(ipv6 ? 30 : 2)} + packet;
    default:
      return packet;
  }
}

Bytes ipv6(const Bytes& inner, std::uint8_t next = 17, std::uint8_t traffic_class = 0x28,
           std::ptrdiff_t length = -1) {
  Bytes h{std::uint8_t(0x60 | traffic_class >> 4), std::uint8_t(traffic_class << 4), 0, 0};
  h = h + be16(length < 0 ? inner.size() : static_cast<std::size_t>(length)) + Bytes{next, 64};
  Bytes source(16), destination(16);
  source[0] = destination[0] = 0xFD;
  source[15] = 1;
  destination[15] = 2;
  return h + source + destination + inner;
}

TEST(Links, EachIsReadAsEthernet) {
  const TemporaryFolder folder;
  const FileOrder o;
  for (const bool six : {false, true}) {
    const Bytes packet = six ? ipv6(udp(ramp(32))) : ipv4(of_udp(), udp(ramp(32)));
    for (const std::uint32_t link : {101u, six ? 229u : 228u, 113u, 276u, 0u, 108u}) {
      SCOPED_TRACE(link);
      const Bytes frame = of_link(link, packet, six);
      for (const bool ng : {false, true}) {
        Bytes file =
            ng ? pcapng_header(o, 9, static_cast<std::uint16_t>(link)) : pcap_header(o, true, link);
        file = file + (ng ? pcapng_packet(o, 5, frame) : pcap_record(o, 0, 5, frame));
        const auto capture = read(folder.write("a", file));
        ASSERT_TRUE(capture) << capture.error().sentence;
        ASSERT_EQ(capture->packets.size(), 1u);
        const Packet& p = capture->packets[0];
        EXPECT_EQ(p.original_length, packet.size() + 14);
        EXPECT_EQ(Bytes(p.bytes.begin() + 14, p.bytes.end()), packet);
        const Selection s = select(*capture);
        ASSERT_EQ(s.payloads.size(), 1u) << s.skipped.by_name().begin()->first;
        EXPECT_EQ(s.payloads[0].bytes.size(), 32u);
        EXPECT_EQ(s.flows[0].key.to_string(), six ? "udp [fd00::1]:40000 > [fd00::2]:5000"
                                                  : "udp 10.0.0.1:40000 > 10.0.0.2:5000");
        const bool cooked = link == 113 || link == 276;
        EXPECT_EQ(p.bytes[11], cooked ? 9 : 1) << "the sender's address";
      }
      // Cut anywhere, it is truncated and nothing else.
      for (std::size_t kept = 0; kept < frame.size(); ++kept) {
        const Bytes cut(frame.begin(), frame.begin() + static_cast<std::ptrdiff_t>(kept));
        const auto capture = read(folder.write(
            "c", pcap_header(o, true, link) + pcap_record(o, 0, 5, cut, frame.size())));
        ASSERT_TRUE(capture);
        EXPECT_EQ(select(*capture).payloads.size(), 0u) << kept;
      }
    }
  }
}

TEST(Links, Ipv6OverItsExtensionHeaders) {
  const Bytes udp_part = udp(ramp(8));
  const auto skip = [](const Bytes& packet) { return skip_of(ethernet(packet, 0x86DD)); };
  EXPECT_EQ(skip(ipv6(udp_part)), "");
  EXPECT_EQ(skip(ipv6(udp_part, 17, 0x2B)), "") << "ECN";
  EXPECT_EQ(skip(ipv6(udp_part, 17, 0x00)), "not_marked");
  EXPECT_EQ(skip(ipv6(Bytes{17, 0, 1, 4, 0, 0, 0, 0} + udp_part, 0)), "") << "hop by hop";
  EXPECT_EQ(skip(ipv6(Bytes{60, 0, 1, 4, 0, 0, 0, 0} + Bytes{17, 1} + Bytes(14) + udp_part, 0)),
            "");
  EXPECT_EQ(skip(ipv6(Bytes{17, 0, 0, 0, 0, 0, 0, 1} + udp_part, 44)), "") << "an atomic fragment";
  EXPECT_EQ(skip(ipv6(Bytes{17, 0, 0, 1, 0, 0, 0, 1} + udp_part, 44)), "fragment");
  EXPECT_EQ(skip(ipv6(Bytes{17, 9, 0, 0, 0, 0, 0, 0} + udp_part, 0)), "bad_header");
  EXPECT_EQ(skip(ipv6(udp_part, 58)), "other_protocol");
  EXPECT_EQ(skip(ipv6(udp_part, 17, 0x28, 0)), "") << "a length of zero is the rest of the frame";
  EXPECT_EQ(skip(ipv6(udp_part, 17, 0x28, 60)), "bad_header");
  EXPECT_EQ(skip(ipv6(Bytes(19), 6)), "bad_header");
}

TEST(Links, Ipv6GetsOtherPayloadsAndSegments) {
  Tcp t;
  t.sequence = 100;
  t.flags = 0x19;  // ACK, PSH, FIN
  const Bytes jumbo = ethernet(
      ipv6(Bytes{6, 0, 0xC2, 4, 0, 0, 0x27, 0x10} + tcp(t, ramp(10'000)), 0, 0x28, 0), 0x86DD);
  const Capture one = capture_of({jumbo});
  ASSERT_EQ(one.packets[0].layers.payload_length, 10'000u);
  const auto replaced = replace_payload(one.packets[0], ramp(64));
  ASSERT_TRUE(replaced);
  EXPECT_TRUE(check_checksums(capture_of({*replaced}).packets[0]).transport);
  const auto segments = cut_segments(jumbo, jumbo.size(), 1000);
  ASSERT_EQ(segments.size(), 10u);
  const Capture cut = capture_of(segments);
  for (std::size_t i = 0; i < 10; ++i) {
    const Packet& p = cut.packets[i];
    EXPECT_TRUE(check_checksums(p).transport);
    EXPECT_EQ(p.layers.tcp->sequence, 100 + 1000 * i);
    EXPECT_EQ(p.layers.tcp->fin, i == 9);
    EXPECT_EQ(p.layers.tcp->psh, i == 9);
    EXPECT_EQ(p.layers.ipv6->header_length, 40u);
  }
}

// ---- pcapng, block by block

Bytes interface_block(FileOrder o, std::uint16_t link, std::uint32_t snaplen,
                      const Bytes& options = {}) {
  return pcapng_block(o, 1, o.u16(link) + o.u16(0) + o.u32(snaplen) + options);
}
Bytes option(FileOrder o, std::uint16_t code, Bytes value) {
  const auto size = static_cast<std::uint16_t>(value.size());
  while (value.size() % 4 != 0) value.push_back(0);
  return o.u16(code) + o.u16(size) + value;
}
Bytes section(FileOrder o) {
  return pcapng_block(
      o, 0x0A0D0D0A,
      o.u32(0x1A2B3C4D) + o.u16(1) + o.u16(0) + o.u32(0xFFFFFFFF) + o.u32(0xFFFFFFFF));
}
Bytes packet_of(FileOrder o, std::uint32_t interface, std::uint64_t time, const Bytes& frame,
                const Bytes& options = {}) {
  Bytes padded = frame;
  while (padded.size() % 4 != 0) padded.push_back(0);
  const auto size = static_cast<std::uint32_t>(frame.size());
  return pcapng_block(o, 6,
                      o.u32(interface) + o.u32(static_cast<std::uint32_t>(time >> 32)) +
                          o.u32(static_cast<std::uint32_t>(time)) + o.u32(size) + o.u32(size) +
                          padded + options);
}

TEST(PcapngBlocks, EachInterfaceByItself) {
  const TemporaryFolder folder;
  for (const bool big : {false, true}) {
    const FileOrder o{big};
    const Bytes raw = ipv4(of_udp(), udp(ramp(8)));
    const Bytes frame = udp_frame(ramp(8));
    const Bytes with_fcs = frame + Bytes{1, 2, 3, 4};
    Bytes file =
        section(o) + interface_block(o, 1, 0) +
        interface_block(o, 101, 96, option(o, 9, {0x80 | 20}) + option(o, 14, Bytes(8, 0))) +
        interface_block(o, 147, 65535) + interface_block(o, 1, 64, option(o, 13, {4}));
    file = file + packet_of(o, 0, 7'000'000, frame) + packet_of(o, 1, 7 << 20, raw) +
           packet_of(o, 2, 9, Bytes(40, 1)) + packet_of(o, 3, 1, with_fcs) +
           packet_of(o, 0, 1, with_fcs, option(o, 2, o.u32(4 << 5))) +
           pcapng_block(o, 3, o.u32(static_cast<std::uint32_t>(frame.size())) + frame) +
           pcapng_block(o, 2,
                        o.u16(0) + o.u16(0) + o.u32(0) + o.u32(5) +
                            o.u32(static_cast<std::uint32_t>(frame.size())) +
                            o.u32(static_cast<std::uint32_t>(frame.size())) + frame);
    // A section of the other byte order, whose interface 0 is another one.
    const FileOrder other{!big};
    file = file + section(other) + interface_block(other, 228, 100) + packet_of(other, 0, 3, raw);
    const auto capture = read(folder.write("a.pcapng", file));
    ASSERT_TRUE(capture) << capture.error().sentence;
    EXPECT_FALSE(capture->damage) << capture->damage->sentence;
    ASSERT_EQ(capture->packets.size(), 8u);
    EXPECT_EQ(capture->packets[0].timestamp_ns, 7'000'000'000);
    EXPECT_EQ(capture->packets[1].timestamp_ns, 7'000'000'000);
    EXPECT_EQ(capture->packets[5].timestamp_ns, 0);
    EXPECT_EQ(capture->packets[6].timestamp_ns, 5000);
    for (const std::size_t i : {0, 3, 4, 5, 6}) EXPECT_EQ(capture->packets[i].bytes, frame) << i;
    const Selection s = select(*capture);
    EXPECT_EQ(s.payloads.size(), 7u);
    EXPECT_EQ(s.skipped[Skip::kOtherLink], 1u);
  }
}

TEST(PcapngBlocks, TimesOfEveryResolution) {
  const auto time = [](std::uint8_t resolution, std::uint64_t ticks, std::int64_t offset = 0) {
    return pcapng_time({.resolution = resolution, .offset = offset}, ticks);
  };
  EXPECT_EQ(time(6, 1'700'000'000'123'456), 1'700'000'000'123'456'000);
  EXPECT_EQ(time(9, 1'700'000'000'123'456'789), 1'700'000'000'123'456'789);
  EXPECT_EQ(time(0, 5), 5'000'000'000);
  EXPECT_EQ(time(12, 1'999), 1);
  EXPECT_EQ(time(127, UINT64_MAX), 0);
  EXPECT_EQ(time(0x80 | 10, 1536), 1'500'000'000);
  EXPECT_EQ(time(0x80 | 63, std::uint64_t{3} << 62), 1'500'000'000);
  EXPECT_EQ(time(0x80 | 63, 1), 0);
  EXPECT_EQ(time(0x80 | 127, UINT64_MAX), 0);
  EXPECT_EQ(time(6, 1, -1), -999'999'000);
  EXPECT_EQ(time(6, 0, INT64_MAX), (INT64_MAX / 1'000'000'000 - 1) * 1'000'000'000);
  EXPECT_EQ(time(0, UINT64_MAX, INT64_MIN), (INT64_MAX / 1'000'000'000 - 1) * 1'000'000'000);
  EXPECT_EQ(time(0, 0, INT64_MIN), -(INT64_MAX / 1'000'000'000 - 1) * 1'000'000'000);
}

TEST(PcapngBlocks, DamageIsSaidWithItsPlace) {
  const TemporaryFolder folder;
  const FileOrder o;
  const Bytes begin = section(o) + interface_block(o, 1, 0),
              good = packet_of(o, 0, 1, udp_frame(ramp(8)));
  const auto damage_of = [&](const Bytes& block) -> std::string {
    const auto capture = read(folder.write("d.pcapng", begin + good + block + good));
    EXPECT_TRUE(capture);
    EXPECT_EQ(capture->packets.size(), 1u);
    EXPECT_TRUE(capture->damage);
    if (!capture->damage) return "";
    EXPECT_EQ(capture->damage->offset, begin.size() + good.size());
    return capture->damage->sentence;
  };
  const auto has = [](const std::string& text, const char* part) {
    EXPECT_NE(text.find(part), std::string::npos) << text;
  };
  has(damage_of(packet_of(o, 1, 1, ramp(8))), "not described");
  has(damage_of(o.u32(6) + o.u32(11) + Bytes(12, 0)), "a block of 11 bytes");
  has(damage_of(o.u32(6) + o.u32(0xFFFFFFF0) + Bytes(12, 0)), "a block of");
  has(damage_of(o.u32(9) + o.u32(12) + o.u32(16)), "two lengths");
  has(damage_of(pcapng_block(o, 6, o.u32(0) + o.u32(0) + o.u32(0) + o.u32(99) + o.u32(99))),
      "longer");
  for (const Bytes& bad : {begin.empty() ? Bytes{} : Bytes(begin.begin() + 28, begin.end()),
                           section(o) + packet_of(o, 0, 1, ramp(8)), section(o)}) {
    const auto capture = read(folder.write("b.pcapng", bad));
    EXPECT_FALSE(capture);
  }
}

TEST(PcapngBlocks, RandomDamageNeverCrashes) {
  const TemporaryFolder folder;
  std::mt19937 random(1);
  const FileOrder o;
  const Bytes good = section(o) + interface_block(o, 1, 0, option(o, 9, {9}) + option(o, 13, {4})) +
                     interface_block(o, 113, 96) +
                     packet_of(o, 0, 5, udp_frame(ramp(64)), option(o, 1, ramp(9))) +
                     packet_of(o, 1, 5, of_link(113, ipv6(udp(ramp(64))), true)) + section({true}) +
                     interface_block({true}, 276, 0) +
                     packet_of({true}, 0, 5, of_link(276, ipv4({}, tcp({}, ramp(64))), false));
  std::uint64_t packets = 0;
  for (int round = 0; round < 3000; ++round) {
    Bytes bent = good;
    for (std::size_t n = 1 + random() % 6; n > 0; --n) {
      bent[random() % bent.size()] = static_cast<std::uint8_t>(random());
    }
    if (random() % 4 == 0) bent.resize(random() % bent.size());
    const auto capture = read(folder.write("f.pcapng", bent), {.reader = {.segment = 16}});
    if (!capture) {
      EXPECT_FALSE(capture.error().sentence.empty());
      continue;
    }
    packets += capture->packets.size();
    const Selection s = select(*capture);
    ASSERT_EQ(s.payloads.size() + s.skipped.total(), capture->packets.size());
    info(*capture);
  }
  EXPECT_GT(packets, 1000u);
}

// ---- Compressed

TEST(Compressed, CutAnywhereIsDamageOrAnError) {
  const TemporaryFolder folder;
  const FileOrder o;
  Bytes plain = pcap_header(o, true);
  std::mt19937 random(1);
  for (std::uint32_t i = 0; i < 40; ++i) {
    Bytes payload(400);
    for (auto& b : payload) b = static_cast<std::uint8_t>(random());
    plain = plain + pcap_record(o, i, 0, udp_frame(payload));
  }
  const auto file = folder.write("a.pcap", plain);
  for (const char* const tool : {"gzip -kf", "zstd -qf"}) {
    if (std::system((std::string("command -v ") + tool + " > /dev/null 2>&1").c_str()) != 0)
      continue;
    ASSERT_EQ(std::system((std::string(tool) + " '" + file.string() + "'").c_str()), 0);
    const Bytes packed = load(file.string() + (tool[0] == 'g' ? ".gz" : ".zst"));
    const auto whole = read(folder.write("w", packed));
    ASSERT_TRUE(whole) << whole.error().sentence;
    EXPECT_EQ(whole->packets.size(), 40u);
    EXPECT_FALSE(whole->damage);
    for (std::size_t size = 1; size < packed.size(); size += 211) {
      const auto cut = read(folder.write("c", Bytes(packed.begin(), packed.begin() + size)));
      if (!cut) continue;
      EXPECT_LT(cut->packets.size(), 40u) << size;
      EXPECT_TRUE(cut->damage) << size;
    }
  }
}

// ---- Slices

TEST(SlicePcapng, KeepsBlocksCommentsAndInterfaces) {
  const TemporaryFolder folder;
  for (const bool big : {false, true}) {
    const FileOrder o{big};
    const Bytes names = pcapng_block(o, 4, Bytes(8, 0));
    const Bytes statistics = pcapng_block(o, 5, Bytes(12, 0));
    std::vector<Bytes> packets;
    for (std::uint32_t i = 0; i < 4; ++i) {
      packets.push_back(packet_of(o, i % 2, i,
                                  i % 2 == 0 ? udp_frame(ramp(8)) : ipv4(of_udp(), udp(ramp(8))),
                                  option(o, 1, ramp(5 + i))));
    }
    const Bytes begin = section(o) + interface_block(o, 1, 0) + interface_block(o, 101, 96);
    const auto file = folder.write(
        "a.pcapng", begin + packets[0] + packets[1] + names + packets[2] + packets[3] + statistics);
    ASSERT_TRUE(slice(file, folder / "s.pcapng", {.first = 2, .last = 3}));
    EXPECT_EQ(load(folder / "s.pcapng"), begin + packets[1] + names + packets[2] + statistics);
    // A pcap has one link type.
    EXPECT_EQ(slice(file, folder / "one.pcap", {.first = 2, .last = 2})->written, 1u);
    EXPECT_EQ(read(folder / "one.pcap")->packets[0].bytes, read(file)->packets[1].bytes);
    const auto two = slice(file, folder / "two.pcap", {.first = 2, .last = 3});
    ASSERT_FALSE(two);
    EXPECT_NE(two.error().sentence.find(".pcapng"), std::string::npos) << two.error().sentence;
  }
}

TEST(SlicePcapng, TimesThatPcapCannotHoldAreRefused) {
  const TemporaryFolder folder;
  const FileOrder o;
  for (const std::uint64_t seconds : {std::uint64_t{0x100000000}, std::uint64_t{5'000'000'000}}) {
    const auto file =
        folder.write("late.pcapng", section(o) + interface_block(o, 1, 0) +
                                        packet_of(o, 0, seconds * 1'000'000, udp_frame(ramp(8))));
    const auto sliced = slice(file, folder / "s.pcap");
    ASSERT_FALSE(sliced);
    EXPECT_NE(sliced.error().sentence.find("1970 to 2106"), std::string::npos);
    EXPECT_TRUE(slice(file, folder / "s.pcapng"));
    EXPECT_EQ(read(folder / "s.pcapng")->packets[0].timestamp_ns,
              static_cast<std::int64_t>(seconds) * 1'000'000'000);
  }
}

}  // namespace
}  // namespace gw::capture::testing::cases_test
