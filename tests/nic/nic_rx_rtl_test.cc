// gw_nic_rx against the reference: what leaves for frames of every shape, packed by NicTx and then
// bent, and the figures that the contract promises (docs/devices/nic_rx.md). Cycle by cycle it is
// compared with its SystemC model elsewhere; here assertions of the RTL watch, too.
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
    }
    EXPECT_LT(still, kStandstill) << "stands still at frame " << outputs.size();
    // Nothing comes any more. What finishes behind what leaves does meanwhile: groups of two bytes
    // that were not announced, the front queue and the Burst Buffer full of them at most.
    offer(nullptr, 0);
    for (int i = 0; i < 1300; ++i) {
      EXPECT_FALSE(top_->m_axis_tvalid);
      edge();
    }
    return outputs;
  }
  const std::vector<std::uint64_t>& entered() const { return entered_; }
  std::array<std::uint32_t, 6> statistics() const {
    std::array<std::uint32_t, 6> out{};
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
};

Unpacked expected(const Input& input) {
  NicConfig config;
  config.protocol_tcp = input.protocol_tcp;
  config.protocol_udp = input.protocol_udp;
  return NicRx(config).unpack(input.frame, input.bad);
}

/// Runs the frames, compares what leaves and what is counted; how often each action was seen.
std::array<std::size_t, kRxActions> agrees(std::span<const Input> inputs, Stalls stalls,
                                           unsigned seed) {
  Device device(seed);
  const auto outputs = device.run(inputs, stalls);
  std::array<std::uint32_t, 6> counts{};
  std::array<std::size_t, kRxActions> seen{};
  EXPECT_EQ(outputs.size(), inputs.size());
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const Unpacked want = expected(inputs[i]);
    const auto action = static_cast<std::size_t>(want.action);
    EXPECT_EQ(outputs[i].frame, want.frame) << "frame " << i << ", " << name_of(want.action);
    EXPECT_EQ(outputs[i].error, want.error) << "frame " << i << ", " << name_of(want.action);
    if (::testing::Test::HasFailure()) return seen;
    ++counts.at(action);
    ++seen.at(action);
    counts[4] += static_cast<std::uint32_t>(inputs[i].frame.size());
    counts[5] += static_cast<std::uint32_t>(want.frame.size());
  }
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
        store16(frame, shim + 2,
                random.one_in(2) ? load16(frame, shim + 2) + random.below(40) - 20
                                 : random.below(9100));
      }
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
  std::array<std::size_t, kRxActions> seen{};
  for (unsigned seed = 0; seed < 4 * kStalls.size(); ++seed) {
    Random random(1000 + seed);
    std::vector<Input> inputs;
    for (int i = 0; i < 150; ++i) {
      Packed packed = drawn(random, drawn_size(random), random.one_in(2));
      const int times = packed.action == TxAction::kPacked ? static_cast<int>(random.below(3)) : 0;
      for (int j = 0; j < times && packed.frame.size() >= 60; ++j) bend(packed.frame, random);
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

TEST(NicRxRtl, EveryTruncation) {
  Random random(5);
  std::array<std::size_t, kRxActions> seen{};
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
      const std::vector<Input> inputs(payload > 2000 ? 12 : 60,
                                      {.frame = tx.pack(host.frame()).frame});
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
