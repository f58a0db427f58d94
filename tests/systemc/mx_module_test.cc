// The microscaling quantiser's pin-level module against its core: every output pin in every cycle.
// SPDX-License-Identifier: Apache-2.0
#include "models/systemc/mx_module.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "tests/systemc/module_compare.h"
#include "tests/systemc/mx_stimulus.h"

namespace gw::systemc::mx_module_test {
namespace {

struct MxWires : BasicStreamWires<53> {
  sc_core::sc_signal<sc_dt::sc_uint<2>> format{"format"};
  sc_core::sc_signal<bool> scale{"scale"}, residual{"residual"};
  sc_core::sc_signal<sc_dt::sc_uint<32>> raw_count{"raw_count"}, error_count{"error_count"};

  void bind(gw_mx& device) {
    BasicStreamWires::bind(device);
    device.format_i(format);
    device.scale_i(scale);
    device.residual_i(residual);
    device.raw_count_o(raw_count);
    device.error_count_o(error_count);
  }
};

/// Other pins in each cycle.
void compare(uint32_t rows) {
  MxWires wires;
  gw_mx module("dut", rows);
  wires.bind(module);
  Mx core(rows);
  MxTraffic traffic(7, rows);
  MxConfig config;
  compare_module(wires, core,
                 {.packet = [&] { return traffic.packet(); },
                  .drive =
                      [&](int) {
                        config = traffic.config();
                        wires.format.write(config.format);
                        wires.scale.write(config.up);
                        wires.residual.write(config.residual);
                      },
                  .configure = [&] { core.configure(config); },
                  .expect_equal =
                      [&](int c) {
                        EXPECT_EQ(wires.raw_count.read(), core.raw_count()) << "cycle " << c;
                        EXPECT_EQ(wires.error_count.read(), core.error_count()) << "cycle " << c;
                      },
                  .reset_in = 3000});
}

TEST(MxModule, EqualsCore) { compare(40); }
TEST(MxModule, EqualsCoreWithoutMemory) { compare(0); }

TEST(MxModule, PortsAreNamedAsTheRtls) {
  const std::set<std::string> expected = {
      "aclk",         "aresetn",      "format_i",      "scale_i",       "residual_i",
      "s_axis_tdata", "s_axis_tkeep", "s_axis_tvalid", "s_axis_tready", "s_axis_tlast",
      "s_axis_tuser", "m_axis_tdata", "m_axis_tkeep",  "m_axis_tvalid", "m_axis_tready",
      "m_axis_tlast", "m_axis_tuser", "raw_count_o",   "error_count_o"};
  EXPECT_EQ(port_names<gw_mx>(), expected);
}

}  // namespace
}  // namespace gw::systemc::mx_module_test
