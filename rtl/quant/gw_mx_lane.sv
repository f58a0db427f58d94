// One lane's element: the value's five upper bits and all ways to round them, then the choice by the block's
// scale.
// Latency 1 cycle, the choice combinational after it; one value a cycle.
// docs/devices/mx.md, block.
// SPDX-License-Identifier: Apache-2.0
`default_nettype none

module gw_mx_lane (
  input  wire logic        clk_i,
  input  wire logic        e5m2_i,
  input  wire logic        fp4_i,
  input  wire logic [31:0] value_i,
  input  wire logic [8:0]  offset_i,     // one cycle later
  output logic [7:0]        element_o,    // of E2M1: gw_mx_pkg::element
  output logic [10:0]       told_o        // what the residual needs of it: gw_mx_pkg::element
);
  logic [22:0] prepared_q;
  always_ff @(posedge clk_i) prepared_q <= gw_mx_pkg::prepare(value_i, e5m2_i, fp4_i);
  assign {told_o, element_o} = gw_mx_pkg::element(prepared_q, offset_i);
endmodule

`default_nettype wire
