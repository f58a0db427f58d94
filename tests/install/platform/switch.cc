// The optimizer switch as a module, alone: an ordinary frame into port 0, whose station
// nobody knows yet, leaves on the other three.
// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <systemc>

#include "models/systemc/frame_module.h"

int sc_main(int, char**) {
  using namespace sc_core;
  using namespace sc_dt;
  sc_clock aclk("aclk", 5, SC_NS);
  sc_signal<bool> aresetn, cfg_valid;
  sc_signal<sc_uint<5>> workers;
  sc_signal<sc_uint<16>> group;
  sc_signal<sc_uint<11>> depth;
  sc_signal<sc_uint<32>> cfg_address, cfg_data;
  sc_signal<sc_bv<1024>> s_tdata, m_tdata;
  sc_signal<sc_bv<128>> s_tkeep, m_tkeep;
  sc_signal<sc_bv<4>> s_tvalid, s_tready, s_tlast, s_tuser, m_tvalid, m_tready, m_tlast;
  sc_signal<sc_bv<32 * 44>> statistics;
  sc_signal<sc_bv<19>> events;

  gw::systemc::gw_switch device("device", {.pes = 4});
  device.aclk(aclk);
  device.aresetn(aresetn);
  device.workers_i(workers);
  device.group_i(group);
  device.depth_i(depth);
  device.cfg_valid_i(cfg_valid);
  device.cfg_address_i(cfg_address);
  device.cfg_data_i(cfg_data);
  device.s_axis_tdata(s_tdata);
  device.s_axis_tkeep(s_tkeep);
  device.s_axis_tvalid(s_tvalid);
  device.s_axis_tready(s_tready);
  device.s_axis_tlast(s_tlast);
  device.s_axis_tuser(s_tuser);
  device.m_axis_tdata(m_tdata);
  device.m_axis_tkeep(m_tkeep);
  device.m_axis_tvalid(m_tvalid);
  device.m_axis_tready(m_tready);
  device.m_axis_tlast(m_tlast);
  device.stat_o(statistics);
  device.event_o(events);

  workers.write(2);
  depth.write(1024);
  m_tready.write("1111");
  const auto cycle = [] { sc_start(5, SC_NS); };
  for (int i = 0; i < 4; ++i) cycle();
  aresetn.write(true);
  // A port must have been idle for eight cycles to know that what comes begins a frame; the
  // aggregator first clears its slots, one a cycle.
  for (int i = 0; i < 1100; ++i) cycle();
  int left[4] = {};
  for (int i = 0; i < 300; ++i) {
    // 60 bytes: two beats on port 0, the same stations whatever the payload.
    const bool offered = i < 2;
    sc_bv<1024> data;
    sc_bv<128> keep;
    data.set_word(0, 0x00005002);
    data.set_word(1, 0x00020100);
    data.set_word(2, 0x01000050);
    data.set_word(3, 0x00000008);
    keep.set_word(0, i == 0 ? 0xFFFFFFFFu : 0x0FFFFFFFu);
    s_tdata.write(data);
    s_tkeep.write(keep);
    s_tvalid.write(offered ? "0001" : "0000");
    s_tlast.write(i == 1 ? "0001" : "0000");
    cycle();
    for (int port = 0; port < 4; ++port) {
      left[port] += m_tvalid.read()[port].to_bool() && m_tlast.read()[port].to_bool();
    }
  }
  const bool right = left[0] == 0 && left[1] == 1 && left[2] == 1 && left[3] == 1;
  std::printf("frames on ports 0 to 3: %d %d %d %d: %s\n", left[0], left[1], left[2], left[3],
              right ? "PASS" : "FAIL");
  return right ? 0 : 1;
}
