// gw_nic_rx against the reference: what leaves for frames of every shape, packed by NicTx and then
// bent, and the figures that the contract promises (docs/devices/nic_rx.md). Cycle by cycle it is
// compared with its SystemC model elsewhere; here assertions of the RTL watch, too.
// SPDX-License-Identifier: Apache-2.0
#include <Vnic_rx_checked.h>
#include <gtest/gtest.h>
#include <verilated.h>

#include <algorithm>
#include <array>
#include <memory>
#include <random>
#include <span>
#include <vector>

#include "models/reference/nic/nic.h"
#include "tests/nic/frames.h"

namespace gw::reference::nic::nic_rx_rtl_test {
namespace {

using capture::load16;
using capture::store16;

constexpr std::size_t kBeat = 32;
constexpr std::size_t kActions = kRxActions;
constexpr auto kMended = static_cast<std::size_t>(RxAction::kMended);
constexpr std::size_t kBytesIn = kActions, kBytesOut = kActions + 1, kStats = kActions + 2;
constexpr int kStandstill = 2000;  // cycles without a beat that tell of a deadlock

struct Input {
  Frame frame;
  bool bad = false;
  std::uint8_t protocol_tcp = 253;
  std::uint8_t protocol_udp = 254;
  bool empty_beat = false;  ///< the last beat holds no byte; only of whole beats

  std::size_t beats() const {
    return frame.size() / kBeat + (frame.size() % kBeat != 0 || empty_beat || frame.empty());
  }
};

struct Output {
  Frame frame;
  bool error = false;
  std::vector<std::uint64_t> cycles;  ///< in which its beats left
};

/// Chances, of 100, that in a cycle the source offers nothing and the sink takes nothing.
struct Stalls {
  unsigned source = 0;
  unsigned sink = 0;
};

class Device {
 public:
  explicit Device(unsigned seed)
      : random_(seed), top_(std::make_unique<Vnic_rx_checked>(&context_)) {
    context_.randReset(2);
    context_.randSeed(static_cast<int>(seed + 1));
    top_->aclk = 0;
    top_->aresetn = 0;
    for (int i = 0; i < 3; ++i) edge();
    top_->aresetn = 1;
    edge();
  }
  ~Device() { top_->final(); }
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  /// Offers the frames one after the other; gives what leaves and, beside it, when each frame's
  /// first beat was accepted.
  std::vector<Output> run(std::span<const Input> inputs, Stalls stalls = {}) {
    entered_.clear();
    std::vector<Output> outputs;
    Output current;
    std::size_t next = 0, beat = 0;
    int still = 0;
    bool offering = false;
    std::array<std::uint32_t, 11> held{};  // what the sink did not take
    bool holding = false;
    while ((outputs.size() < inputs.size() || next < inputs.size()) && still < kStandstill) {
      offering = next < inputs.size() && (offering || draw(100) >= stalls.source);
      offer(offering ? &inputs[next] : nullptr, beat);
      top_->m_axis_tready = draw(100) >= stalls.sink;
      const bool accepted = offering && top_->s_axis_tready;
      const auto now = shown();
      if (holding) {
        EXPECT_TRUE(top_->m_axis_tvalid && now == held);
      }
      holding = top_->m_axis_tvalid && !top_->m_axis_tready;
      held = now;
      const bool left = top_->m_axis_tvalid && top_->m_axis_tready;
      if (left) take(current, outputs);
      if (accepted && beat == 0) entered_.push_back(cycle_);
      if (accepted) {
        offering = false;
        if (++beat == inputs[next].beats()) {
          beat = 0;
          ++next;
        }
      }
      still = accepted || left ? 0 : still + 1;
      edge();
      listen();
    }
    EXPECT_LT(still, kStandstill) << "stands still at frame " << outputs.size();
    // Nothing comes any more. What finishes behind what leaves does meanwhile: groups of two bytes
    // that were not announced, the front queue and the Burst Buffer full of them at most.
    offer(nullptr, 0);
    for (int i = 0; i < 1300; ++i) {
      EXPECT_FALSE(top_->m_axis_tvalid);
      edge();
      listen();
    }
    return outputs;
  }
  const std::vector<std::uint64_t>& entered() const { return entered_; }
  /// What forget_o said, in its order.
  const std::vector<FlowKey>& forgotten() const { return forgotten_; }
  std::array<std::uint32_t, kStats> statistics() const {
    std::array<std::uint32_t, kStats> out{};
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = top_->stat_o[i];
    return out;
  }

