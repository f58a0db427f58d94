// The steps of gw_fp_div, beside those that it shares (gw_fp_pkg).
// Functions, no latency.
// Optimizer switch (IEICE'21) section 5.3.
`default_nettype none

package gw_fp_div_pkg;
  // Classify, normalise, subtract once. {sign, kind, exponent of a quotient from 1/2 to 1, divisor, remainder}.
  function automatic [61:0] classify(input [31:0] a_word, input [31:0] b_word, input subnormal);
    /*verilator no_inline_task*/
    logic        nan, infinite, zero;
    logic [1:0]  a_kind, b_kind;
    logic [9:0]  a_exponent, b_exponent;
    logic [23:0] a, b;
    a_kind     = gw_fp_pkg::operand_kind(a_word[30:0], subnormal);
    b_kind     = gw_fp_pkg::operand_kind(b_word[30:0], subnormal);
    a_exponent = {2'd0, a_word[30:23]};
    b_exponent = {2'd0, b_word[30:23]};
    a          = {1'b1, a_word[22:0]};
    b          = {1'b1, b_word[22:0]};
    if (subnormal && a_exponent == 10'd0) {a_exponent, a} = gw_fp_pkg::normalise(a_word[22:0]);
    if (subnormal && b_exponent == 10'd0) {b_exponent, b} = gw_fp_pkg::normalise(b_word[22:0]);
    nan      = &a_kind || &b_kind || (a_kind == b_kind && a_kind != gw_fp_pkg::KindNumber);  // 0/0, inf/inf
    infinite = a_kind == gw_fp_pkg::KindInfinity || b_kind == gw_fp_pkg::KindZero;
    zero     = a_kind == gw_fp_pkg::KindZero || b_kind == gw_fp_pkg::KindInfinity;
    classify = {a_word[31] ^ b_word[31],
                nan ? gw_fp_pkg::KindNan : infinite ? gw_fp_pkg::KindInfinity
                : zero ? gw_fp_pkg::KindZero : gw_fp_pkg::KindNumber,
                a_exponent - b_exponent + 10'd126, b, {1'b0, a} - {1'b0, b}};
  endfunction

  // `count` digits of the quotient, 0 to 4, without restoring: the remainder, from -divisor to below divisor, is doubled,
  // and the divisor subtracted, or added if the remainder was negative; a digit is 1 if it then is not.
  // {digits, inverted: 1 where the remainder was negative; remainder}.
  function automatic [28:0] digits(input [24:0] remainder, input [23:0] divisor, input [2:0] count);
    /*verilator no_inline_task*/
    logic [24:0] rest;
    logic [3:0]  found;
    logic [25:0] wide;  // and a last bit, from which to borrow
    logic        unused;
    rest  = remainder;
    found = 4'd0;
    wide  = 26'd0;
    for (int i = 0; i < 4; i = i + 1) begin
      if (i < {29'd0, count}) begin
        wide  = {rest[23:0], 2'b00} - {{1'b0, divisor} ^ {25{rest[24]}}, rest[24]};
        rest  = wide[25:1];
        found = {found[2:0], rest[24]};
      end
    end
    unused = wide[0];
    digits = {found, rest};
  endfunction
endpackage

`default_nettype wire
