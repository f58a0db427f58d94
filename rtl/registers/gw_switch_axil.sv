// Four-port switch with AXI4-Lite registers: gw_switch for a host that knows no pins.
// Latency and throughput the core's; contract in docs/registers/README.md and docs/devices/switch.md.
// Optimizer switch (IEICE'21) section 5.1, Figure 11.
// SPDX-License-Identifier: Apache-2.0
`default_nettype none

module gw_switch_axil #(
  parameter int Algorithm = 0,
  parameter int Pes = 32,
  parameter bit Iterative = 1'b0,
  parameter bit Fast = 1'b0,
  parameter bit Subnormal = 1'b0,
  parameter bit EpsOutside = 1'b0,
  parameter int AddLatency = 5,
  parameter int DepthLog2 = 10
) (
  input  wire logic         aclk,
  input  wire logic         aresetn,
  input  wire logic [27:0]  s_axil_awaddr,
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
  input  wire logic [27:0]  s_axil_araddr,
  input  wire logic [2:0]   s_axil_arprot,
  input  wire logic         s_axil_arvalid,
  output logic              s_axil_arready,
  output logic [31:0]       s_axil_rdata,
  output logic [1:0]        s_axil_rresp,
  output logic              s_axil_rvalid,
  input  wire logic         s_axil_rready,
  input  wire logic [1023:0] s_axis_tdata,
  input  wire logic [127:0]  s_axis_tkeep,
  input  wire logic [3:0]    s_axis_tvalid,
  output logic [3:0]         s_axis_tready,
  input  wire logic [3:0]    s_axis_tlast,
  input  wire logic [3:0]    s_axis_tuser,
  output logic [1023:0]      m_axis_tdata,
  output logic [127:0]       m_axis_tkeep,
  output logic [3:0]         m_axis_tvalid,
  input  wire logic [3:0]    m_axis_tready,
  output logic [3:0]         m_axis_tlast,
  output logic [18:0]        event_o
);
  wire [44*32-1:0] stat;
  wire [4:0]  workers;
  wire [15:0] group;
  wire [DepthLog2:0] depth;
  wire        drain, idle, clearing;
  wire        cfg_valid, cfg_restore, cfg_read, job_reset;
  wire [31:0] cfg_address, cfg_written, cfg_found;
  gw_switch_core #(
    .Algorithm(Algorithm), .Pes(Pes), .Iterative(Iterative), .Fast(Fast), .Subnormal(Subnormal),
      .EpsOutside(EpsOutside), .AddLatency(AddLatency), .DepthLog2(DepthLog2)
  ) u_core (
    .aclk, .aresetn,
    .workers_i     (workers),
    .group_i       (group),
    .depth_i       (depth),
    .cfg_valid_i   (cfg_valid),
    .cfg_address_i (cfg_address),
    .cfg_data_i    (cfg_written),
    .s_axis_tdata, .s_axis_tkeep, .s_axis_tvalid, .s_axis_tready, .s_axis_tlast, .s_axis_tuser,
    .m_axis_tdata, .m_axis_tkeep, .m_axis_tvalid, .m_axis_tready, .m_axis_tlast, .event_o,
    .stat_o        (stat),
    .job_reset_i   (job_reset),
    .cfg_restore_i (cfg_restore),
    .cfg_read_i    (cfg_read),
    .cfg_data_o    (cfg_found),
    .drain_i       (drain),
    .idle_o        (idle),
    .clearing_o    (clearing)
  );
  gw_switch_registers #(
    .Algorithm(Algorithm), .Pes(Pes), .Iterative(Iterative), .Fast(Fast), .Subnormal(Subnormal),
      .EpsOutside(EpsOutside), .AddLatency(AddLatency), .DepthLog2(DepthLog2)
  ) u_registers (
    .clk_i         (aclk),
    .rst_ni        (aresetn),
    .s_axil_awaddr, .s_axil_awvalid, .s_axil_awready, .s_axil_wdata, .s_axil_wstrb, .s_axil_wvalid,
    .s_axil_wready, .s_axil_bresp, .s_axil_bvalid, .s_axil_bready, .s_axil_araddr, .s_axil_arvalid,
    .s_axil_arready, .s_axil_rdata, .s_axil_rresp, .s_axil_rvalid, .s_axil_rready,
    .clearing_i    (clearing),
    .idle_i        (idle),
    .drain_o       (drain),
    .workers_o     (workers),
    .group_o       (group),
    .depth_o       (depth),
    .job_reset_o   (job_reset),
    .cfg_valid_o   (cfg_valid),
    .cfg_restore_o (cfg_restore),
    .cfg_read_o    (cfg_read),
    .cfg_address_o (cfg_address),
    .cfg_data_o    (cfg_written),
    .cfg_data_i    (cfg_found),
    .stat_i        (stat)
  );
  wire unused_protection = ^{s_axil_awprot, s_axil_arprot};
endmodule

`default_nettype wire
