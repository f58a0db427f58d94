// gw_nic_tx against the reference: what leaves, what is counted, and the figures that follow from
// its cycle contract (docs/devices/nic_tx.md).
// SPDX-License-Identifier: Apache-2.0
#include <Vgw_nic_tx.h>
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <map>
#include <memory>

#include "tests/nic/frames.h"
#include "tests/support.h"

namespace gw::reference::nic::nic_tx_rtl_test {
namespace {

constexpr std::size_t kBeat = 32;
constexpr std::size_t kBytesIn = 15, kBytesOut = 16, kEvicted = 17, kForgotten = 18, kStats = 19;

struct Sent {
  Frame frame;
  bool bad = false;
  NicConfig config;
  std::optional<FlowKey> forget = {};
};

struct Left {
  Frame frame;
  bool error = false;
  std::uint64_t first = 0;  // cycles, of the first and the last beat
  std::uint64_t last = 0;
};

/// The device between a source and a sink that pause at random.
class Device {
 public:
  explicit Device(std::uint64_t seed) : top_(&context_), random_(seed) {
    context_.randSeed(static_cast<int>(seed % 1000) + 1);
    context_.randReset(2);
    top_.aclk = 0;
    reset();
  }
  ~Device() { top_.final(); }

  void reset() {
    top_.aresetn = 0;
    top_.s_axis_tvalid = 0;
    top_.m_axis_tready = 0;
    top_.eval();
    clock();
    EXPECT_EQ(top_.s_axis_tready, 0);
    EXPECT_EQ(top_.m_axis_tvalid, 0);
    top_.aresetn = 1;
    clock();
    EXPECT_EQ(top_.s_axis_tready, 1);
    EXPECT_EQ(top_.m_axis_tvalid, 0);
    left_.clear();
    now_ = {};
    begun_ = false;
  }

  /// Sends all frames and waits until nothing leaves any more, or for so many cycles. Pauses in
  /// percent of the cycles.
  void run(const std::vector<Sent>& frames, unsigned source_pause, unsigned sink_pause,
           std::uint64_t cycles = ~std::uint64_t{0}) {
    std::size_t frame = 0, at = 0;
    unsigned idle = 0;
    bool offered = false;
    for (const std::uint64_t begin = cycle_; idle < 3000; clock()) {
      if (cycle_ - begin == cycles) return;
      if (!offered && frame < frames.size() && !chance(source_pause)) {
        offer(frames[frame], at);
        offered = true;
      }
      top_.s_axis_tvalid = offered;
      if (!offered) scramble();
      top_.m_axis_tready = !chance(sink_pause);
      top_.eval();
      ++idle;
      if (top_.m_axis_tvalid && top_.m_axis_tready) {
        take();
        idle = 0;
      }
      if (offered && top_.s_axis_tready) {
        if (at == 0) entered_.push_back(cycle_);
        at += kBeat;
        offered = false;
        idle = 0;
        if (at >= frames[frame].frame.size()) {
          ended_.push_back(cycle_);
          ++frame;
          at = 0;
        }
      }
    }
    EXPECT_EQ(frame, frames.size());
    EXPECT_TRUE(now_.frame.empty() && !begun_) << "a frame has no end";
  }

  const std::vector<Left>& left() const { return left_; }
  std::uint32_t stat(std::size_t i) const { return top_.stat_o[i]; }
  std::uint64_t entered(std::size_t i) const { return entered_.at(i); }
  std::uint64_t ended(std::size_t i) const { return ended_.at(i); }

