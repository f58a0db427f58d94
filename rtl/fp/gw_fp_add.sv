// Sum or difference of two binary32 numbers, round to nearest even.
// Latency `Latency` cycles (1 or more; six steps), one result a cycle.
// Optimizer switch (IEICE'21) section 5.3; 12 cycles in profile paper, 6 in profile fast.
// SPDX-License-Identifier: Apache-2.0
`default_nettype none
`include "gw_fp_step.svh"

// Subnormal = 0: subnormal operands and results are signed zeros; 1: IEEE 754. NaN is always 0x7FC00000.
// enable_i[k]: register k, counted from the operands, takes a value; all ones, or a bit that moves on with
// each operation.
module gw_fp_add #(
  parameter int Latency = 12,
  parameter bit Subnormal = 1'b0
) (
  input  wire logic               clk_i,
  input  wire logic [Latency-1:0] enable_i,
  input  wire logic               subtract_i,
  input  wire logic [31:0]        a_i,
  input  wire logic [31:0]        b_i,
  output logic [31:0]             result_o
);
  initial if (Latency < 1) $fatal(1, "gw_fp_add: Latency must be at least 1");

  localparam int Steps = 6;
  `GW_FP_STEP(classified, 64, 0, gw_fp_add_pkg::classify(a_i, b_i ^ {subtract_i, 31'd0}, Subnormal))
  `GW_FP_STEP(aligned,    63, 1, gw_fp_add_pkg::align(classified, Subnormal))
  `GW_FP_STEP(added,      40, 2, gw_fp_add_pkg::add(aligned))
  `GW_FP_STEP(counted,    44, 3, gw_fp_add_pkg::count(added, Subnormal))
  `GW_FP_STEP(normalised, 38, 4, gw_fp_add_pkg::normalise(counted, Subnormal))
  `GW_FP_STEP(rounded,    32, 5, gw_fp_add_pkg::round(normalised))
  assign result_o = rounded;
endmodule

`default_nettype wire
