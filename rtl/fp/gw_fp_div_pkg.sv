// The steps of gw_fp_div, beside those that it shares (gw_fp_pkg), and the table of its reciprocal.
// Functions, no latency.
// Optimizer switch (IEICE'21) section 5.3.
// SPDX-License-Identifier: Apache-2.0
`default_nettype none

/* verilator lint_off UNUSEDPARAM */  // the shared unit needs no table
package gw_fp_div_pkg;
  // Classify, normalise. {sign, kind, exponent of a quotient from 1/2 to 1, divisor, dividend}.
  function automatic [60:0] classify(input [31:0] a_word, input [31:0] b_word, input subnormal);
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
                a_exponent - b_exponent + 10'd126, b, a};
  endfunction

  // 1 / b for b from 1 to 2 is a chord in each 64th of the way, never below it: start - slope * x, x the rest
  // of b's fraction, in units of 2^-23. Entry i, for b from 1 + i / 64 on, at [32 * i +: 32]: {start, in
  // units of 2^-17, rounded up, negated, 20 bits; slope, in units of 2^-12, rounded down, 12 bits}. The chord
  // is too high by at most b^-3 * 2^-14, its roundings add less than 2^-16.
  function automatic [64*32-1:0] chords(input int count);
    chords = '0;
    for (int i = 0; i < count; i = i + 1) begin
      chords[32*i +: 32] = {20'(-(((64 << 17) + 63 + i) / (64 + i))),
                            12'((64 * 64 << 12) / ((64 + i) * (65 + i)))};
    end
  endfunction
  localparam logic [64*32-1:0] Chords = chords(64);

  // As wide as a DSP slice multiplies.
  function automatic [42:0] multiply(input [24:0] a, input [17:0] b);
    multiply = 43'($signed(a)) * 43'($signed(b));
  endfunction
endpackage

`default_nettype wire
