// The NIC's reference: bytes by hand, every action and which of two comes first, round trips over
// every shape of header, what TCP does to streams, hostile frames. Checksums are checked by the
// capture library, which shares no line of their update.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <numeric>
#include <random>
#include <string>

#include "models/reference/capture/bytes.h"
#include "models/reference/capture/packet.h"
#include "models/reference/nic/headers.h"
#include "models/reference/nic/nic.h"
#include "tests/nic/frames.h"

namespace gw::reference::nic::reference_test {
namespace {

using capture::load16;
using capture::store16;

float float_at(std::span<const std::uint8_t> bytes, std::size_t at) {
  return std::bit_cast<float>(boost::endian::load_little_u32(&bytes[at]));
}

bool checksums_hold(const Frame& frame) {
  capture::Packet packet{.number = 1,
                         .timestamp_ns = 0,
                         .original_length = frame.size(),
                         .bytes = frame,
                         .layers = capture::decode(frame, frame.size())};
  const auto sums = capture::check_checksums(packet);
  return sums.ipv4 && sums.transport;
}

NicConfig config(int k = 10, Grid grid = Grid::kStream) {
  NicConfig out;
  out.codec = {k, Mode::kBounded};
  out.grid = grid;
  return out;
}

TEST(Nic, PackedFrameByHand) {
  // UDP, 12 floats: 8 zeros, 1.0, 3 zeros. Two groups: tags 0; tag 3 for lane 0, its four bytes.
  Host host{.tcp = false, .payload = {}};
  std::vector<float> values(12, 0.0F);
  values[8] = 1.0F;
  host.payload = bytes_of(values);
  NicTx tx(config());
  const Packed packed = tx.pack(host.frame());
  ASSERT_EQ(packed.action, TxAction::kPacked);
  Frame expected = host.frame();
  expected.resize(42);
  store16(expected, 16, 20 + 8 + 4 + 2 + 6);
  expected[23] = 254;
  // 0x26E9 for 76 bytes of protocol 17; 36 bytes fewer, 237 more of protocol.
  const std::uint32_t before = load16(expected, 24);
  store16(expected, 24, (before + 36 - 237 + 0xFFFF) % 0xFFFF);
  for (const int byte : {0x20 | 0xB, 0x80 | 10 << 2, 0, 48, 0, 0, 3, 0, 0, 0, 0x80, 0x3F}) {
    expected.push_back(static_cast<std::uint8_t>(byte));
  }
  expected.resize(60, 0);
  EXPECT_EQ(packed.frame, expected);
  EXPECT_EQ(packed.expected, host.frame());
  EXPECT_EQ(packed.floats, 12U);
  const Unpacked unpacked = NicRx(config(3)).unpack(packed.frame);
  EXPECT_EQ(unpacked.action, RxAction::kUnpacked);
  EXPECT_EQ(unpacked.frame, host.frame());
  EXPECT_FALSE(unpacked.error);
}

TEST(Nic, EveryShapeOfHeaderComesBack) {
  unsigned seed = 0;
  for (const bool tcp : {true, false}) {
    for (std::size_t ihl = 5; ihl <= 15; ++ihl) {
      for (std::size_t offset = 5; offset <= (tcp ? 15U : 5U); ++offset) {
        for (std::uint32_t phase = 0; phase < (tcp ? 4U : 1U); ++phase) {
          for (std::size_t tail = 0; tail < (tcp ? 4U : 1U); ++tail) {
            ++seed;
            Host host{
                .tcp = tcp, .tag = seed % 2 == 0, .ihl = ihl, .data_offset = offset, .payload = {}};
            NicTx tx(config(1 + static_cast<int>(seed % 14)));
            EXPECT_EQ(tx.pack(host.syn()).action, tcp ? TxAction::kSyn : TxAction::kNoPayload);
            host.sequence += 1 + phase + 4000;
            // The floats begin where the stream says.
            host.payload = gradients(204 + 4 * (seed % 9) + (tcp ? tail : 0), seed);
            host.payload.erase(host.payload.begin(), host.payload.begin() + (tcp ? phase : 0));
            const Frame frame = host.frame();
            const Packed packed = tx.pack(frame);
            ASSERT_EQ(packed.action, TxAction::kPacked) << seed;
            ASSERT_EQ(packed.head, tcp ? (4 - phase) % 4 : 0U);
            ASSERT_LT(packed.frame.size(), frame.size());
            ASSERT_EQ(packed.expected.size(), frame.size());
            ASSERT_TRUE(checksums_hold(packed.expected)) << seed;
            const auto there = std::span(packed.expected).subspan(host.payload_at());
            const CodecConfig codec = config(1 + static_cast<int>(seed % 14)).codec;
            for (std::size_t i = 0; i < there.size(); ++i) {
              const bool inside = i >= packed.head && i < packed.head + 4 * packed.floats;
              if (!inside) {
                ASSERT_EQ(there[i], host.payload[i]);
              } else if ((i - packed.head) % 4 == 0) {
                ASSERT_LT(std::abs(float_at(there, i) - float_at(host.payload, i)), codec.bound());
              }
            }
            const Unpacked unpacked = NicRx(config()).unpack(packed.frame);
            ASSERT_EQ(unpacked.action, RxAction::kUnpacked);
            ASSERT_EQ(unpacked.frame, packed.expected) << seed;
          }
        }
      }
    }
  }
}

TEST(Nic, EveryActionAndWhichComesFirst) {
  struct Row {
    const char* what;
    std::function<void(Host&)> host;
    std::function<void(Frame&, const Host&)> bytes;
    TxAction action;
  };
  const auto nothing = [](Host&) {};
  const auto as_it_is = [](Frame&, const Host&) {};
  const auto byte = [](std::size_t at, std::uint8_t value) {
    return [=](Frame& f, const Host& h) { f[h.ip_at() + at] = value; };
  };
  const std::vector<Row> rows = {
      {"EtherType", nothing, [](Frame& f, const Host&) { store16(f, 12, 0x86DD); },
       TxAction::kNotIpv4},
      {"two tags", [](Host& h) { h.tag = true; },
       [](Frame& f, const Host&) { store16(f, 16, 0x8100); }, TxAction::kNotIpv4},
      {"no Ethernet", nothing, [](Frame& f, const Host&) { f.resize(13); }, TxAction::kNotIpv4},
      {"tag without type", [](Host& h) { h.tag = true; },
       [](Frame& f, const Host&) { f.resize(17); }, TxAction::kNotIpv4},
      {"half a header", nothing, [](Frame& f, const Host&) { f.resize(33); }, TxAction::kBadHeader},
      {"version", nothing, byte(0, 0x65), TxAction::kBadHeader},
      {"IHL", nothing, byte(0, 0x44), TxAction::kBadHeader},
      {"IHL beyond total", nothing, [](Frame& f, const Host& h) { store16(f, h.ip_at() + 2, 19); },
       TxAction::kBadHeader},
      {"total beyond frame", nothing, [](Frame& f, const Host&) { f.pop_back(); },
       TxAction::kBadHeader},
      {"data offset", nothing, byte(32, 0x40), TxAction::kBadHeader},
      {"data offset beyond", [](Host& h) { h.payload.resize(8); }, byte(32, 0xF0),
       TxAction::kBadHeader},
      {"UDP length", [](Host& h) { h.tcp = false; }, byte(25, 0x10), TxAction::kBadHeader},
      {"bad before reserved", nothing,
       [](Frame& f, const Host& h) {
         f[h.ip_at() + 9] = 253;
         f.pop_back();
       },
       TxAction::kBadHeader},
      {"reserved, TCP", nothing, byte(9, 253), TxAction::kReserved},
      {"reserved, UDP, unmarked", [](Host& h) { h.tos = 0; }, byte(9, 254), TxAction::kReserved},
      {"a fragment of it is none", nothing,
       [](Frame& f, const Host& h) {
         f[h.ip_at() + 9] = 253;
         f[h.ip_at() + 6] = 0x20;
       },
       TxAction::kFragment},
      {"SYN", [](Host& h) { h.flags = 0x12; }, as_it_is, TxAction::kSyn},
      {"SYN, unmarked",
       [](Host& h) {
         h.flags = 0x02;
         h.tos = 0;
       },
       as_it_is, TxAction::kNotMarked},
      {"unmarked", [](Host& h) { h.tos = 0x2C; }, as_it_is, TxAction::kNotMarked},
      {"ECN does not matter", [](Host& h) { h.tos = 0x2B; }, as_it_is, TxAction::kPacked},
      {"unmarked fragment", [](Host& h) { h.tos = 0; }, byte(6, 0x20), TxAction::kNotMarked},
      {"first fragment", nothing, byte(6, 0x20), TxAction::kFragment},
      {"later fragment", nothing, byte(7, 1), TxAction::kFragment},
      {"do not fragment", nothing, byte(6, 0x40), TxAction::kPacked},
      {"ICMP", nothing, byte(9, 1), TxAction::kOtherProtocol},
      {"no payload",
       [](Host& h) {
         h.payload.clear();
         h.trailer = 6;
       },
       as_it_is, TxAction::kNoPayload},
      {"trailer", [](Host& h) { h.trailer = 1; }, as_it_is, TxAction::kTrailer},
      {"trailer first",
       [](Host& h) {
         h.trailer = 1;
         h.port = 1;
       },
       as_it_is, TxAction::kTrailer},
      {"no SYN seen", [](Host& h) { h.port = 1; }, as_it_is, TxAction::kNoStreamStart},
      {"UDP, unaligned",
       [](Host& h) {
         h.tcp = false;
         h.payload.pop_back();
       },
       as_it_is, TxAction::kUnaligned},
      {"few",
       [](Host& h) {
         h.payload.resize(6);
         h.sequence += 1;
       },
       as_it_is, TxAction::kFew},
      {"all head",
       [](Host& h) {
         h.payload.resize(2);
         h.sequence += 1;
       },
       as_it_is, TxAction::kFew},
      {"stored", [](Host& h) { h.payload = gradients(400, 1, 100.0F); }, as_it_is,
       TxAction::kStored},
      {"packed", nothing, as_it_is, TxAction::kPacked},
      {"too long", [](Host& h) { h.payload = gradients(9000, 1); }, as_it_is, TxAction::kBadHeader},
  };
  for (const auto& row : rows) {
    Host host;
    host.sequence = 1002;
    host.payload = gradients(400, 7);
    NicTx tx(config());
    Host syn = host;
    syn.sequence = 1001;
    tx.pack(syn.syn());
    row.host(host);
    Frame frame = host.frame();
    row.bytes(frame, host);
    NicTx before = tx;
    const Packed packed = tx.pack(frame);
    EXPECT_EQ(name_of(packed.action), name_of(row.action)) << row.what;
    EXPECT_EQ(packed.leaves, row.action != TxAction::kReserved) << row.what;
    EXPECT_EQ(packed.frame == frame, packed.leaves && row.action != TxAction::kPacked) << row.what;
    EXPECT_EQ(packed.expected == frame, packed.frame == frame) << row.what;
    // Taken back: what was held is dropped, what cut through leaves in error.
    const Packed back = before.pack(frame, true);
    EXPECT_EQ(back.action, TxAction::kBadInput) << row.what;
    EXPECT_EQ(back.error, back.leaves) << row.what;
    if (row.action == TxAction::kPacked || row.action == TxAction::kStored ||
        row.action == TxAction::kReserved) {
      EXPECT_FALSE(back.leaves) << row.what;
    }
    if (row.action < TxAction::kReserved && row.action != TxAction::kBadHeader)
      EXPECT_EQ(back.frame, frame);
  }
}

TEST(Nic, NeverLonger) {
  // One byte around where `stored` begins: RAW floats and, behind them, zeros that pay for the shim
  // one byte at a time.
  std::size_t packed_from = 0;
  for (std::size_t small = 0; small < 60; ++small) {
    std::vector<float> values(40, 3.0F);
    for (std::size_t i = 0; i < small && i < values.size(); ++i)
      values[i] = i % 2 == 0 ? 0.5F : 0.0F;
    Host host{.tcp = false, .payload = bytes_of(values)};
    NicTx tx(config());
    const Frame frame = host.frame();
    const Packed packed = tx.pack(frame);
    std::vector<std::uint8_t> stream;
    encode(std::span<const float>(values), config().codec, stream);
    const bool shorter = 42 + kShim + stream.size() < frame.size();
    EXPECT_EQ(packed.action, shorter ? TxAction::kPacked : TxAction::kStored) << small;
    EXPECT_LE(packed.frame.size(), frame.size());
    if (shorter && packed_from == 0) packed_from = small;
  }
  EXPECT_GT(packed_from, 0U);
  // A frame that would be padded cannot get shorter.
  for (const std::size_t floats : {4U, 5U}) {
    NicTx tx(config());
    Host host{.tcp = false, .payload = bytes_of(std::vector<float>(floats, 0.0F))};
    const Frame frame = host.frame();
    EXPECT_EQ(frame.size(), 42 + 4 * floats);
    EXPECT_EQ(tx.pack(frame).action,
              frame.size() <= kMinFrame ? TxAction::kStored : TxAction::kPacked);
  }
}

TEST(Nic, ChecksumsAreUpdatedNeverMadeAnew) {
  for (const bool tcp : {true, false}) {
    Host host{.tcp = tcp, .payload = gradients(400, 3)};
    NicTx tx(config());
    tx.pack(host.syn());
    host.sequence += 1;
    Frame frame = host.frame();
    const std::size_t at = host.transport_at() + (tcp ? 16 : 6);
    store16(frame, at, load16(frame, at) ^ 0x0100);  // the host sent it broken
    const Packed packed = tx.pack(frame);
    ASSERT_EQ(packed.action, TxAction::kPacked);
    EXPECT_FALSE(checksums_hold(packed.expected));
    const std::size_t ip = host.ip_at() + 10;
    store16(frame, at, load16(frame, at) ^ 0x0100);
    store16(frame, ip, load16(frame, ip) ^ 0x0001);
    EXPECT_FALSE(checksums_hold(tx.pack(frame).expected));
    // What happens to the header on the way, an update to it survives: TTL.
    Frame wire = tx.pack(host.frame()).frame;
    wire[host.ip_at() + 8] -= 1;
    store16(wire, ip, (load16(wire, ip) + 0x0100) % 0xFFFF);
    EXPECT_TRUE(checksums_hold(NicRx(config()).unpack(wire).frame));
  }
  Host host{.tcp = false, .udp_checksum = false, .payload = gradients(400, 3)};
  NicTx tx(config());
  const Packed packed = tx.pack(host.frame());
  EXPECT_EQ(load16(packed.expected, host.transport_at() + 6), 0);
  // An update that ends at 0 becomes 0xFFFF, which means the same; 0 would mean that there is none.
  host.udp_checksum = true;
  Frame frame = host.frame();
  const std::size_t at = host.transport_at() + 6;
  const std::uint32_t moved = load16(tx.pack(frame).expected, at);
  store16(frame, at, (load16(frame, at) + 0xFFFF - moved) % 0xFFFF);
  EXPECT_EQ(load16(tx.pack(frame).expected, at), 0xFFFF);
}

TEST(Nic, FlowTable) {
  NicTx tx(config());
  Host host{.payload = gradients(400, 3)};
  const auto action = [&](Host h, std::uint32_t ahead = 1) {
    h.sequence += ahead;
    return tx.pack(h.frame()).action;
  };
  EXPECT_EQ(action(host), TxAction::kNoStreamStart);
  Host unmarked = host;
  unmarked.tos = 0;
  unmarked.flags = 0x12;
  unmarked.payload.clear();
  EXPECT_EQ(tx.pack(unmarked.frame()).action, TxAction::kNotMarked);  // learns all the same
  EXPECT_EQ(action(host), TxAction::kPacked);
  EXPECT_EQ(tx.flows().entries(), 1U);
  // Another port is another flow.
  Host other = host;
  other.port = 4001;
  EXPECT_EQ(action(other), TxAction::kNoStreamStart);
  // 4000 is 0F A0: A0 0F has the same XOR, and evicts.
  other.port = 0xA00F;
  tx.pack(other.syn());
  EXPECT_EQ(action(other), TxAction::kPacked);
  EXPECT_EQ(action(host), TxAction::kNoStreamStart);
  EXPECT_EQ(tx.flows().evicted(), 1U);
  EXPECT_EQ(tx.flows().entries(), 1U);
  // The port is used again: the newer phase counts, nothing is evicted. The sequence wraps.
  other.sequence = 0xFFFF'FFFF;
  tx.pack(other.syn());
  EXPECT_EQ(tx.flows().evicted(), 1U);
  for (std::uint32_t ahead = 1; ahead < 12; ++ahead) {
    Host h = other;
    h.sequence += ahead;
    EXPECT_EQ(tx.pack(h.frame()).head, (5 - ahead % 4) % 4) << ahead;
  }
  // The two directions of a connection do not meet, whichever has the smaller address.
  for (const bool swapped : {false, true}) {
    Host there = host, back = host;
    there.port = back.port = 5000;
    back.source = there.destination;
    back.destination = there.source;
    if (swapped) std::swap(there, back);
    tx.pack(there.syn());
    tx.pack(back.syn());
    EXPECT_EQ(action(there), TxAction::kPacked);
    EXPECT_EQ(action(back), TxAction::kPacked);
  }
  EXPECT_EQ(tx.flows().evicted(), 1U);
  // A SYN whose frame is bad teaches nothing.
  Host third = host;
  third.port = 77;
  tx.pack(third.syn(), true);
  EXPECT_EQ(action(third), TxAction::kNoStreamStart);
  Frame cut = third.syn();
  cut.pop_back();
  tx.pack(cut);
  EXPECT_EQ(action(third), TxAction::kNoStreamStart);
  Frame piece = third.syn();
  piece[third.ip_at() + 6] = 0x20;
  tx.pack(piece);
  EXPECT_EQ(action(third), TxAction::kNoStreamStart);
}

TEST(Nic, AFlowIsForgottenBeforeTheFrameThatSaysSo) {
  NicTx tx(config());
  Host host{.payload = gradients(400, 3)};
  const Frame syn = host.syn();
  host.sequence += 1;
  const Frame frame = host.frame();
  FlowKey key{10, 0, 0, 1, 10, 0, 0, 2, 4000 >> 8, 4000 & 0xFF, 5000 >> 8, 5000 & 0xFF};
  tx.pack(syn);
  FlowKey other = key;
  std::swap(other[8], other[9]);  // the same place, another key
  EXPECT_EQ(tx.pack(frame, false, other).action, TxAction::kPacked);
  EXPECT_EQ(tx.flows().forgotten(), 0U);
  EXPECT_EQ(tx.pack(frame, false, key).action, TxAction::kNoStreamStart);
  EXPECT_EQ(tx.flows().entries(), 0U);
  EXPECT_EQ(tx.flows().forgotten(), 1U);
  EXPECT_EQ(tx.pack(frame, false, key).action, TxAction::kNoStreamStart);
  EXPECT_EQ(tx.flows().forgotten(), 1U);  // it was not there any more
  // The SYN that says so itself teaches afterwards; one that is taken back forgets all the same.
  tx.pack(syn);
  tx.pack(syn, false, key);
  EXPECT_EQ(tx.pack(frame).action, TxAction::kPacked);
  tx.pack(frame, true, key);
  EXPECT_EQ(tx.pack(frame).action, TxAction::kNoStreamStart);
  EXPECT_EQ(tx.flows().forgotten(), 3U);
  EXPECT_EQ(tx.flows().evicted(), 0U);
}

/// The worst error of a stream that TCP cuts into segments of these sizes, in bounds.
double worst(Grid grid, std::size_t segment) {
  const auto stream = gradients(60'000, 5, 0.1F);
  NicTx tx(config(10, grid));
  const NicRx rx(config());
  Host host;
  tx.pack(host.syn());
  host.sequence += 1;
  std::vector<std::uint8_t> received;
  for (std::size_t at = 0; at < stream.size(); at += segment) {
    Host h = host;
    h.sequence += static_cast<std::uint32_t>(at);
    h.payload.assign(
        stream.begin() + static_cast<std::ptrdiff_t>(at),
        stream.begin() + static_cast<std::ptrdiff_t>(std::min(at + segment, stream.size())));
    const Packed packed = tx.pack(h.frame());
    const auto frame = rx.unpack(packed.frame).frame;
    EXPECT_EQ(frame, packed.expected);
    received.insert(received.end(), frame.begin() + static_cast<std::ptrdiff_t>(h.payload_at()),
                    frame.end());
  }
  EXPECT_EQ(received.size(), stream.size());
  double worst = 0;
  for (std::size_t at = 0; at + 4 <= stream.size(); at += 4) {
    const double error = std::abs(double{float_at(received, at)} - float_at(stream, at));
    worst = std::max(worst, std::isfinite(error) ? error * 1024 : 1e30);
  }
  return worst;
}

TEST(Nic, OnlyTheStreamsGridHoldsTheBound) {
  for (const std::size_t segment : {1447U, 1446U, 1445U, 1448U, 333U}) {
    EXPECT_LT(worst(Grid::kStream, segment), 1.0) << segment;
    if (segment % 4 != 0) {
      EXPECT_GT(worst(Grid::kPacket, segment), 1.0) << segment;
    } else {
      EXPECT_LT(worst(Grid::kPacket, segment), 1.0) << segment;
    }
  }
}

TEST(Nic, AnyMixtureOfAFloatAndItsDecodedSelfHoldsTheBound) {
  // What a retransmission with other boundaries leaves: bytes of either. For every exponent and
  // bound, mode bounded.
  std::mt19937 random(3);
  for (int k = kMinBoundExponent; k <= kMaxBoundExponent; ++k) {
    const CodecConfig codec{k, Mode::kBounded};
    for (std::uint32_t exponent = 0; exponent < 255; ++exponent) {
      for (int sample = 0; sample < 40; ++sample) {
        const std::uint32_t mantissa = sample == 0   ? 0
                                       : sample == 1 ? 0x7FFFFF
                                                     : random() & 0x7FFFFF;
        const std::uint32_t x = (random() & 1) << 31 | exponent << 23 | mantissa;
        const std::uint32_t y = decode_value(encode_value(x, codec), codec);
        EXPECT_EQ(decode_value(encode_value(y, codec), codec), y);
        for (std::uint32_t which = 0; which < 16; ++which) {
          std::uint32_t mask = 0;
          for (std::uint32_t b = 0; b < 4; ++b) mask |= (which >> b & 1) != 0 ? 0xFFu << 8 * b : 0;
          const float mixed = std::bit_cast<float>((x & mask) | (y & ~mask));
          ASSERT_LT(std::abs(double{mixed} - std::bit_cast<float>(x)), codec.bound())
              << k << ' ' << x;
        }
      }
    }
  }
}

TEST(NicRx, CutAtEveryByteTheNextIsRight) {
  Host host{.tcp = false, .payload = gradients(160, 9)};
  NicTx tx(config());
  const Packed packed = tx.pack(host.frame());
  ASSERT_EQ(packed.action, TxAction::kPacked);
  const NicRx rx(config());
  const std::size_t stream_at = host.payload_at() + kShim;
  const std::size_t total = host.ip_at() + load16(packed.frame, host.ip_at() + 2);
  for (std::size_t size = 0; size < packed.frame.size(); ++size) {
    const Frame cut(packed.frame.begin(), packed.frame.begin() + static_cast<std::ptrdiff_t>(size));
    const Unpacked out = rx.unpack(cut);
    if (size < stream_at) {
      EXPECT_EQ(out.action, size < host.ip_at() + 20 ? RxAction::kPassed : RxAction::kBadShim)
          << size;
      EXPECT_EQ(out.frame, cut);
      EXPECT_FALSE(out.error);
    } else if (size < total) {
      EXPECT_EQ(out.action, RxAction::kBadStream) << size;
      EXPECT_TRUE(out.error);
      ASSERT_LE(out.frame.size(), packed.expected.size());
      EXPECT_TRUE(std::equal(out.frame.begin(), out.frame.end(), packed.expected.begin())) << size;
    } else {
      EXPECT_EQ(out.frame, packed.expected) << size;  // padding only is missing
    }
    EXPECT_EQ(rx.unpack(packed.frame).frame, packed.expected);
  }
}

/// The shim's CRC by long division, a string of digits.
std::uint8_t crc_of(std::span<const std::uint8_t> shim) {
  std::string digits;
  for (std::size_t bit = 0; bit < 32; ++bit) {
    if (bit >= 4 && bit < 8) continue;
    digits += (shim[bit / 8] >> (7 - bit % 8) & 1) != 0 ? '1' : '0';
  }
  digits += "0000";
  for (std::size_t at = 0; at + 4 < digits.size(); ++at) {
    if (digits[at] == '0') continue;
    for (std::size_t i = 0; i < 5; ++i) {
      digits[at + i] = digits[at + i] == "10011"[i] ? '0' : '1';
    }
  }
  return static_cast<std::uint8_t>(std::stoi(digits.substr(28), nullptr, 2));
}
void seal(Frame& frame, std::size_t shim) {
  const std::uint8_t crc = crc_of(std::span(frame).subspan(shim, kShim));
  frame[shim] = static_cast<std::uint8_t>((frame[shim] & 0xF0) | crc);
}

TEST(NicRx, EveryWayOfBadShim) {
  Host host{.payload = gradients(160, 9)};
  NicTx tx(config());
  tx.pack(host.syn());
  host.sequence += 2;  // head 3, tail 1
  const Frame wire = tx.pack(host.frame()).frame;
  const NicRx rx(config());
  ASSERT_EQ(rx.unpack(wire).action, RxAction::kUnpacked);
  const std::size_t shim = host.payload_at();
  struct Row {
    const char* what;
    std::function<void(Frame&)> bend;
    RxAction action;
  };
  const auto set = [](std::size_t at, std::uint8_t value) {
    return [=](Frame& f) { f[at] = value; };
  };
  const auto sealed = [=](std::size_t at, std::uint8_t value) {
    return [=](Frame& f) {
      f[at] = value;
      seal(f, shim);
    };
  };
  const auto length = [=](std::size_t value) {
    return [=](Frame& f) {
      store16(f, shim + 2, value);
      seal(f, shim);
    };
  };
  const auto total = [=](std::size_t more) {
    return [=](Frame& f) {
      store16(f, shim + 2, more + load16(f, 16) - shim);
      seal(f, shim);
    };
  };
  const std::vector<Row> rows = {
      {"version 1", set(shim, 1), RxAction::kBadShim},
      {"version 3", sealed(shim, 0x30), RxAction::kBadShim},
      {"CRC", [=](Frame& f) { f[shim] ^= 4; }, RxAction::kBadShim},
      {"bit 6", sealed(shim + 1, 0xC0 | 10 << 2 | 3), RxAction::kBadShim},
      {"k = 0", sealed(shim + 1, 0x80 | 3), RxAction::kBadShim},
      {"k = 15", sealed(shim + 1, 0x80 | 15 << 2 | 3), RxAction::kBadShim},
      {"mode paper", sealed(shim + 1, 10 << 2 | 3), RxAction::kUnpacked},
      {"mode paper, the CRC of the other", set(shim + 1, 10 << 2 | 3), RxAction::kBadShim},
      {"n = 0", length(6), RxAction::kBadShim},
      {"more than 34 bytes a group", length(35), RxAction::kBadShim},
      {"fewer than 2 bytes a group", length(8000), RxAction::kBadShim},
      {"result no longer", total(14), RxAction::kBadShim},
      {"result longer", total(15), RxAction::kBadStream},
      {"result too long", length(9018), RxAction::kBadShim},
      {"one group more", length(160 + 32), RxAction::kBadStream},
      {"one group less", length(160 - 32), RxAction::kBadStream},
      {"version of IPv4", set(14, 0x55), RxAction::kBadShim},
      {"IHL", set(14, 0x44), RxAction::kBadShim},
      {"data offset", set(34 + 12, 0x40), RxAction::kBadShim},
      {"total ends in the shim", [](Frame& f) { store16(f, 16, 42); }, RxAction::kBadShim},
      {"total ends in the edges", [](Frame& f) { store16(f, 16, 46); }, RxAction::kBadShim},
      {"fragment", set(20, 0x20), RxAction::kPassed},
      {"TCP", set(23, 6), RxAction::kPassed},
      {"not IPv4", set(13, 1), RxAction::kPassed},
  };
  for (const auto& row : rows) {
    Frame frame = wire;
    row.bend(frame);
    const Unpacked out = rx.unpack(frame);
    EXPECT_EQ(name_of(out.action), name_of(row.action)) << row.what;
    EXPECT_EQ(out.error, row.action == RxAction::kBadStream) << row.what;
    if (row.action != RxAction::kUnpacked && row.action != RxAction::kBadStream)
      EXPECT_EQ(out.frame, frame) << row.what;
    EXPECT_TRUE(rx.unpack(frame, true).error) << row.what;
  }
}

TEST(NicRx, ADatagramsShimAgreesWithItsHeader) {
  Host host{.tcp = false, .payload = gradients(160, 9)};
  NicTx tx(config());
  const Frame wire = tx.pack(host.frame()).frame;
  const NicRx rx(config());
  const std::size_t shim = host.payload_at(), udp_length = host.transport_at() + 4;
  for (const std::uint8_t head : {1, 2, 3}) {  // no datagram's floats begin there
    Frame frame = wire;
    frame[shim + 1] |= head;
    seal(frame, shim);
    EXPECT_EQ(rx.unpack(frame).action, RxAction::kBadShim);
  }
  for (const int more : {-4, -1, 1, 4}) {
    Frame frame = wire;
    store16(frame, udp_length, load16(frame, udp_length) + static_cast<std::size_t>(more));
    EXPECT_EQ(rx.unpack(frame).action, RxAction::kBadShim) << more;
    frame = wire;
    store16(frame, shim + 2, load16(frame, shim + 2) + static_cast<std::size_t>(more));
    seal(frame, shim);
    EXPECT_EQ(rx.unpack(frame).action, RxAction::kBadShim) << more;
  }
}

/// Whether a host that gets this from its NIC takes no byte of it for what was sent: its IP or
/// transport drops it, or the NIC did.
bool refused(const Unpacked& out) {
  if (out.error) return true;
  const Ethernet link = ethernet(out.frame);
  const auto ip = ipv4(out.frame, link.end);
  if (!ip || !ip->sound() || ip->end() > out.frame.size()) return true;
  const auto header = std::span(out.frame).subspan(ip->offset, ip->header);
  if (capture::add_words(header) != 0xFFFF) return true;
  // Neither protocol has a socket: the host answers "protocol unreachable".
  if (ip->protocol != kTcp && ip->protocol != kUdp) return true;
  return !checksums_hold(out.frame);
}

// The Ethernet header, and whatever pads the frame, have the FCS only.
TEST(NicRx, EveryFlippedBitOfAPackedFrameIsFound) {
  std::size_t bits = 0, shims = 0, same = 0;
  unsigned seed = 0;
  for (const bool tcp : {true, false}) {
    for (std::uint32_t head = 0; head < (tcp ? 4U : 1U); ++head) {
      for (std::size_t tail = 0; tail < (tcp ? 4U : 1U); ++tail) {
        for (const bool options : {false, true}) {
          ++seed;
          Host host{.tcp = tcp,
                    .tag = options,
                    .ihl = options ? 6U : 5U,
                    .data_offset = options ? 8U : 5U,
                    .payload = {}};
          NicTx tx(config(6 + static_cast<int>(seed % 5)));
          tx.pack(host.syn());
          host.sequence += 1 + (4 - head) % 4;
          host.payload = gradients(head + 132 + tail, seed, 0.2F);
          const Packed packed = tx.pack(host.frame());
          ASSERT_EQ(packed.action, TxAction::kPacked);
          ASSERT_EQ(packed.head, head);
          ASSERT_EQ((host.payload.size() - head) % 4, tail);
          const NicRx rx(config());
          ASSERT_FALSE(refused(rx.unpack(packed.frame)));
          const std::size_t end = host.ip_at() + load16(packed.frame, host.ip_at() + 2);
          for (std::size_t bit = 8 * host.ip_at(); bit < 8 * end; ++bit) {
            Frame frame = packed.frame;
            frame[bit / 8] ^= static_cast<std::uint8_t>(0x80 >> bit % 8);
            const Unpacked out = rx.unpack(frame);
            ++bits;
            same += out.frame == packed.expected;
            ASSERT_TRUE(refused(out)) << "bit " << bit % 8 << " of byte " << bit / 8 << ", shim at "
                                      << host.payload_at() << ", seed " << seed;
            if (bit / 8 < host.payload_at() || bit / 8 >= host.payload_at() + kShim) continue;
            ++shims;
            EXPECT_EQ(out.action, RxAction::kBadShim) << bit;
          }
        }
      }
    }
  }
  EXPECT_GT(bits, 20'000U);
  EXPECT_EQ(shims, 32U * 2 * 17);
  EXPECT_EQ(same, 0U);
}

TEST(NicRx, QuotesOfPackedFramesAreMended) {
  std::size_t whole = 0, part = 0;
  for (const bool tcp : {true, false}) {
    for (const std::size_t words : {0U, 3U}) {  // of options, in both headers
      for (const std::size_t quoted : {28U, 40U, 43U, 44U, 548U}) {
        for (const std::uint8_t type : {3, 11, 12}) {
          const bool tag = quoted == 44;
          Host host{.tcp = tcp, .ihl = 5 + words, .data_offset = 5 + words};
          NicTx tx(config());
          tx.pack(host.syn());
          host.sequence += 1;
          host.payload = gradients(1200, 9);
          const Frame sent = host.frame(), wire = tx.pack(sent).frame;
          const std::size_t bytes = quoted + 4 * words;
          Frame error = icmp_error(wire, host.ip_at(), type, 4, bytes, tag);
          const std::size_t inner = tag ? 46 : 42, icmp = inner - 8;
          ASSERT_EQ(capture::add_words(std::span(error).subspan(icmp)), 0xFFFFU);
          const Unpacked out = NicRx(config()).unpack(error);
          ASSERT_EQ(out.action, RxAction::kMended);
          EXPECT_FALSE(out.error);
          EXPECT_FALSE(out.forget.has_value());
          // What the host had sent, to where the shim was quoted; its checksum stays the packed
          // segment's, and so do all bytes after them.
          Frame expected = error;
          expected[inner + 9] = tcp ? 6 : 17;
          const bool reaches = host.payload_at() + kShim <= host.ip_at() + bytes;
          store16(expected, inner + 2, load16(reaches ? sent : wire, host.ip_at() + 2));
          store16(expected, inner + 10, load16(out.frame, inner + 10));
          EXPECT_EQ(out.frame, expected) << quoted;
          EXPECT_EQ(capture::add_words(std::span(out.frame).subspan(inner, 4 * host.ihl)), 0xFFFFU);
          EXPECT_EQ(capture::add_words(std::span(out.frame).subspan(icmp)), 0xFFFFU);
          ++(reaches ? whole : part);
          // As it leaves, it quotes nothing that is packed any more.
          EXPECT_EQ(NicRx(config()).unpack(out.frame).action, RxAction::kPassed);
          // nic_tx lets it pass, and knows what becomes of it.
          const Packed through = tx.pack(error);
          EXPECT_EQ(through.frame, error);
          EXPECT_EQ(through.expected, out.frame);
          const Unpacked bad = NicRx(config()).unpack(error, true);
          EXPECT_EQ(bad.action, RxAction::kMended);
          EXPECT_TRUE(bad.error);
          EXPECT_EQ(bad.frame, out.frame);
        }
      }
    }
  }
  EXPECT_GT(whole, 20U);
  EXPECT_GT(part, 20U);
}

TEST(NicRx, WhatIsNoQuoteAndWhatOfAQuoteStays) {
  Host host{.payload = gradients(1200, 9)};
  NicTx tx(config());
  tx.pack(host.syn());
  host.sequence += 1;
  const Frame wire = tx.pack(host.frame()).frame;
  const Frame error = icmp_error(wire, host.ip_at(), 3, 4, 548);
  constexpr std::size_t kIp = 14, kIcmp = 34, kInner = 42, kTcpHeader = 62, kShimAt = 82;
  const auto set = [](std::size_t at, std::uint8_t value) {
    return [=](Frame& f) { f[at] = value; };
  };
  const auto sealed = [](std::size_t at, std::uint8_t value) {
    return [=](Frame& f) {
      f[at] = value;
      seal(f, kShimAt);
    };
  };
  const auto length = [](std::size_t value) {
    return [=](Frame& f) {
      store16(f, kShimAt + 2, value);
      seal(f, kShimAt);
    };
  };
  struct Row {
    const char* what;
    std::function<void(Frame&)> bend;
    bool mended, total;  // so is the total length
  };
  const std::vector<Row> rows = {
      {"as it is", [](Frame&) {}, true, true},
      {"echo", set(kIcmp, 8), false, false},
      {"redirect", set(kIcmp, 5), false, false},
      {"a fragment", set(kIp + 6, 0x20), false, false},
      {"a later fragment", set(kIp + 7, 1), false, false},
      {"no ICMP", set(kIp + 9, 2), false, false},
      {"version", set(kIp, 0x55), false, false},
      {"IHL", set(kIp, 0x44), false, false},
      {"the header's total length", [](Frame& f) { store16(f, kIp + 2, 47); }, false, false},
      {"just the quoted header", [](Frame& f) { store16(f, kIp + 2, 48); }, true, false},
      {"the frame ends before the packet", [](Frame& f) { f.resize(kShimAt + 4); }, true, true},
      {"within the shim", [](Frame& f) { f.resize(kShimAt + 3); }, true, false},
      {"within the quoted header", [](Frame& f) { f.resize(kInner + 19); }, false, false},
      {"quoted version", set(kInner, 0x65), false, false},
      {"quoted IHL", set(kInner, 0x44), false, false},
      {"quoted TCP", set(kInner + 9, 6), false, false},
      {"quoted first fragment", set(kInner + 6, 0x20), true, false},
      {"quoted later fragment", set(kInner + 7, 1), true, false},
      {"do not fragment", set(kInner + 6, 0x40), true, true},
      {"data offset", set(kTcpHeader + 12, 0x40), true, false},
      {"shim of version 1", set(kShimAt, 1), true, false},
      {"shim of version 3", sealed(kShimAt, 0x30), true, false},
      {"CRC", [](Frame& f) { f[kShimAt] ^= 1; }, true, false},
      {"bit 6", sealed(kShimAt + 1, 0xC0 | 10 << 2), true, false},
      {"k = 0", sealed(kShimAt + 1, 0x80), true, false},
      {"k = 15", sealed(kShimAt + 1, 0x80 | 15 << 2), true, false},
      {"no float", length(3), true, false},
      {"a float", length(4), true, true},
      {"9,004 bytes", length(8964), true, true},
      {"more", length(8965), true, false},
  };
  for (const Row& row : rows) {
    Frame frame = error;
    row.bend(frame);
    const Unpacked out = NicRx(config()).unpack(frame);
    EXPECT_EQ(out.action, row.mended ? RxAction::kMended : RxAction::kPassed) << row.what;
    EXPECT_EQ(out.frame != frame, row.mended) << row.what;
    if (!row.mended) continue;
    EXPECT_EQ(load16(out.frame, kInner + 2) != load16(frame, kInner + 2), row.total) << row.what;
    if (row.total) EXPECT_EQ(load16(out.frame, kInner + 2), 40 + load16(frame, kShimAt + 2));
  }
  // UDP has no head; only the shim counts.
  Host datagram{.tcp = false, .payload = gradients(1200, 9)};
  const Frame quoted = icmp_error(tx.pack(datagram.frame()).frame, 14, 3, 4, 548);
  constexpr std::size_t kUdpShim = kTcpHeader + 8;
  EXPECT_EQ(load16(NicRx(config()).unpack(quoted).frame, kInner + 2), 20 + 8 + 1200);
  Frame headed = quoted;
  headed[kUdpShim + 1] |= 1;
  seal(headed, kUdpShim);
  EXPECT_EQ(load16(NicRx(config()).unpack(headed).frame, kInner + 2), load16(quoted, kInner + 2));
  // Where a NIC takes ICMP's number for its own, nothing is a quote; where both protocols are one,
  // it is TCP's.
  NicConfig odd = config();
  odd.protocol_udp = 1;
  EXPECT_NE(NicRx(odd).unpack(error).action, RxAction::kMended);
  odd.protocol_udp = odd.protocol_tcp;
  EXPECT_EQ(NicRx(odd).unpack(error).frame[kInner + 9], 6);
}

TEST(NicRx, ProtocolUnreachableSaysForget) {
  Host host{.payload = gradients(1200, 9)};
  NicTx tx(config());
  tx.pack(host.syn());
  host.sequence += 1;
  const Frame wire = tx.pack(host.frame()).frame;
  const auto says = [&](
                        std::uint8_t type, std::uint8_t code, std::size_t quoted, bool bad = false,
                        const std::function<void(Frame&)>& bend = [](Frame&) {}) {
    Frame frame = icmp_error(wire, 14, type, code, quoted);
    bend(frame);
    const Unpacked out = NicRx(config()).unpack(frame, bad);
    EXPECT_EQ(out.action, RxAction::kMended);
    if (!bad) EXPECT_EQ(out.forget, forgotten_flow(out.frame));
    return out.forget;
  };
  EXPECT_EQ(says(3, 2, 28), host.key());
  EXPECT_EQ(says(3, 2, 24), host.key());  // the ports, and no more
  EXPECT_EQ(says(3, 2, 548), host.key());
  EXPECT_EQ(says(3, 2, 23), std::nullopt);
  EXPECT_EQ(says(3, 2, 548, true), std::nullopt);  // the FCS is wrong
  EXPECT_EQ(says(3, 4, 548), std::nullopt);
  EXPECT_EQ(says(11, 2, 548), std::nullopt);
  constexpr std::size_t kInner = 42;
  EXPECT_EQ(says(3, 2, 548, false, [](Frame& f) { f[kInner + 7] = 1; }), std::nullopt);
  EXPECT_EQ(says(3, 2, 548, false, [](Frame& f) { f[kInner + 6] = 0x20; }), host.key());
  EXPECT_EQ(says(3, 2, 548, false, [](Frame& f) { f[kInner + 9] = 254; }), std::nullopt);
  // What it says is what nic_tx takes: the flow travels plain until its next SYN.
  EXPECT_EQ(tx.pack(host.frame()).action, TxAction::kPacked);
  EXPECT_EQ(tx.pack(host.frame(), false, says(3, 2, 28)).action, TxAction::kNoStreamStart);
}

TEST(NicRx, AnyBytes) {
  std::mt19937 random(11);
  const NicRx rx(config());
  Host host{.tcp = false, .payload = gradients(600, 9)};
  NicTx tx(config());
  const Frame wire = tx.pack(host.frame()).frame;
  const Frame error = icmp_error(wire, 14, 3, 2, 300);
  std::array<std::size_t, kRxActions> seen{};
  for (int i = 0; i < 60'000; ++i) {
    Frame frame = i % 7 == 0 ? error : wire;
    const std::size_t from = i % 3 == 0 ? 0 : i % 3 == 1 ? 14 : host.payload_at() + kShim;
    const int changes = 1 + static_cast<int>(random() % 4);
    for (int c = 0; c < changes; ++c)
      frame[from + random() % (frame.size() - from)] = static_cast<std::uint8_t>(random());
    if (i % 5 == 0) frame.resize(random() % (frame.size() + 1));
    const Unpacked out = rx.unpack(frame);
    ++seen[static_cast<std::size_t>(out.action)];
    ASSERT_LE(out.frame.size(), kMaxFrame);
    NicTx any(config());
    const Packed packed = any.pack(frame);
    ASSERT_LE(packed.frame.size(), frame.size());
    if (packed.action == TxAction::kPacked)
      ASSERT_EQ(rx.unpack(packed.frame).frame, packed.expected);
  }
  for (const auto count : seen) EXPECT_GT(count, 0U);
}

}  // namespace
}  // namespace gw::reference::nic::reference_test