 private:
  bool chance(unsigned percent) { return percent != 0 && random_() % 100 < percent; }
  void clock() {
    top_.aclk = 1;
    top_.eval();
    top_.aclk = 0;
    top_.eval();
    ++cycle_;
  }
  void forget(const std::optional<FlowKey>& key) {
    top_.forget_i = key.has_value();
    if (!key) return;
    for (std::size_t i = 0; i < 3; ++i)
      top_.forget_key_i[2 - i] = boost::endian::load_big_u32(&(*key)[4 * i]);
  }
  void configure(const NicConfig& config) {
    top_.mark_i = config.mark;
    top_.mark_mask_i = config.mark_mask;
    top_.grid_i = config.grid == Grid::kPacket;
    top_.bound_i = config.codec.bound_exponent;
    top_.bounded_i = config.codec.mode == Mode::kBounded;
    top_.protocol_tcp_i = config.protocol_tcp;
    top_.protocol_udp_i = config.protocol_udp;
  }
  /// What does not count is anything.
  void scramble() {
    for (std::size_t i = 0; i < kBeat / 4; ++i) top_.s_axis_tdata[i] = random_();
    top_.s_axis_tkeep = random_();
    top_.s_axis_tuser = random_() & 1;
    top_.s_axis_tlast = random_() & 1;
    top_.mark_i = random_();
    top_.mark_mask_i = random_();
    top_.grid_i = random_() & 1;
    top_.bound_i = random_() % 16;
    top_.bounded_i = random_() & 1;
    top_.protocol_tcp_i = random_();
    top_.protocol_udp_i = random_();
    top_.forget_i = random_() & 1;
    for (std::size_t i = 0; i < 3; ++i) top_.forget_key_i[i] = random_();
  }
  void offer(const Sent& sent, std::size_t at) {
    scramble();
    if (at == 0) {
      configure(sent.config);
      forget(sent.forget);
    }
    const std::size_t bytes = std::min(kBeat, sent.frame.size() - at);
    for (std::size_t i = 0; i < bytes; ++i) {
      const unsigned shift = 8 * (i % 4);
      top_.s_axis_tdata[i / 4] = (top_.s_axis_tdata[i / 4] & ~(0xFFU << shift)) |
                                 (std::uint32_t{sent.frame[at + i]} << shift);
    }
    top_.s_axis_tlast = at + kBeat >= sent.frame.size();
    if (!top_.s_axis_tlast) return;
    top_.s_axis_tuser = sent.bad;
    // Bits above the lowest zero are ignored.
    const std::uint64_t ones = (std::uint64_t{1} << bytes) - 1;
    top_.s_axis_tkeep = static_cast<std::uint32_t>(ones | (random_() & ~(2 * ones + 1)));
  }
  void take() {
    if (!begun_) now_.first = cycle_;
    begun_ = true;
    const std::uint32_t keep = top_.m_axis_tkeep;
    const int bytes = std::countr_one(keep);
    EXPECT_EQ(keep, bytes == 32 ? ~0U : (1U << bytes) - 1);
    for (int i = 0; i < 32; ++i) {
      const auto byte = static_cast<std::uint8_t>(top_.m_axis_tdata[i / 4] >> 8 * (i % 4));
      if (i < bytes) now_.frame.push_back(byte);
      if (i >= bytes) EXPECT_EQ(byte, 0);
    }
    if (!top_.m_axis_tlast) {
      EXPECT_EQ(bytes, 32);
      EXPECT_EQ(top_.m_axis_tuser, 0);
      return;
    }
    now_.error = top_.m_axis_tuser;
    now_.last = cycle_;
    left_.push_back(std::move(now_));
    now_ = {};
    begun_ = false;
  }

