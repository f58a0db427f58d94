// Processing elements of an optimizer: new parameters and states from old ones and gradients, `Lanes` at a
// time.
// Latency gw_optimizer_pkg::latency, one step every gw_optimizer_pkg::interval cycles (1 if pipelined); no
// stall.
// Optimizer switch (IEICE'21) sections 5.2 and 5.3, Figures 5 to 8, Table 2.
// SPDX-License-Identifier: Apache-2.0
`default_nettype none

// Algorithm: 0 SGD, 1 Adagrad, 2 Adam, 3 SMORMS3. EpsOutside: eps is added after the root, not under it.
// State k of lane i is at [32 * (k * Lanes + i) +: 32]; states that the algorithm does not have are ignored,
// and 0 at the output. registers_i, from word 0: lr, eps, beta1, beta2, 1 - beta1, 1 - beta2, (1 - beta2)
// eps, 1 - beta1^t, 1 - beta2^t; they hold while anything is in flight. Reset clears what is valid.
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
  initial if (Algorithm < 0 || Algorithm > 3) $fatal(1, "gw_optimizer_array: Algorithm must be 0 to 3");
  initial if (Lanes < 1) $fatal(1, "gw_optimizer_array: Lanes must be at least 1");

  if (Iterative) begin : gen_iterative
    gw_pe_iterative #(.Algorithm(Algorithm), .Lanes(Lanes), .Fast(Fast), .Subnormal(Subnormal),
                      .EpsOutside(EpsOutside)) u_pe (
      .clk_i, .rst_ni, .registers_i, .valid_i, .theta_i, .gradient_i, .state_i, .valid_o, .theta_o, .state_o
    );
  end else begin : gen_pipeline
    gw_pe_pipeline #(.Algorithm(Algorithm), .Lanes(Lanes), .Fast(Fast), .Subnormal(Subnormal),
                     .EpsOutside(EpsOutside)) u_pe (
      .clk_i, .rst_ni, .registers_i, .valid_i, .theta_i, .gradient_i, .state_i, .valid_o, .theta_o, .state_o
    );
  end
endmodule

`default_nettype wire
