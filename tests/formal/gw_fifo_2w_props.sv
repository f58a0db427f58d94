// What gw_fifo_2w promises to a user who counts the free places: order, no loss, one word a cycle, honest empty.
// Any one word, chosen freely, is followed from its write to its read.
`include "gw_assert.svh"
`default_nettype none

module gw_fifo_2w_props (
  input wire logic       clk_i,
  input wire logic       rst_ni,
  input wire logic       first_valid_i,
  input wire logic [1:0] first_i,
  input wire logic       second_valid_i,
  input wire logic [1:0] second_i,
  input wire logic       ready_i,
  input wire logic [1:0] follow_i  // free: from the next write on, follow the first (01) or the second (10) word
);
  localparam int DepthLog2 = 2;
  logic       valid;
  logic [1:0] data;
  logic [2:0] held_q, ahead_q;
  logic       following_q;
  logic [1:0] word_q;
  // The user's part: never more words than there are places, the second one with a first one only.
  wire first  = first_valid_i && held_q <= 3'd3;
  wire second = second_valid_i && first && held_q <= 3'd2;
  gw_fifo_2w #(.Width(2), .DepthLog2(DepthLog2)) u_dut (
    .clk_i, .rst_ni,
    .first_valid_i(first), .first_i, .second_valid_i(second), .second_i,
    .valid_o(valid), .ready_i, .data_o(data)
  );

  // The cell's state, connected by run.sh once the hierarchy is flat.
  (* keep *) wire [DepthLog2:0] write_q, read_q;
  (* keep *) wire [1:0] even0_q, even1_q, even2_q, even3_q, odd0_q, odd1_q, odd2_q, odd3_q;

  wire pop = valid & ready_i;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      held_q      <= '0;
      following_q <= 1'b0;
    end else begin
      held_q <= held_q + {2'd0, first} + {2'd0, second} - {2'd0, pop};
      if (following_q) following_q <= !(pop && ahead_q == '0);
      else             following_q <= (first && follow_i == 2'b01) || (second && follow_i == 2'b10);
    end
  end
  always_ff @(posedge clk_i) begin
    if (following_q) ahead_q <= ahead_q - {2'd0, pop};
    else begin
      ahead_q <= held_q - {2'd0, pop} + {2'd0, follow_i[1]};
      word_q  <= follow_i[1] ? second_i : first_i;
    end
  end

  wire [2:0] place  = read_q + ahead_q;
  wire [1:0] even   = place[2] ? (place[1] ? even3_q : even2_q) : (place[1] ? even1_q : even0_q);
  wire [1:0] odd    = place[2] ? (place[1] ? odd3_q : odd2_q) : (place[1] ? odd1_q : odd0_q);
  wire [1:0] stored = place[0] ? odd : even;

  // Full; the followed word was a second one and leaves behind three others; two in and one out at once.
  wire [2:0] covers = {second && pop, following_q && ahead_q == 3'd3, held_q == 3'd4};
`ifdef GW_REACH
  gw_never u_never [$bits(covers)-1:0] (.clk_i, .rst_ni, .seen_i(covers));
`endif
  `GW_ASSERT(ValidUnlessEmpty, valid == (held_q != 3'd0))
  `GW_ASSERT(NeverMoreThanDepth, held_q <= 3'd4)
  `GW_ASSERT(CountIsThePointers, held_q == write_q - read_q)
  `GW_ASSERT(FollowedIsInside, !following_q || ahead_q < held_q)
  `GW_ASSERT(FollowedIsStored, !following_q || stored == word_q)
  `GW_ASSERT(FollowedLeavesInTurn, !(following_q && ahead_q == '0) || (valid && data == word_q))
endmodule

`default_nettype wire
