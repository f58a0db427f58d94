// What an element leaves of its value: v - d, which is exact, being the bits that the element does not show, less one if it was rounded up.
// Latency 3 cycles, the last step combinational behind them; one value a cycle.
// docs/devices/mx.md, residual.
`default_nettype none

module gw_mx_remainder (
  input  wire logic        clk_i,
  input  wire logic        fp4_i,
  input  wire logic [31:0] value_i,
  input  wire logic        saturated_i,
  input  wire logic        up_i,
  input  wire logic [2:0]  places_i,
  input  wire logic        subnormal_i,
  input  wire logic [3:0]  zeros_i,
  output logic [31:0]      remainder_o
);
  // Saturated 1.111 of E4M3 stands for 1.110: that bit is not shown either.
  wire [23:0] not_shown = gw_mx_pkg::not_shown(fp4_i, places_i, subnormal_i, zeros_i);
  wire        top       = saturated_i & ~fp4_i & (&value_i[22:20]);
  wire [23:0] bits      = {~subnormal_i, value_i[22:0]};
  wire [23:0] left      = ((bits ^ {24{up_i}}) & (not_shown | {3'd0, top, 20'd0})) + {23'd0, up_i};

  // As a sum that gw_fp_add normalises: a number whose bit 26 has the exponent's weight. Zero is positive.
  wire [39:0] sum = {value_i[31] ^ up_i, 1'b1, gw_fp_pkg::KindNumber, value_i[30:23], 1'b0, left, 3'd0};
  logic [39:0] sum_q;
  logic [43:0] counted_q;
  logic [37:0] normalised_q;
  always_ff @(posedge clk_i) begin
    sum_q        <= sum;
    counted_q    <= gw_fp_add_pkg::count(sum_q, 1'b1);
    normalised_q <= gw_fp_add_pkg::normalise(counted_q, 1'b1);
  end
  assign remainder_o = gw_fp_add_pkg::round(normalised_q);
endmodule

`default_nettype wire
