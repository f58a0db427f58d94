// The NIC engines' pin-level modules against their cores: every output pin in every cycle.
#include "models/systemc/nic_module.h"

#include <gtest/gtest.h>

#include <deque>
#include <set>
#include <string>

#include "tests/systemc/nic_bench.h"
#include "tests/systemc/pins.h"

int sc_main(int, char**) { return 0; }  // the library refers to it; GoogleTest has the main

namespace gw::systemc {
namespace {

using Byte = sc_core::sc_signal<sc_dt::sc_uint<8>>;

struct TxWires : StreamWires {
  using Config = NicTxConfig;
  using Core = NicTx;
  using Module = gw_nic_tx;
  Byte mark, mark_mask, protocol_tcp, protocol_udp;
  sc_core::sc_signal<sc_dt::sc_uint<4>> bound;
  sc_core::sc_signal<bool> grid, bounded;
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
    device.stat_o(stat);
  }
  void drive(const Config& config) {
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
  sc_core::sc_signal<sc_dt::sc_bv<Module::kStatBits>> stat;

  void bind(Module& device) {
    StreamWires::bind(device);
    device.protocol_tcp_i(protocol_tcp);
    device.protocol_udp_i(protocol_udp);
    device.stat_o(stat);
  }
  void drive(const Config& config) {
    protocol_tcp.write(config.protocol_tcp);
    protocol_udp.write(config.protocol_udp);
  }
};

/// Random frames, stalls and resets; the configuration's pins may change in each cycle. `packed`:
/// what frames become first.
template <class Wires>
void compare(const std::function<nic::Frame(NicTraffic&)>& next_frame) {
  using Config = Wires::Config;
  Wires wires;
  typename Wires::Module module("dut");
  wires.bind(module);
  typename Wires::Core core;
  NicTraffic traffic(5);
  Random random(6);
  std::deque<Beat> source;
  bool offering = false;
  int resetting = 3;
  uint64_t left = 0;
  for (int c = 0; c < 30000; ++c) {
    while (source.empty()) {
      NicInput<Config> input{
          .bytes = next_frame(traffic), .user = traffic.one_in(10), .config = {}};
      for (const Beat& beat : beats_of(input)) source.push_back(beat);
    }
    offering = resetting == 0 && (offering || random.below(5) != 0);
    const bool m_ready = random.below(3) != 0;
    const Beat s = source.front();
    // Mostly what packs; now and then anything.
    const Config config = random.below(8) == 0 ? any_config<Config>(random) : Config{};

    wires.aclk.write(false);
    wires.aresetn.write(resetting == 0);
    wires.drive(config);
    wires.s_tvalid.write(offering);
    wires.drive_s(s);
    wires.m_tready.write(m_ready);
    sc_core::sc_start(5, sc_core::SC_NS);

    if (c > 0) {  // in cycle 0 no edge has come yet
      ASSERT_EQ(wires.s_tready.read(), core.s_ready()) << "cycle " << c;
      ASSERT_EQ(wires.m_tvalid.read(), core.m_beat() != nullptr) << "cycle " << c;
      if (core.m_beat() != nullptr) {
        ASSERT_EQ(wires.m_beat(), *core.m_beat()) << "cycle " << c;
      }
      const auto statistics = core.statistics();
      for (size_t i = 0; i < statistics.size(); ++i) {
        ASSERT_EQ(wires.stat.read().get_word(static_cast<int>(i)), statistics[i]) << "cycle " << c;
      }
    }

    const bool accept = offering && core.s_ready();
    left += core.m_beat() != nullptr && m_ready;
    if (resetting > 0) {
      core.reset();
      --resetting;
    } else {
      core.configure(config);
      core.clock(offering ? &s : nullptr, m_ready);
    }
    wires.aclk.write(true);
    sc_core::sc_start(5, sc_core::SC_NS);

    if (accept) {
      source.pop_front();
      offering = false;
    }
    if (resetting == 0 && random.below(2000) == 0) {
      resetting = 1 + static_cast<int>(random.below(3));
      source.clear();
      offering = false;
    }
  }
  EXPECT_GT(left, 5000u);
}

TEST(NicModule, TxEqualsCore) {
  compare<TxWires>([](NicTraffic& traffic) { return traffic.frame(); });
}

TEST(NicModule, RxEqualsCore) {
  nic::NicConfig config;
  config.grid = nic::Grid::kPacket;
  compare<RxWires>(
      [&](NicTraffic& traffic) { return nic::NicTx(config).pack(traffic.frame()).frame; });
}

template <class Module>
std::set<std::string> ports() {
  Module module("dut");
  std::set<std::string> names;
  for (const sc_core::sc_object* child : module.get_child_objects()) {
    if (dynamic_cast<const sc_core::sc_port_base*>(child)) names.insert(child->basename());
  }
  return names;
}

TEST(NicModule, PortsAreNamedAsTheRtls) {
  std::set<std::string> expected = {
      "aclk",         "aresetn",       "protocol_tcp_i", "protocol_udp_i", "s_axis_tdata",
      "s_axis_tkeep", "s_axis_tvalid", "s_axis_tready",  "s_axis_tlast",   "s_axis_tuser",
      "m_axis_tdata", "m_axis_tkeep",  "m_axis_tvalid",  "m_axis_tready",  "m_axis_tlast",
      "m_axis_tuser", "stat_o"};
  EXPECT_EQ(ports<gw_nic_rx>(), expected);
  expected.insert({"mark_i", "mark_mask_i", "grid_i", "bound_i", "bounded_i"});
  EXPECT_EQ(ports<gw_nic_tx>(), expected);
}

}  // namespace
}  // namespace gw::systemc
