// Plain tokens, after the reader: bytes in their place, what is wrong with them, each lane's own.
// Latency 4 cycles from the token, a token a cycle.
// docs/devices/dequantizer.md, plain, values.
// SPDX-License-Identifier: Apache-2.0
`include "gw_assert.svh"
`default_nettype none

module gw_dequantizer_group (
  input  wire logic         clk_i,
  input  wire logic         rst_ni,
  input  wire logic         token_i,
  input  wire logic         first_i,
  input  wire logic         final_i,
  input  wire logic         runs_i,
  input  wire logic         opens_i,
  input  wire logic [8:0]   groups_i,
  input  wire logic [6:0]   finish_i,
  input  wire logic [4:0]   byte_i,
  input  wire logic [6:0]   total_i,
  input  wire logic         wrong_i,     // bits 3-7 of the status byte
  input  wire logic         user_i,
  input  wire logic [511:0] beats_i,
  input  wire logic [2:0]   format_i,    // 6 for both kinds of MXFP8
  input  wire logic         e5m2_i,
  input  wire logic [2:0]   tail_i,
  input  wire logic [6:0]   reason_i,
  input  wire logic [2:0]   zeros_i,     // in front of T's digits; two cycles after the token
  output logic              valid_o,
  output logic [8:0]        malformed_o, // one hot or none: an error beat
  output logic              error_o,     // that
  output logic              final_o,
  output logic              user_o,
  output logic [7:0]        below_o,     // lanes below n
  output logic [103:0]      lanes_o,     // each: sent, sign, m shifted by 3, m 8
  output logic [255:0]      whole_o      // RAW, WGT, MX: values
);
  // Cycle 1: in their place.
  logic         valid_1, valid_2, valid_3;
  logic         first_1, final_1, runs_1, opens_1, wrong_1, user_1, e5m2_1;
  logic [8:0]   groups_1;
  logic [6:0]   finish_1, total_1, reason_1;
  logic [4:0]   byte_1;
  logic [511:0] beats_1;
  logic [2:0]   format_1, tail_1;
  always_ff @(posedge clk_i) begin
    valid_1 <= token_i & rst_ni;
    valid_2 <= valid_1 & rst_ni;
    valid_3 <= valid_2 & rst_ni;
  end
  always_ff @(posedge clk_i) begin
    first_1  <= first_i;
    final_1  <= final_i;
    runs_1   <= runs_i;
    opens_1  <= opens_i;
    wrong_1  <= wrong_i;
    user_1   <= user_i;
    groups_1 <= groups_i;
    finish_1 <= finish_i;
    total_1  <= total_i;
    reason_1 <= reason_i;
    byte_1   <= byte_i - {4'd0, format_i == 3'd0};  // RAW: as if a mask were in front of it
    beats_1  <= beats_i;
    format_1 <= format_i;
    e5m2_1   <= e5m2_i;
    tail_1   <= tail_i;
  end
  wire [511:0] aligned = beats_1 >> {byte_1, 3'd0};
  wire unused_aligned  = ^aligned[511:264];
  wire [6:0]   behind  = finish_1 + 7'd1;
  wire [63:0]  bytes   = opens_1 ? aligned[71:8] : aligned[63:0];
  wire [63:0]  four;
  for (genvar i = 0; i < 8; i++) begin : gen_four
    assign four[8*i +: 8] = {4'd0, bytes[4*i +: 4]};
  end

  // Cycle 2: what is wrong, and whose byte is whose.
  logic [7:0]   scale;
  logic [63:0]  elements;
  logic         first_2, final_2, runs_2, wrong_2, user_2, unfit_2, e5m2_2;
  logic [8:0]   groups_2;
  logic [6:0]   reason_2;
  logic [263:0] data_2;
  logic [2:0]   format_2;
  logic [7:0]   below_2;
  always_ff @(posedge clk_i) begin
    first_2  <= first_1;
    final_2  <= final_1;
    runs_2   <= runs_1;
    elements <= format_1[0] ? four : bytes;
    if (valid_1 & opens_1) scale <= aligned[7:0];
    wrong_2  <= wrong_1 & final_1;
    user_2   <= user_1;
    unfit_2  <= behind > total_1 | (final_1 & behind != total_1);
    groups_2 <= groups_1;
    reason_2 <= reason_1 & (~reason_1 + 7'd1);   // the first in the table's order
    data_2   <= {aligned[263:8], aligned[7:0] | {8{format_1 == 3'd0}}};
    format_2 <= format_1;
    e5m2_2   <= e5m2_1;
    below_2  <= final_1 & tail_1 != 3'd0 ? ~(8'hFF << tail_1) : 8'hFF;
  end
  wire raw    = format_2 == 3'd0;
  wire wgt    = format_2 == 3'd1;
  wire qgt    = format_2 == 3'd3;
  wire onebit = format_2 == 3'd4;
  wire mx     = format_2[2] & format_2[1];
  wire mask   = ~(raw | onebit | mx);
  wire [7:0] sent   = data_2[7:0];
  wire [7:0] second = data_2[15:8];
  wire beyond = groups_2[8:0] < {1'b0, second};
  wire odd    = (sent & ~below_2) != 8'd0 | (~wgt & (second & ~sent) != 8'd0);
  wire [7:0] none;   // m = 0
  wire [3:0] ones = {1'b0, gen_lane[7].lower} + {3'd0, sent[7]};
  wire wrong  = mask & ~runs_2 & (sent == 8'd0 ? beyond : odd);

  // Cycle 3.
  logic         first_3, final_3, wrong_3, user_3, unfit_3, mx_3;
  logic [6:0]   reason_3;
  logic [7:0]   below_3, sent_3, sign_3, none_3;
  logic [63:0]  m_3;
  logic [255:0] whole_3, element_3;
  always_ff @(posedge clk_i) begin
    first_3  <= first_2;
    final_3  <= final_2;
    wrong_3  <= wrong_2;
    user_3   <= user_2;
    unfit_3  <= unfit_2 | wrong;
    none_3   <= none & {8{qgt & ~runs_2}};
    mx_3     <= mx;
    reason_3 <= reason_2;
    below_3  <= below_2;
    sent_3   <= (mask ? sent & {8{~runs_2}} : 8'hFF) & below_2;
    sign_3   <= onebit ? ~data_2[7:0] : second;
  end
  for (genvar i = 0; i < 8; i++) begin : gen_lane
    // Values sent in lanes below.
    wire [2:0] lower;
    if (i == 0) begin : gen_none
      assign lower = 3'd0;
    end else if (i == 1) begin : gen_one
      assign lower = {2'd0, sent[0]};
    end else begin : gen_more
      // In threes: sums of many bits would be made bit by bit.
      wire [6:0] s = sent[6:0] & ~(7'h7F << i);
      wire [1:0] a = {(s[0] & s[1]) | (s[0] & s[2]) | (s[1] & s[2]), s[0] ^ s[1] ^ s[2]};
      wire [1:0] b = {(s[3] & s[4]) | (s[3] & s[5]) | (s[4] & s[5]), s[3] ^ s[4] ^ s[5]};
      wire       carry = (a[0] & b[0]) | (a[0] & s[6]) | (b[0] & s[6]);
      assign lower = {(a[1] & b[1]) | (a[1] & carry) | (b[1] & carry), a[1] ^ b[1] ^ carry,
                      a[0] ^ b[0] ^ s[6]};
    end
    wire [31:0] float  = data_2[8 + 32*lower +: 32];
    wire [7:0]  m      = data_2[16 + 8*lower +: 8];
    assign none[i] = data_2[16 + 8*i +: 8] == 8'd0 & ones > i;
    wire [2:0] shift;
    gw_dequantizer_shift u_shift (.m_i(m_3[8*i+1 +: 7]), .zeros_i, .shift_o(shift));
    gw_dequantizer_element u_element (
      .clk_i,
      .e5m2_i    (e5m2_2),
      .fp4_i     (format_2[0]),
      .element_i (elements[8*i +: 8]),
      .scale_i   (scale),
      .value_o   (element_3[32*i +: 32])
    );
    always_ff @(posedge clk_i) begin
      m_3[8*i +: 8]        <= m;
      whole_3[32*i +: 32]  <= float & {32{~mx}};
      whole_o[32*i +: 32]  <= whole_3[32*i +: 32] | (element_3[32*i +: 32] & {32{mx_3}});
      lanes_o[13*i +: 13]  <= {sent_3[i], sign_3[i], shift, m_3[8*i +: 8]};
    end
  end

  // What comes after a bad token of its packet is nothing.
  logic dead_q;
  wire  live = first_3 | ~dead_q;
  wire [8:0] malformed = reason_3 != 7'd0 ? {2'd0, reason_3} : unfit_3 | none_3 != 8'd0 ? 9'h080 : wrong_3
                         ? 9'h100 : 9'd0;
  always_ff @(posedge clk_i) valid_o <= valid_3 & live & rst_ni;
  always_ff @(posedge clk_i) begin
    if (valid_3) dead_q <= malformed != 9'd0 | ~live;
    malformed_o <= malformed;
    error_o     <= malformed != 9'd0;
    final_o     <= final_3;
    user_o      <= user_3;
    below_o     <= below_3;
  end

  `GW_COVER(Dead, valid_3 && !live)
  `GW_COVER(RunBeyond, valid_2 && mask && !runs_2 && sent == 8'd0 && beyond)
endmodule

`default_nettype wire
