// What gw_stream_gate promises, bound around it from outside: while it drains no packet begins, one that has begun is not held up, and
// it is idle exactly if every packet that went in came out.
// The core holds a few packets at most and shows what it holds; else anything may come. Proven by tests/formal/run.sh.
`include "gw_assert.svh"
`default_nettype none

module gw_stream_gate_props (
  input wire logic clk_i,
  input wire logic rst_ni,
  input wire logic drain_i,
  input wire logic s_valid_i,
  input wire logic s_last_i,
  input wire logic core_ready_i,
  input wire logic m_valid_i,
  input wire logic m_ready_i,
  input wire logic m_last_i
);
  logic [9:0] held_q;
  logic       inside_q;
  wire        idle, s_ready, core_valid;
  wire        core_ready = core_ready_i && held_q < 10'd600;
  wire        m_valid    = m_valid_i && held_q != 10'd0;
  gw_stream_gate u_dut (
    .clk_i, .rst_ni, .drain_i, .idle_o(idle), .s_valid_i, .s_ready_o(s_ready), .s_last_i, .core_valid_o(core_valid),
    .core_ready_i(core_ready), .m_valid_i(m_valid), .m_ready_i, .m_last_i
  );

  // The cell's state, connected by run.sh once the hierarchy is flat.
  (* keep *) wire       begun_q;
  (* keep *) wire [9:0] within_q;

  wire taken  = s_valid_i & s_ready;
  wire begins = taken & ~inside_q;
  wire ends   = m_valid & m_ready_i & m_last_i;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      held_q   <= '0;
      inside_q <= 1'b0;
    end else begin
      held_q <= held_q + {9'd0, begins} - {9'd0, ends};
      if (taken) inside_q <= !s_last_i;
    end
  end

  // Something is held up; something that has begun is not; idle again while it drains.
  wire [2:0] covers = {drain_i && idle && within_q == 10'd0 && s_valid_i, drain_i && taken, drain_i && s_valid_i && core_ready && !s_ready};
`ifdef GW_REACH
  gw_never u_never [$bits(covers)-1:0] (.clk_i, .rst_ni, .seen_i(covers));
`endif
  `GW_ASSERT(NoneBegins, !(drain_i && begins))
  `GW_ASSERT(NoneIsHeldUp, !inside_q || (s_ready == core_ready && core_valid == s_valid_i))
  `GW_ASSERT(OpenPassesAll, drain_i || (s_ready == core_ready && core_valid == s_valid_i))
  `GW_ASSERT(BothOrNeither, (core_valid & core_ready) == taken)
  `GW_ASSERT(IdleIfAllCameOut, idle == (held_q == 10'd0))
  `GW_ASSERT(SameState, begun_q == inside_q && within_q == held_q)
  `GW_ASSERT(FewPackets, held_q <= 10'd601)
endmodule

`default_nettype wire
