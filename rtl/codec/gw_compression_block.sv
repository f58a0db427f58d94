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
  // Classify: how far the exponent lies below that of 1.0 (0 for all that are not below, 127 for a missing lane).
  function automatic [31:0] depth(input [31:0] value, input present);
    depth = {25'd0, (~value[29:23] & {7{~value[30]}}) | {7{~present}}};
  endfunction

  function automatic [2:0] size(input [31:0] depth, input [31:0] bound);
    size = (depth == 32'd0) ? 3'd4 : (depth <= bound >> 1) ? 3'd2 : {2'b00, depth <= bound};
  endfunction

  // Shift the significand to fixed point, below 1.0 or below BYTE's ceiling, and select by class; each class is a mask.
  function automatic [31:0] payload(input [31:0] value, input [31:0] depth, input [31:0] bound, input bounded);
    logic [31:0] raw, half_or_raw, not_zero, magnitude;
    raw         = {32{depth == 32'd0}};
    half_or_raw = {32{depth <= bound >> 1}};
    not_zero    = {32{depth <= bound}};
    magnitude   = ({9'd1, value[22:0]} >> 5'(depth - (bound >> 1 & {32{bounded}} & ~half_or_raw)));
    payload = (value & raw)
            | ({16'd0, value[31], magnitude[22:8]} & half_or_raw & ~raw)
            | ({24'd0, value[31], magnitude[22:16]} & not_zero & ~half_or_raw);
  endfunction

  always_ff @(posedge clk_i) begin
    size_o    <= size(depth(value_i, present_i), {28'd0, bound_i});
    payload_o <= payload(value_i, depth(value_i, present_i), {28'd0, bound_i}, bounded_i);
  end
endmodule

`default_nettype wire
