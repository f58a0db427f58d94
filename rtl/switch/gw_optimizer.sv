// Parser and Parameter Optimization: gradient frames in, parameter frames out; every gradient frame counts as
// complete.
// Latency 4 cycles (gw_parser) and gw_optimization's, one beat a cycle; contract in
// docs/devices/optimizer.md.
// Optimizer switch (IEICE'21) sections 3.4, 5.2 and 5.3, Figures 12 and 13.
// SPDX-License-Identifier: Apache-2.0
`default_nettype none

module gw_optimizer #(
  parameter int Algorithm = 0,
  parameter int Pes = 32,
  parameter bit Iterative = 1'b0,
  parameter bit Fast = 1'b0,
  parameter bit Subnormal = 1'b0,
  parameter bit EpsOutside = 1'b0,
  parameter int DepthLog2 = 10
) (
  input  wire logic         aclk,
  input  wire logic         aresetn,
  input  wire logic         cfg_valid_i,
  input  wire logic [31:0]  cfg_address_i,
  input  wire logic [31:0]  cfg_data_i,
  input  wire logic [255:0] s_axis_tdata,
  input  wire logic [31:0]  s_axis_tkeep,
  input  wire logic         s_axis_tvalid,
  output logic              s_axis_tready,
  input  wire logic         s_axis_tlast,
  input  wire logic [1:0]   s_axis_tuser,
  output logic [255:0]      m_axis_tdata,
  output logic [31:0]       m_axis_tkeep,
  output logic              m_axis_tvalid,
  input  wire logic         m_axis_tready,
  output logic              m_axis_tlast,
  output logic [191:0]      m_axis_tuser,
  output logic [16*32-1:0]  stat_o
);
  wire [255:0] tdata;
  wire [31:0]  tkeep;
  wire         tvalid, tready, tlast;
  wire [191:0] tuser;
  gw_parser u_parser (
    .aclk, .aresetn, .s_axis_tdata, .s_axis_tkeep, .s_axis_tvalid, .s_axis_tready, .s_axis_tlast,
    .s_axis_tuser,
    .m_axis_tdata  (tdata),
    .m_axis_tkeep  (tkeep),
    .m_axis_tvalid (tvalid),
    .m_axis_tready (tready),
    .m_axis_tlast  (tlast),
    .m_axis_tuser  (tuser),
    .stat_o        (stat_o[12*32-1:0])
  );
  wire complete = tuser[gw_expether_pkg::UserKind +: 3] == gw_expether_pkg::KindGradient;
  wire selected = gw_expether_pkg::selects(tuser[gw_expether_pkg::UserKind +: 3], complete,
                                           tuser[gw_expether_pkg::UserSequence +: 32],
                                           DepthLog2);
  wire [31:0] unused_data;
  wire unused_complete = tuser[gw_expether_pkg::UserComplete];
  gw_optimization #(
    .Algorithm(Algorithm), .Pes(Pes), .Iterative(Iterative), .Fast(Fast), .Subnormal(Subnormal),
      .EpsOutside(EpsOutside), .DepthLog2(DepthLog2)
  ) u_optimization (
    .aclk, .aresetn, .cfg_valid_i, .cfg_address_i, .cfg_data_i,
    .s_axis_tdata  (tdata),
    .s_axis_tkeep  (tkeep),
    .s_axis_tvalid (tvalid),
    .s_axis_tready (tready),
    .s_axis_tlast  (tlast),
    .s_axis_tuser  ({tuser[191:gw_expether_pkg::UserComplete+1], complete,
                     tuser[gw_expether_pkg::UserComplete-1:0]}),
    .s_selected_i  (selected),
    .m_axis_tdata, .m_axis_tkeep, .m_axis_tvalid, .m_axis_tready, .m_axis_tlast, .m_axis_tuser,
    .stat_o        (stat_o[16*32-1:12*32]),
    .job_reset_i   (1'b0),
    .cfg_restore_i (1'b0),
    .cfg_read_i    (1'b0),
    .cfg_data_o    (unused_data)
  );
endmodule

`default_nettype wire
