// Proof obligation of gw_decompression_block, with the ceiling as gw_decompressor makes it: for every tag, payload, k in 0..15
// and mode it gives what the specification says.
`include "gw_assert.svh"
`default_nettype none

module gw_decompression_block_props (
  input wire logic        clk_i,
  input wire logic        rst_ni,
  input wire logic [1:0]  tag_i,
  input wire logic [31:0] payload_i,
  input wire logic [3:0]  bound_i,
  input wire logic        bounded_i
);
  `include "gw_codec_spec.svh"
  logic [31:0] value;
  gw_decompression_block u_dut (
    .tag_i, .payload_i, .ceiling_i(gw_codec_pkg::ceiling(bound_i, bounded_i)), .value_o(value)
  );
  // A magnitude of zero, a BYTE that the modes decode differently, each way to be large.
  wire [2:0] covers = {tag_i == 2'd3, tag_i == 2'd1 && bounded_i && value[30:23] != 8'd0,
                       tag_i == 2'd2 && value == 32'h8000_0000};
`ifdef GW_REACH
  gw_never u_never [$bits(covers)-1:0] (.clk_i, .rst_ni, .seen_i(covers));
`endif
  `GW_ASSERT(ValueIsTheClasss, value == spec_value(tag_i, payload_i, bound_i, bounded_i))
endmodule

`default_nettype wire
