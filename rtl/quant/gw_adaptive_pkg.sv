// What gw_adaptive adds to gw_onebit and gw_threshold: the largest bin, how many values are wanted, what a
// bin's values weigh, their mean.
// Functions, no latency.
// Dryden et al. (MLHPC'16) section 3.3; docs/devices/adaptive.md, window, selection, mean.
// SPDX-License-Identifier: Apache-2.0
`default_nettype none

package gw_adaptive_pkg;
  // The larger one of two bins.
  function automatic [9:0] larger(input [9:0] a, input [9:0] b);
    larger = a < b ? b : a;
  endfunction

  // The largest of five: all are compared with all, and the winner is chosen at once.
  function automatic [9:0] largest(input [9:0] a, input [9:0] b, input [9:0] c, input [9:0] d, input [9:0] e);
    logic ab, ac, ad, ae, bc, bd, be, cd, ce, de;  // the former is not the smaller one
    ab = a >= b; ac = a >= c; ad = a >= d; ae = a >= e;
    bc = b >= c; bd = b >= d; be = b >= e;
    cd = c >= d; ce = c >= e; de = d >= e;
    largest = (a & {10{ab && ac && ad && ae}}) | (b & {10{!ab && bc && bd && be}})
              | (c & {10{!ac && !bc && cd && ce}}) |
              (d & {10{!ad && !bd && !cd && de}}) | (e & {10{!ae && !be && !ce && !de}});
  endfunction

  // max(1, floor(number / 2^p)).
  function automatic [11:0] wanted(input [12:0] number, input [3:0] p);
    logic [12:0] part;
    part   = number >> p;  // p is not 0
    wanted = part[12:1] == 12'd0 ? 12'd1 : part[11:0];
  endfunction

  // A count times the middle of its bin, in eighths of the binade: 15 and 13 in its upper half, 11 and 9 in
  // the lower one; of exponent field 0, which has no hidden bit, 8 fewer.
  function automatic [16:0] weigh_odd(input [12:0] count, input upper, input low);
    weigh_odd = {1'b0, count & {13{!low}}, 3'd0} + (upper ? {1'b0, count, 3'd0} : {3'd0, count, 1'b0})
                + ({4'd0, count} ^ {17{upper}})
              + {16'd0, upper};
  endfunction
  function automatic [16:0] weigh_even(input [12:0] count, input upper, input low);
    weigh_even = {1'b0, count & {13{!low}}, 3'd0} + {4'd0, count} + ({2'd0, count, 2'd0} & {17{upper}});
  endfunction

  // The quotient, rounded to nearest even, without a sign; of a division without its divisor. Of one that is
  // `low` the first bit counts 2^-126, and one bit more is rounded off if that is `odd`; others are normal.
  function automatic [30:0] quotient(input [48:0] x, input low, input odd);
    logic [23:0] significand;
    logic        two, three, half, more;  // bits that are rounded off
    three       = low & odd;
    two         = low ? ~odd : x[25];
    significand = three ? {1'b0, x[25:3]} : two ? x[25:2] : x[24:1];
    half        = three ? x[2] : two ? x[1] : x[0];
    more        = (three & x[1]) | ((three | two) & x[0]) | (x[39:26] != 14'd0);
    // The hidden bit counts the exponent field up: it was one less, or two where the first bit is not set.
    quotient = {(x[47:40] - {7'd0, ~x[25]} - 8'd1) & {8{~low}}, 23'd0} + {7'd0, significand}
               + {30'd0, half & (more | significand[0])};
    quotient = quotient & {31{x[48]}};
  endfunction
endpackage

`default_nettype wire
