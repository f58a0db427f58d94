// A lane's value: a product of an integer and a power of two or T, rounded to nearest even, or one of the values that are there.
// Latency 3 cycles, one value a cycle.
// docs/devices/dequantizer.md, values.
`default_nettype none

module gw_dequantizer_lane (
  input  wire logic        clk_i,
  input  wire logic        product_i,  // else ready_i is the value
  input  wire logic        nan_i,      // with product_i
  input  wire logic        sign_i,
  input  wire logic [7:0]  m_i,
  input  wire logic [23:0] t_i,        // the value is m t 2^(exponent - 150), exponent >= 1
  input  wire logic [8:0]  exponent_i,
  input  wire logic [31:0] ready_i,
  output logic [31:0]      value_o
);
  logic        product_q, nan_q, sign_q;
  logic [31:0] integer_q, ready_q;
  logic [8:0]  exponent_q;
  always_ff @(posedge clk_i) begin
    product_q  <= product_i;
    nan_q      <= nan_i;
    sign_q     <= sign_i;
    integer_q  <= {24'd0, m_i} * {8'd0, t_i};
    exponent_q <= exponent_i;
    ready_q    <= ready_i;
  end

  // Normalise; a subnormal's shift ends where its exponent does. It is exact then: exponent >= 1.
  wire [31:0] by16 = integer_q[31:16] == 16'd0 ? {integer_q[15:0], 16'd0} : integer_q;
  wire [31:0] by8  = by16[31:24] == 8'd0 ? {by16[23:0], 8'd0} : by16;
  wire [31:0] by4  = by8[31:28] == 4'd0 ? {by8[27:0], 4'd0} : by8;
  wire        by2  = by4[31:30] == 2'd0 ? by4[29] : by4[31];
  wire [4:0]  zeros = {integer_q[31:16] == 16'd0, by16[31:24] == 8'd0, by8[31:28] == 4'd0, by4[31:30] == 2'd0, ~by2};
  wire [8:0]  most    = exponent_q + 9'd7;
  wire        limited = {4'd0, zeros} > most;
  wire [4:0]  shift   = limited ? most[4:0] : zeros;
  wire unused = ^by4[28:0];
  logic        product_qq, nan_qq, sign_qq, zero_qq;
  logic [31:0] normal_qq, ready_qq;
  logic [8:0]  exponent_qq;
  always_ff @(posedge clk_i) begin
    product_qq  <= product_q;
    nan_qq      <= nan_q;
    sign_qq     <= sign_q;
    zero_qq     <= integer_q == 32'd0;
    normal_qq   <= integer_q << shift;
    exponent_qq <= most - {4'd0, shift};
    ready_qq    <= ready_q;
  end

  // The hidden one adds 1 to the exponent.
  wire        up     = normal_qq[7] & (normal_qq[8] | normal_qq[6:0] != 7'd0);
  wire [31:0] result = {exponent_qq, 23'd0} + {8'd0, normal_qq[31:8]} + {31'd0, up};
  wire [30:0] finite = result[31:23] >= 9'd255 ? 31'h7F80_0000 : result[30:0];
  wire [31:0] value  = nan_qq ? 32'h7FC0_0000 : {sign_qq, finite & {31{~zero_qq}}};
  always_ff @(posedge clk_i) value_o <= product_qq ? value : ready_qq;
endmodule

`default_nettype wire
