// The NIC engines' cores: what leaves, against the reference, for frames of every kind under stalls
// and reset; when it leaves, against the contracts' figures.
#include <map>
#include <string>

#include "tests/systemc/nic_bench.h"

namespace gw::systemc {
namespace {

/// What the reference says of a row of frames.
struct Expected {
  std::vector<NicOutputFrame> out;
  std::vector<std::string> actions;  // by frame that came
  std::vector<uint32_t> statistics;
};

Expected reference_tx(const std::vector<TxInput>& inputs) {
  Expected e;
  e.statistics.assign(NicTx::kStatistics, 0);
  // The flow table is the same whatever the other pins are: one reference for each configuration
  // hears all frames.
  std::vector<NicTxConfig> configs;
  std::vector<nic::NicTx> references;
  for (const TxInput& input : inputs) {
    if (std::ranges::find(configs, input.config) != configs.end()) continue;
    configs.push_back(input.config);
    references.emplace_back(reference_config(input.config));
  }
  for (const TxInput& input : inputs) {
    nic::Packed packed;
    for (size_t i = 0; i < configs.size(); ++i) {
      nic::Packed p = references[i].pack(input.bytes, input.user);
      if (configs[i] == input.config) packed = std::move(p);
    }
    ++e.statistics[static_cast<size_t>(packed.action)];
    e.actions.emplace_back(nic::name_of(packed.action));
    e.statistics[15] += static_cast<uint32_t>(input.bytes.size());
    e.statistics[16] += static_cast<uint32_t>(packed.frame.size());
    if (packed.leaves) e.out.push_back({.bytes = packed.frame, .user = packed.error});
  }
  e.statistics[17] = static_cast<uint32_t>(references.at(0).flows().evicted());
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
    e.statistics[4] += static_cast<uint32_t>(input.bytes.size());
    e.statistics[5] += static_cast<uint32_t>(u.frame.size());
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
    input.config = configs[traffic.one_in(3) ? traffic.below(3) : 0];
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
  for (uint64_t seed = 1; seed <= 10; ++seed) {
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
    EXPECT_GT(seen[std::string(name)], 20u) << name;
  }
}

TEST(NicRxModel, EqualsTheReferenceUnderStalls) {
  std::map<std::string, size_t> seen;
  for (uint64_t seed = 1; seed <= 10; ++seed) {
    NicTraffic traffic(seed);
    const auto inputs = rx_traffic(traffic, 300);
    const Expected expected = reference_rx(inputs);
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
    EXPECT_GT(seen[std::string(name)], 100u) << name;
  }
}

}  // namespace
}  // namespace gw::systemc
