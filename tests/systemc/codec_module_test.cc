// The pin-level modules against their cores: every output pin in every cycle.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "models/systemc/compressor_module.h"
#include "models/systemc/decompressor_module.h"
#include "tests/systemc/module_compare.h"
#include "tests/systemc/stimulus.h"

namespace gw::systemc::codec_module_test {
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

/// Another bound and mode in each cycle.
template <typename Module, typename Core>
void compare(std::vector<Beat> (Stimulus::*packet)()) {
  Wires wires;
  Module module("dut");
  wires.bind(module);
  Core core;
  CodecConfig config{.bound = 3, .bounded = false};
  Stimulus stimulus(11, config);
  compare_module(
      wires, core,
      {.packet = [&] { return (stimulus.*packet)(); },
       .drive =
           [&](int c) {
             if (c > 0) {  // 0 at first, as before anybody drives it
               config = {static_cast<uint8_t>(1 + stimulus.below(14)), stimulus.chance(0.5)};
               wires.bound.write(config.bound);
             }
             wires.bounded.write(config.bounded);
           },
       .configure = [&] { core.configure(config); },
       .expect_equal =
           [&](int c) { EXPECT_EQ(wires.error_count.read(), core.error_count()) << "cycle " << c; },
       .reset_in = 1000,
       .least = 10000});
}

TEST(CodecModule, CompressorEqualsCore) {
  compare<gw_compressor, Compressor>(&Stimulus::float_packet);
}

TEST(CodecModule, DecompressorEqualsCore) {
  compare<gw_decompressor, Decompressor>(&Stimulus::byte_packet);
}

TEST(CodecModule, PortsAreNamedAsTheRtls) {
  const std::set<std::string> expected = {
      "aclk",         "aresetn",       "bound_i",       "bounded_i",     "s_axis_tdata",
      "s_axis_tkeep", "s_axis_tvalid", "s_axis_tready", "s_axis_tlast",  "s_axis_tuser",
      "m_axis_tdata", "m_axis_tkeep",  "m_axis_tvalid", "m_axis_tready", "m_axis_tlast",
      "m_axis_tuser", "error_count_o"};
  EXPECT_EQ(port_names<gw_compressor>(), expected);
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
}  // namespace gw::systemc::codec_module_test
