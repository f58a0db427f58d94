// The NIC's devices, RTL and model in lockstep and each frame against the reference, on frames that
// are made for a case each: every shape of header and length, one byte around where a frame is no
// longer packed, flows that meet in the table, what a wire may do to a packed frame, streams that
// are sent again.
// SPDX-License-Identifier: Apache-2.0
#include <bit>
#include <boost/endian/conversion.hpp>
#include <cmath>

#include "models/reference/capture/bytes.h"
#include "models/reference/nic/host.h"
#include "sim/base/random.h"
#include "tests/nic/support.h"
#include "tests/sanitized.h"

namespace gw::tests::matrix_test {
namespace {

namespace nic = reference::nic;
using nic::Frame;
using nic::RxAction;
using nic::TxAction;
using sim::Random;

constexpr reference::CodecConfig kCodec{};  // what a device does that is told nothing else

/// What leaves, frame by frame.
class Collector final : public sim::PacketWriter {
 public:
  void write(const sim::Passage&, const std::vector<uint8_t>& bytes) override {
    frames.push_back(bytes);
  }
  void close() override {}
  std::vector<Frame> frames;
};

struct Ran {
  sim::Outcome outcome;
  std::vector<Frame> frames;

  /// How often it did that.
  template <class Action>
  uint32_t count(Action action) const {
    return outcome.statistics.at(static_cast<size_t>(action));
  }
  /// With frame i of those that left.
  template <class Action>
  Action action(size_t i) const {
    return static_cast<Action>(outcome.timeline.rows.at(i).action);
  }
};

Ran pass(const std::string& name, const std::vector<Frame>& frames, Settings settings = {},
         const char* stall = "none", uint64_t more_seed = 0) {
  sim::RunSpec spec = spec_of(name, "", 0, settings);
  spec.stall = sim::StallSpec::parse(stall);
  spec.seed += more_seed;
  std::vector<sim::RawPacket> packets(frames.size());
  for (size_t i = 0; i < frames.size(); ++i) packets[i].bytes = frames[i];
  sim::ListSource source(std::move(packets));
  Collector collector;
  Ran ran{device(name).run(source, spec, sim::Kernel::instance(), &collector), {}};
  EXPECT_TRUE(ran.outcome.passed) << name << ": " << explain(ran.outcome.failure);
  ran.frames = std::move(collector.frames);
  return ran;
}

enum class Class : uint8_t { kZero, kByte, kHalf, kRaw };

/// A float that the codec puts into a class.
uint32_t value_of(Class c, Random& random) {
  const auto mantissa = static_cast<uint32_t>(random.next()) & 0x807FFFFF;
  const uint32_t first[] = {0, static_cast<uint32_t>(kCodec.byte_from()),
                            static_cast<uint32_t>(kCodec.half_from()), 127, 255};
  const auto i = static_cast<size_t>(c);
  return mantissa | (first[i] + random.below(first[i + 1] - first[i])) << 23;
}

enum class Mix : uint8_t { kZero, kMixed, kRaw };
constexpr size_t kMixes = 3;

void put(std::vector<uint8_t>& bytes, uint32_t word) {
  bytes.resize(bytes.size() + 4);
  boost::endian::store_little_u32(&bytes[bytes.size() - 4], word);
}

/// head bytes, n floats, tail bytes.
std::vector<uint8_t> payload_of(size_t head, size_t n, size_t tail, Mix mix, Random& random) {
  std::vector<uint8_t> bytes(head);
  for (size_t i = 0; i < n; ++i) {
    const auto mixed = static_cast<Class>(random.below(4));
    put(bytes, value_of(mix == Mix::kZero  ? Class::kZero
                        : mix == Mix::kRaw ? Class::kRaw
                                           : mixed,
                        random));
  }
  bytes.resize(bytes.size() + tail);
  for (size_t i = 0; i < head; ++i) bytes[i] = static_cast<uint8_t>(random.next());
  for (size_t i = head + 4 * n; i < bytes.size(); ++i) {
    bytes[i] = static_cast<uint8_t>(random.next());
  }
  return bytes;
}

/// Whole floats that fit behind a host's headers, with edges.
size_t room(const nic::Host& host, size_t edges) {
  return (nic::kMaxFrame - host.payload_at() - edges) / 4;
}

/// Every IHL, data offset, tag, head, tail; n with every remainder of 8 and each mix of classes
/// with every head and tail; short frames and the longest. For sanitizers a third of the offsets.
std::vector<Frame> every_shape(Random& random) {
  std::vector<Frame> frames;
  size_t shape = 0;
  const auto add = [&](nic::Host host, size_t head, size_t tail) {
    const size_t eights = shape % 23 == 22 ? 272 + random.below(9) : random.below(8);
    size_t n = shape % 8 + 8 * eights;
    if (n == 0) n = 8;
    while (n > room(host, head + tail)) n -= 8;
    host.payload = payload_of(head, n, tail, static_cast<Mix>(shape / 8 % kMixes), random);
    frames.push_back(host.frame());
  };
  for (const bool tag : {false, true}) {
    for (size_t ihl = 5; ihl <= 15; ++ihl) {
      for (size_t offset = 5; offset <= 15; offset += kSanitized ? 5 : 1, ++shape) {
        nic::Host host{.tag = tag, .ihl = ihl, .data_offset = offset};
        host.port = static_cast<uint16_t>(4000 + shape);
        host.sequence = static_cast<uint32_t>(random.next());
        frames.push_back(host.syn());
        const uint32_t begin = host.sequence + 1;
        for (uint32_t head = 0; head < 4; ++head) {
          host.sequence = begin + 4 * random.below(1000) - head;
          for (size_t tail = 0; tail < 4; ++tail) add(host, head, tail);
        }
      }
      for (int i = 0; i < 24; ++i, ++shape) {
        add({.tcp = false, .tag = tag, .ihl = ihl, .udp_checksum = i % 3 != 0}, 0, 0);
      }
    }
  }
  // All lengths at the largest MTU, too.
  for (size_t n = 2233; n <= 2240; ++n) {
    nic::Host host{.tcp = false, .payload = payload_of(0, n, 0, Mix::kMixed, random)};
    frames.push_back(host.frame());
  }
  return frames;
}

const std::vector<const char*> kStalls =
    kSanitized ? std::vector{"none", "both:40", "source:90", "sink:90"}
               : std::vector{"none", "source:40", "sink:40", "both:40", "source:90", "sink:90"};

class Matrix : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Stalls, Matrix, testing::ValuesIn(kStalls));

TEST_P(Matrix, EveryShapeOfAFrame) {
  for (uint64_t more = 0; more < rounds(2u); ++more) {
    Random random(seed() + more);
    const std::vector<Frame> frames = every_shape(random);
    const Ran tx = pass("nic_tx", frames, {}, GetParam(), more);
    const uint32_t packed = tx.count(TxAction::kPacked);
    EXPECT_EQ(packed + tx.count(TxAction::kStored) + tx.count(TxAction::kSyn), frames.size());
    EXPECT_GT(packed, frames.size() / 2);
    EXPECT_GT(tx.count(TxAction::kStored), frames.size() / 4);
    ASSERT_EQ(tx.frames.size(), frames.size());
    const Ran rx = pass("nic_rx", tx.frames, {}, GetParam(), more);
    EXPECT_EQ(rx.count(RxAction::kUnpacked), packed);
    EXPECT_EQ(rx.count(RxAction::kPassed), frames.size() - packed);
    ASSERT_FALSE(HasFailure());
  }
}

// n floats of which so many bytes are saved by the codec, one by one: the shim and the groups' tags
// take them back, and a frame that is not shorter then is stored.
TEST_P(Matrix, OneByteAroundWhereStoredBegins) {
  Random random(seed());
  std::vector<Frame> frames;
  std::vector<bool> packs;
  nic::Host first{.sequence = 999};
  frames.push_back(first.syn());
  packs.push_back(false);
  for (const bool tcp : {true, false}) {
    for (const size_t n : {8U, 16U, 17U, 23U, 360U, 2200U}) {
      const size_t lost = nic::kShim + reference::kTagBytes * reference::groups_of_values(n);
      for (size_t edges = 0; edges < (tcp ? 16U : 1U); ++edges) {
        for (const int by : {-2, -1, 0, 1, 2}) {
          const size_t saved = lost + static_cast<size_t>(by);  // modulo 2^64
          const size_t head = edges / 4, tail = edges % 4;
          nic::Host host = first;
          host.tcp = tcp;
          host.sequence = 1000 - static_cast<uint32_t>(head);
          host.payload = payload_of(head, n, tail, Mix::kRaw, random);
          // A BYTE saves three bytes, a HALF two. Lanes that are missing are not sent.
          size_t rest = saved;
          for (size_t i = 0; rest != 0; ++i) {
            const bool byte = rest % 2 != 0;
            boost::endian::store_little_u32(&host.payload.at(head + 4 * i),
                                            value_of(byte ? Class::kByte : Class::kHalf, random));
            rest -= byte ? 3 : 2;
          }
          frames.push_back(host.frame());
          packs.push_back(by > 0);
        }
      }
    }
  }
  const Ran tx = pass("nic_tx", frames, {}, GetParam());
  for (size_t i = 1; i < frames.size(); ++i) {
    ASSERT_EQ(tx.action<TxAction>(i), packs[i] ? TxAction::kPacked : TxAction::kStored) << i;
    ASSERT_LE(tx.frames[i].size(), frames[i].size()) << i;
    ASSERT_LE(frames[i].size() - tx.frames[i].size(), 2U) << i;
  }
}

// Nothing is shorter than 60 bytes on the wire.
TEST_P(Matrix, WhatPaddingWouldEatUpIsStored) {
  nic::Host host{.sequence = 999};
  std::vector<Frame> frames = {host.syn()};
  for (size_t bytes = 4; bytes <= 24; ++bytes) {
    for (uint32_t head = 0; head < 4 && head + 4 <= bytes; ++head) {
      host.sequence = 1000 - head;
      host.payload.assign(bytes, 0);
      frames.push_back(host.frame());
    }
  }
  const Ran tx = pass("nic_tx", frames, {}, GetParam());
  for (size_t i = 1; i < frames.size(); ++i) {
    const auto action = tx.action<TxAction>(i);
    EXPECT_LE(tx.frames[i].size(), std::max(frames[i].size(), nic::kMinFrame));
    if (frames[i].size() <= nic::kMinFrame) EXPECT_EQ(action, TxAction::kStored) << i;
    if (frames[i].size() > 70) EXPECT_EQ(action, TxAction::kPacked) << i;
  }
}

TEST_P(Matrix, ShortestFramesBetweenTheLongest) {
  Random random(seed());
  const auto sized = [&](size_t bytes, uint8_t tos, Mix mix) {
    nic::Host host{.tcp = false, .tos = tos};
    host.payload = payload_of(0, (bytes - host.payload_at()) / 4, 0, mix, random);
    Frame frame = host.frame();
    frame.resize(std::max(frame.size(), nic::kMinFrame));
    return frame;
  };
  std::vector<Frame> frames;
  for (int i = 0; i < 24; ++i) {
    const uint8_t tos = i % 4 == 3 ? 0 : 0x28;
    frames.push_back(sized(9014, tos, static_cast<Mix>(i % 3)));
    for (int j = 0; j < i % 5; ++j) frames.push_back(sized(60, j % 2 == 0 ? tos : 0, Mix::kZero));
  }
  const Ran tx = pass("nic_tx", frames, {}, GetParam());
  EXPECT_GT(tx.count(TxAction::kPacked), 8U);
  EXPECT_GT(tx.count(TxAction::kStored), 4U);
  EXPECT_GT(tx.count(TxAction::kNotMarked), 8U);
  const Ran rx = pass("nic_rx", tx.frames, {}, GetParam());
  EXPECT_EQ(rx.count(RxAction::kUnpacked), tx.count(TxAction::kPacked));
  if (std::string(GetParam()) != "none") return;
  // A beat a cycle, whatever comes behind what.
  const auto& in = tx.outcome.timeline.in;
  EXPECT_LE(16 * sim::Timeline::window(in), 17 * in[0].beats);
  for (const sim::Passage& row : tx.outcome.timeline.rows) {
    EXPECT_EQ(row.last - row.offered + 1, row.beats) << row.id;
  }
}

TEST(Flows, MeetInTheTable) {
  // 4000 is 0F A0: A0 0F has the same place. So has a change of two bytes of an address.
  const nic::Host a{.sequence = 1000, .port = 4000}, b{.sequence = 2001, .port = 0xA00F};
  nic::Host c = a;
  c.destination ^= 0x00010100;
  std::vector<Frame> frames;
  std::vector<TxAction> actions;
  const auto syn = [&](const nic::Host& host) {
    frames.push_back(host.syn());
    actions.push_back(TxAction::kSyn);
  };
  Random random(seed());
  const auto segment = [&](nic::Host host, uint32_t ahead, TxAction action) {
    host.sequence += 1 + ahead;
    host.payload = payload_of((4 - ahead % 4) % 4, 50, 1, Mix::kMixed, random);
    frames.push_back(host.frame());
    actions.push_back(action);
  };
  segment(a, 0, TxAction::kNoStreamStart);
  syn(a);
  segment(a, 5, TxAction::kPacked);
  segment(b, 0, TxAction::kNoStreamStart);  // the place is another's: the whole key counts
  segment(c, 0, TxAction::kNoStreamStart);
  syn(b);  // evicts
  segment(b, 7, TxAction::kPacked);
  segment(a, 8, TxAction::kNoStreamStart);
  syn(c);  // evicts
  segment(c, 2, TxAction::kPacked);
  segment(b, 3, TxAction::kNoStreamStart);
  // A port that is used again evicts nothing, and begins elsewhere.
  nic::Host again = c;
  again.sequence += 2;
  syn(again);
  segment(again, 3, TxAction::kPacked);
  // Sequence numbers wrap.
  nic::Host wraps = c;
  wraps.sequence = 0xFFFFFFF9;
  syn(wraps);
  for (uint32_t ahead = 0; ahead < 16; ++ahead) segment(wraps, ahead, TxAction::kPacked);
  // All at once: as many flows as places, each used; then as many others.
  for (const uint32_t destination : {0x0A000002U, 0x0A000003U}) {
    for (const bool data : {false, true}) {
      for (uint32_t i = 0; i < nic::kFlows; ++i) {
        nic::Host host = a;
        host.destination = destination;
        host.port = static_cast<uint16_t>(0x2000 + i);
        host.sequence = i;
        if (data) {
          segment(host, i % 4, TxAction::kPacked);
        } else {
          syn(host);
        }
      }
    }
  }
  const Ran tx = pass("nic_tx", frames);
  for (size_t i = 0; i < frames.size(); ++i) ASSERT_EQ(tx.action<TxAction>(i), actions[i]) << i;
  // b, c; c's newer entry by one of the 256 flows; these by the others.
  EXPECT_EQ(tx.outcome.statistics.at(nic::kTxActions + 2), 2 + 1 + nic::kFlows);
  const Ran both = pass("nic", frames);
  EXPECT_EQ(both.frames.size(), frames.size());
}

/// Packed frames of some shapes, with what they were.
std::vector<Frame> packed_frames(Random& random) {
  std::vector<Frame> frames;
  for (const size_t i : {0U, 1U, 2U, 3U, 4U, 5U}) {
    nic::Host host{.tcp = i != 4, .tag = i % 2 != 0, .ihl = 5 + i, .data_offset = 5 + 2 * i};
    nic::NicTx tx({});
    tx.pack(host.syn());
    const size_t head = host.tcp ? i % 4 : 0, tail = host.tcp ? (i + 1) % 4 : 0;
    host.sequence += 1 - static_cast<uint32_t>(head);
    host.payload = payload_of(head, 20 + 9 * i, tail, Mix::kMixed, random);
    const nic::Packed packed = tx.pack(host.frame());
    EXPECT_EQ(packed.action, TxAction::kPacked);
    frames.push_back(packed.frame);
  }
  return frames;
}

size_t shim_of(const Frame& frame) {
  const size_t ip = capture::load16(frame, 12) == 0x8100 ? 18 : 14;
  const size_t transport = ip + 4 * size_t{frame[ip]} % 64;
  return transport + (frame[ip + 9] == 254 ? 8 : 4 * size_t{frame[transport + 12]} / 16);
}

// After any frame the next one is right.
TEST_P(Matrix, WhatAWireDoesToPackedFrames) {
  Random random(seed());
  std::vector<Frame> frames;
  size_t good = 0;
  for (const Frame& whole : packed_frames(random)) {
    const auto add = [&](Frame broken) {
      frames.push_back(std::move(broken));
      frames.push_back(whole);
      ++good;
    };
    const size_t ip = capture::load16(whole, 12) == 0x8100 ? 18 : 14, shim = shim_of(whole);
    ASSERT_EQ(whole[shim] >> 4, nic::kShimVersion);
    // Cut behind every byte.
    for (size_t size = 1; size < whole.size(); ++size) {
      add(Frame(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size)));
    }
    // Every bit of the shim, and of the headers.
    for (size_t bit = 8 * 12; bit < 8 * (shim + nic::kShim); ++bit) {
      Frame frame = whole;
      frame[bit / 8] ^= static_cast<uint8_t>(1 << bit % 8);
      add(std::move(frame));
    }
    // Any bytes behind a shim that is right; of groups that are all RAW, or of two bytes each.
    for (uint64_t i = 0; i < rounds(40u); ++i) {
      Frame frame = whole;
      for (size_t at = shim + nic::kShim; at < frame.size(); ++at) {
        frame[at] = i == 0 ? 0xFF : i == 1 ? 0 : static_cast<uint8_t>(random.next());
      }
      add(std::move(frame));
    }
    // Total lengths.
    for (size_t total = 0; total < whole.size() + 70; ++total) {
      Frame frame = whole;
      capture::store16(frame, ip + 2, total);
      add(std::move(frame));
    }
    for (const size_t total : {9000U, 9004U, 9005U, 16383U, 16384U, 32768U, 65535U}) {
      Frame frame = whole;
      capture::store16(frame, ip + 2, total);
      add(std::move(frame));
    }
  }
  const Ran rx = pass("nic_rx", frames, {}, GetParam());
  const auto& rows = rx.outcome.timeline.rows;
  ASSERT_EQ(rows.size(), frames.size());
  for (size_t i = 1; i < rows.size(); i += 2) {
    ASSERT_EQ(rows[i].action, static_cast<uint32_t>(RxAction::kUnpacked)) << i;
    ASSERT_FALSE(rows[i].error) << i;
  }
  // All that can be wrong was.
  EXPECT_GT(rx.count(RxAction::kPassed), 100U);
  EXPECT_GT(rx.count(RxAction::kBadShim), 1000U);
  EXPECT_GT(rx.count(RxAction::kBadStream), 1000U);
  EXPECT_GE(rx.count(RxAction::kUnpacked), good);
}

