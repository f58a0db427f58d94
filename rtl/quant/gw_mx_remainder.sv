// What an element leaves of its value: v - d, which is exact, being the bits that the element does not show,
// less one if it was rounded up.
// Latency 4 cycles, the last step combinational after them; one value a cycle.
// docs/devices/mx.md, residual.
// SPDX-License-Identifier: Apache-2.0
`default_nettype none

module gw_mx_remainder (
  input  wire logic        clk_i,
  // a step whose register takes nothing is not evaluated: bit i, in the i-th cycle
  input  wire logic [3:0]  enable_i,
  input  wire logic        e5m2_i,
  input  wire logic        fp4_i,
  input  wire logic [31:0] value_i,
  input  wire logic [10:0] told_i,      // of its element: gw_mx_pkg::element
  output logic [31:0]      remainder_o
);
  // Normalised as gw_fp_add does it, in steps of our own up to its fifth.
  logic [32:0] left_q;
  logic [26:0] stop_q;
  logic [63:0] marked_q;
  logic [43:0] counted_q;
  logic [37:0] normalised_q;
  always_ff @(posedge clk_i) begin
    if (enable_i[0]) begin
      left_q <= gw_mx_pkg::left(value_i, told_i, e5m2_i, fp4_i);
      stop_q <= gw_mx_pkg::stop(value_i[30:23]);
    end
    if (enable_i[1]) marked_q     <= gw_mx_pkg::mark(left_q, stop_q);
    if (enable_i[2]) counted_q    <= gw_mx_pkg::counted(marked_q);
    if (enable_i[3]) normalised_q <= gw_fp_add_pkg::normalise(counted_q, 1'b1);
  end
  assign remainder_o = gw_fp_add_pkg::round(normalised_q);
endmodule

`default_nettype wire
