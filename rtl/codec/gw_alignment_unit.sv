// Alignment Unit: collects vectors of up to 34 bytes, gives out a burst when 32 are there, flushes what ends
// a packet.
// Latency 2 cycles (rotator, merge), the second ends in the user's queue; one vector in, up to two bursts out
// a cycle.
// INCEPTIONN (MICRO'18) section VI-A, Figure 9.
// SPDX-License-Identifier: Apache-2.0
`include "gw_assert.svh"
`default_nettype none

// Bursts leave by two ports for gw_fifo_2w. `pad` is the number of bytes that a packet's last burst lacks.
// Header = 1: a packet begins with 16 bytes that come beside its first vector; then vectors may also be
// shorter than two bytes.
module gw_alignment_unit #(
  parameter bit Header = 1'b0,
  parameter int UserBits = 1
) (
  input  wire logic         clk_i,
  input  wire logic         rst_ni,
  input  wire logic         valid_i,
  input  wire logic [271:0] vector_i,      // bytes above the length are zero
  input  wire logic [5:0]   length_i,      // bytes, 2..34; with Header 0..34, of a packet's last vector 1..34
  input  wire logic         last_i,
  input  wire logic [UserBits-1:0] user_i,
  input  wire logic         first_i,       // with Header: a packet's first vector
  input  wire logic [127:0] header_i,
  output logic              merge_o,       // a vector is merged in this cycle
  output logic              first_valid_o,
  output logic [255:0]      first_data_o,
  output logic [4:0]        first_pad_o,
  output logic              first_last_o,
  output logic [UserBits-1:0] first_user_o,
  output logic              second_valid_o,  // only together with first_valid_o
  output logic [255:0]      second_data_o,
  output logic [4:0]        second_pad_o,
  output logic              second_last_o,
  output logic [UserBits-1:0] second_user_o
);
  // Rotator. `position_q` is where the residual ends once all vectors before this one are merged. The
  // vector's first 32 bytes are turned in a ring, so that each lies at its place in the burst it belongs to:
  // from the position on in the burst being filled, below it in the next one. The two bytes that may follow
  // (`excess`) are of the next one, too.
  logic [4:0] position_q;
  wire [2:0]  bytes = position_q[2:0];
  wire [1:0]  words = position_q[4:3];
  wire [3:0]  at_word    = {words == 2'd3, words == 2'd2, words == 2'd1, words == 2'd0};
  wire [3:0]  above_word = {words != 2'd3, ~words[1], words == 2'd0, 1'b0};

  wire [63:0] excess_stay  = gw_codec_pkg::stay_up({48'd0, vector_i[271:256]}, bytes);
  wire [63:0] excess_spill = gw_codec_pkg::spill_up({48'd0, vector_i[271:256]}, bytes);

  wire [63:0] moved  [0:3];  // by bytes, not yet by words
  wire [63:0] turned [0:3];
  wire [63:0] filled [0:3];  // ones from the position on
  wire [63:0] beyond [0:3];  // the excess, in the burst after the one being filled
  for (genvar j = 0; j < 4; j++) begin : gen_rotate
    assign moved[j]  = gw_codec_pkg::stay_up(vector_i[64*j +: 64], bytes) |
                       gw_codec_pkg::spill_up(vector_i[64*((j + 3) % 4) +: 64], bytes);
    assign turned[j] = (moved[j]           & {64{at_word[0]}}) | (moved[(j + 3) % 4] & {64{at_word[1]}}) |
                       (moved[(j + 2) % 4] & {64{at_word[2]}}) | (moved[(j + 1) % 4] & {64{at_word[3]}});
    assign filled[j] = {64{above_word[j]}} | (gw_codec_pkg::stay_up({64{1'b1}}, bytes) & {64{at_word[j]}});
    if (j == 0) begin : gen_first
      assign beyond[j] = excess_stay & {64{at_word[j]}};
    end else begin : gen_rest
      assign beyond[j] = (excess_stay & {64{at_word[j]}}) | (excess_spill & {64{at_word[j-1]}});
    end
  end

  logic [255:0] ring_q, fill_q, excess_q;
  logic [7:0]   third_q;  // the one byte that can lie in the third burst: the vector's 34th from position 31
  always_ff @(posedge clk_i) begin
    ring_q   <= {turned[3], turned[2], turned[1], turned[0]};
    fill_q   <= {filled[3], filled[2], filled[1], filled[0]};
    excess_q <= {beyond[3], beyond[2], beyond[1], beyond[0]};
    third_q  <= excess_spill[7:0] & {8{at_word[3]}};
  end

  // What the vector does, counted in bursts from the one being filled.
  wire [6:0] total = {2'b00, position_q} + {1'b0, length_i};  // 2..65
  wire reaches_two   = total > 7'd32;
  wire reaches_three = total > 7'd64;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) position_q <= {Header, 4'd0};
    else if (valid_i) position_q <= (total[4:0] & {5{~last_i}}) | {Header & last_i, 4'd0};
  end

  logic [UserBits-1:0] user_q;
  logic       spans_two_q, spans_three_q, gives_one_q, gives_two_q, ends_in_one_q, ends_in_two_q,
    ends_in_three_q;
  logic [4:0] pad_q;
  always_ff @(posedge clk_i) merge_o <= valid_i & rst_ni;
  always_ff @(posedge clk_i) begin
    user_q          <= user_i;
    pad_q           <= -total[4:0];
    spans_two_q     <= total[5];  // the new residual is in the second burst
    spans_three_q   <= total[6];
    gives_one_q     <= total[5] | total[6] | last_i;
    gives_two_q     <= total[6] | (last_i & reaches_two);
    ends_in_one_q   <= last_i & ~reaches_two;
    ends_in_two_q   <= last_i & reaches_two & ~reaches_three;
    ends_in_three_q <= last_i & reaches_three;
  end

  // Merge. A pending flush takes the first port, and the packet after it starts at position 0.
  logic       flush_q;
  logic [UserBits-1:0] flush_user_q;
  logic [4:0] flush_pad_q;
  always_ff @(posedge clk_i) flush_q <= merge_o & (ends_in_three_q | (ends_in_two_q & flush_q)) & rst_ni;
  always_ff @(posedge clk_i) begin
    flush_user_q <= user_q;
    flush_pad_q  <= pad_q;
  end

  logic [255:0] residual_q;
  wire [255:0] begun;  // the burst being filled, as far as it is
  if (Header) begin : gen_header
    logic         header_valid_q;
    logic [127:0] header_q;
    always_ff @(posedge clk_i) begin
      header_valid_q <= first_i;
      header_q       <= header_i & {128{first_i}};
    end
    assign begun = (residual_q & ~fill_q & {256{~header_valid_q}}) | {128'd0, header_q};
  end else begin : gen_no_header
    wire unused_header = ^{first_i, header_i};
    assign begun = residual_q & ~fill_q;
  end
  wire [255:0] burst      = begun | (ring_q & fill_q);
  wire [255:0] next_burst = (ring_q & ~fill_q) | excess_q;
  always_ff @(posedge clk_i) begin
    residual_q <= (residual_q & {256{~merge_o}}) |
                  (burst & {256{merge_o & ~spans_two_q & ~spans_three_q}}) |
                  (next_burst & {256{merge_o & spans_two_q}}) |
                  {248'd0, third_q & {8{merge_o & spans_three_q}}};
  end

  assign first_data_o  = (burst & {256{~flush_q}}) | (residual_q & {256{flush_q}});
  assign second_data_o = (next_burst & {256{~flush_q}}) | (burst & {256{flush_q}});
  assign first_valid_o = flush_q | (merge_o & gives_one_q);
  assign first_last_o  = flush_q | ends_in_one_q;
  assign first_user_o  = flush_q ? flush_user_q : {UserBits{ends_in_one_q}} & user_q;
  assign first_pad_o   = (flush_pad_q & {5{flush_q}}) | (pad_q & {5{~flush_q & ends_in_one_q}});

  wire second_ends = flush_q ? ends_in_one_q : ends_in_two_q;
  assign second_valid_o = merge_o & (flush_q ? gives_one_q : gives_two_q);
  assign second_last_o  = second_ends;
  assign second_user_o  = {UserBits{second_ends}} & user_q;
  assign second_pad_o   = pad_q & {5{second_ends}};

  `GW_ASSERT(SecondOnlyWithFirst, first_valid_o || !second_valid_o)
  `GW_ASSERT(FlushedPacketIsFollowedFromZero, !(flush_q && merge_o) || !spans_three_q)
  `GW_COVER(FlushAlone, flush_q && !merge_o)
  `GW_COVER(FlushBesideGroup, flush_q && merge_o && !gives_one_q)
  `GW_COVER(FlushBesidePacketsEnd, flush_q && merge_o && ends_in_one_q)
  `GW_COVER(FlushBehindFlush, flush_q && merge_o && ends_in_two_q)
  `GW_COVER(TwoBurstsAtOnce, merge_o && gives_two_q && !ends_in_two_q)
  `GW_COVER(EndInThirdBurst, merge_o && ends_in_three_q)
  `GW_COVER(ResidualInThirdBurst, merge_o && spans_three_q && !ends_in_three_q)
endmodule

`default_nettype wire