/// A stream through two NICs, cut into segments of these sizes in turn; the payloads as they come.
std::vector<uint8_t> sent(const std::vector<uint8_t>& stream, std::vector<size_t> sizes,
                          const std::string& bound) {
  nic::Host host{.sequence = 0xFFFFFC00};
  std::vector<Frame> frames = {host.syn()};
  const uint32_t begin = host.sequence + 1;
  for (size_t at = 0, i = 0; at < stream.size(); ++i) {
    const size_t size = std::min(sizes[i % sizes.size()], stream.size() - at);
    host.sequence = begin + static_cast<uint32_t>(at);
    const auto from = stream.begin() + static_cast<std::ptrdiff_t>(at);
    host.payload.assign(from, from + static_cast<std::ptrdiff_t>(size));
    frames.push_back(host.frame());
    at += size;
  }
  const Ran ran = pass("nic", frames, {{"bound", bound}});
  EXPECT_EQ(ran.frames.size(), frames.size());
  std::vector<uint8_t> received;
  for (size_t i = 1; i < ran.frames.size(); ++i) {
    received.insert(received.end(),
                    ran.frames[i].begin() + static_cast<std::ptrdiff_t>(host.payload_at()),
                    ran.frames[i].end());
  }
  EXPECT_EQ(received.size(), stream.size());
  received.resize(stream.size());
  return received;
}

