// The NIC engines' cores: what leaves, against the reference, for frames of every kind under stalls
// and reset; when it leaves, against the contracts' figures.
// SPDX-License-Identifier: Apache-2.0
#include <map>
#include <string>

#include "tests/sanitized.h"
#include "tests/systemc/nic_bench.h"

namespace gw::systemc::nic_test {
namespace {

/// What the reference says of a row of frames.
struct Expected {
  std::vector<NicOutputFrame> out;
  std::vector<std::string> actions;  // by frame that came
  std::vector<uint32_t> statistics;
  std::vector<NicFlowKey> forgotten;
};

/// What of the pins is a frame's configuration.
NicTxConfig without_key(NicTxConfig config) {
  config.forget = false;
  config.forget_key = {};
  return config;
}

Expected reference_tx(const std::vector<TxInput>& inputs) {
  Expected e;
  e.statistics.assign(NicTx::kStatistics, 0);
  // The flow table is the same whatever the other pins are: one reference for each configuration
  // hears all frames.
  std::vector<NicTxConfig> configs;
  std::vector<nic::NicTx> references;
  for (const TxInput& input : inputs) {
    if (std::ranges::find(configs, without_key(input.config)) != configs.end()) continue;
    configs.push_back(without_key(input.config));
    references.emplace_back(reference_config(input.config));
  }
  for (const TxInput& input : inputs) {
    nic::Packed packed;
    for (size_t i = 0; i < configs.size(); ++i) {
      std::optional<nic::FlowKey> forget;
      if (input.config.forget) forget = input.config.forget_key;
      nic::Packed p = references[i].pack(input.bytes, input.user, forget);
      if (configs[i] == without_key(input.config)) packed = std::move(p);
    }
    ++e.statistics[static_cast<size_t>(packed.action)];
    e.actions.emplace_back(nic::name_of(packed.action));
    e.statistics[15] += static_cast<uint32_t>(input.bytes.size());
    e.statistics[16] += static_cast<uint32_t>(packed.frame.size());
    if (packed.leaves) e.out.push_back({.bytes = packed.frame, .user = packed.error});
  }
  e.statistics[17] = static_cast<uint32_t>(references.at(0).flows().evicted());
  e.statistics[18] = static_cast<uint32_t>(references.at(0).flows().forgotten());
  return e;
}

Expected reference_rx(const std::vector<RxInput>& inputs) {
  Expected e;
  e.statistics.assign(NicRx::kStatistics, 0);
  for (const RxInput& input : inputs) {
    nic::NicConfig config;
    config.protocol_tcp = input.config.protocol_tcp;
    config.protocol_udp = input.config.protocol_udp;
    const nic::Unpacked u = nic::NicRx(config).unpack(input.bytes, input.user);
    ++e.statistics[static_cast<size_t>(u.action)];
    e.actions.emplace_back(nic::name_of(u.action));
    e.statistics[5] += static_cast<uint32_t>(input.bytes.size());
    e.statistics[6] += static_cast<uint32_t>(u.frame.size());
    if (u.forget) e.forgotten.push_back(*u.forget);
    e.out.push_back({.bytes = u.frame, .user = u.error});
  }
  return e;
}

template <class Bench>
void expect_equal(const Bench& bench, const Expected& e) {
  for (size_t i = 0; i < std::min(bench.out.size(), e.out.size()); ++i) {
    ASSERT_EQ(bench.out[i].bytes, e.out[i].bytes) << "frame " << i << " of those that leave";
    ASSERT_EQ(bench.out[i].user, e.out[i].user) << "frame " << i << " of those that leave";
  }
  ASSERT_EQ(bench.out.size(), e.out.size());
  ASSERT_EQ(bench.forgotten, e.forgotten);
  const auto statistics = bench.core.statistics();
  ASSERT_EQ(std::vector(statistics.begin(), statistics.end()), e.statistics);
}

std::vector<TxInput> tx_traffic(NicTraffic& traffic, size_t frames) {
  // Marks, grids, bounds and modes change from frame to frame.
  std::vector<NicTxConfig> configs(3);
  configs[1].codec = {static_cast<uint8_t>(1 + traffic.below(14)), traffic.one_in(2)};
  configs[1].packet_grid = true;
  configs[2].codec = {static_cast<uint8_t>(1 + traffic.below(14)), traffic.one_in(2)};
  configs[2].mark = 0;
  configs[2].mark_mask = 0;
  configs[2].protocol_tcp = 200;
  configs[2].protocol_udp = 17;
  std::vector<TxInput> inputs;
  for (size_t i = 0; i < frames; ++i) {
    TxInput input{.bytes = traffic.frame(), .user = traffic.one_in(12)};
    input.null_end = traffic.one_in(2);
    input.config = configs[traffic.one_in(3) ? traffic.below(3) : 0];
    if (traffic.one_in(8)) {
      input.config.forget = true;
      input.config.forget_key = traffic.key();
    }
    inputs.push_back(std::move(input));
  }
  return inputs;
}

std::vector<RxInput> rx_traffic(NicTraffic& traffic, size_t frames) {
  std::vector<RxInput> inputs;
  while (inputs.size() < frames) {
    NicTxConfig config;
    config.codec = {static_cast<uint8_t>(1 + traffic.below(14)), traffic.one_in(2)};
    config.packet_grid = !traffic.one_in(3);
    RxInput input;
    input.user = traffic.one_in(12);
    input.null_end = traffic.one_in(2);
    if (traffic.one_in(3)) {
      input.config.protocol_tcp = config.protocol_tcp = static_cast<uint8_t>(traffic.below(256));
      if (traffic.one_in(2)) config.protocol_udp = config.protocol_tcp;
      input.config.protocol_udp = config.protocol_udp;
    }
    nic::NicTx tx(reference_config(config));
    nic::Host host = traffic.host();
    host.tos = 0x28;
    if (host.tcp && !config.packet_grid) {
      tx.pack(host.syn());
      host.sequence += traffic.below(5);
    }
    if (traffic.one_in(6)) {  // anything
      input.bytes = traffic.frame();
    } else {
      nic::Frame& f = input.bytes = tx.pack(host.frame()).frame;
      if (f.empty()) continue;
      if (traffic.one_in(6)) {
        f = traffic.quote(f, host);
        inputs.push_back(std::move(input));
        continue;
      }
      const auto any = [&] { return static_cast<uint8_t>(traffic.below(256)); };
      const size_t shim = host.payload_at();
      if (traffic.one_in(6)) f.resize(traffic.below(static_cast<uint32_t>(f.size())) + 1);
      if (traffic.one_in(6))
        f.resize(f.size() + traffic.below(traffic.one_in(4) ? 6000 : 60), any());
      if (traffic.one_in(8) && shim + 4 <= f.size())
        f[shim + traffic.below(4)] ^= 1 << traffic.below(8);
      if (traffic.one_in(8)) f[traffic.below(static_cast<uint32_t>(f.size()))] = any();
      if (traffic.one_in(8) && host.ip_at() + 4 <= f.size())
        f[host.ip_at() + 2 + traffic.below(2)] = any();
      if (traffic.one_in(8)) {
        for (size_t i = shim + 10; i < f.size(); ++i) f[i] = any();
      }
    }
    inputs.push_back(std::move(input));
  }
  return inputs;
}

std::string describe(const Expected& e) {
  std::map<std::string, int> counts;
  for (const std::string& action : e.actions) ++counts[action];
  std::string out;
  for (const auto& [name, count] : counts) out += name + " " + std::to_string(count) + " ";
  return out;
}

constexpr std::array<std::array<uint32_t, 2>, 5> kStalls = {
    {{0, 0}, {5, 0}, {0, 5}, {8, 8}, {1, 14}}};

TEST(NicTxModel, EqualsTheReferenceUnderStalls) {
  std::map<std::string, size_t> seen;
  for (uint64_t seed = 1; seed <= (tests::kSanitized ? 8 : 16); ++seed) {
    NicTraffic traffic(seed);
    const auto inputs = tx_traffic(traffic, 300);
    const Expected expected = reference_tx(inputs);
    for (const std::string& action : expected.actions) ++seen[action];
    TxBench bench(seed);
    bench.source_stall = kStalls[seed % 5][0];
    bench.sink_stall = kStalls[seed % 5][1];
    bench.send(inputs);
    bench.drain();
    expect_equal(bench, expected);
    if (HasFatalFailure()) FAIL() << "seed " << seed << ": " << describe(expected);
  }
  for (size_t i = 0; i < nic::kTxActions; ++i) {
    const auto name = nic::name_of(static_cast<nic::TxAction>(i));
    EXPECT_GT(seen[std::string(name)], tests::rounds(20u)) << name;
  }
}

TEST(NicRxModel, EqualsTheReferenceUnderStalls) {
  std::map<std::string, size_t> seen;
  size_t forgotten = 0;
  for (uint64_t seed = 1; seed <= (tests::kSanitized ? 5 : 10); ++seed) {
    NicTraffic traffic(seed);
    const auto inputs = rx_traffic(traffic, tests::rounds(300u));
    const Expected expected = reference_rx(inputs);
    forgotten += expected.forgotten.size();
    for (const std::string& action : expected.actions) ++seen[action];
    RxBench bench(seed);
    bench.source_stall = kStalls[seed % 5][0];
    bench.sink_stall = kStalls[seed % 5][1];
    bench.send(inputs);
    bench.drain();
    expect_equal(bench, expected);
    if (HasFatalFailure()) FAIL() << "seed " << seed << ": " << describe(expected);
  }
  for (size_t i = 0; i < nic::kRxActions; ++i) {
    const auto name = nic::name_of(static_cast<nic::RxAction>(i));
    EXPECT_GT(seen[std::string(name)], tests::kSanitized ? 10u : 100u) << name;
  }
  EXPECT_GT(forgotten, tests::kSanitized ? 1u : 10u);
}

enum class Floats { kZero, kSmall, kMixed, kFull, kRaw };

/// A UDP frame of `size` bytes; marked floats so that it is packed, stored in 32 bytes a group
/// (kFull) or in 34 (kRaw).
nic::Frame udp_frame(size_t size, Floats floats, bool marked = true) {
  nic::Host host{.tcp = false, .payload = {}};
  host.tos = marked ? 0x28 : 0;
  const size_t payload = (size - host.payload_at()) / 4 * 4;
  std::vector<float> values(payload / 4);
  for (size_t i = 0; i < values.size(); ++i) {
    const bool half = floats == Floats::kFull && i % 8 == 7;
    values[i] = floats == Floats::kZero                            ? 0.0F
                : floats == Floats::kSmall                         ? 0.005F
                : half || (floats == Floats::kMixed && i % 3 != 0) ? 0.3F
                                                                   : 1.5F;
  }
  host.payload = nic::bytes_of(values);
  nic::Frame f = host.frame();
  EXPECT_LE(size - f.size(), 3u);
  if (f.size() < 60) f.resize(60);
  return f;
}

template <class Bench, class Inputs, class Reference>
void expect_as_reference(const Inputs& inputs, Reference reference) {
  Bench bench;
  bench.send(inputs);
  bench.drain();
  expect_equal(bench, reference(inputs));
}

// Checksums that are a zero of either kind, before or behind the update.
TEST(NicTxModel, ChecksumsThatAreZero) {
  std::vector<TxInput> inputs;
  for (const bool tcp : {true, false}) {
    nic::Host host{.tcp = tcp, .payload = nic::gradients(200, 3)};
    const nic::Frame frame = host.frame();
    const NicTxConfig config{.packet_grid = true};
    const size_t at = host.transport_at() + (tcp ? 16 : 6);
    const nic::Frame packed = nic::NicTx(reference_config(config)).pack(frame).frame;
    // What brings the result to 0: in ones' complement, that much more.
    const uint32_t result = load16(&packed[at]);
    const uint32_t to_zero = 0xFFFF - (0xFFFF - load16(&frame[at]) + result) % 0xFFFF;
    for (const uint32_t checksum : {0u, 1u, 0xFFFFu, 0xFFFEu, to_zero, to_zero - 1, to_zero + 1}) {
      for (const uint32_t ip_checksum : {0u, 0xFFFFu, load16(&frame[24])}) {
        nic::Frame f = frame;
        store16(&f[at], checksum);
        store16(&f[24], ip_checksum);
        inputs.push_back({.bytes = f, .config = config});
      }
    }
    const nic::Packed zero =
        nic::NicTx(reference_config(config)).pack(inputs[inputs.size() - 8].bytes);
    EXPECT_EQ(load16(&zero.frame[at]), tcp ? 0u : 0xFFFFu);
  }
  expect_as_reference<TxBench>(inputs, reference_tx);
}

// Each queue is full for a while.
TEST(NicTxModel, FullQueues) {
  // 1,024 beats of frames whose streams are longer, the first of them packed, behind one that
  // cannot leave.
  std::vector<TxInput> streams(1, {.bytes = udp_frame(1000, Floats::kRaw, false)});
  nic::Frame packed = udp_frame(9014, Floats::kRaw);
  std::fill(packed.begin() + 42, packed.begin() + 42 + 800, 0);
  streams.push_back({.bytes = packed});
  for (int i = 0; i < 5; ++i) streams.push_back({.bytes = udp_frame(9014, Floats::kRaw)});
  // More frames than there are places for.
  std::vector<TxInput> frames(600, {.bytes = nic::Frame(7, 0x33)});
  for (const auto& [inputs, begun] :
       {std::pair(streams, size_t{5}), std::pair(frames, size_t{260})}) {
    TxBench bench;
    bench.send(inputs);
    bench.sink_stall = 16;
    bench.run(5000);
    EXPECT_FALSE(bench.core.s_ready());
    EXPECT_EQ(bench.begun.size(), begun);
    bench.sink_stall = 0;
    bench.drain();
    expect_equal(bench, reference_tx(inputs));
  }
}

TEST(NicRxModel, CutAtEveryByte) {
  nic::NicTx tx(reference_config({.packet_grid = true}));
  nic::Host host{.tcp = true, .ihl = 15, .data_offset = 15, .payload = nic::gradients(301, 4)};
  const nic::Frame packed = tx.pack(host.frame()).frame;
  ASSERT_GT(packed.size(), host.payload_at() + 60);
  std::vector<RxInput> inputs;
  for (size_t size = 0; size <= packed.size(); ++size) {
    inputs.push_back(
        {.bytes = nic::Frame(packed.begin(), packed.begin() + static_cast<long>(size))});
  }
  expect_as_reference<RxBench>(inputs, reference_rx);
}

// Payloads about as long as a frame must be at least; heads and tails of all lengths.
TEST(NicRxModel, SmallResults) {
  std::vector<RxInput> inputs;
  for (uint32_t length = 0; length < 60; ++length) {
    for (uint32_t way = 0; way < 8; ++way) {
      const uint32_t head = way % 4;
      nic::Host host{.tcp = way < 4, .payload = {}};
      const NicCut cut(length, head);
      host.payload.resize(4 + cut.edges() + 2 * cut.groups());
      host.payload[1] = static_cast<uint8_t>(0x80 | 10 << 2 | head);
      host.payload[3] = static_cast<uint8_t>(length);
      host.payload[0] = nic_shim_start(host.payload.data());
      for (size_t i = 4; i < 4 + cut.edges(); ++i) host.payload[i] = static_cast<uint8_t>(i);
      nic::Frame f = host.frame();
      f[23] = host.tcp ? 253 : 254;
      if (!host.tcp) store16(&f[38], 8 + length);
      f.resize(std::max<size_t>(f.size(), 60));
      inputs.push_back({.bytes = f});
    }
  }
  expect_as_reference<RxBench>(inputs, reference_rx);
}

// The reset's rules, at any place of any frame.
template <class Bench, class Inputs, class Reference>
void reset_in_mid_frame(uint64_t seed, const Inputs& inputs, Reference reference) {
  Bench bench(seed);
  bench.send(inputs);
  Random random(seed);
  size_t begun = 0;
  for (int i = 0; i < 30; ++i) {
    bench.run(random.below(2000));
    begun += bench.begun.size();
    bench.abandon();
    ASSERT_FALSE(bench.core.s_ready());
    ASSERT_EQ(bench.core.m_beat(), nullptr);
    for (const uint32_t word : bench.core.statistics()) ASSERT_EQ(word, 0u);
    bench.step();
    ASSERT_TRUE(bench.core.s_ready());
  }
  bench.drain();
  expect_equal(bench, reference(Inputs(inputs.begin() + static_cast<long>(begun), inputs.end())));
}

TEST(NicTxModel, ResetInMidFrame) {
  for (uint64_t seed = 100; seed < 100 + tests::rounds(5u); ++seed) {
    NicTraffic traffic(seed);
    reset_in_mid_frame<TxBench>(seed, tx_traffic(traffic, 1500), reference_tx);
    if (HasFatalFailure()) FAIL() << "seed " << seed;
  }
}

TEST(NicRxModel, ResetInMidFrame) {
  for (uint64_t seed = 100; seed < 100 + tests::rounds(5u); ++seed) {
    NicTraffic traffic(seed);
    reset_in_mid_frame<RxBench>(seed, rx_traffic(traffic, 1500), reference_rx);
    if (HasFatalFailure()) FAIL() << "seed " << seed;
  }
}

// ---------------------------------------------------------------------------------------------
// The contracts' figures

size_t beats_of(size_t bytes) { return (bytes + kBeatBytes - 1) / kBeatBytes; }

/// From a frame's first beat in to its first beat out, nothing ahead.
template <class Bench>
uint64_t latency_alone(const nic::Frame& frame) {
  Bench bench;
  bench.send({.bytes = frame});
  bench.drain();
  EXPECT_EQ(bench.out.size(), 1u);
  EXPECT_EQ(bench.begun[0], 1u);  // cycle 0 is the one after reset
  return bench.out[0].shown - bench.begun[0];
}

TEST(NicFigures, LatencyOfBypassedAndPassedFrames) {
  for (size_t n = 1; n <= 300; n += n < 12 ? 1 : 71) {
    const nic::Frame frame(32 * n - 3, 0x42);
    const uint64_t expected = n >= 5 ? 8 : n + 4;
    EXPECT_EQ(latency_alone<TxBench>(frame), expected) << n;
    EXPECT_EQ(latency_alone<RxBench>(frame), expected) << n;
  }
}

TEST(NicFigures, LatencyOfQuotes) {
  nic::NicTx tx(reference_config({.packet_grid = true}));
  const nic::Host host{.payload = nic::gradients(1400, 3, 0.3F)};
  const nic::Frame packed = tx.pack(host.frame()).frame;
  for (uint32_t quoted = 20; quoted < 500; quoted += 4) {
    const nic::Frame frame = nic::icmp_error(packed, 14, 3, 4, quoted);
    const size_t n = beats_of(frame.size());
    EXPECT_EQ(latency_alone<RxBench>(frame), n >= 7 ? 14 : n + 7) << quoted;
  }
}

TEST(NicFigures, LatencyOfCandidates) {
  uint64_t most = 0;  // behind the frame's beats
  for (size_t size = 62; size <= 9014; size += 4 * (1 + size / 40)) {
    for (const Floats floats : {Floats::kZero, Floats::kSmall, Floats::kMixed, Floats::kFull}) {
      const nic::Frame frame = udp_frame(size, floats);
      most = std::max(most, latency_alone<TxBench>(frame) - beats_of(frame.size()));
    }
    // A run of RAW: one beat in the compressor's queue for 16 groups.
    const size_t groups = (size - 42) / 32;
    const nic::Frame frame = udp_frame(size, Floats::kRaw);
    EXPECT_LE(latency_alone<TxBench>(frame), beats_of(frame.size()) + 16 + groups / 16) << size;
  }
  EXPECT_EQ(most, 16u);
}

// The verdict waits for the frame's end then, which leaves the front queue six cycles behind its
// acceptance.
TEST(NicFigures, LatencyBehindALongTrailer) {
  for (size_t n = 30; n < 60; n += 7) {
    nic::Frame frame = udp_frame(110, Floats::kSmall);
    frame.resize(32 * n);
    EXPECT_EQ(latency_alone<TxBench>(frame), n + 9) << n;
  }
}

TEST(NicFigures, LatencyOfUnpackedFrames) {
  nic::NicTx tx(reference_config({}));
  for (size_t size = 94; size <= 9014; size += 4 * (1 + size / 40)) {
    for (const Floats floats : {Floats::kZero, Floats::kSmall, Floats::kMixed}) {
      const nic::Packed packed = tx.pack(udp_frame(size, floats));
      ASSERT_EQ(packed.action, nic::TxAction::kPacked) << size;
      const size_t n = beats_of(packed.frame.size());
      EXPECT_EQ(latency_alone<RxBench>(packed.frame), n >= 5 ? 16 : n + 11) << size;
    }
  }
}

/// Cycles per beat of `in`, or of what leaves, whichever are more, in the steady state; no frame
/// has a pause.
template <class Bench>
double cycles_per_beat(const std::vector<nic::Frame>& frames, bool pauses_allowed = false) {
  Bench bench;
  size_t beats = 0, beats_out = 0;
  for (const nic::Frame& frame : frames) {
    bench.send({.bytes = frame});
    beats += beats_of(frame.size());
  }
  bench.drain();
  for (const auto& out : bench.out) {
    beats_out += beats_of(out.bytes.size());
    if (!pauses_allowed) EXPECT_EQ(out.pauses, 0u);
  }
  // From the first beat in to the last one in, and likewise out.
  const auto in_cycles = static_cast<double>(bench.ended.back() - bench.begun.front() + 1);
  const auto out_cycles = static_cast<double>(bench.out.back().last - bench.out.front().first + 1);
  return beats >= beats_out ? in_cycles / static_cast<double>(beats)
                            : out_cycles / static_cast<double>(beats_out);
}

std::vector<nic::Frame> row_of(size_t size, const std::vector<nic::Frame>& kinds) {
  std::vector<nic::Frame> frames;
  for (size_t bytes = 0; bytes < tests::rounds(400'000u); bytes += size) {
    frames.push_back(kinds[frames.size() % kinds.size()]);
  }
  return frames;
}

TEST(NicFigures, OneBeatACycleThroughTx) {
  for (const size_t size : {60, 64, 1514, 9014}) {
    const nic::Frame zero = udp_frame(size, Floats::kZero), small = udp_frame(size, Floats::kSmall);
    const nic::Frame mixed = udp_frame(size, Floats::kMixed), full = udp_frame(size, Floats::kFull);
    const nic::Frame plain = udp_frame(size, Floats::kRaw, false);
    for (const auto& kinds : std::vector<std::vector<nic::Frame>>{
             {zero}, {small}, {mixed}, {full}, {plain}, {small, full, plain, mixed, plain, zero}}) {
      EXPECT_EQ(cycles_per_beat<TxBench>(row_of(size, kinds)), 1.0) << size;
    }
    const nic::Frame raw = udp_frame(size, Floats::kRaw);
    EXPECT_LE(cycles_per_beat<TxBench>(row_of(size, {raw})), 17.0 / 16) << size;
    EXPECT_LE(cycles_per_beat<TxBench>(row_of(size, {raw, plain, full, raw})), 17.0 / 16) << size;
  }
}

TEST(NicFigures, OneBeatACycleThroughRx) {
  nic::NicTx tx(reference_config({}));
  for (const size_t size : {60, 64, 1514, 9014}) {
    std::vector<nic::Frame> packed;
    for (const Floats floats : {Floats::kZero, Floats::kSmall, Floats::kMixed}) {
      packed.push_back(tx.pack(udp_frame(size, floats)).frame);
    }
    const nic::Frame plain = udp_frame(size, Floats::kRaw);
    EXPECT_EQ(packed[0].size() < size, size > 60);
    for (const auto& kinds : std::vector<std::vector<nic::Frame>>{
             {packed[0]}, {packed[1]}, {packed[2]}, {plain}, {packed[0], plain, packed[2]}}) {
      EXPECT_EQ(cycles_per_beat<RxBench>(row_of(size, kinds)), 1.0) << size;
    }
    // Zeros enough for it to be packed, then a run of RAW.
    if (size < 1000) continue;
    nic::Frame runs = udp_frame(size, Floats::kRaw);
    std::fill(runs.begin() + 42, runs.begin() + 42 + static_cast<long>(size / 12), 0);
    const nic::Packed with_runs = tx.pack(runs);
    ASSERT_EQ(with_runs.action, nic::TxAction::kPacked);
    EXPECT_LE(cycles_per_beat<RxBench>(row_of(size, {with_runs.frame}), true), 17.0 / 16) << size;
  }
}

TEST(NicFigures, NoPauseInsideAFrame) {
  for (uint64_t seed = 1; seed <= tests::rounds(10u); ++seed) {
    NicTraffic traffic(seed, 1000);
    TxBench bench(seed);
    bench.send(tx_traffic(traffic, 300));
    bench.drain();
    for (size_t i = 0; i < bench.out.size(); ++i) {
      ASSERT_EQ(bench.out[i].pauses, 0u) << "frame " << i << ", seed " << seed;
    }
  }
}

}  // namespace
}  // namespace gw::systemc::nic_test
