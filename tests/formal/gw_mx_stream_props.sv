// gw_mx without a residual memory as an AXI4-Stream device: gw_stream_rules around it, for any chunks at any pace and any sink, whatever
// their beats and announced numbers of values are. Values themselves are not looked at.
`include "gw_assert.svh"
`default_nettype none

module gw_mx_stream_props #(
  parameter int Silence = 12
) (
  input wire logic         clk_i,
  input wire logic         rst_ni,
  input wire logic [1:0]   format_i,
  input wire logic         scale_i,
  input wire logic         residual_i,
  input wire logic [255:0] data_i,
  input wire logic [31:0]  keep_i,    // on a packet's last beat: anything
  input wire logic         valid_i,
  input wire logic         last_i,
  input wire logic [52:0]  user_i,
  input wire logic         ready_i
);
  wire         s_ready, valid, last, user;
  wire [255:0] unused_data;
  wire [31:0]  keep, unused_raws, unused_errors;
  gw_mx #(.Rows(0)) u_dut (
    .aclk(clk_i), .aresetn(rst_ni), .format_i, .scale_i, .residual_i,
    .s_axis_tdata(data_i), .s_axis_tkeep(keep_i), .s_axis_tvalid(valid_i), .s_axis_tready(s_ready), .s_axis_tlast(last_i),
    .s_axis_tuser(user_i), .m_axis_tdata(unused_data), .m_axis_tkeep(keep), .m_axis_tvalid(valid), .m_axis_tready(ready_i),
    .m_axis_tlast(last), .m_axis_tuser(user), .raw_count_o(unused_raws), .error_count_o(unused_errors)
  );
  wire [1:0] covers;
  gw_stream_rules #(.Bits(1), .Silence(Silence)) u_rules (
    .clk_i, .aresetn(rst_ni), .s_stalls_i(valid_i & ~s_ready), .s_ends_i(valid_i & s_ready & last_i),
    .m_valid_i(valid), .m_ready_i(ready_i), .m_last_i(last), .m_keep_i(keep), .m_bits_i(user), .covers_o(covers)
  );
`ifdef GW_REACH
  gw_never u_never [$bits(covers)-1:0] (.clk_i, .rst_ni, .seen_i(covers));
`endif
endmodule

`default_nettype wire
