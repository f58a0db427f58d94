// Chunks of binary32 gradients in, packets of OCP microscaling blocks out: MXFP8 (E4M3 or E5M2) or MXFP4
// (E2M1), with residuals or without.
// Latency 14 cycles from the beat that completes an output beat (9 with Rows = 0), one beat a cycle.
// OCP microscaling formats (MX v1.0) sections 5 and 6; ports and cycle contract: docs/devices/mx.md.
// SPDX-License-Identifier: Apache-2.0
`include "gw_assert.svh"
`default_nettype none

module gw_mx #(
  parameter int Rows = 8192
) (
  input  wire logic         aclk,
  input  wire logic         aresetn,
  input  wire logic [1:0]   format_i,
  input  wire logic         scale_i,
  input  wire logic         residual_i,
  input  wire logic [255:0] s_axis_tdata,
  input  wire logic [31:0]  s_axis_tkeep,
  input  wire logic         s_axis_tvalid,
  output logic              s_axis_tready,
  input  wire logic         s_axis_tlast,
  input  wire logic [52:0]  s_axis_tuser,
  output logic [255:0]      m_axis_tdata,
  output logic [31:0]       m_axis_tkeep,
  output logic              m_axis_tvalid,
  input  wire logic         m_axis_tready,
  output logic              m_axis_tlast,
  output logic              m_axis_tuser,
  output logic [31:0]       raw_count_o,
  output logic [31:0]       error_count_o
);
  initial if (Rows != 0 && (Rows < 8 || Rows > 262144)) $fatal(1, "gw_mx: Rows must be 0 or 8 to 262144");
  localparam int RowBits = Rows > 8 ? $clog2(Rows) : 3;
  wire clk_i  = aclk;
  wire rst_ni = aresetn;

  logic               open, credit, start, pop, residual_popped;
  logic [gw_mx_pkg::ItemBits-1:0] item;
  logic [7:0]         here;
  logic [255:0]       data;
  logic [RowBits-1:0] row, write_row;
  gw_mx_issue #(.Rows(Rows)) u_issue (
    .clk_i, .rst_ni, .format_i, .scale_i, .residual_i, .s_axis_tdata, .s_axis_tkeep, .s_axis_tvalid,
    .s_axis_tready, .s_axis_tlast, .s_axis_tuser,
    .open_i      (open),
    .credit_i    (credit),
    .start_o     (start),
    .item_o      (item),
    .here_o      (here),
    .data_o      (data),
    .row_o       (row),
    .pop_i       (residual_popped),
    .write_row_o (write_row)
  );

  logic         summed_valid;
  logic [gw_mx_pkg::ItemBits-1:0] summed_item;
  logic [7:0]   summed_here, bad, summed, finite;
  logic [255:0] sum, other;
  logic [7:0]   write;
  logic [255:0] remainder;
  if (Rows != 0) begin : gen_rows
    gw_mx_rows #(.Rows(Rows)) u_rows (
      .clk_i, .rst_ni,
      .open_o       (open),
      .start_i      (start),
      .item_i       (item),
      .here_i       (here),
      .data_i       (data),
      .row_i        (row),
      .valid_o      (summed_valid),
      .item_o       (summed_item),
      .here_o       (summed_here),
      .bad_o        (bad),
      .summed_o     (summed),
      .sum_o        (sum),
      .finite_o     (finite),
      .other_o      (other),
      .write_i      (write),
      .write_row_i  (write_row),
      .write_data_i (remainder)
    );
  end else begin : gen_no_rows
    assign open         = 1'b1;
    assign summed_valid = start;
    assign summed_item  = item;
    assign summed_here  = here;
    assign summed       = 8'd0;
    assign finite       = 8'd0;
    assign sum          = 256'd0;
    for (genvar i = 0; i < 8; i++) begin : gen_lane
      wire is_finite = data[32*i + 23 +: 8] != 8'hFF;
      assign bad[i] = here[i] & ~is_finite;
      assign other[32*i +: 32] = data[32*i +: 32] & {32{here[i] & (is_finite | item[gw_mx_pkg::ItemRaw])}};
    end
    wire unused = ^{row, write_row, write, remainder};
  end

  logic [gw_mx_pkg::ItemBits-1:0] popped_item;
  logic [7:0]   popped_here;
  logic         spoilt, poison;
  logic [255:0] value;
  logic [8:0]   offset, offset_n;
  gw_mx_gather u_gather (
    .clk_i, .rst_ni,
    .valid_i    (summed_valid),
    .item_i     (summed_item),
    .here_i     (summed_here),
    .bad_i      (bad),
    .summed_i   (summed),
    .sum_i      (sum),
    .finite_i   (finite),
    .other_i    (other),
    .pop_o      (pop),
    .item_o     (popped_item),
    .here_o     (popped_here),
    .spoilt_o   (spoilt),
    .value_o    (value),
    .offset_q   (offset),
    .offset_n_q (offset_n),
    .poison_q   (poison)
  );
  assign residual_popped = pop & popped_item[gw_mx_pkg::ItemResidual];

  logic         vector_valid, vector_first, vector_last;
  logic [271:0] vector;
  logic [5:0]   vector_length;
  logic [1:0]   vector_user;
  logic [127:0] header;
  gw_mx_pack #(.Rows(Rows)) u_pack (
    .clk_i, .rst_ni,
    .pop_i      (pop),
    .item_i     (popped_item),
    .here_i     (popped_here),
    .spoilt_i   (spoilt),
    .value_i    (value),
    .offset_i   (offset),
    .offset_n_i (offset_n),
    .poison_i   (poison),
    .valid_o    (vector_valid),
    .vector_o   (vector),
    .length_o   (vector_length),
    .first_o    (vector_first),
    .last_o     (vector_last),
    .user_o     (vector_user),
    .header_o   (header),
    .write_o    (write),
    .residual_o (remainder)
  );

  logic         merge, first_valid, first_last, second_valid, second_last;
  logic [1:0]   first_user, second_user;
  logic [255:0] first_data, second_data;
  logic [4:0]   first_pad, second_pad;
  gw_alignment_unit #(.Header(1'b1), .UserBits(2)) u_alignment_unit (
    .clk_i, .rst_ni,
    .valid_i        (vector_valid),
    .vector_i       (vector),
    .length_i       (vector_length),
    .last_i         (vector_last),
    .user_i         (vector_user),
    .first_i        (vector_first),
    .header_i       (header),
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

  gw_quant_egress u_egress (
    .clk_i, .rst_ni,
    .spend_i        (start),
    .credit_o       (credit),
    .merge_i        (merge),
    .first_valid_i  (first_valid),
    .first_data_i   (first_data),
    .first_pad_i    (first_pad),
    .first_last_i   (first_last),
    .first_user_i   (first_user),
    .second_valid_i (second_valid),
    .second_data_i  (second_data),
    .second_pad_i   (second_pad),
    .second_last_i  (second_last),
    .second_user_i  (second_user),
    .m_axis_tdata, .m_axis_tkeep, .m_axis_tvalid, .m_axis_tready, .m_axis_tlast, .m_axis_tuser,
    .raw_count_o, .error_count_o
  );
endmodule

`default_nettype wire
