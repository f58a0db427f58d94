// What the lanes of gw_mx are built from: a binary32 value as few bits, all ways to round it, the choice among them.
// Functions, no latency.
// OCP microscaling formats (MX v1.0) section 5; docs/devices/mx.md.
`default_nettype none

package gw_mx_pkg;
  // Bytes of a last beat that count, as values: those of which all four bytes are below tkeep's lowest zero; and whether bytes of one
  // more came. {a part, 8 values}.
  function automatic [8:0] arrived(input [31:0] keep);
    /*verilator no_inline_task*/
    logic [30:0] pairs;
    logic [28:0] fours;  // every fourth bit: of a value
    logic [7:0]  whole, some, all;
    logic        unused;
    pairs  = keep[30:0] & keep[31:1];
    fours  = pairs[28:0] & pairs[30:2];
    unused = ^fours;
    whole  = {fours[28], fours[24], fours[20], fours[16], fours[12], fours[8], fours[4], fours[0]};
    some   = {keep[28], keep[24], keep[20], keep[16], keep[12], keep[8], keep[4], keep[0]};
    all    = whole & {whole[6:0], 1'b1};
    all    = all & {all[5:0], 2'd3};
    all    = all & {all[3:0], 4'hF};
    arrived = {({all[6:0], 1'b1} & some & ~whole) != 8'd0, all};
  endfunction

  // How many values they are, modulo 8.
  function automatic [2:0] count_of(input [7:0] all);
    count_of = {all[3] && !all[7], (all[1] && !all[3]) || (all[5] && !all[7]),
                (all[0] && !all[1]) || (all[2] && !all[3]) || (all[4] && !all[5]) || (all[6] && !all[7])};
  endfunction

  // The first `count` of eight; 0: all of them.
  function automatic [7:0] first_of(input [2:0] count);
    first_of = 8'hFF >> (4'd8 - {count == 3'd0, count});
  endfunction

  function automatic finite(input [7:0] exponent);
    finite = exponent != 8'hFF;
  endfunction

  // The larger one of two exponents.
  function automatic [7:0] larger(input [7:0] a, input [7:0] b);
    larger = a < b ? b : a;
  endfunction

  // The largest of five exponents: all are compared with all, and the winner is chosen at once.
  function automatic [7:0] largest(input [7:0] a, input [7:0] b, input [7:0] c, input [7:0] d, input [7:0] e);
    /*verilator no_inline_task*/
    logic ab, ac, ad, ae, bc, bd, be, cd, ce, de;  // the former is not the smaller one
    ab = a >= b; ac = a >= c; ad = a >= d; ae = a >= e;
    bc = b >= c; bd = b >= d; be = b >= e;
    cd = c >= d; ce = c >= e; de = d >= e;
    largest = (a & {8{ab && ac && ad && ae}}) | (b & {8{!ab && bc && bd && be}}) | (c & {8{!ac && !bc && cd && ce}}) |
              (d & {8{!ad && !bd && !cd && de}}) | (e & {8{!ae && !be && !ce && !de}});
  endfunction

  // What is added to a value's exponent for its element's: 7 - s in E4M3, 1 - s in E2M1, s being the block's scale, of a block
  // whose largest exponent is e.
  function automatic [8:0] offset(input [7:0] largest_exponent, input fp4);
    if (fp4) offset = largest_exponent[7:1] == 7'd0 ? 9'd1 : 9'd3 - {1'b0, largest_exponent};
    else     offset = largest_exponent[7:3] == 5'd0 ? 9'd7 : 9'd15 - {1'b0, largest_exponent};
  endfunction

  // The scale back from it.
  function automatic [7:0] scale(input [7:0] offset_of_block, input fp4);
    scale = (fp4 ? 8'd1 : 8'd7) - offset_of_block;
  endfunction

  // A value as 1.ffff and whether something follows, times two to the (signed) exponent less 127; of what is too small for any element,
  // zero and what is below 2^-137, the exponent is -32. {subnormal; leading zeros of a subnormal fraction, 0..10; exponent; ffff;
  // something follows}.
  function automatic [18:0] narrow(input [30:0] value);
    logic [10:0] top, one;  // of a subnormal: where the leading one can be, where it is
    logic        rest;
    logic [3:0]  zeros, bits;
    logic [8:0]  exponent;
    zeros    = 4'd0;
    exponent = {1'b0, value[30:23]};
    bits     = value[22:19];
    rest     = value[18:0] != 19'd0;
    if (value[30:23] == 8'd0) begin
      top  = value[22:12];
      one  = top & {1'b1, !top[10], top[10:9] == 2'd0, top[10:8] == 3'd0, top[10:7] == 4'd0, top[10:6] == 5'd0, top[10:5] == 6'd0,
                    top[10:4] == 7'd0, top[10:3] == 8'd0, top[10:2] == 9'd0, top[10:1] == 10'd0};
      zeros    = {(one & 11'h007) != 11'd0, (one & 11'h078) != 11'd0, (one & 11'h199) != 11'd0, (one & 11'h2AA) != 11'd0};
      exponent = {{4{!one[10]}}, one[9:0] != 10'd0, (one & 11'h3FC) != 11'd0, (one & 11'h3C3) != 11'd0, (one & 11'h333) != 11'd0,
                  (one & 11'h2AA) != 11'd0};  // minus zeros
      bits = 4'd0;
      rest = value[7:0] != 8'd0;
      for (int i = 0; i < 11; i++) bits = bits | (value[18-i +: 4] & {4{one[10-i]}});
      for (int i = 0; i < 10; i++) rest = rest || (one[10-i] && (value[17:8] << i) != 10'd0);  // behind the four bits
    end
    narrow = {value[30:23] == 8'd0, zeros, exponent, bits, rest};
  endfunction

  // Whether gw_fp_add_pkg::round gives a finite value, known before the sum is: its exponent becomes 255 by the hidden bit, or
  // by a carry out of a fraction of ones beside it. Takes all but sign and the two lowest bits of what is rounded.
  function automatic rounds_finite(input [36:2] normalised);
    /*verilator no_inline_task*/
    logic [24:0] upper;  // hidden bit, fraction, the bit behind it: all ones are odd, and are rounded up
    upper = normalised[28] ? normalised[26:2] : normalised[27:3];
    rounds_finite = !((&normalised[36:31]) && (normalised[30:29] == 2'd3 || (normalised[30:29] == 2'd2 && upper[24]) ||
                                               (normalised[30:29] == 2'd1 && (&upper))));
  endfunction

  // All ways to round 1.ffff and what follows, chosen from by the element's exponent: normal, or subnormal by 1, 2, 3, 4 places. Of E2M1
  // two bits further up. {normal: one up, the largest fraction or a carry, its fraction with the carry; subnormal: one up, element}.
  function automatic [25:0] roundings(input [3:0] f, input rest, input fp4);
    logic       up0, up1, up2, top;
    logic [3:0] normal;
    logic [4:0] one, two, three, four;
    if (fp4) begin
      up0    = f[2] && (f[1] || f[0] || rest || f[3]);
      normal = {f[3] && up0, f[3] ^ up0, 2'd0};
      top    = normal[3];
      one    = {f[3], f[3], !f[3], 2'd0};
      up2    = f != 4'd0 || rest;
      two    = {up2, 1'b0, up2, 2'd0};
      three  = 5'd0;
      four   = 5'd0;
    end else begin
      up0    = f[0] && (rest || f[1]);
      normal = {1'b0, f[3:1]} + {3'd0, up0};
      top    = normal[3] || (&normal[2:0]);
      up1    = f[1] && (f[0] || rest || f[2]);
      one    = {up1, {2'b01, f[3:2]} + {3'd0, up1}};
      up2    = f[2] && (f[1] || f[0] || rest || f[3]);
      two    = {up2, 1'b0, {2'b01, f[3]} + {2'd0, up2}};
      three  = {f[3], 2'd0, f[3], !f[3]};
      four   = {5{f != 4'd0 || rest}} & 5'h11;
    end
    roundings = {up0, top, normal, one, two, three, four};
  endfunction

  // What a lane knows of its value before it knows the scale. {sign, fp4, narrow}.
  function automatic [20:0] prepare(input [31:0] value, input fp4);
    /*verilator no_inline_task*/
    prepare = {value[31], fp4, narrow(value[30:0])};
  endfunction

  // The element of a value that is not zero, from its exponent and the block's offset. Their sum is below 16; it is at hand as its low
  // bits and as whether those above them are all zeros or all ones, which needs no carry through them.
  // {what the residual needs of it: subnormal, zeros, saturated, one up, places by which it is subnormal (0..5; 5: it is zero, and not
  // rounded); the element, of E2M1 two bits further up}.
  function automatic [17:0] element(input [20:0] prepared, input [8:0] offset_of_block);
    /*verilator no_inline_task*/
    logic [41:0] x;           // sign, fp4, subnormal, zeros, exponent; roundings
    logic       fp4, up, saturated, none, differ, both_zero, both_below, zeros, ones;
    logic [4:0] low;
    logic [3:0] both;
    logic [3:1] either;
    logic       pair;         // a carry out of two bits
    logic [4:0] a, b, other;  // the upper bits, and their exclusive or
    logic [3:0] raised, lower;
    logic [4:0] at;         // subnormal by 0..4 places
    logic [4:0] subnormal;  // one up, element
    logic [6:0] magnitude;
    x          = {prepared[20:5], roundings(prepared[4:1], prepared[0], prepared[19])};
    fp4        = x[40];
    both       = x[29:26] & offset_of_block[3:0];
    either     = x[29:27] | offset_of_block[3:1];
    pair       = both[1] || (either[1] && both[0]);
    low        = {both[3] || (either[3] && both[2]) || (either[3] && either[2] && pair),
                  x[29:26] ^ offset_of_block[3:0] ^ {both[2] || (either[2] && pair), pair, both[0], 1'b0}};
    raised     = x[29:26] + offset_of_block[3:0] + {3'd0, x[23]};
    a          = x[34:30];
    b          = offset_of_block[8:4];
    other      = a ^ b;
    differ     = &other;                                            // a + b = -1
    both_zero  = other == {a[3:0] | b[3:0], 1'b0};                  // a + b = 0
    both_below = other == ~{a[3:1] & b[3:1], a[0] | b[0], 1'b1};    // a + b = -2
    zeros      = low[4] ? differ : both_zero;
    ones       = low[4] ? both_below : differ;
    none       = !zeros && !(ones && (&low[3:2]) && low[1:0] != 2'd0);
    // The sum is 15, of E2M1 3: no carry out of ones, and above them bits that are zero where a carry goes on.
    lower      = x[29:26] ^ offset_of_block[3:0];
    saturated  = x[24] && (&lower[1:0]) && (fp4 ? {other, lower[3:2]} == {a[3:0] | b[3:0], either[3:2], 1'b0} : both_zero && (&lower[3:2]));
    if (low[4]) begin
      at       = {both_below && low[3:0] == 4'd13, both_below && low[3:0] == 4'd14, both_below && low[3:0] == 4'd15,
                  differ && low[3:0] == 4'd0, differ && low[3:0] != 4'd0};
    end else begin
      at       = {differ && low[3:0] == 4'd13, differ && low[3:0] == 4'd14, differ && low[3:0] == 4'd15,
                  both_zero && low[3:0] == 4'd0, both_zero && low[3:0] != 4'd0};
    end
    subnormal  = (x[19:15] & {5{at[1]}}) | (x[14:10] & {5{at[2]}}) | (x[9:5] & {5{at[3]}}) | (x[4:0] & {5{at[4]}});
    magnitude  = ({raised, x[22:21], x[20] && !saturated} & {7{at[0]}}) | {{6{saturated}}, 1'b0} | {3'd0, subnormal[3:0]};
    up         = (x[25] && at[0] && !saturated) || subnormal[4];
    element    = {x[39:35], saturated, up, {at[4] || none, at[3] || at[2], at[3] || at[1] || none}, x[41], magnitude};
  endfunction

  // Bits of a significand that the element does not show: all below bit 20 (E2M1: 22) plus the places; of a subnormal, whose
  // significand begins further down, so many fewer.
  function automatic [23:0] not_shown(input fp4, input [2:0] places, input subnormal, input [3:0] zeros);
    logic [4:0] bits;
    bits = (fp4 ? 5'd22 : 5'd20) + {2'd0, places} - (subnormal ? {1'b0, zeros} + 5'd1 : 5'd0);
    not_shown = ~(24'hFF_FFFF << bits) | {24{places == 3'd5}};
  endfunction

  // What an element leaves of its value: the bits that it does not show, less one if it was rounded up. {sign, exponent field, bits}.
  function automatic [32:0] left(input [31:0] value, input [9:0] told, input fp4);
    /*verilator no_inline_task*/
    logic        subnormal, saturated, up, top;
    logic [3:0]  zeros;
    logic [2:0]  places;
    logic [23:0] hidden;
    {subnormal, zeros, saturated, up, places} = told;
    // Saturated 1.111 of E4M3 stands for 1.110: that bit is not shown either.
    top    = saturated && !fp4 && (&value[22:20]);
    hidden = not_shown(fp4, places, subnormal, zeros) | {3'd0, top, 20'd0};
    left   = {value[31] ^ up, value[30:23], (({!subnormal, value[22:0]} ^ {24{up}}) & hidden) + {23'd0, up}};
  endfunction

  // Where counting a number's leading zeros stops: at the place of the smallest normal number's leading one. Bit 26 has the weight
  // of the exponent.
  function automatic [26:0] stop(input [7:0] exponent);
    /*verilator no_inline_task*/
    stop = (27'(28'h800_0000 >> exponent[4:0]) & {27{exponent[7:5] == 3'd0}}) | {exponent == 8'd0, 26'd0};
  endfunction

  // Which fours of a number that begins at bit 27 are not zero, all but the last.
  function automatic [5:0] some(input [27:4] marked);
    some = {marked[27:24] != 4'd0, marked[23:20] != 4'd0, marked[19:16] != 4'd0, marked[15:12] != 4'd0, marked[11:8] != 4'd0,
            marked[7:4] != 4'd0};
  endfunction

  // The same of where counting stops, in front of that.
  function automatic [32:0] stops(input [7:0] exponent);
    /*verilator no_inline_task*/
    logic [26:0] place;
    place = stop(exponent);
    stops = {some({1'b0, place[26:4]}), place};
  endfunction

  // Fours of leading zeros.
  function automatic [2:0] fours(input [5:0] s);
    fours = {s[5:2] == 4'd0, s[5:4] == 2'd0 && (s[3:2] != 2'd0 || s[1:0] == 2'd0),
             !s[5] && (s[4] || (!s[3] && (s[2] || (!s[1] && s[0]))))};
  endfunction

  // Its zeros are counted in fours, and no further than to the exponent of the smallest normal number, where a one is put.
  // {sign, nothing is left, exponent, fours of zeros, bits, bits with the one}.
  function automatic [63:0] mark(input [32:0] left_over, input [26:0] stop_here);
    /*verilator no_inline_task*/
    logic [26:0] marked;
    marked = {left_over[23:0], 3'd0} | stop_here;
    mark   = {left_over[32], left_over[23:0] == 24'd0, left_over[31:25], left_over[24] || left_over[31:24] == 8'd0,
              fours(some({1'b0, marked[26:4]})), left_over[23:0], marked};
  endfunction

  // What gw_fp_add_pkg::count makes of such a number, which is exact; zero is positive.
  function automatic [43:0] counted(input [63:0] x);
    /*verilator no_inline_task*/
    logic        sign, none;
    logic [7:0]  exponent;
    logic [2:0]  fours_of_zeros, four;
    logic [23:0] number;
    logic [26:0] marked;
    logic [24:0] unused;
    {sign, none, exponent, fours_of_zeros, number, marked} = x;
    {four, unused} = {1'b0, marked} << {fours_of_zeros, 2'd0};
    counted = {sign && !none, none ? gw_fp_pkg::KindZero : gw_fp_pkg::KindNumber, exponent, fours_of_zeros, four[2:1] == 2'd0,
               four[2:1] == 2'd0 ? !four[0] : !four[2], {1'b0, number, 3'd0} << {fours_of_zeros[1:0], 2'd0}};
  endfunction

  // gw_fp_add_pkg::classify, with subnormals, for operands of which b is late: both differences of the exponents as if it were normal, the
  // one if it is not, whether each is 32 or more, then the choice. A subnormal b that is the larger one has an a of the same exponent.
  function automatic [63:0] classify(input [31:0] a, input [31:0] b);
    /*verilator no_inline_task*/
    logic        swap, odd, a_zero, b_zero, far_ab, far_ba, far_a, unused;
    logic [30:0] major;
    logic [22:0] minor;  // its fraction
    logic [7:0]  a_exponent, ab, ba, a_less_one;
    logic [3:0]  gap;    // without its lowest bit
    a_zero     = a[30:23] == 8'd0;
    b_zero     = b[30:23] == 8'd0;
    a_exponent = {a[30:24], a[23] || a_zero};
    a_less_one = a_exponent - 8'd1;
    ab         = a_exponent - b[30:23];
    ba         = b[30:23] - a_exponent;
    far_ab     = ab[7:5] != 3'd0;
    far_ba     = ba[7:5] != 3'd0;
    far_a      = a_less_one[7:5] != 3'd0;
    swap       = a[30:0] < b[30:0];
    major      = swap ? b[30:0] : a[30:0];
    minor      = swap ? a[22:0] : b[22:0];
    gap        = b_zero ? a_less_one[4:1] : swap ? ba[4:1] : ab[4:1];
    odd        = a_exponent[0] ^ (b[23] || b_zero);
    unused     = ab[0] ^ ba[0] ^ a_less_one[0];
    classify   = {swap ? b[31] : a[31], a[31] ^ b[31], (a[31] ^ b[31]) && &a[30:23] && &b[30:23], major[30:23],
                  b_zero ? far_a : swap ? far_ba : far_ab, gap, major[22:0], {!(a_zero || b_zero), minor, 1'b0} >> odd};
  endfunction

  // gw_fp_add_pkg::count, with subnormals, once it is known where to stop.
  function automatic [43:0] count(input [39:0] x, input [32:0] stop_here);
    /*verilator no_inline_task*/
    logic        sign, differ;
    logic [1:0]  kind;
    logic [7:0]  exponent;
    logic [27:0] sum, marked;
    logic [2:0]  fours_of_zeros, four;
    logic [24:0] unused;
    {sign, differ, kind, exponent, sum} = x;
    marked         = sum | {1'b0, stop_here[26:0]};
    fours_of_zeros = fours(some(sum[27:4]) | stop_here[32:27]);
    {four, unused} = marked << {fours_of_zeros, 2'd0};
    if (kind == gw_fp_pkg::KindNumber) begin
      if (exponent == 8'd254 && sum[27]) kind = gw_fp_pkg::KindInfinity;
      if (sum == 28'd0) begin
        kind = gw_fp_pkg::KindZero;
        sign = sign && !differ;
      end
    end
    count = {sign, kind, exponent[7:1], exponent[0] || exponent == 8'd0, fours_of_zeros, four[2:1] == 2'd0,
             four[2:1] == 2'd0 ? !four[0] : !four[2], sum << {fours_of_zeros[1:0], 2'd0}};
  endfunction
endpackage

`default_nettype wire
