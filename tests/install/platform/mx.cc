// The quantiser as a module, alone: two values become one MXFP8 block, in two beats.
// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <cstdio>
#include <systemc>

#include "models/systemc/mx_module.h"

int sc_main(int, char**) {
  using namespace sc_core;
  using namespace sc_dt;
  sc_clock aclk("aclk", 5, SC_NS);
  sc_signal<bool> aresetn, scale, residual;
  sc_signal<sc_uint<2>> format;
  sc_signal<sc_bv<256>> s_tdata, m_tdata;
  sc_signal<sc_uint<32>> s_tkeep, m_tkeep, raws, errors;
  sc_signal<bool> s_tvalid, s_tready, s_tlast, m_tvalid, m_tready, m_tlast, m_tuser;
  sc_signal<sc_uint<53>> s_tuser;

  gw::systemc::gw_mx device("device", 64);
  device.aclk(aclk);
  device.aresetn(aresetn);
  device.format_i(format);
  device.scale_i(scale);
  device.residual_i(residual);
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
  device.m_axis_tuser(m_tuser);
  device.raw_count_o(raws);
  device.error_count_o(errors);

  m_tready.write(true);
  residual.write(true);
  const auto cycle = [] { sc_start(5, SC_NS); };
  for (int i = 0; i < 4; ++i) cycle();
  aresetn.write(true);
  for (int i = 0; i < 70; ++i) cycle();  // a row of the memory is zeroed in each
  const bool ready = s_tready.read();
  sc_bv<256> data;
  data.set_word(0, 0x3F800000);  // 1
  data.set_word(1, 0xC0000000);  // -2
  s_tdata.write(data);
  s_tkeep.write(0xFF);
  s_tlast.write(true);
  s_tuser.write(uint64_t{2} << 32 | 5);  // two values, row 5
  s_tvalid.write(true);
  cycle();
  s_tvalid.write(false);
  int beats = 0;
  bool right = ready;
  for (int i = 0; i < 30; ++i) {
    cycle();
    if (!m_tvalid.read()) continue;
    ++beats;
    // Behind the header of 16 bytes: the scale 120, 2^-7; 2^7 and -2^8.
    if (beats == 1) right &= m_tdata.read().get_word(4) == 0x00F87078u && !m_tlast.read();
    if (beats == 2) right &= m_tlast.read() && m_tkeep.read() == 0x3FFFFu && !m_tuser.read();
  }
  right &= beats == 2 && raws.read() == 0 && errors.read() == 0;
  std::printf("beats of the quantiser: %d: %s\n", beats, right ? "PASS" : "FAIL");
  return right ? 0 : 1;
}
