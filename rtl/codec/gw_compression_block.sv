// Compression Block: encodes one binary32 value; classifies it by its exponent and keeps what its class
// keeps.
// Latency 1 cycle, one value a cycle.
// INCEPTIONN (MICRO'18) section VI-A, Figure 9, Algorithm 2.
// SPDX-License-Identifier: Apache-2.0
`default_nettype none

module gw_compression_block (
  input  wire logic        clk_i,
  input  wire logic [31:0] value_i,
  input  wire logic [3:0]  bound_i,    // k of the bound 2^-k
  // 1: BYTE's bits start below its own ceiling; 0: below 1.0, as in the paper
  input  wire logic        bounded_i,
  output logic [1:0]       tag_o,      // 0 ZERO, 1 BYTE, 2 HALF, 3 RAW
  output logic [31:0]      payload_o   // 0, 1, 2 or 4 bytes; those above are zero
);
  // Classify: how far does the exponent lie below that of 1.0 (0 for all that are not below)? The tag is the
  // number of thresholds that the value reaches: 1.0, HALF's and BYTE's.
  function automatic [31:0] depth_of(input [31:0] value);
    depth_of = ~(value >> 23) & {25'd0, {7{~value[30]}}};
  endfunction

  function automatic [1:0] tag_of(input [31:0] depth, input [31:0] bound);
    tag_of = {1'b0, depth == 32'd0} + {1'b0, depth <= bound >> 1} + {1'b0, depth <= bound};
  endfunction

  // Shift the significand to fixed point, below 1.0 or below BYTE's ceiling, and select; each class is a
  // mask.
  function automatic [31:0] payload_of(input [31:0] value, input [31:0] depth, input [31:0] bound,
                                       input bounded);
    logic [31:0] raw, half_or_raw, coded;
    logic [14:0] magnitude;
    raw         = {32{depth == 32'd0}};
    half_or_raw = {32{depth <= bound >> 1}};
    coded       = {32{depth <= bound}};
    magnitude   = 15'({17'd1, value[22:8]} >> 5'(depth - (bound >> 1 & {32{bounded}} & ~half_or_raw)));
    payload_of  = (value & raw)
                | ({16'd0, value[31], magnitude} & half_or_raw & ~raw)
                | ({24'd0, value[31], magnitude[14:8]} & coded & ~half_or_raw);
  endfunction

  always_ff @(posedge clk_i) begin
    tag_o     <= tag_of(depth_of(value_i), {28'd0, bound_i});
    payload_o <= payload_of(value_i, depth_of(value_i), {28'd0, bound_i}, bounded_i);
  end
endmodule

`default_nettype wire
