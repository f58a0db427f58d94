// Decompressor: packets of encoded groups in, packets of binary32 gradients out.
// Latency 4 cycles, one burst a cycle (17/16 cycles when every value is RAW: the input port's limit).
// INCEPTIONN (MICRO'18) section VI-A, Figure 10; ports and cycle contract: docs/devices/decompressor.md.
// SPDX-License-Identifier: Apache-2.0
`include "gw_assert.svh"
`default_nettype none

module gw_decompressor (
  input  wire logic         aclk,
  input  wire logic         aresetn,
  input  wire logic [3:0]   bound_i,
  input  wire logic         bounded_i,
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
  output logic [31:0]       error_count_o
);
  wire clk_i  = aclk;
  wire rst_ni = aresetn;

  // Credit: groups under way plus beats in the queue, which has 16 places.
  logic [4:0] used_q;

  logic         issue, group_valid, group_last, group_user, group_broken;
  logic [271:0] group;
  logic [2:0]   ceiling;
  logic [4:0]   lower_size;
  gw_burst_buffer u_burst_buffer (
    .clk_i, .rst_ni,
    .valid_i      (s_axis_tvalid),
    .ready_o      (s_axis_tready),
    .data_i       (s_axis_tdata),
    .keep_i       (s_axis_tkeep),
    .last_i       (s_axis_tlast),
    .user_i       (s_axis_tuser),
    .ceiling_i    (gw_codec_pkg::ceiling(bound_i, bounded_i)),
    .credit_i     (~used_q[4]),
    .issue_o      (issue),
    .valid_o      (group_valid),
    .group_o      (group),
    .ceiling_o    (ceiling),
    .lower_size_o (lower_size),
    .last_o       (group_last),
    .user_o       (group_user),
    .broken_o     (group_broken)
  );

  logic         burst_valid, burst_last, burst_user;
  logic [255:0] burst;
  gw_decompression_unit u_decompression_unit (
    .clk_i, .rst_ni,
    .ceiling_i    (ceiling),
    .valid_i      (group_valid),
    .group_i      (group),
    .lower_size_i (lower_size),
    .last_i       (group_last),
    .user_i       (group_user),
    .broken_i     (group_broken),
    .valid_o      (burst_valid),
    .data_o       (burst),
    .last_o       (burst_last),
    .user_o       (burst_user)
  );

  logic queue_ready;
  gw_fifo #(.Width(258), .DepthLog2(4)) u_queue (
    .clk_i, .rst_ni,
    .s_valid_i (burst_valid),
    .s_ready_o (queue_ready),
    .s_data_i  ({burst_user, burst_last, burst}),
    .m_valid_o (m_axis_tvalid),
    .m_ready_i (m_axis_tready),
    .m_data_o  ({m_axis_tuser, m_axis_tlast, m_axis_tdata})
  );
  assign m_axis_tkeep = '1;

  always_ff @(posedge aclk) begin
    if (!aresetn) begin
      used_q        <= '0;
      error_count_o <= '0;
    end else begin
      used_q        <= used_q + {4'd0, issue} - {4'd0, m_axis_tvalid & m_axis_tready};
      if (m_axis_tvalid & m_axis_tready & m_axis_tlast & m_axis_tuser) error_count_o <= error_count_o + 32'd1;
    end
  end

  `GW_ASSERT(CreditHolds, used_q <= 5'd16)
  `GW_ASSERT(QueueHasRoom, queue_ready || !burst_valid)
  `GW_COVER(CreditRunsOut, used_q[4])
  `GW_COVER(CreditRunsOutWhileFull, used_q[4] && s_axis_tvalid && !s_axis_tready)
  `GW_COVER(PacketInErrorLeaves, m_axis_tvalid && m_axis_tready && m_axis_tlast && m_axis_tuser)
endmodule

`default_nettype wire
