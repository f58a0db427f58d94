// gw_switch with an AXI4-Stream of its own for each physical port: s0_axis and m0_axis are port 0's, and so
// on.
// Wires alone: every cycle is gw_switch's (docs/devices/switch.md). Use gw_switch where vectors of ports are
// at hand.
// Optimizer switch (IEICE'21) section 5.1, Figure 11.
// SPDX-License-Identifier: Apache-2.0
`default_nettype none

module gw_switch_ports #(
  parameter int Algorithm = 0,
  parameter int Pes = 32,
  parameter bit Iterative = 1'b0,
  parameter bit Fast = 1'b0,
  parameter bit Subnormal = 1'b0,
  parameter bit EpsOutside = 1'b0,
  parameter int AddLatency = 5,
  parameter int DepthLog2 = 10
) (
  input  wire logic           aclk,
  input  wire logic           aresetn,
  input  wire logic [4:0]     workers_i,
  input  wire logic [15:0]    group_i,
  input  wire logic [DepthLog2:0] depth_i,
  input  wire logic           cfg_valid_i,
  input  wire logic [31:0]    cfg_address_i,
  input  wire logic [31:0]    cfg_data_i,

  input  wire logic [255:0] s0_axis_tdata,
  input  wire logic [31:0]  s0_axis_tkeep,
  input  wire logic         s0_axis_tvalid,
  output logic              s0_axis_tready,
  input  wire logic         s0_axis_tlast,
  input  wire logic         s0_axis_tuser,
  output logic      [255:0] m0_axis_tdata,
  output logic      [31:0]  m0_axis_tkeep,
  output logic              m0_axis_tvalid,
  input  wire logic         m0_axis_tready,
  output logic              m0_axis_tlast,

  input  wire logic [255:0] s1_axis_tdata,
  input  wire logic [31:0]  s1_axis_tkeep,
  input  wire logic         s1_axis_tvalid,
  output logic              s1_axis_tready,
  input  wire logic         s1_axis_tlast,
  input  wire logic         s1_axis_tuser,
  output logic      [255:0] m1_axis_tdata,
  output logic      [31:0]  m1_axis_tkeep,
  output logic              m1_axis_tvalid,
  input  wire logic         m1_axis_tready,
  output logic              m1_axis_tlast,

  input  wire logic [255:0] s2_axis_tdata,
  input  wire logic [31:0]  s2_axis_tkeep,
  input  wire logic         s2_axis_tvalid,
  output logic              s2_axis_tready,
  input  wire logic         s2_axis_tlast,
  input  wire logic         s2_axis_tuser,
  output logic      [255:0] m2_axis_tdata,
  output logic      [31:0]  m2_axis_tkeep,
  output logic              m2_axis_tvalid,
  input  wire logic         m2_axis_tready,
  output logic              m2_axis_tlast,

  input  wire logic [255:0] s3_axis_tdata,
  input  wire logic [31:0]  s3_axis_tkeep,
  input  wire logic         s3_axis_tvalid,
  output logic              s3_axis_tready,
  input  wire logic         s3_axis_tlast,
  input  wire logic         s3_axis_tuser,
  output logic      [255:0] m3_axis_tdata,
  output logic      [31:0]  m3_axis_tkeep,
  output logic              m3_axis_tvalid,
  input  wire logic         m3_axis_tready,
  output logic              m3_axis_tlast,

  output logic [18:0]         event_o,
  output logic [44*32-1:0]    stat_o
);
  gw_switch #(
    .Algorithm(Algorithm), .Pes(Pes), .Iterative(Iterative), .Fast(Fast), .Subnormal(Subnormal),
      .EpsOutside(EpsOutside),
    .AddLatency(AddLatency),
    .DepthLog2(DepthLog2)
  ) u_switch (
    .aclk, .aresetn, .workers_i, .group_i, .depth_i, .cfg_valid_i, .cfg_address_i, .cfg_data_i,
    .s_axis_tdata  ({s3_axis_tdata, s2_axis_tdata, s1_axis_tdata, s0_axis_tdata}),
    .s_axis_tkeep  ({s3_axis_tkeep, s2_axis_tkeep, s1_axis_tkeep, s0_axis_tkeep}),
    .s_axis_tvalid ({s3_axis_tvalid, s2_axis_tvalid, s1_axis_tvalid, s0_axis_tvalid}),
    .s_axis_tready ({s3_axis_tready, s2_axis_tready, s1_axis_tready, s0_axis_tready}),
    .s_axis_tlast  ({s3_axis_tlast, s2_axis_tlast, s1_axis_tlast, s0_axis_tlast}),
    .s_axis_tuser  ({s3_axis_tuser, s2_axis_tuser, s1_axis_tuser, s0_axis_tuser}),
    .m_axis_tdata  ({m3_axis_tdata, m2_axis_tdata, m1_axis_tdata, m0_axis_tdata}),
    .m_axis_tkeep  ({m3_axis_tkeep, m2_axis_tkeep, m1_axis_tkeep, m0_axis_tkeep}),
    .m_axis_tvalid ({m3_axis_tvalid, m2_axis_tvalid, m1_axis_tvalid, m0_axis_tvalid}),
    .m_axis_tready ({m3_axis_tready, m2_axis_tready, m1_axis_tready, m0_axis_tready}),
    .m_axis_tlast  ({m3_axis_tlast, m2_axis_tlast, m1_axis_tlast, m0_axis_tlast}),
    .event_o, .stat_o
  );
endmodule

`default_nettype wire
