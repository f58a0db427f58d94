// Rice: words fetched, what a code beginning at each of their bits would be, and steps from code to code, one or two at a time.
// A step is made two cycles behind its word's fetch at the earliest; one a cycle: place -> what is there -> place.
// docs/devices/dequantizer.md, fetch, hand, step; docs/formats/quantised-packets.md, Rice.
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
  input  wire logic         qgt_i,
  input  wire logic         room_i,     // for what a step finds
  output logic              hall_o,     // a word may be fetched
  output logic              step_o,     // a step was made in the cycle before; of it:
  output logic              pair_o,
  output logic [3:0]        ones_one_o,
  output logic [3:0]        ones_both_o,
  output logic [3:0]        ones_two_o,
  output logic [28:0]       one_o,      // behind the first code's zero, or its fifteen ones
  output logic [22:0]       two_o,
  output logic [5:0]        place_o,    // in the word
  output logic [6:0]        bytes_o,
  output logic [1:0]        status_o
);
  // Antechamber: the word and what is behind it; the same from the fixed part of a code on.
  logic         ante_q;
  logic [106:0] bits_q, later_q;
  // Of each four bits from each bit on: whether they are all ones, else how many are before the first zero.
  logic [71:0]  full_q;
  logic [78:0]  later_full_q;
  logic [151:0] few_q;
  logic [165:0] later_few_q;
  logic [6:0]   ante_bytes_q;
  logic [1:0]   ante_status_q;
  // From the fixed part on, by eights, twos and one.
  wire  [109:0] by_eights, by_twos;
  wire  [106:0] shifted;
  for (genvar i = 0; i < 110; i++) begin : gen_eights
    assign by_eights[i] = fixed_i[4] ? (fixed_i[3] ? (i + 24 < 128) & words_i[(i+24)%128] : (i + 16 < 128) & words_i[(i+16)%128])
                                     : (fixed_i[3] ? words_i[i+8] : words_i[i]);
  end
  for (genvar i = 0; i < 110; i++) begin : gen_twos
    assign by_twos[i] = fixed_i[2] ? (fixed_i[1] ? (i + 6 < 110) & by_eights[(i+6)%110] : (i + 4 < 110) & by_eights[(i+4)%110])
                                   : (fixed_i[1] ? (i + 2 < 110) & by_eights[(i+2)%110] : by_eights[i]);
  end
  for (genvar i = 0; i < 107; i++) begin : gen_ones
    assign shifted[i] = fixed_i[0] ? by_twos[i+1] : by_twos[i];
  end
  wire unused_bits = ^by_twos[109:108];
  logic [1:0] in_q, at_q;   // words: the next to be at hand, the one of the place; modulo 4
  wire  [1:0] count = in_q - at_q;
  wire moves = ante_q & ~count[1];
  assign hall_o = ~ante_q | ~count[1];
  always_ff @(posedge clk_i) begin
    if (fetch_i) begin
      bits_q        <= words_i[106:0];
      later_q       <= shifted[106:0];
      for (int i = 0; i < 72; i++) full_q[i] <= &words_i[i +: 4];
      for (int i = 0; i < 79; i++) later_full_q[i] <= &shifted[i +: 4];
      for (int i = 0; i < 76; i++) few_q[2*i +: 2] <= {words_i[i] & words_i[i+1], words_i[i] & (~words_i[i+1] | words_i[i+2])};
      for (int i = 0; i < 83; i++) later_few_q[2*i +: 2] <= {shifted[i] & shifted[i+1], shifted[i] & (~shifted[i+1] | shifted[i+2])};
      ante_bytes_q  <= bytes_i;
      ante_status_q <= status_i;
    end
  end

  // Ones from each bit on, 15 at most; and from each bit on behind the fixed part.
  wire [255:0] ones_here;
  wire [283:0] ones_later;
  for (genvar i = 0; i < 64; i++) begin : gen_here
    gw_dequantizer_ones u_ones (
      .full_i({full_q[i+8], full_q[i+4], full_q[i]}),
      .few_i({few_q[2*(i+12) +: 2], few_q[2*(i+8) +: 2], few_q[2*(i+4) +: 2], few_q[2*i +: 2]}), .ones_o(ones_here[4*i +: 4])
    );
  end
  for (genvar i = 0; i < 71; i++) begin : gen_later
    gw_dequantizer_ones u_ones (
      .full_i({later_full_q[i+8], later_full_q[i+4], later_full_q[i]}),
      .few_i({later_few_q[2*(i+12) +: 2], later_few_q[2*(i+8) +: 2], later_few_q[2*(i+4) +: 2], later_few_q[2*i +: 2]}),
      .ones_o(ones_later[4*i +: 4])
    );
  end
  // For each bit: whether two codes are read 1, whether the first has the long form 1, ones of both 4, of the first 4. By columns: 64 bits
  // of each.
  wire [639:0] table_d;
  for (genvar i = 0; i < 64; i++) begin : gen_table
    wire [3:0]  one   = ones_here[4*i +: 4];
    wire [31:0] range = ones_later[4*i +: 32];
    wire [3:0]  two   = range[4*one[2:0] +: 4];
    wire [4:0]  both  = {1'b0, one} + {1'b0, two};
    wire [9:0]  found = {~one[3] & ~both[4] & both[3:0] != 4'd15, one == 4'd15, both[3:0], one};
    for (genvar b = 0; b < 10; b++) begin : gen_bit
      assign table_d[64*b + i] = found[b];
    end
  end

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
    wire [127:0] all = {table_two[64*b +: 64], table_one[64*b +: 64]};
    wire [31:0]  of_four;
    wire [7:0]   of_sixteen;
    wire [1:0]   of_all;
    for (genvar i = 0; i < 32; i++) begin : gen_four
      assign of_four[i] = place_q[1] ? (place_q[0] ? all[4*i+3] : all[4*i+2]) : (place_q[0] ? all[4*i+1] : all[4*i]);
    end
    for (genvar i = 0; i < 8; i++) begin : gen_sixteen
      assign of_sixteen[i] = place_q[3] ? (place_q[2] ? of_four[4*i+3] : of_four[4*i+2]) : (place_q[2] ? of_four[4*i+1] : of_four[4*i]);
    end
    for (genvar i = 0; i < 2; i++) begin : gen_all
      assign of_all[i] = place_q[5] ? (place_q[4] ? of_sixteen[4*i+3] : of_sixteen[4*i+2])
                                    : (place_q[4] ? of_sixteen[4*i+1] : of_sixteen[4*i]);
    end
    assign found[b] = of_all[at_q[0]];
  end
  wire       pair  = found[9];
  wire [3:0] both  = found[7:4];
  wire [3:0] one   = found[3:0];
  // Three sums and a choice: the choice is known as late as what is added.
  wire [6:0] behind_single = {1'b0, place_q} + {2'd0, single_q};
  wire [6:0] behind_double = {1'b0, place_q} + {1'b0, double_q};
  wire [6:0] behind_long   = {1'b0, place_q} + {1'b0, long_q};
  wire [6:0] after_single  = behind_single + {3'd0, one};
  wire [6:0] after_double  = behind_double + {3'd0, both};
  wire [6:0] place  = pair ? after_double : found[8] ? behind_long : after_single;
  wire       step   = (count[1] | count[0]) & room_i;

  // By sixteens, fours and ones.
  wire [58:0] here_sixteen;
  wire [51:0] there_sixteen;
  wire [46:0] here_four;
  wire [39:0] there_four;
  wire [43:0] from_here;
  wire [36:0] from_there;
  for (genvar i = 0; i < 59; i++) begin : gen_here_sixteen
    assign here_sixteen[i] = place_q[5] ? (place_q[4] ? here_now[i+48] : here_now[i+32]) : (place_q[4] ? here_now[i+16] : here_now[i]);
  end
  for (genvar i = 0; i < 47; i++) begin : gen_here_four
    assign here_four[i] = place_q[3] ? (place_q[2] ? here_sixteen[i+12] : here_sixteen[i+8]) : (place_q[2] ? here_sixteen[i+4] : here_sixteen[i]);
  end
  for (genvar i = 0; i < 44; i++) begin : gen_here_one
    assign from_here[i] = place_q[1] ? (place_q[0] ? here_four[i+3] : here_four[i+2]) : (place_q[0] ? here_four[i+1] : here_four[i]);
  end
  for (genvar i = 0; i < 52; i++) begin : gen_there_sixteen
    assign there_sixteen[i] = place_q[5] ? (place_q[4] ? there_now[i+49] : there_now[i+33]) : (place_q[4] ? there_now[i+17] : there_now[i+1]);
  end
  for (genvar i = 0; i < 40; i++) begin : gen_there_four
    assign there_four[i] = place_q[3] ? (place_q[2] ? there_sixteen[i+12] : there_sixteen[i+8])
                                      : (place_q[2] ? there_sixteen[i+4] : there_sixteen[i]);
  end
  for (genvar i = 0; i < 37; i++) begin : gen_there_one
    assign from_there[i] = place_q[1] ? (place_q[0] ? there_four[i+3] : there_four[i+2]) : (place_q[0] ? there_four[i+1] : there_four[i]);
  end
  wire [3:0]  ones     = {one[3:1], one[0] & ~found[8]};   // 15: there is no zero behind them
  wire [42:0] first    = from_here[43:1] >> ones;
  wire [36:0] second   = from_there >> both;
  wire unused_behind = ^{first[42:29], from_here[0], second[36:23], there_now[106:101], there_now[0]};
  always_ff @(posedge clk_i) begin
    pair_o     <= pair;
    ones_one_o <= one;
    ones_both_o <= both;
    ones_two_o  <= both - one;
    one_o      <= first[28:0];
    two_o      <= second[22:0];
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
        place_q <= place[5:0];
        at_q    <= at_q + {1'b0, place[6]};
      end
      step_o <= step;
    end
  end

  `GW_ASSERT(TwoWordsAtMost, count != 2'd3)
  `GW_ASSERT(NothingIsLost, !fetch_i || hall_o)
  `GW_COVER(Pair, step && pair)
  `GW_COVER(Long, step && found[8])
  `GW_COVER(HallFull, ante_q && !moves)
endmodule

`default_nettype wire