  VerilatedContext context_;
  Vgw_nic_tx top_;
  std::mt19937 random_;
  std::uint64_t cycle_ = 0;
  std::vector<Left> left_;
  std::vector<std::uint64_t> entered_, ended_;
  Left now_;
  bool begun_ = false;
};

/// What must leave and be counted. A configuration holds for its frame alone; all learn all SYNs.
class Expected {
 public:
  void add(const Sent& sent) {
    const auto key = std::tuple(sent.config.grid, sent.config.codec.bound_exponent,
                                sent.config.codec.mode, sent.config.mark, sent.config.protocol_udp);
    if (!nics_.contains(key)) {
      NicTx fresh(sent.config);
      for (const Sent& s : before_) fresh.pack(s.frame, s.bad, s.forget);
      nics_.emplace(key, fresh);
    }
    before_.push_back(sent);
    Packed packed;
    for (auto& [k, nic] : nics_) {
      auto p = nic.pack(sent.frame, sent.bad, sent.forget);
      if (k == key) packed = std::move(p);
    }
    actions_.push_back(packed.action);
    ++stats_[static_cast<std::size_t>(packed.action)];
    stats_[kBytesIn] += sent.frame.size();
    stats_[kBytesOut] += packed.frame.size();
    stats_[kEvicted] = nics_.begin()->second.flows().evicted();
    stats_[kForgotten] = nics_.begin()->second.flows().forgotten();
    if (packed.leaves) left_.push_back({.frame = packed.frame, .error = packed.error});
  }
  void compare(const Device& device) const {
    ASSERT_EQ(device.left().size(), left_.size());
    for (std::size_t i = 0; i < left_.size(); ++i) {
      ASSERT_EQ(device.left()[i].frame, left_[i].frame) << "frame " << i << " that left";
      ASSERT_EQ(device.left()[i].error, left_[i].error) << "frame " << i << " that left";
    }
    for (std::size_t i = 0; i < kStats; ++i) EXPECT_EQ(device.stat(i), stats_[i]) << "stat " << i;
  }
  const std::array<std::uint32_t, kStats>& stats() const { return stats_; }
  TxAction action(std::size_t i) const { return actions_.at(i); }

 private:
  std::map<std::tuple<Grid, int, Mode, std::uint8_t, std::uint8_t>, NicTx> nics_;
  std::vector<Sent> before_;
  std::vector<Left> left_;
  std::vector<TxAction> actions_;
  std::array<std::uint32_t, kStats> stats_{};
};

/// Frames of all kinds: what hosts send, and what nobody should.
class Source {
 public:
  explicit Source(std::uint64_t seed) : random_(seed) {}

  Sent next() {
    Sent sent{.frame = {}, .config = config()};
    if (below(6) == 0) sent.forget = Host{.port = port()}.key();
    Host host;
    host.tcp = below(4) != 0;
    host.tag = below(3) == 0;
    host.ihl = below(3) == 0 ? 5 + below(11) : 5;
    host.data_offset = below(3) == 0 ? 5 + below(11) : 5;
    host.tos = below(10) == 0 ? static_cast<std::uint8_t>(below(256)) : 0x28 | below(4);
    host.port = port();
    host.sequence = random_();
    host.udp_checksum = below(4) != 0;
    host.trailer = below(12) == 0 ? below(70) : 0;
    if (below(6) == 0) host.flags |= 2;
    if (host.flags & 2 && below(2) == 0)
      return {.frame = host.syn(), .config = sent.config, .forget = sent.forget};
    host.payload = payload(size());
    sent.frame = host.frame();
    if (below(16) == 0)
      sent.frame[host.ip_at() + 6 + below(2)] |=
          static_cast<std::uint8_t>(1 + below(32));  // a fragment
    if (below(16) == 0) sent.frame[host.ip_at() + 9] = 47;
    if (below(8) == 0) bend(sent.frame);
    sent.bad = below(12) == 0;
    return sent;
  }
  NicConfig config() {
    NicConfig config;
    if (below(4) == 0) config.grid = Grid::kPacket;
    config.codec.bound_exponent = below(3) == 0 ? 10 : 4;
    if (below(2) == 0) config.codec.mode = Mode::kPaper;
    if (below(4) == 0) {
      config.protocol_tcp = 0x84;
      config.protocol_udp = 0xC7;
    }
    return config;
  }
  /// Few enough to come again, some that meet in the flow table.
  std::uint16_t port() {
    auto port = static_cast<std::uint16_t>(4000 + below(8));
    if (below(4) == 0) port += static_cast<std::uint16_t>(below(4) * 0x0101);
    return port;
  }
  std::uint32_t below(std::uint32_t n) { return random_() % n; }
  std::vector<std::uint8_t> payload(std::size_t bytes) {
    static constexpr std::array kSizes{1e-7F, 0.003F, 0.05F, 0.7F, 30.0F};
    const std::uint32_t kind = below(7);
    auto out = gradients(bytes, random_(), kSizes.at(std::min(kind, 4U)));
    if (kind == 5) std::ranges::generate(out, [&] { return static_cast<std::uint8_t>(random_()); });
    if (kind == 6) {
      for (std::size_t i = 3; i < out.size(); i += 4) {
        out[i] = static_cast<std::uint8_t>(0x3F - below(9) / 8 * below(3) + (random_() & 0x80));
      }
    }
    return out;
  }

