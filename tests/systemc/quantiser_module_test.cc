// The quantisers' pin-level modules against their cores: every output pin in every cycle.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "models/systemc/adaptive_module.h"
#include "models/systemc/dequantizer_module.h"
#include "models/systemc/onebit_module.h"
#include "models/systemc/threshold_module.h"
#include "tests/systemc/module_compare.h"
#include "tests/systemc/mx_stimulus.h"

namespace gw::systemc::quantiser_module_test {
namespace {

struct CountWires : BasicStreamWires<53> {
  sc_core::sc_signal<sc_dt::sc_uint<32>> raw_count{"raw_count"}, error_count{"error_count"};

  template <class Module>
  void bind(Module& device) {
    BasicStreamWires::bind(device);
    device.raw_count_o(raw_count);
    device.error_count_o(error_count);
  }
  template <class Core>
  void expect_counts(const Core& core, int cycle) {
    EXPECT_EQ(raw_count.read(), core.raw_count()) << "cycle " << cycle;
    EXPECT_EQ(error_count.read(), core.error_count()) << "cycle " << cycle;
  }
};

const std::set<std::string> kQuantiserPorts = {
    "aclk",          "aresetn",       "s_axis_tdata",  "s_axis_tkeep",
    "s_axis_tvalid", "s_axis_tready", "s_axis_tlast",  "s_axis_tuser",
    "m_axis_tdata",  "m_axis_tkeep",  "m_axis_tvalid", "m_axis_tready",
    "m_axis_tlast",  "m_axis_tuser",  "raw_count_o",   "error_count_o"};

std::set<std::string> with(std::set<std::string> names, const std::set<std::string>& more) {
  names.insert(more.begin(), more.end());
  return names;
}

TEST(ThresholdModule, EqualsCore) {
  CountWires wires;
  sc_core::sc_signal<sc_dt::sc_uint<2>> method{"method"};
  sc_core::sc_signal<bool> coding{"coding"}, residual{"residual"};
  sc_core::sc_signal<sc_dt::sc_uint<32>> threshold{"threshold"};
  gw_threshold module("dut", 40);
  wires.bind(module);
  module.method_i(method);
  module.coding_i(coding);
  module.threshold_i(threshold);
  module.residual_i(residual);
  Threshold core(40);
  MxTraffic traffic(7, 40);
  ThresholdConfig config;
  compare_module(wires, core,
                 {.packet = [&] { return traffic.packet(); },
                  .drive =
                      [&](int) {
                        config = {static_cast<uint8_t>(traffic.below(4)), traffic.one_in(2),
                                  (100 + traffic.below(30)) << 23, traffic.one_in(2)};
                        method.write(config.method);
                        coding.write(config.rice);
                        threshold.write(config.threshold);
                        residual.write(config.residual);
                      },
                  .configure = [&] { core.configure(config); },
                  .expect_equal = [&](int c) { wires.expect_counts(core, c); },
                  .reset_in = 3000,
                  .least = 3000});
}

TEST(ThresholdModule, PortsAreNamedAsTheRtls) {
  EXPECT_EQ(port_names<gw_threshold>(),
            with(kQuantiserPorts, {"method_i", "coding_i", "threshold_i", "residual_i"}));
}

TEST(OneBitModule, EqualsCore) {
  CountWires wires;
  sc_core::sc_signal<bool> residual{"residual"};
  gw_onebit module("dut", 40);
  wires.bind(module);
  module.residual_i(residual);
  OneBit core(40);
  MxTraffic traffic(7, 40);
  OneBitConfig config;
  compare_module(wires, core,
                 {.packet = [&] { return traffic.packet(); },
                  .drive =
                      [&](int) {
                        config.residual = traffic.one_in(2);
                        residual.write(config.residual);
                      },
                  .configure = [&] { core.configure(config); },
                  .expect_equal = [&](int c) { wires.expect_counts(core, c); },
                  .reset_in = 3000,
                  .least = 3000});
}

TEST(OneBitModule, PortsAreNamedAsTheRtls) {
  EXPECT_EQ(port_names<gw_onebit>(), with(kQuantiserPorts, {"residual_i"}));
}

TEST(AdaptiveModule, EqualsCore) {
  CountWires wires;
  sc_core::sc_signal<sc_dt::sc_uint<4>> p{"p"};
  sc_core::sc_signal<bool> coding{"coding"}, residual{"residual"};
  gw_adaptive module("dut", 64);
  wires.bind(module);
  module.p_i(p);
  module.coding_i(coding);
  module.residual_i(residual);
  Adaptive core(64);
  MxTraffic traffic(7, 64);
  AdaptiveConfig config;
  compare_module(wires, core,
                 {.packet = [&] { return traffic.packet(); },
                  .drive =
                      [&](int) {
                        config = {static_cast<uint8_t>(traffic.below(16)), traffic.one_in(2),
                                  traffic.one_in(2)};
                        p.write(config.p);
                        coding.write(config.rice);
                        residual.write(config.residual);
                      },
                  .configure = [&] { core.configure(config); },
                  .expect_equal = [&](int c) { wires.expect_counts(core, c); },
                  .reset_in = 3000,
                  .least = 2000});
}

TEST(AdaptiveModule, PortsAreNamedAsTheRtls) {
  EXPECT_EQ(port_names<gw_adaptive>(), with(kQuantiserPorts, {"p_i", "coding_i", "residual_i"}));
}

TEST(DequantizerModule, EqualsCore) {
  BasicStreamWires<1> wires;
  sc_core::sc_signal<sc_dt::sc_uint<20>> limit{"limit"};
  sc_core::sc_signal<sc_dt::sc_bv<32 * Dequantizer::kReasons>> malformed{"malformed"};
  sc_core::sc_signal<sc_dt::sc_uint<32>> error_count{"error_count"};
  gw_dequantizer module("dut");
  wires.bind(module);
  module.limit_i(limit);
  module.malformed_count_o(malformed);
  module.error_count_o(error_count);
  Dequantizer core;
  sim::Random random(7);
  DequantizerConfig config;
  // Headers that are good or nearly, and any payload.
  const auto packet = [&] {
    std::vector<Beat> beats(1 + random.below(6));
    for (Beat& beat : beats) {
      for (uint32_t& word : beat.data) word = static_cast<uint32_t>(random.next());
    }
    auto& header = beats.front().data;
    header[0] = random.below(9) | (random.below(3) == 0 ? random.below(17) << 8 : 0);
    header[1] = random.below(40);
    header[2] = random.below(3) != 0 ? 0 : 0x3F80'0000;
    header[3] = random.below(3) != 0 ? 0 : 0x8000'0000;
    beats.back().last = 1;
    beats.back().keep = keep_of_bytes(static_cast<int>(random.below(33)));
    return beats;
  };
  compare_module(
      wires, core,
      {.packet = packet,
       .drive =
           [&](int) {
             config.limit = 20 + random.below(40);
             limit.write(config.limit);
           },
       .configure = [&] { core.configure(config); },
       .expect_equal =
           [&](int c) {
             EXPECT_EQ(error_count.read(), core.error_count()) << "cycle " << c;
             for (size_t i = 0; i < Dequantizer::kReasons; ++i) {
               EXPECT_EQ(malformed.read().get_word(static_cast<int>(i)), core.malformed_count(i))
                   << i << " in cycle " << c;
             }
           },
       .reset_in = 3000,
       .least = 3000});
}

TEST(DequantizerModule, PortsAreNamedAsTheRtls) {
  auto names = with(kQuantiserPorts, {"limit_i", "malformed_count_o"});
  names.erase("raw_count_o");
  EXPECT_EQ(port_names<gw_dequantizer>(), names);
}

}  // namespace
}  // namespace gw::systemc::quantiser_module_test
