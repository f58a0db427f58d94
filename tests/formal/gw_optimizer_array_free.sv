// Stands for gw_optimizer_array where parameters do not matter: any result, three cycles after its operands.
`default_nettype none

module gw_optimizer_array #(
  parameter int Algorithm = 0,
  parameter int Lanes = 32,
  parameter bit Iterative = 1'b0,
  parameter bit Fast = 1'b0,
  parameter bit Subnormal = 1'b0,
  parameter bit EpsOutside = 1'b0
) (
  input  wire logic                clk_i,
  input  wire logic                rst_ni,
  input  wire logic [32*9-1:0]     registers_i,
  input  wire logic                valid_i,
  input  wire logic [32*Lanes-1:0] theta_i,
  input  wire logic [32*Lanes-1:0] gradient_i,
  input  wire logic [96*Lanes-1:0] state_i,
  output logic                     valid_o,
  output logic [32*Lanes-1:0]      theta_o,
  output logic [96*Lanes-1:0]      state_o
);
  logic [2:0] valid_q;
  assign valid_o = valid_q[2];
  always_ff @(posedge clk_i) valid_q <= {valid_q[1:0], valid_i} & {3{rst_ni}};
  wire unused = ^{registers_i, theta_i, gradient_i, state_i, Algorithm, Iterative, Fast, Subnormal, EpsOutside};
endmodule

`default_nettype wire
