// The first step of gw_fp_mul; it shares the others (gw_fp_pkg), or they are plain arithmetic.
// Function, no latency.
// Optimizer switch (IEICE'21) section 5.3.
// SPDX-License-Identifier: Apache-2.0
`default_nettype none

package gw_fp_mul_pkg;
  // Classify, normalise. {sign, kind, exponent of the product, significands}.
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
    infinite = a_kind == gw_fp_pkg::KindInfinity || b_kind == gw_fp_pkg::KindInfinity;
    zero     = a_kind == gw_fp_pkg::KindZero || b_kind == gw_fp_pkg::KindZero;
    nan      = &a_kind || &b_kind || (infinite && zero);
    classify = {a_word[31] ^ b_word[31],
                nan ? gw_fp_pkg::KindNan : infinite ? gw_fp_pkg::KindInfinity
                : zero ? gw_fp_pkg::KindZero : gw_fp_pkg::KindNumber,
                a_exponent + b_exponent - 10'd127, a, b};
  endfunction
endpackage

`default_nettype wire
