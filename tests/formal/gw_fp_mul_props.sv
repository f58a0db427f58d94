// Proof obligation of gw_fp_mul: exact product, rounded once to nearest even, for every first operand and every second one
// with at most 3 fraction bits. That reaches each case of the rounding and of the exponents; a full multiplier is
// beyond what these solvers do in a minute.
`include "gw_assert.svh"
`default_nettype none

module gw_fp_mul_props #(
  parameter bit Subnormal = 1'b0,
  localparam int Bits = 3
) (
  input wire logic        clk_i,
  input wire logic        rst_ni,
  input wire logic [31:0] a_i,
  input wire logic [31:0] b_all_i
);
  wire [31:0] b_i = {b_all_i[31:23-Bits], {(23 - Bits){1'b0}}};
  logic [31:0] result;
  gw_fp_mul #(.Latency(1), .Subnormal(Subnormal)) u_dut (.clk_i, .enable_i(1'b1), .a_i, .b_i, .result_o(result));

  // Operands as integers times powers of two: significand * 2^(exponent - 150), exponent 1 for subnormals.
  wire        a_low = a_i[30:23] == 8'd0, b_low = b_i[30:23] == 8'd0;
  wire [23:0] a = a_low ? (Subnormal ? {1'b0, a_i[22:0]} : 24'd0) : {1'b1, a_i[22:0]};
  wire [23:0] b = b_low ? (Subnormal ? {1'b0, b_i[22:0]} : 24'd0) : {1'b1, b_i[22:0]};
  wire        a_top = &a_i[30:23], b_top = &b_i[30:23];
  wire        nan = (a_top && a_i[22:0] != 23'd0) || (b_top && b_i[22:0] != 23'd0)
                    || (a_top && b == 24'd0 && b_low) || (b_top && a == 24'd0 && a_low);
  wire        infinite = a_top || b_top;

  // The product, with its leading one brought to bit 47; exponent: biased, of that bit, plus 256.
  function automatic [31:0] product(input [23:0] x, input [23:0] y, input [9:0] sum, input subnormal);
    logic [47:0] p;
    logic [10:0] exponent;
    logic [47:0] lost;
    logic [24:0] kept;
    logic        guard, rest;
    p = x * {24'd0, y};
    exponent = {1'b0, sum} + 11'd256 - 11'd127 + 11'd1;
    for (int i = 0; i < 46; i++) begin
      if (!p[47]) begin
        p = p << 1;
        exponent = exponent - 11'd1;
      end
    end
    // As many places as lie below the smallest exponent go; without subnormals none, the result is looked at instead.
    lost = 48'd0;
    if (subnormal && exponent < 11'd257) begin
      lost = 11'd257 - exponent > 11'd47 ? p : p & ~(48'hFFFF_FFFF_FFFF << (11'd257 - exponent));
      p    = 11'd257 - exponent > 11'd47 ? 48'd0 : p >> (11'd257 - exponent);
      exponent = 11'd256;  // the hidden one, if rounding brings it, makes it a normal number
    end
    guard = p[23];
    rest  = p[22:0] != 23'd0 || lost != 48'd0;
    kept  = {1'b0, p[47:24]} + {24'd0, guard && (rest || p[24])};
    if (exponent == 11'd256 && subnormal) begin
      product = {7'd0, kept[24:0]};  // 23 fraction bits, the hidden one is the exponent 1
    end else begin
      if (kept[24]) exponent = exponent + 11'd1;
      if (exponent < 11'd257) product = 32'd0;
      else if (exponent > 11'd256 + 11'd254) product = 32'h7F80_0000;
      else product = {1'b0, 8'(exponent - 11'd256), kept[22:0]};
    end
    if (x == 24'd0 || y == 24'd0) product = 32'd0;
  endfunction

  wire [9:0] sum = {2'd0, a_low ? 8'd1 : a_i[30:23]} + {2'd0, b_low ? 8'd1 : b_i[30:23]};
  logic        seen_q;
  logic [31:0] expected_q;
  always_ff @(posedge clk_i) begin
    seen_q     <= rst_ni;
    expected_q <= nan ? 32'h7FC0_0000 : infinite ? {a_i[31] ^ b_i[31], 31'h7F80_0000}
                  : product(a, b, sum, Subnormal) | {a_i[31] ^ b_i[31], 31'd0};
  end

  // A largest finite number; a smallest one that is not a zero.
  wire [1:0] covers = {seen_q && expected_q[30:0] == 31'h7F7F_FFFF,
                       seen_q && expected_q[30:0] == (Subnormal ? 31'd1 : 31'h0080_0000)};
`ifdef GW_REACH
  gw_never u_never [$bits(covers)-1:0] (.clk_i, .rst_ni, .seen_i(covers));
`endif
  `GW_ASSERT(ProductIsRoundedOnce, !seen_q || result == expected_q)
endmodule

`default_nettype wire
