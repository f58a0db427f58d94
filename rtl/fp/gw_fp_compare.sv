// Smaller of two binary32 numbers, and whether the first is less than the second.
// Latency `Latency` cycles (1 or more; one step), one result a cycle.
// Optimizer switch (IEICE'21) section 5.3; the minimum of SMORMS3, Algorithm 4.
// SPDX-License-Identifier: Apache-2.0
`default_nettype none
`include "gw_fp_step.svh"

// min as IEEE 754-2019 minimumNumber: -0 is below +0, a NaN (quiet or signalling) loses against a number, two
// are 0x7FC00000. less is false if an operand is NaN, and -0 equals +0. Subnormal = 0: subnormals are signed
// zeros.
// enable_i[k]: register k, counted from the operands, takes a value; all ones, or a bit that moves on with
// each operation.
module gw_fp_compare #(
  parameter int Latency = 2,
  parameter bit Subnormal = 1'b0
) (
  input  wire logic               clk_i,
  input  wire logic [Latency-1:0] enable_i,
  input  wire logic [31:0]        a_i,
  input  wire logic [31:0]        b_i,
  output logic [31:0]             min_o,
  output logic                    less_o
);
  initial if (Latency < 1) $fatal(1, "gw_fp_compare: Latency must be at least 1");

  localparam int Steps = 1;
  `GW_FP_STEP(compared, 33, 0, gw_fp_compare_pkg::compare(a_i, b_i, Subnormal))
  assign {less_o, min_o} = compared;
endmodule

`default_nettype wire
