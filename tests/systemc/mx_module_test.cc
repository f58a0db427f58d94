// The microscaling quantiser's pin-level module against its core: every output pin in every cycle.
#include "models/systemc/mx_module.h"

#include <gtest/gtest.h>

#include <deque>
#include <set>
#include <string>

#include "tests/systemc/mx_stimulus.h"
#include "tests/systemc/pins.h"

int sc_main(int, char**) { return 0; }  // the library refers to it; GoogleTest has the main

namespace gw::systemc {
namespace {

struct MxWires : BasicStreamWires<53> {
  sc_core::sc_signal<bool> format{"format"}, residual{"residual"};
  sc_core::sc_signal<sc_dt::sc_uint<32>> raw_count{"raw_count"}, error_count{"error_count"};

  void bind(gw_mx& device) {
    BasicStreamWires::bind(device);
    device.format_i(format);
    device.residual_i(residual);
    device.raw_count_o(raw_count);
    device.error_count_o(error_count);
  }
};

/// Random packets, stalls and resets; other pins in each cycle.
void compare(uint32_t rows) {
  MxWires wires;
  gw_mx module("dut", rows);
  wires.bind(module);
  Mx core(rows);
  MxTraffic traffic(7, rows);
  std::deque<Beat> source;
  bool offering = false;
  uint32_t resetting = 3;
  uint64_t left = 0;
  for (int c = 0; c < 30000; ++c) {
    if (source.empty()) {
      for (const Beat& beat : traffic.packet()) source.push_back(beat);
    }
    offering = resetting == 0 && (offering || traffic.below(5) != 0);
    const bool m_ready = traffic.below(4) != 0;
    const MxConfig config = traffic.config();
    const Beat s = source.front();

    wires.aclk.write(false);
    wires.aresetn.write(resetting == 0);
    wires.format.write(config.fp4);
    wires.residual.write(config.residual);
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
      ASSERT_EQ(wires.raw_count.read(), core.raw_count()) << "cycle " << c;
      ASSERT_EQ(wires.error_count.read(), core.error_count()) << "cycle " << c;
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
    if (resetting == 0 && traffic.below(3000) == 0) {
      resetting = 1 + traffic.below(3);
      source.clear();
      offering = false;
    }
  }
  EXPECT_GT(left, 5000u);
}

TEST(MxModule, EqualsCore) { compare(40); }
TEST(MxModule, EqualsCoreWithoutMemory) { compare(0); }

TEST(MxModule, PortsAreNamedAsTheRtls) {
  gw_mx module("dut");
  std::set<std::string> names;
  for (const sc_core::sc_object* child : module.get_child_objects()) {
    if (dynamic_cast<const sc_core::sc_port_base*>(child)) names.insert(child->basename());
  }
  const std::set<std::string> expected = {
      "aclk",         "aresetn",       "format_i",      "residual_i",    "s_axis_tdata",
      "s_axis_tkeep", "s_axis_tvalid", "s_axis_tready", "s_axis_tlast",  "s_axis_tuser",
      "m_axis_tdata", "m_axis_tkeep",  "m_axis_tvalid", "m_axis_tready", "m_axis_tlast",
      "m_axis_tuser", "raw_count_o",   "error_count_o"};
  EXPECT_EQ(names, expected);
}

}  // namespace
}  // namespace gw::systemc
