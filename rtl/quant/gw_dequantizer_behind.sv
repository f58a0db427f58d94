// A digit of what is so many places further on as there are ones, up to seven; for each of 64 places, which
// go by columns.
// Combinational.
// docs/devices/dequantizer.md, step.
// SPDX-License-Identifier: Apache-2.0
`default_nettype none

module gw_dequantizer_behind (
  input  wire logic [63:0] one_0_i,
  input  wire logic [63:0] one_1_i,
  input  wire logic [63:0] one_2_i,
  input  wire logic [70:0] later_i,
  output logic [63:0]      two_o
);
  wire [63:0] from_0 = (~one_0_i & later_i[63:0]) | (one_0_i & later_i[64:1]);
  wire [63:0] from_2 = (~one_0_i & later_i[65:2]) | (one_0_i & later_i[66:3]);
  wire [63:0] from_4 = (~one_0_i & later_i[67:4]) | (one_0_i & later_i[68:5]);
  wire [63:0] from_6 = (~one_0_i & later_i[69:6]) | (one_0_i & later_i[70:7]);
  wire [63:0] low    = (~one_1_i & from_0) | (one_1_i & from_2);
  wire [63:0] high   = (~one_1_i & from_4) | (one_1_i & from_6);
  assign two_o = (~one_2_i & low) | (one_2_i & high);
endmodule

`default_nettype wire
