// A popped item becomes a vector of bytes: scale, elements or floats, status. And what is left of its values,
// for the residual memory.
// Latency 2 cycles to the vector, 6 to the residuals; one item a cycle.
// docs/devices/mx.md, vector, block, residual.
// SPDX-License-Identifier: Apache-2.0
`include "gw_assert.svh"
`default_nettype none

module gw_mx_pack #(
  parameter int Rows = 8192
) (
  input  wire logic         clk_i,
  input  wire logic         rst_ni,
  input  wire logic         pop_i,
  input  wire logic [gw_mx_pkg::ItemBits-1:0] item_i,
  input  wire logic [7:0]   here_i,
  input  wire logic         spoilt_i,
  input  wire logic [255:0] value_i,
  input  wire logic [8:0]   offset_i,   // one cycle later
  input  wire logic [8:0]   offset_n_i, // the same inverted
  input  wire logic         poison_i,
  output logic              valid_o,    // two cycles later
  output logic [271:0]      vector_o,
  output logic [5:0]        length_o,
  output logic              first_o,
  output logic              last_o,
  output logic [1:0]        user_o,     // RAW, status bit 2
  output logic [127:0]      header_o,
  output logic [7:0]        write_o,    // six cycles later: lanes whose residuals are written
  output logic [255:0]      residual_o
);
  // Pop + 1: the item, and where its status goes.
  logic         pop_q;
  logic [gw_mx_pkg::ItemBits-1:0] item_q;
  logic [7:0]   here_q;
  logic         spoilt_q;
  logic [255:0] value_q;
  logic [2:0]   byte_q;  // of the word
  logic [4:0]   word_q;
  wire  [5:0]   place = item_i[gw_mx_pkg::ItemLength +: 6] - 6'd1;
  always_ff @(posedge clk_i) begin
    byte_q <= place[2:0];
    word_q <= (5'd1 << place[5:3]) & {5{item_i[gw_mx_pkg::ItemFinal]}};
  end
  always_ff @(posedge clk_i) pop_q <= pop_i & rst_ni;
  always_ff @(posedge clk_i) begin
    item_q   <= item_i;
    here_q   <= here_i & {8{item_i[gw_mx_pkg::ItemResidual]}};
    spoilt_q <= spoilt_i;
    value_q  <= value_i;
  end
  wire raw   = item_q[gw_mx_pkg::ItemRaw];
  wire fp4   = item_q[gw_mx_pkg::ItemFp4];
  wire e5m2  = item_q[gw_mx_pkg::ItemE5m2];
  wire opens = item_q[gw_mx_pkg::ItemOpens];

  wire [63:0] eights;
  wire [31:0] fours;
  wire [87:0] told;
  for (genvar i = 0; i < 8; i++) begin : gen_lane
    gw_mx_lane u_lane (
      .clk_i,
      .e5m2_i    (item_i[gw_mx_pkg::ItemE5m2]),
      .fp4_i     (item_i[gw_mx_pkg::ItemFp4]),
      .value_i   (value_i[32*i +: 32]),
      .offset_i  (i < 4 ? offset_i : ~offset_n_i),
      .element_o (eights[8*i +: 8]),
      .told_o    (told[11*i +: 11])
    );
    assign fours[4*i +: 4] = {eights[8*i + 7], eights[8*i + 2 +: 3]};
  end

  // Elements are the last to be known: chosen by one of four, all else is ready by then.
  wire         item_fp4   = item_i[gw_mx_pkg::ItemFp4];
  wire         item_opens = item_i[gw_mx_pkg::ItemOpens];
  logic [3:0]  choose_q;   // MXFP8, MXFP8 after a scale, E2M1, E2M1 after a scale; none for RAW
  always_ff @(posedge clk_i) begin
    choose_q <= {item_fp4 & item_opens, item_fp4 & ~item_opens, ~item_fp4 & item_opens,
                 ~item_fp4 & ~item_opens}
                & {4{~item_i[gw_mx_pkg::ItemRaw]}};
  end
  wire [3:0]   choose  = choose_q & {4{~poison_i}};
  wire [71:0]  elements = ({8'd0, eights} & {72{choose[0]}}) | ({eights, 8'd0} & {72{choose[1]}})
                        | ({40'd0, fours} & {72{choose[2]}}) | ({32'd0, fours, 8'd0} & {72{choose[3]}});
  wire [7:0]   scale   = (gw_mx_pkg::scale(offset_i[7:0], e5m2, fp4) | {8{poison_i}}) & {8{opens}};
  wire [255:0] others  = raw ? value_q : {248'd0, scale};
  wire [63:0]  status  = {61'd0, item_q[gw_mx_pkg::ItemStatus +: 2], spoilt_q} << {byte_q, 3'd0};
  wire [271:0] statuses = {status[15:0] & {16{word_q[4]}}, status & {64{word_q[3]}}, status & {64{word_q[2]}},
                           status & {64{word_q[1]}},
                           status & {64{word_q[0]}}};
  always_ff @(posedge clk_i) valid_o <= pop_q & rst_ni;
  always_ff @(posedge clk_i) begin
    vector_o <= ({16'd0, others} | statuses) | {200'd0, elements};
    length_o <= item_q[gw_mx_pkg::ItemLength +: 6];
    first_o  <= item_q[gw_mx_pkg::ItemFirst];
    last_o   <= item_q[gw_mx_pkg::ItemFinal];
    user_o   <= {raw, item_q[gw_mx_pkg::ItemError]};
    header_o <= {64'd0, 12'd0, item_q[gw_mx_pkg::ItemN +: 20], 24'd0, 4'd0,
                 {e5m2, ~e5m2, ~e5m2, fp4} & {4{~raw}}};
  end

  if (Rows != 0) begin : gen_remainders
    logic [255:0] before_q;
    logic         e5m2_q, fp4_q;
    logic [87:0]  told_q;
    logic [7:0]   write2_q, write3_q, write4_q, write5_q;
    wire  [3:0]   enable = {write5_q != 8'd0, write4_q != 8'd0, write3_q != 8'd0, write2_q != 8'd0};
    always_ff @(posedge clk_i) begin
      if (here_q != 8'd0) begin
        before_q <= value_q;
        e5m2_q   <= e5m2;
        fp4_q    <= fp4;
        told_q   <= told;
      end
    end
    always_ff @(posedge clk_i) begin
      write2_q <= here_q & {8{pop_q & rst_ni & ~poison_i}};
      write3_q <= write2_q & {8{rst_ni}};
      write4_q <= write3_q & {8{rst_ni}};
      write5_q <= write4_q & {8{rst_ni}};
      write_o  <= write5_q & {8{rst_ni}};
    end
    for (genvar i = 0; i < 8; i++) begin : gen_lane
      gw_mx_remainder u_remainder (
        .clk_i,
        .enable_i    (enable),
        .e5m2_i      (e5m2_q),
        .fp4_i       (fp4_q),
        .value_i     (before_q[32*i +: 32]),
        .told_i      (told_q[11*i +: 11]),
        .remainder_o (residual_o[32*i +: 32])
      );
    end
  end else begin : gen_no_remainders
    assign write_o    = 8'd0;
    assign residual_o = 256'd0;
    wire unused = ^{here_q, told};
  end
  wire unused_item = ^{item_q[gw_mx_pkg::ItemUp], item_q[gw_mx_pkg::ItemReady], item_q[gw_mx_pkg::ItemCloses],
                        item_q[gw_mx_pkg::ItemResidual]};

  `GW_ASSERT(LastHasItsStatus, !valid_o || !last_o || length_o != 6'd0)
  `GW_COVER(LongestVector, valid_o && length_o == 6'd34)
  `GW_COVER(EmptyVector, valid_o && length_o == 6'd0)
endmodule

`default_nettype wire
