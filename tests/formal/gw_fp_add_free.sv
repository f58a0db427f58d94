// Stands for gw_fp_add where sums do not matter: any result at any time.
`default_nettype none

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
  wire unused = ^{clk_i, enable_i, subtract_i, a_i, b_i, Subnormal};
endmodule

`default_nettype wire
