// Where each bit of an item's vector goes: runs and masks, gaps and their codes, lengths and places, all of
// it while m is divided.
// Latency 3 cycles from what is sent, of which the first waits for take_i; one item a cycle.
// docs/devices/threshold.md, vector; docs/formats/quantised-packets.md.
// SPDX-License-Identifier: Apache-2.0
`include "gw_assert.svh"
`default_nettype none

// A vector is: head (of mask: count of a run, mask, signs; of Rice: the gap to the first value sent, or to
// n), lanes, closing (the gap to n after a value). Of a Rice code a group has one long gap at most, in its
// head. Lanes are put together in pairs, the head with the first one, the closing with the last one. A lane
// is what is known by now, and a hole of 8 bits for m.
module gw_threshold_code (
  input  wire logic         clk_i,
  input  wire logic         rst_ni,
  input  wire logic         take_i,     // what follows counts, and the first step's result makes room for it
  input  wire logic         valid_i,    // payload item
  input  wire logic         first_i,
  input  wire logic         last_i,
  input  wire logic [1:0]   method_i,   // 0: RAW
  input  wire logic         rice_i,
  input  wire logic [3:0]   count_i,    // values below n
  input  wire logic [7:0]   sent_i,
  input  wire logic [7:0]   sign_i,
  input  wire logic [3:0]   k_i,        // with the chunk's first item
  output logic [3:0]        k_o,        // one cycle later
  // Three cycles later.
  output logic [34:0]       head_o,
  output logic [127:0]      bits_o,     // of the lanes, 16 each
  output logic [14:0]       closing_o,
  output logic [55:0]       place_o,    // of lanes in their pairs, 7 bits each
  output logic [6:0]        closing_place_o,
  output logic [55:0]       hole_o,     // of m in the pairs
  output logic [27:0]       length_o,   // of pairs
  output logic              full_o      // lanes are floats, and all are sent
);
  // 1. The gap in front of each lane; runs of empty groups.
  wire        some    = sent_i != 8'd0;
  wire [2:0]  low     = gw_threshold_pkg::lowest(sent_i);
  wire [2:0]  high    = gw_threshold_pkg::highest(sent_i);
  wire        mask    = valid_i & (method_i != 2'd0) & ~rice_i;
  wire        rice    = valid_i & rice_i;
  logic [19:0] since_q;  // values since the last one sent
  wire  [19:0] since  = since_q & {20{~first_i}};
  wire  [3:0] behind  = 4'd7 - {1'b0, high};
  logic       open_q;
  logic [7:0] run_q;
  wire        open    = open_q & ~first_i;
  wire [7:0]  run     = open ? run_q + 8'd1 : 8'd0;
  wire        closes  = last_i | (&run);
  wire        valued  = ~method_i[0] | (&method_i);  // BGT and QGT have signs
  logic [3:0]  k_q;
  always_ff @(posedge clk_i) begin
    if (valid_i & take_i) begin
      since_q <= (some ? 20'd0 : since) + {16'd0, some ? behind : 4'd8};
      open_q  <= ~some & ~closes;
      run_q   <= run;
      if (first_i) k_q <= k_i;
    end
  end
  assign k_o = k_q;

  logic        rice_q, mask_q, whole_q, any_gap_q, closes_q, has_m_q;
  logic [7:0]  sent_q, sign_q, leads_q;
  logic [23:0] gaps_q;
  logic [19:0] gap_q;
  logic [2:0]  closing_gap_q;
  logic [23:0] bytes_q;
  logic [1:0]  bytes_length_q;
  wire [2:0]  closing_gap = count_i[2:0] - 3'd1 - high;  // 0..7, once something is sent
  wire [7:0]  signs   = sign_i & sent_i;
  wire [15:0] masks   = {signs & {8{valued}}, sent_i};
  wire [7:0]  leads   = sent_i & ~(sent_i - 8'd1);
  always_ff @(posedge clk_i) begin
    if (take_i) begin
      rice_q        <= rice;
      mask_q        <= mask;
      whole_q       <= valid_i & ~method_i[1];
      has_m_q       <= valid_i & (&method_i);
      any_gap_q     <= rice & (some | last_i);
      closes_q      <= rice & some & last_i;
      sent_q        <= sent_i & {8{valid_i}};
      sign_q        <= sign_i;
      leads_q       <= leads;
      for (int i = 0; i < 8; i++) gaps_q[3*i +: 3] <= gw_threshold_pkg::gap_below(sent_i, 3'(i));
      gap_q         <= since + {16'd0, some ? {1'b0, low} : count_i};
      closing_gap_q <= closing_gap;
      if (some) begin
        bytes_q        <= open ? {masks, run_q} : {8'd0, masks};
        bytes_length_q <= {1'b0, open} + {valued, ~valued};
      end else begin
        bytes_q        <= {16'd0, run & {8{open & closes}}};
        bytes_length_q <= {1'b0, ~open} + {1'b0, closes};
      end
    end
  end

  // 2. Codes, lengths of lanes.
  wire [18:0] parts    = gw_threshold_pkg::split(gap_q, k_q);
  wire [19:0] closing_code = gw_threshold_pkg::code_short(closing_gap_q, k_q);
  logic [18:0]  parts2_q;
  logic [19:0]  gap2_q;
  logic [3:0]   k2_q;
  logic         any_gap2_q, mask2_q, full2_q;
  logic [23:0]  bytes2_q;
  logic [1:0]   bytes_length2_q;
  logic [127:0] bits2_q;
  logic [39:0]  hole2_q;     // in the lane
  logic [47:0]  length2_q;
  logic [14:0]  closing2_q;
  logic [4:0]   closing_length2_q;
  always_ff @(posedge clk_i) begin
    parts2_q        <= parts;
    gap2_q          <= gap_q;
    k2_q            <= k_q;
    any_gap2_q      <= any_gap_q;
    mask2_q         <= mask_q;
    full2_q         <= whole_q & (&sent_q);
    bytes2_q        <= bytes_q;
    bytes_length2_q <= bytes_length_q;
    closing2_q      <= closing_code[14:0] & {15{closes_q}};
    closing_length2_q <= closing_code[19:15] & {5{closes_q}};
  end
  for (genvar i = 0; i < 8; i++) begin : gen_lane
    // A first one's gap is in the head.
    wire [19:0] short_code = gw_threshold_pkg::code_short(gaps_q[3*i +: 3], k_q) & {20{~leads_q[i]}};
    wire [4:0]  sign_place = short_code[19:15];
    wire [15:0] code       = {1'b0, short_code[14:0]} | ({15'd0, sign_q[i]} << sign_place[3:0]);
    wire [4:0]  hole       = (sign_place + 5'd1) & {5{rice_q}};
    always_ff @(posedge clk_i) begin
      bits2_q[16*i +: 16]  <= code & {16{sent_q[i] & rice_q}};
      hole2_q[5*i +: 5]    <= hole;
      length2_q[6*i +: 6]  <= (({1'b0, hole} + {2'd0, has_m_q, 3'd0}) | {whole_q, 5'd0}) & {6{sent_q[i]}};
    end
  end

  // 3. The head; places.
  wire [40:0] long_code = gw_threshold_pkg::code_any(parts2_q, gap2_q, k2_q);
  wire [5:0]  head_length = mask2_q ? {1'b0, bytes_length2_q, 3'd0} : long_code[40:35] & {6{any_gap2_q}};
  for (genvar p = 0; p < 4; p++) begin : gen_pair
    wire [6:0] even       = p == 0 ? {1'b0, head_length} : 7'd0;
    wire [6:0] odd        = even + {1'b0, length2_q[12*p +: 6]};
    wire [6:0] behind_odd = odd + {1'b0, length2_q[12*p + 6 +: 6]};
    always_ff @(posedge clk_i) begin
      place_o[14*p +: 14] <= {odd, even};
      hole_o[14*p +: 14]  <= {odd + {2'd0, hole2_q[10*p + 5 +: 5]}, even + {2'd0, hole2_q[10*p +: 5]}};
      length_o[7*p +: 7]  <= behind_odd + (p == 3 ? {2'd0, closing_length2_q} : 7'd0);
    end
    if (p == 3) begin : gen_end
      always_ff @(posedge clk_i) closing_place_o <= behind_odd;
    end
  end
  always_ff @(posedge clk_i) begin
    head_o    <= mask2_q ? {11'd0, bytes2_q} : long_code[34:0] & {35{any_gap2_q}};
    bits_o    <= bits2_q;
    closing_o <= closing2_q;
    full_o    <= full2_q;
  end

  `GW_COVER(LongGap, any_gap2_q && parts2_q[18])
  `GW_COVER(LongestRun, mask && !some && (&run))
  `GW_COVER(RunOfOneEndsChunk, mask && !some && !open && last_i)
  `GW_COVER(EndBehindAValue, closes_q)
  `GW_COVER(OnlyTheEnd, any_gap_q && !closes_q && sent_q == 8'd0)
endmodule

`default_nettype wire
