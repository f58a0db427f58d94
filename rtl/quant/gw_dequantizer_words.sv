// Rice: words fetched, what a code beginning at each of their bits would be, and steps from code to code, one
// or two at a time.
// A step is made two cycles after its word's fetch at the earliest; one a cycle: place -> what is there ->
// place.
// docs/devices/dequantizer.md, fetch, hand, step; docs/formats/quantised-packets.md, Rice.
// SPDX-License-Identifier: Apache-2.0
`include "gw_assert.svh"
`default_nettype none

module gw_dequantizer_words (
  input  wire logic         clk_i,
  input  wire logic         rst_ni,
  input  wire logic         clear_i,    // the packet is over
  input  wire logic         fetch_i,
  input  wire logic [127:0] words_i,    // this one and the next
  input  wire logic [6:0]   bytes_i,    // from this one's first to the packet's end; 88 and more: unknown
  input  wire logic [1:0]   status_i,   // malformed; the packet leaves in error
  input  wire logic [4:0]   fixed_i,    // of a code: its bits but for the ones
  input  wire logic [3:0]   k_i,
  input  wire logic         qgt_i,
  input  wire logic         room_i,     // for what a step finds
  output logic              hall_o,     // a word may be fetched
  output logic              step_o,     // a step was made in the cycle before; of it:
  output logic              pair_o,
  output logic [3:0]        ones_one_o,
  output logic [3:0]        ones_both_o,
  output logic [3:0]        ones_two_o,
  // from shift_one_o on: after the first code's zero, or its fifteen ones
  output logic [31:0]       one_o,
  output logic [25:0]       two_o,
  output logic [1:0]        shift_one_o,
  output logic [1:0]        shift_two_o,
  output logic [4:0]        rest_one_o, // k and that: after the gap
  output logic [4:0]        rest_two_o,
  output logic [5:0]        place_o,    // in the word
  output logic [6:0]        bytes_o,
  output logic [1:0]        status_o
);
  // Antechamber: the word and what is after it; the same from the fixed part of a code on.
  logic         ante_q;
  logic [106:0] bits_q, later_q;
  // Whether the four bits from each bit on are all ones, else how many are before the first zero, by columns.
  logic [71:0]  full_q;
  logic [78:0]  later_full_q;
  logic [75:0]  few_high_q, few_low_q;
  logic [82:0]  later_few_high_q, later_few_low_q;
  logic [6:0]   ante_bytes_q;
  logic [1:0]   ante_status_q;
  // From the fixed part on, by eights, twos and one.
  wire  [109:0] by_eights = fixed_i[4] ? (fixed_i[3] ? {6'd0, words_i[127:24]} : words_i[125:16])
                                       : (fixed_i[3] ? words_i[117:8] : words_i[109:0]);
  wire  [109:0] by_twos   = fixed_i[2] ? (fixed_i[1] ? {6'd0, by_eights[109:6]} : {4'd0, by_eights[109:4]})
                                       : (fixed_i[1] ? {2'd0, by_eights[109:2]} : by_eights);
  wire  [106:0] shifted   = fixed_i[0] ? by_twos[107:1] : by_twos[106:0];
  wire unused_bits = ^by_twos[109:108];
  logic [1:0] in_q, at_q;   // words: the next to be at hand, the one of the place; modulo 4
  wire  [1:0] count = in_q - at_q;
  wire moves = ante_q & ~count[1];
  assign hall_o = ~ante_q | ~count[1];
  always_ff @(posedge clk_i) begin
    if (fetch_i) begin
      bits_q        <= words_i[106:0];
      later_q       <= shifted[106:0];
      full_q        <= words_i[71:0] & words_i[72:1] & words_i[73:2] & words_i[74:3];
      few_high_q    <= words_i[75:0] & words_i[76:1];
      few_low_q     <= words_i[75:0] & (~words_i[76:1] | words_i[77:2]);
      later_full_q  <= shifted[78:0] & shifted[79:1] & shifted[80:2] & shifted[81:3];
      later_few_high_q <= shifted[82:0] & shifted[83:1];
      later_few_low_q  <= shifted[82:0] & (~shifted[83:1] | shifted[84:2]);
      ante_bytes_q  <= bytes_i;
      ante_status_q <= status_i;
    end
  end

  // Ones from each bit on, 15 at most; and from each bit on after the fixed part. By columns, as all that
  // follows: 64 bits of each digit, for the simulator works on them in one step.
  wire [63:0] one_0, one_1, one_2, one_3;
  wire [70:0] later_0, later_1, later_2, later_3;
  gw_dequantizer_ones #(.Places(64)) u_here (
    .full_i   (full_q),
    .high_i   (few_high_q),
    .low_i    (few_low_q),
    .ones_0_o (one_0),
    .ones_1_o (one_1),
    .ones_2_o (one_2),
    .ones_3_o (one_3)
  );
  gw_dequantizer_ones #(.Places(71)) u_later (
    .full_i(later_full_q), .high_i(later_few_high_q), .low_i(later_few_low_q),
    .ones_0_o(later_0), .ones_1_o(later_1), .ones_2_o(later_2), .ones_3_o(later_3)
  );
  // Ones of the second code: those from after the first one's on.
  wire [63:0] two_0, two_1, two_2, two_3;
  gw_dequantizer_behind u_two_0 (.one_0_i(one_0), .one_1_i(one_1), .one_2_i(one_2), .later_i(later_0),
                                 .two_o(two_0));
  gw_dequantizer_behind u_two_1 (.one_0_i(one_0), .one_1_i(one_1), .one_2_i(one_2), .later_i(later_1),
                                 .two_o(two_1));
  gw_dequantizer_behind u_two_2 (.one_0_i(one_0), .one_1_i(one_1), .one_2_i(one_2), .later_i(later_2),
                                 .two_o(two_2));
  gw_dequantizer_behind u_two_3 (.one_0_i(one_0), .one_1_i(one_1), .one_2_i(one_2), .later_i(later_3),
                                 .two_o(two_3));
  wire [63:0] carry_1 = one_0 & two_0;
  wire [63:0] carry_2 = (one_1 & two_1) | ((one_1 | two_1) & carry_1);
  wire [63:0] carry_3 = (one_2 & two_2) | ((one_2 | two_2) & carry_2);
  wire [63:0] both_0  = one_0 ^ two_0;
  wire [63:0] both_1  = one_1 ^ two_1 ^ carry_1;
  wire [63:0] both_2  = one_2 ^ two_2 ^ carry_2;
  wire [63:0] both_3  = two_3 ^ carry_3;   // the first has 7 or less
  // For each bit: whether two codes are read 1, whether the first has the long form 1, ones of both 4, of the
  // first 4 (14 of the long form).
  wire [63:0]  long_form = one_0 & one_1 & one_2 & one_3;
  wire [639:0] table_d = {~one_3 & ~(two_3 & carry_3) & ~(both_0 & both_1 & both_2 & both_3), long_form,
                          both_3, both_2, both_1, both_0, one_3, one_2, one_1, one_0 & ~long_form};

  // At hand.
  (* ram_style = "registers" *) logic [639:0] table_q  [0:1];
  (* ram_style = "registers" *) logic [106:0] here_q   [0:1];
  (* ram_style = "registers" *) logic [106:0] there_q  [0:1];
  (* ram_style = "registers" *) logic [6:0]   bytes_q  [0:1];
  (* ram_style = "registers" *) logic [1:0]   status_q [0:1];
  always_ff @(posedge clk_i) begin
    if (moves) begin
      table_q[in_q[0]]  <= table_d;
      here_q[in_q[0]]   <= bits_q;
      there_q[in_q[0]]  <= later_q;
      bytes_q[in_q[0]]  <= ante_bytes_q;
      status_q[in_q[0]] <= ante_status_q;
    end
  end

  // Step.
  logic [5:0] place_q;
  logic [4:0] single_q;
  logic [5:0] double_q, long_q;
  always_ff @(posedge clk_i) begin
    single_q <= fixed_i;
    double_q <= {fixed_i, 1'b0};
    long_q   <= qgt_i ? 6'd44 : 6'd36;
  end
  wire [106:0] here_now  = here_q[at_q[0]];
  wire [106:0] there_now = there_q[at_q[0]];
  wire [639:0] table_one = table_q[0];
  wire [639:0] table_two = table_q[1];
  wire [9:0]   found;
  for (genvar b = 0; b < 10; b++) begin : gen_found
    wire [63:0] in_one = table_one[64*b +: 64];
    wire [63:0] in_two = table_two[64*b +: 64];
    wire [31:0] of_all = at_q[0]    ? (place_q[5] ? in_two[63:32]  : in_two[31:0])
                         : (place_q[5] ? in_one[63:32] : in_one[31:0]);
    wire [7:0]  of_32  = place_q[4] ? (place_q[3] ? of_all[31:24]  : of_all[23:16])
                         : (place_q[3] ? of_all[15:8]  : of_all[7:0]);
    wire [1:0]  of_8   = place_q[2] ? (place_q[1] ? of_32[7:6]     : of_32[5:4])
                         : (place_q[1] ? of_32[3:2]    : of_32[1:0]);
    assign found[b] = of_8[place_q[0]];
  end
  wire       pair  = found[9];
  wire [3:0] both  = found[7:4];
  wire       long  = found[8];
  wire [3:0] one   = found[3:0];   // of the long form 14
  // Three sums and a choice: the choice is known as late as what is added. Word and place are one number; its
  // upper half is there with and without a carry before that is known.
  wire [7:0] behind_single = {at_q, place_q} + {3'd0, single_q};
  wire [7:0] behind_double = {at_q, place_q} + {2'd0, double_q};
  wire [7:0] behind_long   = {at_q, place_q} + {2'd0, long_q};
  wire [3:0] carried_single = behind_single[7:4] + 4'd1;
  wire [3:0] carried_double = behind_double[7:4] + 4'd1;
  wire [4:0] low_single = {1'b0, behind_single[3:0]} + {1'b0, one};
  wire [4:0] low_double = {1'b0, behind_double[3:0]} + {1'b0, both};
  wire [7:0] after_single = {low_single[4] ? carried_single : behind_single[7:4], low_single[3:0]};
  wire [7:0] after_double = {low_double[4] ? carried_double : behind_double[7:4], low_double[3:0]};
  wire [7:0] place  = pair ? after_double : long ? behind_long : after_single;
  wire       step   = (count[1] | count[0]) & room_i;

  // By sixteens, fours and ones.
  wire [58:0] here_sixteen  = place_q[5] ? (place_q[4] ? here_now[106:48] : here_now[90:32])
                              : (place_q[4] ? here_now[74:16] : here_now[58:0]);
  wire [46:0] here_four     = place_q[3] ? (place_q[2] ? here_sixteen[58:12] : here_sixteen[54:8])
                                         : (place_q[2] ? here_sixteen[50:4] : here_sixteen[46:0]);
  wire [43:0] from_here     = place_q[1] ? (place_q[0] ? here_four[46:3] : here_four[45:2])
                              : (place_q[0] ? here_four[44:1] : here_four[43:0]);
  wire [51:0] there_sixteen = place_q[5] ? (place_q[4] ? there_now[100:49] : there_now[84:33])
                              : (place_q[4] ? there_now[68:17] : there_now[52:1]);
  wire [39:0] there_four    = place_q[3] ? (place_q[2] ? there_sixteen[51:12] : there_sixteen[47:8])
                                         : (place_q[2] ? there_sixteen[43:4] : there_sixteen[39:0]);
  wire [36:0] from_there    = place_q[1] ? (place_q[0] ? there_four[39:3] : there_four[38:2])
                                         : (place_q[0] ? there_four[37:1] : there_four[36:0]);
  // The last two steps are for those after. After the long form's ones there is no zero.
  wire [42:0] first    = from_here[43:1] >> {one[3:2], 2'd0};
  wire [36:0] second   = from_there >> {both[3:2], 2'd0};
  logic [3:0] k_q;
  wire unused_behind = ^{first[42:32], from_here[0], second[36:26], there_now[106:101], there_now[0]};
  always_ff @(posedge clk_i) begin
    pair_o     <= pair;
    ones_one_o <= {one[3:1], one[0] | long};
    ones_both_o <= both;
    ones_two_o  <= both - one;   // of a pair
    one_o      <= first[31:0];
    two_o      <= second[25:0];
    k_q        <= k_i;
    shift_one_o <= one[1:0];
    shift_two_o <= both[1:0];
    rest_one_o  <= {1'b0, k_q} + {3'd0, one[1:0]};
    rest_two_o  <= {1'b0, k_q} + {3'd0, both[1:0]};
    place_o    <= place_q;
    bytes_o    <= bytes_q[at_q[0]];
    status_o   <= status_q[at_q[0]];
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni | clear_i) begin
      ante_q  <= 1'b0;
      in_q    <= '0;
      at_q    <= '0;
      place_q <= '0;
      step_o  <= 1'b0;
    end else begin
      ante_q <= fetch_i | (ante_q & ~moves);
      if (moves) in_q <= in_q + 2'd1;
      if (step) begin
        {at_q, place_q} <= place;
      end
      step_o <= step;
    end
  end

  `GW_ASSERT(TwoWordsAtMost, count != 2'd3)
  `GW_ASSERT(NothingIsLost, !fetch_i || hall_o)
  `GW_COVER(Pair, step && pair)
  `GW_COVER(Long, step && long)
  `GW_COVER(HallFull, ante_q && !moves)
endmodule

`default_nettype wire
