// The pin-level modules against their cores: every output pin in every cycle.
#include <gtest/gtest.h>

#include <deque>
#include <set>
#include <string>

#include "models/systemc/compressor_module.h"
#include "models/systemc/decompressor_module.h"
#include "tests/systemc/pins.h"
#include "tests/systemc/stimulus.h"

int sc_main(int, char**) { return 0; }  // the library refers to it; GoogleTest has the main

namespace gw::systemc {
namespace {

/// A signal for every port.
struct Wires : StreamWires {
  sc_core::sc_signal<sc_dt::sc_uint<4>> bound{"bound"};
  sc_core::sc_signal<bool> bounded{"bounded"};
  sc_core::sc_signal<sc_dt::sc_uint<32>> error_count{"error_count"};

  void bind(CodecPins& device) {
    StreamWires::bind(device);
    device.bound_i(bound);
    device.bounded_i(bounded);
    device.error_count_o(error_count);
  }
};

/// Random packets, stalls and resets; another bound and mode in each cycle.
template <typename Module, typename Core>
void compare(std::vector<Beat> (Stimulus::*packet)()) {
  Wires wires;
  Module module("dut");
  wires.bind(module);
  Core core;
  CodecConfig config{.bound = 3, .bounded = false};
  Stimulus stimulus(11, config);
  std::deque<Beat> source;
  bool offering = false;
  int resetting = 3;
  uint64_t left = 0;
  for (int c = 0; c < 30000; ++c) {
    if (c > 0) {
      config = {static_cast<uint8_t>(1 + stimulus.below(14)), stimulus.chance(0.5)};
    }
    if (source.empty()) {
      for (const Beat& beat : (stimulus.*packet)()) source.push_back(beat);
    }
    offering = resetting == 0 && (offering || !stimulus.chance(0.2));
    const bool m_ready = !stimulus.chance(0.4);
    const Beat s = source.front();

    wires.aclk.write(false);
    wires.aresetn.write(resetting == 0);
    if (c > 0) wires.bound.write(config.bound);  // 0 at first, as before anybody drives it
    wires.bounded.write(config.bounded);
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
    if (resetting == 0 && stimulus.chance(0.001)) {
      resetting = 1 + static_cast<int>(stimulus.below(3));
      source.clear();
      offering = false;
    }
  }
  EXPECT_GT(left, 10000u);
}

TEST(CodecModule, CompressorEqualsCore) {
  compare<gw_compressor, Compressor>(&Stimulus::float_packet);
}

TEST(CodecModule, DecompressorEqualsCore) {
  compare<gw_decompressor, Decompressor>(&Stimulus::byte_packet);
}

TEST(CodecModule, PortsAreNamedAsTheRtls) {
  gw_compressor module("dut");
  std::set<std::string> names;
  for (const sc_core::sc_object* child : module.get_child_objects()) {
    if (dynamic_cast<const sc_core::sc_port_base*>(child)) names.insert(child->basename());
  }
  const std::set<std::string> expected = {
      "aclk",         "aresetn",       "bound_i",       "bounded_i",     "s_axis_tdata",
      "s_axis_tkeep", "s_axis_tvalid", "s_axis_tready", "s_axis_tlast",  "s_axis_tuser",
      "m_axis_tdata", "m_axis_tkeep",  "m_axis_tvalid", "m_axis_tready", "m_axis_tlast",
      "m_axis_tuser", "error_count_o"};
  EXPECT_EQ(names, expected);
}

TEST(CodecModule, RefusesBeatsUnderABadBound) {
  Wires wires;
  gw_compressor module("dut");
  wires.bind(module);
  wires.aresetn.write(true);
  wires.s_tvalid.write(true);
  sc_core::sc_start(5, sc_core::SC_NS);
  wires.aclk.write(true);
  EXPECT_THROW(sc_core::sc_start(5, sc_core::SC_NS), sc_core::sc_report);
}

}  // namespace
}  // namespace gw::systemc
