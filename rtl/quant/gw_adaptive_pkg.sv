// What gw_adaptive adds to gw_onebit and gw_threshold: bins, how many values are wanted, what a bin's values weigh.
// Functions, no latency.
// Dryden et al. (MLHPC'16) section 3.3; docs/devices/adaptive.md, bins, selection, mean.
`default_nettype none

package gw_adaptive_pkg;
  // {there is one; bin} of bits 30:21 of a value.
  function automatic [7:0] bin(input [9:0] e);
    logic [9:0] above;
    above = e - 10'd396;
    bin   = {e >= 10'd396, above[6:0] | {7{above[9:7] != 3'd0}}};
  endfunction

  // max(1, floor(number / 2^p)).
  function automatic [11:0] wanted(input [12:0] number, input [3:0] p);
    logic [12:0] part;
    part   = number >> p;  // p is not 0
    wanted = part[12:1] == 12'd0 ? 12'd1 : part[11:0];
  endfunction

  // A count times Q of the middle of its bin, in units of the binade: 15 and 13 in its upper half, 11 and 9 in the lower one.
  function automatic [16:0] weigh_odd(input [12:0] count, input upper);
    weigh_odd = {1'b0, count, 3'd0} + (upper ? {1'b0, count, 3'd0} : {3'd0, count, 1'b0}) + ({4'd0, count} ^ {17{upper}}) + {16'd0, upper};
  endfunction
  function automatic [16:0] weigh_even(input [12:0] count, input upper);
    weigh_even = {1'b0, count, 3'd0} + {4'd0, count} + ({2'd0, count, 2'd0} & {17{upper}});
  endfunction
endpackage

`default_nettype wire
