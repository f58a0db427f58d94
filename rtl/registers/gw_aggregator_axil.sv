// Parser and Gradient Aggregation with AXI4-Lite registers: gw_aggregator for a host that knows no pins.
// Latency and throughput the core's; contract in docs/registers/README.md and docs/devices/aggregator.md.
// Optimizer switch (IEICE'21) sections 3.3 and 5.2, Figure 12.
// SPDX-License-Identifier: Apache-2.0
`default_nettype none

module gw_aggregator_axil #(
  parameter int DepthLog2 = 10,
  parameter int AddLatency = 5,
  parameter bit Subnormal = 1'b0
) (
  input  wire logic         aclk,
  input  wire logic         aresetn,
  input  wire logic [11:0]  s_axil_awaddr,
  input  wire logic [2:0]   s_axil_awprot,
  input  wire logic         s_axil_awvalid,
  output logic              s_axil_awready,
  input  wire logic [31:0]  s_axil_wdata,
  input  wire logic [3:0]   s_axil_wstrb,
  input  wire logic         s_axil_wvalid,
  output logic              s_axil_wready,
  output logic [1:0]        s_axil_bresp,
  output logic              s_axil_bvalid,
  input  wire logic         s_axil_bready,
  input  wire logic [11:0]  s_axil_araddr,
  input  wire logic [2:0]   s_axil_arprot,
  input  wire logic         s_axil_arvalid,
  output logic              s_axil_arready,
  output logic [31:0]       s_axil_rdata,
  output logic [1:0]        s_axil_rresp,
  output logic              s_axil_rvalid,
  input  wire logic         s_axil_rready,
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
  output logic [191:0]      m_axis_tuser
);
  wire drain, idle, valid, ready;
  gw_stream_gate u_gate (
    .clk_i        (aclk),
    .rst_ni       (aresetn),
    .drain_i      (drain),
    .idle_o       (idle),
    .s_valid_i    (s_axis_tvalid),
    .s_ready_o    (s_axis_tready),
    .s_last_i     (s_axis_tlast),
    .core_valid_o (valid),
    .core_ready_i (ready),
    .m_valid_i    (m_axis_tvalid),
    .m_ready_i    (m_axis_tready),
    .m_last_i     (m_axis_tlast)
  );
  wire [22*32-1:0] stat;
  wire [4:0]  workers;
  wire [15:0] group;
  wire [DepthLog2:0] depth;
  wire        job_reset, clearing;
  wire [255:0] parsed_data;
  wire [31:0]  parsed_keep;
  wire         parsed_valid, parsed_ready, parsed_last;
  wire [191:0] parsed_user;
  wire         unused_selected;
  gw_parser u_parser (
    .aclk, .aresetn, .s_axis_tdata, .s_axis_tkeep,
    .s_axis_tvalid (valid),
    .s_axis_tready (ready),
    .s_axis_tlast, .s_axis_tuser,
    .m_axis_tdata  (parsed_data),
    .m_axis_tkeep  (parsed_keep),
    .m_axis_tvalid (parsed_valid),
    .m_axis_tready (parsed_ready),
    .m_axis_tlast  (parsed_last),
    .m_axis_tuser  (parsed_user),
    .stat_o        (stat[12*32-1:0])
  );
  gw_aggregation #(.DepthLog2(DepthLog2), .AddLatency(AddLatency), .Subnormal(Subnormal)) u_aggregation (
    .aclk, .aresetn,
    .workers_i     (workers),
    .group_i       (group),
    .depth_i       (depth),
    .s_axis_tdata  (parsed_data),
    .s_axis_tkeep  (parsed_keep),
    .s_axis_tvalid (parsed_valid),
    .s_axis_tready (parsed_ready),
    .s_axis_tlast  (parsed_last),
    .s_axis_tuser  (parsed_user),
    .m_axis_tdata, .m_axis_tkeep, .m_axis_tvalid, .m_axis_tready, .m_axis_tlast, .m_axis_tuser,
    .m_selected_o  (unused_selected),
    .stat_o        (stat[22*32-1:12*32]),
    .job_reset_i   (job_reset),
    .clearing_o    (clearing)
  );
  gw_aggregator_registers #(.DepthLog2(DepthLog2), .AddLatency(AddLatency),
                            .Subnormal(Subnormal)) u_registers (
    .clk_i       (aclk),
    .rst_ni      (aresetn),
    .s_axil_awaddr, .s_axil_awvalid, .s_axil_awready, .s_axil_wdata, .s_axil_wstrb, .s_axil_wvalid,
    .s_axil_wready, .s_axil_bresp, .s_axil_bvalid, .s_axil_bready, .s_axil_araddr, .s_axil_arvalid,
    .s_axil_arready, .s_axil_rdata, .s_axil_rresp, .s_axil_rvalid, .s_axil_rready,
    .clearing_i  (clearing),
    .idle_i      (idle),
    .drain_o     (drain),
    .workers_o   (workers),
    .group_o     (group),
    .depth_o     (depth),
    .job_reset_o (job_reset),
    .stat_i      (stat)
  );
  wire unused_protection = ^{s_axil_awprot, s_axil_arprot};
endmodule

`default_nettype wire
