// Quotient or square root of binary32 numbers, one digit a cycle on shared hardware; for one a cycle take
// gw_fp_div, gw_fp_sqrt.
// Latency 27 cycles, one operation at a time; the result stays until 27 cycles after the next start.
// Optimizer switch (IEICE'21) section 5.3, for iterative processing elements; not in the paper.
// SPDX-License-Identifier: Apache-2.0
`default_nettype none

// Operands are sampled in the cycle with start_i; start_i again from the cycle of the result on. Round to
// nearest even, Subnormal as in gw_fp_div. One row of digits, used 25 times.
module gw_fp_divsqrt_iterative #(
  parameter bit Subnormal = 1'b0
) (
  input  wire logic        clk_i,
  input  wire logic        rst_ni,
  input  wire logic        start_i,
  input  wire logic        root_i,  // 1: square root of a_i; 0: a_i / b_i
  input  wire logic [31:0] a_i,
  input  wire logic [31:0] b_i,
  output logic [31:0]      result_o
);
  localparam logic [4:0] Digits = 5'd25;  // and a first one in the cycle of the start

  // Classify, normalise, in the cycle of the start.
  wire        sign;
  wire [1:0]  kind;
  wire [9:0]  exponent;
  wire [23:0] divisor;
  wire [23:0] dividend;
  wire [24:0] remainder = {1'b0, dividend} - {1'b0, divisor};
  wire [18:0] root_prepared;
  wire [25:0] operand;
  assign {sign, kind, exponent, divisor, dividend} = gw_fp_div_pkg::classify(a_i, b_i, Subnormal);
  assign {root_prepared, operand} = gw_fp_sqrt_pkg::classify(a_i, Subnormal);

  // A digit, without restoring: the remainder of a quotient moves by one place and the divisor is subtracted,
  // or added if the remainder was negative; that of a root moves by two, with the operand's next bits, and 4
  // root + 1 is subtracted or 4 root + 3 added (gw_fp_sqrt_pkg).
  logic [4:0]  left_q;  // digits
  logic        root_q, done_q;
  logic        sign_q;
  logic [1:0]  kind_q;
  logic [9:0]  exponent_q;
  logic [18:0] prepared_q;
  logic [26:0] remainder_q;
  logic [23:0] below_q;  // the operand's bits to come (root), the divisor (quotient)
  logic [25:0] digits_q;
  wire         negative = remainder_q[26];
  wire  [27:0] moved = root_q ? {remainder_q[24:0], below_q[23:22], 1'b0} : {remainder_q[25:0], 2'b00};
  wire  [27:0] subtrahend = (root_q ? {digits_q[24:0], 3'b000} : {3'd0, below_q, 1'b0})
                            ^ (root_q ? {{25{negative}}, 3'b001} : {28{negative}});
  wire  [27:0] rest = moved - subtrahend;  // and a last bit, from which to borrow
  wire         unused_rest = rest[0];
  always_ff @(posedge clk_i) begin
    if (!rst_ni)             left_q <= '0;
    else if (start_i)        left_q <= root_i ? Digits - 5'd1 : Digits;
    else if (left_q != 5'd0) left_q <= left_q - 5'd1;
    done_q <= left_q == 5'd1;
  end
  always_ff @(posedge clk_i) begin
    if (start_i) begin
      root_q      <= root_i;
      sign_q      <= sign;
      kind_q      <= kind;
      exponent_q  <= exponent;
      prepared_q  <= root_prepared;
      remainder_q <= root_i ? {25'd0, operand[25:24] - 2'd1} : {{2{remainder[24]}}, remainder};
      below_q     <= root_i ? operand[23:0] : divisor;
      digits_q    <= {25'd0, root_i || !remainder[24]};
    end else if (left_q != 5'd0) begin
      if (root_q) below_q <= {below_q[21:0], 2'b00};
      else prepared_q <= gw_fp_pkg::prepare(sign_q, kind_q, exponent_q, Subnormal);
      remainder_q <= rest[27:1];
      digits_q    <= {digits_q[24:0], !rest[27]};
    end
  end

  // Denormalise, round, select. Neither a quotient nor a root lies in the middle between two numbers
  // (gw_fp_div, gw_fp_sqrt).
  wire sticky = !Subnormal || root_q || (remainder_q != 27'd0 && remainder_q != {3'b111, -below_q});
  logic [31:0] result_q;
  always_ff @(posedge clk_i)
    if (done_q) result_q <= gw_fp_pkg::finish(prepared_q, digits_q, sticky, Subnormal);
  assign result_o = result_q;
endmodule

`default_nettype wire
