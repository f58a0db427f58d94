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
  logic [6:0]   ante_bytes_q;
  logic [1:0]   ante_status_q;
  wire  [127:0] shifted = words_i >> fixed_i;
  wire unused_bits = ^{words_i[127:107], shifted[127:107]};
  logic [1:0] in_q, at_q;   // words: the next to be at hand, the one of the place; modulo 4
  wire  [1:0] count = in_q - at_q;
  wire moves = ante_q & ~count[1];
  assign hall_o = ~ante_q | ~count[1];
  always_ff @(posedge clk_i) begin
    if (fetch_i) begin
      bits_q        <= words_i[106:0];
      later_q       <= shifted[106:0];
      ante_bytes_q  <= bytes_i;
      ante_status_q <= status_i;
    end
  end

  // Ones from each bit on, 15 at most; and from each bit on behind the fixed part.
  wire [255:0] ones_here;
  wire [283:0] ones_later;
  for (genvar i = 0; i < 64; i++) begin : gen_here
    gw_dequantizer_ones u_ones (.bits_i(bits_q[i +: 15]), .ones_o(ones_here[4*i +: 4]));
  end
  for (genvar i = 0; i < 71; i++) begin : gen_later
    gw_dequantizer_ones u_ones (.bits_i(later_q[i +: 15]), .ones_o(ones_later[4*i +: 4]));
  end
  // For each bit: two codes 1, ones of what is read 4, ones of the first 4.
  wire [575:0] table_d;
  for (genvar i = 0; i < 64; i++) begin : gen_table
    wire [3:0]  one   = ones_here[4*i +: 4];
    wire [31:0] range = ones_later[4*i +: 32];
    wire [3:0]  two   = range[4*one[2:0] +: 4];
    wire [4:0]  both  = {1'b0, one} + {1'b0, two};
    wire        pair  = ~one[3] & ~both[4] & both[3:0] != 4'd15;
    assign table_d[9*i +: 9] = {pair, pair ? both[3:0] : one, one};
  end

  // At hand.
  (* ram_style = "registers" *) logic [575:0] table_q  [0:1];
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
    long_q   <= qgt_i ? 6'd29 : 6'd21;
  end
  wire [575:0] table_now = table_q[at_q[0]];
  wire [106:0] here_now  = here_q[at_q[0]];
  wire [106:0] there_now = there_q[at_q[0]];
  wire [8:0] found = table_now[9*place_q +: 9];
  wire       pair  = found[8];
  wire [3:0] all   = found[7:4];
  wire [3:0] one   = found[3:0];
  wire [6:0] behind_single = {1'b0, place_q} + {2'd0, single_q};
  wire [6:0] behind_double = {1'b0, place_q} + {1'b0, double_q};
  wire [6:0] behind_long   = {1'b0, place_q} + {1'b0, long_q};
  wire [6:0] behind = pair ? behind_double : one == 4'd15 ? behind_long : behind_single;
  wire [6:0] place  = behind + {3'd0, all};
  wire       step   = (count[1] | count[0]) & room_i;

  wire [106:0] from_here  = here_now >> place_q;
  wire [106:0] from_there = there_now >> place_q;
  wire [3:0]   zero_one   = one + {3'd0, one != 4'd15};
  wire [43:0]  first      = from_here[43:0] >> zero_one;
  wire [36:0]  second     = from_there[37:1] >> all;
  wire unused_behind = ^{from_here[106:44], from_there[106:38], from_there[0], first[43:29], second[36:23]};
  logic [3:0] all_q;
  always_ff @(posedge clk_i) begin
    pair_o     <= pair;
    ones_one_o <= one;
    all_q      <= all;
    one_o      <= first[28:0];
    two_o      <= second[22:0];
    place_o    <= place_q;
    bytes_o    <= bytes_q[at_q[0]];
    status_o   <= status_q[at_q[0]];
  end
  assign ones_two_o = all_q - ones_one_o;

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
  `GW_COVER(Long, step && one == 4'd15)
  `GW_COVER(HallFull, ante_q && !moves)
endmodule

`default_nettype wire
