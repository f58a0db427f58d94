// Every kind of one optimizer's processing elements beside each other, on the same operands.
// Latency and interval of each at latency_o and interval_o, as the package says.
// Top of testbenches/pes/pe_rtl.cc.
// SPDX-License-Identifier: Apache-2.0
`default_nettype none

// Array i is iterative if bit 2 of i is set, of profile fast if bit 1 is, handles subnormals if bit 0 is.
module gw_pe_bench #(
  parameter int Algorithm = 0,
  parameter int Lanes = 4,
  parameter int EpsOutside = 0
) (
  input  wire logic                  clk_i,
  input  wire logic                  rst_ni,
  input  wire logic [32*9-1:0]       registers_i,
  input  wire logic [7:0]            valid_i,
  input  wire logic [32*Lanes-1:0]   theta_i,
  input  wire logic [32*Lanes-1:0]   gradient_i,
  input  wire logic [96*Lanes-1:0]   state_i,
  output logic [7:0]                 valid_o,
  output logic [8*32*Lanes-1:0]      theta_o,
  output logic [8*96*Lanes-1:0]      state_o,
  output logic [63:0]                latency_o,
  output logic [63:0]                interval_o
);
  for (genvar i = 0; i < 8; i++) begin : gen_array
    localparam int Iterative = i / 4;
    localparam int Fast = i / 2 % 2;
    assign latency_o[8*i +: 8]  = 8'(gw_optimizer_pkg::latency(Algorithm, Iterative, Fast, EpsOutside));
    assign interval_o[8*i +: 8] = 8'(gw_optimizer_pkg::interval(Algorithm, Iterative, Fast, EpsOutside));
    gw_optimizer_array #(
      .Algorithm(Algorithm), .Lanes(Lanes), .Iterative(Iterative == 1), .Fast(Fast == 1), .Subnormal(i % 2 == 1),
      .EpsOutside(EpsOutside == 1)
    ) u_array (
      .clk_i, .rst_ni, .registers_i, .valid_i(valid_i[i]), .theta_i, .gradient_i, .state_i, .valid_o(valid_o[i]),
      .theta_o(theta_o[32*Lanes*i +: 32*Lanes]), .state_o(state_o[96*Lanes*i +: 96*Lanes])
    );
  end
endmodule

`default_nettype wire
