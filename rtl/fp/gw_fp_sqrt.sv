// Square root of a binary32 number, round to nearest even.
// Latency `Latency` cycles (1 or more; 8 to 26 steps, of 1 to 4 digits), one result a cycle.
// Optimizer switch (IEICE'21) section 5.3; 28 cycles in profile paper, 14 in profile fast.
// SPDX-License-Identifier: Apache-2.0
`default_nettype none
`include "gw_fp_step.svh"

// Subnormal = 0: subnormal operands are signed zeros; 1: IEEE 754. NaN is always 0x7FC00000. No root is
// subnormal.
// enable_i[k]: register k, counted from the operand, takes a value; all ones, or a bit that moves on with
// each operation.
module gw_fp_sqrt #(
  parameter int Latency = 28,
  parameter bit Subnormal = 1'b0
) (
  input  wire logic               clk_i,
  input  wire logic [Latency-1:0] enable_i,
  input  wire logic [31:0]        a_i,
  output logic [31:0]             result_o
);
  initial if (Latency < 1) $fatal(1, "gw_fp_sqrt: Latency must be at least 1");

  // 25 digits of a root from 1 to 2: 24 and one to round. The first is 1, the rows share the others, most of
  // them early, where they are short.
  localparam int Rows  = Latency < 8 ? 6 : Latency > 26 ? 24 : Latency - 2;
  localparam int Steps = Rows + 2;

  // Classify, normalise.
  `GW_FP_STEP(classified, 45, 0, gw_fp_sqrt_pkg::classify(a_i, Subnormal))

  // Root.
  wire [51:0] row     [0:Rows] /* verilator split_var */;  // root, inverted; remainder
  wire [42:0] beside  [0:Rows] /* verilator split_var */;  // prepared, operand to come
  assign row[0]    = {~25'd1, 25'd0, classified[25:24] - 2'd1};
  assign beside[0] = {classified[44:26], classified[23:0]};
  for (genvar i = 0; i < Rows; i++) begin : gen_row
    localparam int Done  = 1 + (24 * i + Rows - 1) / Rows;
    localparam int Count = 1 + (24 * (i + 1) + Rows - 1) / Rows - Done;
    `GW_FP_STEP(found, 52, i + 1,
      gw_fp_sqrt_pkg::digits(row[i][26:0], row[i][51:27], beside[i][23:16], Done[4:0], Count[2:0]))
    `GW_FP_STEP(moved, 43, i + 1, ({beside[i][42:24], beside[i][23:0] << (2 * Count)}))
    assign row[i+1]    = found;
    assign beside[i+1] = moved;
  end

  // Round, select. No root lies in the middle between two numbers: its square would have more bits than the
  // operand.
  `GW_FP_STEP(rounded, 32, Rows + 1, gw_fp_pkg::finish(beside[Rows][42:24], {1'b0, ~row[Rows][51:27]}, 1'b1,
                                                       Subnormal))
  assign result_o = rounded;
endmodule

`default_nettype wire
