// What the tests of pin-level modules share.
#pragma once

namespace gw::systemc {

/// Binds clock, reset and what every AXI4-Stream has to the signals of the same names in `wires`.
template <class Device, class Wires>
void bind_streams(Device& device, Wires& wires) {
  device.aclk(wires.aclk);
  device.aresetn(wires.aresetn);
  device.s_axis_tdata(wires.s_tdata);
  device.s_axis_tkeep(wires.s_tkeep);
  device.s_axis_tvalid(wires.s_tvalid);
  device.s_axis_tready(wires.s_tready);
  device.s_axis_tlast(wires.s_tlast);
  device.s_axis_tuser(wires.s_tuser);
  device.m_axis_tdata(wires.m_tdata);
  device.m_axis_tkeep(wires.m_tkeep);
  device.m_axis_tvalid(wires.m_tvalid);
  device.m_axis_tready(wires.m_tready);
  device.m_axis_tlast(wires.m_tlast);
}

}  // namespace gw::systemc
