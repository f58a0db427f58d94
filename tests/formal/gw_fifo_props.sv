// What gw_fifo promises, bound around it from outside: order, no loss, stability, honest full and empty.
// Any one word, chosen freely, is followed from its write to its read.
// Proven by tests/formal/run.sh.
`include "gw_assert.svh"
`default_nettype none

module gw_fifo_props (
  input wire logic       clk_i,
  input wire logic       rst_ni,
  input wire logic       s_valid_i,
  input wire logic [1:0] s_data_i,
  input wire logic       m_ready_i,
  input wire logic       follow_i  // free: from the next write on, follow that word
);
  localparam int DepthLog2 = 2;
  logic       s_ready, m_valid;
  logic [1:0] m_data;
  gw_fifo #(.Width(2), .DepthLog2(DepthLog2)) u_dut (
    .clk_i, .rst_ni,
    .s_valid_i, .s_ready_o(s_ready), .s_data_i,
    .m_valid_o(m_valid), .m_ready_i, .m_data_o(m_data)
  );

  // The cell's state, connected by run.sh once the hierarchy is flat: what binding a checker into it would see.
  (* keep *) wire [DepthLog2:0] write_q, read_q;
  (* keep *) wire [1:0]         word0_q, word1_q, word2_q, word3_q;

  wire push = s_valid_i & s_ready;
  wire pop  = m_valid & m_ready_i;

  // How many words are in it, and how many lie before the followed one.
  logic [DepthLog2:0] held_q, ahead_q;
  logic               following_q;
  logic [1:0]         word_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      held_q      <= '0;
      following_q <= 1'b0;
    end else begin
      held_q <= held_q + {{DepthLog2{1'b0}}, push} - {{DepthLog2{1'b0}}, pop};
      if (following_q) following_q <= !(pop && ahead_q == '0);
      else             following_q <= push & follow_i;
    end
  end
  always_ff @(posedge clk_i) begin
    if (following_q) ahead_q <= ahead_q - {{DepthLog2{1'b0}}, pop};
    else begin
      ahead_q <= held_q - {{DepthLog2{1'b0}}, pop};
      word_q  <= s_data_i;
    end
  end

  wire [1:0] place  = read_q[1:0] + ahead_q[1:0];
  wire [1:0] stored = place[1] ? (place[0] ? word3_q : word2_q) : (place[0] ? word1_q : word0_q);
  // Full; the followed word leaves behind others.
  wire [1:0] covers = {following_q && ahead_q == 3'd3, held_q == 3'd4};
`ifdef GW_REACH
  gw_never u_never [$bits(covers)-1:0] (.clk_i, .rst_ni, .seen_i(covers));
`endif
  `GW_ASSERT(ReadyUnlessFull, s_ready == (held_q != 3'd4))
  `GW_ASSERT(ValidUnlessEmpty, m_valid == (held_q != 3'd0))
  `GW_ASSERT(NeverMoreThanDepth, held_q <= 3'd4)
  `GW_ASSERT(CountIsThePointers, held_q == write_q - read_q)
  `GW_ASSERT(FollowedIsInside, !following_q || ahead_q < held_q)
  `GW_ASSERT(FollowedIsStored, !following_q || stored == word_q)
  `GW_ASSERT(FollowedLeavesInTurn, !(following_q && ahead_q == '0) || (m_valid && m_data == word_q))
endmodule

`default_nettype wire
