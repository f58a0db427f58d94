// What gw_skid promises, bound around it from outside: order, no loss, payload stable while it waits.
// Any one word, chosen freely, is followed from its entry to its exit.
// Proven by tests/formal/run.sh.
`include "gw_assert.svh"
`default_nettype none

module gw_skid_props (
  input wire logic       clk_i,
  input wire logic       rst_ni,
  input wire logic       s_valid_i,
  input wire logic [1:0] s_data_i,
  input wire logic       m_ready_i,
  input wire logic       follow_i  // free: from the next entry on, follow that word
);
  logic       s_ready, m_valid;
  logic [1:0] m_data;
  gw_skid #(.Width(2)) u_dut (
    .clk_i, .rst_ni,
    .s_valid_i, .s_ready_o(s_ready), .s_data_i,
    .m_valid_o(m_valid), .m_ready_i, .m_data_o(m_data)
  );

  // The cell's state, connected by run.sh once the hierarchy is flat: what binding a checker into it would see.
  (* keep *) wire       skid_valid_q;
  (* keep *) wire [1:0] skid_data_q;

  wire push = s_valid_i & s_ready;
  wire pop  = m_valid & m_ready_i;

  logic [1:0] held_q, ahead_q, word_q;
  logic       following_q, waited_q;
  logic [1:0] waited_data_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      held_q      <= '0;
      following_q <= 1'b0;
      waited_q    <= 1'b0;
    end else begin
      held_q   <= held_q + {1'b0, push} - {1'b0, pop};
      waited_q <= m_valid & ~m_ready_i;
      if (following_q) following_q <= !(pop && ahead_q == '0);
      else             following_q <= push & follow_i;
    end
  end
  always_ff @(posedge clk_i) begin
    waited_data_q <= m_data;
    if (following_q) ahead_q <= ahead_q - {1'b0, pop};
    else begin
      ahead_q <= held_q - {1'b0, pop};
      word_q  <= s_data_i;
    end
  end

  // Both places taken; the followed word leaves.
  wire [1:0] covers = {following_q && pop && ahead_q == '0, held_q == 2'd2};
`ifdef GW_REACH
  gw_never u_never [$bits(covers)-1:0] (.clk_i, .rst_ni, .seen_i(covers));
`endif
  `GW_ASSERT(ValidUnlessEmpty, m_valid == (held_q != 2'd0))
  `GW_ASSERT(HoldsTwo, held_q == {1'b0, m_valid} + {1'b0, skid_valid_q})
  `GW_ASSERT(StableWhileWaiting, !waited_q || (m_valid && m_data == waited_data_q))
  `GW_ASSERT(FollowedIsInside, !following_q || ahead_q < held_q)
  `GW_ASSERT(FollowedIsParked, !(following_q && ahead_q == 2'd1) || skid_data_q == word_q)
  `GW_ASSERT(FollowedLeavesInTurn, !(following_q && ahead_q == '0) || (m_valid && m_data == word_q))
endmodule

`default_nettype wire
