// gw_aggregation as an AXI4-Stream device: gw_stream_rules around it, for any frames as the parser gives them out, at any pace, and any
// sink. With gw_parser's rules that makes those of gw_aggregator. Sums are any (gw_fp_add_free).
`include "gw_assert.svh"
`default_nettype none

module gw_aggregation_stream_props #(
  parameter int A = 2,  // AddLatency
  parameter int D = 1   // DepthLog2
) (
  input wire logic         clk_i,
  input wire logic         rst_ni,
  input wire logic [255:0] data_i,
  input wire logic [4:0]   pad_i,
  input wire logic         valid_i,
  input wire logic         last_i,
  input wire logic [191:0] user_i,
  input wire logic         ready_i
);
  // Frames as the parser gives them out: what a frame is, is the same in each of its beats; a gradient frame has values, and is long
  // enough for them. The iteration and the sequence number are those of few bits.
  logic [2:0]  index_q;  // of the beat that is offered; 6: any behind the payload
  logic [31:0] frame_q;
  wire         first     = index_q == 3'd0;
  wire [31:0]  frame     = first ? user_i[31:0] : frame_q;
  wire         gradient  = frame[0];
  wire [5:0]   count     = {1'b0, frame[5:1]} + 6'd1;
  wire [2:0]   beats     = 3'd2 + {1'b0, frame[5:4]};  // index of the last payload beat
  wire         s_last    = last_i && (!gradient || index_q >= beats);
  wire [31:0]  s_keep    = 32'hFFFF_FFFF >> (pad_i & {5{s_last}});
  wire [191:0] s_user    = {42'd0, frame[31:30], 4'd0, 16'd0, 16'd0, 14'd0, frame[13:12], 30'd0, frame[9:8], 30'd0, frame[11:10], 8'd0,
                            2'd0, count, 8'd0, 1'b0, frame[14], 3'd0,
                            gradient ? gw_expether_pkg::KindGradient : gw_expether_pkg::KindPlain};
  always_ff @(posedge clk_i) begin
    if (!rst_ni) index_q <= '0;
    else if (valid_i && s_ready) index_q <= s_last ? 3'd0 : index_q == 3'd6 ? 3'd6 : index_q + 3'd1;
    frame_q <= frame;
  end
  // Pins that hold still.
  logic [4:0] workers_q;
  logic [D:0] depth_q;
  always_ff @(posedge clk_i) begin
    workers_q <= workers_q;
    depth_q   <= depth_q;
  end
  wire         s_ready, valid, last;
  wire [255:0] data;
  wire [31:0]  keep;
  wire [191:0] user;
  wire [319:0] unused_stat;
  wire         clearing, selected;
  gw_aggregation #(.DepthLog2(D), .AddLatency(A)) u_dut (
    .aclk(clk_i), .aresetn(rst_ni), .workers_i(workers_q), .group_i(16'd0), .depth_i(depth_q),
    .s_axis_tdata(data_i), .s_axis_tkeep(s_keep), .s_axis_tvalid(valid_i), .s_axis_tready(s_ready), .s_axis_tlast(s_last),
    .s_axis_tuser(s_user), .m_axis_tdata(data), .m_axis_tkeep(keep), .m_axis_tvalid(valid), .m_axis_tready(ready_i),
    .m_axis_tlast(last), .m_axis_tuser(user), .m_selected_o(selected), .stat_o(unused_stat), .job_reset_i(1'b0), .clearing_o(clearing)
  );
  wire unused = ^data;
  wire [1:0] covers;
  gw_stream_rules #(.Silence(A + 3), .Stall(A + 2)) u_rules (
    .clk_i, .aresetn(rst_ni), .s_stalls_i(valid_i & ~s_ready), .s_ends_i(valid_i & s_ready & s_last),
    .m_valid_i(valid), .m_ready_i(ready_i), .m_last_i(last), .m_keep_i(keep), .m_bits_i(user[149:142]), .covers_o(covers)
  );
  `GW_ASSERT(SelectedIsTheFrames, !valid || selected == gw_expether_pkg::selects(user[2:0], user[6], user[63:32], D))
  // And a frame waits for one with its sequence number.
`ifdef GW_REACH
  wire [2:0] all_covers = {valid_i && !s_ready && !clearing && ready_i && first, covers};
  gw_never u_never [$bits(all_covers)-1:0] (.clk_i, .rst_ni, .seen_i(all_covers));
`endif
endmodule

`default_nettype wire
