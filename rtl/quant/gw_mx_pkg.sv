// What the lanes of gw_mx are built from: a binary32 value as few bits, all ways to round it, the choice among them.
// Functions, no latency.
// OCP microscaling formats (MX v1.0) section 5; docs/devices/mx.md.
`default_nettype none

package gw_mx_pkg;
  // Bytes of a last beat that count, as values: those of which all four bytes are below tkeep's lowest zero; and whether bytes of one
  // more came. {a part, 8 values}.
  function automatic [8:0] arrived(input [31:0] keep);
    logic [7:0] whole, none;
    for (int i = 0; i < 8; i++) begin
      whole[i] = &keep[4*i +: 4];
      none[i]  = !keep[4*i];
    end
    arrived = {1'b0, whole};
    for (int i = 1; i < 8; i++) arrived[i] = arrived[i-1] && whole[i];
    arrived[8] = (whole | none | ~{arrived[6:0], 1'b1}) != 8'hFF;
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
    logic [10:0] one;    // of a subnormal: where the leading one is
    logic        above, below, rest;
    logic [3:0]  zeros, bits;
    logic        subnormal;
    subnormal = value[30:23] == 8'd0;
    above = 1'b0;
    zeros = 4'd0;
    bits  = subnormal ? 4'd0 : value[22:19];
    rest  = value[7:0] != 8'd0 || (!subnormal && value[18:8] != 11'd0);
    below = 1'b0;
    for (int i = 0; i < 11; i++) begin
      one[i] = value[22-i] && !above;
      above  = above || value[22-i];
    end
    for (int i = 0; i < 11; i++) begin
      zeros = zeros | (4'(i) & {4{one[i]}});
      bits  = bits | (value[18-i +: 4] & {4{one[i] && subnormal}});
    end
    for (int i = 0; i < 10; i++) begin
      below = below || (one[i] && subnormal && (value[17:8] << i) != 10'd0);  // behind the four bits
    end
    narrow = {subnormal, zeros, subnormal ? (above ? -{5'd0, zeros} : 9'h1E0) : {1'b0, value[30:23]}, bits, rest || below};
  endfunction

  // All ways to round 1.ffff and what follows, chosen from by the element's exponent: normal, or subnormal by 1, 2, 3, 4 places.
  // {normal: one up, its fraction, of E2M1 in bit 0, with a carry; one up of 1..4 places; elements of 1..3 places}. The element of 4
  // places is whether it goes up.
  function automatic [17:0] roundings(input [3:0] f, input rest, input fp4);
    logic       up0, up1, up2, up3, up4;
    logic [3:0] normal, one;
    logic [2:0] two;
    logic [1:0] three;
    if (fp4) begin
      up0    = f[2] && (f[1] || f[0] || rest || f[3]);
      normal = {2'b00, {1'b0, f[3]} + {1'b0, up0}};
      normal = {normal[1], 2'b00, normal[0]};
      up1    = f[3];
      one    = {2'b00, up1, !up1};
      up2    = f != 4'd0 || rest;
      two    = {2'b00, up2};
      up3    = 1'b0;
      three  = 2'd0;
      up4    = 1'b0;
    end else begin
      up0    = f[0] && (rest || f[1]);
      normal = {1'b0, f[3:1]} + {3'd0, up0};
      up1    = f[1] && (f[0] || rest || f[2]);
      one    = {2'b01, f[3:2]} + {3'd0, up1};
      up2    = f[2] && (f[1] || f[0] || rest || f[3]);
      two    = {2'b01, f[3]} + {2'd0, up2};
      up3    = f[3];
      three  = {up3, !up3};
      up4    = f != 4'd0 || rest;
    end
    roundings = {up0, normal, up1, up2, up3, up4, one, two, three};
  endfunction

  // The element of a value that is not zero, from its exponent and the block's offset. Their sum is below 16; it is at hand as its low
  // bits and as whether those above them are all zeros or all ones, which needs no carry through them.
  // {saturated, one up, places by which it is subnormal (0..5; 5: it is zero, and not rounded), element without its sign}.
  function automatic [11:0] element(input [17:0] ways, input [8:0] exponent, input [8:0] offset_of_block, input fp4);
    logic       up0, carry, saturated, differ, both_zero, both_below, zeros, ones, none;
    logic [3:0] one, ups, raised;
    logic [2:0] normal, two;
    logic [1:0] three;
    logic [4:0] low;
    logic [4:0] a, b, x;  // the upper bits, and their exclusive or
    logic [4:0] at;       // subnormal by 0..4 places
    {up0, carry, normal, ups, one, two, three} = ways;
    low    = {1'b0, exponent[3:0]} + {1'b0, offset_of_block[3:0]};
    raised = exponent[3:0] + offset_of_block[3:0] + {3'd0, carry};
    a = exponent[8:4];
    b = offset_of_block[8:4];
    x = a ^ b;
    differ     = &x;                                            // a + b = -1
    both_zero  = x == {a[3:0] | b[3:0], 1'b0};                  // a + b = 0
    both_below = x == ~{a[3:1] & b[3:1], a[0] | b[0], 1'b1};    // a + b = -2
    zeros = low[4] ? differ : both_zero;
    ones  = low[4] ? both_below : differ;
    at[0] = zeros && low[3:0] != 4'd0;
    at[1] = zeros && low[3:0] == 4'd0;
    at[2] = ones && low[3:0] == 4'd15;
    at[3] = ones && low[3:0] == 4'd14;
    at[4] = ones && low[3:0] == 4'd13;
    none  = !zeros && !(ones && (&low[3:2]) && low[1:0] != 2'd0);
    saturated = at[0] && (&low[1:0]) && (fp4 ? carry : (&low[3:2]) && (carry || (&normal)));
    element[6:0] = ((fp4 ? {4'd0, raised[1:0] | {2{saturated}}, normal[0] | saturated}
                         : {raised | {4{saturated}}, normal[2:1] | {2{saturated}}, normal[0] && !saturated}) & {7{at[0]}}) |
                   ({3'd0, one} & {7{at[1]}}) | ({4'd0, two} & {7{at[2]}}) | ({5'd0, three} & {7{at[3]}}) |
                   {6'd0, ups[0] && at[4]};
    element[9:7] = ({3{none}} & 3'd5) | {at[4], at[3] || at[2], at[3] || at[1]};
    element[10]  = (up0 && at[0] && !saturated) || (ups[3] && at[1]) || (ups[2] && at[2]) || (ups[1] && at[3]) || (ups[0] && at[4]);
    element[11]  = saturated;
  endfunction

  // Bits of a significand that the element does not show: all below bit 20 (E2M1: 22) plus the places; of a subnormal, whose
  // significand begins further down, so many fewer.
  function automatic [23:0] not_shown(input fp4, input [2:0] places, input subnormal, input [3:0] zeros);
    logic [4:0] bits;
    bits = (fp4 ? 5'd22 : 5'd20) + {2'd0, places} - (subnormal ? {1'b0, zeros} + 5'd1 : 5'd0);
    not_shown = 24'd0;
    for (int i = 0; i < 24; i++) not_shown[i] = 5'(i) < bits || places == 3'd5;
  endfunction

  // Where counting a number's leading zeros stops: at the place of the smallest normal number's leading one. Bit 26 has the weight
  // of the exponent.
  function automatic [26:0] stop(input [7:0] exponent);
    stop = 27'd0;
    for (int i = 0; i < 27; i++) stop[i] = exponent == 8'(27 - i) || (i == 26 && exponent == 8'd0);
  endfunction

  // Fours of leading zeros, of a number that begins at bit 27.
  function automatic [2:0] fours(input [27:4] marked);
    logic [5:0] some;
    some = {marked[27:24] != 4'd0, marked[23:20] != 4'd0, marked[19:16] != 4'd0, marked[15:12] != 4'd0, marked[11:8] != 4'd0,
            marked[7:4] != 4'd0};
    fours[2] = some[5:2] == 4'd0;
    fours[1] = fours[2] ? some[1:0] == 2'd0 : some[5:4] == 2'd0;
    fours[0] = fours[2] ? !fours[1] && !some[1] : fours[1] ? !some[3] : !some[5];
  endfunction

  // What gw_fp_add_pkg::count makes of a number of 24 bits that is exact; zero is positive.
  function automatic [43:0] counted(input sign, input none, input [7:0] exponent, input [23:0] number, input [26:0] marked,
                                    input [2:0] fours_of_zeros);
    logic [2:0] four;
    four    = 3'({1'b0, marked} >> (5'd25 - {fours_of_zeros, 2'd0}));
    counted = {sign && !none, none ? gw_fp_pkg::KindZero : gw_fp_pkg::KindNumber, exponent, fours_of_zeros, four[2:1] == 2'd0,
               four[2:1] == 2'd0 ? !four[0] : !four[2], {1'b0, number, 3'd0} << {fours_of_zeros[1:0], 2'd0}};
  endfunction

  // gw_fp_add_pkg::count, with subnormals, once it is known where to stop.
  function automatic [43:0] count(input [39:0] x, input [26:0] stop_here);
    logic        sign, differ;
    logic [1:0]  kind;
    logic [7:0]  exponent;
    logic [27:0] sum, marked;
    logic [2:0]  fours_of_zeros, four;
    {sign, differ, kind, exponent, sum} = x;
    marked         = sum | {1'b0, stop_here};
    fours_of_zeros = fours(marked[27:4]);
    four           = 3'(marked >> (5'd25 - {fours_of_zeros, 2'd0}));
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
