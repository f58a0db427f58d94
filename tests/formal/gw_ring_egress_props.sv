// What gw_ring_egress promises to who issues with credit only: its queue never overflows, each beat leaves, tvalid and tlast stay until
// they are taken, and a queue that is drained gives a beat three cycles after its issue.
// Proven by tests/formal/run.sh.
`include "gw_assert.svh"
`default_nettype none

module gw_ring_egress_props (
  input wire logic       clk_i,
  input wire logic       rst_ni,
  input wire logic       issue_i,   // free, as all below
  input wire logic       header_i,
  input wire logic       last_i,
  input wire logic [3:0] tail_i,
  input wire logic       ready_i
);
  wire         credit, valid, last;
  wire [511:0] unused_data;
  wire [63:0]  keep;
  wire         issue = issue_i & credit;
  gw_ring_egress u_dut (
    .clk_i, .rst_ni, .issue_i(issue), .header_i, .last_i, .tail_i, .credit_o(credit), .header_data_i(512'd0), .bank_data_i(512'd0),
    .m_axis_tdata(unused_data), .m_axis_tkeep(keep), .m_axis_tvalid(valid), .m_axis_tready(ready_i), .m_axis_tlast(last)
  );
  // Connected by run.sh once the hierarchy is flat.
  (* keep *) wire [3:0] used_q, write_q, read_q;
  (* keep *) wire       valid1_q, valid2_q;

  logic        waits_q, last_q, since_q, empty1_q, empty2_q, empty3_q;
  logic [2:0]  issued_q;
  logic [63:0] keep_q;
  always_ff @(posedge clk_i) begin
    since_q <= rst_ni;
    waits_q <= valid & ~ready_i;
    last_q  <= last;
    keep_q  <= keep;
    if (!rst_ni) issued_q <= '0;
    else issued_q <= {issued_q[1:0], issue};
  end

  wire [3:0] held   = write_q - read_q;
  wire [1:0] covers = {used_q == 4'd8 && valid2_q, valid && used_q == 4'd8 && !valid1_q && !valid2_q};
`ifdef GW_REACH
  gw_never u_never [$bits(covers)-1:0] (.clk_i, .rst_ni, .seen_i(covers));
`endif
  `GW_ASSERT(UsedIsWhatIsInside, {1'b0, used_q} == {1'b0, held} + {4'd0, valid} + {4'd0, valid1_q} + {4'd0, valid2_q})
  `GW_ASSERT(FirstIsShown, valid || held == 4'd0)
  `GW_ASSERT(StaysUntilTaken, !since_q || !waits_q || (valid && last == last_q && keep == keep_q))
  `GW_ASSERT(InThreeCycles, !issued_q[2] || valid)
  `GW_ASSERT(IssuesMoveOn, issued_q[1:0] == {valid2_q, valid1_q})
endmodule

`default_nettype wire
