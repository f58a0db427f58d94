// What an element leaves of its value: v - d, which is exact, being the bits that the element does not show, less one if it was rounded up.
// Latency 4 cycles, the last step combinational behind them; one value a cycle.
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

  // Normalised as gw_fp_add does it, in steps of our own up to its fifth: zeros are counted in fours, and no further than to the exponent of
  // the smallest normal number, where a one is put.
  logic        sign1_q, sign2_q;
  logic [7:0]  exponent1_q, exponent2_q;
  logic [23:0] left1_q, left2_q;
  logic [26:0] stop1_q, marked2_q;
  logic [2:0]  fours2_q;
  logic        none2_q;
  logic [43:0] counted_q;
  logic [37:0] normalised_q;
  wire [26:0] marked1 = {left1_q, 3'd0} | stop1_q;
  always_ff @(posedge clk_i) begin
    sign1_q      <= value_i[31] ^ up_i;
    exponent1_q  <= {value_i[30:24], value_i[23] | (value_i[30:23] == 8'd0)};
    left1_q      <= left;
    stop1_q      <= gw_mx_pkg::stop(value_i[30:23]);
    sign2_q      <= sign1_q;
    exponent2_q  <= exponent1_q;
    left2_q      <= left1_q;
    marked2_q    <= marked1;
    fours2_q     <= gw_mx_pkg::fours({1'b0, marked1[26:4]});
    none2_q      <= left1_q == 24'd0;
    counted_q    <= gw_mx_pkg::counted(sign2_q, none2_q, exponent2_q, left2_q, marked2_q, fours2_q);
    normalised_q <= gw_fp_add_pkg::normalise(counted_q, 1'b1);
  end
  assign remainder_o = gw_fp_add_pkg::round(normalised_q);
endmodule

`default_nettype wire
