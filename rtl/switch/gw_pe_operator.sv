// The operator of a node of an optimizer's graph, one lane of it.
// Latency `Latency` cycles (1 or more), one result a cycle.
// Optimizer switch (IEICE'21) section 5.3, Figures 5 to 8.
// SPDX-License-Identifier: Apache-2.0
`default_nettype none

// Op as in gw_optimizer_pkg. enable_i as the operators' (rtl/fp).
module gw_pe_operator #(
  parameter int Op = 1,
  parameter int Latency = 1,
  parameter bit Subnormal = 1'b0
) (
  input  wire logic               clk_i,
  input  wire logic [Latency-1:0] enable_i,
  input  wire logic [31:0]        a_i,
  input  wire logic [31:0]        b_i,
  output logic [31:0]             result_o
);
  if (Op == 32'(gw_optimizer_pkg::Add) || Op == 32'(gw_optimizer_pkg::Sub)) begin : gen_add
    gw_fp_add #(.Latency(Latency), .Subnormal(Subnormal)) u_add (
      .clk_i, .enable_i, .subtract_i(Op == 32'(gw_optimizer_pkg::Sub)), .a_i, .b_i, .result_o
    );
  end else if (Op == 32'(gw_optimizer_pkg::Mul)) begin : gen_mul
    gw_fp_mul #(.Latency(Latency), .Subnormal(Subnormal)) u_mul (.clk_i, .enable_i, .a_i, .b_i, .result_o);
  end else if (Op == 32'(gw_optimizer_pkg::Div)) begin : gen_div
    gw_fp_div #(.Latency(Latency), .Subnormal(Subnormal)) u_div (.clk_i, .enable_i, .a_i, .b_i, .result_o);
  end else if (Op == 32'(gw_optimizer_pkg::Sqrt)) begin : gen_sqrt
    wire unused_b = ^b_i;
    gw_fp_sqrt #(.Latency(Latency), .Subnormal(Subnormal)) u_sqrt (.clk_i, .enable_i, .a_i, .result_o);
  end else begin : gen_min
    wire unused_less;
    gw_fp_compare #(.Latency(Latency), .Subnormal(Subnormal)) u_compare (
      .clk_i, .enable_i, .a_i, .b_i, .min_o(result_o), .less_o(unused_less)
    );
  end
endmodule

`default_nettype wire
