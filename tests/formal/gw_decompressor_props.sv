// Proof obligation of gw_decompressor's credit: whatever comes in and however the sink waits, `used` is the contract's count,
// and a group that is decoded finds room in the output queue.
`include "gw_assert.svh"
`default_nettype none

module gw_decompressor_props (
  input wire logic         clk_i,
  input wire logic         rst_ni,
  input wire logic [3:0]   bound_i,
  input wire logic         bounded_i,
  input wire logic [255:0] data_i,
  input wire logic [31:0]  keep_i,
  input wire logic         valid_i,
  input wire logic         last_i,
  input wire logic         user_i,
  input wire logic         ready_i
);
`ifdef GW_SHORT
  wire [255:0] s_data = 256'd0;  // what covers and mutants need, found sooner: ZERO groups alone
`else
  wire [255:0] s_data = data_i;
`endif
  logic         s_ready, valid, last, user;
  logic [255:0] data;
  logic [31:0]  keep, errors;
  gw_decompressor u_dut (
    .aclk(clk_i), .aresetn(rst_ni), .bound_i, .bounded_i,
    .s_axis_tdata(s_data), .s_axis_tkeep(keep_i), .s_axis_tvalid(valid_i), .s_axis_tready(s_ready), .s_axis_tlast(last_i),
    .s_axis_tuser(user_i), .m_axis_tdata(data), .m_axis_tkeep(keep), .m_axis_tvalid(valid), .m_axis_tready(ready_i),
    .m_axis_tlast(last), .m_axis_tuser(user), .error_count_o(errors)
  );

  // The device's state, connected by run.sh once the hierarchy is flat.
  (* keep *) wire [4:0] used_q, write_q, read_q;
  (* keep *) wire [2:0] held_q;
  (* keep *) wire       issued_q, decoded_q;
  wire [4:0] queued = write_q - read_q;

  // Groups wait and the buffer is full; a group is issued while another one leaves.
  wire [1:0] covers = {issued_q && decoded_q && valid && ready_i, queued == 5'd3 && held_q == 3'd4 && valid_i && !s_ready};
  // AXI4-Stream's rules of the handshake.
  logic waited_q, reset_q;
  always_ff @(posedge clk_i) begin
    reset_q  <= !rst_ni;
    waited_q <= rst_ni && valid && !ready_i;
  end
`ifdef GW_REACH
  gw_never u_never [$bits(covers)-1:0] (.clk_i, .rst_ni, .seen_i(covers));
`endif
  `GW_ASSERT(UsedIsTheCount, used_q == queued + {4'd0, issued_q} + {4'd0, decoded_q})
  `GW_ASSERT(NeverMoreThanQueue, used_q <= 5'd16)
  `GW_ASSERT(ValidUnlessEmpty, valid == (queued != 5'd0))
  `GW_ASSERT(BufferHoldsFour, held_q <= 3'd4)
  `GW_ASSERT(ReadyUnlessFull, !s_ready || held_q <= 3'd3)
  `GW_ASSERT(ValidStaysUntilReady, !waited_q || valid)
  `GW_ASSERT(NothingBehindReset, !reset_q || (!valid && !s_ready))
  `GW_ASSERT(KeepIsAllOnes, keep == 32'hFFFF_FFFF)
endmodule

`default_nettype wire
