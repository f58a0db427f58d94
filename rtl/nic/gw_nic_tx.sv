// NIC engine from host to wire: replaces the floats of marked TCP segments and UDP datagrams by their encoded groups.
// Latency 8 cycles for what passes, beats of the frame + 16 for what is packed, one beat a cycle; contract in docs/devices/nic_tx.md.
// INCEPTIONN (MICRO'18) sections VI-A and VI-B, Figure 8.
`include "gw_assert.svh"
`default_nettype none

module gw_nic_tx (
  input  wire logic         aclk,
  input  wire logic         aresetn,
  input  wire logic [7:0]   mark_i,
  input  wire logic [7:0]   mark_mask_i,
  input  wire logic         grid_i,
  input  wire logic [3:0]   bound_i,
  input  wire logic         bounded_i,
  input  wire logic [7:0]   protocol_tcp_i,
  input  wire logic [7:0]   protocol_udp_i,
  input  wire logic [255:0] s_axis_tdata,
  input  wire logic [31:0]  s_axis_tkeep,
  input  wire logic         s_axis_tvalid,
  output logic              s_axis_tready,
  input  wire logic         s_axis_tlast,
  input  wire logic         s_axis_tuser,
  output logic [255:0]      m_axis_tdata,
  output logic [31:0]       m_axis_tkeep,
  output logic              m_axis_tvalid,
  input  wire logic         m_axis_tready,
  output logic              m_axis_tlast,
  output logic              m_axis_tuser,
  output logic [18*32-1:0]  stat_o
);
endmodule

`default_nettype wire