 private:
  unsigned draw(unsigned below) { return static_cast<unsigned>(random_() % below); }
  void edge() {
    top_->eval();
    top_->aclk = 1;
    top_->eval();
    top_->aclk = 0;
    top_->eval();
    ++cycle_;
  }
  /// forget_o comes with the count of the frame that it is about.
  void listen() {
    if (!top_->forget_o) return;
    FlowKey key;
    for (std::size_t i = 0; i < key.size(); ++i)
      key[i] = static_cast<std::uint8_t>(top_->forget_key_o[2 - i / 4] >> 8 * (3 - i % 4));
    forgotten_.push_back(key);
  }
  /// What does not count is random.
  void offer(const Input* input, std::size_t beat) {
    top_->s_axis_tvalid = input != nullptr;
    for (std::size_t i = 0; i < 8; ++i) top_->s_axis_tdata[i] = random_();
    top_->s_axis_tkeep = random_();
    top_->s_axis_tlast = random_() & 1;
    top_->s_axis_tuser = random_() & 1;
    top_->protocol_tcp_i = random_() & 0xFF;
    top_->protocol_udp_i = random_() & 0xFF;
    if (input == nullptr) return;
    const bool last = beat + 1 == input->beats();
    const std::size_t from = beat * kBeat;
    const std::size_t count = std::min(input->frame.size() - from, kBeat);
    for (std::size_t i = 0; i < count; ++i) {
      auto& word = top_->s_axis_tdata[i / 4];
      word = (word & ~(0xFFU << 8 * (i % 4))) | std::uint32_t{input->frame[from + i]}
                                                    << 8 * (i % 4);
    }
    top_->s_axis_tlast = last;
    if (last) {
      const auto below = static_cast<std::uint32_t>((std::uint64_t{1} << count) - 1);
      // Behind the lowest zero anything may be.
      top_->s_axis_tkeep = count == kBeat ? below : (random_() & ~(2 * below + 1)) | below;
      top_->s_axis_tuser = input->bad;
    }
    if (beat == 0) {
      top_->protocol_tcp_i = input->protocol_tcp;
      top_->protocol_udp_i = input->protocol_udp;
    }
  }
  std::array<std::uint32_t, 11> shown() const {
    std::array<std::uint32_t, 11> out{};
    for (std::size_t i = 0; i < 8; ++i) out[i] = top_->m_axis_tdata[i];
    out[8] = top_->m_axis_tkeep;
    out[9] = top_->m_axis_tlast;
    out[10] = top_->m_axis_tuser;
    return out;
  }
  void take(Output& current, std::vector<Output>& outputs) {
    const std::uint32_t keep = top_->m_axis_tkeep;
    EXPECT_EQ(keep & (keep + 1), 0U) << "tkeep has a gap";
    EXPECT_TRUE(top_->m_axis_tlast || (keep == ~0U && !top_->m_axis_tuser));
    for (std::size_t i = 0; i < kBeat; ++i) {
      const auto byte = static_cast<std::uint8_t>(top_->m_axis_tdata[i / 4] >> 8 * (i % 4));
      if ((keep >> i & 1) != 0) {
        current.frame.push_back(byte);
      } else {
        EXPECT_EQ(byte, 0);
      }
    }
    current.cycles.push_back(cycle_);
    if (!top_->m_axis_tlast) return;
    current.error = top_->m_axis_tuser;
    outputs.push_back(std::move(current));
    current = {};
  }

