// Collects vectors of any number of bits, gives out a burst when 32 bytes are there, flushes what ends a
// packet.
// Latency 2 cycles from a vector's length, 1 from the vector; the last one ends in the user's queue. One
// vector in, two bursts out a cycle.
// docs/devices/threshold.md, merge; gw_alignment_unit does so with vectors of bytes.
// SPDX-License-Identifier: Apache-2.0
`include "gw_assert.svh"
`default_nettype none

module gw_threshold_merge #(
  parameter int UserBits = 2
) (
  input  wire logic         clk_i,
  input  wire logic         rst_ni,
  input  wire logic         valid_i,
  input  wire logic [8:0]   length_i,        // bits, without the status
  input  wire logic [7:0]   lower_length_i,
  input  wire logic         ends_bits_i,     // zero bits follow up to the next byte
  input  wire logic         last_i,          // and the status
  // One cycle later.
  input  wire logic         first_i,
  input  wire logic [143:0] lower_i,
  input  wire logic [127:0] upper_i,
  // what of the vector lies beyond its 256th bit, of vectors of bytes
  input  wire logic [15:0]  excess_i,
  input  wire logic [2:0]   status_i,
  input  wire logic [UserBits-1:0] user_i,
  input  wire logic [127:0] header_i,
  // Two cycles later.
  output logic              merge_o,
  output logic              first_valid_o,
  output logic [255:0]      first_data_o,
  output logic [4:0]        first_pad_o,     // bytes that a packet's last burst lacks
  output logic              first_last_o,
  output logic [UserBits-1:0] first_user_o,
  output logic              second_valid_o,
  output logic [255:0]      second_data_o,
  output logic [4:0]        second_pad_o,
  output logic              second_last_o,
  output logic [UserBits-1:0] second_user_o
);
  // 1. Where the vector goes. Bits are counted from the burst being filled on.
  logic [7:0] position_q;
  wire [9:0] sum     = {2'd0, position_q} + {1'b0, length_i};
  wire       up      = ends_bits_i & (sum[2:0] != 3'd0);
  wire [6:0] rounded = sum[9:3] + {6'd0, up};  // bytes
  wire [6:0] total   = sum[9:3] + {5'd0, up & last_i, up ^ last_i};
  always_ff @(posedge clk_i) begin
    if (!rst_ni)      position_q <= 8'd128;
    else if (valid_i) position_q <= last_i ? 8'd128 : {total[4:0], sum[2:0] & {3{~ends_bits_i}}};
  end

  logic       valid_q, last_q, far_q;
  logic [7:0] x_q, y_q;  // where the halves begin
  logic [6:0] status_byte_q, total_q;
  logic       aligned_q;
  always_ff @(posedge clk_i) valid_q <= valid_i & rst_ni;
  always_ff @(posedge clk_i) begin
    last_q        <= last_i;
    x_q           <= position_q;
    y_q           <= position_q + lower_length_i;
    status_byte_q <= rounded;
    total_q       <= total;
    aligned_q     <= sum[2:0] == 3'd0 | ends_bits_i;
    far_q         <= length_i[8];  // the status is beyond a burst's length from where the vector begins
  end

  // 2. Turn in a ring: each bit lies at its place in the burst it belongs to; from the position on in the one
  // being filled, below it in the next one.
  wire [1:0] x_word = x_q[7:6], y_word = y_q[7:6];
  wire [5:0] x_bit  = x_q[5:0], y_bit  = y_q[5:0];
  wire [3:0] at_lower = {x_word == 2'd3, x_word == 2'd2, x_word == 2'd1, x_word == 2'd0};
  wire [3:0] at_upper = {y_word == 2'd3, y_word == 2'd2, y_word == 2'd1, y_word == 2'd0};
  wire [3:0] above    = {x_word != 2'd3, ~x_word[1], x_word == 2'd0, 1'b0};
  wire [63:0] lower [0:3];  // by bits, not yet by words
  wire [63:0] upper [0:3];
  assign lower[0] = gw_threshold_pkg::stay(lower_i[63:0], x_bit);
  assign lower[1] = gw_threshold_pkg::stay(lower_i[127:64], x_bit)
                    | gw_threshold_pkg::spill(lower_i[63:0], x_bit);
  assign lower[2] = gw_threshold_pkg::stay({48'd0, lower_i[143:128]}, x_bit)
                    | gw_threshold_pkg::spill(lower_i[127:64], x_bit);
  assign lower[3] = gw_threshold_pkg::spill({48'd0, lower_i[143:128]}, x_bit);
  assign upper[0] = gw_threshold_pkg::stay(upper_i[63:0], y_bit);
  assign upper[1] = gw_threshold_pkg::stay(upper_i[127:64], y_bit)
                    | gw_threshold_pkg::spill(upper_i[63:0], y_bit);
  assign upper[2] = gw_threshold_pkg::spill(upper_i[127:64], y_bit);
  assign upper[3] = 64'd0;
  wire [63:0] excess_stay  = gw_threshold_pkg::stay({48'd0, excess_i}, {x_bit[5:3], 3'd0});
  wire [63:0] excess_spill = gw_threshold_pkg::spill({48'd0, excess_i}, {x_bit[5:3], 3'd0});
  wire        in_third     = status_byte_q[6];

  logic [255:0] ring_q, fill_q, beyond_q;
  logic [15:0]  third_q;
  for (genvar j = 0; j < 4; j++) begin : gen_word
    wire [63:0] turned = (lower[j]           & {64{at_lower[0]}}) | (lower[(j + 3) % 4] & {64{at_lower[1]}}) |
                         (lower[(j + 2) % 4] & {64{at_lower[2]}}) | (lower[(j + 1) % 4] & {64{at_lower[3]}}) |
                         (upper[j]           & {64{at_upper[0]}}) | (upper[(j + 3) % 4] & {64{at_upper[1]}}) |
                         (upper[(j + 2) % 4] & {64{at_upper[2]}}) | (upper[(j + 1) % 4] & {64{at_upper[3]}});
    wire [63:0] filled = {64{above[j]}} | (gw_threshold_pkg::stay({64{1'b1}}, x_bit) & {64{at_lower[j]}});
    wire [63:0] over   = (excess_stay & {64{at_lower[j]}})
                         | (j == 0 ? 64'd0 : excess_spill & {64{at_lower[(j + 3) % 4]}});
    wire [63:0] status;
    for (genvar b = 0; b < 8; b++) begin : gen_status
      assign status[8*b +: 8] = {5'd0, status_i & {3{last_q && status_byte_q[4:0] == 5'(8*j + b)}}};
    end
    always_ff @(posedge clk_i) begin
      ring_q[64*j +: 64]   <= turned | (status & {64{~far_q}});
      fill_q[64*j +: 64]   <= filled;
      beyond_q[64*j +: 64] <= over | (status & {64{far_q & ~in_third}});
    end
  end
  wire [7:0] status_in_third = {5'd0, status_i & {3{last_q & in_third}}};
  always_ff @(posedge clk_i) begin
    third_q <= (excess_spill[15:0] & {16{at_lower[3]}}) |
               {status_in_third & {8{status_byte_q[0]}}, status_in_third & {8{~status_byte_q[0]}}};
  end

  wire reaches_two   = total_q > 7'd32;
  wire reaches_three = total_q > 7'd64;
  logic [UserBits-1:0] user_q;
  logic       spans_two_q, spans_three_q, gives_one_q, gives_two_q, ends_in_one_q, ends_in_two_q,
    ends_in_three_q, header_valid_q;
  logic [4:0] pad_q;
  logic [127:0] header_q;
  always_ff @(posedge clk_i) merge_o <= valid_q & rst_ni;
  always_ff @(posedge clk_i) begin
    user_q          <= user_i;
    pad_q           <= -total_q[4:0];
    spans_two_q     <= total_q[5];
    spans_three_q   <= total_q[6];
    gives_one_q     <= total_q[5] | total_q[6] | last_q;
    gives_two_q     <= total_q[6] | (last_q & reaches_two);
    ends_in_one_q   <= last_q & ~reaches_two;
    ends_in_two_q   <= last_q & reaches_two & ~reaches_three;
    ends_in_three_q <= last_q & reaches_three;
    header_valid_q  <= first_i;
    header_q        <= header_i & {128{first_i}};
  end

  // 3. Merge. A pending flush takes the first port.
  logic       flush_q;
  logic [UserBits-1:0] flush_user_q;
  logic [4:0] flush_pad_q;
  always_ff @(posedge clk_i) flush_q <= merge_o & (ends_in_three_q | (ends_in_two_q & flush_q)) & rst_ni;
  always_ff @(posedge clk_i) begin
    flush_user_q <= user_q;
    flush_pad_q  <= pad_q;
  end

  logic [255:0] residual_q;
  wire [255:0] begun      = (residual_q & {256{~header_valid_q}}) | {128'd0, header_q};
  wire [255:0] burst      = begun | (ring_q & fill_q);
  wire [255:0] next_burst = (ring_q & ~fill_q) | beyond_q;
  always_ff @(posedge clk_i) begin
    residual_q <= (residual_q & {256{~merge_o}}) |
                  (burst & {256{merge_o & ~spans_two_q & ~spans_three_q}}) |
                  (next_burst & {256{merge_o & spans_two_q}}) |
                  {240'd0, third_q & {16{merge_o & spans_three_q}}};
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

  wire unused = status_byte_q[5];
  `GW_ASSERT(SecondOnlyWithFirst, first_valid_o || !second_valid_o)
  `GW_ASSERT(FlushedPacketIsFollowedByAFirst,
             !(flush_q && merge_o) || (header_valid_q && !spans_three_q && !ends_in_three_q))
  `GW_ASSERT(StatusBeginsAByte, !(valid_q && last_q) || aligned_q)
  `GW_ASSERT(ExcessIsOfBytes, !valid_q || excess_i == 16'd0 || x_q[2:0] == 3'd0)
  `GW_COVER(FlushAlone, flush_q && !merge_o)
  `GW_COVER(FlushBesideVector, flush_q && merge_o && !gives_one_q)
  `GW_COVER(FlushBesidePacketsEnd, flush_q && merge_o && ends_in_one_q)
  `GW_COVER(FlushBehindFlush, flush_q && merge_o && ends_in_two_q)
  `GW_COVER(TwoBurstsAtOnce, merge_o && gives_two_q && !ends_in_two_q)
  `GW_COVER(EndInThirdBurst, merge_o && ends_in_three_q)
  `GW_COVER(ResidualInThirdBurst, merge_o && spans_three_q && !ends_in_three_q)
  `GW_COVER(StatusInThirdBurst, valid_q && last_q && in_third)
endmodule

`default_nettype wire
