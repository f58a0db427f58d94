// Product of two binary32 numbers, round to nearest even.
// Latency `Latency` cycles (1 or more; four steps), one result a cycle.
// Optimizer switch (IEICE'21) section 5.3; 9 cycles in profile paper, 4 in profile fast.
// SPDX-License-Identifier: Apache-2.0
`default_nettype none
`include "gw_fp_step.svh"

// Subnormal = 0: subnormal operands and results are signed zeros; 1: IEEE 754. NaN is always 0x7FC00000.
// enable_i[k]: register k, counted from the operands, takes a value; all ones, or a bit that moves on with
// each operation.
module gw_fp_mul #(
  parameter int Latency = 9,
  parameter bit Subnormal = 1'b0
) (
  input  wire logic               clk_i,
  input  wire logic [Latency-1:0] enable_i,
  input  wire logic [31:0]        a_i,
  input  wire logic [31:0]        b_i,
  output logic [31:0]             result_o
);
  initial if (Latency < 1) $fatal(1, "gw_fp_mul: Latency must be at least 1");

  // Two partial products, as wide as a DSP slice takes them, and their sum: registers that a slice has
  // itself.
  localparam int Steps = 4;
  `GW_FP_STEP(classified, 61, 0, gw_fp_mul_pkg::classify(a_i, b_i, Subnormal))
  wire        sign;
  wire [1:0]  kind;
  wire [9:0]  exponent;
  wire [23:0] a, b;  // significands
  assign {sign, kind, exponent, a, b} = classified;
  `GW_FP_STEP(low,        41, 1, {17'd0, a} * {24'd0, b[16:0]})
  `GW_FP_STEP(high,       31, 1, {7'd0, a} * {24'd0, b[23:17]})
  `GW_FP_STEP(prepared1,  19, 1, gw_fp_pkg::prepare(sign, kind, exponent, Subnormal))
  `GW_FP_STEP(product,    31, 2, {7'd0, low[40:17]} + high)
  `GW_FP_STEP(below,      1,  2, low[16:0] != 17'd0)
  `GW_FP_STEP(prepared2,  19, 2, prepared1)
  `GW_FP_STEP(rounded,    32, 3, gw_fp_pkg::finish(prepared2, product[30:5], product[4:0] != 5'd0 || below,
                                                   Subnormal))
  assign result_o = rounded;
endmodule

`default_nettype wire
