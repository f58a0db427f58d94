// The steps of gw_fp_sqrt, beside those that it shares (gw_fp_pkg).
// Functions, no latency.
// Optimizer switch (IEICE'21) section 5.3.
// SPDX-License-Identifier: Apache-2.0
`default_nettype none

package gw_fp_sqrt_pkg;
  // Classify, normalise. {as gw_fp_pkg::prepare, for a root is neither too large nor too small; operand from
  // 1 to 4, two bits before the point}.
  function automatic [44:0] classify(input [31:0] word, input subnormal);
    /*verilator no_inline_task*/
    logic        sign, number, unused;
    logic [1:0]  kind;
    logic [9:0]  exponent, field;
    logic [23:0] a;
    sign     = word[31];
    kind     = gw_fp_pkg::operand_kind(word[30:0], subnormal);
    exponent = {2'd0, word[30:23]};
    a        = {1'b1, word[22:0]};
    if (subnormal && exponent == 10'd0) {exponent, a} = gw_fp_pkg::normalise(word[22:0]);
    if (sign && kind != gw_fp_pkg::KindZero) kind = gw_fp_pkg::KindNan;
    number = kind == gw_fp_pkg::KindNumber;
    field  = exponent + 10'd125;  // half of it is the root's exponent less one, rounded down; never negative
    unused = field[9] ^ field[0];
    classify = {sign && !(&kind), &kind, number, 3'd0, number ? field[8:1] : {8{kind[1]}}, 5'd0,
                exponent[0] ? {1'b0, a, 1'b0} : {a, 2'b00}};
  endfunction

  // `count` digits of the root, 0 to 4, after the first `done`, without restoring: the remainder is moved by
  // two places with the operand's next bits, and 4 root + 1 subtracted, or 4 root + 3 added if the remainder
  // was negative; a digit is 1 if it then is not. The remainder has done + 2 bits and a sign that fills the
  // others. {root, inverted: 1 where the remainder was negative; remainder}.
  function automatic [51:0] digits(input [26:0] remainder, input [24:0] inverted, input [7:0] operand,
                                   input [4:0] done,
                                   input [2:0] count);
    /*verilator no_inline_task*/
    logic [26:0] rest;
    logic [24:0] found;
    logic [7:0]  bits;
    logic [4:0]  free;    // bits of the remainder that its sign fills
    logic [27:0] wide;    // and a last bit, from which to borrow
    logic        unused;
    rest  = remainder;
    found = inverted;
    bits  = operand;
    wide  = 28'd0;
    free  = 5'd24 - done;
    for (int i = 0; i < 4; i = i + 1) begin
      if (i < {29'd0, count}) begin
        wide  = {rest[24:0], bits[7:6], 1'b0} - {found ^ {25{!rest[26]}}, 3'b001};
        rest  = $signed(wide[27:1] << free) >>> free;
        found = {found[23:0], rest[26]};
        bits  = {bits[5:0], 2'b00};
        free  = free - 5'd1;
      end
    end
    unused = wide[0];
    digits = {found, rest};
  endfunction
endpackage

`default_nettype wire
