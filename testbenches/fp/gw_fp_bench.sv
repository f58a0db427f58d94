// Lanes of one floating-point operator, so that a simulator's cost of a cycle is shared by several results.
// Latency that of the operator (paper profile), `Lanes` results a cycle.
// Tops for testbenches/fp/fp_rtl.h; one per operator and behaviour, because the build verilates tops by name.
// SPDX-License-Identifier: Apache-2.0
`default_nettype none

// Op 0: add, subtract where variant_i; 1: multiply; 2: divide; 3: square root; 4: min, or less-than where variant_i.
module gw_fp_bench #(
  parameter int Op = 0,
  parameter int Latency = 1,
  parameter bit Subnormal = 1'b0,
  parameter int Lanes = 4
) (
  input  wire logic                clk_i,
  input  wire logic                variant_i,
  input  wire logic [32*Lanes-1:0] a_i,
  input  wire logic [32*Lanes-1:0] b_i,
  output logic [32*Lanes-1:0]      result_o
);
  for (genvar i = 0; i < Lanes; i++) begin : gen_lane
    wire [31:0] a = a_i[32*i +: 32];
    wire [31:0] b = b_i[32*i +: 32];
    wire [31:0] result;
    if (Op == 0) begin : gen_add
      gw_fp_add #(.Latency(Latency), .Subnormal(Subnormal)) u_add (
        .clk_i, .enable_i('1), .subtract_i(variant_i), .a_i(a), .b_i(b), .result_o(result)
      );
    end else if (Op == 1) begin : gen_mul
      gw_fp_mul #(.Latency(Latency), .Subnormal(Subnormal)) u_mul (.clk_i, .enable_i('1), .a_i(a), .b_i(b), .result_o(result));
    end else if (Op == 2) begin : gen_div
      gw_fp_div #(.Latency(Latency), .Subnormal(Subnormal)) u_div (.clk_i, .enable_i('1), .a_i(a), .b_i(b), .result_o(result));
    end else if (Op == 3) begin : gen_sqrt
      wire unused_b = ^b;
      gw_fp_sqrt #(.Latency(Latency), .Subnormal(Subnormal)) u_sqrt (.clk_i, .enable_i('1), .a_i(a), .result_o(result));
    end else begin : gen_compare
      wire [31:0] min;
      wire        less;
      gw_fp_compare #(.Latency(Latency), .Subnormal(Subnormal)) u_compare (
        .clk_i, .enable_i('1), .a_i(a), .b_i(b), .min_o(min), .less_o(less)
      );
      assign result = variant_i ? {31'd0, less} : min;
    end
    assign result_o[32*i +: 32] = result;
  end
  wire unused_variant = variant_i;
endmodule

`define GW_FP_BENCH(name, op, latency, subnormal) \
  module name ( \
    input  wire logic         clk_i, \
    input  wire logic         variant_i, \
    input  wire logic [127:0] a_i, \
    input  wire logic [127:0] b_i, \
    output logic [127:0]      result_o \
  ); \
    gw_fp_bench #(.Op(op), .Latency(latency), .Subnormal(subnormal)) u_bench ( \
      .clk_i, .variant_i, .a_i, .b_i, .result_o \
    ); \
  endmodule

`GW_FP_BENCH(gw_fp_bench_add_0, 0, 12, 1'b0)
`GW_FP_BENCH(gw_fp_bench_add_1, 0, 12, 1'b1)
`GW_FP_BENCH(gw_fp_bench_mul_0, 1, 9, 1'b0)
`GW_FP_BENCH(gw_fp_bench_mul_1, 1, 9, 1'b1)
`GW_FP_BENCH(gw_fp_bench_div_0, 2, 29, 1'b0)
`GW_FP_BENCH(gw_fp_bench_div_1, 2, 29, 1'b1)
`GW_FP_BENCH(gw_fp_bench_sqrt_0, 3, 28, 1'b0)
`GW_FP_BENCH(gw_fp_bench_sqrt_1, 3, 28, 1'b1)
`GW_FP_BENCH(gw_fp_bench_compare_0, 4, 2, 1'b0)
`GW_FP_BENCH(gw_fp_bench_compare_1, 4, 2, 1'b1)

`undef GW_FP_BENCH
`default_nettype wire
