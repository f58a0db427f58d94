// What gw_threshold's stages are built from: T, division, gaps and their codes, shifts of words.
// Functions, no latency.
// Thresholded gradient synchronisation (Anoosheh et al.), listing (a)-(c); docs/devices/threshold.md,
// docs/formats/quantised-packets.md.
// SPDX-License-Identifier: Apache-2.0
`default_nettype none

package gw_threshold_pkg;
  // Threshold that can be: not negative, its low 8 bits zero, 2^-100 to 2^100.
  function automatic legal(input [31:0] t);
    legal = !t[31] && t[7:0] == 8'd0 && t[30:23] >= 8'd27 && t[30:8] <= {8'd227, 15'd0};
  endfunction

  // Two steps of a restoring division, if the remainder is below the divisor. {two bits of the quotient,
  // remainder}.
  function automatic [17:0] divide(input [15:0] remainder, input [1:0] below, input [15:0] divisor);
    logic [16:0] first, second, less_first, less_second;
    first       = {remainder, below[1]};
    less_first  = first - {1'b0, divisor};
    second      = {less_first[16] ? first[15:0] : less_first[15:0], below[0]};
    less_second = second - {1'b0, divisor};
    divide      = {!less_first[16], !less_second[16], less_second[16] ? second[15:0] : less_second[15:0]};
  endfunction

  // A product of m and T's significand, 2^15 to 2^24 - 1, as exponent less T's, and fraction.
  function automatic [26:0] normalise(input [23:0] product);
    logic [3:0]  up;  // places from bit 15 to the leading one
    logic [22:0] four, two;
    up[3] = product[23];
    up[2] = !up[3] && product[22:19] != 4'd0;
    four  = up[3] ? product[22:0] : up[2] ? {product[21:0], 1'b0} : {product[17:0], 5'd0};
    // After up[3], the leading one is bit 22 to 19 or 18 to 15 of the product: it, and the three after it,
    // are the upper bits.
    up[1:0] = up[3] ? 2'd0 : up[2] ? (product[22] ? 2'd3 : product[21] ? 2'd2 : {1'b0, product[20]})
                                   : (product[18] ? 2'd3 : product[17] ? 2'd2 : {1'b0, product[16]});
    if (!up[3]) begin
      two  = up[1] ? four : {four[20:0], 2'd0};
      four = up[0] ? two : {two[21:0], 1'b0};
    end
    normalise = {up, four};
  endfunction

  // Values not sent right below a lane, up to the next one that is.
  function automatic [2:0] gap_below(input [7:0] sent, input [2:0] lane);
    gap_below = 3'd0;
    for (int i = 0; i < 7; i++) if (3'(i) < lane && sent[i]) gap_below = lane - 3'd1 - 3'(i);
  endfunction

  function automatic [2:0] lowest(input [7:0] sent);
    lowest = 3'd0;
    for (int i = 7; i >= 0; i--) if (sent[i]) lowest = 3'(i);
  endfunction

  function automatic [2:0] highest(input [7:0] sent);
    highest = 3'd0;
    for (int i = 0; i < 8; i++) if (sent[i]) highest = 3'(i);
  endfunction

  function automatic [3:0] count(input [7:0] bits);
    count = {3'd0, bits[0]} + {3'd0, bits[1]} + {3'd0, bits[2]} + {3'd0, bits[3]} +
            {3'd0, bits[4]} + {3'd0, bits[5]} + {3'd0, bits[6]} + {3'd0, bits[7]};
  endfunction

  // Rice code of a gap within a group, 0..7. {bits, code}.
  function automatic [19:0] code_short(input [2:0] gap, input [3:0] k);
    logic [14:0] code;
    case (k)
      4'd0:    code = {8'd0, ~(7'h7F << gap)};
      4'd1:    code = {10'd0, gap[2] ? (gap[1] ? {gap[0], 4'b0111} : {1'b0, gap[0], 3'b011})
                                     : (gap[1] ? {2'b00, gap[0], 2'b01} : {3'b000, gap[0], 1'b0})};
      4'd2:    code = {11'd0, gap[2] ? {gap[1:0], 2'b01} : {1'b0, gap[1:0], 1'b0}};
      default: code = {11'd0, gap, 1'b0};
    endcase
    code_short = {{1'b0, k} + 5'd1 + {2'd0, k < 4'd3 ? gap >> k[1:0] : 3'd0}, code};
  endfunction

  // For any gap. First {long form, ones, low bits}; then {bits, code}.
  function automatic [18:0] split(input [19:0] gap, input [3:0] k);
    logic [19:0] ones;
    ones  = gap >> k;
    split = {ones[19:4] != 16'd0 || (&ones[3:0]), ones[3:0], gap[13:0] & ~(14'h3FFF << k)};
  endfunction
  function automatic [40:0] code_any(input [18:0] parts, input [19:0] gap, input [3:0] k);
    logic        long_form;
    logic [3:0]  ones;
    logic [13:0] low;
    {long_form, ones, low} = parts;
    if (long_form) code_any = {6'd35, gap, 15'h7FFF};
    else           code_any = {{2'd0, ones} + {2'd0, k} + 6'd1, 6'd0,
                               ({14'd0, low, 1'b0} << ones) | {15'd0, ~(14'h3FFF << ones)}};
  endfunction

  // A stream is moved towards higher bits: what stays in this word, and what spills over into the next.
  function automatic [63:0] stay(input [63:0] word, input [5:0] bits);
    stay = word << bits;
  endfunction
  function automatic [63:0] spill(input [63:0] word, input [5:0] bits);
    spill = (word >> 1) >> ~bits;
  endfunction

  // k from 3c and n: places by which their leading ones differ, less one if 3c's then is the larger one. Both
  // are normalised first, in two steps: {zeros in front, number}.
  function automatic [23:0] front_far(input [21:0] value);
    logic [1:0]  zeros;
    logic [21:0] moved;
    moved    = value;
    zeros[1] = moved[21:6] == 16'd0;
    if (zeros[1]) moved = {moved[5:0], 16'd0};
    zeros[0] = moved[21:14] == 8'd0;
    if (zeros[0]) moved = {moved[13:0], 8'd0};
    front_far = {zeros, moved};
  endfunction
  function automatic [26:0] front_near(input [23:0] far);
    logic [4:0]  zeros;
    logic [21:0] moved;
    {zeros[4:3], moved} = far;
    zeros[2] = moved[21:18] == 4'd0;
    if (zeros[2]) moved = {moved[17:0], 4'd0};
    zeros[1] = moved[21:20] == 2'd0;
    if (zeros[1]) moved = {moved[19:0], 2'd0};
    zeros[0] = !moved[21];
    if (zeros[0]) moved = {moved[20:0], 1'b0};
    front_near = {zeros, moved};
  endfunction
  function automatic [3:0] rice_k(input [26:0] thrice, input [26:0] twice_n);
    logic [5:0] differ;
    differ = {1'b0, thrice[26:22]} - {1'b0, twice_n[26:22]} - {5'd0, thrice[21:0] > twice_n[21:0]};
    rice_k = !thrice[21] ? 4'd14 : differ[5] ? 4'd0 : differ[4:0] > 5'd14 ? 4'd14 : differ[3:0];
  endfunction
endpackage

`default_nettype wire
