// Registers First to First + Depth - 1 of a floating-point operator, one after the other.
// Latency Depth (0 or more); one word a cycle. Registers that belong after a step: gw_fp_step.svh.
// Common cell of rtl/fp; no section of its own in the paper.
// SPDX-License-Identifier: Apache-2.0
`default_nettype none

module gw_fp_registers #(
  parameter int Width = 1,
  parameter int Latency = 1,
  parameter int First = 0,
  parameter int Depth = 0
) (
  input  wire logic               clk_i,
  input  wire logic [Latency-1:0] enable_i,
  input  wire logic [Width-1:0]   d_i,
  output logic [Width-1:0]        q_o
);
  if (Depth == 0) begin : gen_wire
    wire unused = ^{clk_i, enable_i};
    assign q_o = d_i;
  end else begin : gen_registers
    wire unused_enable = ^enable_i;
    wire [Width-1:0] tap [0:Depth] /* verilator split_var */;
    assign tap[0] = d_i;
    for (genvar i = 0; i < Depth; i++) begin : gen_register
      logic [Width-1:0] data_q;
      always_ff @(posedge clk_i) if (enable_i[First+i]) data_q <= tap[i];
      assign tap[i+1] = data_q;
    end
    assign q_o = tap[Depth];
  end
endmodule

`default_nettype wire
