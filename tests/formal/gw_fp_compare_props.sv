// Proof obligation of gw_fp_compare, for all pairs of operands: min is IEEE 754-2019's minimumNumber, less its comparison.
`include "gw_assert.svh"
`default_nettype none

module gw_fp_compare_props #(
  parameter bit Subnormal = 1'b0
) (
  input wire logic        clk_i,
  input wire logic        rst_ni,
  input wire logic [31:0] a_i,
  input wire logic [31:0] b_i
);
  logic [31:0] min;
  logic        less;
  gw_fp_compare #(.Latency(1), .Subnormal(Subnormal)) u_dut (
    .clk_i, .enable_i(1'b1), .a_i, .b_i, .min_o(min), .less_o(less)
  );

  // What the operands stand for, and their place on the line of numbers, -0 in front of +0.
  wire [31:0] a = !Subnormal && a_i[30:23] == 8'd0 ? {a_i[31], 31'd0} : a_i;
  wire [31:0] b = !Subnormal && b_i[30:23] == 8'd0 ? {b_i[31], 31'd0} : b_i;
  wire        a_nan = a[30:0] > 31'h7F80_0000;
  wire        b_nan = b[30:0] > 31'h7F80_0000;
  wire signed [32:0] a_at = a[31] ? -$signed({2'b00, a[30:0]}) - 33'sd1 : $signed({2'b00, a[30:0]});
  wire signed [32:0] b_at = b[31] ? -$signed({2'b00, b[30:0]}) - 33'sd1 : $signed({2'b00, b[30:0]});
  wire        zeros = a[30:0] == 31'd0 && b[30:0] == 31'd0;

  logic        seen_q, less_q, a_nan_q, b_nan_q;
  logic [31:0] min_q;
  always_ff @(posedge clk_i) begin
    seen_q  <= rst_ni;
    a_nan_q <= a_nan;
    b_nan_q <= b_nan;
    less_q  <= !a_nan && !b_nan && !zeros && a_at < b_at;
    min_q   <= a_nan && b_nan ? 32'h7FC0_0000 : a_nan ? b : b_nan ? a : a_at < b_at ? a : b;
  end

  wire [1:0] covers = {seen_q && a_nan_q && b_nan_q, seen_q && less && min == 32'h8000_0001};
`ifdef GW_REACH
  gw_never u_never [$bits(covers)-1:0] (.clk_i, .rst_ni, .seen_i(covers));
`endif
  `GW_ASSERT(MinimumNumber, !seen_q || min == min_q)
  `GW_ASSERT(Less, !seen_q || less == less_q)
endmodule

`default_nettype wire
