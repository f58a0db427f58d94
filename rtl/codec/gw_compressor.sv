// Compressor: packets of binary32 gradients in, packets of encoded groups out.
// Latency 5 cycles, one burst a cycle (17/16 cycles when every value is RAW: the output port's limit).
// INCEPTIONN (MICRO'18) section VI-A, Figure 9; ports and cycle contract: docs/devices/compressor.md.
// SPDX-License-Identifier: Apache-2.0
`include "gw_assert.svh"
`default_nettype none

module gw_compressor (
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

  logic         vector_valid, vector_last, vector_user;
  logic [271:0] vector;
  logic [5:0]   vector_length;
  gw_compression_unit u_compression_unit (
    .clk_i, .rst_ni, .bound_i, .bounded_i,
    .valid_i  (s_axis_tvalid & s_axis_tready),
    .data_i   (s_axis_tdata),
    .keep_i   (s_axis_tkeep),
    .last_i   (s_axis_tlast),
    .user_i   (s_axis_tuser),
    .valid_o  (vector_valid),
    .vector_o (vector),
    .length_o (vector_length),
    .last_o   (vector_last),
    .user_o   (vector_user)
  );

  logic         merge, first_valid, first_last, first_user, second_valid, second_last, second_user;
  logic [255:0] first_data, second_data;
  logic [4:0]   first_pad, second_pad;
  gw_alignment_unit u_alignment_unit (
    .clk_i, .rst_ni,
    .valid_i        (vector_valid),
    .vector_i       (vector),
    .length_i       (vector_length),
    .last_i         (vector_last),
    .user_i         (vector_user),
    .first_i        (1'b0),
    .header_i       (128'd0),
    .merge_o        (merge),
    .first_valid_o  (first_valid),
    .first_data_o   (first_data),
    .first_pad_o    (first_pad),
    .first_last_o   (first_last),
    .first_user_o   (first_user),
    .second_valid_o (second_valid),
    .second_data_o  (second_data),
    .second_pad_o   (second_pad),
    .second_last_o  (second_last),
    .second_user_o  (second_user)
  );

  logic [4:0] pad;
  gw_fifo_2w #(.Width(263), .DepthLog2(5)) u_queue (
    .clk_i, .rst_ni,
    .first_valid_i  (first_valid),
    .first_i        ({first_user, first_last, first_pad, first_data}),
    .second_valid_i (second_valid),
    .second_i       ({second_user, second_last, second_pad, second_data}),
    .valid_o        (m_axis_tvalid),
    .ready_i        (m_axis_tready),
    .data_o         ({m_axis_tuser, m_axis_tlast, pad, m_axis_tdata})
  );
  assign m_axis_tkeep = 32'hFFFF_FFFF >> pad;

  // Credit: beats in the queue plus two for each group under way. One group and a flush more must find room.
  logic [5:0] used_q;
  wire  [5:0] settled = used_q - {4'd0, merge, 1'b0} + {5'd0, first_valid} + {5'd0, second_valid};
  function automatic [5:0] used_after(input [5:0] used, input accept, input leave);
    used_after = used + {4'd0, accept, 1'b0} - {5'd0, leave};
  endfunction

  always_ff @(posedge aclk) begin
    if (!aresetn) begin
      used_q        <= '0;
      s_axis_tready <= 1'b0;
      error_count_o <= '0;
    end else begin
      used_q        <= used_after(settled, s_axis_tvalid & s_axis_tready, m_axis_tvalid & m_axis_tready);
      s_axis_tready <=
          used_after(settled, s_axis_tvalid & s_axis_tready, m_axis_tvalid & m_axis_tready) <= 6'd29;
      if (m_axis_tvalid & m_axis_tready & m_axis_tlast & m_axis_tuser) error_count_o <= error_count_o + 32'd1;
    end
  end

  `GW_ASSERT(CreditHolds, used_q <= 6'd32)
  `GW_COVER(CreditRunsOut, used_q > 6'd29)
  `GW_COVER(CreditIsSpent, used_q == 6'd32)
  `GW_COVER(AcceptsWithTheLastCredit, used_q == 6'd29 && s_axis_tvalid && s_axis_tready)
  `GW_COVER(EntersAndLeavesEmpty, first_valid && !m_axis_tvalid)
  `GW_COVER(PacketInErrorLeaves, m_axis_tvalid && m_axis_tready && m_axis_tlast && m_axis_tuser)
endmodule

`default_nettype wire
