// What the floating-point operators share: where registers go, classes of operands, first and last steps.
// Functions, no latency.
// Optimizer switch (IEICE'21) section 5.3 uses a vendor's operators; these take their place.
// SPDX-License-Identifier: Apache-2.0
`default_nettype none

// A step of an operator is a function from packed bits to packed bits; the operator's module says which
// registers lie between them (rtl/common/gw_fp_step.svh). Steps are not inlined in simulation: all lanes of
// all operators share their code.
/* verilator lint_off UNUSEDPARAM */  // no operator needs all kinds
package gw_fp_pkg;
  // What the result is, decided from the operands alone. Number: what the arithmetic yields.
  localparam logic [1:0] KindNumber   = 2'd0;
  localparam logic [1:0] KindZero     = 2'd1;
  localparam logic [1:0] KindInfinity = 2'd2;
  localparam logic [1:0] KindNan      = 2'd3;

  // Latency registers, spread evenly over the places after the steps: those in front of a step, those after
  // it. If there are too few, the first step keeps its own as long as it can, for it is a long one; the last
  // one always does.
  function automatic int registers_before(input int latency, input int steps, input int step);
    int early;
    early = latency < steps && latency > steps / 4 ? steps / 4 : 0;
    registers_before = (latency * step + early) / steps;
  endfunction
  function automatic int registers_behind(input int latency, input int steps, input int step);
    int early;
    early = latency < steps && latency > steps / 4 ? steps / 4 : 0;
    registers_behind = (latency * (step + 1) + early) / steps - (latency * step + early) / steps;
  endfunction

  // Subnormals become signed zeros, unless the operator handles them.
  function automatic [31:0] flush(input [31:0] value, input subnormal);
    flush = {value[31:23], value[22:0] & {23{subnormal || value[30:23] != 8'd0}}};
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

  // First step of multiply, divide and square root: what an operand is.
  function automatic [1:0] operand_kind(input [30:0] value, input subnormal);
    operand_kind = &value[30:23] ? {1'b1, value[22:0] != 23'd0}
                         : {1'b0, value[30:23] == 8'd0 && !(subnormal && value[22:0] != 23'd0)};
  endfunction

  // The exponent, signed, and the significand, from 2^23 to 2^24 - 1, of a subnormal number, as those of a
  // normal one:
  // value = significand * 2^(exponent - 127 - 23).
  function automatic [33:0] normalise(input [22:0] fraction);
    logic [4:0] zeros;  // until the leading one is where the hidden bit is
    zeros     = leading_zeros({fraction, 8'd0}) + 5'd1;
    normalise = {10'd1 - {5'd0, zeros}, {1'b0, fraction} << zeros};
  endfunction

  // Before the last step of multiply and divide, so that it need not look at the exponent any more. exponent
  // is signed and that of a significand from 1 to 2; one from 2 to 4 has one more. {sign, nan, number,
  // minus_one, zero, top, field, places}: whether the exponent is -1, 0, 254; the result's exponent field
  // less one, where the hidden bit, or two of it, will be added; places to denormalise by.
  // Without subnormals exponents have no end while rounding; what is then too small becomes a signed zero.
  function automatic [18:0] prepare(input sign, input [1:0] kind, input [9:0] exponent, input subnormal);
    /*verilator no_inline_task*/
    logic       number, tiny, infinite;
    logic [4:0] places;
    logic [9:0] distance;
    tiny     = subnormal && $signed(exponent) < 10'sd1;
    distance = 10'd1 - exponent;
    places   = !tiny ? 5'd0 : distance[9:5] != 5'd0 ? 5'd31 : distance[4:0];
    number   = kind == KindNumber && $signed(exponent) < 10'sd255
               && (subnormal || $signed(exponent) > -10'sd2);
    infinite = kind[1] || (kind == KindNumber && !exponent[9] && $signed(exponent) > 10'sd254);
    prepare  = {sign && kind != KindNan, kind == KindNan, number,
                number && !subnormal && exponent == 10'h3FF, number && !subnormal && exponent == 10'd0,
                number && exponent == 10'd254,
                infinite ? 8'hFF : number && !tiny ? exponent[7:0] - 8'd1 : 8'd0, places};
  endfunction

  // Last step of multiply, divide and square root: takes the significand, from 1 to 4 with two bits before
  // the point, rounds it to nearest even, and puts the result together. sticky: something lies after the
  // significand's last bit.
  function automatic [31:0] finish(input [18:0] prepared, input [25:0] significand, input sticky,
                                   input subnormal);
    /*verilator no_inline_task*/
    logic        sign, nan, number, minus_one, zero, top, carry, tiny, last, guard, rest, up, least, drop;
    logic [7:0]  field;
    logic [4:0]  places;
    logic [25:0] moved;
    logic [23:0] kept;
    logic [1:0]  hidden;
    logic [31:0] rounded;  // the last bit carries into the others
    logic        unused;
    {sign, nan, number, minus_one, zero, top, field, places} = prepared;
    // By one place for the carry, or to where subnormals end, wherever the significand begins.
    carry  = significand[25];
    tiny   = subnormal && places != 5'd0;
    moved  = subnormal ? significand >> {places[4:1], 1'b0} : significand;
    rest   = sticky || (tiny && (significand & ~(26'h3FF_FFFF << {places[4:1], 1'b0})) != 26'd0);
    last   = tiny ? places[0] : carry;
    {kept, guard} = 25'(moved >> last);
    rest   = rest || (last && moved[0]);
    hidden = (tiny ? {1'b0, kept[23]} : {carry || minus_one, !(carry || minus_one)}) & {2{number}};
    up    = guard && (rest || kept[0]);
    drop  = 1'b0;
    if (!number || minus_one || zero || top) begin
      // Too large, too small; but the largest one below the smallest normal number may be rounded up to it.
      least = carry ? minus_one : zero;
      drop  = !number || (top && carry) || (minus_one && !carry)
              || (least && !(&significand[24:2] && (carry || significand[1]) && up));
    end
    rounded = {field, 23'd0, 1'b1} + {6'd0, hidden, kept[22:0] & {23{!drop}}, up && !drop};
    unused = rounded[0];
    finish = {sign, rounded[31:24], rounded[23] || nan, rounded[22:1]};
  endfunction
endpackage

`default_nettype wire
