// Proof obligation of gw_compression_block: for every word, k in 0..15 and mode it gives what the specification says.
`include "gw_assert.svh"
`default_nettype none

module gw_compression_block_props (
  input wire logic        clk_i,
  input wire logic        rst_ni,
  input wire logic [31:0] value_i,
  input wire logic [3:0]  bound_i,
  input wire logic        bounded_i
);
  `include "gw_codec_spec.svh"
  logic [1:0]  tag, tag_q;
  logic [31:0] payload, payload_q;
  gw_compression_block u_dut (.clk_i, .value_i, .bound_i, .bounded_i, .tag_o(tag), .payload_o(payload));

  logic looked_q;
  always_ff @(posedge clk_i) begin
    looked_q  <= rst_ni;
    tag_q     <= spec_tag(value_i, bound_i);
    payload_q <= spec_payload(value_i, bound_i, bounded_i);
  end

  // Each class, at its ends and inside; a BYTE that the modes code differently.
  wire [3:0] covers = {looked_q && tag_q == 2'd1 && payload_q[6:0] == 7'd0, looked_q && tag_q == 2'd2,
                       looked_q && tag_q == 2'd3, looked_q && tag_q == 2'd0};
`ifdef GW_REACH
  gw_never u_never [$bits(covers)-1:0] (.clk_i, .rst_ni, .seen_i(covers));
`endif
  `GW_ASSERT(TagIsTheClass, !looked_q || tag == tag_q)
  `GW_ASSERT(PayloadIsTheClasss, !looked_q || payload == payload_q)
endmodule

`default_nettype wire
