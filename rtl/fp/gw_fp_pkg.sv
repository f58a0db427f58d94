// What the floating-point operators share: classes of operands, the canonical NaN, counting leading zeros.
// Functions, no latency.
// Optimizer switch (IEICE'21) section 5.3 uses a vendor's operators; these take their place.
`default_nettype none

package gw_fp_pkg;
  // What the result is, decided from the operands alone. Number: what the arithmetic yields.
  localparam logic [1:0] KindNumber   = 2'd0;
  localparam logic [1:0] KindZero     = 2'd1;
  localparam logic [1:0] KindInfinity = 2'd2;
  localparam logic [1:0] KindNan      = 2'd3;

  localparam logic [31:0] CanonicalNan = 32'h7FC0_0000;

  // Subnormals become signed zeros, unless the operator handles them.
  function automatic [31:0] flush(input [31:0] value, input subnormal);
    flush = {value[31:23], value[22:0] & {23{subnormal || value[30:23] != 8'd0}}};
  endfunction

  // Of an operand that was flushed.
  function automatic [1:0] kind(input [30:0] value);
    kind = &value[30:23] ? {1'b1, |value[22:0]} : {1'b0, value == 31'd0};
  endfunction

  // Significand with the hidden bit; exponent field, where a subnormal's is that of the smallest normal number.
  function automatic [23:0] significand(input [30:0] value);
    significand = {value[30:23] != 8'd0, value[22:0]};
  endfunction
  function automatic [7:0] exponent(input [7:0] field);
    exponent = {field[7:1], field[0] | (field == 8'd0)};
  endfunction

  // Leading zeros, 0..30; 31 for zero.
  function automatic [4:0] leading_zeros(input [30:0] value);
    logic [14:0] half;
    logic [6:0]  quarter;
    logic [2:0]  eighth;
    leading_zeros[4] = value[30:15] == 16'd0;
    half             = leading_zeros[4] ? value[14:0] : value[30:16];
    leading_zeros[3] = half[14:7] == 8'd0;
    quarter          = leading_zeros[3] ? half[6:0] : half[14:8];
    leading_zeros[2] = quarter[6:3] == 4'd0;
    eighth           = leading_zeros[2] ? quarter[2:0] : quarter[6:4];
    leading_zeros[1] = eighth[2:1] == 2'd0;
    leading_zeros[0] = leading_zeros[1] ? ~eighth[0] : ~eighth[2];
  endfunction

  // The result, once the kind is known.
  function automatic [31:0] select(input [1:0] kind_of, input sign, input [30:0] number);
    case (kind_of)
      KindNumber:   select = {sign, number};
      KindZero:     select = {sign, 31'd0};
      KindInfinity: select = {sign, 31'h7F80_0000};
      default:      select = CanonicalNan;
    endcase
  endfunction
endpackage

`default_nettype wire
