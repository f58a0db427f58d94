// The NIC engines' pin-level modules against their cores: every output pin in every cycle.
// SPDX-License-Identifier: Apache-2.0
#include "models/systemc/nic_module.h"

#include <gtest/gtest.h>

#include <functional>
#include <set>
#include <string>

#include "tests/systemc/module_compare.h"
#include "tests/systemc/nic_bench.h"

namespace gw::systemc::nic_module_test {
namespace {

using Byte = sc_core::sc_signal<sc_dt::sc_uint<8>>;

struct TxWires : StreamWires {
  using Config = NicTxConfig;
  using Core = NicTx;
  using Module = gw_nic_tx;
  Byte mark, mark_mask, protocol_tcp, protocol_udp;
  sc_core::sc_signal<sc_dt::sc_uint<4>> bound;
  sc_core::sc_signal<bool> grid, bounded, forget;
  sc_core::sc_signal<NicKeyBits> forget_key;
  sc_core::sc_signal<sc_dt::sc_bv<Module::kStatBits>> stat;

  void bind(Module& device) {
    StreamWires::bind(device);
    device.mark_i(mark);
    device.mark_mask_i(mark_mask);
    device.grid_i(grid);
    device.bound_i(bound);
    device.bounded_i(bounded);
    device.protocol_tcp_i(protocol_tcp);
    device.protocol_udp_i(protocol_udp);
    device.forget_i(forget);
    device.forget_key_i(forget_key);
    device.stat_o(stat);
  }
  void drive(const Config& config) {
    forget.write(config.forget);
    forget_key.write(nic_bits_of(config.forget_key));
    mark.write(config.mark);
    mark_mask.write(config.mark_mask);
    grid.write(config.packet_grid);
    bound.write(config.codec.bound);
    bounded.write(config.codec.bounded);
    protocol_tcp.write(config.protocol_tcp);
    protocol_udp.write(config.protocol_udp);
  }
};

struct RxWires : StreamWires {
  using Config = NicRxConfig;
  using Core = NicRx;
  using Module = gw_nic_rx;
  Byte protocol_tcp, protocol_udp;
  sc_core::sc_signal<bool> forget;
  sc_core::sc_signal<NicKeyBits> forget_key;
  sc_core::sc_signal<sc_dt::sc_bv<Module::kStatBits>> stat;

  void bind(Module& device) {
    StreamWires::bind(device);
    device.protocol_tcp_i(protocol_tcp);
    device.protocol_udp_i(protocol_udp);
    device.forget_o(forget);
    device.forget_key_o(forget_key);
    device.stat_o(stat);
  }
  void drive(const Config& config) {
    protocol_tcp.write(config.protocol_tcp);
    protocol_udp.write(config.protocol_udp);
  }
};

/// The configuration's pins may change in each cycle: mostly what packs, now and then anything.
template <class Wires>
void compare(const std::function<nic::Frame(NicTraffic&)>& next_frame) {
  using Config = typename Wires::Config;
  Wires wires;
  typename Wires::Module module("dut");
  wires.bind(module);
  typename Wires::Core core;
  NicTraffic traffic(5);
  Random random(7);
  Config config;
  size_t forgotten = 0;
  compare_module(
      wires, core,
      {.packet =
           [&] {
             return beats_of(NicInput<Config>{
                 .bytes = next_frame(traffic), .user = traffic.one_in(10), .config = {}});
           },
       .drive =
           [&](int) {
             config = random.below(8) == 0 ? any_config<Config>(random) : Config{};
             wires.drive(config);
           },
       .configure = [&] { core.configure(config); },
       .expect_equal =
           [&](int c) {
             if constexpr (requires { core.forgets(); }) {
               const NicFlowKey* const key = core.forgets();
               EXPECT_EQ(wires.forget.read(), key != nullptr) << "cycle " << c;
               if (key != nullptr) EXPECT_EQ(nic_key_of(wires.forget_key.read()), *key);
               forgotten += key != nullptr;
             }
             const auto statistics = core.statistics();
             for (size_t i = 0; i < statistics.size(); ++i) {
               EXPECT_EQ(wires.stat.read().get_word(static_cast<int>(i)), statistics[i])
                   << "cycle " << c;
             }
           }});
  if constexpr (requires { core.forgets(); }) EXPECT_GT(forgotten, 0u);
}

TEST(NicModule, TxEqualsCore) {
  compare<TxWires>([](NicTraffic& traffic) { return traffic.frame(); });
}

TEST(NicModule, RxEqualsCore) {
  nic::NicConfig config;
  config.grid = nic::Grid::kPacket;
  compare<RxWires>([&](NicTraffic& traffic) {
    const nic::Frame frame = nic::NicTx(config).pack(traffic.frame()).frame;
    if (!traffic.one_in(4)) return frame;
    nic::Host host;
    host.payload = traffic.payload(200);
    return nic::icmp_error(nic::NicTx(config).pack(host.frame()).frame, 14, 3, 2, 28);
  });
}

TEST(NicModule, PortsAreNamedAsTheRtls) {
  std::set<std::string> expected = {
      "aclk",         "aresetn",       "protocol_tcp_i", "protocol_udp_i", "s_axis_tdata",
      "s_axis_tkeep", "s_axis_tvalid", "s_axis_tready",  "s_axis_tlast",   "s_axis_tuser",
      "m_axis_tdata", "m_axis_tkeep",  "m_axis_tvalid",  "m_axis_tready",  "m_axis_tlast",
      "m_axis_tuser", "stat_o",        "forget_o",       "forget_key_o"};
  EXPECT_EQ(port_names<gw_nic_rx>(), expected);
  expected.erase("forget_o");
  expected.erase("forget_key_o");
  expected.insert(
      {"mark_i", "mark_mask_i", "grid_i", "bound_i", "bounded_i", "forget_i", "forget_key_i"});
  EXPECT_EQ(port_names<gw_nic_tx>(), expected);
}

}  // namespace
}  // namespace gw::systemc::nic_module_test
