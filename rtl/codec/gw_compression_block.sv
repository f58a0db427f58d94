// Compression Block: encodes one binary32 value; classifies it by its exponent and keeps what its class keeps.
// Latency 1 cycle, one value a cycle.
// INCEPTIONN (MICRO'18) section VI-A, Figure 9, Algorithm 2.
`default_nettype none

module gw_compression_block (
  input  wire logic        clk_i,
  input  wire logic [31:0] value_i,
  input  wire logic        present_i,  // 0: the lane is missing and counts as zero
  input  wire logic [3:0]  bound_i,    // k of the bound 2^-k
  input  wire logic        bounded_i,  // 1: BYTE's bits start below its own ceiling; 0: below 1.0, as in the paper
  output logic [2:0]       size_o,     // bytes of payload: 0 ZERO, 1 BYTE, 2 HALF, 4 RAW
  output logic [31:0]      payload_o   // bytes above the size are zero
);
  // How far the exponent lies below that of 1.0; 0 for all values that are not below, 127 for missing ones.
  function automatic [31:0] depth_of(input [31:0] value, input present);
    depth_of = ((~(value >> 23) & {25'd0, {7{~value[30]}}}) | {25'd0, {7{~present}}});
  endfunction

  function automatic [31:0] encode(input [31:0] value, input [31:0] depth, input [31:0] bound, input bounded);
    // Classify, each class as a mask.
    logic [31:0] raw, to_half, to_byte, shift, magnitude;
    raw     = {32{depth == 32'd0}};
    to_half = {32{depth <= bound >> 1}};  // HALF or RAW
    to_byte = {32{depth <= bound}};       // BYTE, HALF or RAW
    // Shift the significand to fixed point, below 1.0 or below BYTE's ceiling.
    shift     = depth - ((bound >> 1) & {32{bounded}} & ~to_half);
    magnitude = ((value & 32'h007F_FF00) | 32'h0080_0000) >> shift[4:0];
    // Select.
    encode = (value & raw)
           | ({16'd0, value[31], magnitude[22:8]} & to_half & ~raw)
           | ({24'd0, value[31], magnitude[22:16]} & to_byte & ~to_half);
  endfunction

  wire [31:0] depth = depth_of(value_i, present_i);
  always_ff @(posedge clk_i) begin
    size_o    <= {depth == 0, depth <= {28'd0,bound_i}>>1 && depth != 0, depth <= {28'd0,bound_i} && depth > {28'd0,bound_i}>>1};
    payload_o <= encode(value_i, depth_of(value_i, present_i), {28'd0, bound_i}, bounded_i);
  end
endmodule

`default_nettype wire