  std::mt19937 random_;
  VerilatedContext context_;
  std::unique_ptr<Vnic_rx_checked> top_;
  std::uint64_t cycle_ = 0;
  std::vector<std::uint64_t> entered_;
  std::vector<FlowKey> forgotten_;
};

Unpacked expected(const Input& input) {
  NicConfig config;
  config.protocol_tcp = input.protocol_tcp;
  config.protocol_udp = input.protocol_udp;
  return NicRx(config).unpack(input.frame, input.bad);
}

/// Runs the frames, compares what leaves and what is counted; how often each action was seen.
std::array<std::size_t, kActions> agrees(std::span<const Input> inputs, Stalls stalls,
                                         unsigned seed) {
  Device device(seed);
  const auto outputs = device.run(inputs, stalls);
  std::array<std::uint32_t, kStats> counts{};
  std::array<std::size_t, kActions> seen{};
  std::vector<FlowKey> forgotten;
  EXPECT_EQ(outputs.size(), inputs.size());
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const Unpacked want = expected(inputs[i]);
    const auto action = static_cast<std::size_t>(want.action);
    EXPECT_EQ(outputs[i].frame, want.frame) << "frame " << i << ", " << name_of(want.action);
    EXPECT_EQ(outputs[i].error, want.error) << "frame " << i << ", " << name_of(want.action);
    if (want.forget) forgotten.push_back(*want.forget);
    if (::testing::Test::HasFailure()) return seen;
    ++counts.at(action);
    ++seen.at(action);
    counts[kBytesIn] += static_cast<std::uint32_t>(inputs[i].frame.size());
    counts[kBytesOut] += static_cast<std::uint32_t>(want.frame.size());
  }
  EXPECT_EQ(device.forgotten(), forgotten);
  EXPECT_EQ(device.statistics(), counts);
  return seen;
}

class Random {
 public:
  explicit Random(unsigned seed) : engine_(seed) {}
  std::size_t below(std::size_t n) { return engine_() % n; }
  std::size_t between(std::size_t low, std::size_t high) { return low + below(high - low + 1); }
  bool one_in(std::size_t n) { return below(n) == 0; }
  std::uint8_t byte() { return static_cast<std::uint8_t>(engine_()); }
  unsigned seed() { return static_cast<unsigned>(engine_()); }

