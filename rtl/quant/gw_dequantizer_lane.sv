// A lane's value: m T rounded to nearest even, or one that is there.
// Latency 1 cycle to the product, one value a cycle; the value itself is combinational behind it.
// docs/devices/dequantizer.md, values.
`default_nettype none

module gw_dequantizer_lane (
  input  wire logic        clk_i,
  input  wire logic        product_i,   // else ready_i is the value
  input  wire logic        sign_i,
  input  wire logic [7:0]  m_i,
  input  wire logic [2:0]  shift_i,     // gw_dequantizer_shift's
  input  wire logic [23:0] digits_i,    // of T
  input  wire logic [8:0]  exponent_i,  // of T, 1 .. 254
  input  wire logic [31:0] ready_i,
  output logic [31:0]      value_o
);
  // No product is 2^32 or more: where m moves further than its own zeros, T has so many.
  wire [14:0] moved = {7'd0, m_i} << shift_i;
  wire [38:0] product = {24'd0, moved} * {15'd0, digits_i};
  logic [31:0] product_q, ready_q;
  logic [8:0]  exponent_q, upper_q;
  logic        is_product_q, sign_q;
  wire unused = ^product[38:32];
  always_ff @(posedge clk_i) begin
    product_q    <= product[31:0];
    ready_q      <= ready_i;
    exponent_q   <= exponent_i + 9'd6 - {6'd0, shift_i};
    upper_q      <= exponent_i + 9'd8 - {6'd0, shift_i};
    is_product_q <= product_i;
    sign_q       <= sign_i;
  end

  // Its first digit is bit 31 or bit 30, or it is subnormal and bit 30 counts 2^-126; rounded both ways. In the latter the hidden one
  // adds 1 to the exponent.
  wire        upper   = product_q[31];
  wire        tie     = product_q[5:0] == 6'd0;
  wire        up_one  = product_q[7] & (product_q[8] | product_q[6] | ~tie);
  wire        up_two  = product_q[6] & (product_q[7] | ~tie);
  wire [31:0] one     = {upper_q, product_q[30:8]} + {31'd0, up_one};
  wire [31:0] two     = {exponent_q, 23'd0} + {8'd0, product_q[30:7]} + {31'd0, up_two};
  wire        beyond  = upper ? one[31] | &one[30:23] : two[31] | &two[30:23];
  wire [30:0] finite  = beyond ? 31'h7F80_0000 : upper ? one[30:0] : two[30:0];
  wire        zero   = product_q == 32'd0;
  assign value_o = is_product_q ? {sign_q, finite & {31{~zero}}} : ready_q;
endmodule

`default_nettype wire
