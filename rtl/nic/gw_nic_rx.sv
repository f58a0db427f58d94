// NIC engine, wire to host: gives packed frames back as the TCP segments and UDP datagrams that they were, lets others through.
// Latency 8 cycles for frames passed, 16 for frames unpacked, one beat a cycle; contract in docs/devices/nic_rx.md.
// INCEPTIONN (MICRO'18) sections VI-A and VI-B.
`default_nettype none

module gw_nic_rx (
  input  wire logic            aclk,
  input  wire logic            aresetn,
  input  wire logic [7:0]      protocol_tcp_i,
  input  wire logic [7:0]      protocol_udp_i,
  input  wire logic [255:0]    s_axis_tdata,
  input  wire logic [31:0]     s_axis_tkeep,
  input  wire logic            s_axis_tvalid,
  output logic                 s_axis_tready,
  input  wire logic            s_axis_tlast,
  input  wire logic            s_axis_tuser,
  output logic [255:0]         m_axis_tdata,
  output logic [31:0]          m_axis_tkeep,
  output logic                 m_axis_tvalid,
  input  wire logic            m_axis_tready,
  output logic                 m_axis_tlast,
  output logic                 m_axis_tuser,
  output logic [6*32-1:0]      stat_o
);
  always_ff @(posedge aclk) begin
    s_axis_tready <= 1'b0;
    m_axis_tvalid <= 1'b0;
  end
  assign {m_axis_tdata, m_axis_tkeep, m_axis_tlast, m_axis_tuser, stat_o} = '0;
  wire unused = ^{aresetn, protocol_tcp_i, protocol_udp_i, s_axis_tdata, s_axis_tkeep, s_axis_tvalid, s_axis_tlast, s_axis_tuser,
                  m_axis_tready};
endmodule

`default_nettype wire