 private:
  std::mt19937 engine_;
};

/// Values from those that vanish to those that stay RAW.
constexpr std::array kSizes = {1e-9F, 1e-3F, 0.01F, 0.5F, 100.0F};

/// A host's frame with `payload` bytes of floats, headers of any shape, as NicTx sends it.
Packed drawn(Random& random, std::size_t payload, bool plain = false) {
  Host host;
  host.tcp = !random.one_in(3);
  host.tag = random.one_in(3);
  if (!plain) {
    host.ihl = random.one_in(2) ? 5 : random.between(5, 15);
    host.data_offset = random.one_in(2) ? 5 : random.between(5, 15);
  }
  host.tos = random.one_in(8) ? 0 : 0x28;
  host.sequence = random.seed();
  host.udp_checksum = !random.one_in(4);
  if (!host.tcp) payload &= ~std::size_t{3};
  payload = std::min(payload, kMaxFrame - host.payload_at());
  host.payload = gradients(payload, random.seed(), kSizes[random.below(kSizes.size())]);
  NicConfig config;
  config.codec = {static_cast<int>(random.between(1, 14)),
                  random.one_in(2) ? Mode::kBounded : Mode::kPaper};
  NicTx tx(config);
  if (host.tcp) {
    tx.pack(host.syn());
    host.sequence += static_cast<std::uint32_t>(random.below(4000));
  }
  return tx.pack(host.frame());
}

std::size_t drawn_size(Random& random) {
  switch (random.below(4)) {
    case 0:
      return random.below(80);
    case 1:
      return random.below(400);
    case 2:
      return random.below(1460);
    default:
      return random.one_in(8) ? random.below(9000) : random.below(1000);
  }
}

/// Where the shim is in a packed frame.
std::size_t shim_of(std::span<const std::uint8_t> frame) {
  const std::size_t ip = load16(frame, 12) == 0x8100 ? 18 : 14;
  const std::size_t transport = ip + frame[ip] % 16 * std::size_t{4};
  const bool tcp = frame[ip + 9] == 253 && transport + 12 < frame.size();
  return transport + (tcp ? frame[transport + 12] / 16 * std::size_t{4} : 8);
}

/// Makes version and CRC of a shim right: the remainder of the long division by x^4 + x + 1.
void seal(std::span<std::uint8_t> shim) {
  std::uint32_t rest = std::uint32_t{0x2000'0000} | std::uint32_t{shim[1]} << 20 |
                       std::uint32_t{shim[2]} << 12 | std::uint32_t{shim[3]} << 4;
  for (int i = 31; i >= 4; --i) {
    if ((rest >> i & 1) != 0) rest ^= std::uint32_t{0b10011} << (i - 4);
  }
  shim[0] = static_cast<std::uint8_t>(0x20 | rest);
}

/// What no nic_tx would send.
void bend(Frame& frame, Random& random) {
  const std::size_t ip = load16(frame, 12) == 0x8100 ? 18 : 14;
  const std::size_t shim = shim_of(frame);
  const auto flip = [&](std::size_t at) {
    if (at < frame.size()) frame[at] ^= static_cast<std::uint8_t>(1 << random.below(8));
  };
  switch (random.below(10)) {
    case 0:
      frame.resize(random.below(frame.size() + 1));
      break;
    case 1:
      frame.resize(std::min(frame.size(), shim + random.below(24)));
      break;
    case 2:
      flip(shim + random.below(4));
      break;
    case 3:
      flip(ip + random.below(20));
      break;
    case 4:
      flip(random.below(shim));
      break;
    case 5:
      for (std::size_t i = shim + 4; i < frame.size(); ++i) frame[i] = random.byte();
      break;
    case 6:  // groups of two bytes, more than announced
      for (std::size_t i = shim + 4; i < frame.size(); ++i) frame[i] = 0;
      break;
    case 7: {  // another total length
      const std::size_t total = load16(frame, ip + 2);
      store16(frame, ip + 2,
              random.one_in(2) ? total + random.below(70) - 35 : random.below(frame.size()));
      break;
    }
    case 8:  // padding, now and then more than the queues hold
      frame.resize(frame.size() + random.below(random.one_in(4) ? 6000 : 100), random.byte());
      break;
    default:  // another length of the original
      if (shim + 4 <= frame.size()) {
        const std::size_t length =
            random.one_in(2) ? load16(frame, shim + 2) + random.below(40) - 20 : random.below(9100);
        store16(frame, shim + 2, length);
        if (frame[ip + 9] != 253 && !random.one_in(3)) store16(frame, shim - 4, 8 + length);
        if (!random.one_in(4)) seal(std::span(frame).subspan(shim, 4));
      }
  }
}

/// An ICMP error that a router or a host sends about a packed frame.
struct Error {
  bool tag = false;
  std::size_t ihl = 5;
  std::uint8_t type = 3, code = 4;
  std::size_t quoted = 548;  ///< bytes of the packet, at most

  std::size_t ip_at() const { return tag ? 18 : 14; }
  std::size_t quote_at() const { return ip_at() + 4 * ihl + 8; }
  Frame about(std::span<const std::uint8_t> packed) const {
    const std::size_t packet_at = load16(packed, 12) == 0x8100 ? 18 : 14;
    auto packet = packed.subspan(packet_at, load16(packed, packet_at + 2));
    packet = packet.first(std::min(packet.size(), quoted));
    Frame out(quote_at(), 0);
    if (tag) store16(out, 12, 0x8100);
    store16(out, ip_at() - 2, 0x0800);
    out[ip_at()] = static_cast<std::uint8_t>(0x40 | ihl);
    store16(out, ip_at() + 2, 4 * ihl + 8 + packet.size());
    out[ip_at() + 8] = 60;
    out[ip_at() + 9] = 1;
    capture::store32(out, ip_at() + 12, 0x0A000003);
    std::copy_n(packet.begin() + 12, 4, out.begin() + static_cast<std::ptrdiff_t>(ip_at() + 16));
    store16(out, ip_at() + 10,
            0xFFFF ^ capture::add_words(std::span(out).subspan(ip_at(), 4 * ihl)));
    out[quote_at() - 8] = type;
    out[quote_at() - 7] = code;
    out.insert(out.end(), packet.begin(), packet.end());
    store16(out, quote_at() - 6,
            0xFFFF ^ capture::add_words(std::span(out).subspan(quote_at() - 8)));
    return out;
  }
};

Error drawn_error(Random& random) {
  static constexpr std::array<std::uint8_t, 8> kTypes = {3, 3, 3, 3, 11, 12, 0, 8};
  Error error{.tag = random.one_in(3), .type = kTypes[random.below(kTypes.size())]};
  error.ihl = random.one_in(2) ? 5 : random.between(5, 15);
  error.code = static_cast<std::uint8_t>(random.one_in(2) ? 2 : random.below(16));
  error.quoted = random.one_in(2) ? random.below(200) : 28 + random.below(1000);
  return error;
}

/// What no router would send.
void bend_error(Frame& frame, Random& random) {
  const std::size_t ip = load16(frame, 12) == 0x8100 ? 18 : 14;
  const std::size_t quote = ip + frame[ip] % 16 * std::size_t{4} + 8;
  const auto flip = [&](std::size_t at) {
    if (at < frame.size()) frame[at] ^= static_cast<std::uint8_t>(1 << random.below(8));
  };
  switch (random.below(8)) {
    case 0:
      frame.resize(random.below(frame.size() + 1));
      break;
    case 1:
      frame.resize(std::min(frame.size(), quote + random.below(130)));
      break;
    case 2:
      flip(ip + random.below(20));
      break;
    case 3:
      flip(quote - 8 + random.below(2));
      break;
    case 4:
      flip(quote + random.below(20));
      break;
    case 5:
      flip(quote + random.below(150));
      break;
    case 6:
      store16(frame, ip + 2, random.below(quote - ip + 160));
      break;
    default:
      frame.resize(frame.size() + random.below(random.one_in(8) ? 3000 : 100), random.byte());
  }
}

Input from(Frame frame, Random& random) {
  Input out{.frame = std::move(frame), .bad = random.one_in(10)};
  out.empty_beat = out.frame.size() % kBeat == 0 && random.one_in(2);
  return out;
}

constexpr std::array<Stalls, 5> kStalls = {{{0, 0}, {50, 0}, {0, 50}, {30, 30}, {0, 90}}};

TEST(NicRxRtl, GivesBackWhatNicTxPacked) {
  std::size_t unpacked = 0;
  for (unsigned seed = 0; seed < kStalls.size(); ++seed) {
    Random random(seed);
    std::vector<Input> inputs;
    for (int i = 0; i < 150; ++i)
      inputs.push_back(from(drawn(random, drawn_size(random)).frame, random));
    unpacked += agrees(inputs, kStalls[seed], seed)[static_cast<std::size_t>(RxAction::kUnpacked)];
    if (HasFailure()) FAIL() << "seed " << seed;
  }
  EXPECT_GT(unpacked, 200U);
}

TEST(NicRxRtl, HostileFrames) {
  std::array<std::size_t, kActions> seen{};
  for (unsigned seed = 0; seed < 4 * kStalls.size(); ++seed) {
    Random random(1000 + seed);
    std::vector<Input> inputs;
    for (int i = 0; i < 150; ++i) {
      Packed packed = drawn(random, drawn_size(random), random.one_in(2));
      const int times = packed.action == TxAction::kPacked ? static_cast<int>(random.below(3)) : 0;
      for (int j = 0; j < times && packed.frame.size() >= 60; ++j) bend(packed.frame, random);
      if (packed.action == TxAction::kPacked && times == 0 && random.one_in(3))
        packed.frame = drawn_error(random).about(packed.frame);
      inputs.push_back(from(packed.frame, random));
      if (random.one_in(20)) std::swap(inputs.back().protocol_tcp, inputs.back().protocol_udp);
      if (random.one_in(20)) inputs.back().protocol_tcp = 254;
      if (random.one_in(20)) inputs.push_back(from(Frame(random.below(70), 0x08), random));
    }
    const auto now = agrees(inputs, kStalls[seed % kStalls.size()], seed);
    for (std::size_t i = 0; i < seen.size(); ++i) seen.at(i) += now.at(i);
    if (HasFailure()) FAIL() << "seed " << seed;
  }
  for (const std::size_t frames : seen) EXPECT_GT(frames, 100U);
}

/// A frame that is packed, of at least so many bytes before.
Packed drawn_packed(Random& random, std::size_t payload, bool plain = false) {
  Packed packed;
  do {
    packed = drawn(random, payload, plain);
  } while (packed.action != TxAction::kPacked);
  return packed;
}

TEST(NicRxRtl, MendsQuotes) {
  std::array<std::size_t, kActions> seen{};
  for (unsigned seed = 0; seed < 2 * kStalls.size(); ++seed) {
    Random random(2000 + seed);
    std::vector<Input> inputs;
    for (int i = 0; i < 200; ++i) {
      Frame frame = drawn_packed(random, 40 + random.below(500)).frame;
      if (!random.one_in(8)) {
        frame = drawn_error(random).about(frame);
        for (std::size_t j = random.below(3); j > 0 && frame.size() >= 60; --j)
          bend_error(frame, random);
      }
      inputs.push_back(from(std::move(frame), random));
      if (random.one_in(20)) std::swap(inputs.back().protocol_tcp, inputs.back().protocol_udp);
      if (random.one_in(40)) inputs.back().protocol_udp = 1;
      if (random.one_in(20)) inputs.back().protocol_tcp = 254;
      if (random.one_in(10)) inputs.push_back(from(Frame(random.below(70), 0x08), random));
    }
    const auto now = agrees(inputs, kStalls[seed % kStalls.size()], seed);
    for (std::size_t i = 0; i < seen.size(); ++i) seen.at(i) += now.at(i);
    if (HasFailure()) FAIL() << "seed " << seed;
  }
  EXPECT_GT(seen.at(kMended), 500U);
}

// Each place that a quoted header, its transport header and its shim can have, each cut after it.
TEST(NicRxRtl, QuotesOfEveryShape) {
  std::size_t mended = 0, whole = 0;
  Random random(77);
  for (const bool tcp : {true, false}) {
    for (std::size_t ihl = 5; ihl <= 15; ++ihl) {
      std::vector<Input> inputs;
      std::vector<Frame> originals;
      for (std::size_t quoted_ihl = 5; quoted_ihl <= 15; ++quoted_ihl) {
        for (std::size_t offset = tcp ? 5 : 15; offset <= 15; ++offset) {
          Host host{.tcp = tcp, .ihl = quoted_ihl, .data_offset = offset, .payload = {}};
          host.payload = gradients(400, random.seed());
          NicTx tx({});
          if (tcp) tx.pack(host.syn());
          host.sequence += tcp ? 4 : 0;
          const Packed packed = tx.pack(host.frame());
          ASSERT_EQ(packed.action, TxAction::kPacked);
          Error error{.tag = random.one_in(2), .ihl = ihl, .code = 2};
          const std::size_t shim = host.payload_at() - host.ip_at();
          for (const std::size_t quoted :
               {4 * quoted_ihl + 8, shim + 3, shim + 4, shim + 40 + random.below(40)}) {
            error.quoted = quoted;
            inputs.push_back({.frame = error.about(packed.frame)});
            originals.push_back(packed.expected);
          }
        }
      }
      Device device(static_cast<unsigned>(ihl));
      const auto outputs = device.run(inputs);
      ASSERT_EQ(outputs.size(), inputs.size());
      for (std::size_t i = 0; i < inputs.size(); ++i) {
        const Frame &in = inputs[i].frame, &out = outputs[i].frame;
        ASSERT_EQ(out, expected(inputs[i]).frame) << i;
        const std::size_t icmp = (load16(in, 12) == 0x8100 ? 18 : 14) + 4 * ihl;
        const std::size_t header = in[icmp + 8] % 16 * std::size_t{4};
        // The message's checksum, which came right, is; so is the quoted header's.
        EXPECT_EQ(capture::add_words(std::span(in).subspan(icmp)), 0xFFFF);
        EXPECT_EQ(capture::add_words(std::span(out).subspan(icmp)), 0xFFFF);
        EXPECT_EQ(capture::add_words(std::span(out).subspan(icmp + 8, header)), 0xFFFF);
        ++mended;
        if (i % 4 < 2) continue;  // the shim is not quoted
        // As the host sent it.
        const Frame& sent = originals[i];
        EXPECT_TRUE(std::equal(sent.begin() + 14,
                               sent.begin() + 14 + static_cast<std::ptrdiff_t>(header),
                               out.begin() + static_cast<std::ptrdiff_t>(icmp + 8)));
        ++whole;
      }
      EXPECT_EQ(device.forgotten().size(), tcp ? inputs.size() : 0U);
      EXPECT_EQ(device.statistics()[kMended], inputs.size());
    }
  }
  EXPECT_EQ(mended, 11U * 11 * 12 * 4);
  EXPECT_EQ(whole, mended / 2);
}

TEST(NicRxRtl, QuotesCutBehindEveryByte) {
  Random random(9);
  for (unsigned seed = 0; seed < 4; ++seed) {
    const Packed packed = drawn_packed(random, 300);
    const Frame frame = drawn_error(random).about(packed.frame);
    std::vector<Input> inputs;
    for (std::size_t size = 0; size <= frame.size(); ++size)
      inputs.push_back(
          {.frame = Frame(frame.begin(), frame.begin() + static_cast<std::ptrdiff_t>(size))});
    agrees(inputs, kStalls[seed], seed);
    if (HasFailure()) FAIL() << "seed " << seed;
  }
}

// No packed frame is longer than 9,018 bytes, and none of UDP has a head: a shim that says so is
// none.
TEST(NicRxRtl, QuotesOfShimsThatCannotBe) {
  Random random(17);
  for (const bool tcp : {true, false}) {
    Packed packed;
    do {
      packed = drawn_packed(random, 300);
    } while ((packed.frame[load16(packed.frame, 12) == 0x8100 ? 27 : 23] == 253) != tcp);
    const std::size_t ip = load16(packed.frame, 12) == 0x8100 ? 18 : 14;
    const std::size_t shim = shim_of(packed.frame);
    const Error error{.quoted = 200};
    std::vector<Input> inputs;
    for (const std::size_t total : {9000, 9003, 9004, 9005, 9006, 0xFFFF}) {
      store16(packed.frame, shim + 2, total - (shim - ip));
      seal(std::span(packed.frame).subspan(shim, 4));
      inputs.push_back({.frame = error.about(packed.frame)});
    }
    store16(packed.frame, shim + 2, 1000);
    for (std::uint8_t head = 0; head < 4; ++head) {
      packed.frame[shim + 1] = static_cast<std::uint8_t>(0xA8 | head);
      seal(std::span(packed.frame).subspan(shim, 4));
      inputs.push_back({.frame = error.about(packed.frame)});
    }
    Device device(1);
    const auto outputs = device.run(inputs);
    ASSERT_EQ(outputs.size(), inputs.size());
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      EXPECT_EQ(outputs[i].frame, expected(inputs[i]).frame) << i;
      const std::size_t at = error.quote_at() + 2;
      const bool can_be = i < 3 || i == 6 || (i > 6 && tcp);
      EXPECT_EQ(load16(outputs[i].frame, at) != load16(inputs[i].frame, at), can_be) << i;
    }
  }
}

// As short as quotes can be, as many as the queue of beats holds; one leaves in 20 cycles.
TEST(NicRxRtl, ManyShortQuotes) {
  Random random(13);
  const Packed packed = drawn_packed(random, 300, true);
  const Frame frame = Error{.quoted = 20}.about(packed.frame);
  ASSERT_LE(frame.size(), 2 * kBeat);
  const std::vector<Input> inputs(150, {.frame = frame});
  EXPECT_EQ(agrees(inputs, {.source = 0, .sink = 95}, 1).at(kMended), inputs.size());
  EXPECT_EQ(agrees(inputs, {}, 1).at(kMended), inputs.size());
}

// Every bit of the shim, and of the headers around it: of a packed frame, and of a quote.
TEST(NicRxRtl, EveryFlippedBit) {
  Random random(11);
  for (const bool tcp : {true, false}) {
    Packed packed;
    do {
      packed = drawn_packed(random, 120, true);
    } while ((packed.expected[load16(packed.frame, 12) == 0x8100 ? 27 : 23] == 6) != tcp);
    for (const bool quote : {false, true}) {
      const Frame frame = quote ? Error{.code = 2}.about(packed.frame) : packed.frame;
      std::vector<Input> inputs;
      for (std::size_t bit = 8 * 12; bit < 8 * std::min<std::size_t>(frame.size(), 130); ++bit) {
        inputs.push_back({.frame = frame});
        inputs.back().frame[bit / 8] ^= static_cast<std::uint8_t>(1 << bit % 8);
      }
      const auto seen = agrees(inputs, {}, 1);
      if (HasFailure()) FAIL();
      if (!quote) EXPECT_GE(seen.at(1), 32U);  // each bit of the shim
    }
  }
}

TEST(NicRxRtl, EveryTruncation) {
  Random random(5);
  std::array<std::size_t, kActions> seen{};
  for (unsigned seed = 0; seed < 6; ++seed) {
    Packed packed;
    do {
      packed = drawn(random, 200 + 40 * seed);
    } while (packed.action != TxAction::kPacked);
    std::vector<Input> inputs;
    for (std::size_t size = 0; size <= packed.frame.size(); ++size) {
      inputs.push_back({.frame = Frame(packed.frame.begin(),
                                       packed.frame.begin() + static_cast<std::ptrdiff_t>(size))});
      if (size % kBeat == 0) {
        inputs.push_back(inputs.back());
        inputs.back().empty_beat = true;
      }
    }
    const auto now = agrees(inputs, kStalls[seed % kStalls.size()], seed);
    for (std::size_t i = 0; i < seen.size(); ++i) seen.at(i) += now.at(i);
    if (HasFailure()) FAIL() << "seed " << seed;
  }
  EXPECT_GT(seen[static_cast<std::size_t>(RxAction::kBadStream)], 500U);
}

/// A packed UDP datagram of `floats` zeros.
Frame zeros(std::size_t floats) {
  Host host{.tcp = false, .payload = {}};
  host.payload.assign(4 * floats, 0);
  return NicTx({}).pack(host.frame()).frame;
}

// What such frames wait for comes behind more beats than the queues hold.
TEST(NicRxRtl, PaddingBeyondTheQueues) {
  for (const bool broken : {false, true}) {
    Frame frame = zeros(5);  // 62 bytes: two beats, as many as hold headers
    ASSERT_EQ(frame.size(), 60U);
    if (broken) frame[46] = frame[47] = 0xFF;  // the only group is said to be RAW
    frame.resize(9000, 0xEE);
    const std::vector<Input> inputs(3, {.frame = frame});
    const auto seen = agrees(inputs, {}, 1);
    EXPECT_EQ(
        seen.at(static_cast<std::size_t>(broken ? RxAction::kBadStream : RxAction::kUnpacked)), 3U);
  }
}

TEST(NicRxRtl, MoreGroupsThanAnnounced) {
  std::vector<Input> inputs;
  for (std::size_t floats = 800; floats < 816; ++floats) {
    Frame frame = zeros(floats);
    const std::size_t all = 42 + 4 * floats;  // one byte less is shorter than what comes out
    frame.resize(all - 1, 0);
    store16(frame, 16, all - 1 - 14);
    inputs.push_back({.frame = frame});
  }
  const auto seen = agrees(inputs, {}, 1);
  EXPECT_EQ(seen.at(static_cast<std::size_t>(RxAction::kBadStream)), inputs.size());
}

TEST(NicRxRtl, Latency) {
  for (std::size_t size = 1; size <= 1514; size += size < 200 ? 1 : 97) {
    Device device(static_cast<unsigned>(size));
    const std::vector<Input> inputs = {{.frame = Frame(size, 0x08)}};
    const auto outputs = device.run(inputs);
    ASSERT_EQ(outputs.size(), 1U);
    const std::size_t beats = inputs[0].beats();
    EXPECT_EQ(outputs[0].cycles.front() - device.entered()[0], beats >= 5 ? 8 : beats + 4) << size;
  }
  for (std::size_t quoted = 20; quoted <= 548; quoted += 24) {
    Random random(2);
    const std::vector<Input> inputs = {
        {.frame = Error{.quoted = quoted}.about(drawn_packed(random, 3000, true).frame)}};
    Device device(1);
    const auto outputs = device.run(inputs);
    ASSERT_EQ(outputs.size(), 1U);
    EXPECT_EQ(device.statistics()[kMended], 1U);
    const std::size_t beats = inputs[0].beats();
    EXPECT_EQ(outputs[0].cycles.front() - device.entered()[0], beats >= 7 ? 14 : beats + 7)
        << quoted;
  }
  Random random(3);
  for (const std::size_t payload : {40, 64, 100, 400, 1460, 8900}) {
    for (int i = 0; i < 8; ++i) {
      const Packed packed = drawn(random, payload);
      if (packed.action != TxAction::kPacked) continue;
      Device device(1);
      const std::vector<Input> inputs = {{.frame = packed.frame}};
      const auto outputs = device.run(inputs);
      ASSERT_EQ(outputs.size(), 1U);
      const std::size_t beats = inputs[0].beats();
      EXPECT_EQ(outputs[0].cycles.front() - device.entered()[0], beats >= 5 ? 16 : beats + 11)
          << payload;
    }
  }
}

// Back to back, behind the first frame: a beat a cycle, whatever the lengths; 17/16 in runs of RAW.
TEST(NicRxRtl, Throughput) {
  for (const float size : {1e-9F, 0.01F, 100.0F}) {
    for (const std::size_t payload : {20U, 24U, 64U, 100U, 333U, 1460U, 8900U}) {
      Host host;
      host.sequence = 1000;
      NicTx tx({});
      tx.pack(host.syn());
      host.sequence = 1001;
      host.payload = gradients(payload, 1, size);
      const Packed packed = tx.pack(host.frame());
      const std::vector<Input> inputs(payload > 2000 ? 12 : 60, {.frame = packed.frame});
      Device device(1);
      const auto outputs = device.run(inputs);
      ASSERT_EQ(outputs.size(), inputs.size());
      std::size_t beats = 0;
      for (const auto& output : outputs) {
        if (size < 1) {
          EXPECT_EQ(output.cycles.back() - output.cycles.front() + 1, output.cycles.size())
              << payload;
        }
        beats += output.cycles.size();
      }
      const std::uint64_t cycles =
          outputs.back().cycles.back() - outputs.front().cycles.front() + 1;
      if (size < 1) {
        EXPECT_EQ(cycles, beats) << payload << " bytes of " << size;
      } else {
        EXPECT_LE(16 * cycles, 17 * (beats + 16)) << payload;
      }
    }
  }
}

}  // namespace
}  // namespace gw::reference::nic::nic_rx_rtl_test
