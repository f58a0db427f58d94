// Quotient of two binary32 numbers, round to nearest even.
// Latency `Latency` cycles (1 or more; 9 to 27 steps, of 1 to 4 digits), one result a cycle.
// Optimizer switch (IEICE'21) section 5.3; 29 cycles in profile paper, 15 in profile fast.
`default_nettype none
`include "gw_fp_step.svh"

// Subnormal = 0: subnormal operands and results are signed zeros; 1: IEEE 754. NaN is always 0x7FC00000.
// enable_i[k]: register k, counted from the operands, takes a value; all ones, or a bit that moves on with each operation.
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

  // 26 digits of a quotient from 1/2 to 2: 24, one to round, one if it is below 1. The first step yields one, the others
  // share 25.
  localparam int Rows  = Latency < 9 ? 7 : Latency > 27 ? 25 : Latency - 2;
  localparam int Steps = Rows + 2;

  // Classify, normalise, subtract once.
  `GW_FP_STEP(start,    62, 0, gw_fp_div_pkg::classify(a_i, b_i, Subnormal))
  `GW_FP_STEP(prepared, 19, 1, gw_fp_pkg::prepare(start[61], start[60:59], start[58:49], Subnormal))

  // Divide. The digits of one step join the quotient in the next.
  wire [48:0] row       [0:Rows] /* verilator split_var */;  // divisor, remainder
  wire [3:0]  found     [0:Rows] /* verilator split_var */;  // as the quotient, inverted
  wire [25:0] quotient  [0:Rows] /* verilator split_var */;  // in front of the row
  wire [18:0] rest      [1:Rows] /* verilator split_var */;  // prepared
  assign row[0]      = start[48:0];
  assign found[0]    = {3'd0, start[24]};
  assign quotient[0] = 26'd0;
  assign rest[1]     = prepared;
  for (genvar i = 0; i < Rows; i++) begin : gen_row
    localparam int Before = i == 0 ? 1 : 25 * i / Rows - 25 * (i - 1) / Rows;  // digits found by the step before
    localparam int Count  = 25 * (i + 1) / Rows - 25 * i / Rows;
    `GW_FP_STEP(found_rest, 29, i + 1, gw_fp_div_pkg::digits(row[i][24:0], row[i][48:25], Count[2:0]))
    `GW_FP_STEP(divisor,    24, i + 1, row[i][48:25])
    `GW_FP_STEP(joined,     26, i + 1, (quotient[i] << Before | {22'd0, found[i]}))
    assign row[i+1]      = {divisor, found_rest[24:0]};
    assign found[i+1]    = found_rest[28:25];
    assign quotient[i+1] = joined;
    if (i > 0) begin : gen_rest
      `GW_FP_STEP(moved, 19, i + 1, rest[i])
      assign rest[i+1] = moved;
    end
  end

  // Denormalise, round, select. No quotient of normal numbers lies in the middle between two numbers: one that comes out
  // even needs no more digits than the operands have.
  localparam int Last = 25 - 25 * (Rows - 1) / Rows;
  wire [25:0] all    = ~(quotient[Rows] << Last | {22'd0, found[Rows]});
  wire        sticky = !Subnormal || (row[Rows][24:0] != 25'd0 && row[Rows][24:0] != {1'b1, -row[Rows][48:25]});
  `GW_FP_STEP(rounded, 32, Rows + 1, gw_fp_pkg::finish(rest[Rows], all, sticky, Subnormal))
  assign result_o = rounded;
endmodule

`default_nettype wire
