// Proof obligation of a Compression Block followed by a Decompression Block, for every word, k in 1..14: mode bounded
// keeps the error below 2^-k, codes what it decoded as before, and neither mode flips a sign or touches a RAW word.
`include "gw_assert.svh"
`default_nettype none

module gw_codec_value_props (
  input wire logic        clk_i,
  input wire logic        rst_ni,
  input wire logic [31:0] value_i,
  input wire logic [3:0]  bound_i,
  input wire logic        bounded_i
);
  logic [1:0]  tag, again_tag;
  logic [31:0] payload, again_payload, decoded, value_q, value2_q;
  logic [3:0]  bound_q, bound2_q;
  logic        bounded_q, bounded2_q, legal_q, legal2_q;
  logic [1:0]  tag2_q;
  logic [31:0] payload2_q;
  gw_compression_block u_dut (.clk_i, .value_i, .bound_i, .bounded_i, .tag_o(tag), .payload_o(payload));
  gw_decompression_block u_back (
    .tag_i(tag), .payload_i(payload), .ceiling_i(gw_codec_pkg::ceiling(bound_q, bounded_q)), .value_o(decoded)
  );
  gw_compression_block u_again (
    .clk_i, .value_i(decoded), .bound_i(bound_q), .bounded_i(bounded_q), .tag_o(again_tag), .payload_o(again_payload)
  );
  always_ff @(posedge clk_i) begin
    legal_q    <= rst_ni && bound_i >= 4'd1 && bound_i <= 4'd14;
    legal2_q   <= rst_ni && legal_q;
    value_q    <= value_i;
    bound_q    <= bound_i;
    bounded_q  <= bounded_i;
    bounded2_q <= bounded_q;
    tag2_q     <= tag;
    payload2_q <= payload;
  end

  // Magnitudes of values below 1.0 in units of 2^-37: exponents from that of 2^-14 on lose nothing, smaller values count as
  // just below 2^-14.
  function automatic [36:0] fixed(input [31:0] f);
    if (f[30:23] >= 8'd113) fixed = {13'd0, 1'b1, f[22:0]} << (f[30:23] - 8'd113);
    else fixed = f[30:0] == 31'd0 ? 37'd0 : 37'h7F_FFFF;
  endfunction
  wire        small = value_q[30:23] < 8'd127;
  wire [36:0] x     = fixed(value_q);
  wire [36:0] y     = fixed(decoded);
  wire [36:0] limit = 37'd1 << (6'd37 - {2'd0, bound_q});

  wire [1:0] covers = {legal_q && !bounded_q && small && x - y >= limit,  // the paper's mode exceeds its bound
                       legal_q && bounded_q && small && x - y == limit - 37'd1};
`ifdef GW_REACH
  gw_never u_never [$bits(covers)-1:0] (.clk_i, .rst_ni, .seen_i(covers));
`endif
  `GW_ASSERT(NeverLarger, !legal_q || !small || y <= x)
  `GW_ASSERT(BoundHolds, !legal_q || !bounded_q || !small || x - y < limit)
  `GW_ASSERT(RawIsUntouched, !legal_q || small || decoded == value_q)
  `GW_ASSERT(SignIsKept, !legal_q || decoded[31] == value_q[31] || decoded == 32'd0)
  `GW_ASSERT(CodesAsBefore, !legal2_q || !bounded2_q || (again_tag == tag2_q && again_payload == payload2_q))
endmodule

`default_nettype wire