// TCP may send a part of a stream again with other boundaries, and the receiver keeps bytes of
// either. Whatever it keeps of a float is within the bound; and what was decoded once stays as it
// is.
TEST(Retransmission, WithOtherBoundariesHoldsTheBound) {
  for (int k = reference::kMinBoundExponent; k <= reference::kMaxBoundExponent; ++k) {
    SCOPED_TRACE(k);
    Random random(seed() + static_cast<uint64_t>(k));
    const reference::CodecConfig codec{.bound_exponent = k};
    const std::string bound = std::to_string(k);
    // Every exponent, with no bit of the mantissa, all, and any.
    std::vector<uint8_t> stream, decoded;
    for (uint32_t exponent = 0; exponent < 256; ++exponent) {
      for (int i = 0; i < 6; ++i) {
        const auto any = static_cast<uint32_t>(random.next());
        const uint32_t mantissa = i == 0 ? 0 : i == 1 ? 0x7FFFFF : any & 0x7FFFFF;
        const uint32_t x = (any & 0x80000000) | exponent << 23 | mantissa;
        put(stream, x);
        put(decoded, reference::decode_value(reference::encode_value(x, codec), codec));
      }
    }
    const std::vector<uint8_t> once = sent(stream, {1448}, bound);
    const std::vector<uint8_t> again = sent(stream, {333, 47, 5, 2, 61}, bound);
    size_t differ = 0;
    for (size_t at = 0; at < stream.size(); at += 4) {
      const uint32_t x = boost::endian::load_little_u32(&stream[at]);
      const uint32_t one = boost::endian::load_little_u32(&once[at]);
      const uint32_t two = boost::endian::load_little_u32(&again[at]);
      differ += one != two;
      for (uint32_t which = 0; which < 16; ++which) {
        uint32_t mask = 0;
        for (uint32_t b = 0; b < 4; ++b) mask |= (which >> b & 1) != 0 ? 0xFFU << 8 * b : 0;
        const uint32_t kept = (one & mask) | (two & ~mask);
        if (kept == x) continue;
        const double error = std::abs(double{std::bit_cast<float>(kept)} - std::bit_cast<float>(x));
        ASSERT_LT(error, codec.bound()) << std::hex << x << " became " << kept;
      }
    }
    EXPECT_GT(differ, 8U) << "hardly a float was cut";
    EXPECT_EQ(sent(decoded, {777, 1446}, bound), decoded);
    ASSERT_FALSE(HasFailure());
  }
}

}  // namespace
}  // namespace gw::tests::matrix_test
