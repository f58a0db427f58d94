// The steps of gw_fp_add.
// Functions, no latency.
// Optimizer switch (IEICE'21) section 5.3.
// SPDX-License-Identifier: Apache-2.0
`default_nettype none

package gw_fp_add_pkg;
  // 1. Classify: order by magnitude, the result has the sign of the larger one; begin to align. {sign,
  // differ, clash (infinity less infinity, if it is not NaN anyway), exponent field, distant (32 places or
  // more), places / 2, fraction of the larger one, significand of the smaller one, moved by one place if
  // places are odd}.
  function automatic [63:0] classify(input [31:0] a, input [31:0] b, input subnormal);
    /*verilator no_inline_task*/
    logic        swap, none, odd, a_zero, b_zero, unused;
    logic [30:0] major, minor;
    logic [7:0]  gap;
    logic [24:0] significand;
    swap   = a[30:0] < b[30:0];
    major  = swap ? b[30:0] : a[30:0];
    minor  = swap ? a[30:0] : b[30:0];
    a_zero = a[30:23] == 8'd0;
    b_zero = b[30:23] == 8'd0;
    none   = !subnormal && (a_zero || b_zero);  // the smaller one then is zero
    // A subnormal's exponent is that of the smallest normal number.
    gap    = {major[30:24], major[23] || (subnormal && a_zero && b_zero)}
             - {minor[30:24], minor[23] || (subnormal && (a_zero || b_zero))};
    odd    = a[23] ^ b[23] ^ (subnormal && a_zero != b_zero);
    significand = {!(a_zero || b_zero), minor[22:0], 1'b0} >> odd;
    unused = gap[0];
    classify = {swap ? b[31] : a[31], a[31] ^ b[31], (a[31] ^ b[31]) && &a[30:23] && &b[30:23], major[30:23],
                gap[7:5] != 3'd0, gap[4:1], major[22:0], none ? 25'd0 : significand};
  endfunction

  // 2. Align: the smaller one moves down to the exponent of the larger; what falls out is kept as one sticky
  // bit. {sign, differ, kind, exponent field, significands of both, of the smaller one with three bits more}.
  function automatic [62:0] align(input [63:0] x, input subnormal);
    /*verilator no_inline_task*/
    logic        sign, differ, clash, distant, lost, lost_more, any, zero;
    logic [7:0]  exponent;
    logic [3:0]  pairs;
    logic [22:0] fraction;
    logic [24:0] minor;
    logic [26:0] first, second;
    logic [1:0]  kind;
    {sign, differ, clash, exponent, distant, pairs, fraction, minor} = x;
    first = {minor, 2'd0} >> {pairs[1:0], 1'b0};
    lost  = (pairs[1:0] == 2'd2 && minor[1:0] != 2'd0) || (pairs[1:0] == 2'd3 && minor[3:0] != 4'd0);
    second = first >> {pairs[3:2], 3'd0};
    lost_more = (pairs[3:2] != 2'd0 && first[7:0] != 8'd0) || (pairs[3] && first[15:8] != 8'd0)
                || (&pairs[3:2] && first[23:16] != 8'd0);
    any  = subnormal ? minor != 25'd0 : minor[24:23] != 2'd0;
    zero = !subnormal && exponent == 8'd0;
    kind = &exponent ? (fraction != 23'd0 || clash ? gw_fp_pkg::KindNan : gw_fp_pkg::KindInfinity)
         : zero ? gw_fp_pkg::KindZero : gw_fp_pkg::KindNumber;
    align = {kind == gw_fp_pkg::KindNan ? 1'b0 : zero ? sign && !differ : sign, differ, kind, exponent,
             !subnormal || exponent != 8'd0, fraction,
             distant ? 27'd0 : second} | {62'd0, distant ? any : lost || lost_more};
  endfunction

  // 3. Add: never negative, because the larger one comes first. {sign, differ, kind, exponent field, sum}.
  function automatic [39:0] add(input [62:0] x);
    /*verilator no_inline_task*/
    logic [27:0] sum;
    logic        unused;  // the last bit, from which to borrow
    {sum, unused} = {1'b0, x[50:27], 4'd0} - {{1'b0, x[26:0]} ^ {28{!x[61]}}, !x[61]};
    add = {x[62:51], sum};
  endfunction

  // 4. Count leading zeros in fours; begin to normalise. The sum's first bit is a carry: 0 zeros add one to
  // the exponent.
  // {sign, kind, exponent field, fours of zeros, zeros beyond (with subnormals), sum moved by 0 to 3 fours}.
  // With subnormals a one is put where counting must stop: at the exponent of the smallest normal number.
  function automatic [43:0] count(input [39:0] x, input subnormal);
    /*verilator no_inline_task*/
    logic        sign, differ;
    logic [1:0]  kind;
    logic [7:0]  exponent, lowest;
    logic [27:0] sum, marked;
    logic [5:0]  some;  // of all fours but the last
    logic [2:0]  fours;
    logic [2:0]  four;  // without its last bit
    {sign, differ, kind, exponent, sum} = x;
    lowest = exponent == 8'd0 ? 8'd1 : exponent;
    marked = subnormal ? sum | (lowest > 8'd27 ? 28'd0 : 28'h800_0000 >> lowest[4:0]) : sum;
    some = {marked[27:24] != 4'd0, marked[23:20] != 4'd0, marked[19:16] != 4'd0, marked[15:12] != 4'd0,
            marked[11:8] != 4'd0, marked[7:4] != 4'd0};
    fours[2] = some[5:2] == 4'd0;
    fours[1] = fours[2] ? some[1:0] == 2'd0 : some[5:4] == 2'd0;
    fours[0] = fours[2] ? !fours[1] && !some[1] : fours[1] ? !some[3] : !some[5];
    four = subnormal ? 3'(marked >> (5'd25 - {fours, 2'd0})) : 3'd4;
    if (kind == gw_fp_pkg::KindNumber) begin
      if (exponent == 8'd254 && sum[27]) kind = gw_fp_pkg::KindInfinity;
      if (sum == 28'd0) begin
        kind = gw_fp_pkg::KindZero;
        sign = sign && !differ;
      end
    end
    count = {sign, kind, subnormal ? lowest : exponent, fours, four[2:1] == 2'd0,
             four[2:1] == 2'd0 ? !four[0] : !four[2], sum << {fours[1:0], 2'd0}};
  endfunction

  // 5. Normalise, except for one place; put in what is no number. {sign, exponent field less the hidden bit,
  // one place more, significand with four bits more}.
  function automatic [37:0] normalise(input [43:0] x, input subnormal);
    /*verilator no_inline_task*/
    logic        sign;
    logic [1:0]  kind, ones;
    logic [7:0]  exponent;
    logic [2:0]  fours;
    logic [27:0] sum;
    logic [6:0]  upper;
    logic        number, borrow, none;
    {sign, kind, exponent, fours, ones, sum} = x;
    number = kind == gw_fp_pkg::KindNumber;
    upper = {1'b0, exponent[7:2]} - {4'd0, fours};  // of the exponent field, without what the last four takes
    sum = sum << {fours[2], 4'd0};
    if (!subnormal) begin
      ones[1] = sum[27:26] == 2'd0;
      ones[0] = ones[1] ? !sum[25] : !sum[27];
    end
    borrow = exponent[1:0] < ones;
    sum = sum << {ones[1], 1'b0};
    // Below the smallest normal number: a sum of normal numbers is exact there.
    none = (kind == gw_fp_pkg::KindZero || (number && upper[6]))
           || ((number && upper[5:0] == 6'd0) && borrow);
    if (number || kind == gw_fp_pkg::KindZero) begin
      normalise = {sign, {upper[5:0] - {5'd0, borrow}, exponent[1:0] - ones, ones[0], sum} & {37{!none}}};
    end else normalise = {sign, 8'hFF, 1'b0, 1'b0, kind == gw_fp_pkg::KindNan, 26'd0};
  endfunction

  // 6. Round: to nearest even. The hidden bit, and a carry out of the fraction, count the exponent up.
  function automatic [31:0] round(input [37:0] x);
    /*verilator no_inline_task*/
    logic [27:0] sum;
    logic [31:0] rounded;
    logic        unused;
    sum = x[27:0] << x[28];
    rounded = {x[36:29], 23'd0, 1'b1} + {7'd0, sum[27:4], sum[3] && (sum[2:0] != 3'd0 || sum[4])};
    unused = rounded[0];
    round = {x[37], rounded[31:1]};
  endfunction
endpackage

`default_nettype wire