 private:
  std::size_t size() {
    switch (below(8)) {
      case 0:
      case 1:
        return below(100);
      case 2:
        return 1400 + below(61);
      case 3:
        return 8880 + below(121);
      case 4:
        return below(9);
      default:
        return below(600);
    }
  }
  void bend(Frame& frame) {
    switch (below(6)) {
      case 0:
        frame.resize(1 + below(static_cast<std::uint32_t>(frame.size())));
        break;
      case 1:
        frame.resize(9000 + below(200), 0x55);
        break;
      case 2:
        frame.resize(9500 + below(4000), 0x55);
        break;
      case 3:
        frame.resize(below(3));
        break;
      default:
        for (int i = 0; i < 3; ++i) {
          const std::size_t last = std::min<std::size_t>(frame.size(), 100);
          frame[below(static_cast<std::uint32_t>(last))] = static_cast<std::uint8_t>(random_());
        }
        if (below(2) == 0 && frame.size() > 30)
          frame[23] = static_cast<std::uint8_t>(253 + below(2));
    }
  }
  std::mt19937 random_;
};

TEST(NicTxRtl, EqualsTheReferenceWithPausesOnBothSides) {
  struct Pauses {
    unsigned source, sink;
  };
  std::array<std::uint32_t, kTxActions> seen{};
  std::uint32_t forgotten = 0;
  std::uint64_t seed = tests::seed();
  for (const Pauses pauses : {Pauses{0, 0}, Pauses{40, 0}, Pauses{0, 40}, Pauses{30, 30},
                              Pauses{0, 90}, Pauses{85, 20}}) {
    SCOPED_TRACE(fmt::format("pauses {} {}, seed {}", pauses.source, pauses.sink, seed));
    Source source(seed);
    Device device(seed++);
    Expected expected;
    std::vector<Sent> frames;
    for (int i = 0; i < 600; ++i) frames.push_back(source.next());
    for (const Sent& sent : frames) expected.add(sent);
    device.run(frames, pauses.source, pauses.sink);
    expected.compare(device);
    if (HasFatalFailure()) return;
    for (std::size_t i = 0; i < kTxActions; ++i) seen[i] += expected.stats()[i];
    forgotten += expected.stats()[kForgotten];
  }
  for (std::size_t i = 0; i < kTxActions; ++i) {
    EXPECT_GT(seen[i], 0U) << name_of(static_cast<TxAction>(i)) << " was never tried";
  }
  EXPECT_GT(forgotten, 20U);
}

/// Every place of the payload, head, tail and number of floats about a beat.
TEST(NicTxRtl, EqualsTheReferenceForEveryPlaceOfTheFloats) {
  std::uint64_t seed = tests::seed();
  Source source(seed);
  Device device(seed);
  Expected expected;
  std::vector<Sent> frames;
  for (const bool tag : {false, true}) {
    for (std::size_t ihl = 5; ihl <= 15; ++ihl) {
      for (std::size_t offset = 5; offset <= 15; ++offset) {
        Host host{.tag = tag, .ihl = ihl, .data_offset = offset, .payload = {}};
        host.sequence = 1000;
        frames.push_back({.frame = host.syn(), .config = {}});
        for (std::uint32_t head = 0; head < 4; ++head) {
          host.sequence = 1001 + source.below(100) * 4 - head;
          host.payload = source.payload(head + 4 + source.below(120));
          frames.push_back({.frame = host.frame(), .config = {}});
        }
      }
    }
  }
  for (const Sent& sent : frames) expected.add(sent);
  device.run(frames, 0, 0);
  expected.compare(device);
  EXPECT_GT(expected.stats()[static_cast<std::size_t>(TxAction::kPacked)], 200U);
}

/// One's complement has two zeros: checksums and differences that are one of them.
TEST(NicTxRtl, EqualsTheReferenceForChecksumsThatAreZero) {
  Device device(tests::seed());
  Expected expected;
  std::vector<Sent> frames;
  for (const bool tcp : {false, true}) {
    for (const std::uint32_t head : {0U, 1U}) {
      if (!tcp && head != 0) continue;
      Host host{.tcp = tcp, .sequence = 1000, .payload = {}};
      if (tcp) frames.push_back({.frame = host.syn(), .config = {}});
      host.sequence = 1001 - head;
      for (const std::uint32_t word : {0x0000'0000U, 0x0000'FFFFU, 0x0001'FFFEU, 0x0000'1234U}) {
        for (const std::uint32_t sum :
             {0x0000U, 0xFFFFU, 0x0001U, 0xFFFEU, 0x1234U, 0xEDCBU, 0x3412U, 0xCBEDU}) {
          // Subnormals are ZERO: all of their bits go.
          host.payload.assign(head + 64, 0);
          boost::endian::store_little_u32(&host.payload[head + 8], word);
          Frame frame = host.frame();
          capture::store16(frame, host.transport_at() + (tcp ? 16 : 6), sum);
          capture::store16(frame, host.ip_at() + 10, sum);
          frames.push_back({.frame = frame, .config = {}});
        }
      }
    }
  }
  for (const Sent& sent : frames) expected.add(sent);
  device.run(frames, 0, 0);
  expected.compare(device);
  EXPECT_EQ(expected.stats()[static_cast<std::size_t>(TxAction::kPacked)], frames.size() - 2);
}

/// Queues that are full: of beats, of streams longer than their floats, of frames.
TEST(NicTxRtl, EqualsTheReferenceBehindASlowSink) {
  std::uint64_t seed = tests::seed();
  struct Kind {
    std::uint32_t frames, floats, most;
    float size;
  };
  for (const Kind kind :
       {Kind{1200, 0, 6, 0.5F}, Kind{400, 1, 9, 1e6F}, Kind{20, 2100, 2230, 1e6F}}) {
    Source source(++seed);
    Device device(seed);
    Expected expected;
    std::vector<Sent> frames;
    for (std::uint32_t i = 0; i < kind.frames; ++i) {
      Host host{.tcp = false, .payload = {}};
      host.payload =
          gradients(4 * (kind.floats + source.below(kind.most - kind.floats)), seed + i, kind.size);
      Frame frame = host.frame();
      if (source.below(8) == 0) frame.resize(1 + source.below(40));
      if (source.below(8) == 0 && kind.floats > 2000) frame.resize(9019 + source.below(3000));
      frames.push_back({.frame = frame, .bad = source.below(8) == 0, .config = {}});
    }
    for (const Sent& sent : frames) expected.add(sent);
    device.run(frames, 0, 97);
    expected.compare(device);
    if (HasFatalFailure()) return;
  }
}

std::uint32_t count(const Device& device, TxAction action) {
  return device.stat(static_cast<std::size_t>(action));
}

/// A flow is forgotten for the frame that says so and those after it, not for those before it; the
/// next SYN teaches it again, also one that came with its own flow's key.
TEST(NicTxRtl, ForgetsAFlow) {
  Host host{.sequence = 1000, .payload = gradients(400, 5)};
  Host other = host;
  other.port = 4001;
  Host data = host;
  data.sequence = 1001;
  Host other_data = data;
  other_data.port = 4001;
  const FlowKey key = host.key(), other_key = other.key();
  FlowKey unknown = key;
  unknown[11] ^= 0x80;  // another flow of the same hash is not enough
  unknown[10] ^= 0x80;
  const Frame tiny(20, 0x11);
  for (const unsigned pause : {0U, 30U}) {
    Device device(tests::seed());
    std::vector<Sent> frames;
    const auto send = [&](const Frame& frame, std::optional<FlowKey> forget = {}) {
      frames.push_back({.frame = frame, .config = {}, .forget = forget});
    };
    send(host.syn(), key);  // not there: not counted
    send(other.syn());
    send(data.frame());             // packed
    send(data.frame(), unknown);    // packed
    send(other_data.frame(), key);  // packed, and the first flow goes
    send(data.frame());             // no stream start
    send(host.syn());               // taught again
    send(data.frame());             // packed
    send(data.frame(), key);        // no stream start, at once
    send(host.syn(), other_key);    // taught, and the other one goes
    send(other_data.frame());       // no stream start
    send(host.syn(), key);          // gone and taught
    send(data.frame());             // packed
    send(other.syn());
    send(tiny, key);  // one beat each, back to back
    send(tiny, other_key);
    send(tiny, other_key);     // not there any more
    send(data.frame());        // no stream start
    send(other_data.frame());  // no stream start
    device.run(frames, pause, pause);
    EXPECT_EQ(count(device, TxAction::kPacked), 5U);
    EXPECT_EQ(count(device, TxAction::kNoStreamStart), 5U);
    EXPECT_EQ(count(device, TxAction::kSyn), 6U);
    EXPECT_EQ(device.stat(kForgotten), 6U);
    EXPECT_EQ(device.stat(kEvicted), 0U);
    ASSERT_EQ(device.left().size(), frames.size());
    for (const std::size_t plain : {5U, 8U, 10U, 17U, 18U})
      EXPECT_EQ(device.left()[plain].frame, frames[plain].frame) << plain;
    for (const std::size_t packed : {2U, 3U, 4U, 7U, 12U})
      EXPECT_LT(device.left()[packed].frame.size(), frames[packed].frame.size()) << packed;
  }
}

/// Both directions of a connection have their entries, whichever end is the greater one; the same
/// ends (a host that talks to itself) have one.
TEST(NicTxRtl, BothDirectionsOfAConnectionArePacked) {
  for (const auto& [source, destination] : std::vector<std::pair<std::uint32_t, std::uint32_t>>{
           {0x0A000001, 0x0A000002}, {0xC0A80001, 0x0A0000FF}, {0x0A000001, 0x0A000001}}) {
    for (const std::uint16_t port : {4999, 5000, 5001, 0x8813}) {
      Host host{.sequence = 1000,
                .source = source,
                .destination = destination,
                .port = port,
                .payload = gradients(400, 5)};
      // The same bytes, the ends swapped.
      const auto back = [&](Frame frame) {
        for (std::size_t i = 0; i < 4; ++i) std::swap(frame[26 + i], frame[30 + i]);
        for (std::size_t i = 0; i < 2; ++i) std::swap(frame[34 + i], frame[36 + i]);
        return frame;
      };
      Host data = host;
      data.sequence = 1001;
      std::vector<Sent> frames;
      for (const Frame& frame : {host.syn(), back(host.syn()), data.frame(), back(data.frame())})
        frames.push_back({.frame = frame, .config = {}});
      Device device(1);
      device.run(frames, 0, 0);
      EXPECT_EQ(count(device, TxAction::kPacked), 2U) << port;
      EXPECT_EQ(device.stat(kEvicted), 0U) << port;
    }
  }
}

Host datagram(std::size_t frame_bytes, float size, std::uint8_t tos = 0x28) {
  Host host{.tcp = false, .tos = tos, .payload = {}};
  host.payload = gradients(frame_bytes - 42, 7, size);
  host.payload.resize(frame_bytes - 42);
  return host;
}

TEST(NicTxRtl, ForgetsEverythingInReset) {
  std::uint64_t seed = tests::seed();
  Source source(seed);
  Device device(seed);
  for (std::uint32_t i = 0; i < 40; ++i) {
    std::vector<Sent> frames;
    for (int j = 0; j < 30; ++j) frames.push_back(source.next());
    device.run(frames, 20, 20, source.below(600));
    device.reset();
    Expected expected;
    for (const Sent& sent : frames) expected.add(sent);
    device.run(frames, 0, 0);
    expected.compare(device);
    if (HasFatalFailure()) return;
    device.reset();
  }
}

/// In each cycle of a packed frame: nothing of it may come out of the next one.
TEST(NicTxRtl, ForgetsAPackedFrameInReset) {
  Device device(tests::seed());
  const std::vector<Sent> frames(1, {.frame = datagram(1514, 0.01F).frame(), .config = {}});
  Expected expected;
  expected.add(frames.front());
  for (std::uint64_t cycles = 1; cycles < 120; ++cycles) {
    SCOPED_TRACE(fmt::format("reset after {} cycles", cycles));
    device.run(frames, 0, 0, cycles);
    device.reset();
    device.run(frames, 0, 0);
    expected.compare(device);
    if (HasFatalFailure()) return;
    device.reset();
  }
}

TEST(NicTxRtl, LatencyIsTheContracts) {
  for (const std::size_t bytes : {42 + 24, 42 + 56, 42 + 84, 42 + 120, 42 + 1472, 42 + 8976}) {
    const std::size_t beats = (bytes + kBeat - 1) / kBeat;
    for (const bool marked : {false, true}) {
      Device device(1);
      device.run({{.frame = datagram(bytes, 0.01F, marked ? 0x28 : 0).frame(), .config = {}}}, 0,
                 0);
      ASSERT_EQ(device.left().size(), 1U);
      const auto latency = device.left()[0].first - device.entered(0);
      if (marked) {
        EXPECT_LE(latency, beats + 16) << bytes;
      } else {
        EXPECT_EQ(latency, beats >= 5 ? 8 : beats + 4) << bytes;
      }
      fmt::print("{:5} bytes {}: latency {}\n", bytes, marked ? "packed  " : "bypassed", latency);
    }
  }
}

TEST(NicTxRtl, OneBeatACycleBackToBackWithoutGapsInsideFrames) {
  struct Kind {
    const char* name;
    float size;
    std::uint8_t tos;
  };
  for (const Kind kind :
       {Kind{"packed", 0.001F, 0x28}, Kind{"raw", 1e6F, 0x28}, Kind{"bypassed", 0.01F, 0}}) {
    for (const std::size_t bytes : {60, 64, 1514, 9014}) {
      const std::size_t beats = (bytes + kBeat - 1) / kBeat;
      const std::size_t count = std::max<std::size_t>(20, 20000 / beats / kBeat);
      // A datagram's length is a multiple of four: what a frame of 64 bytes has more, is none.
      const auto host = datagram(42 + (bytes - 42) / 4 * 4, kind.size, kind.tos);
      Frame frame = host.frame();
      std::vector<Sent> frames(count, {.frame = frame, .config = {}});
      const std::size_t frame_beats = (frame.size() + kBeat - 1) / kBeat;
      Device device(1);
      device.run(frames, 0, 0);
      ASSERT_EQ(device.left().size(), count);
      const auto cycles = device.ended(count - 1) - device.entered(0) + 1;
      const std::size_t all = count * frame_beats;
      fmt::print("{:8} {:5} bytes: {:.4f} cycles a beat\n", kind.name, frame.size(),
                 static_cast<double>(cycles) / static_cast<double>(all));
      EXPECT_LE(cycles, kind.size > 1e5F ? all + all / 16 + 2 : all) << kind.name << bytes;
      for (const Left& left : device.left()) {
        EXPECT_EQ(left.last - left.first + 1, (left.frame.size() + kBeat - 1) / kBeat);
      }
    }
  }
}

}  // namespace
}  // namespace gw::reference::nic::nic_tx_rtl_test
