// Parser and Gradient Aggregation: frames in, frames with the sums so far out.
// Latency 4 cycles (gw_parser) and AddLatency + 4, one beat a cycle; contract in docs/devices/aggregator.md.
// Optimizer switch (IEICE'21) sections 3.3 and 5.2, Figure 12.
// SPDX-License-Identifier: Apache-2.0
`default_nettype none

module gw_aggregator #(
  parameter int DepthLog2 = 10,
  parameter int AddLatency = 5,
  parameter bit Subnormal = 1'b0
) (
  input  wire logic         aclk,
  input  wire logic         aresetn,
  input  wire logic [4:0]   workers_i,
  input  wire logic [15:0]  group_i,
  input  wire logic [DepthLog2:0] depth_i,
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
  output logic [22*32-1:0]  stat_o
);
  wire [255:0] tdata;
  wire [31:0]  tkeep;
  wire         tvalid, tready, tlast;
  wire [191:0] tuser;
  wire         unused_clearing, unused_selected;
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
  gw_aggregation #(.DepthLog2(DepthLog2), .AddLatency(AddLatency), .Subnormal(Subnormal)) u_aggregation (
    .aclk, .aresetn, .workers_i, .group_i, .depth_i,
    .s_axis_tdata  (tdata),
    .s_axis_tkeep  (tkeep),
    .s_axis_tvalid (tvalid),
    .s_axis_tready (tready),
    .s_axis_tlast  (tlast),
    .s_axis_tuser  (tuser),
    .m_axis_tdata, .m_axis_tkeep, .m_axis_tvalid, .m_axis_tready, .m_axis_tlast, .m_axis_tuser,
    .m_selected_o  (unused_selected),
    .stat_o        (stat_o[22*32-1:12*32]),
    .job_reset_i   (1'b0),
    .clearing_o    (unused_clearing)
  );
endmodule

`default_nettype wire
