// gw_optimization as an AXI4-Stream device: gw_stream_rules around it, for any frames as the parser or the aggregation gives them out, at
// any pace, and any sink, while the host does not write. With gw_parser's rules that makes those of gw_optimizer. New parameters are
// any (gw_optimizer_array_free). Further than any traffic is followed (Traffic = 0) reaches what needs no choice of pauses: gradient
// frames of three beats, one behind the other, and a sink that is always ready (1).
`include "gw_assert.svh"
`default_nettype none

module gw_optimization_stream_props #(
  parameter int Traffic = 0,
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
  localparam bit Steady = Traffic != 0;
  wire offered = valid_i | Steady;
  wire taking  = ready_i | Steady;
  // Frames as the parser gives them out: what a frame is, is the same in each of its beats; a gradient frame has values, and is long
  // enough for them. The iteration and the sequence number are those of few bits.
  logic [2:0]  index_q;  // of the beat that is offered; 6: any behind the payload
  logic [31:0] frame_q;
  wire         first     = index_q == 3'd0;
  wire [31:0]  frame     = first ? user_i[31:0] : frame_q;
  wire         gradient  = frame[0] | Steady;
  wire [5:0]   count     = {1'b0, frame[5:4] & {2{!Steady}}, frame[3:1]} + 6'd1;
  wire [2:0]   beats     = 3'd2 + {1'b0, frame[5:4] & {2{!Steady}}};  // index of the last payload beat
  wire         s_last    = (last_i | Steady) && (!gradient || index_q >= beats);
  wire [31:0]  s_keep    = 32'hFFFF_FFFF >> (pad_i & {5{s_last}});
  wire [191:0] s_user    = {42'd0, frame[31:30], 4'd0, 16'd0, 16'd0, 14'd0, frame[13:12], 32'd0,
                            30'd0, frame[11:10], 8'd0,
                            2'd0, count, 8'd0, 1'b0, frame[14] | Steady, 3'd0,
                            gradient ? gw_expether_pkg::KindGradient : gw_expether_pkg::KindPlain};
  always_ff @(posedge clk_i) begin
    if (!rst_ni) index_q <= '0;
    else if (offered && s_ready) index_q <= s_last ? 3'd0 : index_q == 3'd6 ? 3'd6 : index_q + 3'd1;
    frame_q <= frame;
  end

  wire         selected = gw_expether_pkg::selects(s_user[2:0], s_user[6], s_user[63:32], D);
  wire         s_ready, valid, last;
  wire [255:0] data;
  wire [31:0]  keep;
  wire [191:0] user;
  wire [127:0] unused_stat;
  wire [31:0]  unused_data;
  gw_optimization #(.Algorithm(0), .DepthLog2(D)) u_dut (
    .aclk(clk_i), .aresetn(rst_ni), .cfg_valid_i(1'b0), .cfg_address_i(32'd0), .cfg_data_i(32'd0),
    .s_axis_tdata(data_i), .s_axis_tkeep(s_keep), .s_axis_tvalid(offered), .s_axis_tready(s_ready), .s_axis_tlast(s_last),
    .s_axis_tuser(s_user), .s_selected_i(selected), .m_axis_tdata(data), .m_axis_tkeep(keep), .m_axis_tvalid(valid), .m_axis_tready(taking),
    .m_axis_tlast(last), .m_axis_tuser(user), .stat_o(unused_stat), .job_reset_i(1'b0), .cfg_restore_i(1'b0), .cfg_read_i(1'b0),
    .cfg_data_o(unused_data)
  );
  wire unused = ^data;
  wire [1:0] covers;
  gw_stream_rules #(.Silence(8)) u_rules (
    .clk_i, .aresetn(rst_ni), .s_stalls_i(offered & ~s_ready), .s_ends_i(offered & s_ready & s_last),
    .m_valid_i(valid), .m_ready_i(taking), .m_last_i(last), .m_keep_i(keep), .m_bits_i(user[149:142]), .covers_o(covers)
  );
`ifdef GW_REACH
  gw_never u_never [$bits(covers)-1:0] (.clk_i, .rst_ni, .seen_i(covers));
`endif
endmodule

`default_nettype wire
