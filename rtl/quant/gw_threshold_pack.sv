// Head, lanes, m's and end become one vector, in pairs, then in halves.
// Latency 3 cycles, m a cycle after the rest, or (M = 0) 2; one vector a cycle.
// docs/devices/threshold.md, vector.
// SPDX-License-Identifier: Apache-2.0
`default_nettype none

// A vector has up to 272 bits here; what is beyond 256 is the end of a float of WGT and comes beside it. Its
// two halves stay apart, for they are moved to their places anyway.
module gw_threshold_pack #(
  parameter bit M = 1'b1
) (
  input  wire logic         clk_i,
  input  wire logic [34:0]  head_i,
  input  wire logic [127:0] bits_i,
  input  wire logic [14:0]  closing_i,
  input  wire logic [55:0]  place_i,
  input  wire logic [6:0]   closing_place_i,
  input  wire logic [55:0]  hole_i,
  input  wire logic [27:0]  length_i,
  input  wire logic         full_i,          // lanes are floats, and all are sent
  input  wire logic [255:0] value_i,         // zero if lanes are not floats
  input  wire logic [63:0]  m_i,             // one cycle later
  // two cycles later (one without m), of all, with what comes beside
  output logic [8:0]        length_o,
  output logic [7:0]        lower_length_o,
  output logic [143:0]      lower_o,         // one more
  output logic [127:0]      upper_o,
  output logic [15:0]       excess_o
);
  // 1. Pairs without m. All floats and a head in front: the last one does not fit.
  wire [1:0]  ahead  = place_i[4:3];  // bytes of the head: 0, 1, 2, if the lanes are floats
  wire [15:0] over   = ahead[1] ? value_i[255:240] : {8'd0, value_i[255:248] & {8{ahead[0]}}};
  wire [31:0] fits   = {{8{ahead == 2'd0}}, {8{~ahead[1]}}, 16'hFFFF};
  wire [255:0] lane;
  for (genvar i = 0; i < 8; i++) begin : gen_lane
    wire [31:0] value = value_i[32*i +: 32] & (i == 7 && full_i ? fits : 32'hFFFF_FFFF);
    assign lane[32*i +: 32] = value | {16'd0, bits_i[16*i +: 16]};
  end
  wire [63:0] lane0      = gw_threshold_pkg::stay({32'd0, lane[31:0]}, place_i[5:0]);
  wire [63:0] lane1      = gw_threshold_pkg::stay({32'd0, lane[63:32]}, place_i[12:7]);
  wire [63:0] lane1_more = gw_threshold_pkg::spill({32'd0, lane[63:32]}, place_i[12:7]);
  wire [63:0] closing    = gw_threshold_pkg::stay({49'd0, closing_i}, closing_place_i[5:0]);

  logic [79:0]  first1_q;
  logic [191:0] pairs1_q;
  logic [6:0]   first_length1_q, third_length1_q;
  logic [15:0]  excess1_q;
  wire [7:0] lower = {1'b0, length_i[6:0]} + {1'b0, length_i[13:7]};
  wire [7:0] upper = {1'b0, length_i[20:14]} + {1'b0, length_i[27:21]};
  always_ff @(posedge clk_i) begin
    first1_q  <= {16'd0, lane0 | lane1 | {29'd0, head_i}} | {lane1_more[15:0], 64'd0};
    first_length1_q <= length_i[6:0];
    third_length1_q <= length_i[20:14];
    excess1_q <= over & {16{full_i}};
  end
  for (genvar p = 1; p < 4; p++) begin : gen_pair
    wire [63:0] odd = gw_threshold_pkg::stay({32'd0, lane[64*p + 32 +: 32]}, place_i[14*p + 7 +: 6]);
    always_ff @(posedge clk_i)
      pairs1_q[64*p - 64 +: 64] <= {32'd0, lane[64*p +: 32]} | odd | (p == 3 ? closing : 64'd0);
  end

  // 2. With m.
  wire [79:0]  first2;
  wire [191:0] pairs2;
  wire [6:0]   first_length2, third_length2;
  wire [15:0]  excess2;
  if (M) begin : gen_m
    logic [55:0]  hole1_q;
    logic [7:0]   lower1_q, upper1_q;
    logic [79:0]  first2_q;
    logic [191:0] pairs2_q;
    logic [6:0]   first_length2_q, third_length2_q;
    logic [15:0]  excess2_q;
    wire [63:0] m0      = gw_threshold_pkg::stay({56'd0, m_i[7:0]}, hole1_q[7*0 +: 6]);
    wire [63:0] m1      = gw_threshold_pkg::stay({56'd0, m_i[15:8]}, hole1_q[7*1 +: 6]);
    wire [63:0] m1_more = gw_threshold_pkg::spill({56'd0, m_i[15:8]}, hole1_q[7*1 +: 6]);
    always_ff @(posedge clk_i) begin
      hole1_q         <= hole_i;
      lower1_q        <= lower;
      upper1_q        <= upper;
      first2_q        <= first1_q | {16'd0, m0 | m1} | {m1_more[15:0], 64'd0};
      first_length2_q <= first_length1_q;
      third_length2_q <= third_length1_q;
      length_o        <= {1'b0, lower1_q} + {1'b0, upper1_q};
      lower_length_o  <= lower1_q;
      excess2_q       <= excess1_q;
    end
    for (genvar p = 1; p < 4; p++) begin : gen_pair
      wire [63:0] m_even = gw_threshold_pkg::stay({56'd0, m_i[16*p +: 8]}, hole1_q[14*p +: 6]);
      wire [63:0] m_odd  = gw_threshold_pkg::stay({56'd0, m_i[16*p + 8 +: 8]}, hole1_q[14*p + 7 +: 6]);
      always_ff @(posedge clk_i) pairs2_q[64*p - 64 +: 64] <= pairs1_q[64*p - 64 +: 64] | m_even | m_odd;
    end
    assign {first2, pairs2, first_length2, third_length2, excess2} = {first2_q, pairs2_q, first_length2_q,
                                                                      third_length2_q, excess2_q};
    wire unused_m = ^{hole1_q, m1_more[63:16]};
  end else begin : gen_no_m
    always_ff @(posedge clk_i) begin
      length_o       <= {1'b0, lower} + {1'b0, upper};
      lower_length_o <= lower;
    end
    assign {first2, pairs2, first_length2, third_length2, excess2} = {first1_q, pairs1_q, first_length1_q,
                                                                      third_length1_q, excess1_q};
    wire unused_m = ^{hole_i, m_i};
  end

  // 3. Halves. The first pair has up to 80 bits, the third one up to 64.
  wire [63:0] second_stay  = gw_threshold_pkg::stay(pairs2[63:0], first_length2[5:0]);
  wire [63:0] second_spill = gw_threshold_pkg::spill(pairs2[63:0], first_length2[5:0]);
  wire [63:0] fourth_stay  = gw_threshold_pkg::stay(pairs2[191:128], third_length2[5:0]);
  wire [63:0] fourth_spill = gw_threshold_pkg::spill(pairs2[191:128], third_length2[5:0]);
  wire        first_long   = first_length2[6];
  wire        third_long   = third_length2[6];
  always_ff @(posedge clk_i) begin
    excess_o <= excess2;
    lower_o <= {64'd0, first2} |
               (first_long ? {second_spill[15:0], second_stay, 64'd0} : {16'd0, second_spill, second_stay});
    upper_o <= third_long ? {fourth_stay, pairs2[127:64]} : {fourth_spill, fourth_stay | pairs2[127:64]};
  end

  wire unused = ^{place_i[55:0], closing_place_i[6], lane1_more[63:16]};
endmodule

`default_nettype wire
