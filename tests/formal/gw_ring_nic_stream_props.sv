// One node of the ring with a hostile host and hostile neighbours: whatever they send, banks are written and read in their windows, the
// numbers never fall, left takes nothing beyond limit nor right beyond top, and what the node sends is AXI4-Stream. The RTL's own
// assertions are proven with it. Values do not matter.
`include "gw_assert.svh"
`default_nettype none

module gw_ring_nic_stream_props #(
  parameter int SlotsLog2 = 1,
  parameter int BeatsLog2 = 0,
  parameter int Place = 1    // 0: node 0, 1: between, 2: the last one
) (
  input wire logic         clk_i,
  input wire logic         rst_ni,
  input wire logic [511:0] host_data_i,  // free, as all below
  input wire logic [63:0]  host_keep_i,
  input wire logic         host_valid_i,
  input wire logic         host_last_i,
  input wire logic [511:0] left_data_i,
  input wire logic [63:0]  left_keep_i,
  input wire logic         left_valid_i,
  input wire logic         left_last_i,
  input wire logic         left_user_i,
  input wire logic [511:0] right_data_i,
  input wire logic [63:0]  right_keep_i,
  input wire logic         right_valid_i,
  input wire logic         right_last_i,
  input wire logic         right_user_i,
  input wire logic [2:0]   ready_i
);
  // Pins are stable: registers that keep what they begin with.
  logic               whole_q;
  logic [1:0]         timeout_q;
  wire  [SlotsLog2:0] window = {1'b0, {SlotsLog2{1'b0}}} + (whole_q ? {1'b1, {SlotsLog2{1'b0}}} : {{SlotsLog2{1'b0}}, 1'b1});
  always_ff @(posedge clk_i) begin
    whole_q   <= whole_q;
    timeout_q <= timeout_q;
  end

  wire         host_ready, unused_left, unused_right;
  wire         h_valid, h_last, l_valid, l_last, r_valid, r_last;
  wire [63:0]  h_keep, l_keep, r_keep;
  wire [511:0] unused_h, unused_l, unused_r;
  wire [735:0] unused_stat;
  wire [4:0]   error;
  gw_ring_nic #(.SlotsLog2(SlotsLog2), .BeatsLog2(BeatsLog2), .AddLatency(1), .First(32'hFFFF_FFFF)) u_dut (
    .aclk(clk_i), .aresetn(rst_ni), .node_i(8'(Place)), .nodes_i(8'd3), .session_i(16'd7), .window_i(window),
    .timeout_i({15'd0, 1'b1, 2'd0, timeout_q}),
    .s_axis_host_tdata(host_data_i), .s_axis_host_tkeep(host_keep_i), .s_axis_host_tvalid(host_valid_i),
    .s_axis_host_tready(host_ready), .s_axis_host_tlast(host_last_i),
    .m_axis_host_tdata(unused_h), .m_axis_host_tkeep(h_keep), .m_axis_host_tvalid(h_valid), .m_axis_host_tready(ready_i[0]),
    .m_axis_host_tlast(h_last),
    .s_axis_left_tdata(left_data_i), .s_axis_left_tkeep(left_keep_i), .s_axis_left_tvalid(left_valid_i),
    .s_axis_left_tready(unused_left), .s_axis_left_tlast(left_last_i), .s_axis_left_tuser(left_user_i),
    .m_axis_left_tdata(unused_l), .m_axis_left_tkeep(l_keep), .m_axis_left_tvalid(l_valid), .m_axis_left_tready(ready_i[1]),
    .m_axis_left_tlast(l_last),
    .s_axis_right_tdata(right_data_i), .s_axis_right_tkeep(right_keep_i), .s_axis_right_tvalid(right_valid_i),
    .s_axis_right_tready(unused_right), .s_axis_right_tlast(right_last_i), .s_axis_right_tuser(right_user_i),
    .m_axis_right_tdata(unused_r), .m_axis_right_tkeep(r_keep), .m_axis_right_tvalid(r_valid), .m_axis_right_tready(ready_i[2]),
    .m_axis_right_tlast(r_last), .stat_o(unused_stat), .error_o(error)
  );

  // The node's state, connected by run.sh once the hierarchy is flat.
  (* keep *) wire [31:0] limit_q, free_q, left_expect_q, right_expect_q, given_q, read_q, left_chunk_q, right_chunk_q;
  (* keep *) wire        sum_read, sum_write, left_read, right_read, give_issue, right_send;

  // The chunks whose sums are on their way through the adder: three cycles from read to write.
  logic [31:0] adding1_q, adding2_q, adding3_q;
  logic [31:0] limit1_q, free1_q, left1_q, right1_q;
  logic [2:0]  waits_q;
  logic [194:0] shown_q;
  logic        since_q;
  wire [194:0] shown = {h_last, h_keep, l_last, l_keep, r_last, r_keep};
  always_ff @(posedge clk_i) begin
    since_q   <= rst_ni;
    adding1_q <= read_q;
    adding2_q <= adding1_q;
    adding3_q <= adding2_q;
    limit1_q  <= limit_q;
    free1_q   <= free_q;
    left1_q   <= left_expect_q;
    right1_q  <= right_expect_q;
    waits_q   <= {r_valid, l_valid, h_valid} & ~ready_i & {3{rst_ni}};
    shown_q   <= shown;
  end
  wire [31:0] windowed   = {{31-SlotsLog2{1'b0}}, window};
  wire [31:0] limit_from = limit_q - windowed;
  wire [31:0] free_from  = free_q - windowed;
  // k lies in the window that begins with `from`.
  wire in_left  = left_chunk_q - free_from < windowed;
  wire in_right = Place == 0 ? right_chunk_q - limit_from < windowed : right_chunk_q - free_from < windowed;

  wire [1:0] covers = {Place == 1 ? right_send && right_chunk_q != 32'hFFFF_FFFF && since_q && left_expect_q != 32'hFFFF_FFFF : right_send,
                       h_valid && h_last || r_valid && !r_last};
`ifdef GW_REACH
  gw_never u_never [$bits(covers)-1:0] (.clk_i, .rst_ni, .seen_i(covers));
`endif
  `GW_ASSERT(LimitNeverFalls, !since_q || limit_q - limit1_q <= windowed)
  `GW_ASSERT(FreeNeverFalls, !since_q || free_q - free1_q <= windowed)
  `GW_ASSERT(ExpectNeverFalls, !since_q || (left_expect_q - left1_q <= 32'd1 && right_expect_q - right1_q <= 32'd1))
  `GW_ASSERT(SumsAreWrittenInTheirWindow, !sum_write || adding3_q - free_from < windowed)
  `GW_ASSERT(FramesReadTheirWindow, (!left_read || in_left) && (!right_read || in_right))
  `GW_ASSERT(HostReadsItsWindow, !give_issue || given_q - free_from < windowed)
  `GW_ASSERT(NothingInReset, since_q || !(h_valid || l_valid || r_valid || host_ready))
  `GW_ASSERT(ValidStaysUntilReady, !since_q || (waits_q & ~{r_valid, l_valid, h_valid}) == 3'd0)
  `GW_ASSERT(PayloadStaysUntilReady, !since_q || ((!waits_q[0] || shown[194:130] == shown_q[194:130])
             && (!waits_q[1] || shown[129:65] == shown_q[129:65]) && (!waits_q[2] || shown[64:0] == shown_q[64:0])))
  `GW_ASSERT(PartialAtTheEndOnly, (!h_valid || h_last || (&h_keep)) && (!l_valid || l_last || (&l_keep))
             && (!r_valid || r_last || (&r_keep)))
  `GW_ASSERT(NoNeighbourNoFrame, (Place != 0 || !l_valid) && (Place != 2 || !r_valid))
  wire unused = ^error;
endmodule

`default_nettype wire
