// g + r of one lane, binary32 with subnormals, nearest even: the steps of gw_fp_add, registers where the
// residual memory and the choice after it leave time.
// Latency 4 cycles, the last step combinational after them; one sum a cycle.
// docs/devices/mx.md, v.
// SPDX-License-Identifier: Apache-2.0
`default_nettype none

module gw_mx_adder (
  input  wire logic        clk_i,
  // a step whose register takes nothing is not evaluated: bit i, in the i-th cycle
  input  wire logic [3:0]  enable_i,
  input  wire logic [31:0] a_i,
  input  wire logic [31:0] b_i,
  output logic [31:0]      sum_o,
  output logic             finite_o
);
  typedef struct packed {  // as gw_fp_add_pkg::classify gives it
    logic        sign;
    logic        differ;
    logic        clash;
    logic [7:0]  exponent;  // of the larger one
    logic        distant;
    logic [3:0]  pairs;
    logic [22:0] fraction;
    logic [24:0] minor;
  } classified_t;
  classified_t classified_q;
  logic [39:0] added_q;
  logic [32:0] stop_q;
  logic [43:0] counted_q;
  logic [37:0] normalised_q;
  always_ff @(posedge clk_i) begin
    if (enable_i[0]) classified_q <= gw_mx_pkg::classify(a_i, b_i);
    if (enable_i[1]) begin
      added_q <= gw_fp_add_pkg::add(gw_fp_add_pkg::align(classified_q, 1'b1));
      stop_q  <= gw_mx_pkg::stops(classified_q.exponent);
    end
    if (enable_i[2]) counted_q    <= gw_mx_pkg::count(added_q, stop_q);
    if (enable_i[3]) normalised_q <= gw_fp_add_pkg::normalise(counted_q, 1'b1);
  end
  assign sum_o    = gw_fp_add_pkg::round(normalised_q);
  assign finite_o = gw_mx_pkg::rounds_finite(normalised_q[36:2]);
endmodule

`default_nettype wire
