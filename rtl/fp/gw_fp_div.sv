// Quotient of two binary32 numbers, round to nearest even.
// Latency `Latency` cycles (1 or more; twelve steps), one result a cycle.
// Optimizer switch (IEICE'21) section 5.3; 29 cycles in profile paper, 12 in profile fast.
// SPDX-License-Identifier: Apache-2.0
`default_nettype none
`include "gw_fp_step.svh"

// Subnormal = 0: subnormal operands and results are signed zeros; 1: IEEE 754. NaN is always 0x7FC00000.
// enable_i[k]: register k, counted from the operands, takes a value; all ones, or a bit that moves on with
// each operation.
module gw_fp_div #(
  parameter int Latency = 29,
  parameter bit Subnormal = 1'b0
) (
  input  wire logic               clk_i,
  input  wire logic [Latency-1:0] enable_i,
  input  wire logic [31:0]        a_i,
  input  wire logic [31:0]        b_i,
  output logic [31:0]             result_o
);
  initial if (Latency < 1) $fatal(1, "gw_fp_div: Latency must be at least 1");

  localparam int Steps = 12;

  // Classify, normalise.
  `GW_FP_STEP(classified, 61, 0, gw_fp_div_pkg::classify(a_i, b_i, Subnormal))
  wire [23:0] a1 = classified[23:0];
  wire [23:0] b1 = classified[47:24];

  // y = -1 / b, 17 places after the point, rounded down: too large by e, less than 2^-13, in proportion.
  // A subnormal divisor must be normalised before its chord is looked up; else that is done in the same step.
  wire [31:0] chord;
  if (Subnormal) begin : gen_after
    assign chord = gw_fp_div_pkg::Chords[{b1[22:17], 5'd0} +: 32];
  end else begin : gen_beside
    `GW_FP_STEP(looked_up, 32, 0, gw_fp_div_pkg::Chords[{b_i[22:17], 5'd0} +: 32])
    assign chord = looked_up;
  end
  `GW_FP_STEP(slope, 43, 1, gw_fp_div_pkg::multiply({8'd0, b1[16:0]}, {6'd0, chord[11:0]}))
  `GW_FP_STEP(start, 18, 1, 18'(chord >> 12))
  `GW_FP_STEP(y3,    18, 2, 18'(({start, 18'd0} + 36'(slope)) >> 18))

  // -a / b, 16 places after the point, rounded down: beyond it by less than 2 e + 2^-16. What then remains of
  // a, negative.
  `GW_FP_LATER(a3, 24, 1, 3, a1)
  `GW_FP_LATER(b5, 24, 1, 5, b1)
  `GW_FP_STEP(product4, 43, 3, gw_fp_div_pkg::multiply({1'b0, a3}, y3))
  `GW_FP_STEP(high5,    18, 4, 18'(product4 >> 24))
  `GW_FP_STEP(product6, 43, 5, gw_fp_div_pkg::multiply({1'b0, b5}, high5))
  `GW_FP_LATER(a6,      12, 3, 6, a3[11:0])
  `GW_FP_STEP(rest7,    28, 6, {a6, 16'd0} + 28'(product6))

  // The same with what remains, to 25 places after the point.
  `GW_FP_LATER(y7, 18, 3, 7, y3)
  `GW_FP_LATER(b9, 24, 5, 9, b5)
  `GW_FP_LATER(high9, 17, 5, 9, high5[16:0])
  `GW_FP_STEP(product8, 43, 7, gw_fp_div_pkg::multiply(rest7[27:3], y7))
  `GW_FP_STEP(low9,     14, 8, 14'(product8 >> 28))

  // Together the quotient or a unit more, less than a unit beyond it; inverted, the quotient or a unit less.
  // Which it is, says what now remains: no negative number if the quotient is a unit more.
  `GW_FP_STEP(sum10,     26, 9, {high9, 9'd0} + {12'd0, low9})
  `GW_FP_STEP(product10, 43, 9, gw_fp_div_pkg::multiply({1'b0, b9}, {4'd0, low9}))
  `GW_FP_LATER(rest10,   16, 7, 10, rest7[15:0])
  `GW_FP_STEP(rest11,    25, 10, {rest10, 9'd0} + 25'(product10))
  `GW_FP_STEP(sum11,     26, 10, sum10)
  `GW_FP_LATER(operands10, 13, 1, 10, classified[60:48])
  `GW_FP_STEP(prepared11, 19, 10, gw_fp_pkg::prepare(operands10[12], operands10[11:10], operands10[9:0],
                                                     Subnormal))

  // Denormalise, round, select. No quotient of normal numbers lies in the middle between two numbers, and one
  // that comes out even needs no more digits than the operands have. So nobody sees whether it came out even,
  // nor whether one more carries: where it would, the digits without it round up to the same number.
  wire [25:0] quotient;
  wire [25:0] digits11 = ~sum11;
  wire        sticky;
  wire        unused = ^{slope, product6, product10};  // where they are longer than what comes of them
  if (Subnormal) begin : gen_subnormal
    `GW_FP_STEP(next11, 26, 10, -sum10)
    assign quotient = rest11[24] ? digits11 : next11;
    assign sticky   = rest11 != 25'd0;
  end else begin : gen_flush
    wire unused_rest = ^rest11;
    assign quotient = {digits11[25:2], &digits11[1:0] ? 2'd3 : digits11[1:0] + {1'b0, !rest11[24]}};
    assign sticky   = 1'b1;
  end
  `GW_FP_STEP(rounded, 32, 11, gw_fp_pkg::finish(prepared11, quotient, sticky, Subnormal))
  assign result_o = rounded;
endmodule

`default_nettype wire
