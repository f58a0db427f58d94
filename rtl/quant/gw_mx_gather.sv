// Gathers items until their block is complete, finds its largest exponent on the way, and gives them out in
// order, one a cycle.
// Latency 1 cycle, for the last item of a block; at most four items wait.
// docs/devices/mx.md, pop.
// SPDX-License-Identifier: Apache-2.0
`include "gw_assert.svh"
`default_nettype none

module gw_mx_gather (
  input  wire logic         clk_i,
  input  wire logic         rst_ni,
  input  wire logic         valid_i,
  input  wire logic [gw_mx_pkg::ItemBits-1:0] item_i,
  input  wire logic [7:0]   here_i,
  input  wire logic [7:0]   bad_i,
  input  wire logic [7:0]   summed_i,
  input  wire logic [255:0] sum_i,
  input  wire logic [7:0]   finite_i,
  input  wire logic [255:0] other_i,
  output logic              pop_o,
  output logic [gw_mx_pkg::ItemBits-1:0] item_o,
  output logic [7:0]        here_o,
  output logic              spoilt_o,   // status bit 0 of the chunk so far
  output logic [255:0]      value_o,
  output logic [8:0]        offset_q,   // a cycle after its item: of the block's elements
  // inverted, so that it stays a register of its own: all lanes are too many loads for one
  output logic [8:0]        offset_n_q,
  output logic              poison_q
);
  // Choose v; the larger one of each two exponents, with whether it is over.
  wire [255:0] v;
  wire [71:0]  exponents;
  wire [35:0]  larger;
  wire [7:0]   overflowed;
  wire         item_fp4 = item_i[gw_mx_pkg::ItemFp4];
  wire         item_up  = item_i[gw_mx_pkg::ItemUp];
  for (genvar i = 0; i < 8; i++) begin : gen_lane
    assign v[32*i +: 32] = summed_i[i] & finite_i[i] ? sum_i[32*i +: 32] : other_i[32*i +: 32];
    assign exponents[9*i +: 9] = {v[32*i + 23 +: 8], item_up & gw_mx_pkg::over(v[32*i +: 31], item_fp4)};
    assign overflowed[i] = summed_i[i] & ~finite_i[i];
  end
  for (genvar i = 0; i < 4; i++) begin : gen_pair
    assign larger[9*i +: 9] = gw_mx_pkg::larger(exponents[18*i +: 9], exponents[18*i + 9 +: 9]);
  end
  wire item_first = item_i[gw_mx_pkg::ItemFirst];
  wire item_opens = item_i[gw_mx_pkg::ItemOpens];
  wire item_ready = item_i[gw_mx_pkg::ItemReady];

  // What of the chunk, and of the block, was not finite.
  logic spoilt_q, poisoned_q;
  wire  spoilt   = (spoilt_q & ~item_first) | (bad_i != 8'd0) | (overflowed != 8'd0);
  wire  poisoned = (poisoned_q & ~item_opens) | (bad_i != 8'd0);
  always_ff @(posedge clk_i) begin
    if (valid_i) spoilt_q   <= spoilt;
    if (valid_i) poisoned_q <= poisoned;
  end

  // The items that wait; the next one to be popped is read a cycle ahead.
  logic [1:0] write_q, read_q;
  logic [2:0] ready_q;  // among them those up to which all can be popped
  localparam int EntryBits = gw_mx_pkg::ItemBits + 8 + 1 + 256;
  (* ram_style = "distributed" *) logic [EntryBits-1:0] item_memory [0:3];
  wire  [EntryBits-1:0] item_new = {item_i, here_i, spoilt, v};
  wire  [1:0]   read_d   = read_q + {1'b0, pop_o};
  wire          overtakes = valid_i & write_q == read_d;
  always_ff @(posedge clk_i) if (valid_i) item_memory[write_q] <= item_new;
  always_ff @(posedge clk_i) begin
    if (valid_i | pop_o) {item_o, here_o, spoilt_o, value_o} <= overtakes ? item_new : item_memory[read_d];
  end
  assign pop_o = ready_q != 3'd0;
  wire pop_ready = item_o[gw_mx_pkg::ItemReady];
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      write_q <= '0;
      read_q  <= '0;
      ready_q <= '0;
    end else begin
      write_q <= write_q + {1'b0, valid_i};
      read_q  <= read_d;
      ready_q <= ready_q + {2'd0, valid_i & item_ready} - {2'd0, pop_o & pop_ready};
    end
  end

  // One cycle later: the largest exponent of the block so far.
  logic        valid_q, closes_q, ends_q, e5m2_q, fp4_q;  // ends: the next item begins anew
  logic [35:0] larger_q;
  logic [8:0]  before_q;
  always_ff @(posedge clk_i) valid_q <= valid_i & rst_ni;
  always_ff @(posedge clk_i) begin
    closes_q <= item_i[gw_mx_pkg::ItemCloses];
    ends_q   <= item_ready;
    e5m2_q   <= item_i[gw_mx_pkg::ItemE5m2];
    fp4_q    <= item_fp4;
    larger_q <= larger;
  end
  // Offsets are worked out beside the comparisons, for each.
  wire [8:0]  a, b, c, d;
  assign {d, c, b, a} = larger_q;
  wire [4:0]  wins    = gw_mx_pkg::largest(a, b, c, d, before_q);
  wire [8:0]  largest = gw_mx_pkg::winner(wins, a, b, c, d, before_q);
  wire [8:0]  offset  = gw_mx_pkg::winner(wins, gw_mx_pkg::offset(a, e5m2_q, fp4_q),
                                          gw_mx_pkg::offset(b, e5m2_q, fp4_q),
                                          gw_mx_pkg::offset(c, e5m2_q, fp4_q),
                                            gw_mx_pkg::offset(d, e5m2_q, fp4_q),
                                          gw_mx_pkg::offset(before_q, e5m2_q, fp4_q));
  always_ff @(posedge clk_i) begin
    if (!rst_ni)      before_q <= '0;
    else if (valid_q) before_q <= largest & {9{~ends_q}};
  end

  // Blocks that are complete and not begun to be popped; if there is none, the one that becomes complete now
  // is the next.
  logic [2:0] block_write_q, block_read_q;
  (* ram_style = "distributed" *) logic [9:0] block_memory [0:3];
  wire block_done = valid_q & closes_q;
  wire block_pop  = pop_o & item_o[gw_mx_pkg::ItemOpens];
  wire block_none = block_write_q == block_read_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      block_write_q <= '0;
      block_read_q  <= '0;
    end else begin
      block_write_q <= block_write_q + {2'd0, block_done};
      block_read_q  <= block_read_q + {2'd0, block_pop};
    end
  end
  always_ff @(posedge clk_i) block_memory[block_write_q[1:0]] <= {poisoned_q, offset};
  wire       next_poison;
  wire [8:0] next_offset;
  assign {next_poison, next_offset} = block_none ? {poisoned_q, offset} : block_memory[block_read_q[1:0]];
  always_ff @(posedge clk_i) begin
    if (block_pop) poison_q   <= next_poison;
    if (block_pop) offset_q   <= next_offset;
    if (block_pop) offset_n_q <= ~next_offset;
  end

  `GW_ASSERT(NeverMoreThanFour, ready_q <= 3'd4)
  `GW_ASSERT(BlockIsComplete, !block_pop || !block_none || block_done)
  `GW_COVER(BlockWaits, !block_none)
  `GW_COVER(FourWait, ready_q == 3'd4)
endmodule

`default_nettype wire
