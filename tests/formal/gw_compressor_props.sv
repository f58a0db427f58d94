// Proof obligation of gw_compressor's credit: whatever comes in and however the sink waits, `used` is the contract's count,
// and what is merged or flushed finds room in the output queue.
`include "gw_assert.svh"
`default_nettype none

module gw_compressor_props (
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
  wire [255:0] s_data = {{224{1'b1}}, data_i[31:0]};  // what covers and mutants need, found sooner: seven RAW lanes
`else
  wire [255:0] s_data = data_i;
`endif
  logic         s_ready, valid, last, user;
  logic [255:0] data;
  logic [31:0]  keep, errors;
  gw_compressor u_dut (
    .aclk(clk_i), .aresetn(rst_ni), .bound_i, .bounded_i,
    .s_axis_tdata(s_data), .s_axis_tkeep(keep_i), .s_axis_tvalid(valid_i), .s_axis_tready(s_ready), .s_axis_tlast(last_i),
    .s_axis_tuser(user_i), .m_axis_tdata(data), .m_axis_tkeep(keep), .m_axis_tvalid(valid), .m_axis_tready(ready_i),
    .m_axis_tlast(last), .m_axis_tuser(user), .error_count_o(errors)
  );

  // The device's state, connected by run.sh once the hierarchy is flat.
  (* keep *) wire [5:0] used_q, write_q, read_q;
  (* keep *) wire       in_valid_q, blocks_valid_q, vector_valid_q, merge_q, flush_q;
  wire [5:0] queued    = write_q - read_q;
  wire [5:0] under_way = {5'd0, in_valid_q} + {5'd0, blocks_valid_q} + {5'd0, vector_valid_q} + {5'd0, merge_q};

  // Beats wait; a flush has a cycle to itself.
  wire [1:0] covers = {flush_q && !merge_q, queued == 6'd3};
  // AXI4-Stream's rules of the handshake.
  logic waited_q, reset_q;
  always_ff @(posedge clk_i) begin
    reset_q  <= !rst_ni;
    waited_q <= rst_ni && valid && !ready_i;
  end
`ifdef GW_REACH
  gw_never u_never [$bits(covers)-1:0] (.clk_i, .rst_ni, .seen_i(covers));
`endif
  `GW_ASSERT(UsedIsTheCount, used_q == queued + {under_way[4:0], 1'b0})
  `GW_ASSERT(NeverMoreThanQueue, used_q <= 6'd32)
  `GW_ASSERT(QueueNeverOverflows, queued <= 6'd32)
  `GW_ASSERT(ValidUnlessEmpty, valid == (queued != 6'd0))
  `GW_ASSERT(ReadyByCredit, !s_ready || used_q <= 6'd29)
  `GW_ASSERT(ValidStaysUntilReady, !waited_q || valid)
  `GW_ASSERT(NothingBehindReset, !reset_q || (!valid && !s_ready))
endmodule

`default_nettype wire
