// What the lanes of gw_mx are built from: a binary32 value as few bits, all ways to round it, the choice
// among them.
// Functions, no latency.
// OCP microscaling formats (MX v1.0) section 5; docs/devices/mx.md.
// SPDX-License-Identifier: Apache-2.0
`default_nettype none

/* verilator lint_off UNUSEDPARAM */  // the item's fields, where other quantisers use the functions

package gw_mx_pkg;
  // An item's word, as gw_mx_issue makes it: what later stages need of it beside its values.
  localparam int ItemResidual = 0;   // it keeps one
  localparam int ItemN        = 1;   // 20 bits
  localparam int ItemLength   = 21;  // 6 bits: bytes of the item's vector
  localparam int ItemStatus   = 27;  // 2 bits: status bits 2 and 1
  localparam int ItemError    = 28;  // the former of them
  localparam int ItemFinal    = 29;  // the chunk's last one
  localparam int ItemReady    = 30;  // the items before it and itself can be popped
  localparam int ItemCloses   = 31;  // a block
  localparam int ItemOpens    = 32;
  localparam int ItemFirst    = 33;  // of the chunk
  localparam int ItemFp4      = 34;
  localparam int ItemRaw      = 35;
  localparam int ItemUp       = 36;  // the block's scale is the smallest one that clips nothing
  localparam int ItemE5m2     = 37;  // elements are E5M2
  localparam int ItemBits     = 38;

  // Bytes of a last beat that count, as values: those of which all four bytes are below tkeep's lowest zero;
  // and whether bytes of one more came. {a part, 8 values}.
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

  // Whether a value's significand is larger than that of the largest element, 1.11 in E4M3 and E5M2, 1.1 in
  // E2M1, and its exponent can be counted up.
  function automatic over(input [30:0] value, input fp4);
    over = value[22] && (fp4 ? value[21:0] != 22'd0 : value[21] && value[20:0] != 21'd0)
           && value[30:23] != 8'd254;
  endfunction

  // The larger one of two exponents, each with whether its significand is over: {exponent; over}. Exponents
  // are known first.
  function automatic [8:0] larger(input [8:0] a, input [8:0] b);
    logic a_less, b_less;
    a_less = a[8:1] < b[8:1];
    b_less = b[8:1] < a[8:1];
    larger = {a_less ? b[8:1] : a[8:1], (a[0] && !a_less) || (b[0] && !b_less)};
  endfunction

  // Which of five of them is the largest: all are compared with all, and the winner is known at once. One
  // hot, a first.
  function automatic [4:0] largest(input [8:0] a, input [8:0] b, input [8:0] c, input [8:0] d, input [8:0] e);
    /*verilator no_inline_task*/
    logic ab, ac, ad, ae, bc, bd, be, cd, ce, de;  // the former is not the smaller one
    ab = a >= b; ac = a >= c; ad = a >= d; ae = a >= e;
    bc = b >= c; bd = b >= d; be = b >= e;
    cd = c >= d; ce = c >= e; de = d >= e;
    largest = {ab && ac && ad && ae, !ab && bc && bd && be, !ac && !bc && cd && ce, !ad && !bd && !cd && de,
               !ae && !be && !ce && !de};
  endfunction

  // What belongs to it.
  function automatic [8:0] winner(input [4:0] wins, input [8:0] a, input [8:0] b, input [8:0] c,
                                  input [8:0] d, input [8:0] e);
    winner = (a & {9{wins[4]}}) | (b & {9{wins[3]}}) | (c & {9{wins[2]}}) | (d & {9{wins[1]}})
             | (e & {9{wins[0]}});
  endfunction

  // What is added to a value's exponent for its element's: 7 - s in E4M3, 1 - s in E2M1, 15 - s in E5M2, s
  // being the block's scale, of a block whose largest exponent is e, and one more if that is over: at most
  // 15, 3 or 30 less that, and as if s were not negative.
  function automatic [8:0] offset(input [8:0] largest_exponent, input e5m2, input fp4);
    logic       some, over_;
    logic [7:0] e;
    {e, over_} = largest_exponent;
    some   = fp4 ? e[7:1] != 7'd0 : e5m2 ? e[7:4] != 4'd0 || (&e[3:0]) : e[7:3] != 5'd0;
    offset = {4'd0, e5m2, e5m2 || !fp4, e5m2 || !fp4, !(e5m2 && over_), e5m2 ? over_ : !over_} - {1'b0, e};
    if (!some) offset = {5'd0, e5m2, !fp4, !fp4, 1'b1};
  endfunction

  // The scale back from it.
  function automatic [7:0] scale(input [7:0] offset_of_block, input e5m2, input fp4);
    scale = {4'd0, e5m2, !fp4, !fp4, 1'b1} - offset_of_block;
  endfunction

  // A value as 1.ffff and whether something follows, times two to the (signed) exponent less 127; of what is
  // too small for any element, zero and what is below 2^-144, the exponent is -32. {subnormal; leading zeros
  // of a subnormal fraction, 0..17; exponent; ffff;
  // something follows}.
  function automatic [19:0] narrow(input [30:0] value);
    logic [17:0] top, one;  // of a subnormal: where the leading one can be, where it is
    logic        rest;
    logic [4:0]  zeros;
    logic [3:0]  bits;
    logic [8:0]  exponent;
    logic [4:0]  five;
    zeros    = 5'd0;
    exponent = {1'b0, value[30:23]};
    bits     = value[22:19];
    rest     = value[18:0] != 19'd0;
    if (value[30:23] == 8'd0) begin
      top    = value[22:5];
      one    = top & {1'b1, !top[17], top[17:16] == 2'd0, top[17:15] == 3'd0, top[17:14] == 4'd0,
                      top[17:13] == 5'd0, top[17:12] == 6'd0,
                      top[17:11] == 7'd0, top[17:10] == 8'd0, top[17:9] == 9'd0, top[17:8] == 10'd0,
                        top[17:7] == 11'd0, top[17:6] == 12'd0,
                      top[17:5] == 13'd0, top[17:4] == 14'd0, top[17:3] == 15'd0, top[17:2] == 16'd0,
                        top[17:1] == 17'd0};
      // Place 17 - z has z zeros in front of it.
      zeros    = {one[1:0] != 2'd0, one[9:2] != 8'd0, (one & 18'h03C3C) != 18'd0, (one & 18'h0CCCC) != 18'd0,
                  (one & 18'h15555) != 18'd0};
      five     = 5'd0 - zeros;
      exponent = {{4{!one[17]}}, five & {5{top != 18'd0}}};
      bits = 4'd0;
      rest = value[0];
      for (int i = 0; i < 18; i++) bits = bits | (value[18-i +: 4] & {4{one[17-i]}});
      // below the four bits
      for (int i = 0; i < 18; i++) rest = rest || (one[17-i] && (value[17:1] << i) != 17'd0);
    end
    narrow = {value[30:23] == 8'd0, zeros, exponent, bits, rest};
  endfunction

  // Whether gw_fp_add_pkg::round gives a finite value, known before the sum is: its exponent becomes 255 by
  // the hidden bit, or by a carry out of a fraction of ones beside it. Takes all but sign and the two lowest
  // bits of what is rounded.
  function automatic rounds_finite(input [36:2] normalised);
    /*verilator no_inline_task*/
    logic [24:0] upper;  // hidden bit, fraction, the bit after it: all ones are odd, and are rounded up
    upper = normalised[28] ? normalised[26:2] : normalised[27:3];
    rounds_finite = !((&normalised[36:31]) && (normalised[30:29] == 2'd3
                                               || (normalised[30:29] == 2'd2 && upper[24]) ||
                                               (normalised[30:29] == 2'd1 && (&upper))));
  endfunction

  // All ways to round 1.ffff and what follows, chosen from by the element's exponent: normal, or subnormal by
  // 1, 2, 3, 4 places. Of E5M2 one bit further up, of E2M1 two. {normal: one up, the largest fraction or a
  // carry, its fraction with the carry; subnormal: one up, element}.
  function automatic [25:0] roundings(input [3:0] f, input rest, input e5m2, input fp4);
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
    end else if (e5m2) begin
      up0    = f[1] && (f[0] || rest || f[2]);
      normal = {{1'b0, f[3:2]} + {2'd0, up0}, 1'b0};
      top    = normal[3];
      up1    = f[2] && (f[1] || f[0] || rest || f[3]);
      one    = {up1, {2'b01, f[3]} + {2'd0, up1}, 1'b0};
      two    = {f[3], 1'b0, f[3], !f[3], 1'b0};
      three  = {5{f != 4'd0 || rest}} & 5'h12;
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

  // What a lane knows of its value before it knows the scale. {sign, e5m2, fp4, narrow}.
  function automatic [22:0] prepare(input [31:0] value, input e5m2, input fp4);
    /*verilator no_inline_task*/
    prepare = {value[31], e5m2, fp4, narrow(value[30:0])};
  endfunction

  // The element of a value that is not zero, from its exponent and the block's offset. Their sum is below 32,
  // in E4M3 below 16, in E2M1 below 4.
  // {what the residual needs of it: subnormal, zeros, saturated, one up, places by which it is subnormal
  // (0..5; 5: it is zero, and not rounded); the element, of E2M1 two bits further up}.
  function automatic [18:0] element(input [22:0] prepared, input [8:0] offset_of_block);
    /*verilator no_inline_task*/
    logic        sign, e5m2, fp4, is_subnormal, rest, up0, top, up, saturated, none, below;
    logic [4:0]  zeros;
    logic [3:0]  f, normal;
    logic [8:0]  exponent, sum;
    logic [4:0]  one, two, three, four, raised;
    logic [4:0]  at;         // subnormal by 0..4 places
    logic [4:0]  subnormal;  // one up, element
    logic [7:0]  magnitude;  // of E5M2 one bit further up
    {sign, e5m2, fp4, is_subnormal, zeros, exponent, f, rest} = prepared;
    {up0, top, normal, one, two, three, four} = roundings(f, rest, e5m2, fp4);
    sum       = exponent + offset_of_block;
    raised    = exponent[4:0] + offset_of_block[4:0] + {4'd0, normal[3]};
    below     = &sum[8:5];
    at        = {below && sum[4:0] == 5'd29, below && sum[4:0] == 5'd30, below && sum[4:0] == 5'd31,
                 sum[8:5] == 4'd0 && sum[4:0] == 5'd0, sum[8:5] == 4'd0 && sum[4:0] != 5'd0};
    none      = at == 5'd0;
    // The largest exponent is 15, of E2M1 3, of E5M2 30.
    saturated = at[0] && top && (fp4 ? (&sum[1:0]) : (&sum[3:1]) && (e5m2 ? sum[4] && !sum[0] : sum[0]));
    subnormal = (one & {5{at[1]}}) | (two & {5{at[2]}}) | (three & {5{at[3]}}) | (four & {5{at[4]}});
    magnitude = ({raised, normal[2:0]} & {8{at[0]}}) | {4'd0, subnormal[3:0]};
    if (saturated) magnitude = {e5m2, 7'h7E} & {1'b1, 3'd7, !e5m2, 3'd7};
    up        = (up0 && at[0] && !saturated) || subnormal[4];
    element   = {is_subnormal, zeros, saturated, up, {at[4] || none, at[3] || at[2], at[3] || at[1] || none},
                 sign,
                 e5m2 ? magnitude[7:1] : magnitude[6:0]};
  endfunction

  // Bits of a significand that the element does not show: all below bit 20 (E5M2: 21, E2M1: 22) plus the
  // places; of a subnormal, whose significand begins further down, so many fewer.
  function automatic [23:0] not_shown(input e5m2, input fp4, input [2:0] places, input subnormal,
                                      input [4:0] zeros);
    logic [4:0] bits;
    bits = {3'b101, fp4, e5m2} + {2'd0, places} - (subnormal ? zeros + 5'd1 : 5'd0);
    not_shown = ~(24'hFF_FFFF << bits) | {24{places == 3'd5}};
  endfunction

  // What an element leaves of its value: the bits that it does not show, less one if it was rounded up.
  // {sign, exponent field, bits}.
  function automatic [32:0] left(input [31:0] value, input [10:0] told, input e5m2, input fp4);
    /*verilator no_inline_task*/
    logic        subnormal, saturated, up, top;
    logic [4:0]  zeros;
    logic [2:0]  places;
    logic [23:0] hidden;
    {subnormal, zeros, saturated, up, places} = told;
    // Saturated 1.111 of E4M3 stands for 1.110: that bit is not shown either.
    top    = saturated && !fp4 && !e5m2 && (&value[22:20]);
    hidden = not_shown(e5m2, fp4, places, subnormal, zeros) | {3'd0, top, 20'd0};
    left   = {value[31] ^ up, value[30:23], (({!subnormal, value[22:0]} ^ {24{up}}) & hidden) + {23'd0, up}};
  endfunction

  // Where counting a number's leading zeros stops: at the place of the smallest normal number's leading one.
  // Bit 26 has the weight of the exponent.
  function automatic [26:0] stop(input [7:0] exponent);
    /*verilator no_inline_task*/
    stop = (27'(28'h800_0000 >> exponent[4:0]) & {27{exponent[7:5] == 3'd0}}) | {exponent == 8'd0, 26'd0};
  endfunction

  // Which fours of a number that begins at bit 27 are not zero, all but the last.
  function automatic [5:0] some(input [27:4] marked);
    some = {marked[27:24] != 4'd0, marked[23:20] != 4'd0, marked[19:16] != 4'd0, marked[15:12] != 4'd0,
            marked[11:8] != 4'd0,
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

  // Its zeros are counted in fours, and no further than to the exponent of the smallest normal number, where
  // a one is put.
  // {sign, nothing is left, exponent, fours of zeros, bits, bits with the one}.
  function automatic [63:0] mark(input [32:0] left_over, input [26:0] stop_here);
    /*verilator no_inline_task*/
    logic [26:0] marked;
    marked = {left_over[23:0], 3'd0} | stop_here;
    mark   = {left_over[32], left_over[23:0] == 24'd0, left_over[31:25],
              left_over[24] || left_over[31:24] == 8'd0,
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
    counted = {sign && !none, none ? gw_fp_pkg::KindZero : gw_fp_pkg::KindNumber, exponent, fours_of_zeros,
               four[2:1] == 2'd0,
               four[2:1] == 2'd0 ? !four[0] : !four[2], {1'b0, number, 3'd0} << {fours_of_zeros[1:0], 2'd0}};
  endfunction

  // gw_fp_add_pkg::classify, with subnormals, for operands of which b is late: both differences of the
  // exponents as if it were normal, the one if it is not, whether each is 32 or more, then the choice. A
  // subnormal b that is the larger one has an a of the same exponent.
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
    classify   = {swap ? b[31] : a[31], a[31] ^ b[31], (a[31] ^ b[31]) && &a[30:23] && &b[30:23],
                  major[30:23],
                  b_zero ? far_a : swap ? far_ba : far_ab, gap, major[22:0],
                    {!(a_zero || b_zero), minor, 1'b0} >> odd};
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
