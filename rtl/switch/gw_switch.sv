// Four-port 10GbE switch that aggregates gradients and runs the optimizer on them.
// One beat a cycle through all of it; contract in docs/devices/switch.md.
// Optimizer switch (IEICE'21) section 5.1, Figure 11.
// SPDX-License-Identifier: Apache-2.0
`default_nettype none

module gw_switch #(
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
  input  wire logic [1023:0]  s_axis_tdata,
  input  wire logic [127:0]   s_axis_tkeep,
  input  wire logic [3:0]     s_axis_tvalid,
  output logic [3:0]          s_axis_tready,
  input  wire logic [3:0]     s_axis_tlast,
  input  wire logic [3:0]     s_axis_tuser,
  output logic [1023:0]       m_axis_tdata,
  output logic [127:0]        m_axis_tkeep,
  output logic [3:0]          m_axis_tvalid,
  input  wire logic [3:0]     m_axis_tready,
  output logic [3:0]          m_axis_tlast,
  output logic [18:0]         event_o,
  output logic [44*32-1:0]    stat_o
);
  wire [31:0] unused_data;
  wire        unused_idle, unused_clearing;
  gw_switch_core #(
    .Algorithm(Algorithm), .Pes(Pes), .Iterative(Iterative), .Fast(Fast), .Subnormal(Subnormal),
      .EpsOutside(EpsOutside),
    .AddLatency(AddLatency),
    .DepthLog2(DepthLog2)
  ) u_core (
    .aclk, .aresetn, .workers_i, .group_i, .depth_i, .cfg_valid_i, .cfg_address_i, .cfg_data_i,
    .s_axis_tdata, .s_axis_tkeep, .s_axis_tvalid, .s_axis_tready, .s_axis_tlast, .s_axis_tuser,
    .m_axis_tdata, .m_axis_tkeep, .m_axis_tvalid, .m_axis_tready, .m_axis_tlast, .event_o, .stat_o,
    .job_reset_i   (1'b0),
    .cfg_restore_i (1'b0),
    .cfg_read_i    (1'b0),
    .cfg_data_o    (unused_data),
    .drain_i       (1'b0),
    .idle_o        (unused_idle),
    .clearing_o    (unused_clearing)
  );
endmodule

`default_nettype wire
