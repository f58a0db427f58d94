// gw_parser as an AXI4-Stream device: gw_stream_rules around it, for any frames at any pace and any sink.
`include "gw_assert.svh"
`default_nettype none

module gw_parser_stream_props (
  input wire logic         clk_i,
  input wire logic         rst_ni,
  input wire logic [255:0] data_i,
  input wire logic [4:0]   pad_i,
  input wire logic         valid_i,
  input wire logic         last_i,
  input wire logic [1:0]   user_i,
  input wire logic         ready_i
);
  wire [31:0]   s_keep = 32'hFFFF_FFFF >> (pad_i & {5{last_i}});
  wire          s_ready, valid, last;
  wire [255:0]  data;
  wire [31:0]   keep;
  wire [191:0]  user;
  wire [383:0]  unused_stat;
  gw_parser u_dut (
    .aclk(clk_i), .aresetn(rst_ni),
    .s_axis_tdata(data_i), .s_axis_tkeep(s_keep), .s_axis_tvalid(valid_i), .s_axis_tready(s_ready), .s_axis_tlast(last_i),
    .s_axis_tuser(user_i), .m_axis_tdata(data), .m_axis_tkeep(keep), .m_axis_tvalid(valid), .m_axis_tready(ready_i),
    .m_axis_tlast(last), .m_axis_tuser(user), .stat_o(unused_stat)
  );
  wire [1:0] covers;
  gw_stream_rules #(.Bits(16), .Silence(4), .Stall(2)) u_rules (
    .clk_i, .aresetn(rst_ni), .s_stalls_i(valid_i & ~s_ready), .s_ends_i(valid_i & s_ready & last_i),
    .m_valid_i(valid), .m_ready_i(ready_i), .m_last_i(last),
    .m_keep_i(keep), .m_bits_i({user[149:142], data[7:0]}), .covers_o(covers)
  );
`ifdef GW_REACH
  gw_never u_never [$bits(covers)-1:0] (.clk_i, .rst_ni, .seen_i(covers));
`endif
endmodule

`default_nettype wire
