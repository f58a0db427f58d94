// The step of gw_fp_compare.
// Function, no latency.
// Optimizer switch (IEICE'21) section 5.3.
// SPDX-License-Identifier: Apache-2.0
`default_nettype none

package gw_fp_compare_pkg;
  // {less, smaller one}.
  function automatic [32:0] compare(input [31:0] a, input [31:0] b, input subnormal);
    /*verilator no_inline_task*/
    logic [31:0] smaller;
    logic        a_nan, b_nan, zeros, below;
    a_nan = &a[30:23] && a[22:0] != 23'd0;
    b_nan = &b[30:23] && b[22:0] != 23'd0;
    zeros = subnormal ? (a[30:0] | b[30:0]) == 31'd0 : (a[30:23] | b[30:23]) == 8'd0;
    below = a[31] != b[31] ? a[31] : (a[30:0] < b[30:0]) != a[31];  // -0 is below +0; or they are equal
    smaller = gw_fp_pkg::flush((below && !a_nan) || b_nan ? a : b, subnormal);
    compare = {below && !a_nan && !b_nan && !zeros && a != b, a_nan && b_nan ? 32'h7FC0_0000 : smaller};
  endfunction
endpackage

`default_nettype wire
