// What the two means of gw_onebit are built from: values as integers, sums as numbers of 24 bits, their quotients.
// Functions, no latency.
// Dryden et al. (MLHPC'16) section 3.2; docs/devices/onebit.md, sides.
`default_nettype none

package gw_onebit_pkg;
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

  // And then until the first bit is set. {it is not zero, places it was moved by, 24 bits, the next one, whether something follows}.
  function automatic [32:0] by_bits(input [58:0] x);
    logic [2:0]  places;
    logic [55:0] bits;
    places = 3'd7;
    for (int i = 6; i >= 0; i--) if (x[55-i]) places = 3'(i);
    bits = x[55:0] << places;
    by_bits = {bits[55], x[58:56], places, bits[55:31], bits[30:0] != 31'd0};
  endfunction

  // A count moved left until its first bit is set. {places, bits}.
  function automatic [16:0] normal_count(input [12:0] count);
    logic [3:0] places;
    places = 4'd12;
    for (int i = 11; i >= 0; i--) if (count[12-i]) places = 4'(i);
    normal_count = {places, count << places};
  endfunction

  // The sum rounded to 24 bits and the count, as a division begins: {it is not zero; the quotient's exponent field if its first
  // bit is set; divisor; what it is compared with; the dividend's further bits, which make way for the quotient's}.
  function automatic [61:0] begin_division(input [32:0] sum, input [16:0] count);
    logic [24:0] rounded;
    logic [23:0] significand;
    rounded     = {1'b0, sum[25:2]} + {24'd0, sum[1] & (sum[0] | sum[2])};
    significand = rounded[24] ? 24'h80_0000 : rounded[23:0];
    // The sum's first bit has the weight 2^(55 - places); of a mean, 32 less.
    begin_division = {sum[32], 8'd138 - {2'd0, sum[31:26]} + {4'd0, count[16:13]} + {7'd0, rounded[24]}, count[12:0],
                      1'b0, significand[23:11], significand[10:0], 15'd0};
  endfunction

  // Two steps of the division, a bit each.
  function automatic [61:0] divide(input [61:0] x);
    logic [12:0] divisor;
    logic [13:0] part;
    logic [13:0] less;  // from minus the divisor to the divisor less one
    logic [25:0] bits;
    divisor = x[52:40];
    part    = x[39:26];
    bits    = x[25:0];
    for (int i = 0; i < 2; i++) begin
      less = part - {1'b0, divisor};
      part = {less[13] ? part[12:0] : less[12:0], bits[25]};
      bits = {bits[24:0], ~less[13]};
    end
    divide = {x[61:40], part, bits};
  endfunction

  // The quotient, rounded to nearest even, without a sign; of a division without its divisor.
  function automatic [30:0] quotient(input [48:0] x);
    logic [23:0] significand;
    logic        half, more;
    significand = x[25] ? x[25:2] : x[24:1];
    half        = x[25] ? x[1] : x[0];
    more        = (x[25] & x[0]) | (x[39:26] != 14'd0);
    // The hidden bit counts the exponent field up: it was one less, or two where the first bit is not set.
    quotient = {x[47:40] - {7'd0, ~x[25]} - 8'd1, 23'd0} + {7'd0, significand} + {30'd0, half & (more | significand[0])};
    quotient = quotient & {31{x[48]}};
  endfunction
endpackage

`default_nettype wire
