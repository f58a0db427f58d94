// g + r of one lane, or v - d, binary32 with subnormals, nearest even: gw_mx_adder with a quicker fourth
// step.
// Latency 4 cycles, the last step combinational after them; one sum a cycle.
// docs/devices/onebit.md, v, residual.
// SPDX-License-Identifier: Apache-2.0
`default_nettype none

module gw_onebit_adder (
  input  wire logic        clk_i,
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
  logic [26:0] stop_q;
  logic [5:0]  stop_fours_q;
  logic [43:0] counted_q;
  logic [37:0] normalised_q;
  always_ff @(posedge clk_i) begin
    classified_q <= gw_fp_add_pkg::classify(a_i, b_i, 1'b1);
    added_q      <= gw_fp_add_pkg::add(gw_fp_add_pkg::align(classified_q, 1'b1));
    stop_q       <= gw_mx_pkg::stop(classified_q.exponent);
    stop_fours_q <= gw_onebit_pkg::stop_fours(classified_q.exponent);
    counted_q    <= gw_onebit_pkg::count(added_q, stop_q, stop_fours_q);
    normalised_q <= gw_fp_add_pkg::normalise(counted_q, 1'b1);
  end
  assign sum_o    = gw_fp_add_pkg::round(normalised_q);
  assign finite_o = gw_mx_pkg::finite(sum_o[30:23]);
endmodule

`default_nettype wire
