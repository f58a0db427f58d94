// GW_DEVICE, which is gw_compressor or gw_decompressor, as an AXI4-Stream device: gw_stream_rules around it, for any packets at any
// pace and any sink. Values are any: a Compression Block is taken for one that makes any code of any value (gw_compression_block_free),
// and what a group is decoded to is not looked at.
`include "gw_assert.svh"
`default_nettype none

module gw_codec_stream_props #(
  parameter int Silence = 5,
  parameter int Stall = 0
) (
  input wire logic         clk_i,
  input wire logic         rst_ni,
  input wire logic [3:0]   bound_i,
  input wire logic         bounded_i,
  input wire logic [255:0] data_i,
  input wire logic [31:0]  keep_i,    // on a packet's last beat: anything
  input wire logic         valid_i,
  input wire logic         last_i,
  input wire logic         user_i,
  input wire logic         ready_i
);
  wire         s_ready, valid, last, user;
  wire [255:0] unused_data;
  wire [31:0]  keep, unused_errors;
  `GW_DEVICE u_dut (
    .aclk(clk_i), .aresetn(rst_ni), .bound_i, .bounded_i,
    .s_axis_tdata(data_i), .s_axis_tkeep(keep_i), .s_axis_tvalid(valid_i), .s_axis_tready(s_ready), .s_axis_tlast(last_i),
    .s_axis_tuser(user_i), .m_axis_tdata(unused_data), .m_axis_tkeep(keep), .m_axis_tvalid(valid), .m_axis_tready(ready_i),
    .m_axis_tlast(last), .m_axis_tuser(user), .error_count_o(unused_errors)
  );
  wire [1:0] covers;
  gw_stream_rules #(.Bits(1), .Silence(Silence), .Stall(Stall)) u_rules (
    .clk_i, .aresetn(rst_ni), .s_stalls_i(valid_i & ~s_ready), .s_ends_i(valid_i & s_ready & last_i),
    .m_valid_i(valid), .m_ready_i(ready_i), .m_last_i(last), .m_keep_i(keep), .m_bits_i(user), .covers_o(covers)
  );
`ifdef GW_REACH
  gw_never u_never [$bits(covers)-1:0] (.clk_i, .rst_ni, .seen_i(covers));
`endif
endmodule

`default_nettype wire
