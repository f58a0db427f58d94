// What gw_onebit adds to the steps of gw_fp_add: one of them; and for its two means values as integers, sums
// as numbers of 24 bits, and their quotients.
// Functions, no latency.
// Dryden et al. (MLHPC'16) section 3.2; docs/devices/onebit.md, sides.
// SPDX-License-Identifier: Apache-2.0
`default_nettype none

package gw_onebit_pkg;
  // In which of the first six fours counting leading zeros stops at the latest, by the exponent:
  // gw_mx_pkg::stop.
  function automatic [5:0] stop_fours(input [7:0] exponent);
    logic [26:0] stop;
    logic        unused;
    stop       = gw_mx_pkg::stop(exponent);
    stop_fours = {stop[26:24] != 3'd0, stop[23:20] != 4'd0, stop[19:16] != 4'd0, stop[15:12] != 4'd0,
                  stop[11:8] != 4'd0, stop[7:4] != 4'd0};
    unused     = stop[3:0] == 4'd0;
  endfunction

  // gw_fp_add_pkg::count, with subnormals, once it is known where to stop. Each result is a function of the
  // same few bits, and what is looked for in the first four with a one is looked for in all of them.
  function automatic [43:0] count(input [39:0] x, input [26:0] stop, input [5:0] stop_fours_too);
    logic        sign, differ;
    logic [1:0]  kind, beyond;
    logic [7:0]  exponent;
    logic [27:0] sum, marked;
    logic [5:0]  some;   // of the first six fours
    logic [6:0]  first;  // the first four with a one; the last one if there is none
    logic [2:0]  fours;
    {sign, differ, kind, exponent, sum} = x;
    some = {sum[27:24] != 4'd0, sum[23:20] != 4'd0, sum[19:16] != 4'd0, sum[15:12] != 4'd0, sum[11:8] != 4'd0,
            sum[7:4] != 4'd0}
           | stop_fours_too;
    fours[2] = some[5:2] == 4'd0;
    fours[1] = (some[5:4] == 2'd0 && some[3:2] != 2'd0) || some == 6'd0;
    fours[0] = (!some[5] && some[4]) || (some[5:3] == 3'd0 && some[2]) || (some[5:1] == 5'd0 && some[0]);
    first    = {some[5], some[5:4] == 2'd1, some[5:3] == 3'd1, some[5:2] == 4'd1, some[5:1] == 5'd1,
                some == 6'd1, some == 6'd0};
    marked   = sum | {1'b0, stop};
    beyond   = 2'd0;
    for (int i = 0; i < 7; i++) begin
      beyond = beyond | ({marked[4*i+2 +: 2] == 2'd0,
                          marked[4*i+2 +: 2] == 2'd0 ? !marked[4*i+1] : !marked[4*i+3]} & {2{first[i]}});
    end
    if (kind == gw_fp_pkg::KindNumber) begin
      if (exponent == 8'd254 && sum[27]) kind = gw_fp_pkg::KindInfinity;
      if (sum == 28'd0) begin
        kind = gw_fp_pkg::KindZero;
        sign = sign && !differ;
      end
    end
    count = {sign, kind, exponent[7:1], exponent[0] || exponent == 8'd0, fours, beyond,
             sum << {fours[1:0], 2'd0}};
  endfunction

  // Q of a value, as 40 bits that are to be moved right by 0 to 7 places. {places, bits}.
  function automatic [42:0] coarse(input [30:0] value);
    logic [7:0]  places;
    logic [39:0] bits;
    places = 8'd134 - value[30:23];
    bits   = {1'b1, value[22:0], 16'd0};
    case (places[5:3])
      3'd0:    bits = bits;
      3'd1:    bits = bits >> 8;
      3'd2:    bits = bits >> 16;
      3'd3:    bits = bits >> 24;
      3'd4:    bits = bits >> 32;
      default: bits = 40'd0;
    endcase
    coarse = {places[2:0], bits & {40{places[7:6] == 2'd0}}};
    if (value[30:23] > 8'd134) coarse = {3'd0, {40{1'b1}}};
  endfunction

  function automatic [39:0] fine(input [42:0] x);
    fine = x[39:0] >> x[42:40];
  endfunction

  function automatic [3:0] ones(input [7:0] bits);
    ones = {3'd0, bits[0]};
    for (int i = 1; i < 8; i++) ones = ones + {3'd0, bits[i]};
  endfunction

  // A sum moved left until one of its upper eight bits is set. {bytes that it was moved by, bits}.
  function automatic [58:0] by_bytes(input [51:0] sum);
    logic [55:0] bits;
    logic [2:0]  bytes;
    bits  = {4'd0, sum};
    bytes = 3'd6;
    for (int i = 5; i >= 0; i--) if (bits[55-8*i -: 8] != 8'd0) bytes = 3'(i);
    by_bytes = {bytes, bits << {bytes, 3'd0}};
  endfunction

  // And then until the first bit is set. {it is not zero, places it was moved by, 24 bits, the next one,
  // whether something follows}.
  function automatic [32:0] by_bits(input [58:0] x);
    logic [2:0]  places;
    logic [55:0] bits;
    places = 3'd7;
    for (int i = 6; i >= 0; i--) if (x[55-i]) places = 3'(i);
    bits = x[55:0] << places;
    by_bits = {bits[55], x[58:56], places, bits[55:31], bits[30:0] != 31'd0};
  endfunction

  // A side's number moved left until its first bit is set. {places, bits}.
  function automatic [16:0] normal_number(input [12:0] number);
    logic [3:0] places;
    places = 4'd12;
    for (int i = 11; i >= 0; i--) if (number[12-i]) places = 4'(i);
    normal_number = {places, number << places};
  endfunction

  // The sum rounded to 24 bits and the number, as a division begins: {it is not zero; the quotient's exponent
  // field if its first bit is set; divisor; what it is compared with; the dividend's further bits, which make
  // way for the quotient's}.
  function automatic [61:0] begin_division(input [32:0] sum, input [16:0] number);
    logic [24:0] rounded;
    logic [23:0] significand;
    rounded     = {1'b0, sum[25:2]} + {24'd0, sum[1] & (sum[0] | sum[2])};
    significand = rounded[24] ? 24'h80_0000 : rounded[23:0];
    // The sum's first bit has the weight 2^(55 - places); of a mean, 32 less.
    begin_division = {sum[32], 8'd138 - {2'd0, sum[31:26]} + {4'd0, number[16:13]} + {7'd0, rounded[24]},
                      number[12:0],
                      1'b0, significand[23:11], significand[10:0], 15'd0};
  endfunction

  // Two steps of the division, a bit each; the second begins before it is known what becomes of the first.
  function automatic [61:0] divide(input [61:0] x);
    logic [12:0] divisor, left;
    logic [13:0] part, first, if_less, if_not;  // remainders: from minus the divisor to the divisor less one
    logic [25:0] bits;
    logic        one, two;                      // bits of the quotient
    divisor = x[52:40];
    part    = x[39:26];
    bits    = x[25:0];
    first   = part - {1'b0, divisor};
    if_less = {part[12:0], bits[25]} - {1'b0, divisor};
    if_not  = {first[12:0], bits[25]} - {1'b0, divisor};
    one     = ~first[13];
    two     = one ? ~if_not[13] : ~if_less[13];
    left    = two ? (one ? if_not[12:0] : if_less[12:0]) : {one ? first[11:0] : part[11:0], bits[25]};
    divide  = {x[61:40], left, bits[24], bits[23:0], one, two};
  endfunction

  // The quotient, rounded to nearest even, without a sign; of a division without its divisor.
  function automatic [30:0] quotient(input [48:0] x);
    logic [23:0] significand;
    logic        half, more;
    significand = x[25] ? x[25:2] : x[24:1];
    half        = x[25] ? x[1] : x[0];
    more        = (x[25] & x[0]) | (x[39:26] != 14'd0);
    // The hidden bit counts the exponent field up: it was one less, or two where the first bit is not set.
    quotient = {x[47:40] - {7'd0, ~x[25]} - 8'd1, 23'd0} + {7'd0, significand}
               + {30'd0, half & (more | significand[0])};
    quotient = quotient & {31{x[48]}};
  endfunction
endpackage

`default_nettype wire
